/*
 * gc.c - decide which blobs to remove; mark.c finds references, sweep.c removes
 *
 * In `packed` a run judges the rows added since the last run, those with a key
 * that lost its last reference, and those recorded as unreferenced: every other
 * blob was referenced when it was last judged, and still is. Stores of files
 * have no such order, and all names are visited.
 */
#include "gc/gc.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "gc/priv.h"

/* Records written in one transaction. */
enum { NOTES_AT_ONCE = 512 };

/* Files without a row come from crashes: they are searched for once in so many
 * seconds. */
enum { STRAYS_EVERY_S = 86400 };

struct judging {
    struct gc *g;
    struct gc_candidate *list; /* owned */
    size_t n, cap;
    struct gc_candidate
        *recorded; /* owned; recorded as unreferenced, ascending */
    size_t n_recorded, recorded_cap;
    uint64_t total;  /* number of blobs */
    uint64_t strays; /* … files without rows in `packed`                     */
    int64_t last;    /* the last row that was judged */
};

static bool grow_list(struct gc_candidate **list, size_t n, size_t *cap)
{
    struct gc_candidate *more;

    if (n < *cap)
        return true;
    *cap = *cap ? *cap * 2 : 256;
    more = realloc(*list, *cap * sizeof *more);
    if (more)
        *list = more;
    return more != NULL;
}

static int compare_digests(const void *a, const void *b)
{
    const struct gc_candidate *x = a, *y = b;

    return memcmp(&x->digest, &y->digest, sizeof x->digest);
}

/* ---- judging ------------------------------------------------------------ */

static quire_status load_unreferenced(void *ctx, const quire_digest *d,
                                      int64_t since_s, quire_error *err)
{
    struct judging *j = ctx;

    if (!grow_list(&j->recorded, j->n_recorded, &j->recorded_cap))
        return err_memory(err);
    j->recorded[j->n_recorded++] = (struct gc_candidate){.digest = *d,
                                                         .since_s = since_s};
    return QUIRE_OK;
}

/* Add it as a candidate, unless it is referenced. */
static quire_status judge_blob(struct judging *j, const struct gc_candidate *c,
                               quire_error *err)
{
    bool held;
    quire_status st = gc_is_referenced(j->g, key_of(&c->digest), &held, err);

    if (st || held)
        return st;
    if (!grow_list(&j->list, j->n, &j->cap))
        return err_memory(err);
    j->list[j->n++] = *c;
    return QUIRE_OK;
}

static quire_status judge_row(void *ctx, const quire_digest *d,
                              quire_error *err)
{
    struct gc_candidate c = {.digest = *d, .has_row = true};

    return judge_blob(ctx, &c, err);
}

static quire_status judge_counted(void *ctx, const quire_digest *d,
                                  quire_error *err)
{
    ((struct judging *)ctx)->total++;
    return judge_row(ctx, d, err);
}

static quire_status judge_file(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct judging *j = ctx;
    struct blobs *b = j->g->b;
    struct gc_candidate c = {.seen_s = info->modified_s,
                             .stored = info->size,
                             .in_file = true};
    quire_status st = QUIRE_NOT_FOUND;
    struct blob_location p;

    if (!layout_parse(b->c.layout, name, &c.digest))
        return QUIRE_OK;
    if (b->rows)
        st = blob_table_find(b->rows, &c.digest, 0, &p, err);
    if (st != QUIRE_NOT_FOUND)
        return st; /* its row was judged */
    if (b->rows)
        j->strays++;
    else
        j->total++;
    return judge_blob(j, &c, err);
}

static quire_status judge_files(struct judging *j, quire_error *err)
{
    struct object_store *files = j->g->b->c.files;

    return object_list(files, "", judge_file, j, err);
}

static quire_status judge_some_rows(struct judging *j, int64_t since,
                                    quire_error *err)
{
    struct gc *g = j->g;
    struct blob_table *rows = g->b->rows;
    quire_status st = blob_table_names_since(rows, since, judge_counted, j,
                                             err);
    size_t i;

    for (i = 0; !st && i < g->loose.n; i++) {
        quire_digest from, to;

        key_bounds(g->loose.list[i].key, &from, &to);
        st = blob_table_names(rows, &from, &to, judge_row, j, err);
    }
    return st;
}

/* A file without a row may be among them, and is checked once a day. */
static quire_status judge_recorded(struct judging *j, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; !st && i < j->n_recorded; i++)
        st = judge_row(j, &j->recorded[i].digest, err);
    return st;
}

