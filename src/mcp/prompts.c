/*
 * prompts.c - the prompts `recall` and `hand-off`
 *
 *     recall     memory, files, prompts and sessions that match the query, with
 *                snippets of their contents and addresses
 *     hand-off   a summary of the session, to continue it elsewhere
 *
 * Both are one text message. Stored text is quoted in it line by line and
 * truncated, so that it cannot be mistaken for a part of the request.
 */
#include <inttypes.h>

#include "base/bytes.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "mcp/priv.h"

enum { HITS = 8, LAST_MESSAGES = 12 };
enum { LINE_BYTES = 300, MESSAGE_BYTES = 1500 };

static const char prompts[] =
    "[{\"name\":\"recall\",\"title\":\"Recall\",\"description\":\"What is known "
    "about something: memory, files, past sessions\",\"arguments\":[{\"name\":"
    "\"query\",\"description\":\"what it is about, in a few words\","
    "\"required\":true}]},"
    "{\"name\":\"hand-off\",\"title\":\"Hand-off\",\"description\":\"State of "
    "this session, for continuing it elsewhere\"}]";

void do_prompts_list(struct mcp_call *c, struct mcp_handle *h)
{
    (void)h;
    put_raw(&c->w, "prompts", prompts);
    answer_cache(c, 3600000, true);
}

/* ---- text -------------------------------------------------------------- */

/* Add at most `max` bytes of `text`, with `prefix` before each line. */
static void add_quoted(struct buf *out, quire_bytes text, size_t max,
                       const char *prefix)
{
    size_t len = utf8_cut(text, max), i;
    const char *t = text.data;

    buf_add_str(out, prefix);
    for (i = 0; i < len; i++) {
        buf_add_char(out, t[i]);
        if (t[i] == '\n' && i + 1 < len)
            buf_add_str(out, prefix);
    }
    if (len < text.len)
        buf_add_str(out, " [...]");
    if (len == 0 || t[len - 1] != '\n' || len < text.len)
        buf_add_char(out, '\n');
}

/* Add `text` as a single line, truncated. */
static void add_line(struct buf *out, quire_bytes text)
{
    size_t len = utf8_cut(text, LINE_BYTES), i;
    const char *t = text.data;

    for (i = 0; i < len; i++)
        buf_add_char(out, (unsigned char)t[i] < ' ' ? ' ' : t[i]);
    if (len < text.len)
        buf_add_str(out, " [...]");
}

static void put_message(struct mcp_call *c, const char *description,
                        struct buf *text)
{
    json_put_str(&c->w, "description", description);
    json_key(&c->w, "messages");
    json_array(&c->w);
    json_object(&c->w);
    json_put_str(&c->w, "role", "user");
    json_key(&c->w, "content");
    json_object(&c->w);
    json_put_str(&c->w, "type", "text");
    json_put_bytes(&c->w, "text", buf_bytes(text));
    json_object_end(&c->w);
    json_object_end(&c->w);
    json_array_end(&c->w);
    if (text->failed)
        message_refuse_memory(c);
}

/* ---- recall ------------------------------------------------------------ */

struct recall {
    struct buf *out;
    const char *query;
    size_t n, all;
};

static quire_status add_memory(void *ctx, const quire_memory *e,
                               quire_error *err)
{
    struct recall *r = ctx;

    (void)err;
    if (r->n++ == 0)
        buf_add_str(r->out, "\n## Memory\n");
    buf_addf(r->out, "- (%s) ", quire_memory_type_name(e->type));
    add_line(r->out, e->title);
    buf_add_char(r->out, '\n');
    if (e->content.len)
        add_quoted(r->out, e->content, MESSAGE_BYTES, "  > ");
    return QUIRE_OK;
}

static quire_status add_file(void *ctx, const quire_search_hit *hit,
                             quire_error *err)
{
    struct recall *r = ctx;

    (void)err;
    if (r->n++ == 0)
        buf_add_str(r->out, "\n## Files\n");
    buf_add_str(r->out, "- ");
    add_line(r->out, bytes_str(hit->title));
    /* The address of an artifact is "#12". */
    buf_addf(r->out, ", in session %s, quire://artifact/%s: ", hit->session,
             hit->address + (*hit->address == '#'));
    add_line(r->out, bytes_str(hit->snippet));
    buf_add_char(r->out, '\n');
    return QUIRE_OK;
}

static quire_status add_prompt(void *ctx, const quire_search_hit *hit,
                               quire_error *err)
{
    struct recall *r = ctx;

    (void)err;
    if (r->n++ == 0)
        buf_add_str(r->out, "\n## Asked before\n");
    buf_add_str(r->out, "- ");
    add_line(r->out, bytes_str(hit->snippet));
    buf_add_char(r->out, '\n');
    return QUIRE_OK;
}

