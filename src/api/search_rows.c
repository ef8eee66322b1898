/*
 * search_rows.c - index artifacts, memory entries and prompts
 *
 * Of artifacts and memory, the index has the number of the last change (catalog/
 * change_log.h) that it knows, and reads the rows that have changed since. Where the
 * log does not go back so far, all rows are compared. Prompts have a time: those of the
 * last known time and later are read, if none was removed.
 *
 * A source is one row, and its key the row's id; an older version of an artifact is a
 * place of the artifact's source. So is a memory entry that is not valid any more: its
 * place is marked as older.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/search.h"
#include "artifact/mime.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "catalog/change_log.h"
#include "memory/history.h"
#include "memory/memory.h"

#define CONTENT_MAX ((uint64_t)64 << 20)

/* A row that was listed. */
struct row {
    char key[24];
    bool gone; /* it is not there any more: `key` alone is set */
    bool older;
    int64_t id, stamp; /* differs when the row has changed */
    int64_t version;
    const char *session, *title, *project; /* in `keep` */
    int64_t created_us, updated_us;
    uint64_t bytes;
    quire_digest digest;
    bool is_text;
    const char *tags;            /* in `keep` */
    quire_bytes texts[N_FIELDS]; /* in `keep` */
};

enum row_mode { ROWS_SAME, ROWS_SOME, ROWS_ALL };

/* The rows of one kind. */
struct row_update {
    struct search_index *x;
    struct engine *to;
    enum source_kind kind;
    enum row_mode mode; /* which rows may have changed */
    struct buf ids;     /* int64_t: ROWS_SOME of artifacts and memory */
    struct arena keep;
    struct row *rows; /* owned: those that are new, changed or gone */
    size_t n, cap;
    size_t n_new;     /* of those: keys that the index does not have */
    int64_t since_s;  /* ROWS_SOME of prompts: from this time on */
    uint64_t n_known; /* prompts in the index */
    uint64_t bytes;   /* of their texts */
    struct buf seen;  /* uint32_t: sources that stay, of ROWS_ALL */
};

/* All kinds. */
struct rows_update {
    struct search_index *x;
    struct row_update kinds[N_SOURCE_KINDS];
    int64_t
        change; /* the last one that the index will have, plus one; 0: unknown */
    int64_t home; /* identity of its quire.db: another one has other changes */
    struct history_state history;
    uint64_t bytes;
    bool changed;
};

/* ---- what may have changed ------------------------------------------------------- */

/* Numbers that the index keeps: they continue the home's in the engine in memory. */
static quire_status read_mark(struct search_index *x, const char *name,
                              int64_t *value, quire_error *err)
{
    quire_status st = QUIRE_OK;

    *value = 0;
    if (x->pending)
        st = engine_mark(x->pending, name, value, err);
    if (!st && *value == 0 && x->home)
        st = engine_mark(x->home, name, value, err);
    return st;
}

/* Names of marks. That of changes is one more than the number, since no mark is 0. */
static const char mark_change[] = "change", mark_home[] = "home",
                  mark_prompts[] = "prompts", mark_prompt_at[] = "prompt_at",
                  mark_prompt_id[] = "prompt_id";

static quire_status note_change(void *ctx, enum change_kind kind, int64_t item,
                                quire_error *err)
{
    struct rows_update *all = ctx;
    struct row_update *u =
        &all->kinds[kind == CHANGE_MEMORY ? SOURCE_MEMORY : SOURCE_ARTIFACT];

    u->mode = ROWS_SOME;
    buf_add(&u->ids, &item, sizeof item);
    return u->ids.failed ? err_memory(err) : QUIRE_OK;
}

static void compare_all_rows(struct rows_update *all)
{
    all->kinds[SOURCE_ARTIFACT].mode = ROWS_ALL;
    all->kinds[SOURCE_MEMORY].mode = ROWS_ALL;
}

