/*
 * message.c - JSON-RPC: parse messages
 *
 * Checks run in this order: JSON in UTF-8; an object with a method; the era; the
 * agreement of headers and body. The first failure is the answer, with the id if it
 * is known by then.
 */
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "mcp/priv.h"

/* ---- what HTTP says of it ---------------------------------------------- */

/* A header that says what the body says; what does not fit into a header is
 * spelled =?base64?...?= there. */
static bool header_agrees(const char *header, quire_bytes string)
{
    static const char opens[] = "=?base64?", closes[] = "?=";
    size_t len = header ? strlen(header) : 0;
    struct buf raw = BUF_INIT(1 << 20);
    bool same;

    if (!header)
        return false;
    if (len < sizeof opens + sizeof closes - 2 ||
        strncmp(header, opens, sizeof opens - 1) != 0 ||
        strcmp(header + len - 2, closes) != 0)
        return json_is(string, header);
    same = base64_decode(bytes_of(header + sizeof opens - 1,
                                  len - (sizeof opens - 1) - 2),
                         &raw) &&
           !raw.failed && json_equal(string, buf_bytes(&raw));
    buf_release(&raw);
    return same;
}

static bool headers_agree(struct mcp_call *c, quire_bytes method,
                          quire_bytes version, const struct mcp_via *via)
{
    static const struct {
        const char *method, *from;
    } named[] = {{"tools/call", "name"},
                 {"prompts/get", "name"},
                 {"resources/read", "uri"}};
    const char *wrong = NULL;
    size_t i;

    if (!header_agrees(via->version, version))
        wrong = "MCP-Protocol-Version";
    else if (!header_agrees(via->method, method))
        wrong = "Mcp-Method";
    for (i = 0; !wrong && i < sizeof named / sizeof *named; i++)
        if (json_is(method, named[i].method) &&
            !header_agrees(via->name, json_get(c->params, named[i].from)))
            wrong = "Mcp-Name";
    if (wrong)
        message_refuse(
            c, CODE_HEADERS, "give the header the value that the body has",
            "the header %s is missing, or does not say what the body says",
            wrong);
    return !wrong;
}

/* ---- eras -------------------------------------------------------------- */

static enum mcp_version version_of(const char *text)
{
    int i;

    for (i = N_VERSIONS - 1; text && i > V_NONE; i--)
        if (!strcmp(text, mcp_versions[i]))
            return (enum mcp_version)i;
    return V_NONE;
}

/* A request that says of itself what it is. */
static bool check_modern(struct mcp_call *c, quire_bytes method,
                         const struct mcp_via *via)
{
    quire_bytes meta = json_get(c->params, "_meta");
    quire_bytes version = json_get(meta, META "protocolVersion");

    c->version = V_2026_07_28;
    c->bad_meta = true;
    if (json_kind(version) != JSON_STRING) {
        message_refuse(c, CODE_PARAMS,
                       "or open with `initialize`, as until 2025-11-25",
                       "_meta has no " META "protocolVersion");
        return false;
    }
    if (via->http && !headers_agree(c, method, version, via))
        return false;
    if (!json_is(version, mcp_versions[V_2026_07_28])) {
        message_refuse(
            c, CODE_VERSION,
            "use 2026-07-28, or open with `initialize` for an earlier one",
            "unsupported version of the protocol");
        c->about = "requested";
        c->about_value = version;
        return false;
    }
    if (json_kind(json_get(meta, META "clientCapabilities")) != JSON_OBJECT) {
        message_refuse(c, CODE_PARAMS, "{} if there are none",
                       "_meta has no " META "clientCapabilities");
        return false;
    }
    c->bad_meta = false;
    return true;
}

/* One of a client that has introduced itself, or is about to. */
static bool check_legacy(struct mcp_call *c, const struct mcp_via *via)
{
    struct mcp *m = c->peer->m;

    pthread_mutex_lock(&m->lock);
    c->version = c->peer->version;
    pthread_mutex_unlock(&m->lock);
    if (c->version == V_NONE && via->http)
        c->version = via->version ? version_of(via->version) : V_2025_03_26;
    if (c->version != V_NONE || (c->method && c->method->opens))
        return true;
    c->bad_meta = true;
    message_refuse(c, CODE_PARAMS,
                   "send `initialize` first, or " META
                   "protocolVersion in _meta",
                   "missing version of the protocol");
    return false;
}

