/*
 * artifacts.c - artifacts: as JSON, and as files with any bytes
 *
 * If the address names a conversation, an artifact of another one is not found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "server/page.h"
#include "server/server.h"
#include "server/publish.h"
#include "server/blob_response.h"
#include "server/routes/handlers.h"
#include "view/diff_json.h"

static void add_hex(const quire_digest *d, char out[65])
{
    hex_encode(d->byte, sizeof d->byte, out);
}

static void put_members(struct request *c, const quire_artifact *a)
{
    char hex[65];

    add_hex(&a->digest, hex);
    put_number(c, "id", a->id);
    put_number(c, "tenant_id", c->tenant.id);
    put_number(c, "conversation_id", a->session_id);
    put_text(c, "path", a->path);
    put_text(c, "sha256", hex);
    put_text(c, "mime_type", a->mime);
    put_number(c, "size", (int64_t)a->size);
    put_number(c, "version", a->version);
    put_text(c, "purpose", a->purpose);
    put_text(c, "source_agent_id", a->agent);
    json_put_raw(&c->w, "tags", bytes_str(a->tags));
    put_time(c, "created_at", a->created_us);
    put_time(c, "updated_at", a->updated_us);
}

void put_artifact(struct request *c, const quire_artifact *a)
{
    json_object(&c->w);
    put_members(c, a);
    json_object_end(&c->w);
}

/* ---- lists -------------------------------------------------------------- */

static quire_status give(void *ctx, const quire_artifact *a, quire_error *err)
{
    struct page *p = ctx;
    quire_status st = page_take(p, a->updated_us, a->id);

    (void)err;
    if (!st)
        put_artifact(p->c, a);
    return st;
}

/* `used`: bytes of all artifacts, other pages included. */
static void list_artifacts(struct request *c, const char *session,
                           int64_t number, uint64_t used)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    struct page p = {.c = c, .limit = request_limit(c)};
    quire_error err;
    quire_status st;

    if (!request_cursor(c, &o.before_us, &o.before_id))
        return;
    o.all_sessions = !session;
    o.limit = p.limit + 1;
    o.deleted = request_flag(c, "deleted", false);
    page_begin(&p, "artifacts");
    st = quire_artifact_list(c->q, session, &o, give, &p, &err);
    page_end_rows(&p);
    if (session)
        put_number(c, "conversation_id", number);
    put_number(c, "bytes_used", (int64_t)used);
    put_number(c, "tenant_bytes_used", (int64_t)c->tenant.used);
    page_put_cursor(&p);
    page_end(&p, st, &err);
}

void route_artifacts_list(struct request *c)
{
    const char *session = request_session(c);
    quire_session_row row;
    quire_error err;
    quire_status st;

    if (!session)
        return;
    st = quire_session_row_of(c->q, session, &row, &err);
    if (st)
        request_fail(c, st, &err);
    else
        list_artifacts(c, session, row.number, row.artifact_bytes);
}

void route_artifacts_all(struct request *c)
{
    list_artifacts(c, NULL, 0, c->tenant.used);
}

static quire_status give_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    struct request *c = ctx;
    char score[32];

    (void)err;
    json_object(&c->w);
    put_members(c, &hit->artifact);
    snprintf(score, sizeof score, "%.6f", hit->score);
    json_put_raw(&c->w, "score", bytes_str(score));
    put_text(c, "snippet", hit->snippet);
    json_object_end(&c->w);
    return QUIRE_OK;
}

void route_artifacts_search(struct request *c)
{
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    quire_error err;
    quire_status st;
    int partial = 0;

    o.all_sessions = 1;
    o.tag = request_text(c, "tag");
    o.mime = request_text(c, "mime");
    o.limit = request_limit(c);
    json_object(&c->w);
    json_key(&c->w, "results");
    json_array(&c->w);
    /* A query without words finds nothing. */
    st = o.fts || quire_memory_query_has_words(request_bytes(c, "q"))
             ? quire_artifact_search(c->q, NULL, request_text(c, "q"), &o,
                                     give_hit, c, &partial, &err)
             : QUIRE_OK;
    json_array_end(&c->w);
    put_flag(c, "partial", partial);
    json_object_end(&c->w);
    if (st && st != QUIRE_NOT_FOUND)
        request_fail(c, st, &err);
}

/* ---- putting ------------------------------------------------------------ */

/* The failure of a conditional write. */
static void fail_expected(struct request *c, quire_status st,
                          const quire_error *err)
{
    if (st == QUIRE_CHANGED)
        request_fail_as(c, 412, "changed", "read it again, and retry", err);
    else
        request_fail(c, st, err);
}