static quire_status judge_rows(struct judging *j, quire_error *err)
{
    static const quire_digest first;
    struct gc *g = j->g;
    int64_t since = 0, blobs = 0, strays = 0;
    quire_digest last;
    quire_status st = blob_table_last(g->b->rows, &j->last, err);

    if (!st && g->l)
        st = ref_index_get_number(g->l, REF_INDEX_LAST, &since, err);
    if (!st && g->l)
        st = ref_index_get_number(g->l, REF_INDEX_BLOBS, &blobs, err);
    if (!st && g->l)
        st = ref_index_get_number(g->l, REF_INDEX_STRAYS, &strays, err);
    if (st)
        return st;
    if (g->all || g->config->full || since == 0 || since > j->last) {
        memset(last.byte, 0xff, sizeof last.byte);
        st = blob_table_names(g->b->rows, &first, &last, judge_counted, j, err);
    } else {
        j->total = (uint64_t)blobs;
        st = judge_some_rows(j, since, err);
    }
    if (!st)
        st = judge_recorded(j, err);
    g->strays = g->config->full || g->now_s - strays >= STRAYS_EVERY_S;
    return st || !g->strays ? st : judge_files(j, err);
}

/* ---- candidates --------------------------------------------------------- */

/* Deduplicate, and add the recorded times. */
static void join_records(struct judging *j)
{
    size_t i, n = 0, at = 0;

    if (j->n)
        qsort(j->list, j->n, sizeof *j->list, compare_digests);
    for (i = 0; i < j->n; i++) {
        struct gc_candidate *c = &j->list[i];

        if (n > 0 && !compare_digests(c, &j->list[n - 1]))
            continue;
        while (at < j->n_recorded && compare_digests(&j->recorded[at], c) < 0)
            at++;
        if (at < j->n_recorded && !compare_digests(&j->recorded[at], c)) {
            c->recorded = true;
            c->since_s = j->recorded[at].since_s;
        }
        j->list[n++] = *c;
    }
    j->n = n;
}

/* The grace time of a dereferenced blob runs from when it lost its last
 * reference. */
static quire_status describe_candidate(struct judging *j,
                                       struct gc_candidate *c, quire_error *err)
{
    struct gc *g = j->g;
    struct blob_location p;
    quire_status st = QUIRE_OK;

    if (c->has_row) {
        st = blob_find(g->b, &c->digest, &p, err);
        c->absent = st == QUIRE_NOT_FOUND;
        if (st)
            return c->absent ? QUIRE_OK : st;
        c->has_row = p.has_row;
        c->in_file = p.where == IN_FILE;
        c->seen_s = p.seen_s;
        c->stored = p.stored;
    }
    if (!c->recorded &&
        !gc_dereferenced_since(&g->loose, key_of(&c->digest), &c->since_s))
        c->since_s = c->seen_s;
    return QUIRE_OK;
}

static bool is_due(const struct gc *g, const struct gc_candidate *c)
{
    int64_t last = c->seen_s > c->since_s ? c->seen_s : c->since_s;

    return !c->absent && (c->recorded || g->config->grace_s == 0) &&
           g->now_s - last >= g->config->grace_s;
}

static quire_status judge_all(struct judging *j, quire_error *err)
{
    struct gc *g = j->g;
    quire_status st = QUIRE_OK;
    size_t i;

    if (g->l)
        st = ref_index_unreferenced(g->l, load_unreferenced, j, err);
    if (!st)
        st = g->b->rows ? judge_rows(j, err) : judge_files(j, err);
    if (st)
        return st;
    join_records(j);
    for (i = 0; !st && i < j->n; i++)
        st = describe_candidate(j, &j->list[i], err);
    return st;
}

/* ---- records ------------------------------------------------------------ */

/* From *at on, a few at a time: other writers must not wait for long. */
static quire_status record_some(struct judging *j, size_t *at, quire_error *err)
{
    struct gc *g = j->g;
    struct db *db = ref_index_db(g->l);
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    size_t to = *at + NOTES_AT_ONCE;

    if (st)
        return st;
    for (; !st && *at < j->n && *at < to; ++*at) {
        const struct gc_candidate *c = &j->list[*at];

        if (!c->recorded && !c->absent)
            st = ref_index_mark_unreferenced(g->l, &c->digest, c->since_s, err);
    }
    return gc_end(g, st, err);
}

static const struct gc_candidate *find_candidate(const struct judging *j,
                                                 const struct gc_candidate *c)
{
    return j->n ? bsearch(c, j->list, j->n, sizeof *c, compare_digests) : NULL;
}

/* Drop the record of blobs that are referenced again, or gone. */
static quire_status unrecord_some(struct judging *j, size_t *at,
                                  quire_error *err)
{
    struct gc *g = j->g;
    struct db *db = ref_index_db(g->l);
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    size_t to = *at + NOTES_AT_ONCE;

    if (st)
        return st;
    for (; !st && *at < j->n_recorded && *at < to; ++*at) {
        const struct gc_candidate *c = find_candidate(j, &j->recorded[*at]);

        if (!c || c->absent)
            st = ref_index_unmark(g->l, &j->recorded[*at].digest, err);
    }
    return gc_end(g, st, err);
}

