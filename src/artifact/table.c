/*
 * table.c - the rows of artifacts, their versions and read counts
 *
 * Text of a row is copied into the arena of the caller.
 */
#include <stdio.h>
#include <string.h>

#include "artifact/mime.h"
#include "artifact/path.h"
#include "artifact/priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/change_log.h"
#include "search/lot.h"

/* ---- one row ------------------------------------------------------------- */

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

quire_status artifact_take(struct stmt *s, struct arena *keep,
                           quire_artifact *out, quire_error *err)
{
    quire_status st = sql_row(s, err);

    if (!st)
        st = read_row(s, keep, out, err);
    stmt_reset(s);
    return st;
}

static quire_status ask_path(struct artifacts *a, int which, int64_t tenant,
                             const char *key, const char *path, struct stmt **s,
                             quire_error *err)
{
    quire_status st = sql_use(&a->sql, which, s, err);

    if (st)
        return st;
    stmt_bind_int(*s, 1, tenant);
    stmt_bind_text(*s, 2, bytes_str(key));
    stmt_bind_text(*s, 3, bytes_str(path));
    stmt_ask(*s);
    return QUIRE_OK;
}

quire_status artifact_path_ask(struct artifacts *a, int64_t tenant,
                               const char *key, const char *path,
                               struct stmt **s, quire_error *err)
{
    return ask_path(a, SQL_BY_PATH, tenant, key, path, s, err);
}

quire_status artifact_by_path(struct artifacts *a, int64_t tenant,
                              const char *key, const char *path,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = artifact_path_ask(a, tenant, key, path, &s, err);

    return st ? st : artifact_take(s, keep, out, err);
}

/* The columns after those of read_row(). */
enum { COLUMN_READS = 16, COLUMN_READ_AT, COLUMN_BLOB };

quire_status artifact_content_by_path(struct artifacts *a, int64_t tenant,
                                      const char *key, const char *path,
                                      struct arena *keep, quire_artifact *out,
                                      bool *has, quire_bytes *content,
                                      quire_error *err)
{
    struct stmt *s;
    quire_status st = ask_path(a, SQL_CONTENT_BY_PATH, tenant, key, path, &s,
                               err);

    *has = false;
    if (st)
        return st;
    st = sql_row(s, err);
    if (!st)
        st = read_row(s, keep, out, err);
    if (!st) {
        out->reads = (uint64_t)stmt_column_int(s, COLUMN_READS);
        out->read_us = stmt_column_int(s, COLUMN_READ_AT);
        st = blob_get_joined(a->c.blobs, &out->digest, s, COLUMN_BLOB, has,
                             content, err);
    }
    stmt_reset(s);
    return st;
}

/* The content of the row that a statement is at. */
static quire_status text_of_row(struct artifacts *a, struct stmt *s,
                                const quire_artifact *one, quire_bytes *text,
                                quire_error *err)
{
    bool has = false;
    quire_status st = QUIRE_OK;

    *text = bytes_of("", 0);
    if (!mime_is_text(one->mime))
        return QUIRE_OK;
    st = blob_get_joined(a->c.blobs, &one->digest, s, COLUMN_BLOB, &has, text,
                         err);
    if (!st && !has)
        st = blob_get(blob_view_all(a->c.blobs), &one->digest, text, err);
    if (st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED) {
        *text = bytes_of("", 0);
        st = QUIRE_OK;
    }
    return st;
}

