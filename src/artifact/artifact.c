/*
 * artifact.c - put, find, list, put away
 *
 * A put is one transaction: the blob, the row, the version, the totals. The
 * quotas are looked at inside it, after the right to write was had: two who
 * put at once are one after the other, and the second one sees what the first
 * has used.
 */
#include "artifact/artifact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/mime.h"
#include "artifact/priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

quire_status artifacts_new(const struct artifacts_config *config,
                           struct artifacts **out, quire_error *err)
{
    struct artifacts *a = calloc(1, sizeof *a);
    quire_status st;

    *out = NULL;
    if (!a)
        return err_memory(err);
    a->c = *config;
    st = sql_init(&a->sql, config->db, artifact_sql, N_ARTIFACT_SQL, err);
    if (st)
        free(a);
    else
        *out = a;
    return st;
}

void artifacts_free(struct artifacts *a)
{
    if (!a)
        return;
    words_release(&a->words);
    sql_release(&a->sql);
    free(a);
}

/* ---- rows --------------------------------------------------------------- */

static const char *text_at(struct stmt *s, int at, struct arena *keep)
{
    return arena_text(keep, s->ops->column_bytes(s, at));
}

/* A digest of another length is damage; zeros name no blob there is. */
static void digest_at(struct stmt *s, int at, quire_digest *out)
{
    quire_bytes bytes = s->ops->column_bytes(s, at);

    memset(out, 0, sizeof *out);
    if (bytes.len == sizeof out->byte)
        memcpy(out->byte, bytes.data, bytes.len);
}

static quire_status read_row(struct stmt *s, struct arena *keep,
                             quire_artifact *out, quire_error *err)
{
    const struct db_ops *o = s->ops;

    *out = (quire_artifact){
        .id = o->column_int(s, 0),
        .session_id = o->column_int(s, 1),
        .session = text_at(s, 2, keep),
        .path = text_at(s, 3, keep),
        .version = o->column_int(s, 4),
        .size = (uint64_t)o->column_int(s, 5),
        .mime = text_at(s, 7, keep),
        .purpose = text_at(s, 8, keep),
        .source = text_at(s, 9, keep),
        .agent = text_at(s, 10, keep),
        .tags = text_at(s, 11, keep),
        .meta = text_at(s, 12, keep),
        .created_us = o->column_int(s, 13),
        .updated_us = o->column_int(s, 14),
        .deleted_us = o->column_int(s, 15),
    };
    digest_at(s, 6, &out->digest);
    return out->session && out->path && out->mime && out->purpose &&
                   out->source && out->agent && out->tags && out->meta
               ? QUIRE_OK
               : err_memory(err);
}

/* The one row of a statement that is bound. */
static quire_status read_one(struct stmt *s, struct arena *keep,
                             quire_artifact *out, quire_error *err)
{
    quire_status st = sql_row(s, err);

    if (!st)
        st = read_row(s, keep, out, err);
    s->ops->reset(s);
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
    s->ops->bind_int(s, 1, session);
    s->ops->bind_text(s, 2, bytes_str(path));
    return read_one(s, keep, out, err);
}

quire_status artifact_by_path(struct artifacts *a, const struct owner *owner,
                              const char *path, struct arena *keep,
                              quire_artifact *out, quire_error *err)
{
    return by_path(a, SQL_BY_PATH, owner->session, path, keep, out, err);
}

quire_status artifact_by_id(struct artifacts *a, int64_t tenant, int64_t id,
                            struct arena *keep, quire_artifact *out,
                            quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_BY_ID, &s, err);

    if (st)
        return st;
    s->ops->bind_int(s, 1, id);
    s->ops->bind_int(s, 2, tenant);
    return read_one(s, keep, out, err);
}

/* ---- versions ----------------------------------------------------------- */

static quire_status read_version(struct stmt *s, struct arena *keep,
                                 quire_artifact *out, quire_error *err)
{
    out->version = s->ops->column_int(s, 0);
    digest_at(s, 1, &out->digest);
    out->size = (uint64_t)s->ops->column_int(s, 2);
    out->mime = text_at(s, 3, keep);
    out->updated_us = s->ops->column_int(s, 4);
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
    s->ops->bind_int(s, 1, artifact->id);
    s->ops->bind_int(s, 2, version);
    st = sql_row(s, err);
    if (!st)
        st = read_version(s, keep, artifact, err);
    s->ops->reset(s);
    return st;
}

