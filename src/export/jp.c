/*
 * jp.c - sessions as events.json of a JP conversation
 *
 * An array of events. Strings of arguments, and what tools gave, are in base64.
 */
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "export/targets.h"

static void begin_event(struct export *x, const char *type, int64_t ms)
{
    char time[TIMESTAMP_SIZE];

    export_time(ms, time);
    time[10] = ' ';
    time[23] = '\0';
    json_object(&x->w);
    json_put_str(&x->w, "timestamp", time);
    json_put_str(&x->w, "type", type);
}

static void put_text_event(struct export *x, const char *type, const char *key,
                           quire_bytes text, int64_t ms)
{
    begin_event(x, type, ms);
    json_put_bytes(&x->w, key, text);
    json_object_end(&x->w);
}

static void put_base64(struct export *x, const char *key, quire_bytes text)
{
    json_key(&x->w, key);
    json_base64(&x->w, text);
}

/* Each string below is encoded. */
static quire_status put_arguments(struct export *x, quire_bytes json,
                                  quire_error *err)
{
    struct buf b = BUF_INIT((size_t)2 << 30);
    struct json_edits edits;
    struct json_scan s;
    enum json_step step;

    json_scan_init(&s, json);
    json_edits_init(&edits, json, &x->tmp);
    while ((step = json_scan_next(&s)) != JSON_STEP_END &&
           step != JSON_STEP_BAD) {
        struct buf one = BUF_INIT((size_t)1 << 30);
        quire_bytes with, text;

        if (step != JSON_STEP_SCALAR || json_kind(s.value) != JSON_STRING)
            continue;
        text = json_text(s.value, &x->tmp);
        buf_add_char(&one, '"');
        if (text.data)
            base64_encode(text, &one);
        buf_add_char(&one, '"');
        with = arena_dup(&x->tmp, buf_bytes(&one));
        x->out.failed |= one.failed || !text.data || !with.data;
        buf_release(&one);
        if (x->out.failed)
            return err_memory(err);
        json_edit_value(&edits, s.value, with);
    }
    json_splice(&edits, &b);
    x->out.failed |= b.failed;
    export_put_raw(x, "arguments", buf_bytes(&b));
    buf_release(&b);
    return QUIRE_OK;
}

static void drop_block(struct export *x, const struct export_block *b)
{
    if (b->kind == EXPORT_IMAGE)
        export_drop(x, "image", b->mime);
    if (b->kind == EXPORT_OTHER)
        export_drop(x, "block", b->type);
    export_drop_opaque(x, b);
}

static void drop_blocks(struct export *x, const struct export_blocks *b)
{
    size_t i;

    for (i = 0; i < b->n; i++)
        drop_block(x, &b->list[i]);
}

static void put_request(struct export *x, const struct export_message *m,
                        quire_bytes text)
{
    begin_event(x, "turn_start", m->ms);
    json_object_end(&x->w);
    put_text_event(x, "chat_request", "content", text, m->ms);
}

static quire_status put_call(struct export *x, const struct export_message *m,
                             const struct export_block *b, quire_error *err)
{
    quire_status st;

    begin_event(x, "tool_call_request", m->ms);
    json_put_bytes(&x->w, "id", b->id);
    json_put_bytes(&x->w, "name", b->name);
    st = put_arguments(x, b->arguments, err);
    json_object_end(&x->w);
    return st;
}

static void put_response(struct export *x, const struct export_block *b)
{
    const struct export_result *r = b->result;

    drop_blocks(x, &r->blocks);
    begin_event(x, "tool_call_response", r->ms);
    json_put_bytes(&x->w, "id", b->id);
    put_base64(x, "content", export_text_of(x, &r->blocks, false));
    json_put_bool(&x->w, "is_error", r->is_error);
    json_object_end(&x->w);
}

static quire_status on_answer(struct export *x, const struct export_message *m,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < m->blocks.n && !st; i++) {
        const struct export_block *b = &m->blocks.list[i];

        if (b->kind == EXPORT_THINKING && b->text.len)
            put_text_event(x, "chat_response", "reasoning", b->text, m->ms);
        else if (b->kind == EXPORT_TEXT)
            put_text_event(x, "chat_response", "message", b->text, m->ms);
        else if (b->kind == EXPORT_CALL)
            st = put_call(x, m, b, err);
        drop_block(x, b);
    }
    for (i = 0; i < m->blocks.n && !st; i++)
        if (m->blocks.list[i].kind == EXPORT_CALL && m->blocks.list[i].result)
            put_response(x, &m->blocks.list[i]);
    return st;
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    switch (m->role) {
    case EXPORT_ASSISTANT: return on_answer(x, m, err);
    case EXPORT_RESET: export_drop(x, "new context", bytes_str("")); break;
    case EXPORT_SYSTEM: export_drop(x, "system message", bytes_str("")); break;
    case EXPORT_RESULT:
        export_drop(x, "result without its call", bytes_str(""));
        break;
    case EXPORT_NOTE:
        if (export_drop_note(x, m))
            break;
        drop_blocks(x, &m->blocks);
        put_request(x, m, export_text_of(x, &m->blocks, false));
        break;
    case EXPORT_SUMMARY:
        export_drop(x, "effect of a compaction", bytes_str(""));
        put_request(x, m, export_plain(x, m));
        break;
    case EXPORT_BRANCH: put_request(x, m, export_plain(x, m)); break;
    case EXPORT_USER:
        drop_blocks(x, &m->blocks);
        put_request(x, m, export_text_of(x, &m->blocks, false));
        break;
    }
    return QUIRE_OK;
}

static quire_status begin(struct export *x, quire_error *err)
{
    (void)err;
    json_array(&x->w);
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    (void)err;
    json_array_end(&x->w);
    buf_add_char(&x->out, '\n');
    return QUIRE_OK;
}

const struct export_target export_jp = {
    .name = "jp",
    .title = "JP",
    .suffix = ".json",
    .mime_type = "application/json",
    .for_agent = true,
    .begin = begin,
    .message = message,
    .end = end,
};
