/*
 * endpoint.c - the Model Context Protocol over HTTP
 *
 * A message is a POST. Its answer is JSON; a long call or a subscription gets an
 * event stream at once. The session is named by the path, /mcp/<session>, or by
 * the header Quire-Session; the default is `temp`. src/mcp implements the protocol;
 * this file handles HTTP: content types, Mcp-Session-Id, statuses.
 *
 * Requests without an Mcp-Session-Id are served too, in any revision; the server
 * keeps no state for them.
 */
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/err.h"
#include "mcp/mcp.h"
#include "server/mcp/registry.h"
#include "server/priv.h"
#include "server/response_json.h"
#include "server/routes/handlers.h"

/* The first revision without client sessions. */
static const char stateless[] = "2026-07-28";

#define META "io.modelcontextprotocol/"

/* A request as parsed so far. */
struct visit {
    struct request *c;
    const char *session; /* its id, in the request's keep */
    struct mcp_via via;
    struct mcp_endpoint *endpoint;
    struct mcp_client *client; /* NULL: none */
    struct mcp_sse *sse;       /* the same */
};

static const char *header_text(struct request *c, const char *name)
{
    quire_bytes value = exchange_header(c->x, name);

    return value.data ? arena_text(&c->keep, value) : NULL;
}

/* ---- which session ------------------------------------------------------ */

/* Excludes paths, which quire_session_id() would accept. */
static bool is_plain(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

    return len > 0 && len <= 64 && !name[len];
}

static bool find_session(struct visit *v)
{
    struct request *c = v->c;
    const char *asked = c->match.params[0], *id;
    quire_error err;
    quire_status st;

    if (!asked)
        asked = header_text(c, "Quire-Session");
    if (!asked)
        asked = "temp";
    if (!is_plain(asked)) {
        request_refuse(c, 404, "not_found",
                       "name it by its id, or by the conversation's number",
                       "unknown session");
        return false;
    }
    v->session = asked;
    if (!strcmp(asked, "temp") || !strcmp(asked, "user"))
        return true;
    if (!asked[strspn(asked, "0123456789")])
        asked = arena_printf(&c->keep, "#%s", asked);
    st = asked ? quire_session_id(c->q, asked, &id, &err) : err_memory(&err);
    v->session = st ? NULL : arena_text(&c->keep, bytes_str(id));
    if (!st && !v->session)
        st = err_memory(&err);
    if (st)
        request_fail(c, st, &err);
    return !st;
}

/* ---- HTTP headers ------------------------------------------------------- */

static bool mentions(const char *list, const char *word)
{
    return list && strcasestr(list, word);
}

/* Without Accept a client takes anything. */
static bool accepts(struct request *c, const char *type)
{
    const char *list = header_text(c, "Accept");

    return !list || mentions(list, "*/*") || mentions(list, type);
}

static bool check_types(struct request *c)
{
    const char *type = header_text(c, "Content-Type");

    if (!mentions(type, "application/json")) {
        request_refuse(c, 415, "invalid", "send Content-Type: application/json",
                       "a message must be JSON");
        return false;
    }
    if (!accepts(c, "application/json") && !accepts(c, "text/event-stream")) {
        request_refuse(c, 406, "invalid",
                       "send Accept: application/json, text/event-stream",
                       "answers are JSON or event streams");
        return false;
    }
    return true;
}

static void read_headers(struct visit *v)
{
    v->via = (struct mcp_via){
        .http = true,
        .version = header_text(v->c, "MCP-Protocol-Version"),
        .method = header_text(v->c, "Mcp-Method"),
        .name = header_text(v->c, "Mcp-Name"),
    };
}

static void refuse_without_stream(struct request *c)
{
    request_refuse(c, 406, "invalid", "send Accept: text/event-stream, too",
                   "the answer is an event stream");
}

static void refuse_busy(struct request *c, quire_status st,
                        const quire_error *err)
{
    if (st == QUIRE_BUSY)
        request_refuse(c, 429, "too_many", err->next, "%s", err->what);
    else
        request_fail(c, st, err);
}

/* ---- the client --------------------------------------------------------- */

static bool is_stateless(const struct visit *v, quire_bytes message)
{
    return (v->via.version && !strcmp(v->via.version, stateless)) ||
           json_get(json_get(json_get(message, "params"), "_meta"),
                    META "protocolVersion")
               .data;
}

/* The client of the Mcp-Session-Id, if one was sent. False: answered. */
static bool find_client(struct visit *v)
{
    quire_bytes id = exchange_header(v->c->x, "Mcp-Session-Id");

    if (!id.data)
        return true;
    v->client = mcp_client_find(v->c->server->mcp_registry, v->c->tenant.id,
                                v->session, id);
    if (v->client)
        return true;
    request_refuse(v->c, 404, "not_found", "begin again with `initialize`",
                   "unknown or expired Mcp-Session-Id");
    return false;
}

