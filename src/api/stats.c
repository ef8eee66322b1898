/*
 * stats.c - what the home holds and how much space it uses
 *
 * Totals come from the catalogue; a session that is not counted there, or has
 * changed since, is counted from its file. Session files are scanned once for
 * references. Blobs are not read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/timestamp.h"
#include "gc/ref_scan.h"
#include "output/dir.h"
#include "search/engine_dir.h"
#include "api/session.h"
#include "api/gc_sources.h"
#include "catalog/import_ledger.h"
#include "session/names.h"
#include "session/usage.h"

struct sized {
    quire_digest digest;
    uint64_t size;
    bool referenced;
};

struct stats {
    struct quire *q;
    quire_stats *out;
    quire_tenant_stats *tenants; /* owned */
    size_t n_tenants;
    struct sized *blobs; /* owned, by digest */
    size_t n_blobs, cap;
    char *piece; /* owned, for mentions */
};

/* ---- tenants ------------------------------------------------------------ */

static quire_status add_tenant(void *ctx, const quire_tenant *t,
                               quire_error *err)
{
    struct stats *s = ctx;
    quire_tenant_stats *list = realloc(s->tenants,
                                       (s->n_tenants + 1) * sizeof *list);

    if (!list)
        return err_memory(err);
    s->tenants = list;
    list[s->n_tenants] = (quire_tenant_stats){.id = t->id};
    snprintf(list[s->n_tenants].name, sizeof list->name, "%s", t->name);
    s->n_tenants++;
    return QUIRE_OK;
}

/* The tenant of a file of the home. Files of a removed tenant are not counted. */
static quire_tenant_stats *tenant_of(struct stats *s, const char *label)
{
    int64_t id;
    size_t i;

    tenants_skip(label, &id);
    for (i = 0; i < s->n_tenants; i++) {
        if (s->tenants[i].id == (id ? id : TENANT_DEFAULT))
            return &s->tenants[i];
    }
    return NULL;
}

/* ---- blobs -------------------------------------------------------------- */

/* Add it to the largest, if it is one. */
static void rank_blob(quire_stats *out, const quire_blob_info *info)
{
    quire_stat_blob one = {info->digest, info->size, info->stored};
    int i;

    for (i = 0; i < QUIRE_STATS_TOP; i++) {
        quire_stat_blob was = out->largest_blobs[i];

        if (one.size > was.size) {
            out->largest_blobs[i] = one;
            one = was;
        }
    }
}

static quire_status see_blob(void *ctx, const quire_blob_info *info,
                             quire_error *err)
{
    struct stats *s = ctx;
    quire_blob_info known = *info;
    struct sized *list;

    if (known.size == UINT64_MAX) /* not without unpacking it */
        known.size = known.stored;
    if (s->n_blobs == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 1024;
        list = realloc(s->blobs, s->cap * sizeof *list);
        if (!list)
            return err_memory(err);
        s->blobs = list;
    }
    s->blobs[s->n_blobs++] = (struct sized){known.digest, known.size, false};
    s->out->blobs++;
    s->out->blob_bytes += known.size;
    s->out->stored_bytes += known.stored;
    rank_blob(s->out, &known);
    return QUIRE_OK;
}

static int by_digest(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;

    return memcmp(x->digest.byte, y->digest.byte, sizeof x->digest.byte);
}

static quire_status see_reference(void *ctx, const quire_digest *digest,
                                  uint64_t at, quire_error *err)
{
    struct stats *s = ctx;
    struct sized key = {.digest = *digest}, *b = NULL;

    (void)at;
    (void)err;
    if (s->n_blobs)
        b = bsearch(&key, s->blobs, s->n_blobs, sizeof key, by_digest);
    if (b) {
        b->referenced = true;
        s->out->references++;
        s->out->referenced_bytes += b->size;
    }
    return QUIRE_OK;
}

/* ---- sessions ----------------------------------------------------------- */