quire_status artifact_versions(struct artifacts *a,
                               const quire_artifact *artifact,
                               quire_artifact_fn each, void *ctx,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_VERSIONS, &s, err);

    if (st)
        return st;
    s->ops->bind_int(s, 1, artifact->id);
    while (!st && !(st = sql_row(s, err))) {
        quire_artifact one = *artifact;

        arena_reset(&tmp);
        st = read_version(s, &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    s->ops->reset(s);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status add_version(struct artifacts *a, const quire_artifact *now,
                                uint64_t keep_n, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_VERSION_ADD, &s, err);

    if (st)
        return st;
    s->ops->bind_int(s, 1, now->id);
    s->ops->bind_int(s, 2, now->version);
    s->ops->bind_bytes(s, 3, bytes_of(now->digest.byte, sizeof now->digest));
    s->ops->bind_int(s, 4, (int64_t)now->size);
    s->ops->bind_text(s, 5, bytes_str(now->mime));
    s->ops->bind_int(s, 6, now->updated_us);
    st = sql_run(s, err);
    if (st || keep_n == 0 || (uint64_t)now->version <= keep_n)
        return st;
    st = sql_use(&a->sql, SQL_VERSION_DROP, &s, err);
    if (st)
        return st;
    s->ops->bind_int(s, 1, now->id);
    s->ops->bind_int(s, 2, now->version - (int64_t)keep_n);
    return sql_run(s, err);
}

/* ---- quotas ------------------------------------------------------------- */

static quire_status over(const char *whose, uint64_t after, uint64_t limit,
                         quire_error *err)
{
    quire_status st = err_set(err, QUIRE_QUOTA,
                              "the artifacts of the %s would have %" PRIu64
                              " bytes, %" PRIu64 " more than the %" PRIu64
                              " they may have",
                              whose, after, after - limit, limit);

    err_next(err, "remove some, or raise quota.%s", whose);
    return st;
}

/* Whether `bytes` fit in the place of `old`. */
static quire_status check_room(const struct owner *owner, uint64_t old,
                               uint64_t bytes,
                               const struct artifact_limits *limits,
                               quire_error *err)
{
    uint64_t session = owner->session_used - old + bytes;
    uint64_t tenant = owner->tenant_used - old + bytes;

    if (bytes > old && session > limits->session)
        return over("session", session, limits->session, err);
    if (bytes > old && tenant > limits->tenant)
        return over("tenant", tenant, limits->tenant, err);
    return QUIRE_OK;
}

static quire_status check_size(uint64_t bytes,
                               const struct artifact_limits *limits,
                               quire_error *err)
{
    quire_status st;

    if (bytes <= limits->file)
        return QUIRE_OK;
    st = err_set(err, QUIRE_TOO_LARGE,
                 "an artifact has at most %" PRIu64 " bytes, and this has "
                 "%" PRIu64,
                 limits->file, bytes);
    err_next(err, "keep it as a blob, or raise quota.file");
    return st;
}

/* ---- put ---------------------------------------------------------------- */

/* The tags as a JSON array, in `keep`. */
static const char *spell_tags(const char *const *tags, struct arena *keep)
{
    struct buf out = BUF_INIT(64 * 1024);
    struct json_writer w;
    const char *text;

    json_begin(&w, &out);
    json_array(&w);
    for (; tags && *tags; tags++)
        json_str(&w, *tags);
    json_array_end(&w);
    text = out.failed ? NULL : arena_text(keep, buf_bytes(&out));
    buf_release(&out);
    return text;
}

static const char *either(const char *given, const char *otherwise)
{
    return given ? given : otherwise;
}

/* What the artifact says of itself after the put: what was given, else what it
 * said before. *now is the old row, or empty. */
static quire_status describe(quire_artifact *now, quire_bytes content,
                             const quire_artifact_options *o,
                             struct arena *keep, quire_error *err)
{
    const char *by_name = mime_by_name(bytes_str(now->path));

    now->mime = either(o->mime, by_name ? by_name : mime_by_content(content));
    now->purpose = either(o->purpose, either(now->purpose, ""));
    now->source = either(o->source, either(now->source, ""));
    now->agent = either(o->agent, either(now->agent, ""));
    now->meta = either(o->meta, either(now->meta, "{}"));
    if (o->tags || !now->tags)
        now->tags = spell_tags(o->tags, keep);
    return now->tags ? QUIRE_OK : err_memory(err);
}

static void bind_words(struct stmt *s, int at, const quire_artifact *now)
{
    s->ops->bind_text(s, at, bytes_str(now->mime));
    s->ops->bind_text(s, at + 1, bytes_str(now->purpose));
    s->ops->bind_text(s, at + 2, bytes_str(now->source));
    s->ops->bind_text(s, at + 3, bytes_str(now->agent));
    s->ops->bind_text(s, at + 4, bytes_str(now->tags));
    s->ops->bind_text(s, at + 5, bytes_str(now->meta));
    s->ops->bind_int(s, at + 6, now->updated_us);
}

static quire_status add_row(struct artifacts *a, const struct owner *owner,
                            quire_artifact *now, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_ADD, &s, err);

    if (st)
        return st;
    s->ops->bind_int(s, 1, owner->tenant);
    s->ops->bind_int(s, 2, owner->session);
    s->ops->bind_text(s, 3, bytes_str(now->path));
    s->ops->bind_bytes(s, 4, bytes_of(now->digest.byte, sizeof now->digest));
    s->ops->bind_int(s, 5, (int64_t)now->size);
    bind_words(s, 6, now);
    st = sql_run(s, err);
    now->id = a->c.db->ops->last_id(a->c.db);
    return st;
}

