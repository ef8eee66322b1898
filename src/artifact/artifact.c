/*
 * artifact.c - find, list, delete, restore, purge
 */
#include "artifact/artifact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/path.h"
#include "artifact/priv.h"
#include "base/bytes.h"
#include "base/err.h"

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
    artifact_fulltext_release(&a->words);
    sql_release(&a->sql);
    free(a);
}

void artifacts_set_immediate(struct artifacts *a, bool immediate)
{
    a->immediate = immediate;
}

/* ---- rows --------------------------------------------------------------- */

static const char *text_at(struct stmt *s, int at, struct arena *keep)
{
    return arena_text(keep, stmt_column_bytes(s, at));
}

/* A digest of another length is damage; zeros name no blob. */
static void digest_at(struct stmt *s, int at, quire_digest *out)
{
    quire_bytes bytes = stmt_column_bytes(s, at);

    memset(out, 0, sizeof *out);
    if (bytes.len == sizeof out->byte)
        memcpy(out->byte, bytes.data, bytes.len);
}

static quire_status read_row(struct stmt *s, struct arena *keep,
                             quire_artifact *out, quire_error *err)
{
    *out = (quire_artifact){
        .id = stmt_column_int(s, 0),
        .session_id = stmt_column_int(s, 1),
        .session = text_at(s, 2, keep),
        .path = text_at(s, 3, keep),
        .version = stmt_column_int(s, 4),
        .size = (uint64_t)stmt_column_int(s, 5),
        .mime = text_at(s, 7, keep),
        .purpose = text_at(s, 8, keep),
        .source = text_at(s, 9, keep),
        .agent = text_at(s, 10, keep),
        .tags = text_at(s, 11, keep),
        .meta = text_at(s, 12, keep),
        .created_us = stmt_column_int(s, 13),
        .updated_us = stmt_column_int(s, 14),
        .deleted_us = stmt_column_int(s, 15),
    };
    digest_at(s, 6, &out->digest);
    return out->session && out->path && out->mime && out->purpose &&
                   out->source && out->agent && out->tags && out->meta
               ? QUIRE_OK
               : err_memory(err);
}

/* The only row of a bound statement. */
static quire_status read_one(struct stmt *s, struct arena *keep,
                             quire_artifact *out, quire_error *err)
{
    quire_status st = sql_row(s, err);

    if (!st)
        st = read_row(s, keep, out, err);
    stmt_reset(s);
    return st;
}

static quire_status by_path(struct artifacts *a, int which, int64_t session,
                            const char *path, struct arena *keep,
                            quire_artifact *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, session);
    stmt_bind_text(s, 2, bytes_str(path));
    return read_one(s, keep, out, err);
}

quire_status artifact_by_path(struct artifacts *a,
                              const struct session_row *row, const char *path,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err)
{
    return by_path(a, SQL_BY_PATH, row->session, path, keep, out, err);
}

quire_status artifact_by_id(struct artifacts *a, int64_t tenant, int64_t id,
                            struct arena *keep, quire_artifact *out,
                            quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_BY_ID, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_int(s, 2, tenant);
    return read_one(s, keep, out, err);
}

/* ---- versions ----------------------------------------------------------- */

static quire_status read_version(struct stmt *s, struct arena *keep,
                                 quire_artifact *out, quire_error *err)
{
    out->version = stmt_column_int(s, 0);
    digest_at(s, 1, &out->digest);
    out->size = (uint64_t)stmt_column_int(s, 2);
    out->mime = text_at(s, 3, keep);
    out->updated_us = stmt_column_int(s, 4);
    return out->mime ? QUIRE_OK : err_memory(err);
}

quire_status artifact_version(struct artifacts *a, int64_t version,
                              struct arena *keep, quire_artifact *artifact,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_VERSION_GET, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, artifact->id);
    stmt_bind_int(s, 2, version);
    st = sql_row(s, err);
    if (!st)
        st = read_version(s, keep, artifact, err);
    stmt_reset(s);
    return st;
}

