/*
 * put.c - store an artifact
 *
 * A put is one transaction: the blob, the row, the version, the totals, and a
 * record that its text is to be indexed. The quotas are checked inside it,
 * under the write lock: concurrent puts run one after the other, and the second
 * sees what the first has used.
 *
 * A put is refused before anything is written. So a refusal changes nothing,
 * and puts of several writers can share a transaction without a savepoint each:
 * commit_queue.c.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "artifact/analyse.h"
#include "artifact/mime.h"
#include "artifact/priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

/* ---- quotas ------------------------------------------------------------- */

static quire_status report_over_quota(const char *whose, uint64_t after,
                                      uint64_t limit, quire_error *err)
{
    quire_status st = err_set(err, QUIRE_QUOTA,
                              "the artifacts of the %s would take %" PRIu64
                              " bytes, %" PRIu64 " above the quota of %" PRIu64,
                              whose, after, after - limit, limit);

    err_next(err, "remove some, or raise quota.%s", whose);
    return st;
}

quire_status artifact_check_quota(const struct session_row *row, uint64_t old,
                                  uint64_t bytes,
                                  const struct artifact_limits *limits,
                                  quire_error *err)
{
    uint64_t session = row->session_used - old + bytes;
    uint64_t tenant = row->tenant_used - old + bytes;

    if (bytes > old && session > limits->session)
        return report_over_quota("session", session, limits->session, err);
    if (bytes > old && tenant > limits->tenant)
        return report_over_quota("tenant", tenant, limits->tenant, err);
    return QUIRE_OK;
}

quire_status artifact_check_size(uint64_t bytes,
                                 const struct artifact_limits *limits,
                                 quire_error *err)
{
    if (bytes <= limits->file)
        return QUIRE_OK;
    return err_fail(err, QUIRE_TOO_LARGE,
                    "keep it as a blob, or raise quota.file",
                    "content has %" PRIu64 " bytes, above the limit of %" PRIu64
                    " for an artifact",
                    bytes, limits->file);
}

/* ---- rows ---------------------------------------------------------------- */

/* The tags as a JSON array, in `keep`. */
static const char *format_tags(const char *const *tags, struct arena *keep)
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

static const char *given_or_old(const char *given, const char *otherwise)
{
    return given ? given : otherwise;
}

/* Fill in the attributes after the put: those given, else the previous ones, and
 * what is derived from the content. *now is the old row, or empty. */
static quire_status describe(quire_artifact *now, quire_bytes content,
                             const quire_artifact_options *o,
                             struct arena *keep, quire_error *err)
{
    const char *by_name = mime_by_name(bytes_str(now->path));
    const char *const *tags;

    now->mime = given_or_old(o->mime,
                             by_name ? by_name : mime_by_content(content));
    now->purpose = given_or_old(o->purpose, given_or_old(now->purpose, ""));
    now->source = given_or_old(o->source, given_or_old(now->source, ""));
    now->agent = given_or_old(o->agent, given_or_old(now->agent, ""));
    now->meta = o->meta ? o->meta
                        : analyse_meta(given_or_old(now->meta, "{}"), now->mime,
                                       content, keep);
    if (o->tags || !now->tags) {
        tags = analyse_tags(now->mime, now->path, o->tags, keep);
        now->tags = tags ? format_tags(tags, keep) : NULL;
    }
    return now->tags && now->meta ? QUIRE_OK : err_memory(err);
}

static void bind_description(struct stmt *s, int at, const quire_artifact *now)
{
    stmt_bind_text(s, at, bytes_str(now->mime));
    stmt_bind_text(s, at + 1, bytes_str(now->purpose));
    stmt_bind_text(s, at + 2, bytes_str(now->source));
    stmt_bind_text(s, at + 3, bytes_str(now->agent));
    stmt_bind_text(s, at + 4, bytes_str(now->tags));
    stmt_bind_text(s, at + 5, bytes_str(now->meta));
    stmt_bind_int(s, at + 6, now->updated_us);
}

/* Its id is taken. */
static quire_status add_row(struct artifacts *a, const struct session_row *row,
                            const quire_artifact *now, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, row->tenant);
    stmt_bind_int(s, 2, row->session);
    stmt_bind_text(s, 3, bytes_str(now->path));
    stmt_bind_bytes(s, 4, bytes_of(now->digest.byte, sizeof now->digest));
    stmt_bind_int(s, 5, (int64_t)now->size);
    bind_description(s, 6, now);
    stmt_bind_int(s, 13, now->id);
    return stmt_post(s, err);
}