static quire_status record_numbers(struct judging *j, quire_error *err)
{
    struct gc *g = j->g;
    struct db *db = ref_index_db(g->l);
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = ref_index_set_number(g->l, REF_INDEX_LAST, j->last, err);
    if (!st)
        st = ref_index_set_number(g->l, REF_INDEX_BLOBS, (int64_t)j->total,
                                  err);
    if (!st && g->strays)
        st = ref_index_set_number(g->l, REF_INDEX_STRAYS, g->now_s, err);
    if (!st)
        st = ref_index_clear_dereferenced(g->l, err);
    return gc_end(g, st, err);
}

static quire_status write_records(struct judging *j, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t at = 0;

    if (j->g->config->dry_run)
        return QUIRE_OK;
    while (!st && at < j->n)
        st = record_some(j, &at, err);
    for (at = 0; !st && at < j->n_recorded;)
        st = unrecord_some(j, &at, err);
    return st ? st : record_numbers(j, err);
}

/* ---- one run ------------------------------------------------------------ */

static uint64_t count_due(const struct judging *j, uint64_t *bytes)
{
    uint64_t n = 0;
    size_t i;

    *bytes = 0;
    for (i = 0; i < j->n; i++) {
        if (is_due(j->g, &j->list[i])) {
            n++;
            *bytes += j->list[i].stored;
        }
    }
    return n;
}

static void report_judged(struct judging *j)
{
    struct gc_report *r = j->g->report;
    uint64_t unheld = 0;
    size_t i;

    for (i = 0; i < j->n; i++) {
        unheld += !j->list[i].absent;
        r->marked += !j->list[i].absent && !j->list[i].recorded;
    }
    r->scanned = j->total + j->strays;
    if (r->scanned < unheld) /* a count left behind by a crash */
        r->scanned = unheld;
    r->referenced = r->scanned - unheld;
    r->waiting = unheld;
}

static void select_due(struct judging *j)
{
    size_t i, n = 0;

    for (i = 0; i < j->n; i++)
        if (is_due(j->g, &j->list[i]))
            j->list[n++] = j->list[i];
    j->n = n;
}

static quire_status report_dry_run(struct judging *j, quire_error *err)
{
    const struct gc_config *c = j->g->config;
    quire_status st = QUIRE_OK;
    size_t i;

    j->g->report->removed = count_due(j, &j->g->report->bytes_freed);
    for (i = 0; !st && c->each && i < j->n; i++)
        if (is_due(j->g, &j->list[i]))
            st = c->each(c->each_ctx, &j->list[i].digest, err);
    return st;
}

static quire_status collect_garbage(struct gc *g, struct judging *j,
                                    quire_error *err)
{
    uint64_t due, bytes;
    quire_status st = judge_all(j, err);

    if (!st)
        st = write_records(j, err);
    if (st)
        return st;
    report_judged(j);
    g->report->strays = g->strays || !g->b->rows;
    due = count_due(j, &bytes);
    g->report->refused = due * 2 > g->report->scanned && !g->config->yes &&
                         !(g->config->empty && g->report->sources == 0);
    if (g->config->dry_run) {
        st = report_dry_run(j, err);
    } else if (due > 0 && !g->report->refused) {
        select_due(j);
        st = gc_sweep(g, j->list, j->n, err);
    }
    g->report->waiting -= g->report->removed;
    return st;
}

/* Rebuild counts that a crash left wrong; a dry run works without them. */
static quire_status recover_counts(struct gc *g, quire_error *err)
{
    int64_t dirty = 0;
    quire_status st = QUIRE_OK;

    if (g->l)
        st = ref_index_get_number(g->l, REF_INDEX_DIRTY, &dirty, err);
    if (st)
        return st;
    g->blind = g->config->dry_run && (dirty || g->config->full);
    if (!dirty || g->config->full)
        return QUIRE_OK; /* a full run rebuilds them anyway */
    g->all = true;
    return g->blind ? QUIRE_OK : ref_counts_rebuild(g->l, err);
}

quire_status gc_run(struct blobs *b, struct ref_index *l,
                    const struct gc_config *config, struct gc_report *report,
                    quire_error *err)
{
    struct gc g = {.b = b, .l = l, .config = config, .report = report};
    struct judging j = {.g = &g};
    quire_status st;

    *report = (struct gc_report){0};
    g.now_s = clock_s(b->c.clock);
    g.anew = config->full;
    st = recover_counts(&g, err);
    if (!st)
        st = gc_load(&g, err);
    if (!st && l)
        st = ref_index_dereferenced(l, gc_dereferenced_add, &g.loose, err);
    if (!st)
        st = gc_mark(&g, err);
    if (!st)
        st = collect_garbage(&g, &j, err);
    gc_unload(&g);
    digest_set_release(&g.come);
    digest_set_release(&g.gone);
    gc_dereferenced_release(&g.loose);
    free(j.list);
    free(j.recorded);
    return st;
}