static void answer_put(struct request *c, const quire_artifact *a)
{
    char hex[65];

    add_hex(&a->digest, hex);
    c->answer.status = a->created ? 201 : 200;
    c->unchanged = a->unchanged;
    response_header(&c->answer, "ETag", "\"%s\"", hex);
    json_object(&c->w);
    json_key(&c->w, "artifact");
    put_artifact(c, a);
    put_flag(c, "created", a->created);
    put_number(c, "conversation_used_bytes", (int64_t)a->session_used);
    put_number(c, "tenant_used_bytes", (int64_t)a->tenant_used);
    json_object_end(&c->w);
}

static void put(struct request *c, const char *session, const char *path,
                quire_bytes content, quire_artifact_options *o)
{
    quire_artifact a;
    quire_error err;
    quire_status st = quire_artifact_put(c->q, session, path, content, o, &a,
                                         &err);

    if (st)
        fail_expected(c, st, &err);
    else
        answer_put(c, &a);
}

/* Check If-Match and If-None-Match. *seen is the digest that was found, for the
 * options of the write; NULL: no condition. False: answered. */
static bool check_expected(struct request *c, const char *session,
                           const char *path, const char **seen)
{
    quire_bytes match = exchange_header(c->x, "If-Match");
    quire_bytes none = exchange_header(c->x, "If-None-Match");
    quire_artifact a;
    quire_error err;
    char hex[65];
    bool there;

    *seen = NULL;
    if (!match.data && !none.data)
        return true;
    there = !quire_artifact_stat(c->q, session, path, NULL, &a, &err);
    if (there)
        add_hex(&a.digest, hex);
    if ((match.data &&
         !(there && blob_response_etag_matches(match, hex, ETAG_SAME))) ||
        (none.data && there &&
         blob_response_etag_matches(none, hex, ETAG_WEAK))) {
        request_refuse(c, 412, "changed", "read it again, and retry",
                       "%s does not match the condition", path);
        return false;
    }
    *seen = there ? arena_text(&c->keep, bytes_str(hex)) : "none";
    if (!*seen)
        request_fail(c, err_memory(&err), &err);
    return *seen;
}

void route_artifacts_add(struct request *c)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    struct buf raw = BUF_INIT((size_t)1 << 31);
    const char *session = request_session(c),
               *encoding = request_text(c, "encoding");
    const char *path = request_text(c, "path");
    quire_bytes content;

    if (!session || !check_expected(c, session, path, &o.expect))
        return;
    content = json_text(request_json(c, "content"), &c->keep);
    o.mime = request_text(c, "mime_type");
    if (o.mime && !*o.mime)
        o.mime = NULL;
    o.purpose = request_text(c, "purpose");
    o.agent = request_text(c, "source_agent_id");
    o.tags = request_texts(c, "tags");
    if (encoding && !strcmp(encoding, "base64")) {
        if (!base64_decode(content, &raw))
            request_refuse(c, 400, "invalid",
                           "send base64, or leave encoding out",
                           "content is not base64");
        else
            put(c, session, path, buf_bytes(&raw), &o);
    } else if (encoding && strcmp(encoding, "text") != 0) {
        request_refuse(c, 400, "invalid", "encoding is text or base64",
                       "unknown encoding");
    } else {
        put(c, session, path, content, &o);
    }
    buf_release(&raw);
}

/* ---- getting ------------------------------------------------------------ */

/* The artifact by its id, in the conversation if the path names one. False:
 * answered. */
static bool find_artifact(struct request *c, int index, int64_t conversation,
                          quire_artifact *out)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_error err;
    quire_status st;

    o.any_session = 1;
    o.version = (int64_t)request_number(c, "version", 0);
    st = quire_artifact_stat(c->q, NULL, request_ref(c, index), &o, out, &err);
    if (!st && conversation && out->session_id != conversation) {
        st = err_set(&err, QUIRE_NOT_FOUND,
                     "no artifact %s in conversation %lld",
                     request_ref(c, index), (long long)conversation);
        err_next(&err, "GET /v1/conversations/%lld/artifacts lists them",
                 (long long)conversation);
    }
    if (st)
        request_fail(c, st, &err);
    return !st;
}

/* Routes end in ":aid" or have it before their last word; the conversation, if
 * any, is the first parameter. */
static bool find_of_route(struct request *c, quire_artifact *out)
{
    int64_t session = 0;

    if (!c->match.params[1])
        return find_artifact(c, 0, 0, out);
    return request_session_number(c, &session) &&
           find_artifact(c, 1, session, out);
}