static void rank_session(quire_stats *out, const quire_stat_session *new)
{
    quire_stat_session one = *new;
    int i;

    for (i = 0; i < QUIRE_STATS_TOP; i++) {
        quire_stat_session was = out->largest[i];

        if (*one.id && (!*was.id || one.bytes > was.bytes)) {
            out->largest[i] = one;
            one = was;
        }
    }
    if (!new->created_us)
        return;
    if (!*out->oldest.id || new->created_us < out->oldest.created_us)
        out->oldest = *new;
    if (!*out->newest.id || new->created_us >= out->newest.created_us)
        out->newest = *new;
}

/* The counts in the catalogue, if the file is unchanged. */
static bool find_counts(struct stats *s, int64_t tenant, const char *id,
                        const struct object_info *info, struct arena *tmp,
                        struct session_usage *u)
{
    struct session_totals t;

    if (s->q->kind != QUIRE_KIND_NATIVE ||
        !catalog_has(&s->q->catalog, SCHEMA_SESSION_USAGE) ||
        session_totals_find(&s->q->catalog, tenant, id, tmp, &t, NULL) ||
        !t.counted || t.inode != info->inode || t.size != info->size ||
        t.modified_ns != info->modified_ns)
        return false;
    u->entries = t.entries;
    u->messages = t.messages;
    return true;
}

/* A session is opened a second time, as a log. */
static quire_status see_session(struct stats *s, const struct gc_source *source,
                                quire_error *err)
{
    struct object_info info;
    struct log *file;
    struct arena tmp = ARENA_INIT;
    struct list_meta meta = {.id = NULL};
    struct session_usage t = {0};
    quire_stat_session one = {.bytes = source->info->size};
    quire_tenant_stats *owner = tenant_of(s, source->label);
    quire_status st = log_open(source->store->logs, source->name, LOG_READ,
                               &file, &info, err);
    int64_t ms;

    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    if (list_read(file, source->info->size, &tmp, &meta, NULL) || !meta.id)
        meta = (struct list_meta){.id = "", .title = "", .created = ""};
    snprintf(one.id, sizeof one.id, "%s", meta.id);
    snprintf(one.title, sizeof one.title, "%s", meta.title ? meta.title : "");
    if (timestamp_parse(bytes_str(meta.created), &ms))
        one.created_us = ms * 1000;
    rank_session(s->out, &one);
    if (owner && !find_counts(s, owner->id, meta.id, source->info, &tmp, &t))
        st = session_usage_read(file, &t, NULL, err);
    if (owner) {
        const char *name = tenants_skip(source->label, &(int64_t){0});

        owner->sessions++;
        owner->archived += !strncmp(name, "archive/", 8);
        owner->session_bytes += source->info->size;
        owner->entries += t.entries;
        owner->messages += t.messages;
    }
    log_close(file);
    arena_release(&tmp);
    return st;
}

/* A JP conversation: events instead of entries. */
static void see_conversation(struct stats *s, const struct gc_source *source)
{
    quire_tenant_stats *owner = tenant_of(s, "");

    if (owner) {
        owner->sessions++;
        owner->archived += strstr(source->label, "/.archive/") != NULL;
        owner->session_bytes += source->info->size;
    }
}

static bool is_called(const char *name, const char *ending)
{
    size_t len = strlen(name), n = strlen(ending);

    return len >= n && !strcmp(name + len - n, ending);
}

static quire_status see_source(void *ctx, const struct gc_source *source,
                               quire_error *err)
{
    struct stats *s = ctx;
    struct object_info info;
    struct object *file;
    uint64_t end;
    quire_status st = object_open(source->store->objects, source->name, &file,
                                  &info, err);

    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = ref_scan_object(file, 0, s->piece, see_reference, s, &end, err);
    if (!st && names_is_session(bytes_str(source->name)))
        st = see_session(s, source, err);
    else if (!st && is_called(source->name, "/events.json"))
        see_conversation(s, source);
    object_close(file);
    return st;
}

/* ---- outputs ------------------------------------------------------------ */