/* The catalogue of the home; *has: it has rows to index. */
static quire_status open_catalog(struct search_index *x, bool *has,
                                 quire_error *err)
{
    struct quire *q = x->q;
    quire_status st;

    *has = false;
    if (q->kind != QUIRE_KIND_NATIVE)
        return QUIRE_OK;
    st = need_own_rows(q, false, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    *has = !st && q->catalog.db && q->catalog.schema >= SCHEMA_ARTIFACTS;
    return st;
}

static quire_status find_changes(struct rows_update *all, quire_error *err)
{
    struct quire *q = all->x->q;
    int64_t known = 0, last = 0, home = 0;
    bool has = false, whole = false;
    quire_status st = open_catalog(all->x, &has, err);

    if (st || !has)
        return st;
    /* A reader of an older home: it has no log. */
    if (q->catalog.schema < SCHEMA_CHANGE_LOG) {
        compare_all_rows(all);
        return QUIRE_OK;
    }
    all->home = fs_identity(q->db_path);
    st = read_mark(all->x, mark_home, &home, err);
    if (!st && home == all->home)
        st = read_mark(all->x, mark_change, &known, err);
    if (!st && known > 0)
        st = change_log_read(&q->catalog, q->tenant, known - 1, note_change,
                             all, &last, &whole, err);
    if (!st && !whole) {
        compare_all_rows(all);
        st = change_log_last(&q->catalog, q->tenant, &last, err);
    }
    all->change = last + 1;
    return st;
}

static quire_status compare_history(struct rows_update *all, quire_error *err)
{
    struct row_update *u = &all->kinds[SOURCE_HISTORY];
    struct history_state known = {0}, *now = &all->history;
    struct quire *q = all->x->q;
    quire_status st = need_history(q, false, err);

    if (!st && q->history)
        st = history_state(q->history, now, err);
    if (!st)
        st = read_mark(all->x, mark_prompts, &known.n, err);
    if (!st)
        st = read_mark(all->x, mark_prompt_at, &known.newest_s, err);
    if (!st)
        st = read_mark(all->x, mark_prompt_id, &known.last_id, err);
    if (!st && (now->n != known.n || now->newest_s != known.newest_s ||
                now->last_id != known.last_id))
        u->mode = known.n > 0 && now->n >= known.n ? ROWS_SOME : ROWS_ALL;
    u->since_s = known.newest_s;
    u->n_known = (uint64_t)known.n;
    return st;
}

/* ---- comparing -------------------------------------------------------------------- */

/* Whether an engine has the row as it is; then its source stays. */
static quire_status is_known(struct row_update *u, const struct row *r,
                             bool *known, bool *exists, quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {u->x->pending, u->x->home};
    struct arena tmp = ARENA_INIT;
    struct source s;
    quire_status st = QUIRE_OK;
    int i;

    *known = *exists = false;
    for (i = 0; i < SEARCH_ENGINES && !st && !*known; i++) {
        if (!list[i])
            continue;
        st = engine_find_source(list[i], u->kind, r->key, &tmp, &s, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
        else if (!st && engine_is_live(list[i], s.number))
            *exists = true;
        if (!st && *exists && s.mtime_ns == r->stamp) {
            *known = true;
            buf_add(&u->seen, &s.number, sizeof s.number);
        }
    }
    arena_release(&tmp);
    return u->seen.failed ? err_memory(err) : st;
}

static quire_status add_row(struct row_update *u, struct row *r,
                            quire_error *err)
{
    struct row *more;
    bool known = false, exists = true;
    quire_status st = QUIRE_OK;

    snprintf(r->key, sizeof r->key, "%lld", (long long)r->id);
    if (!r->gone)
        st = is_known(u, r, &known, &exists, err);
    if (st || known)
        return st;
    u->n_new += !exists;
    if (u->n == u->cap) {
        size_t cap = u->cap ? 2 * u->cap : 64;

        more = realloc(u->rows, cap * sizeof *more);
        if (!more)
            return err_memory(err);
        u->rows = more;
        u->cap = cap;
    }
    u->rows[u->n++] = *r;
    u->bytes += r->bytes;
    return QUIRE_OK;
}

/* Copy what the row lends. */
static quire_status keep_row(struct row_update *u, struct row *r,
                             quire_error *err)
{
    int f;

    r->session = arena_text(&u->keep, bytes_str(r->session));
    r->title = arena_text(&u->keep, bytes_str(r->title));
    r->project = arena_text(&u->keep, bytes_str(r->project));
    r->tags = arena_text(&u->keep, bytes_str(r->tags));
    if (!r->session || !r->title || !r->project || !r->tags)
        return err_memory(err);
    for (f = 0; f < N_FIELDS; f++) {
        if (r->texts[f].len == 0)
            continue;
        r->texts[f] = arena_dup(&u->keep, r->texts[f]);
        if (!r->texts[f].data)
            return err_memory(err);
    }
    return add_row(u, r, err);
}

/* ---- listing ------------------------------------------------------------------------ */

static void fields_of_artifact(const quire_artifact *a, quire_bytes *texts)
{
    texts[FIELD_PATH] = bytes_str(a->path);
    texts[FIELD_NOTE] = bytes_str(a->purpose);
    texts[FIELD_TAGS] = bytes_str(a->tags);
}

void search_artifact_fields(const quire_artifact *a, quire_bytes text,
                            struct segment_text *out)
{
    *out = (struct segment_text){{{NULL, 0}}};
    fields_of_artifact(a, out->fields);
    out->fields[FIELD_BODY] = text;
}

static void fields_of_memory(const quire_memory *m, quire_bytes *texts)
{
    texts[FIELD_BODY] = m->content;
    texts[FIELD_TITLE] = m->title;
    texts[FIELD_TAGS] = bytes_str(m->tags);
    texts[FIELD_SOURCE] = m->source;
}

/* A number that differs when one of the others does. */
static int64_t mix(int64_t a, int64_t b, int64_t c)
{
    uint64_t h = (uint64_t)a * UINT64_C(0x9e3779b97f4a7c15);

    h = (h ^ (uint64_t)b) * UINT64_C(0xc2b2ae3d27d4eb4f);
    h = (h ^ h >> 29 ^ (uint64_t)c) * UINT64_C(0x165667b19e3779f9);
    return (int64_t)(h >> 1);
}

static quire_status list_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    struct row r = {.id = a->id,
                    .stamp = mix(a->updated_us, a->version, a->session_id),
                    .version = a->version,
                    .session = a->session,
                    .title = a->path,
                    .project = "",
                    .created_us = a->created_us,
                    .updated_us = a->updated_us,
                    .bytes = a->size,
                    .digest = a->digest,
                    .tags = a->tags,
                    .is_text = mime_is_text(a->mime)};

    fields_of_artifact(a, r.texts);
    return keep_row(ctx, &r, err);
}

static quire_status list_memory(void *ctx, const quire_memory *m,
                                quire_error *err)
{
    struct row_update *u = ctx;
    struct row r = {.id = m->id,
                    .stamp = mix(m->updated_us, m->valid_to_us, m->session_id),
                    .older = m->valid_to_us != 0,
                    .session = m->session,
                    .project = "",
                    .tags = m->tags,
                    .bytes = m->content.len,
                    .created_us = m->created_us,
                    .updated_us = m->updated_us};

    r.title = arena_text(&u->keep, m->title);
    if (!r.title)
        return err_memory(err);
    fields_of_memory(m, r.texts);
    return keep_row(u, &r, err);
}

static quire_status list_prompt(void *ctx, const quire_prompt *p,
                                quire_error *err)
{
    struct row r = {.id = p->id,
                    .stamp = p->created_at_s,
                    .session = p->session ? p->session : "",
                    .title = "",
                    .project = p->cwd ? p->cwd : "",
                    .tags = "",
                    .bytes = p->prompt.len,
                    .created_us = p->created_at_s * 1000000,
                    .updated_us = p->created_at_s * 1000000};

    r.texts[FIELD_BODY] = p->prompt;
    return keep_row(ctx, &r, err);
}

static quire_status list_prompts(struct row_update *u, quire_error *err)
{
    struct history_find find = {.limit = UINT64_MAX,
                                .since_s = u->mode == ROWS_SOME ? u->since_s
                                                                : 0};

    return history_find(u->x->q->history, &find, list_prompt, u, err);
}

static quire_status list_all(struct row_update *u, quire_error *err)
{
    struct quire *q = u->x->q;
    struct artifact_range all = {.tenant = q->tenant};
    quire_status st;

    if (u->kind == SOURCE_HISTORY)
        return list_prompts(u, err);
    if (u->kind == SOURCE_MEMORY) {
        st = need_memory(q, false, err);
        if (st == QUIRE_NOT_FOUND)
            return QUIRE_OK;
        return st ? st
                  : memory_each(q->memories, q->tenant, list_memory, u, err);
    }
    st = need_artifacts(q, false, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    return st ? st : artifact_list(q->artifacts, &all, list_artifact, u, err);
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static quire_status list_one(struct row_update *u, int64_t id,
                             struct arena *tmp, quire_error *err)
{
    struct quire *q = u->x->q;
    struct row gone = {.id = id, .gone = true};
    quire_artifact a;
    quire_memory m;
    quire_status st;

    if (u->kind == SOURCE_ARTIFACT) {
        st = artifact_by_id(q->artifacts, q->tenant, id, tmp, &a, err);
        if (!st && !a.deleted_us)
            return list_artifact(u, &a, err);
    } else {
        st = memory_any(q->memories, q->tenant, id, tmp, &m, err);
        if (!st)
            return list_memory(u, &m, err);
    }
    return !st || st == QUIRE_NOT_FOUND ? add_row(u, &gone, err) : st;
}

/* The rows that the log names, each once. */
static quire_status list_some(struct row_update *u, quire_error *err)
{
    int64_t *ids = (int64_t *)(void *)u->ids.data;
    size_t n = u->ids.len / sizeof *ids, i;
    struct arena tmp = ARENA_INIT;
    quire_status st = u->kind == SOURCE_ARTIFACT
                          ? need_artifacts(u->x->q, false, err)
                          : need_memory(u->x->q, false, err);

    qsort(ids, n, sizeof *ids, by_id);
    for (i = 0; i < n && !st; i++) {
        if (i > 0 && ids[i] == ids[i - 1])
            continue;
        arena_reset(&tmp);
        st = list_one(u, ids[i], &tmp, err);
    }
    arena_release(&tmp);
    return st;
}

static void forget_rows(struct row_update *u)
{
    u->n = u->n_new = 0;
    u->bytes = 0;
    buf_clear(&u->seen);
    arena_reset(&u->keep);
}

static quire_status list_rows(struct row_update *u, uint64_t n_prompts,
                              quire_error *err)
{
    quire_status st;

    if (u->mode == ROWS_SOME && u->kind != SOURCE_HISTORY)
        return list_some(u, err);
    st = list_all(u, err);
    if (st || u->mode == ROWS_ALL || n_prompts == u->n_known + u->n_new)
        return st;
    /* Prompts were removed. */
    u->mode = ROWS_ALL;
    forget_rows(u);
    return list_all(u, err);
}

/* ---- indexing ------------------------------------------------------------------------- */

/* The content of a blob as text, in x->text; empty if it cannot be read. */
static quire_status read_content(struct search_index *x,
                                 const quire_digest *digest, bool is_text,
                                 quire_error *err)
{
    quire_status st;

    buf_clear(&x->text);
    if (!is_text)
        return QUIRE_OK;
    st = read_whole(x->q, digest, buf_write, &x->text, err);
    if (st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED) {
        buf_clear(&x->text);
        st = QUIRE_OK;
    }
    return st;
}

/* The place of a row has its id, that of an older version the version. */
static quire_status add_text(struct row_update *u, const struct row *r,
                             const struct source *s, bool older, int64_t offset,
                             quire_error *err)
{
    static const enum text_kind kinds[N_SOURCE_KINDS] = {
        [SOURCE_ARTIFACT] = TEXT_ARTIFACT,
        [SOURCE_MEMORY] = TEXT_MEMORY,
        [SOURCE_HISTORY] = TEXT_HISTORY,
    };
    unsigned role = u->kind == SOURCE_HISTORY ? TEXT_ROLE_USER : TEXT_ROLE_NONE;
    struct segment_text text;
    struct place place = {.source = s->number,
                          .offset = (uint64_t)offset,
                          .time_us = r->updated_us,
                          .group = search_group(*r->session ? r->session
                                                            : r->key)};

    memcpy(text.fields, r->texts, sizeof text.fields);
    if (u->kind == SOURCE_ARTIFACT)
        text.fields[FIELD_BODY] = buf_bytes(&u->x->text);
    place.meta = (uint16_t)((unsigned)kinds[u->kind] | role << PLACE_KIND_BITS |
                            (older || r->older ? PLACE_OLDER : 0u));
    return engine_add(u->to, &text, &place, bytes_of("", 0), bytes_of("", 0),
                      err);
}

/* The older versions of an artifact. */
struct versions {
    struct row_update *u;
    int64_t current;
    struct buf list; /* quire_artifact, of which only some fields are used */
};

static quire_status list_version(void *ctx, const quire_artifact *a,
                                 quire_error *err)
{
    struct versions *k = ctx;

    if (a->version != k->current)
        buf_add(&k->list, a, sizeof *a);
    return k->list.failed ? err_memory(err) : QUIRE_OK;
}

static quire_status add_versions(struct row_update *u, const struct row *r,
                                 const struct source *s, quire_error *err)
{
    struct versions k = {u, r->version, BUF_INIT(SIZE_MAX)};
    const quire_artifact *list;
    quire_artifact one = {.id = r->id};
    struct quire *q = u->x->q;
    quire_status st = r->version > 1
                          ? artifact_versions(q->artifacts, q->tenant, &one,
                                              list_version, &k, err)
                          : QUIRE_OK;
    size_t i;

    list = (const quire_artifact *)(const void *)k.list.data;
    for (i = 0; i < k.list.len / sizeof *list && !st; i++) {
        struct row older = *r;

        older.updated_us = list[i].created_us;
        st = read_content(u->x, &list[i].digest, r->is_text, err);
        if (!st)
            st = add_text(u, &older, s, true, list[i].version, err);
    }
    buf_release(&k.list);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* Forget the row as it was, in both engines. */
static quire_status drop_row(struct row_update *u, const char *key,
                             quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {u->x->pending, u->x->home};
    struct arena tmp = ARENA_INIT;
    struct source s;
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < SEARCH_ENGINES && !st; i++) {
        if (!list[i])
            continue;
        st = engine_find_source(list[i], u->kind, key, &tmp, &s, err);
        if (!st)
            st = list[i] == u->to ? engine_kill_source(list[i], s.number, err)
                                  : engine_hide_source(list[i], s.number, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    arena_release(&tmp);
    return st;
}

static quire_status index_row(struct row_update *u, const struct row *r,
                              quire_error *err)
{
    struct source s = {.kind = u->kind,
                       .key = r->key,
                       .session = r->session,
                       .title = r->title,
                       .project = r->project,
                       .agent = "",
                       .tags = r->tags,
                       .created_us = r->created_us,
                       .modified_us = r->updated_us,
                       .mtime_ns = r->stamp,
                       .size = (uint64_t)r->version};
    quire_status st = drop_row(u, r->key, err);

    if (st || r->gone)
        return st;
    st = engine_put_source(u->to, &s, err);
    if (!st)
        buf_add(&u->seen, &s.number, sizeof s.number);
    if (!st && u->kind == SOURCE_ARTIFACT)
        st = read_content(u->x, &r->digest, r->is_text, err);
    if (!st)
        st = add_text(u, r, &s, false, r->id, err);
    if (!st && u->kind == SOURCE_ARTIFACT)
        st = add_versions(u, r, &s, err);
    if (!st && u->seen.failed)
        st = err_memory(err);
    return st;
}

/* ---- what is gone ------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

struct unseen {
    struct row_update *u;
    struct buf list; /* uint32_t */
};

static quire_status add_unseen(void *ctx, const struct source *s,
                               quire_error *err)
{
    struct unseen *k = ctx;
    const struct buf *seen = &k->u->seen;

    if (seen->len == 0 ||
        !bsearch(&s->number, seen->data, seen->len / sizeof s->number,
                 sizeof s->number, by_number))
        buf_add(&k->list, &s->number, sizeof s->number);
    return k->list.failed ? err_memory(err) : QUIRE_OK;
}

static quire_status drop_gone(struct row_update *u, quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {u->x->home, u->x->pending};
    quire_status st = QUIRE_OK;
    const uint32_t *numbers;
    size_t i;
    int e;

    if (u->seen.len > 0)
        qsort(u->seen.data, u->seen.len / sizeof(uint32_t), sizeof(uint32_t),
              by_number);
    for (e = 0; e < SEARCH_ENGINES && !st; e++) {
        struct unseen k = {u, BUF_INIT(SIZE_MAX)};

        if (!list[e])
            continue;
        st = engine_sources(list[e], u->kind, add_unseen, &k, err);
        numbers = (const uint32_t *)(const void *)k.list.data;
        for (i = 0; i < k.list.len / sizeof *numbers && !st; i++)
            st = list[e] == u->to
                     ? engine_kill_source(list[e], numbers[i], err)
                     : engine_hide_source(list[e], numbers[i], err);
        buf_release(&k.list);
    }
    return st;
}

/* ---- updates ------------------------------------------------------------------------------ */

static void release_rows(struct rows_update *all)
{
    int kind;

    for (kind = SOURCE_ARTIFACT; kind <= SOURCE_HISTORY; kind++) {
        free(all->kinds[kind].rows);
        buf_release(&all->kinds[kind].seen);
        buf_release(&all->kinds[kind].ids);
        arena_release(&all->kinds[kind].keep);
    }
}

/* Find the rows that are new, changed or gone. */
static quire_status find_rows(struct rows_update *all, quire_error *err)
{
    quire_status st;
    int kind;

    for (kind = SOURCE_ARTIFACT; kind <= SOURCE_HISTORY; kind++) {
        struct row_update *u = &all->kinds[kind];

        u->x = all->x;
        u->kind = (enum source_kind)kind;
        u->seen = (struct buf)BUF_INIT(SIZE_MAX);
        u->ids = (struct buf)BUF_INIT(SIZE_MAX);
    }
    st = find_changes(all, err);
    if (!st)
        st = compare_history(all, err);
    for (kind = SOURCE_ARTIFACT; kind <= SOURCE_HISTORY && !st; kind++) {
        struct row_update *u = &all->kinds[kind];

        if (u->mode == ROWS_SAME)
            continue;
        st = list_rows(u, (uint64_t)all->history.n, err);
        all->bytes += u->bytes;
        all->changed = true;
    }
    return st;
}

/* Of equal hits, that which was indexed last comes first. */
static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->updated_us != y->updated_us)
        return x->updated_us > y->updated_us ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static quire_status apply_kind(struct row_update *u, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    if (u->n > 1)
        qsort(u->rows, u->n, sizeof *u->rows, by_time);

    for (i = 0; i < u->n && !st; i++) {
        st = index_row(u, &u->rows[i], err);
        if (!st && engine_is_full(u->to))
            st = engine_flush(u->to, err);
    }
    return st || u->mode != ROWS_ALL ? st : drop_gone(u, err);
}

static quire_status set_marks(const struct rows_update *all, struct engine *to,
                              quire_error *err)
{
    quire_status st = engine_set_mark(to, mark_change, all->change, err);

    if (!st)
        st = engine_set_mark(to, mark_home, all->home, err);
    if (!st)
        st = engine_set_mark(to, mark_prompts, all->history.n, err);
    if (!st)
        st = engine_set_mark(to, mark_prompt_at, all->history.newest_s, err);
    return st ? st
              : engine_set_mark(to, mark_prompt_id, all->history.last_id, err);
}

static quire_status apply_rows(struct rows_update *all, struct engine *to,
                               quire_error *err)
{
    quire_status st = engine_begin(to, err);
    int kind;

    if (st)
        return st;
    for (kind = SOURCE_ARTIFACT; kind <= SOURCE_HISTORY && !st; kind++) {
        all->kinds[kind].to = to;
        if (all->kinds[kind].mode != ROWS_SAME)
            st = apply_kind(&all->kinds[kind], err);
    }
    if (!st)
        st = set_marks(all, to, err);
    return engine_end(to, st, err);
}

quire_status search_update_rows(struct search_index *x,
                                enum search_target target, quire_error *err)
{
    struct rows_update all = {.x = x};
    struct engine *to = NULL;
    quire_status st = find_rows(&all, err);
    bool changed = all.changed;

    if (!st && changed)
        st = search_choose_engine(x, target, all.bytes, &to, err);
    if (!st && changed && to == x->home && x->pending) {
        /* All of it is read again, from the state of the home's index. */
        release_rows(&all);
        search_drop_pending(x);
        return search_update_rows(x, TARGET_HOME, err);
    }
    if (!st && changed)
        st = apply_rows(&all, to, err);
    release_rows(&all);
    return st;
}

/* ---- reading ----------------------------------------------------------------------------- */

struct prompt_copy {
    struct arena *keep;
    struct segment_text *out;
};

static quire_status copy_prompt(void *ctx, const quire_prompt *p,
                                quire_error *err)
{
    struct prompt_copy *k = ctx;

    k->out->fields[FIELD_BODY] = arena_dup(k->keep, p->prompt);
    return k->out->fields[FIELD_BODY].data ? QUIRE_OK : err_memory(err);
}

static quire_status copy_fields(const quire_bytes *texts, struct arena *keep,
                                struct segment_text *out, quire_error *err)
{
    int f;

    for (f = 0; f < N_FIELDS; f++) {
        out->fields[f] = arena_dup(keep, texts[f]);
        if (!out->fields[f].data)
            return err_memory(err);
    }
    return QUIRE_OK;
}

static quire_status read_artifact(struct search_index *x,
                                  const struct source *source,
                                  const struct place *place,
                                  struct segment_text *out, struct arena *keep,
                                  quire_error *err)
{
    bool older = place->meta & PLACE_OLDER;
    quire_bytes texts[N_FIELDS] = {{NULL, 0}};
    struct quire *q = x->q;
    quire_artifact a;
    quire_status st = need_artifacts(q, false, err);

    if (!st)
        st = artifact_by_id(q->artifacts, q->tenant,
                            strtoll(source->key, NULL, 10), keep, &a, err);
    if (!st && a.deleted_us)
        return QUIRE_NOT_FOUND;
    if (!st && older)
        st = artifact_version(q->artifacts, q->tenant, (int64_t)place->offset,
                              keep, &a, err);
    if (st)
        return st;
    fields_of_artifact(&a, texts);
    st = copy_fields(texts, keep, out, err);
    if (!st)
        st = read_content(x, &a.digest, mime_is_text(a.mime), err);
    out->fields[FIELD_BODY] = buf_bytes(&x->text);
    return st;
}

quire_status search_read_row(struct search_index *x,
                             const struct source *source,
                             const struct place *place,
                             struct segment_text *out, struct arena *keep,
                             quire_error *err)
{
    quire_bytes texts[N_FIELDS] = {{NULL, 0}};
    struct prompt_copy copy = {keep, out};
    int64_t id = strtoll(source->key, NULL, 10);
    quire_memory m;
    quire_status st;

    if (source->kind == SOURCE_ARTIFACT)
        return read_artifact(x, source, place, out, keep, err);
    if (source->kind == SOURCE_HISTORY) {
        st = need_history(x->q, false, err);
        if (!st)
            st = x->q->history
                     ? history_get(x->q->history, id, copy_prompt, &copy, err)
                     : QUIRE_NOT_FOUND;
        return st;
    }
    st = need_memory(x->q, false, err);
    if (!st)
        st = memory_any(x->q->memories, x->q->tenant, id, keep, &m, err);
    if (st)
        return st;
    fields_of_memory(&m, texts);
    return copy_fields(texts, keep, out, err);
}
