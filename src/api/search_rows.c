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

#include "api/core/cluster.h"
#include "api/search_row.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "catalog/change_log.h"
#include "memory/history.h"
#include "memory/memory.h"

/* A row to be indexed, or that is gone: what is indexed is loaded then. */
struct changed_row {
    int64_t id, updated_us;
};

enum row_mode { ROWS_SAME, ROWS_SOME, ROWS_ALL };

/* The rows of one kind. */
struct row_update {
    struct search_index *x;
    struct engine *to;
    enum source_kind kind;
    enum row_mode mode; /* which rows may have changed */
    struct buf ids;     /* int64_t: ROWS_SOME of artifacts and memory */
    struct buf rows;    /* struct changed_row */
    size_t n_new;       /* of those: keys that the index does not have */
    int64_t since_s;    /* ROWS_SOME of prompts: from this time on */
    uint64_t n_known;   /* prompts in the index */
    uint64_t bytes;     /* of their texts */
    struct buf seen;    /* uint32_t: sources that stay, of ROWS_ALL */
};

/* All kinds. */
struct rows_update {
    struct search_index *x;
    struct row_update kinds[N_SOURCE_KINDS];
    struct change_mark change; /* the last one that the index will have */
    bool has_log;
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
static const char mark_change[] = "change", mark_change_at[] = "change_at",
                  mark_home[] = "home", mark_prompts[] = "prompts",
                  mark_prompt_at[] = "prompt_at",
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
    x->rows_damaged |= st == QUIRE_DAMAGED;
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    *has = !st && q->catalog.db && q->catalog.schema >= SCHEMA_ARTIFACTS;
    return st;
}

/* *known.seq is one more than the number: 0 is none. */
static quire_status read_change(struct rows_update *all,
                                struct change_mark *known, quire_error *err)
{
    int64_t home = 0;
    quire_status st = read_mark(all->x, mark_home, &home, err);

    *known = (struct change_mark){.seq = 0};
    if (st || home != all->home)
        return st;
    st = read_mark(all->x, mark_change, &known->seq, err);
    return st ? st : read_mark(all->x, mark_change_at, &known->at_us, err);
}

static quire_status find_changes(struct rows_update *all, quire_error *err)
{
    struct quire *q = all->x->q;
    struct change_mark known = {.seq = 0};
    bool whole = false;
    quire_status st = open_catalog(all->x, &all->has_log, err);

    if (st || !all->has_log)
        return st;
    /* A reader of an older home: it has no log. */
    if (q->catalog.schema < SCHEMA_CHANGE_LOG) {
        compare_all_rows(all);
        all->has_log = false;
        return QUIRE_OK;
    }
    all->home = q->cluster ? cluster_identity(q->cluster)
                           : fs_identity(q->db_path);
    st = read_change(all, &known, err);
    if (!st && known.seq > 0) {
        known.seq--;
        st = change_log_read(&q->catalog, q->tenant, known, note_change, all,
                             &all->change, &whole, err);
    }
    if (st || whole)
        return st;
    compare_all_rows(all);
    return change_log_last(&q->catalog, q->tenant, &all->change, err);
}