void route_artifacts_get(struct request *c)
{
    quire_artifact a;

    if (find_of_route(c, &a))
        put_artifact(c, &a);
}

static quire_status give_version(void *ctx, const quire_artifact *a,
                                 quire_error *err)
{
    (void)err;
    put_artifact(ctx, a);
    return QUIRE_OK;
}

void route_artifacts_versions(struct request *c)
{
    quire_artifact a;
    quire_error err;
    quire_status st;
    const char *session;

    if (!find_of_route(c, &a))
        return;
    session = arena_text(&c->keep, bytes_str(a.session));
    json_object(&c->w);
    json_key(&c->w, "versions");
    json_array(&c->w);
    st = quire_artifact_versions(c->q, session,
                                 request_ref(c, c->match.params[1] ? 1 : 0),
                                 give_version, c, &err);
    json_array_end(&c->w);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
}

void route_artifacts_restore(struct request *c)
{
    const char *session = request_session(c);
    quire_artifact a;
    quire_error err;
    quire_status st;

    if (!session)
        return;
    st = quire_artifact_restore(c->q, session, request_text(c, "path"), &a,
                                &err);
    if (st)
        request_fail(c, st, &err);
    else
        put_artifact(c, &a);
}

/* ---- raw ---------------------------------------------------------------- */

void route_artifacts_raw(struct request *c)
{
    quire_artifact a;

    if (find_of_route(c, &a))
        blob_response_send(c, &a.digest, a.size, a.mime);
}

/* ---- comparing versions ------------------------------------------------- */

/* Content of a version, which is compared only up to this size. */
#define DIFF_BYTES ((size_t)16 << 20)
enum { DIFF_LINES = 20000 };

static quire_status read_version(struct request *c, int64_t version,
                                 struct buf *out, quire_error *err)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;

    o.version = version;
    o.any_session = 1;
    return quire_artifact_get(c->q, NULL,
                              request_ref(c, c->match.params[1] ? 1 : 0), &o,
                              buf_write, out, NULL, err);
}

static quire_status put_versions(struct request *c, quire_bytes before,
                                 quire_bytes after, int64_t from, int64_t to,
                                 quire_error *err)
{
    quire_diff_summary sum;
    quire_status st;
    bool cut;

    json_object(&c->w);
    put_number(c, "from", from);
    put_number(c, "to", to);
    json_key(&c->w, "hunks");
    st = view_diff(before, after, DIFF_LINES, &c->w, &sum, &cut, err);
    put_number(c, "added", (int64_t)sum.added);
    put_number(c, "removed", (int64_t)sum.removed);
    put_flag(c, "binary", sum.is_binary);
    put_flag(c, "cut", cut);
    json_object_end(&c->w);
    return st;
}

/* The version before the first is empty. */
void route_artifacts_diff(struct request *c)
{
    struct buf before = BUF_INIT(DIFF_BYTES), after = BUF_INIT(DIFF_BYTES);
    int64_t from, to;
    quire_artifact a;
    quire_error err;
    quire_status st;

    if (!find_of_route(c, &a))
        return;
    to = (int64_t)request_number(c, "to", (uint64_t)a.version);
    from = (int64_t)request_number(c, "from", to > 1 ? (uint64_t)to - 1 : 0);
    st = from ? read_version(c, from, &before, &err) : QUIRE_OK;
    if (!st)
        st = read_version(c, to, &after, &err);
    if (!st)
        st = put_versions(c, buf_bytes(&before), buf_bytes(&after), from, to,
                          &err);
    if (before.failed || after.failed)
        request_refuse(c, 413, "too_large", "read both versions instead",
                       "a version is too large to be compared");
    else if (st)
        request_fail(c, st, &err);
    buf_release(&before);
    buf_release(&after);
}

/* ---- files -------------------------------------------------------------- */

/* The failure to find the file of a path. */
static void fail_file(struct request *c, quire_status st,
                      const quire_error *err)
{
    if (st == QUIRE_NOT_FOUND && !request_json(c, "version").data)
        request_refuse(c, 404, "not_found",
                       "GET /v1/conversations/:id/artifacts lists them",
                       "no file %.200s in conversation %s", c->match.params[1],
                       c->match.params[0]);
    else
        fail_expected(c, st, err);
}

void route_files_put(struct request *c)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire_bytes type = exchange_header(c->x, "Content-Type");
    const char *session = request_session(c);

    if (!session || !check_expected(c, session, c->match.params[1], &o.expect))
        return;
    if (type.len > 0 &&
        !bytes_equal(type, bytes_str("application/x-www-form-urlencoded")))
        o.mime = arena_text(&c->keep, type);
    put(c, session, c->match.params[1], exchange_body(c->x), &o);
}