static quire_status change_row(struct artifacts *a, const quire_artifact *now,
                               quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_CHANGE, &s, err);

    if (st)
        return st;
    s->ops->bind_int(s, 1, now->id);
    s->ops->bind_int(s, 2, now->version);
    s->ops->bind_bytes(s, 3, bytes_of(now->digest.byte, sizeof now->digest));
    s->ops->bind_int(s, 4, (int64_t)now->size);
    bind_words(s, 5, now);
    return sql_run(s, err);
}

/* The rows of a put; *now is the old row, or empty but for its path. */
static quire_status put_rows(struct artifacts *a, const struct owner *owner,
                             quire_bytes content, const quire_digest *digest,
                             uint64_t keep_n, quire_artifact *now,
                             quire_error *err)
{
    bool fresh = now->id == 0;
    bool same = !fresh &&
                !memcmp(now->digest.byte, digest->byte, sizeof digest->byte);
    int64_t more = (int64_t)content.len - (fresh ? 0 : (int64_t)now->size);
    quire_status st;

    now->size = content.len;
    now->digest = *digest;
    now->version += !same;
    now->updated_us = clock_us(a->c.clock);
    if (fresh)
        now->created_us = now->updated_us;
    st = fresh ? add_row(a, owner, now, err) : change_row(a, now, err);
    if (!st && !same)
        st = add_version(a, now, keep_n, err);
    if (!st)
        st = owner_count(a, owner, more, fresh, err);
    now->created = fresh;
    now->session_id = owner->session;
    now->session_used = owner->session_used + (uint64_t)more;
    now->tenant_used = owner->tenant_used + (uint64_t)more;
    return st;
}