/* A peer for the message: of its client, of the client that it creates, or one for
 * this message alone. */
static quire_status find_peer(struct visit *v, bool opens, quire_error *err)
{
    struct request *c = v->c;
    quire_status st = QUIRE_OK;

    if (v->client)
        return QUIRE_OK;
    st = mcp_endpoint_hold(c->server->mcp_registry, c->tenant.id, v->session,
                           &v->endpoint, err);
    if (!st && opens) {
        st = mcp_client_new(v->endpoint, &v->client, err);
        v->endpoint = NULL;
    } else if (!st) {
        st = mcp_sse_new(v->endpoint, NULL, &v->sse, err);
    }
    return st;
}

static void end_visit(struct visit *v)
{
    mcp_sse_free(v->sse);
    mcp_client_drop(v->client);
    mcp_endpoint_drop(v->endpoint);
}

/* ---- events ------------------------------------------------------------- */

/* The tool's answer as text, which every revision has. */
static quire_bytes data_of(struct visit *v, quire_bytes answer)
{
    quire_bytes content = json_get(json_get(answer, "result"), "content");
    struct json_scan it;

    if (json_kind(content) != JSON_ARRAY)
        return bytes_of(NULL, 0);
    json_iter_init(&it, content);
    if (!json_next(&it) || json_kind(json_get(it.value, "text")) != JSON_STRING)
        return bytes_of(NULL, 0);
    return json_get(json_text(json_get(it.value, "text"), &v->c->keep), "data");
}

static void publish_change(struct visit *v, quire_bytes answer)
{
    quire_bytes data = data_of(v, answer);
    quire_session_row row = {.number = 0};

    if (!data.data)
        return;
    if (strcmp(v->session, "temp") != 0 && strcmp(v->session, "user") != 0 &&
        quire_session_row_of(v->c->q, v->session, &row, NULL))
        row.number = 0;
    request_publish_workspace(v->c, row.number, data);
}

/* ---- answers ------------------------------------------------------------ */

static void answer_stream(struct request *c)
{
    response_header(&c->answer, "Content-Type", "text/event-stream");
    response_header(&c->answer, "Cache-Control", "no-store");
    response_header(&c->answer, "X-Accel-Buffering", "no");
}

static void answer_json(struct visit *v, struct mcp_call *m)
{
    struct request *c = v->c;
    quire_bytes text = mcp_answer(m, &c->answer.status);

    if (text.data) {
        buf_add(&c->answer.body, text.data, text.len);
        response_header(&c->answer, "Content-Type", "application/json");
        response_header(&c->answer, "Cache-Control", "no-store");
    } else {
        c->answer.status = 202; /* it was cancelled */
    }
}

/* A successful `initialize` creates a session. */
static void register_client(struct visit *v, struct mcp_call *m)
{
    quire_error err;
    quire_status st;

    if (json_get(mcp_answer(m, NULL), "error").data) {
        answer_json(v, m);
        return;
    }
    st = mcp_client_register(v->client, &err);
    if (st) {
        refuse_busy(v->c, st, &err);
        return;
    }
    answer_json(v, m);
    response_header(&v->c->answer, "Mcp-Session-Id", "%s",
                    mcp_client_id(v->client));
}

/* ---- running ------------------------------------------------------------ */

/* On a thread of its own: workers must not block for minutes. */
static void run_long(struct visit *v, struct mcp_call *m, quire_bytes message)
{
    quire_bytes token = json_get(json_get(json_get(message, "params"), "_meta"),
                                 "progressToken");
    quire_error err;
    quire_status st = QUIRE_OK;

    if (!accepts(v->c, "text/event-stream")) {
        refuse_without_stream(v->c);
        mcp_end(m);
        return;
    }
    if (!v->sse)
        st = mcp_sse_new(mcp_client_endpoint(v->client), v->client, &v->sse,
                         &err);
    if (!st)
        st = mcp_sse_run(v->sse, m, token, &v->c->answer.stream, &err);
    if (st) {
        mcp_refuse(m, &err);
        mcp_end(m);
        refuse_busy(v->c, st, &err);
    } else {
        v->sse = NULL;
        answer_stream(v->c);
    }
}

/* An open subscription belongs to the peer and ends with it. */
static void subscribe(struct visit *v)
{
    quire_error err;
    quire_status st =
        v->sse
            ? mcp_sse_subscribe(v->sse, &v->c->answer.stream, &err)
            : err_set(&err, QUIRE_INVALID,
                      "subscriptions/listen is not for clients with a session");

    if (st) {
        refuse_busy(v->c, st, &err);
    } else {
        v->sse = NULL;
        answer_stream(v->c);
    }
}