static quire_status see_output(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct stats *s = ctx;
    quire_tenant_stats *owner = tenant_of(s, name);
    int64_t id;
    const char *inside = tenants_skip(name, &id);

    (void)err;
    if (!strncmp(inside, "archive/", 8))
        inside += 8;
    if (owner && !strncmp(inside, "sessions/", 9) &&
        output_dir_is_output(strrchr(name, '/') + 1) &&
        !output_dir_is_removed(name)) {
        owner->outputs++;
        owner->output_bytes += info->size;
    }
    return QUIRE_OK;
}

static quire_status count_outputs(struct stats *s, quire_error *err)
{
    static const char *const roots[] = {"sessions", "archive", "tenants"};
    struct store *home;
    quire_status st = need_home(s->q, &home, err);
    int i;

    for (i = 0; i < 3 && !st; i++)
        st = object_list(home->objects, roots[i], see_output, s, err);
    return st;
}

/* ---- the catalogue ------------------------------------------------------ */

static quire_status number(struct db *db, const char *sql, uint64_t *out,
                           quire_error *err)
{
    int64_t n = 0;
    quire_status st = sql_number(db, sql, &n, err);

    *out = (uint64_t)n;
    return st;
}

static quire_status count_rows(struct stats *s, quire_tenant_stats *t,
                               quire_error *err)
{
    struct db *db = s->q->catalog.db;
    char sql[256];
    quire_status st;

#define COUNT(what, from) \
    (snprintf(sql, sizeof sql, "SELECT " what " FROM " from, t->id), sql)
    st = number(db, COUNT("n", "tenant WHERE id = %" PRId64), &t->artifacts,
                err);
    if (!st)
        st = number(db, COUNT("used", "tenant WHERE id = %" PRId64),
                    &t->artifact_bytes, err);
    if (!st)
        st = number(db,
                    COUNT("count(*)",
                          "artifact_version WHERE tenant = %" PRId64),
                    &t->versions, err);
    if (!st && s->q->catalog.schema >= SCHEMA_MEMORY)
        st = number(db, COUNT("count(*)", "memory WHERE tenant = %" PRId64),
                    &t->memories, err);
#undef COUNT
    return st;
}

static quire_status see_row(void *ctx, const quire_digest *d, quire_error *err)
{
    (void)err;
    see_reference(ctx, d, 0, NULL);
    return QUIRE_OK;
}

/* Versions refer to their content. */
static quire_status see_versions(struct stats *s, quire_error *err)
{
    struct db *db = s->q->catalog.db;
    struct stmt *v;
    quire_status st = db_prepare(db, "SELECT sha256 FROM artifact_version", &v,
                                 err);

    if (st)
        return st;
    st = sql_digests(v, see_row, s, err);
    stmt_finalize(v);
    return st;
}

static quire_status count_catalogue(struct stats *s, quire_error *err)
{
    struct db *db = s->q->catalog.db;
    int64_t bytes = 0, unused = 0;
    quire_status st = db_space(db, &bytes, &unused, err);
    size_t i;

    s->out->database_bytes = (uint64_t)bytes;
    s->out->free_bytes = (uint64_t)unused;
    if (st || !s->q->artifacts)
        return st;
    for (i = 0; i < s->n_tenants && !st; i++)
        st = count_rows(s, &s->tenants[i], err);
    if (!st)
        st = see_versions(s, err);
    /* Originals of imports are parts of blobs. */
    return st ? st : import_digests(&s->q->catalog, see_row, s, err);
}

/* ---- search ------------------------------------------------------------- */

static quire_status count_index(struct stats *s, const char *dir,
                                quire_error *err)
{
    struct engine_info info = {.bytes = 0};
    struct engine *e = NULL;
    quire_status st = engine_dir_open(dir, s->q->busy_ms, &e, err);

    if (!st)
        st = engine_info(e, &info, err);
    engine_close(e);
    s->out->search_bytes += info.bytes;
    s->out->search_texts += info.n_texts;
    s->out->search_places += info.n_places;
    s->out->search_sources += info.n_sources;
    /* A damaged one is replaced by the next search. */
    return st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED ? QUIRE_OK : st;
}

