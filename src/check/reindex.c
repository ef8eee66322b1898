/*
 * reindex.c - rebuild derived data
 *
 *     sessions    session_rows and lists, from the files
 *     counters    from rows
 *     search      of the handle's tenant; another's next search builds it
 *     references  to blobs, from files and rows, by the next collection
 *
 * Each in a transaction of its own: a concurrent reader sees the old or the
 * new.
 */
#include "check/reindex.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "store/sqlite_ddl.h"
#include "base/fs.h"
#include "gc/ref_index.h"
#include "memory/memory.h"
#include "api/search.h"
#include "api/session.h"

/* ---- sessions ----------------------------------------------------------- */

/* Forget the lists and session_rows of a tenant. */
static quire_status clear_sessions(struct quire *q, int64_t tenant,
                                   quire_error *err)
{
    static const char *const roots[] = {"sessions", "archive/sessions"};
    char sql[160], root[80];
    quire_status st;
    int i;

    snprintf(sql, sizeof sql,
             "DELETE FROM tally WHERE session IN (SELECT id FROM session WHERE"
             " tenant = %" PRId64 ")",
             tenant);
    st = db_exec(q->catalog.db, sql, err);
    for (i = 0; i < 2 && !st; i++) {
        if (tenant == TENANT_DEFAULT)
            snprintf(root, sizeof root, "%s", roots[i]);
        else
            snprintf(root, sizeof root, "tenants/%" PRId64 "/%s", tenant,
                     roots[i]);
        st = list_cache_forget(q->catalog.db, root, err);
    }
    return st;
}

static quire_status skip_problem(void *ctx, const quire_session_row *row,
                                 quire_error *err)
{
    (void)ctx;
    (void)row;
    (void)err;
    return QUIRE_OK;
}

/* To list them is to count and remember them. */
static quire_status list_sessions(struct quire *q, quire_error *err)
{
    quire_row_options o = QUIRE_ROW_OPTIONS_INIT;
    quire_status st = quire_session_rows(q, &o, skip_problem, NULL, err);

    o.archived = 1;
    return st ? st : quire_session_rows(q, &o, skip_problem, NULL, err);
}

/* Another tenant's, by a handle of its own. One that is shut out is counted
 * when it comes back. */
static quire_status list_tenant_sessions(struct quire *q, int64_t tenant,
                                         quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char name[32];
    quire *theirs = NULL;
    quire_status st;

    snprintf(name, sizeof name, "#%" PRId64, tenant);
    o.home = q->home;
    o.kind = q->kind;
    o.tenant = name;
    o.busy_ms = q->busy_ms;
    st = quire_open(&o, &theirs, err);
    if (st == QUIRE_INVALID || st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (!st)
        st = list_sessions(theirs, err);
    quire_close(theirs);
    return st;
}

quire_status reindex_sessions(struct quire *q, int64_t tenant, quire_error *err)
{
    struct db *db = q->catalog.db;
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = clear_sessions(q, tenant, err);
    if (st) {
        db_rollback(db);
        return st;
    }
    st = db_commit(db, err);
    if (st)
        return st;
    return tenant == q->tenant ? list_sessions(q, err)
                               : list_tenant_sessions(q, tenant, err);
}

/* ---- counters ----------------------------------------------------------- */

static quire_status count_pads(struct quire *q, quire_error *err)
{
    static const char sql[] =
        "UPDATE pad SET used = (SELECT coalesce(sum(" SQL_BYTES_OF(
            "text") "), 0) FROM pad_block WHERE pad = pad.id) WHERE used <> (SELECT"
                    " coalesce(sum(" SQL_BYTES_OF(
                        "text") "), 0) FROM pad_block WHERE"
                                " pad = pad.id)";
    struct db *db = q->catalog.db;
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = db_exec(db, sql, err);
    return sql_end(db, st, err);
}

quire_status reindex_counters(struct quire *q, quire_error *err)
{
    uint64_t wrong;
    quire_status st = catalog_recount(&q->catalog, &wrong, err);

    return st ? st : count_pads(q, err);
}

/* ---- search ------------------------------------------------------------- */

quire_status replace_search(struct quire *q, int64_t tenant, quire_error *err)
{
    char name[64] = "search";
    quire_status st;
    int dir, i;

    for (i = 0; tenant == q->tenant && i < N_SEARCH_PARTS; i++) {
        search_index_close(q->search[i]);
        q->search[i] = NULL;
    }
    if (tenant != TENANT_DEFAULT)
        snprintf(name, sizeof name, "tenants/%" PRId64 "/search", tenant);
    st = fs_open_dir(q->home, false, &dir, err);
    if (st)
        return st;
    if (fs_remove_tree(dir, name) != 0 && errno != ENOENT)
        st = err_sys(err, errno, "cannot remove %s/%s", q->home, name);
    close(dir);
    return st || tenant != q->tenant ? st : quire_search_rebuild(q, err);
}

/* One that cannot be cleared is replaced. */
static quire_status reindex_search(struct quire *q, int64_t tenant,
                                   quire_error *err)
{
    quire_status st = QUIRE_DAMAGED;

    if (tenant == q->tenant)
        st = quire_search_rebuild(q, err);
    return st == QUIRE_DAMAGED && q->kind == QUIRE_KIND_NATIVE
               ? replace_search(q, tenant, err)
               : st;
}

/* ---- references --------------------------------------------------------- */

/* What refers to which blob is forgotten: the next collection finds it again. */
static quire_status derived_references(struct quire *q, quire_error *err)
{
    struct db *state;
    quire_status st = need_ref_index_db(q, true, &state, err);

    return st ? st : ref_index_clear(state, err);
}

/* ---- all of it ---------------------------------------------------------- */

struct ids {
    int64_t *list; /* owned */
    size_t n;
};

static quire_status add_id(void *ctx, const quire_tenant *t, quire_error *err)
{
    struct ids *ids = ctx;
    int64_t *list = realloc(ids->list, (ids->n + 1) * sizeof *list);

    if (!list)
        return err_memory(err);
    ids->list = list;
    ids->list[ids->n++] = t->id;
    return QUIRE_OK;
}

static quire_status rebuild_tenant(struct quire *q, int64_t tenant,
                                   quire_error *err)
{
    quire_status st = reindex_sessions(q, tenant, err);

    return st ? st : reindex_search(q, tenant, err);
}

quire_status quire_reindex(quire *q, quire_error *err)
{
    struct ids ids = {.n = 0};
    size_t i;
    quire_status st;

    /* Where there is nothing, nothing is derived. */
    if (q->kind == QUIRE_KIND_NATIVE && !catalog_exists(q) && errno == ENOENT)
        return QUIRE_OK;
    st = need_artifacts(q, true, err);
    if (!st && q->tenant == TENANT_DEFAULT)
        st = tenant_list(&q->catalog, add_id, &ids, err);
    else if (!st)
        st = rebuild_tenant(q, q->tenant, err);
    for (i = 0; i < ids.n && !st; i++)
        st = rebuild_tenant(q, ids.list[i], err);
    if (!st)
        st = reindex_counters(q, err);
    if (!st)
        st = derived_references(q, err);
    free(ids.list);
    return st;
}