static void run_here(struct visit *v, struct mcp_call *m)
{
    struct mcp_endpoint *r = v->client ? mcp_client_endpoint(v->client)
                                       : v->endpoint;
    struct mcp_handle *h = NULL;
    quire_error err = {.what = ""};
    bool changes = mcp_state(m) == MCP_CHANGE, open = false;

    if (mcp_state(m) != MCP_READY) {
        if (mcp_handle_open(mcp_endpoint_mcp(r), v->c->q, &h, &err))
            mcp_refuse(m, &err);
        else
            open = mcp_do(m, h) == MCP_OPEN;
    }
    if (open) {
        subscribe(v);
    } else {
        answer_json(v, m);
        if (changes)
            publish_change(v, mcp_answer(m, NULL));
        mcp_end(m);
    }
    mcp_handle_close(h);
}

static void take_message(struct visit *v, quire_bytes message, bool opens)
{
    struct mcp_peer *p = v->client ? mcp_client_peer(v->client)
                                   : mcp_sse_peer(v->sse);
    struct mcp_call *m = mcp_begin(p, message, &v->via);

    if (!m) {
        v->c->answer.status = 202;
    } else if (opens) {
        register_client(v, m);
        mcp_end(m);
    } else if (mcp_state(m) == MCP_LONG) {
        run_long(v, m, message);
    } else {
        run_here(v, m);
    }
}

/* The messages of a batch, up to one more than any batch may have. */
static uint64_t count_messages(quire_bytes body)
{
    struct json_scan it;
    uint64_t n = 0;

    if (json_kind(body) != JSON_ARRAY)
        return 1;
    json_iter_init(&it, body);
    while (n <= MCP_BATCH_MAX && json_next(&it))
        n++;
    return n;
}

/* ---- operations --------------------------------------------------------- */

void route_mcp_post(struct request *c)
{
    struct visit v = {.c = c};
    quire_bytes message = exchange_body(c->x);
    bool modern, opens, listens;
    quire_error err;
    quire_status st;

    read_headers(&v);
    modern = is_stateless(&v, message);
    opens = !modern && json_is(json_get(message, "method"), "initialize") &&
            json_get(message, "id").data;
    listens = json_is(json_get(message, "method"), "subscriptions/listen");
    if (!auth_check_batch(c, count_messages(message)) || !find_session(&v) ||
        !check_types(c))
        return;
    if (listens && !accepts(c, "text/event-stream")) {
        refuse_without_stream(c);
        return;
    }
    if (!modern && !opens && !find_client(&v))
        return;
    st = find_peer(&v, opens, &err);
    if (st)
        refuse_busy(c, st, &err);
    else
        take_message(&v, message, opens);
    end_visit(&v);
}

/* The stream of notifications of a client with a session. */
void route_mcp_get(struct request *c)
{
    struct visit v = {.c = c};
    quire_error err;
    quire_status st;

    read_headers(&v);
    if (!find_session(&v))
        return;
    if (is_stateless(&v, bytes_of(NULL, 0)) ||
        !exchange_header(c->x, "Mcp-Session-Id").data) {
        request_refuse(
            c, 405, "method",
            "use subscriptions/listen, or open with `initialize` and "
            "send the Mcp-Session-Id",
            "a stream needs an Mcp-Session-Id");
        response_header(&c->answer, "Allow", "POST");
        return;
    }
    if (!accepts(c, "text/event-stream")) {
        refuse_without_stream(c);
        return;
    }
    if (!find_client(&v))
        return;
    st = mcp_sse_new(mcp_client_endpoint(v.client), v.client, &v.sse, &err);
    if (!st)
        st = mcp_sse_attend(v.sse, &c->answer.stream, &err);
    if (st) {
        refuse_busy(c, st, &err);
    } else {
        v.sse = NULL;
        answer_stream(c);
    }
    end_visit(&v);
}

void route_mcp_delete(struct request *c)
{
    struct visit v = {.c = c};

    read_headers(&v);
    if (!find_session(&v))
        return;
    if (is_stateless(&v, bytes_of(NULL, 0)) ||
        !exchange_header(c->x, "Mcp-Session-Id").data) {
        request_refuse(c, 405, "method",
                       "send the Mcp-Session-Id of the session to end",
                       "missing Mcp-Session-Id");
        response_header(&c->answer, "Allow", "POST");
        return;
    }
    if (!find_client(&v))
        return;
    mcp_client_end(v.client);
    c->answer.status = 204;
    end_visit(&v);
}