quire_status artifact_versions(struct artifacts *a,
                               const quire_artifact *artifact,
                               quire_artifact_fn each, void *ctx,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    bool row = true;
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_VERSIONS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, artifact->id);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        quire_artifact one = *artifact;

        arena_reset(&tmp);
        st = read_version(s, &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

/* ---- reads --------------------------------------------------------------- */

static quire_status add_reads(struct artifacts *a, int64_t tenant, int64_t id,
                              const struct artifact_read *read,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_READ_COUNT, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_int(s, 2, tenant);
    stmt_bind_int(s, 3, read->last_us);
    stmt_bind_int(s, 4, (int64_t)read->n);
    return sql_run(s, err);
}

quire_status artifact_count_read(struct artifacts *a, int64_t tenant,
                                 int64_t id, quire_error *err)
{
    struct artifact_read read = {.n = 1,
                                 .last_us = clock_us(a->c.catalog->clock)};
    struct db *db = a->c.catalog->db;
    quire_status st = db_begin(db, DB_IF_FREE, err);

    return st ? st
              : artifacts_end(a, add_reads(a, tenant, id, &read, err), err);
}

quire_status artifact_count_reads(struct artifacts *a, int64_t tenant,
                                  const char *key,
                                  const struct artifact_read *list, size_t n,
                                  quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct db *db = a->c.catalog->db;
    struct session_row row;
    quire_artifact one;
    quire_status st = db_begin(db, DB_IF_FREE, err);
    size_t i;

    if (st)
        return st;
    st = session_row_find(a->c.catalog, tenant, key, &row, err);
    for (i = 0; i < n && !st; i++) {
        st = artifact_by_path(a, &row, list[i].path, &tmp, &one, err);
        if (!st)
            st = add_reads(a, tenant, one.id, &list[i], err);
        else if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK; /* it was deleted */
    }
    arena_release(&tmp);
    if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK; /* the session was removed with its artifacts */
    return artifacts_end(a, st, err);
}

quire_status artifact_reads(struct artifacts *a, quire_artifact *artifact,
                            quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_READS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, artifact->id);
    st = sql_row(s, err);
    if (!st) {
        artifact->reads = (uint64_t)stmt_column_int(s, 0);
        artifact->read_us = stmt_column_int(s, 1);
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- list --------------------------------------------------------------- */

/* Call `each` for every row of a bound statement. */
static quire_status emit_rows(struct stmt *s, quire_artifact_fn each, void *ctx,
                              quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;
    bool row = true;

    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        quire_artifact one;

        arena_reset(&tmp);
        st = read_row(s, &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

quire_status artifact_list(struct artifacts *a, const struct artifact_range *r,
                           quire_artifact_fn each, void *ctx, quire_error *err)
{
    int which = r->session
                    ? (r->deleted ? SQL_LIST_SESSION_AWAY : SQL_LIST_SESSION)
                    : (r->deleted ? SQL_LIST_TENANT_AWAY : SQL_LIST_TENANT);
    struct stmt *s;
    quire_status st = sql_use(&a->sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, r->session ? r->session : r->tenant);
    stmt_bind_int(s, 2, r->before_us);
    stmt_bind_int(s, 3, r->before_id);
    stmt_bind_int(s, 4,
                  r->limit && r->limit < INT64_MAX ? (int64_t)r->limit : -1);
    return emit_rows(s, each, ctx, err);
}

quire_status artifact_walk(struct artifacts *a, const struct session_row *row,
                           quire_artifact_fn each, void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql,
                              row->session ? SQL_WALK_SESSION : SQL_WALK_TENANT,
                              &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, row->session ? row->session : row->tenant);
    return emit_rows(s, each, ctx, err);
}

/* ---- paths -------------------------------------------------------------- */

/* Whether a path exists that is at least `from` and below `to`. */
static quire_status has_path_between(struct artifacts *a, int64_t session,
                                     const char *from, const char *to,
                                     bool *any, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_BETWEEN, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, session);
    stmt_bind_text(s, 2, bytes_str(from));
    stmt_bind_text(s, 3, bytes_str(to));
    st = stmt_step(s, any, err);
    stmt_reset(s);
    return st;
}

quire_status artifact_has_place(struct artifacts *a, int64_t session,
                                const char *path, quire_error *err)
{
    char from[PATH_BYTES_MAX + 2], to[PATH_BYTES_MAX + 2];
    const char *slash;
    bool any = false, below;
    quire_status st = QUIRE_OK;

    for (slash = strchr(path, '/'); slash && !st && !any;
         slash = strchr(slash + 1, '/')) {
        snprintf(from, sizeof from, "%.*s", (int)(slash - path), path);
        /* Only the path itself is in this range. */
        snprintf(to, sizeof to, "%.*s\x01", (int)(slash - path), path);
        st = has_path_between(a, session, from, to, &any, err);
    }
    below = !any;
    if (!st && below) {
        snprintf(from, sizeof from, "%s/", path);
        snprintf(to, sizeof to, "%s0", path); /* '0' follows '/' */
        st = has_path_between(a, session, from, to, &any, err);
    }
    if (st || !any)
        return st;
    return err_fail(err, QUIRE_EXISTS,
                    "use another path, or delete the other artifact first",
                    below ? "%s cannot be a file: there are artifacts below it"
                          : "%s cannot be stored below a file",
                    path);
}

/* ---- delete, restore, purge --------------------------------------------- */

quire_status artifacts_end(struct artifacts *a, quire_status st,
                           quire_error *err)
{
    st = sql_end(a->c.catalog->db, st, err);
    /* An index created in the transaction was rolled back. */
    if (st)
        artifact_fulltext_release(&a->words);
    return st;
}

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

/* Run SQL_PUT_AWAY or SQL_PURGE in its own transaction. The row is read again
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
    quire_status st = db_begin(db, DB_DURABLE, err);

    if (st)
        return st;
    st = artifact_by_id(a, tenant, id, &tmp, &now, err);
    if (!st)
        st = artifact_check_expected(&now, expect, now.path, err);
    if (!st && !now.deleted_us)
        st = artifact_fulltext_note(a, tenant, id, &now, 0, err);
    if (!st)
        st = sql_use(&a->sql, which, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, id);
        if (which == SQL_PUT_AWAY)
            stmt_bind_int(s, 2, clock_us(a->c.catalog->clock));
        st = delete_row(a, s, tenant, &now, err);
    }
    arena_release(&tmp);
    return artifacts_end(a, st, err);
}

quire_status artifact_remove(struct artifacts *a, int64_t tenant, int64_t id,
                             const char *expect, quire_error *err)
{
    return delete_artifact(a, SQL_PUT_AWAY, tenant, id, expect, err);
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
        st = sql_use(&a->sql, SQL_BRING_BACK, &s, err);
    if (st)
        return st;
    artifact->updated_us = clock_us(a->c.catalog->clock);
    artifact->deleted_us = 0;
    stmt_bind_int(s, 1, artifact->id);
    stmt_bind_int(s, 2, artifact->updated_us);
    st = sql_run(s, err);
    if (!st)
        st = artifact_fulltext_note(a, row->tenant, artifact->id, NULL,
                                    content.len, err);
    return st ? st
              : session_row_count(a->c.catalog, row, (int64_t)artifact->size, 1,
                                  err);
}

quire_status artifact_restore(struct artifacts *a,
                              const struct session_row *row, const char *path,
                              const struct artifact_limits *limits,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err)
{
    struct db *db = a->c.catalog->db;
    struct session_row now = *row;
    quire_artifact living;
    quire_status st = db_begin(db, DB_DURABLE, err);

    if (st)
        return st;
    st = by_path(a, SQL_PUT_AWAY_LAST, row->session, path, keep, out, err);
    if (!st) {
        st = artifact_by_path(a, row, path, keep, &living, err);
        if (!st) {
            st = err_fail(err, QUIRE_EXISTS,
                          "delete that one first, or give it another path",
                          "a newer artifact has the path %s", path);
        } else if (st == QUIRE_NOT_FOUND) {
            st = artifact_has_place(a, row->session, path, err);
        }
    }
    if (!st)
        st = session_row_find(a->c.catalog, row->tenant, out->session, &now,
                              err);
    if (!st)
        st = artifact_check_quota(&now, 0, out->size, limits, err);
    if (!st)
        st = restore_row(a, &now, out, err);
    return artifacts_end(a, st, err);
}