/* A session with its best hits. */
static quire_status add_text(void *ctx, const quire_search_hit *hit,
                             quire_error *err)
{
    struct recall *r = ctx;
    char when[TIMESTAMP_SIZE] = "";

    (void)err;
    if (r->n++ == 0)
        buf_add_str(r->out, "\n## Sessions\n");
    if (hit->first) {
        timestamp_format(hit->created_us, when);
        buf_add_str(r->out, "- ");
        add_line(r->out, bytes_str(hit->session));
        buf_addf(r->out, " (%.10s): ", when);
        add_line(r->out, bytes_str(hit->title));
        buf_add_char(r->out, '\n');
    }
    buf_add_str(r->out, "  > ");
    add_line(r->out, bytes_str(*hit->tool ? hit->tool : hit->kind));
    buf_add_str(r->out, ", ");
    add_line(r->out, bytes_str(hit->address));
    buf_add_str(r->out, ": ");
    add_line(r->out, bytes_str(hit->snippet));
    buf_add_char(r->out, '\n');
    return QUIRE_OK;
}

/* No hits, and a query without words, are not failures. */
static bool failed(struct mcp_call *c, struct recall *r, quire_status st,
                   const quire_error *err)
{
    r->all += r->n;
    r->n = 0;
    if (!st || st == QUIRE_NOT_FOUND || st == QUIRE_INVALID)
        return false;
    message_refuse_status(c, st, err);
    return true;
}

/* Search texts of some kinds; grouped by session unless `flat`. False: refused. */
static bool search_kinds(struct mcp_call *c, struct mcp_handle *h,
                         struct recall *r, const char *const *kinds, int flat,
                         quire_search_hit_fn each)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_error err = {.what = ""};
    quire_status st;

    o.kinds = kinds;
    o.flat = flat;
    o.limit = HITS;
    st = quire_search(h->q, bytes_str(r->query), &o, each, r, NULL, &err);
    return !failed(c, r, st, &err);
}

static void search_all(struct mcp_call *c, struct mcp_handle *h,
                       struct recall *r)
{
    static const char *const files[] = {"artifact", NULL};
    static const char *const history[] = {"history", NULL};
    static const char *const texts[] = {"message",     "thinking", "tool_input",
                                        "tool_result", "summary",  "title",
                                        "label",       "output",   NULL};
    quire_recall_options memory = QUIRE_RECALL_OPTIONS_INIT;
    quire_error err = {.what = ""};

    memory.limit = HITS;
    if (!failed(c, r,
                quire_memory_search(h->q, bytes_str(r->query), &memory,
                                    add_memory, r, NULL, &err),
                &err) &&
        search_kinds(c, h, r, files, 1, add_file) &&
        search_kinds(c, h, r, history, 1, add_prompt))
        search_kinds(c, h, r, texts, 0, add_text);
}

static void get_recall(struct mcp_call *c, struct mcp_handle *h)
{
    struct buf text = BUF_INIT(1 << 20);
    quire_bytes arguments = json_get(c->params, "arguments");
    struct recall r = {&text, message_text(c, arguments, "query"), 0, 0};

    if (!r.query || !*r.query) {
        message_refuse(c, CODE_PARAMS,
                       "give some words as the argument `query`",
                       "recall needs a query");
        return;
    }
    buf_add_str(&text, "This is what is stored about \"");
    add_line(&text, bytes_str(r.query));
    buf_add_str(&text, "\". Use what helps with the task at hand, and check it "
                       "where it matters: it may be out of date.\n");
    search_all(c, h, &r);
    if (r.all == 0)
        buf_add_str(&text, "\nNothing was found.\n");
    if (!c->code)
        put_message(c, "What is known about it", &text);
    buf_release(&text);
}

/* ---- hand-off ---------------------------------------------------------- */

/* The last messages of a session, each as a slice in the arena. */
struct tail {
    struct arena keep;
    struct buf line[LAST_MESSAGES];
    size_t n;
};

static void add_content(struct buf *out, quire_bytes content)
{
    struct arena keep = ARENA_INIT;
    struct json_scan it;
    quire_bytes text;

    if (json_kind(content) == JSON_STRING) {
        text = json_text(content, &keep);
        buf_add(out, text.data, text.data ? text.len : 0);
    } else if (json_kind(content) == JSON_ARRAY) {
        json_iter_init(&it, content);
        while (json_next(&it)) {
            quire_bytes part = json_get(it.value, "text");

            if (json_kind(part) != JSON_STRING)
                continue;
            text = json_text(part, &keep);
            buf_add(out, text.data, text.data ? text.len : 0);
            buf_add_char(out, '\n');
        }
    }
    arena_release(&keep);
}

