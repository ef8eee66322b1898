/*
 * otlp.c - sessions as OpenTelemetry traces, in OTLP/JSON
 *
 * By the conventions for generative AI: a session is a trace, a turn an
 * `invoke_agent` span, below it a `chat` span for each answer and an
 * `execute_tool` span for each call with a result. A `chat` span has the messages
 * since the answer before.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "export/targets.h"

struct otlp {
    char trace[33], turn[17]; /* ids; turn "": none is open */
    int64_t turn_ms, last_ms; /* when it began; of the last message */
    struct buf input;         /* messages for the next chat span: JSON */
};

/* ---- attributes ---------------------------------------------------------- */

static void begin_value(struct export *x, const char *key)
{
    json_object(&x->w);
    json_put_str(&x->w, "key", key);
    json_key(&x->w, "value");
    json_object(&x->w);
}

static void end_value(struct export *x)
{
    json_object_end(&x->w);
    json_object_end(&x->w);
}

static void put_text(struct export *x, const char *key, quire_bytes text)
{
    if (!text.len)
        return;
    begin_value(x, key);
    json_put_bytes(&x->w, "stringValue", text);
    end_value(x);
}

/* 64-bit numbers are strings in OTLP/JSON. */
static void put_number(struct export *x, const char *key, uint64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    begin_value(x, key);
    json_put_str(&x->w, "intValue", text);
    end_value(x);
}

static void put_words(struct export *x, const char *key, const char *word)
{
    begin_value(x, key);
    json_key(&x->w, "arrayValue");
    json_object(&x->w);
    json_key(&x->w, "values");
    json_array(&x->w);
    json_object(&x->w);
    json_put_str(&x->w, "stringValue", word);
    json_object_end(&x->w);
    json_array_end(&x->w);
    json_object_end(&x->w);
    end_value(x);
}

/* ---- messages as JSON ---------------------------------------------------- */

static void put_part(struct export *x, struct json_writer *w,
                     const struct export_block *b)
{
    static const char *const types[] = {[EXPORT_TEXT] = "text",
                                        [EXPORT_THINKING] = "reasoning",
                                        [EXPORT_CALL] = "tool_call",
                                        [EXPORT_IMAGE] = "blob"};

    export_drop_opaque(x, b);
    if (b->kind == EXPORT_REDACTED)
        return;
    if (b->kind == EXPORT_OTHER) {
        export_drop(x, "block", b->type);
        return;
    }
    json_object(w);
    json_put_str(w, "type", types[b->kind]);
    if (b->kind == EXPORT_CALL) {
        json_put_bytes(w, "id", b->id);
        json_put_bytes(w, "name", b->name);
        json_put_raw(w, "arguments", b->arguments);
    } else if (b->kind == EXPORT_IMAGE) {
        json_put_str(w, "modality", "image");
        json_put_bytes(w, "mime_type", b->mime);
        json_put_bytes(w, "content", b->data);
    } else {
        json_put_bytes(w, "content", b->text);
    }
    json_object_end(w);
}

static void begin_parts(struct json_writer *w, const char *role)
{
    json_object(w);
    json_put_str(w, "role", role);
    json_key(w, "parts");
    json_array(w);
}

static void end_parts(struct json_writer *w)
{
    json_array_end(w);
    json_object_end(w);
}

static void put_parts(struct export *x, struct json_writer *w,
                      const struct export_blocks *b)
{
    size_t i;

    for (i = 0; i < b->n; i++)
        put_part(x, w, &b->list[i]);
}

/* Append to the input of the next chat span. */
static void begin_input(struct export *x, struct json_writer *w)
{
    struct otlp *s = x->state;

    json_begin(w, &s->input);
    w->comma = s->input.len > 0;
}

static void add_input(struct export *x, const struct export_message *m,
                      const char *role)
{
    struct json_writer w;

    begin_input(x, &w);
    begin_parts(&w, role);
    put_parts(x, &w, &m->blocks);
    end_parts(&w);
}

static void add_response(struct export *x, const struct export_block *call)
{
    struct json_writer w;

    begin_input(x, &w);
    begin_parts(&w, "tool");
    json_object(&w);
    json_put_str(&w, "type", "tool_call_response");
    json_put_bytes(&w, "id", call->id);
    json_put_bytes(&w, "response",
                   export_text_of(x, &call->result->blocks, true));
    json_object_end(&w);
    end_parts(&w);
}

/* ---- spans --------------------------------------------------------------- */

