/*
 * answer.c - format answers, refusals and notifications, and send them
 *
 * The first refusal of a call is its answer.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "mcp/priv.h"

const char *const mcp_versions[N_VERSIONS] = {
    [V_NONE] = "",
    [V_2024_11_05] = "2024-11-05",
    [V_2025_03_26] = "2025-03-26",
    [V_2025_06_18] = "2025-06-18",
    [V_2025_11_25] = "2025-11-25",
    [V_2026_07_28] = "2026-07-28",
};

const char mcp_too_long[] =
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
    "\"the message has more than 64 MiB\",\"data\":{\"kind\":\"too_large\","
    "\"hint\":\"send less at once\"}}}";

/* ---- refusals ---------------------------------------------------------- */

void message_refuse(struct mcp_call *c, int code, const char *hint,
                    const char *fmt, ...)
{
    va_list ap;

    if (c->code)
        return; /* the first failure is reported */
    c->code = code;
    c->kind = code == CODE_INTERNAL ? "io" : "invalid";
    snprintf(c->hint, sizeof c->hint, "%s", hint ? hint : "");
    va_start(ap, fmt);
    vsnprintf(c->message, sizeof c->message, fmt, ap);
    va_end(ap);
}

void message_refuse_memory(struct mcp_call *c)
{
    message_refuse(c, CODE_INTERNAL, "try again later", "out of memory");
}

const char *message_hint(quire_status st, const quire_error *err)
{
    if (err->audience == QUIRE_FOR_ALL)
        return err->next;
    switch (st) {
    case QUIRE_NOT_FOUND: return "list what exists, and name one of these";
    case QUIRE_BUSY: return "try again later";
    case QUIRE_INVALID:
    case QUIRE_TOO_LARGE: return "change what the message names";
    default: return "ask the user to look at the store";
    }
}

void message_refuse_status(struct mcp_call *c, quire_status st,
                           const quire_error *err)
{
    bool theirs = st == QUIRE_INVALID || st == QUIRE_NOT_FOUND ||
                  st == QUIRE_TOO_LARGE;

    message_refuse(c, theirs ? CODE_PARAMS : CODE_INTERNAL,
                   message_hint(st, err), "%s", err->what);
    c->kind = quire_status_name(st);
}

/* ---- answers ----------------------------------------------------------- */

static void begin_answer(struct mcp_call *c)
{
    buf_clear(&c->answer);
    json_begin(&c->w, &c->answer);
    json_object(&c->w);
    json_put_str(&c->w, "jsonrpc", "2.0");
    json_key(&c->w, "id");
    if (c->id.data)
        json_raw(&c->w, c->id);
    else
        json_null(&c->w);
}

void answer_begin(struct mcp_call *c)
{
    begin_answer(c);
    json_key(&c->w, "result");
    json_object(&c->w);
    if (c->version != V_2026_07_28)
        return;
    json_put_str(&c->w, "resultType", "complete");
    json_key(&c->w, "_meta");
    json_object(&c->w);
    if (c->listens) {
        json_put_raw(&c->w, META "subscriptionId", c->id);
    }
    put_raw(&c->w, META "serverInfo",
            "{\"name\":\"quire\",\"version\":\"" QUIRE_VERSION "\"}");
    json_object_end(&c->w);
}

void answer_cache(struct mcp_call *c, int64_t ttl_ms, bool public)
{
    if (c->version != V_2026_07_28)
        return;
    json_put_int(&c->w, "ttlMs", ttl_ms);
    json_put_str(&c->w, "cacheScope", public ? "public" : "private");
}

static void put_error(struct mcp_call *c)
{
    int i;

    json_key(&c->w, "error");
    json_object(&c->w);
    json_put_int(&c->w, "code", c->code);
    json_put_str(&c->w, "message", c->message);
    json_key(&c->w, "data");
    json_object(&c->w);
    if (c->code == CODE_VERSION) {
        json_key(&c->w, "supported");
        json_array(&c->w);
        for (i = N_VERSIONS - 1; i > V_NONE; i--)
            json_str(&c->w, mcp_versions[i]);
        json_array_end(&c->w);
    }
    if (c->about) {
        json_put_raw(&c->w, c->about, c->about_value);
    }
    json_put_str(&c->w, "kind", c->kind);
    if (*c->hint)
        json_put_str(&c->w, "hint", c->hint);
    json_object_end(&c->w);
    json_object_end(&c->w);
}

void answer_end(struct mcp_call *c)
{
    if (!c->code && !c->answer.failed) {
        json_object_end(&c->w);
        json_object_end(&c->w);
    }
    if (c->answer.failed)
        message_refuse_memory(c);
    if (c->code) {
        begin_answer(c);
        put_error(c);
        json_object_end(&c->w);
    }
    c->state = MCP_READY;
}

void notification_begin(struct json_writer *w, struct buf *out,
                        const char *method, const struct mcp_call *listen)
{
    json_begin(w, out);
    json_object(w);
    json_put_str(w, "jsonrpc", "2.0");
    json_put_str(w, "method", method);
    json_key(w, "params");
    json_object(w);
    if (!listen)
        return;
    json_key(w, "_meta");
    json_object(w);
    json_put_raw(w, META "subscriptionId", listen->id);
    json_object_end(w);
}

void notification_end(struct json_writer *w)
{
    json_object_end(w);
    json_object_end(w);
}

/* ---- parameters -------------------------------------------------------- */

const char *message_text(struct mcp_call *c, quire_bytes object,
                         const char *key)
{
    quire_bytes value = json_get(object, key), text;

    if (json_kind(value) != JSON_STRING)
        return NULL;
    text = json_text(value, &c->keep);
    if (!text.data || memchr(text.data, '\0', text.len))
        return NULL;
    return arena_text(&c->keep, text);
}

bool message_same_id(quire_bytes a, quire_bytes b)
{
    struct arena keep = ARENA_INIT;
    bool same;

    if (!a.data || !b.data || json_kind(a) != json_kind(b))
        return false;
    if (json_kind(a) != JSON_STRING)
        return bytes_equal(a, b);
    same = json_equal(a, json_text(b, &keep));
    arena_release(&keep);
    return same;
}

/* ---- sending ----------------------------------------------------------- */

void peer_send(struct mcp_peer *p, struct buf *message)
{
    if (!message->failed && message->len > 0)
        p->send(p->ctx, buf_bytes(message));
    buf_release(message);
}