static quire_status change_row(struct artifacts *a, int64_t tenant,
                               const quire_artifact *now, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_CHANGE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, now->id);
    stmt_bind_int(s, 2, now->version);
    stmt_bind_bytes(s, 3, bytes_of(now->digest.byte, sizeof now->digest));
    stmt_bind_int(s, 4, (int64_t)now->size);
    bind_description(s, 5, now);
    stmt_bind_int(s, 12, tenant);
    return stmt_post(s, err);
}

static quire_status add_version(struct artifacts *a, int64_t tenant,
                                const quire_artifact *now, uint64_t keep_n,
                                quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_VERSION_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, now->id);
    stmt_bind_int(s, 2, now->version);
    stmt_bind_bytes(s, 3, bytes_of(now->digest.byte, sizeof now->digest));
    stmt_bind_int(s, 4, (int64_t)now->size);
    stmt_bind_text(s, 5, bytes_str(now->mime));
    stmt_bind_int(s, 6, now->updated_us);
    stmt_bind_int(s, 7, tenant);
    st = stmt_post(s, err);
    if (st || keep_n == 0 || (uint64_t)now->version <= keep_n)
        return st;
    st = sql_use(&a->sql, SQL_VERSION_DROP, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, now->id);
    stmt_bind_int(s, 2, now->version - (int64_t)keep_n);
    stmt_bind_int(s, 3, tenant);
    return stmt_post(s, err);
}

/* Write the rows of a put; put->out is the old row, or empty but for its path.
 * `next_id` was asked. */
static quire_status put_rows(struct artifacts *a, const struct session_row *row,
                             const struct put *put, const quire_digest *digest,
                             struct stmt *next_id, quire_error *err)
{
    quire_artifact *now = put->out;
    bool fresh = now->id == 0;
    bool same = !fresh &&
                !memcmp(now->digest.byte, digest->byte, sizeof digest->byte);
    int64_t more = (int64_t)put->what->content.len -
                   (fresh ? 0 : (int64_t)now->size);
    quire_status st = fresh ? sql_take_number(next_id, &now->id, err)
                            : QUIRE_OK;

    now->size = put->what->content.len;
    now->digest = *digest;
    now->version += !same;
    now->updated_us = clock_us(put->clock);
    if (fresh)
        now->created_us = now->updated_us;
    if (!st)
        st = fresh ? add_row(a, row, now, err)
                   : change_row(a, row->tenant, now, err);
    if (!st && !same)
        st = add_version(a, row->tenant, now, put->what->limits->versions, err);
    if (!st)
        st = session_row_count(a->c.catalog, row, more, fresh, err);
    now->created = fresh;
    now->session_id = row->session;
    now->session_used = row->session_used + (uint64_t)more;
    now->tenant_used = row->tenant_used + (uint64_t)more;
    return st;
}

/* ---- one put ------------------------------------------------------------ */

/* Everything that a put has to know, asked in one flight (store/db.h). What turns
 * out not to be needed is not read. */
struct put_asked {
    struct session_asked session;
    struct place_asked place;
    struct stmt *old, *next_id;
    struct stmt *removal; /* NULL: the session has no file */
    bool has_files;       /* are rows: the removal says that one is gone */
    quire_digest digest;
};

static quire_status ask_put(struct artifacts *a, struct blob_view v,
                            const struct artifact_new *what,
                            struct put_asked *asked, quire_error *err)
{
    struct catalog *c = a->c.catalog;
    quire_status st = session_row_ask(c, what->tenant, what->key,
                                      &asked->session, err);

    asked->removal = NULL;
    asked->has_files = c->has_files;
    if (!st && what->file)
        st = removal_ask(c, what->name, &asked->removal, err);
    if (!st)
        st = artifact_path_ask(a, what->tenant, what->key, what->path,
                               &asked->old, err);
    if (!st)
        st = artifact_place_ask(a, what->tenant, what->key, what->path,
                                &asked->place, err);
    if (!st)
        st = sql_use(&a->sql, SQL_NEXT_ID, &asked->next_id, err);
    if (!st)
        stmt_ask(asked->next_id);
    return st ? st : blob_put_ask(v, what->content, &asked->digest, err);
}

/* The session may have been removed while this put waited for the write lock:
 * its artifact would belong to no session. */
static quire_status check_session(struct put_asked *asked,
                                  const struct artifact_new *what,
                                  quire_error *err)
{
    bool pending = false;
    quire_status st = stmt_step(asked->removal, &pending, err);

    stmt_reset(asked->removal);
    if (st || (!pending && (asked->has_files || access(what->file, F_OK) == 0)))
        return st;
    return err_fail(err, QUIRE_NOT_FOUND,
                    HINT_SHELL "`quire session ls` lists the sessions",
                    "session %.60s has been removed", what->key);
}