static quire_status take_message(void *ctx, const quire_entry *e,
                                 quire_error *err)
{
    struct tail *t = ctx;
    struct buf *line = &t->line[t->n % LAST_MESSAGES];
    struct buf text = BUF_INIT((size_t)16 << 20);
    quire_bytes message = json_get(e->json, "message");
    quire_bytes role = json_get(message, "role");

    (void)err;
    if (!bytes_is(e->type, "message") ||
        (!json_is(role, "user") && !json_is(role, "assistant")))
        return QUIRE_OK;
    add_content(&text, json_get(message, "content"));
    if (text.len > 0) {
        buf_clear(line);
        buf_addf(line, "%s:\n", json_is(role, "user") ? "User" : "Assistant");
        add_quoted(line, buf_bytes(&text), MESSAGE_BYTES, "> ");
        t->n++;
    }
    buf_release(&text);
    return QUIRE_OK;
}

static void add_tail(struct buf *out, const struct tail *t)
{
    size_t n = t->n < LAST_MESSAGES ? t->n : LAST_MESSAGES, i;

    if (n > 0)
        buf_add_str(out, "\n## Last messages\n");
    for (i = t->n - n; i < t->n; i++) {
        const struct buf *line = &t->line[i % LAST_MESSAGES];

        buf_add(out, line->data, line->len);
        buf_add_char(out, '\n');
    }
}

static quire_status add_said(struct mcp_handle *h, struct buf *out,
                             quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct tail t = {.n = 0};
    quire_session *s = NULL;
    quire_session_info info;
    quire_status st;
    size_t i;

    o.flags = QUIRE_SESSION_READ;
    for (i = 0; i < LAST_MESSAGES; i++)
        t.line[i].max = 1 << 16;
    st = quire_session_open(h->q, h->m->session, &o, &s, err);
    if (!st) {
        quire_session_describe(s, &info);
        buf_add_str(out, "- title: ");
        add_line(out, bytes_str(*info.title ? info.title : "(none)"));
        buf_add_str(out, "\n- working directory: ");
        add_line(out, bytes_str(info.cwd));
        buf_addf(out, "\n- begun: %s\n", info.created);
        st = quire_session_path(s, NULL, 0, take_message, &t, err);
    }
    if (!st)
        add_tail(out, &t);
    quire_session_close(s);
    for (i = 0; i < LAST_MESSAGES; i++)
        buf_release(&t.line[i]);
    return st;
}

static quire_status add_artifact(void *ctx, const quire_artifact *a,
                                 quire_error *err)
{
    struct recall *r = ctx;

    (void)err;
    if (r->n++ == 0)
        buf_add_str(r->out, "\n## Files, the last changed first\n");
    buf_addf(r->out, "- %s (%" PRIu64 " bytes, quire://artifact/%" PRId64 ")",
             a->path, a->size, a->id);
    if (*a->purpose) {
        buf_add_str(r->out, ": ");
        add_line(r->out, bytes_str(a->purpose));
    }
    buf_add_char(r->out, '\n');
    return QUIRE_OK;
}

static void get_hand_off(struct mcp_call *c, struct mcp_handle *h)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    struct buf text = BUF_INIT(1 << 20);
    struct recall r = {&text, "", 0, 0};
    quire_error err = {.what = ""};
    quire_status st = QUIRE_OK;

    if (!h->m->session) {
        message_refuse(c, CODE_PARAMS, "the first write begins it",
                       "there is no session here yet");
        return;
    }
    o.limit = 20;
    buf_addf(&text,
             "Continue the work of this session, or summarise it for the next "
             "agent: what was asked, what is done, what is open, where things "
             "are.\n\n## Session\n- id: %s\n",
             h->m->session);
    if (!handle_built_in(h->m->session))
        st = add_said(h, &text, &err);
    if (!st && h->w)
        st = quire_artifact_list(h->q, h->m->session, &o, add_artifact, &r,
                                 &err);
    if (st)
        message_refuse_status(c, st, &err);
    else
        put_message(c, "State of this session", &text);
    buf_release(&text);
}

void do_prompts_get(struct mcp_call *c, struct mcp_handle *h)
{
    quire_bytes name = json_get(c->params, "name");

    if (json_is(name, "recall"))
        get_recall(c, h);
    else if (json_is(name, "hand-off"))
        get_hand_off(c, h);
    else
        message_refuse(c, CODE_PARAMS, "use recall or hand-off",
                       "unknown prompt");
}