static void put_nanos(struct export *x, const char *key, int64_t ms)
{
    char text[32];

    snprintf(text, sizeof text, "%lld000000", (long long)(ms > 0 ? ms : 0));
    json_put_str(&x->w, key, text);
}

static void begin_span(struct export *x, const char *id, const char *parent,
                       const char *name, quire_bytes of, int kind)
{
    struct otlp *s = x->state;
    struct buf text = BUF_INIT(1024);

    buf_add_str(&text, name);
    if (of.len) {
        buf_add_char(&text, ' ');
        buf_add(&text, of.data, of.len < 200 ? of.len : 200);
    }
    json_object(&x->w);
    json_put_str(&x->w, "traceId", s->trace);
    json_put_str(&x->w, "spanId", id);
    if (*parent)
        json_put_str(&x->w, "parentSpanId", parent);
    json_put_bytes(&x->w, "name", buf_bytes(&text));
    json_put_int(&x->w, "kind", kind);
    x->out.failed |= text.failed;
    buf_release(&text);
}

static void begin_attributes(struct export *x, int64_t from, int64_t to,
                             const char *operation)
{
    put_nanos(x, "startTimeUnixNano", from < to ? from : to);
    put_nanos(x, "endTimeUnixNano", to);
    json_key(&x->w, "attributes");
    json_array(&x->w);
    put_text(x, "gen_ai.operation.name", bytes_str(operation));
    put_text(x, "gen_ai.conversation.id", bytes_str(x->session.id));
}

static void end_span(struct export *x, bool failed)
{
    json_array_end(&x->w);
    if (failed) {
        json_key(&x->w, "status");
        json_object(&x->w);
        json_put_int(&x->w, "code", 2);
        json_object_end(&x->w);
    }
    json_object_end(&x->w);
}

static quire_bytes provider_of(const struct export_message *m)
{
    return bytes_is(m->provider, "google") ? bytes_str("gcp.gemini")
                                           : m->provider;
}

static void put_usage(struct export *x, const struct export_usage *u)
{
    put_number(x, "gen_ai.usage.input_tokens",
               u->input + u->cache_read + u->cache_write);
    put_number(x, "gen_ai.usage.output_tokens", u->output);
    put_number(x, "gen_ai.usage.cache_read.input_tokens", u->cache_read);
    put_number(x, "gen_ai.usage.cache_creation.input_tokens", u->cache_write);
}

static const char *finish_of(const struct export_message *m)
{
    return m->has_calls                     ? "tool_call"
           : m->stop == EXPORT_STOP_LENGTH  ? "length"
           : m->stop == EXPORT_STOP_ERROR   ? "error"
           : m->stop == EXPORT_STOP_ABORTED ? "error"
                                            : "stop";
}

static void put_messages(struct export *x, const char *key, const struct buf *b)
{
    struct buf text = BUF_INIT((size_t)2 << 30);

    x->out.failed |= b->failed;
    if (!b->len)
        return;
    buf_add_char(&text, '[');
    buf_add(&text, b->data, b->len);
    buf_add_char(&text, ']');
    x->out.failed |= text.failed;
    put_text(x, key, buf_bytes(&text));
    buf_release(&text);
}

static void put_output(struct export *x, const struct export_message *m)
{
    struct buf b = BUF_INIT((size_t)2 << 30);
    struct json_writer w;

    json_begin(&w, &b);
    json_object(&w);
    json_put_str(&w, "role", "assistant");
    json_key(&w, "parts");
    json_array(&w);
    put_parts(x, &w, &m->blocks);
    json_array_end(&w);
    json_put_str(&w, "finish_reason", finish_of(m));
    json_object_end(&w);
    put_messages(x, "gen_ai.output.messages", &b);
    buf_release(&b);
}

static void put_chat(struct export *x, const struct export_message *m)
{
    struct otlp *s = x->state;
    bool failed = m->stop == EXPORT_STOP_ERROR;
    char id[17];

    export_hex(x, m->entry_id, 1, 16, id);
    begin_span(x, id, s->turn, "chat", m->model, 3);
    begin_attributes(x, s->last_ms ? s->last_ms : m->ms, m->ms, "chat");
    put_text(x, "gen_ai.provider.name", provider_of(m));
    put_text(x, "gen_ai.request.model", m->model);
    put_text(x, "gen_ai.response.model", m->model);
    put_text(x, "gen_ai.response.id", m->response_id);
    put_words(x, "gen_ai.response.finish_reasons", finish_of(m));
    put_usage(x, &m->usage);
    put_messages(x, "gen_ai.input.messages", &s->input);
    put_output(x, m);
    if (failed)
        put_text(x, "error.type", bytes_str("_OTHER"));
    end_span(x, failed);
    buf_clear(&s->input);
    s->last_ms = m->ms;
}

