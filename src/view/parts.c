/* parts.c - see parts.h */
#include "view/parts.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

enum kind {
    KIND_USER,
    KIND_ASSISTANT,
    KIND_THINKING,
    KIND_TOOL_INPUT,
    KIND_TOOL_RESULT,
    KIND_SUMMARY,
    KIND_IMAGE,
    KIND_OTHER,
    N_KINDS
};

static const char *const kind_names[N_KINDS] = {"user",        "assistant",
                                                "thinking",    "tool_input",
                                                "tool_result", "summary",
                                                "image",       "other"};

enum { PREVIEW_UNITS = 160, IMAGE_TOKENS = 1200 };

struct parts {
    struct json_writer *w;
    uint64_t tokens[N_KINDS], n;
};

/* ---- estimates ---------------------------------------------------------- */

/* Of the spelling of a JSON value: escapes count as they are written. */
static uint64_t text_tokens(quire_bytes value)
{
    const unsigned char *at = value.data, *end = at + value.len;
    uint64_t ascii = 0, others = 0;

    for (; at < end; at++) {
        ascii += *at < 0x80;
        others += *at >= 0xc0; /* the first byte of a character */
    }
    return (ascii + 3) / 4 + others;
}

/* ---- parts -------------------------------------------------------------- */

static void write_preview(struct json_writer *w, quire_bytes value)
{
    struct buf text = BUF_INIT(16 * PREVIEW_UNITS);

    if (json_kind(value) == JSON_STRING) {
        buf_add(&text, value.data, json_cut_utf16(value, PREVIEW_UNITS));
        buf_add_char(&text, '"');
        json_put_raw(w, "text", buf_bytes(&text));
    } else {
        json_put_bytes(w, "text",
                       bytes_sub(value, 0,
                                 value.len < PREVIEW_UNITS ? value.len
                                                           : PREVIEW_UNITS));
    }
    buf_release(&text);
}

static void add_part(struct parts *p, enum kind kind, quire_bytes tool,
                     quire_bytes value, uint64_t tokens)
{
    p->tokens[kind] += tokens;
    json_object(p->w);
    json_put_str(p->w, "kind", kind_names[kind]);
    if (json_kind(tool) == JSON_STRING)
        json_put_raw(p->w, "tool", tool);
    json_put_uint(p->w, "message", p->n);
    json_put_uint(p->w, "tokens", tokens);
    json_put_uint(p->w, "bytes", value.len);
    write_preview(p->w, value);
    json_object_end(p->w);
}

static void add_image(struct parts *p, quire_bytes block)
{
    p->tokens[KIND_IMAGE] += IMAGE_TOKENS;
    json_object(p->w);
    json_put_str(p->w, "kind", "image");
    json_put_uint(p->w, "message", p->n);
    json_put_uint(p->w, "tokens", IMAGE_TOKENS);
    json_put_uint(p->w, "bytes", block.len);
    json_object_end(p->w);
}

static void add_block(struct parts *p, enum kind kind, quire_bytes tool,
                      quire_bytes block)
{
    quire_bytes type = json_get(block, "type");

    if (json_is(type, "image"))
        add_image(p, block);
    else if (json_is(type, "thinking"))
        add_part(p, KIND_THINKING, bytes_of(NULL, 0),
                 json_get(block, "thinking"),
                 text_tokens(json_get(block, "thinking")));
    else if (json_is(type, "toolCall"))
        add_part(p, KIND_TOOL_INPUT, json_get(block, "name"),
                 json_get(block, "arguments"),
                 text_tokens(json_get(block, "arguments")));
    else
        add_part(p, kind, tool, json_get(block, "text"),
                 text_tokens(json_get(block, "text")));
}

static enum kind kind_of(quire_bytes message)
{
    quire_bytes role = json_get(message, "role");

    if (json_kind(json_get(message, "summary")) == JSON_STRING)
        return KIND_SUMMARY;
    return json_is(role, "user")         ? KIND_USER
           : json_is(role, "assistant")  ? KIND_ASSISTANT
           : json_is(role, "toolResult") ? KIND_TOOL_RESULT
                                         : KIND_OTHER;
}

static void add_message(struct parts *p, quire_bytes message)
{
    enum kind kind = kind_of(message);
    quire_bytes content = json_get(message, "content");
    quire_bytes tool = json_get(message, "toolName");
    struct json_scan it;

    if (kind == KIND_SUMMARY) {
        content = json_get(message, "summary");
        add_part(p, kind, tool, content, text_tokens(content));
    } else if (json_kind(content) == JSON_ARRAY) {
        json_iter_init(&it, content);
        while (json_next(&it))
            add_block(p, kind, tool, it.value);
    } else if (content.data) {
        add_part(p, kind, tool, content, text_tokens(content));
    } else {
        add_part(p, kind, tool, message, text_tokens(message));
    }
    p->n++;
}

static void ignore_missing(void *ctx, const char *ref)
{
    (void)ctx;
    (void)ref;
}

static void write_sums(struct parts *p)
{
    uint64_t total = 0;
    int k;

    json_key(p->w, "by_kind");
    json_object(p->w);
    for (k = 0; k < N_KINDS; k++) {
        json_put_uint(p->w, kind_names[k], p->tokens[k]);
        total += p->tokens[k];
    }
    json_object_end(p->w);
    json_put_uint(p->w, "total_tokens", total);
    json_put_uint(p->w, "messages", p->n);
}

quire_status view_parts(quire_session *s, const char *leaf,
                        struct json_writer *w, quire_error *err)
{
    struct buf context = BUF_INIT(VIEW_CONTEXT_MAX);
    struct parts p = {.w = w};
    struct json_scan it;
    quire_bytes messages;
    quire_status st = quire_session_context(s, leaf, buf_write, ignore_missing,
                                            &context, err);

    json_key(w, "parts");
    json_array(w);
    messages = st ? bytes_of(NULL, 0)
                  : json_get(buf_bytes(&context), "messages");
    if (json_kind(messages) == JSON_ARRAY) {
        json_iter_init(&it, messages);
        while (json_next(&it))
            add_message(&p, it.value);
    }
    json_array_end(w);
    write_sums(&p);
    buf_release(&context);
    return st;
}
