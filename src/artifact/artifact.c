/*
 * artifact.c - open the module; soft-delete, restore and purge artifacts
 */
#include "artifact/artifact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/path.h"
#include "artifact/priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/session_keep.h"

quire_status artifacts_new(const struct artifacts_config *config,
                           struct artifacts **out, quire_error *err)
{
    struct artifacts *a = calloc(1, sizeof *a);
    quire_status st;

    *out = NULL;
    if (!a)
        return err_memory(err);
    a->c = *config;
    st = sql_init(&a->sql, config->catalog->db, artifact_sql, N_ARTIFACT_SQL,
                  err);
    if (st)
        artifacts_free(a);
    else
        *out = a;
    return st;
}

void artifacts_free(struct artifacts *a)
{
    if (!a)
        return;
    sql_release(&a->sql);
    free(a);
}

void artifacts_set_immediate(struct artifacts *a, bool immediate)
{
    a->immediate = immediate;
}

quire_status artifacts_end(struct artifacts *a, quire_status st,
                           quire_error *err)
{
    return sql_end(a->c.catalog->db, st, err);
}

/* ---- delete, restore, purge --------------------------------------------- */

/* Run a statement that deletes an artifact, and subtract it from the totals if
 * it was live. */
static quire_status delete_row(struct artifacts *a, struct stmt *s,
                               int64_t tenant, const quire_artifact *artifact,
                               quire_error *err)
{
    struct session_row row = {.tenant = tenant,
                              .session = artifact->session_id};
    int64_t size = 0;
    bool living = false;
    quire_status st = sql_row(s, err);

    if (!st) {
        size = stmt_column_int(s, 0);
        living = stmt_column_int(s, 1) == 0;
    }
    stmt_reset(s);
    return !st && living ? session_row_count(a->c.catalog, &row, -size, -1, err)
                         : st;
}

/* Run SQL_SOFT_DELETE or SQL_PURGE in its own transaction. The row is read again
 * inside: it may have changed since it was found, and the index has its current
 * state. */
static quire_status delete_artifact(struct artifacts *a, int which,
                                    int64_t tenant, int64_t id,
                                    const char *expect, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct db *db = a->c.catalog->db;
    quire_artifact now;
    struct stmt *s;
    quire_status st = db_begin(db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    st = artifact_by_id(a, tenant, id, &tmp, &now, err);
    if (!st)
        st = artifact_check_expected(&now, expect, now.path, err);
    if (!st && which == SQL_PURGE)
        st = session_keep_check(a->c.catalog, tenant, now.session_id,
                                now.session, err);
    if (!st && !now.deleted_us)
        st = artifact_log_change(a, tenant, id, err);
    if (!st)
        st = sql_use(&a->sql, which, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, id);
        stmt_bind_int(s, 2, tenant);
        if (which == SQL_SOFT_DELETE)
            stmt_bind_int(s, 3, clock_us(a->c.catalog->clock));
        st = delete_row(a, s, tenant, &now, err);
    }
    arena_release(&tmp);
    return artifacts_end(a, st, err);
}

quire_status artifact_remove(struct artifacts *a, int64_t tenant, int64_t id,
                             const char *expect, quire_error *err)
{
    return delete_artifact(a, SQL_SOFT_DELETE, tenant, id, expect, err);
}

quire_status artifact_purge(struct artifacts *a, int64_t tenant, int64_t id,
                            const char *expect, quire_error *err)
{
    return delete_artifact(a, SQL_PURGE, tenant, id, expect, err);
}

static quire_status restore_row(struct artifacts *a,
                                const struct session_row *row,
                                quire_artifact *artifact, quire_error *err)
{
    quire_bytes content = {NULL, 0};
    struct stmt *s;
    quire_status st = blob_get(blob_view_all(a->c.blobs), &artifact->digest,
                               &content, err);

    if (!st)
        st = sql_use(&a->sql, SQL_RESTORE, &s, err);
    if (st)
        return st;
    artifact->updated_us = clock_us(a->c.catalog->clock);
    artifact->deleted_us = 0;
    stmt_bind_int(s, 1, artifact->id);
    stmt_bind_int(s, 2, row->tenant);
    stmt_bind_int(s, 3, artifact->updated_us);
    st = stmt_post(s, err);
    if (!st)
        st = artifact_log_change(a, row->tenant, artifact->id, err);
    return st ? st
              : session_row_count(a->c.catalog, row, (int64_t)artifact->size, 1,
                                  err);
}

quire_status artifact_restore(struct artifacts *a, int64_t tenant,
                              const char *key, const char *path,
                              const struct artifact_limits *limits,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err)
{
    struct db *db = a->c.catalog->db;
    struct session_row now;
    struct place_asked place;
    quire_artifact living;
    quire_status st = db_begin(db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    st = artifact_last_deleted(a, tenant, key, path, keep, out, err);
    if (!st) {
        st = artifact_by_path(a, tenant, key, path, keep, &living, err);
        if (!st) {
            st = err_fail(err, QUIRE_EXISTS,
                          "delete that one first, or give it another path",
                          "a newer artifact has the path %s", path);
        } else if (st == QUIRE_NOT_FOUND) {
            st = artifact_place_ask(a, tenant, key, path, &place, err);
            if (!st)
                st = artifact_place_take(&place, err);
        }
    }
    if (!st)
        st = session_row_find(a->c.catalog, tenant, key, &now, err);
    if (!st)
        st = artifact_check_quota(&now, 0, out->size, limits, err);
    if (!st)
        st = restore_row(a, &now, out, err);
    return artifacts_end(a, st, err);
}
