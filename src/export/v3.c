/*
 * v3.c - see v3.h
 *
 * A message names the provider of its signatures, so they stay: the programs send
 * them to that provider only.
 */
#include "export/v3.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

void v3_begin(struct export *x, const char *type, quire_bytes id, unsigned part,
              int64_t ms)
{
    struct v3 *s = x->state;
    char hex[9];

    export_hex(x, id, part, 8, hex);
    json_object(&x->w);
    json_put_str(&x->w, "type", type);
    json_put_str(&x->w, "id", hex);
    if (*s->last)
        json_put_str(&x->w, "parentId", s->last);
    else
        json_put_null(&x->w, "parentId");
    export_put_time(x, "timestamp", ms);
    memcpy(s->last, hex, sizeof hex);
}

void v3_end(struct export *x)
{
    json_object_end(&x->w);
    export_line(x);
}

/* ---- blocks -------------------------------------------------------------- */

static void put_typed(struct export *x, const char *type)
{
    json_object(&x->w);
    json_put_str(&x->w, "type", type);
}

static void put_thinking(struct export *x, const struct export_block *b)
{
    put_typed(x, "thinking");
    json_put_bytes(&x->w, "thinking", b->text);
    if (b->signature.len)
        json_put_bytes(&x->w, "thinkingSignature", b->signature);
    if (b->encrypted.len)
        json_put_bytes(&x->w, "encrypted_content", b->encrypted);
    json_object_end(&x->w);
}

static void put_redacted(struct export *x, const struct export_block *b,
                         bool omp)
{
    put_typed(x, omp ? "redactedThinking" : "thinking");
    if (omp) {
        json_put_bytes(&x->w, "data", b->signature);
    } else {
        json_put_str(&x->w, "thinking", "[Reasoning redacted]");
        json_put_bytes(&x->w, "thinkingSignature", b->signature);
        json_put_bool(&x->w, "redacted", true);
    }
    json_object_end(&x->w);
}

static void put_block(struct export *x, const struct export_block *b, bool omp)
{
    switch (b->kind) {
    case EXPORT_TEXT:
        put_typed(x, "text");
        json_put_bytes(&x->w, "text", b->text);
        json_object_end(&x->w);
        break;
    case EXPORT_THINKING: put_thinking(x, b); break;
    case EXPORT_REDACTED: put_redacted(x, b, omp); break;
    case EXPORT_CALL:
        put_typed(x, "toolCall");
        json_put_bytes(&x->w, "id", b->id);
        json_put_bytes(&x->w, "name", b->name);
        export_put_raw(x, "arguments", b->arguments);
        json_object_end(&x->w);
        break;
    case EXPORT_IMAGE:
        if (!export_is_image(x, b))
            break;
        put_typed(x, "image");
        json_put_bytes(&x->w, "data", b->data);
        json_put_bytes(&x->w, "mimeType", b->mime);
        json_object_end(&x->w);
        break;
    case EXPORT_OTHER: export_drop(x, "block", b->type); break;
    }
}

static void put_content(struct export *x, const struct export_blocks *b,
                        bool omp)
{
    size_t i;

    json_key(&x->w, "content");
    json_array(&x->w);
    for (i = 0; i < b->n; i++)
        put_block(x, &b->list[i], omp);
    json_array_end(&x->w);
}

/* ---- messages ------------------------------------------------------------ */

static void begin_message(struct export *x, const char *role, quire_bytes id,
                          int64_t ms)
{
    v3_begin(x, "message", id, 0, ms);
    json_key(&x->w, "message");
    json_object(&x->w);
    json_put_str(&x->w, "role", role);
}

static void end_message(struct export *x, int64_t ms)
{
    json_put_int(&x->w, "timestamp", ms);
    json_object_end(&x->w);
    v3_end(x);
}

static void put_dollars(struct export *x, const char *key, double dollars)
{
    char text[32];

    snprintf(text, sizeof text, "%.9f", dollars);
    json_put_raw(&x->w, key, bytes_str(text));
}

static void put_usage(struct export *x, const struct export_usage *u)
{
    json_key(&x->w, "usage");
    json_object(&x->w);
    json_put_uint(&x->w, "input", u->input);
    json_put_uint(&x->w, "output", u->output);
    json_put_uint(&x->w, "cacheRead", u->cache_read);
    json_put_uint(&x->w, "cacheWrite", u->cache_write);
    json_put_uint(&x->w, "totalTokens",
                  u->input + u->output + u->cache_read + u->cache_write);
    json_key(&x->w, "cost");
    json_object(&x->w);
    json_put_uint(&x->w, "input", 0);
    json_put_uint(&x->w, "output", 0);
    json_put_uint(&x->w, "cacheRead", 0);
    json_put_uint(&x->w, "cacheWrite", 0);
    put_dollars(x, "total", u->cost);
    json_object_end(&x->w);
    json_object_end(&x->w);
}