void route_files_get(struct request *c)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    const char *session = request_session(c);
    quire_artifact a;
    quire_error err;
    quire_status st;

    if (!session)
        return;
    o.version = (int64_t)request_number(c, "version", 0);
    st = quire_artifact_stat(c->q, session, c->match.params[1], &o, &a, &err);
    if (st)
        fail_file(c, st, &err);
    else
        blob_response_send(c, &a.digest, a.size, a.mime);
}

/* The library compares again: another writer may have changed it in between. */
static void remove_expected(struct request *c, const char *session,
                            const char *which)
{
    const char *seen;
    quire_error err;
    quire_status st;

    if (!check_expected(c, session, which, &seen))
        return;
    st = quire_artifact_remove_expected(c->q, session, which,
                                        request_flag(c, "purge", false), seen,
                                        &err);
    if (st && *which != '#')
        fail_file(c, st, &err);
    else if (st)
        fail_expected(c, st, &err);
    else
        answer_deleted(c, st, &err);
}

void route_files_remove(struct request *c)
{
    const char *session = request_session(c);

    if (session)
        remove_expected(c, session, c->match.params[1]);
}

void route_artifacts_remove(struct request *c)
{
    quire_artifact a;

    if (!find_of_route(c, &a))
        return;
    c->conversation = a.session_id > 0 ? a.session_id : 0;
    c->path = arena_text(&c->keep, bytes_str(a.path));
    remove_expected(c, arena_text(&c->keep, bytes_str(a.session)),
                    request_ref(c, c->match.params[1] ? 1 : 0));
}

/* ---- the tool ----------------------------------------------------------- */

/* Only changes of artifacts are published, not of the scratchpad. */
void request_publish_workspace(struct request *c, int64_t conversation,
                               quire_bytes data)
{
    quire_bytes action = json_get(data, "action");
    bool writes = json_is(action, "write");
    struct buf out = BUF_INIT(16 * 1024);
    struct json_writer w;

    if ((!writes && !json_is(action, "delete")) ||
        !json_is(json_get(data, "scope"), "artifact"))
        return;
    json_begin(&w, &out);
    json_object(&w);
    if (conversation) {
        json_put_int(&w, "conversation_id", conversation);
    }
    json_put_raw(&w, "id", json_get(data, "artifact_id"));
    json_put_raw(&w, "path", json_get(data, "filename"));
    if (writes) {
        json_put_raw(&w, "version", json_get(data, "version"));
    }
    json_object_end(&w);
    if (!out.failed)
        request_publish_one(c,
                            writes ? EVENT_ARTIFACT_WRITTEN
                                   : EVENT_ARTIFACT_REMOVED,
                            conversation, buf_bytes(&out));
    buf_release(&out);
}

/* Copy the answer with paths relative to the home: clients must not learn the
 * server's directories. */
static void add_answer(struct request *c, quire_bytes answer)
{
    const char *home = server_home(c->server);
    quire_bytes value = json_get(json_get(answer, "data"), "path"), path;
    struct buf quoted = BUF_INIT(64 * 1024);
    struct json_edits edits;
    size_t len = strlen(home);

    json_edits_init(&edits, answer, &c->keep);
    path = json_kind(value) == JSON_STRING ? json_text(value, &c->keep)
                                           : bytes_of(NULL, 0);
    if (path.len > len + 1 && bytes_starts(path, bytes_str(home))) {
        json_add_quoted(&quoted, bytes_sub(path, len + 1, path.len));
        json_edit_value(&edits, value, buf_bytes(&quoted));
    }
    json_splice(&edits, &c->answer.body);
    buf_release(&quoted);
}

void route_workspace(struct request *c)
{
    const char *session = request_session(c);
    quire_workspace *w = NULL;
    quire_bytes answer, request = exchange_body(c->x);
    int64_t number;
    quire_error err;
    quire_status st;

    if (!session)
        return;
    if (!json_check(request, 0, NULL) || json_kind(request) != JSON_OBJECT) {
        request_refuse(
            c, 400, "invalid",
            "send {\"action\":\"list\"}, or see the schema of the tool",
            "the body is not a JSON object");
        return;
    }
    st = quire_workspace_open(c->q, session, &w, &err);
    if (!st)
        st = quire_workspace_call(w, request, &answer, &err);
    if (st)
        request_fail(c, st, &err);
    else
        add_answer(c, answer);
    if (!st && request_session_number(c, &number))
        request_publish_workspace(c, number, json_get(answer, "data"));
    quire_workspace_close(w);
}