static bool is_modern(const struct mcp_call *c, const struct mcp_via *via)
{
    quire_bytes meta = json_get(c->params, "_meta");

    if (json_get(meta, META "protocolVersion").data)
        return true;
    if (via->http && via->version)
        return version_of(via->version) == V_NONE ||
               version_of(via->version) >= V_2026_07_28;
    return c->method && !c->method->legacy;
}

static bool check_era(struct mcp_call *c, quire_bytes method,
                      const struct mcp_via *via)
{
    bool modern;

    c->method = method_find(method);
    modern = is_modern(c, via);
    if (!(modern ? check_modern(c, method, via) : check_legacy(c, via)))
        return false;
    if (!c->method || !(modern ? c->method->modern : c->method->legacy)) {
        message_refuse(c, CODE_METHOD, NULL, "unknown method %.*s",
                       (int)utf8_cut(method, 100), (const char *)method.data);
        return false;
    }
    c->token = json_get(json_get(c->params, "_meta"), "progressToken");
    if (json_kind(c->token) != JSON_STRING &&
        json_kind(c->token) != JSON_NUMBER)
        c->token = bytes_of(NULL, 0);
    return true;
}

/* ---- a message --------------------------------------------------------- */

enum { M_JSONRPC, M_ID, M_METHOD, M_PARAMS, M_RESULT, M_ERROR, N_MEMBERS };

/* The members of a request, in their types; or it is refused. */
static bool check_members(struct mcp_call *c, const struct json_want *m)
{
    enum json_kind id = json_kind(m[M_ID].value);
    enum json_kind params = json_kind(m[M_PARAMS].value);

    if (id == JSON_STRING || id == JSON_NUMBER)
        c->id = m[M_ID].value;
    c->result = m[M_RESULT].value;
    if (!m[M_METHOD].value.data &&
        (m[M_RESULT].value.data || m[M_ERROR].value.data))
        return false; /* an answer: roots.c may have asked */
    if (!json_is(m[M_JSONRPC].value, "2.0"))
        message_refuse(c, CODE_REQUEST, NULL, "jsonrpc is not \"2.0\"");
    else if (json_kind(m[M_METHOD].value) != JSON_STRING)
        message_refuse(c, CODE_REQUEST, NULL, "method is not a string");
    else if (m[M_ID].value.data && !c->id.data)
        message_refuse(c, CODE_REQUEST, NULL,
                       "id is neither a string nor a number");
    else if (m[M_PARAMS].value.data && params != JSON_OBJECT &&
             params != JSON_NULL)
        message_refuse(c, CODE_PARAMS, NULL, "params is not an object");
    if (params == JSON_OBJECT)
        c->params = m[M_PARAMS].value;
    return !c->code;
}

bool message_read(struct mcp_call *c, quire_bytes text,
                  const struct mcp_via *via)
{
    struct json_want m[N_MEMBERS] = {
        [M_JSONRPC] = JSON_WANT("jsonrpc"), [M_ID] = JSON_WANT("id"),
        [M_METHOD] = JSON_WANT("method"),   [M_PARAMS] = JSON_WANT("params"),
        [M_RESULT] = JSON_WANT("result"),   [M_ERROR] = JSON_WANT("error"),
    };
    struct json_error e = {.why = NULL};

    c->http = via->http;
    if (!json_check(text, JSON_UTF8, &e)) {
        message_refuse(c, CODE_PARSE, "send one JSON object a line",
                       "byte %zu: %s", e.at, e.why ? e.why : "no JSON");
        return false;
    }
    if (!json_pick(text, m, N_MEMBERS, &e)) {
        message_refuse(c, CODE_REQUEST, NULL, "a message is an object");
        return false;
    }
    if (!check_members(c, m))
        return false;
    if (!c->id.data) { /* a notification */
        c->notice = m[M_METHOD].value;
        return false;
    }
    return check_era(c, m[M_METHOD].value, via);
}