static quire_status compare_history(struct rows_update *all, quire_error *err)
{
    struct row_update *u = &all->kinds[SOURCE_HISTORY];
    struct history_state known = {0}, *now = &all->history;
    struct quire *q = all->x->q;
    quire_status st = need_history(q, false, err);

    all->x->rows_damaged |= st == QUIRE_DAMAGED;
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

/* The key of a row in the index. */
struct row_key {
    char text[24];
};

static struct row_key key_of(int64_t id)
{
    struct row_key key;

    snprintf(key.text, sizeof key.text, "%lld", (long long)id);
    return key;
}

/* Whether an engine has the row as it is; then its source stays. *exists: it has it, as
 * it is or was. */
static quire_status is_known(struct row_update *u,
                             const struct search_row_info *r, bool *known,
                             bool *exists, quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {u->x->pending, u->x->home};
    struct row_key key = key_of(r->id);
    struct arena tmp = ARENA_INIT;
    struct source s;
    quire_status st = QUIRE_OK;
    int i;

    *known = *exists = false;
    for (i = 0; i < SEARCH_ENGINES && !st && !*known; i++) {
        bool live;

        if (!list[i])
            continue;
        st = engine_find_source(list[i], u->kind, key.text, &tmp, &s, err);
        live = !st && engine_is_live(list[i], s.number);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
        *exists |= live;
        if (live && s.mtime_ns == r->stamp) {
            *known = true;
            buf_add(&u->seen, &s.number, sizeof s.number);
        }
    }
    arena_release(&tmp);
    return u->seen.failed ? err_memory(err) : st;
}

static quire_status add_row(struct row_update *u, int64_t id,
                            int64_t updated_us, uint64_t bytes,
                            quire_error *err)
{
    struct changed_row row = {id, updated_us};

    buf_add(&u->rows, &row, sizeof row);
    u->bytes += bytes;
    return u->rows.failed ? err_memory(err) : QUIRE_OK;
}

static quire_status compare_row(void *ctx, const struct search_row_info *r,
                                quire_error *err)
{
    struct row_update *u = ctx;
    bool known, exists;
    quire_status st = is_known(u, r, &known, &exists, err);

    if (st || known)
        return st;
    u->n_new += !exists;
    return add_row(u, r->id, r->updated_us, r->bytes, err);
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static quire_status list_one(struct row_update *u, int64_t id,
                             struct arena *tmp, quire_error *err)
{
    struct search_row row = {.info = {.id = id}};
    quire_status st = search_row_load(u->x->q, u->kind, id, tmp, &row, err);

    return !st || st == QUIRE_NOT_FOUND
               ? add_row(u, id, row.info.updated_us, row.info.bytes, err)
               : st;
}

/* The rows that the log names, each once. */
static quire_status list_some(struct row_update *u, quire_error *err)
{
    int64_t *ids = (int64_t *)(void *)u->ids.data;
    size_t n = u->ids.len / sizeof *ids, i;
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;

    qsort(ids, n, sizeof *ids, by_id);
    for (i = 0; i < n && !st; i++) {
        arena_reset(&tmp);
        if (i == 0 || ids[i] != ids[i - 1])
            st = list_one(u, ids[i], &tmp, err);
    }
    arena_release(&tmp);
    return st;
}

static void forget_rows(struct row_update *u)
{
    u->n_new = 0;
    u->bytes = 0;
    buf_clear(&u->rows);
    buf_clear(&u->seen);
}

static quire_status list_rows(struct row_update *u, uint64_t n_prompts,
                              quire_error *err)
{
    struct quire *q = u->x->q;
    int64_t since_s = u->mode == ROWS_SOME ? u->since_s : 0;
    quire_status st;

    if (u->mode == ROWS_SOME && u->kind != SOURCE_HISTORY)
        return list_some(u, err);
    st = search_row_list(q, u->kind, since_s, compare_row, u, err);
    if (st || u->mode == ROWS_ALL || n_prompts == u->n_known + u->n_new)
        return st;
    /* Prompts were removed. */
    u->mode = ROWS_ALL;
    forget_rows(u);
    return search_row_list(q, u->kind, 0, compare_row, u, err);
}

/* ---- indexing ------------------------------------------------------------------------- */

/* Hits of a session have a number in common; a row without one is alone. */
static uint32_t group_of(const struct row_update *u, const struct search_row *r)
{
    char name[40];

    if (*r->session)
        return search_group(r->session);
    snprintf(name, sizeof name, "%d/%lld", (int)u->kind, (long long)r->info.id);
    return search_group(name);
}

/* The place of a row has its id, that of an older version the version. */
static quire_status add_text(struct row_update *u, const struct search_row *r,
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
                          .time_us = r->info.updated_us,
                          .group = group_of(u, r)};

    memcpy(text.fields, r->texts, sizeof text.fields);
    if (u->kind == SOURCE_ARTIFACT)
        text.fields[FIELD_BODY] = buf_bytes(&u->x->text);
    place.meta = (uint16_t)((unsigned)kinds[u->kind] | role << PLACE_KIND_BITS |
                            (older || r->older ? PLACE_OLDER : 0u) |
                            search_text_flags(text.fields[FIELD_BODY]));
    return engine_add(u->to, &text, &place, bytes_of("", 0), bytes_of("", 0),
                      err);
}

/* The older versions of an artifact. */
struct versions {
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

static quire_status add_versions(struct row_update *u,
                                 const struct search_row *r,
                                 const struct source *s, quire_error *err)
{
    struct versions k = {r->version, BUF_INIT(SIZE_MAX)};
    const quire_artifact *list;
    quire_artifact one = {.id = r->info.id};
    struct quire *q = u->x->q;
    quire_status st = r->version > 1
                          ? artifact_versions(q->artifacts, q->tenant, &one,
                                              list_version, &k, err)
                          : QUIRE_OK;
    size_t i;

    list = (const quire_artifact *)(const void *)k.list.data;
    for (i = 0; i < k.list.len / sizeof *list && !st; i++) {
        struct search_row older = *r;

        older.info.updated_us = list[i].updated_us;
        st = search_row_content(u->x, &list[i].digest, r->is_text, err);
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

static quire_status index_loaded(struct row_update *u,
                                 const struct search_row *r, const char *key,
                                 quire_error *err)
{
    struct source s = {.kind = u->kind,
                       .key = key,
                       .session = r->session,
                       .title = r->title,
                       .project = r->project,
                       .agent = "",
                       .tags = r->tags,
                       .created_us = r->created_us,
                       .modified_us = r->info.updated_us,
                       .mtime_ns = r->info.stamp,
                       .size = (uint64_t)r->version};
    quire_status st = engine_put_source(u->to, &s, err);

    if (!st)
        buf_add(&u->seen, &s.number, sizeof s.number);
    if (!st && u->kind == SOURCE_ARTIFACT)
        st = search_row_content(u->x, &r->digest, r->is_text, err);
    if (!st)
        st = add_text(u, r, &s, false, r->info.id, err);
    if (!st && u->kind == SOURCE_ARTIFACT)
        st = add_versions(u, r, &s, err);
    return !st && u->seen.failed ? err_memory(err) : st;
}

static quire_status index_row(struct row_update *u, int64_t id,
                              struct arena *tmp, quire_error *err)
{
    struct row_key key = key_of(id);
    struct search_row row = {.info = {.id = id}};
    quire_status st = drop_row(u, key.text, err);

    if (!st)
        st = search_row_load(u->x->q, u->kind, id, tmp, &row, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    return st ? st : index_loaded(u, &row, key.text, err);
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

/* ---- the log ------------------------------------------------------------------------------ */

void search_trim_changes(struct quire *q)
{
    if (!q->read_only && q->kind == QUIRE_KIND_NATIVE &&
        catalog_has(&q->catalog, SCHEMA_CHANGE_LOG) && !q->in_transaction)
        change_log_trim(&q->catalog, q->tenant, NULL);
}

/* ---- updates ------------------------------------------------------------------------------ */

static void release_rows(struct rows_update *all)
{
    int kind;

    for (kind = SOURCE_ARTIFACT; kind <= SOURCE_HISTORY; kind++) {
        buf_release(&all->kinds[kind].rows);
        buf_release(&all->kinds[kind].seen);
        buf_release(&all->kinds[kind].ids);
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
        u->rows = (struct buf)BUF_INIT(SIZE_MAX);
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
    const struct changed_row *x = a, *y = b;

    if (x->updated_us != y->updated_us)
        return x->updated_us > y->updated_us ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static quire_status apply_kind(struct row_update *u, quire_error *err)
{
    struct changed_row *rows = (struct changed_row *)(void *)u->rows.data;
    size_t n = u->rows.len / sizeof *rows, i;
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;

    if (n > 1)
        qsort(rows, n, sizeof *rows, by_time);
    for (i = 0; i < n && !st; i++) {
        arena_reset(&tmp);
        st = index_row(u, rows[i].id, &tmp, err);
        if (!st && engine_is_full(u->to))
            st = engine_flush(u->to, err);
    }
    arena_release(&tmp);
    return st || u->mode != ROWS_ALL ? st : drop_gone(u, err);
}

static quire_status set_marks(const struct rows_update *all, struct engine *to,
                              quire_error *err)
{
    int64_t seq = all->has_log ? all->change.seq + 1 : 0;
    quire_status st = engine_set_mark(to, mark_change, seq, err);

    if (!st)
        st = engine_set_mark(to, mark_change_at, all->change.at_us, err);
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
    quire_status st;
    bool changed;

    x->rows_damaged = false;
    st = find_rows(&all, err);
    changed = all.changed;

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
