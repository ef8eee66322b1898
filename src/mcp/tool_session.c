/*
 * tool_session.c - the tool `session`, with `--allow-append`
 *
 *     append   a message below the leaf: role and text, or an entry
 *     context  the last messages that the model has, within a budget
 *     branch   move the leaf to an entry
 *     label    name an entry
 *
 * The session is open for as long as the call takes: others may write in between.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "mcp/priv.h"

enum { BUDGET = 16000, BUDGET_LEAST = 200, BUDGET_MOST = 1 << 20 };
enum { MESSAGES_MAX = 10000 };

const char session_schema[] =
    "{\"name\":\"session\",\"description\":\"The transcript. id: an entry's"
    ".\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"action\":{"
    "\"type\":\"string\",\"enum\":[\"append\",\"context\",\"branch\",\"labe"
    "l\"]},\"role\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"},\""
    "id\":{\"type\":\"string\"},\"label\":{\"type\":\"string\"}}}}";

bool session_only_reads(quire_bytes arguments)
{
    return json_is(json_get(arguments, "action"), "context");
}

/* A message as an entry, in `out`. */
static quire_status make_message(struct mcp_call *c, quire_bytes arguments,
                                 struct buf *out, quire_error *err)
{
    quire_bytes text = json_get(arguments, "text");
    quire_bytes role = json_get(arguments, "role");
    struct json_writer w;

    (void)c;
    if (json_kind(text) != JSON_STRING)
        return err_fail(err, QUIRE_INVALID, "Give a text, or an entry.",
                        "append needs a text");
    if (role.data && !json_is(role, "user") && !json_is(role, "assistant"))
        return err_fail(err, QUIRE_INVALID, "Use user or assistant.",
                        "unknown role");
    json_begin(&w, out);
    json_object(&w);
    json_put_str(&w, "type", "message");
    json_key(&w, "message");
    json_object(&w);
    json_put_str(&w, "role", json_is(role, "user") ? "user" : "assistant");
    json_put_raw(&w, "content", text);
    json_object_end(&w);
    json_object_end(&w);
    return buf_status(out, "the entry", err);
}

static void put_done(struct json_writer *w, const quire_appended *done)
{
    json_put_str(w, "id", done->id);
    if (*done->parent)
        json_put_str(w, "parentId", done->parent);
    else
        json_put_null(w, "parentId");
}

static quire_status append(struct mcp_call *c, quire_session *s,
                           quire_bytes arguments, struct json_writer *w,
                           quire_error *err)
{
    quire_bytes entry = json_get(arguments, "entry");
    struct buf made = BUF_INIT((size_t)64 << 20);
    quire_appended done;
    quire_status st = QUIRE_OK;

    if (json_kind(entry) != JSON_OBJECT) {
        st = make_message(c, arguments, &made, err);
        entry = buf_bytes(&made);
    }
    if (!st)
        st = quire_session_append(s, entry, NULL, &done, err);
    if (!st)
        st = quire_session_flush(s, err);
    if (!st)
        put_done(w, &done);
    buf_release(&made);
    return st;
}

/* ---- context ---------------------------------------------------------------- */

static quire_status take_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct buf *out = ctx;

    if (out->len + bytes.len > RESOURCE_MAX)
        return err_fail(err, QUIRE_TOO_LARGE, "read the entries it needs",
                        "the context has more than %d MiB",
                        (int)(RESOURCE_MAX >> 20));
    buf_add(out, bytes.data, bytes.len);
    return out->failed ? err_memory(err) : QUIRE_OK;
}

/* The last ones of a context, of at most `budget` bytes. */
static void put_messages(struct json_writer *w, quire_bytes context,
                         uint64_t limit, size_t budget)
{
    quire_bytes messages = json_get(context, "messages");
    uint64_t n = 0, skip = 0, i = 0;
    size_t bytes = messages.len;
    struct json_scan it;

    json_iter_init(&it, messages);
    while (json_next(&it))
        n++;
    json_iter_init(&it, messages);
    while ((n - skip > limit || bytes > budget) && skip + 1 < n &&
           json_next(&it)) {
        bytes -= it.value.len < bytes ? it.value.len : bytes;
        skip++;
    }
    json_put_uint(w, "messages_before", skip);
    json_key(w, "messages");
    json_array(w);
    json_iter_init(&it, messages);
    while (json_next(&it))
        if (i++ >= skip)
            json_raw(w, it.value);
    json_array_end(w);
}

static quire_status context(quire_session *s, quire_bytes arguments,
                            struct json_writer *w, quire_error *err)
{
    struct buf all = BUF_INIT(RESOURCE_MAX + (1 << 20));
    quire_status st = quire_session_context(s, NULL, take_bytes, NULL, &all,
                                            err);

    if (!st)
        put_messages(w, buf_bytes(&all),
                     argument_number(arguments, "limit", 1, MESSAGES_MAX,
                                     MESSAGES_MAX),
                     argument_number(arguments, "budget", BUDGET_LEAST,
                                     BUDGET_MOST, BUDGET));
    buf_release(&all);
    return st;
}

/* ---- the call --------------------------------------------------------------- */

static quire_status act(struct mcp_call *c, quire_session *s,
                        quire_bytes arguments, struct json_writer *w,
                        quire_error *err)
{
    quire_bytes action = json_get(arguments, "action");
    const char *id = message_text(c, arguments, "id");
    quire_appended done;
    quire_status st;

    if (json_is(action, "append"))
        return append(c, s, arguments, w, err);
    if (json_is(action, "context"))
        return context(s, arguments, w, err);
    if (!json_is(action, "branch") && !json_is(action, "label"))
        return err_fail(err, QUIRE_INVALID,
                        "Use one of: append, context, branch, label.",
                        "unknown action");
    if (!id)
        return err_fail(err, QUIRE_INVALID, "Give the id of an entry.",
                        "id is missing");
    st = json_is(action, "branch")
             ? quire_session_branch(s, id, 1, &done, err)
             : quire_session_label(s, id, message_text(c, arguments, "label"),
                                   &done, err);
    if (!st)
        st = quire_session_flush(s, err);
    if (!st)
        put_done(w, &done);
    return st;
}

void tool_session(struct mcp_call *c, struct mcp_handle *h,
                  quire_bytes arguments, struct buf *out)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    const char *name = mcp_session(h->m);
    quire_session *s = NULL;
    struct json_writer w;
    quire_error err = {.what = ""};
    quire_status st;

    o.flags = session_only_reads(arguments) ? QUIRE_SESSION_READ : 0;
    st = !name || handle_built_in(name)
             ? err_set(&err, QUIRE_NOT_FOUND, "there is no transcript here")
             : quire_session_open(h->q, name, &o, &s, &err);
    tool_begin(&w, out);
    if (!st)
        st = act(c, s, arguments, &w, &err);
    if (st)
        tool_fail(c, out, st, &err);
    else
        tool_end(&w);
    quire_session_close(s);
}