static quire_status count_indexes(struct stats *s, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;
    size_t i, k;

    for (i = 0; i < s->n_tenants && !st; i++) {
        int64_t tenant = s->tenants[i].id;
        const char *root = tenant == TENANT_DEFAULT
                               ? s->q->home
                               : arena_printf(&tmp, "%s/tenants/%" PRId64,
                                              s->q->home, tenant);

        for (k = 0; engine_dirs[k] && !st; k++) {
            char *dir = root ? arena_printf(&tmp, "%s/%s", root, engine_dirs[k])
                             : NULL;

            st = dir ? count_index(s, dir, err) : err_memory(err);
        }
    }
    arena_release(&tmp);
    return st;
}

/* ---- all of it ---------------------------------------------------------- */

static void add_up(struct stats *s)
{
    quire_tenant_stats *all = &s->out->total;
    size_t i;

    for (i = 0; i < s->n_tenants; i++) {
        const quire_tenant_stats *t = &s->tenants[i];

        all->sessions += t->sessions;
        all->archived += t->archived;
        all->session_bytes += t->session_bytes;
        all->entries += t->entries;
        all->messages += t->messages;
        all->outputs += t->outputs;
        all->output_bytes += t->output_bytes;
        all->artifacts += t->artifacts;
        all->artifact_bytes += t->artifact_bytes;
        all->versions += t->versions;
        all->memories += t->memories;
    }
    s->out->tenants = s->n_tenants;
    for (i = 0; i < s->n_blobs; i++)
        s->out->unreferenced += !s->blobs[i].referenced;
}

static quire_status find_tenants(struct stats *s, quire_error *err)
{
    static const quire_tenant first = {.id = TENANT_DEFAULT, .name = "default"};
    struct quire *q = s->q;
    quire_status st = QUIRE_NOT_FOUND;

    if (q->kind == QUIRE_KIND_NATIVE)
        st = need_all_artifacts(q, false, err);
    if (st && st != QUIRE_NOT_FOUND)
        return st;
    return st ? add_tenant(s, &first, err)
              : tenant_list(&q->catalog, add_tenant, s, err);
}

static quire_status count_all(struct stats *s, quire_error *err)
{
    quire_status st = need_blobs(s->q, false, err);

    if (!st)
        st = find_tenants(s, err);
    if (!st)
        st = s->q->layout == QUIRE_LAYOUT_PACKED
                 ? blob_names(s->q->blobs, see_blob, s, err)
                 : blob_list(s->q->blobs, see_blob, s, err);
    if (!st && s->n_blobs)
        qsort(s->blobs, s->n_blobs, sizeof *s->blobs, by_digest);
    if (!st)
        st = gc_sources_each(s->q, see_source, s, err);
    if (!st)
        st = count_outputs(s, err);
    if (!st && s->q->catalog.db)
        st = count_catalogue(s, err);
    if (!st && s->q->kind == QUIRE_KIND_NATIVE)
        st = count_indexes(s, err);
    return st;
}

static quire_status may_look(const struct quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (st || q->tenant == TENANT_DEFAULT)
        return st;
    return err_fail(err, QUIRE_INVALID, HINT_SHELL "leave out --tenant",
                    "statistics cover all tenants together");
}

quire_status quire_stats_read(quire *q, quire_stats *out,
                              quire_tenant_stats_fn each, void *ctx,
                              quire_error *err)
{
    quire_stats all = {.size = sizeof all};
    struct stats s = {.q = q, .out = &all};
    quire_status st = may_look(q, err);
    size_t i;

    if (st)
        return st;
    s.piece = malloc(REF_SCAN_PIECE);
    st = s.piece ? count_all(&s, err) : err_memory(err);
    if (!st) {
        add_up(&s);
        all.size = out->size < sizeof all ? out->size : sizeof all;
        memcpy(out, &all, all.size);
    }
    q->in_callback = true;
    for (i = 0; i < s.n_tenants && !st && each; i++)
        st = each(ctx, &s.tenants[i], err);
    q->in_callback = false;
    free(s.piece);
    free(s.blobs);
    free(s.tenants);
    return st;
}