quire_status artifact_lot(struct artifacts *a, int64_t tenant,
                          const int64_t *ids, size_t n,
                          artifact_content_fn each, void *ctx, quire_error *err)
{
    bool few = n <= LOT_FEW;
    struct arena tmp = ARENA_INIT;
    quire_artifact one;
    quire_bytes text;
    struct stmt *s;
    quire_status st = n ? sql_use(&a->sql, few ? SQL_LOT_FEW : SQL_LOT, &s, err)
                        : QUIRE_OK;

    if (st || n == 0)
        return st;
    lot_bind(s, ids, n);
    stmt_bind_int(s, few ? LOT_FEW + 1 : LOT_MAX + 1, tenant);
    while (!st && !(st = sql_row(s, err))) {
        arena_reset(&tmp);
        st = read_row(s, &tmp, &one, err);
        if (!st)
            st = text_of_row(a, s, &one, &text, err);
        if (!st)
            st = each(ctx, &one, text, err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status artifact_last_deleted(struct artifacts *a, int64_t tenant,
                                   const char *key, const char *path,
                                   struct arena *keep, quire_artifact *out,
                                   quire_error *err)
{
    struct stmt *s;
    quire_status st = ask_path(a, SQL_LAST_DELETED, tenant, key, path, &s, err);

    return st ? st : artifact_take(s, keep, out, err);
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
    return artifact_take(s, keep, out, err);
}

/* ---- versions ------------------------------------------------------------ */

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

quire_status artifact_version(struct artifacts *a, int64_t tenant,
                              int64_t version, struct arena *keep,
                              quire_artifact *artifact, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_VERSION_GET, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, artifact->id);
    stmt_bind_int(s, 2, version);
    stmt_bind_int(s, 3, tenant);
    st = sql_row(s, err);
    if (!st)
        st = read_version(s, keep, artifact, err);
    stmt_reset(s);
    return st;
}

quire_status artifact_versions(struct artifacts *a, int64_t tenant,
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
    stmt_bind_int(s, 2, tenant);
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

/* ---- read counts --------------------------------------------------------- */

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
    return stmt_post(s, err);
}

quire_status artifact_count_read(struct artifacts *a, int64_t tenant,
                                 int64_t id, quire_error *err)
{
    struct artifact_read read = {.n = 1,
                                 .last_us = clock_us(a->c.catalog->clock)};
    struct db *db = a->c.catalog->db;
    quire_status st = db_begin(db, DB_IF_FREE, tenant, err);

    return st ? st
              : sql_end(a->c.catalog->db, add_reads(a, tenant, id, &read, err),
                        err);
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
    quire_status st = db_begin(db, DB_IF_FREE, tenant, err);
    size_t i;

    if (st)
        return st;
    st = session_row_find(a->c.catalog, tenant, key, &row, err);
    for (i = 0; i < n && !st; i++) {
        st = artifact_by_path(a, tenant, key, list[i].path, &tmp, &one, err);
        if (!st)
            st = add_reads(a, tenant, one.id, &list[i], err);
        else if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK; /* it was deleted */
    }
    arena_release(&tmp);
    if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK; /* the session was removed with its artifacts */
    return sql_end(a->c.catalog->db, st, err);
}

quire_status artifact_reads(struct artifacts *a, int64_t tenant,
                            quire_artifact *artifact, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_READS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, artifact->id);
    stmt_bind_int(s, 2, tenant);
    st = sql_row(s, err);
    if (!st) {
        artifact->reads = (uint64_t)stmt_column_int(s, 0);
        artifact->read_us = stmt_column_int(s, 1);
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- lists --------------------------------------------------------------- */

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
                    ? (r->deleted ? SQL_LIST_SESSION_DELETED : SQL_LIST_SESSION)
                    : (r->deleted ? SQL_LIST_TENANT_DELETED : SQL_LIST_TENANT);
    struct stmt *s;
    quire_status st = sql_use(&a->sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, r->session ? r->session : r->tenant);
    stmt_bind_int(s, 2, r->before_us);
    stmt_bind_int(s, 3, r->before_id);
    stmt_bind_int(s, 4,
                  r->limit && r->limit < INT64_MAX ? (int64_t)r->limit
                                                   : INT64_MAX);
    if (r->session)
        stmt_bind_int(s, 5, r->tenant);
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
    if (row->session)
        stmt_bind_int(s, 2, row->tenant);
    return emit_rows(s, each, ctx, err);
}

/* ---- places ------------------------------------------------------------- */

enum { ANCESTORS_AT_ONCE = 8 };

/* Ask for the next ancestors of the path: "a" and "a/b" of "a/b/c". */
static quire_status ask_ancestors(struct place_asked *p, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&p->a->sql, SQL_ANCESTORS, &s, err);
    int i;

    if (st)
        return st;
    stmt_bind_int(s, 1, p->tenant);
    stmt_bind_text(s, 2, bytes_str(p->key));
    for (i = 0; i < ANCESTORS_AT_ONCE; i++) {
        const char *next = p->slash ? strchr(p->slash + 1, '/') : NULL;

        if (!p->slash && i == 0)
            next = strchr(p->path, '/');
        p->slash = next ? next : p->slash;
        stmt_bind_text(s, 3 + i,
                       bytes_of(p->path, next ? (size_t)(next - p->path) : 0));
    }
    stmt_ask(s);
    p->ancestors = s;
    return QUIRE_OK;
}

quire_status artifact_place_ask(struct artifacts *a, int64_t tenant,
                                const char *key, const char *path,
                                struct place_asked *p, quire_error *err)
{
    quire_status st = sql_use(&a->sql, SQL_BELOW, &p->below, err);

    p->a = a;
    p->tenant = tenant;
    p->key = key;
    p->path = path;
    p->slash = NULL;
    p->ancestors = NULL;
    if (!st && strchr(path, '/'))
        st = ask_ancestors(p, err);
    if (st)
        return st;
    snprintf(p->from, sizeof p->from, "%s/", path);
    snprintf(p->to, sizeof p->to, "%s0", path); /* '0' follows '/' */
    stmt_bind_int(p->below, 1, tenant);
    stmt_bind_text(p->below, 2, bytes_str(key));
    stmt_bind_text(p->below, 3, bytes_str(p->from));
    stmt_bind_text(p->below, 4, bytes_str(p->to));
    stmt_ask(p->below);
    return QUIRE_OK;
}

static quire_status take_any(struct stmt *s, bool *any, quire_error *err)
{
    quire_status st = stmt_step(s, any, err);

    stmt_reset(s);
    return st;
}

quire_status artifact_place_take(struct place_asked *p, quire_error *err)
{
    bool above = false, below = false;
    quire_status st = QUIRE_OK;

    while (!st && p->ancestors && !above) {
        st = take_any(p->ancestors, &above, err);
        if (st || !strchr(p->slash + 1, '/'))
            break;
        st = ask_ancestors(p, err); /* a deep path */
    }
    if (!st && !above)
        st = take_any(p->below, &below, err);
    if (st || (!above && !below))
        return st;
    return err_fail(err, QUIRE_EXISTS,
                    "use another path, or delete the other artifact first",
                    below ? "%s cannot be a file: there are artifacts below it"
                          : "%s cannot be stored below a file",
                    p->path);
}

/* ---- changes ------------------------------------------------------------ */

quire_status artifact_log_change(struct artifacts *a, int64_t tenant,
                                 int64_t id, quire_error *err)
{
    return change_log_add(&a->sql, SQL_LOG_CHANGE, tenant, CHANGE_ARTIFACT, id,
                          clock_us(a->c.catalog->clock), err);
}