static void put_results(struct export *x, const struct export_message *m,
                        bool omp)
{
    size_t i;

    for (i = 0; i < m->blocks.n; i++) {
        const struct export_block *b = &m->blocks.list[i];
        const struct export_result *r = b->result;

        if (b->kind != EXPORT_CALL || !r)
            continue;
        begin_message(x, "toolResult", r->entry_id, r->ms);
        json_put_bytes(&x->w, "toolCallId", b->id);
        json_put_bytes(&x->w, "toolName", b->name);
        put_content(x, &r->blocks, omp);
        json_put_bool(&x->w, "isError", r->is_error);
        end_message(x, r->ms);
    }
}

static const char *api_of(const struct export_message *m)
{
    return bytes_is(m->provider, "anthropic") ? "anthropic-messages"
           : bytes_is(m->provider, "google")  ? "google-generative-ai"
                                              : "openai-responses";
}

static void put_answer(struct export *x, const struct export_message *m,
                       bool omp)
{
    static const char *const stops[] = {[EXPORT_STOP_END] = "stop",
                                        [EXPORT_STOP_TOOL] = "toolUse",
                                        [EXPORT_STOP_LENGTH] = "length",
                                        [EXPORT_STOP_ERROR] = "error",
                                        [EXPORT_STOP_ABORTED] = "aborted"};

    begin_message(x, "assistant", m->entry_id, m->ms);
    put_content(x, &m->blocks, omp);
    json_put_bytes(&x->w, "api", m->api.len ? m->api : bytes_str(api_of(m)));
    json_put_bytes(&x->w, "provider",
                   m->provider.len ? m->provider : bytes_str("unknown"));
    json_put_bytes(&x->w, "model",
                   m->model.len ? m->model : bytes_str("unknown"));
    put_usage(x, &m->usage);
    json_put_str(&x->w, "stopReason", stops[m->stop]);
    if (m->error.len)
        json_put_bytes(&x->w, "errorMessage", m->error);
    end_message(x, m->ms);
    put_results(x, m, omp);
}

static void put_user(struct export *x, const struct export_message *m,
                     const char *role, bool omp)
{
    begin_message(x, role, m->entry_id, m->ms);
    put_content(x, &m->blocks, omp);
    end_message(x, m->ms);
}

static void put_note(struct export *x, const struct export_message *m, bool omp)
{
    v3_begin(x, "custom_message", m->entry_id, 0, m->ms);
    json_put_bytes(&x->w, "customType",
                   m->custom.len ? m->custom : bytes_str("note"));
    put_content(x, &m->blocks, omp);
    json_put_bool(&x->w, "display", !m->hidden);
    v3_end(x);
}

/* It names itself as the first entry that it keeps: those stand behind it. */
static void put_summary(struct export *x, const struct export_message *m)
{
    struct v3 *s = x->state;

    v3_begin(x, "compaction", m->entry_id, 0, m->ms);
    json_put_bytes(&x->w, "summary", export_text_of(x, &m->blocks, true));
    json_put_str(&x->w, "firstKeptEntryId", s->last);
    json_put_uint(&x->w, "tokensBefore", m->tokens_before);
    v3_end(x);
}

static void put_branch(struct export *x, const struct export_message *m)
{
    v3_begin(x, "branch_summary", m->entry_id, 0, m->ms);
    json_put_str(&x->w, "fromId", "root");
    json_put_bytes(&x->w, "summary", export_text_of(x, &m->blocks, true));
    v3_end(x);
}

static void put_label(struct export *x, const struct export_message *m)
{
    struct v3 *s = x->state;
    char target[9];

    memcpy(target, s->last, sizeof target);
    v3_begin(x, "label", m->entry_id, 9, m->ms);
    json_put_str(&x->w, "targetId", target);
    json_put_bytes(&x->w, "label", m->label);
    v3_end(x);
}

void v3_message(struct export *x, const struct export_message *m, bool omp)
{
    bool own = !strcmp(x->session.agent, x->target->name) || !*x->session.agent;

    switch (m->role) {
    case EXPORT_USER: put_user(x, m, "user", omp); break;
    case EXPORT_ASSISTANT: put_answer(x, m, omp); break;
    case EXPORT_SUMMARY: put_summary(x, m); break;
    case EXPORT_BRANCH: put_branch(x, m); break;
    case EXPORT_NOTE:
        if (export_drop_note(x, m))
            return;
        put_note(x, m, omp);
        break;
    case EXPORT_SYSTEM:
        if (omp && own)
            put_user(x, m, "developer", omp);
        else
            export_drop(x, "system message", bytes_str(""));
        return;
    default: export_drop(x, "result without its call", bytes_str("")); return;
    }
    if (m->label.len)
        put_label(x, m);
}

const char *v3_file_name(struct export *x)
{
    char time[TIMESTAMP_SIZE], *c;

    export_time(x->session.created_ms, time);
    for (c = time; *c; c++)
        if (*c == ':' || *c == '.')
            *c = '-';
    return arena_printf(&x->keep, "%s_%s.jsonl", time, x->uuid);
}