quire_status artifact_check_expected(const quire_artifact *now,
                                     const char *expect, const char *path,
                                     quire_error *err)
{
    char hex[2 * sizeof now->digest.byte + 1] = "none";

    if (now->id)
        hex_encode(now->digest.byte, sizeof now->digest.byte, hex);
    if (!expect || !strncmp(expect, hex, sizeof hex))
        return QUIRE_OK;
    return err_fail(err, QUIRE_CHANGED, "read it again before changing it",
                    "%s has changed: its content is not the expected one",
                    path);
}

/* Check that the put is allowed and fits; writes nothing. */
static quire_status check_put(struct put_asked *asked, struct put *put,
                              struct session_row *row, quire_error *err)
{
    quire_artifact *out = put->out;
    bool fresh = false;
    uint64_t old;
    quire_status st = session_row_take(&asked->session, row, err);

    *out = (quire_artifact){.id = 0};
    if (!st && row->disabled) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL "`quire tenant enable` enables it",
                      "the tenant is disabled");
    }
    if (!st && !row->session && asked->removal)
        st = check_session(asked, put->what, err);
    if (!st && row->session) {
        st = artifact_take(asked->old, put->keep, out, err);
        fresh = st == QUIRE_NOT_FOUND;
        if (fresh)
            st = QUIRE_OK;
    }
    if (!st)
        st = artifact_check_expected(out, put->what->options->expect,
                                     put->what->path, err);
    if (!st && fresh)
        st = artifact_place_take(&asked->place, err);
    if (st)
        return st;
    /* A refusal reports the totals that the put would have reached. */
    old = out->id ? out->size : 0;
    out->session_used = row->session_used - old + put->what->content.len;
    out->tenant_used = row->tenant_used - old + put->what->content.len;
    return artifact_check_quota(row, old, put->what->content.len,
                                put->what->limits, err);
}

/* Whether a put has changed nothing visible. */
static bool is_same(const quire_artifact *a, const quire_artifact *b)
{
    return a->version == b->version && !strcmp(a->mime, b->mime) &&
           !strcmp(a->purpose, b->purpose) && !strcmp(a->source, b->source) &&
           !strcmp(a->agent, b->agent) && !strcmp(a->tags, b->tags) &&
           !strcmp(a->meta, b->meta);
}

quire_status artifact_put_inside(struct artifacts *a, struct put *put,
                                 bool *wrote, quire_error *err)
{
    int64_t tenant = put->what->tenant;
    struct blob_view v = {a->c.blobs, tenant == TENANT_DEFAULT ? 0 : tenant};
    quire_artifact *out = put->out, had;
    quire_blob_info blob;
    struct session_row row;
    struct put_asked asked;
    quire_status st = ask_put(a, v, put->what, &asked, err);

    if (!st)
        st = check_put(&asked, put, &row, err);

    /* After any other failure the transaction may have ended. */
    *wrote = st != QUIRE_QUOTA && st != QUIRE_NOT_FOUND &&
             st != QUIRE_INVALID && st != QUIRE_CHANGED && st != QUIRE_EXISTS;
    if (!st && !row.session)
        st = session_row_add(a->c.catalog, &asked.session, &row, err);
    if (!st)
        st = blob_put_asked(v, put->what->content, &asked.digest,
                            QUIRE_PUT_MOVE, &blob, err);
    if (st)
        return st;
    had = *out;
    out->path = put->what->path;
    out->session = put->what->key;
    st = describe(out, put->what->content, put->what->options, put->keep, err);
    if (!st)
        st = put_rows(a, &row, put, &blob.digest, asked.next_id, err);
    out->unchanged = !st && had.id && is_same(&had, out);
    if (!st && !out->unchanged)
        st = artifact_log_change(a, put->what->tenant, out->id, err);
    return st;
}

quire_status artifact_put_all(struct artifacts *a,
                              const struct artifact_new *list, size_t n,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;
    bool wrote;
    size_t i;

    for (i = 0; i < n && !st; i++)
        st = artifact_check_size(list[i].content.len, list[i].limits, err);
    if (!st)
        st = blobs_begin(a->c.blobs, n ? list[0].tenant : DB_ALL_TENANTS, err);
    if (st)
        return st;
    for (i = 0; i < n && !st; i++) {
        struct put put = {.what = &list[i],
                          .clock = a->c.catalog->clock,
                          .relaxed = a->c.catalog->relaxed,
                          .keep = keep,
                          .out = &out[i]};

        st = artifact_put_inside(a, &put, &wrote, err);
    }
    if (!st)
        st = blobs_commit(a->c.blobs, err);
    else
        blobs_rollback(a->c.blobs);
    return st;
}