static void put_tool(struct export *x, const struct export_message *m,
                     const struct export_block *b)
{
    const struct export_result *r = b->result;
    struct otlp *s = x->state;
    char id[17];

    export_hex(x, r->entry_id, 2, 16, id);
    begin_span(x, id, s->turn, "execute_tool", b->name, 1);
    begin_attributes(x, m->ms, r->ms, "execute_tool");
    put_text(x, "gen_ai.tool.name", b->name);
    put_text(x, "gen_ai.tool.call.id", b->id);
    put_text(x, "gen_ai.tool.type", bytes_str("function"));
    put_text(x, "gen_ai.tool.call.arguments", b->arguments);
    put_text(x, "gen_ai.tool.call.result", export_text_of(x, &r->blocks, true));
    if (r->is_error)
        put_text(x, "error.type", bytes_str("_OTHER"));
    end_span(x, r->is_error);
    if (r->ms > s->last_ms)
        s->last_ms = r->ms;
}

/* ---- turns --------------------------------------------------------------- */

static void end_turn(struct export *x)
{
    struct otlp *s = x->state;
    const char *agent = *x->session.agent ? x->session.agent : "quire";

    if (!*s->turn)
        return;
    begin_span(x, s->turn, "", "invoke_agent", bytes_str(agent), 1);
    begin_attributes(x, s->turn_ms, s->last_ms, "invoke_agent");
    put_text(x, "gen_ai.agent.name", bytes_str(agent));
    end_span(x, false);
    *s->turn = '\0';
}

static void begin_turn(struct export *x, const struct export_message *m)
{
    struct otlp *s = x->state;

    end_turn(x);
    export_hex(x, m->entry_id, 0, 16, s->turn);
    s->turn_ms = m->ms;
    s->last_ms = m->ms;
}

static void on_answer(struct export *x, const struct export_message *m)
{
    struct otlp *s = x->state;
    size_t i;

    if (!*s->turn)
        begin_turn(x, m);
    put_chat(x, m);
    for (i = 0; i < m->blocks.n; i++) {
        if (m->blocks.list[i].kind != EXPORT_CALL || !m->blocks.list[i].result)
            continue;
        put_tool(x, m, &m->blocks.list[i]);
        add_response(x, &m->blocks.list[i]);
    }
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    (void)err;
    switch (m->role) {
    case EXPORT_ASSISTANT: on_answer(x, m); break;
    case EXPORT_USER:
        begin_turn(x, m);
        add_input(x, m, "user");
        break;
    case EXPORT_RESET: export_drop(x, "new context", bytes_str("")); break;
    default: add_input(x, m, "system"); break;
    }
    return QUIRE_OK;
}

/* ---- the whole ----------------------------------------------------------- */

static quire_status begin(struct export *x, quire_error *err)
{
    struct otlp *s = x->state;

    (void)err;
    s->input.max = (size_t)2 << 30;
    export_hex(x, bytes_str("trace"), 0, 32, s->trace);
    json_object(&x->w);
    json_key(&x->w, "resourceSpans");
    json_array(&x->w);
    json_object(&x->w);
    json_key(&x->w, "resource");
    json_object(&x->w);
    json_key(&x->w, "attributes");
    json_array(&x->w);
    put_text(x, "service.name",
             bytes_str(*x->session.agent ? x->session.agent : "quire"));
    json_array_end(&x->w);
    json_object_end(&x->w);
    json_key(&x->w, "scopeSpans");
    json_array(&x->w);
    json_object(&x->w);
    json_key(&x->w, "scope");
    json_object(&x->w);
    json_put_str(&x->w, "name", "quire");
    json_object_end(&x->w);
    json_key(&x->w, "spans");
    json_array(&x->w);
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    (void)err;
    end_turn(x);
    json_array_end(&x->w);
    json_object_end(&x->w);
    json_array_end(&x->w);
    json_object_end(&x->w);
    json_array_end(&x->w);
    json_object_end(&x->w);
    buf_add_char(&x->out, '\n');
    return QUIRE_OK;
}

static void release(struct export *x)
{
    struct otlp *s = x->state;

    buf_release(&s->input);
}

const struct export_target export_otlp = {
    .name = "otlp",
    .title = "OpenTelemetry",
    .is_lines = true,
    .suffix = ".json",
    .mime_type = "application/json",
    .state_size = sizeof(struct otlp),
    .begin = begin,
    .message = message,
    .end = end,
    .release = release,
};
