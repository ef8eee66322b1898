/*
 * check.c - verify a store: its rows, its files, and what should not be there
 *
 * verify.c checks one blob after the other, verify_parallel.c on several threads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "blob/verify.h"

/* Report a foreign file among the blobs. quire.db may be there in a store
 * without a home. */
static quire_status report_foreign(const struct check_names *n,
                                   const char *name, quire_error *err)
{
    quire_problem problem = {.kind = "stray", .where = name};

    if (!n->hooks || !strncmp(name, "quire.db", 8))
        return QUIRE_OK;
    snprintf(problem.what, sizeof problem.what,
             "a file among the blobs that has no name of a blob");
    snprintf(problem.next, sizeof problem.next,
             "quire does not read it; move it elsewhere if it is yours");
    return n->hooks->problem(n->hooks->ctx, &problem, err);
}

/* Collect the names of files, which arrive in ascending order. */
static quire_status add_name(void *ctx, const char *name,
                             const struct object_info *info, quire_error *err)
{
    struct check_names *n = ctx;
    quire_digest *list, d;

    if (!layout_parse(n->layout, name, &d))
        return report_foreign(n, name, err);
    if (n->n == n->cap) {
        n->cap = n->cap ? 2 * n->cap : 256;
        list = realloc(n->list, n->cap * sizeof *list);
        if (!list)
            return err_memory(err);
        n->list = list;
    }
    n->list[n->n++] = d;
    n->bytes += info->size;
    return QUIRE_OK;
}

/* Rows without a valid digest belong to no blob that could be checked. */
static quire_status check_odd_rows(struct blobs *b,
                                   const quire_check_hooks *hooks,
                                   quire_error *err)
{
    quire_problem problem = {.kind = damage_name(DAMAGE_ROW),
                             .where = "quire.db"};
    uint64_t n = 0;
    quire_status st = blob_table_count(b->rows, true, &n, err);

    if (st || n == 0)
        return st;
    snprintf(problem.what, sizeof problem.what,
             "%llu rows of the table blob have no digest",
             (unsigned long long)n);
    snprintf(
        problem.next, sizeof problem.next,
        "keep a copy of quire.db; their content is lost unless it is stored "
        "again");
    return hooks->problem(hooks->ctx, &problem, err);
}

/* Some files without rows are left by crashes. Files without any rows mean that
 * the database was lost, and the small blobs with it. */
static quire_status report_lost_rows(const quire_check_hooks *hooks,
                                     uint64_t strays, quire_error *err)
{
    quire_problem problem = {.kind = damage_name(DAMAGE_ROW),
                             .where = "quire.db"};

    snprintf(
        problem.what, sizeof problem.what,
        "there are %llu blob files, and quire.db has no row for any of them: it "
        "may have been lost",
        (unsigned long long)strays);
    snprintf(problem.next, sizeof problem.next,
             "restore quire.db from a copy; `quire repair` adds rows for "
             "the existing files");
    return hooks->problem(hooks->ctx, &problem, err);
}

quire_status blob_check_all(struct blobs *b, unsigned flags,
                            const struct blob_workers *workers,
                            const quire_check_hooks *hooks, quire_error *err)
{
    struct object_store *files = b->c.files;
    struct check_names names = {.layout = b->c.layout};
    bool packed = b->c.layout == QUIRE_LAYOUT_PACKED;
    uint64_t rows = 0, bytes = 0, strays = 0;
    int64_t last = 0;
    struct verify_caller c;
    quire_status st = QUIRE_OK;

    if (b->rows)
        st = blob_table_weigh(b->rows, &rows, &bytes, err);
    if (!st && b->rows)
        st = blob_table_last(b->rows, &last, err);
    if (b->rows && flags & BLOB_CHECK_STRAYS)
        names.hooks = hooks;
    if (!st)
        st = object_list(files, "", add_name, &names, err);
    verify_caller_init(&c, b, flags, workers, hooks);
    c.total = packed ? rows : names.n;
    if (!st && b->rows)
        st = verify_rows_parallel(&c, rows, bytes, last, err);
    if (!st && b->rows)
        st = check_odd_rows(b, hooks, err);
    if (!st)
        st = verify_files_parallel(&c, &names, &strays, err);
    if (!st && packed && rows == 0 && strays)
        st = report_lost_rows(hooks, strays, err);
    free(names.list);
    return st;
}

quire_status blob_check(struct blob_view v, const quire_digest *only,
                        const quire_check_hooks *hooks, quire_error *err)
{
    struct blobs *b = v.store;
    struct verify_caller workers;
    struct verify_callbacks callbacks;
    struct verify c;
    struct blob_location p;
    quire_status st;

    if (!only)
        return blob_check_all(b, 0, NULL, hooks, err);
    verify_caller_init(&workers, b, 0, NULL, hooks);
    workers.total = 1;
    callbacks = verify_caller_callbacks(&workers);
    verify_init(&c, b, 0, &callbacks);
    st = blob_find_for_tenant(v, only, &p, err);
    if (!st)
        st = verify_one(&c, only, &p, err);
    if (!st)
        st = verify_finish(&c, err);
    verify_release(&c);
    return st;
}