static quire_status put_inside(struct artifacts *a, int64_t tenant,
                               const char *key, const char *path,
                               quire_bytes content,
                               const quire_artifact_options *options,
                               const struct artifact_limits *limits,
                               struct arena *keep, quire_artifact *out,
                               quire_error *err)
{
    quire_blob_info blob;
    struct owner owner;
    quire_status st = owner_ensure(a, tenant, key, &owner, err);

    *out = (quire_artifact){.id = 0};
    if (!st)
        st = words_need(a, tenant, true, err);
    if (!st) {
        st = artifact_by_path(a, &owner, path, keep, out, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    if (!st)
        st = check_room(&owner, out->id ? out->size : 0, content.len, limits,
                        err);
    if (!st && out->id)
        st = words_drop(a, out, err);
    if (!st)
        st = blob_put(a->c.blobs, content, 0, &blob, err);
    if (st)
        return st;
    out->path = path;
    out->session = key;
    st = describe(out, content, options, keep, err);
    if (!st)
        st = put_rows(a, &owner, content, &blob.digest, limits->versions, out,
                      err);
    return st ? st : words_add(a, out, content, err);
}

quire_status artifact_put(struct artifacts *a, int64_t tenant, const char *key,
                          const char *path, quire_bytes content,
                          const quire_artifact_options *options,
                          const struct artifact_limits *limits,
                          struct arena *keep, quire_artifact *out,
                          quire_error *err)
{
    quire_status st = check_size(content.len, limits, err);

    if (!st)
        st = blobs_begin(a->c.blobs, err);
    if (st)
        return st;
    st = put_inside(a, tenant, key, path, content, options, limits, keep, out,
                    err);
    if (!st)
        st = blobs_commit(a->c.blobs, err);
    else
        blobs_rollback(a->c.blobs);
    if (st)
        words_release(&a->words);
    return st;
}

/* ---- list --------------------------------------------------------------- */

quire_status artifact_list(struct artifacts *a, const struct artifact_range *r,
                           quire_artifact_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    int which = r->session
                    ? (r->deleted ? SQL_LIST_SESSION_AWAY : SQL_LIST_SESSION)
                    : (r->deleted ? SQL_LIST_TENANT_AWAY : SQL_LIST_TENANT);
    struct stmt *s;
    quire_status st = sql_use(&a->sql, which, &s, err);

    if (st)
        return st;
    s->ops->bind_int(s, 1, r->session ? r->session : r->tenant);
    s->ops->bind_int(s, 2, r->before_us);
    s->ops->bind_int(s, 3, r->before_id);
    s->ops->bind_int(s, 4,
                     r->limit && r->limit < INT64_MAX ? (int64_t)r->limit : -1);
    while (!st && !(st = sql_row(s, err))) {
        quire_artifact one;

        arena_reset(&tmp);
        st = read_row(s, &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    s->ops->reset(s);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- away, back, gone --------------------------------------------------- */

quire_status artifacts_end(struct artifacts *a, quire_status st,
                           quire_error *err)
{
    struct db *db = a->c.db;

    if (!st)
        st = db->ops->commit(db, err);
    else
        db->ops->rollback(db);
    /* An index that was made in there is not there. */
    if (st)
        words_release(&a->words);
    return st;
}

/* Run a statement that takes an artifact from its place, and count it off if
 * it was living. */
static quire_status take_off(struct artifacts *a, struct stmt *s,
                             int64_t tenant, const quire_artifact *artifact,
                             quire_error *err)
{
    struct owner owner = {.tenant = tenant, .session = artifact->session_id};
    int64_t size = 0;
    bool living = false;
    quire_status st = sql_row(s, err);

    if (!st) {
        size = s->ops->column_int(s, 0);
        living = s->ops->column_int(s, 1) == 0;
    }
    s->ops->reset(s);
    return !st && living ? owner_count(a, &owner, -size, -1, err) : st;
}

/* SQL_PUT_AWAY or SQL_PURGE, in a transaction of its own. The row is read in
 * there: somebody may have changed it since it was found, and what is in the
 * index is what it says now. */
static quire_status take_away(struct artifacts *a, int which, int64_t tenant,
                              int64_t id, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct db *db = a->c.db;
    quire_artifact now;
    struct stmt *s;
    quire_status st = db->ops->begin(db, DB_DURABLE, err);

    if (st)
        return st;
    st = artifact_by_id(a, tenant, id, &tmp, &now, err);
    if (!st)
        st = words_need(a, tenant, true, err);
    if (!st && !now.deleted_us)
        st = words_drop(a, &now, err);
    if (!st)
        st = sql_use(&a->sql, which, &s, err);
    if (!st) {
        s->ops->bind_int(s, 1, id);
        if (which == SQL_PUT_AWAY)
            s->ops->bind_int(s, 2, clock_us(a->c.clock));
        st = take_off(a, s, tenant, &now, err);
    }
    arena_release(&tmp);
    return artifacts_end(a, st, err);
}

quire_status artifact_remove(struct artifacts *a, int64_t tenant, int64_t id,
                             quire_error *err)
{
    return take_away(a, SQL_PUT_AWAY, tenant, id, err);
}

quire_status artifact_purge(struct artifacts *a, int64_t tenant, int64_t id,
                            quire_error *err)
{
    return take_away(a, SQL_PURGE, tenant, id, err);
}

static quire_status bring_back(struct artifacts *a, const struct owner *owner,
                               quire_artifact *artifact, quire_error *err)
{
    quire_bytes content = {NULL, 0};
    struct stmt *s;
    quire_status st = words_need(a, owner->tenant, true, err);

    if (!st)
        st = blob_get(a->c.blobs, &artifact->digest, &content, err);
    if (!st)
        st = words_add(a, artifact, content, err);
    if (!st)
        st = sql_use(&a->sql, SQL_BRING_BACK, &s, err);
    if (st)
        return st;
    artifact->updated_us = clock_us(a->c.clock);
    artifact->deleted_us = 0;
    s->ops->bind_int(s, 1, artifact->id);
    s->ops->bind_int(s, 2, artifact->updated_us);
    st = sql_run(s, err);
    return st ? st : owner_count(a, owner, (int64_t)artifact->size, 1, err);
}

quire_status artifact_restore(struct artifacts *a, const struct owner *owner,
                              const char *path,
                              const struct artifact_limits *limits,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err)
{
    struct db *db = a->c.db;
    struct owner now = *owner;
    quire_status st = db->ops->begin(db, DB_DURABLE, err);

    if (st)
        return st;
    st = artifact_by_path(a, owner, path, keep, out, err);
    if (!st) {
        st = err_set(err, QUIRE_EXISTS, "there is a newer %s", path);
        err_next(err, "put that one away first, or give it another path");
    } else if (st == QUIRE_NOT_FOUND) {
        st = by_path(a, SQL_PUT_AWAY_LAST, owner->session, path, keep, out,
                     err);
    }
    if (!st)
        st = owner_find(a, owner->tenant, out->session, &now, err);
    if (!st)
        st = check_room(&now, 0, out->size, limits, err);
    if (!st)
        st = bring_back(a, &now, out, err);
    return artifacts_end(a, st, err);
}
