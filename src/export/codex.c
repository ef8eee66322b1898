/*
 * codex.c - sessions for Codex
 *
 *     sessions/<year>/<month>/<day>/rollout-<time>-<uuid>.jsonl
 *
 * Items make the context of the model, events what a person sees of the turns; so
 * a text is there twice. Reasoning is an item only where OpenAI's encrypted form is
 * there, else an event.
 */
#include <string.h>

#include "base/bytes.h"
#include "export/targets.h"

struct codex {
    char id[EXPORT_UUID_SIZE];
    quire_bytes model; /* of the last turn_context, in x->keep */
};

static struct codex *codex_of(const struct export *x)
{
    return x->state;
}

static bool is_own(const struct export *x)
{
    return !strcmp(x->session.agent, x->target->name);
}

/* ---- lines --------------------------------------------------------------- */

static void begin_line(struct export *x, const char *type, int64_t ms)
{
    json_object(&x->w);
    export_put_time(x, "timestamp", ms);
    json_put_str(&x->w, "type", type);
    json_key(&x->w, "payload");
    json_object(&x->w);
}

static void end_line(struct export *x)
{
    json_object_end(&x->w);
    json_object_end(&x->w);
    export_line(x);
}

static void begin_item(struct export *x, const char *type, int64_t ms)
{
    begin_line(x, "response_item", ms);
    json_put_str(&x->w, "type", type);
}

/* A text that a person sees. */
static void put_event(struct export *x, const char *type, const char *key,
                      quire_bytes text, int64_t ms)
{
    begin_line(x, "event_msg", ms);
    json_put_str(&x->w, "type", type);
    json_put_bytes(&x->w, key, text);
    end_line(x);
}

/* ---- content ------------------------------------------------------------- */

static void put_text(struct export *x, const char *type, quire_bytes text)
{
    json_object(&x->w);
    json_put_str(&x->w, "type", type);
    json_put_bytes(&x->w, "text", text);
    json_object_end(&x->w);
}

static void put_image(struct export *x, const struct export_block *b)
{
    struct buf url = BUF_INIT((size_t)2 << 30);

    if (!export_is_image(x, b))
        return;
    buf_add_str(&url, "data:");
    buf_add(&url, b->mime.data, b->mime.len);
    buf_add_str(&url, ";base64,");
    buf_add(&url, b->data.data, b->data.len);
    x->out.failed |= url.failed;
    json_object(&x->w);
    json_put_str(&x->w, "type", "input_image");
    json_put_bytes(&x->w, "image_url", buf_bytes(&url));
    json_object_end(&x->w);
    buf_release(&url);
}

/* Texts and images of a user or a tool. */
static void put_content(struct export *x, const struct export_blocks *b)
{
    size_t i;

    json_array(&x->w);
    for (i = 0; i < b->n; i++) {
        if (b->list[i].kind == EXPORT_TEXT)
            put_text(x, "input_text", b->list[i].text);
        else if (b->list[i].kind == EXPORT_IMAGE)
            put_image(x, &b->list[i]);
        else
            export_drop(x, "block", b->list[i].type);
    }
    json_array_end(&x->w);
}

static void put_message(struct export *x, const struct export_message *m,
                        const char *role)
{
    begin_item(x, "message", m->ms);
    json_put_str(&x->w, "role", role);
    json_key(&x->w, "content");
    put_content(x, &m->blocks);
    end_line(x);
}

static void put_user_text(struct export *x, quire_bytes text, int64_t ms)
{
    begin_item(x, "message", ms);
    json_put_str(&x->w, "role", "user");
    json_key(&x->w, "content");
    json_array(&x->w);
    put_text(x, "input_text", text);
    json_array_end(&x->w);
    end_line(x);
}

static void on_user(struct export *x, const struct export_message *m)
{
    quire_bytes text = export_text_of(x, &m->blocks, false);

    put_message(x, m, "user");
    put_event(x, "user_message", "message", text, m->ms);
}

/* ---- answers ------------------------------------------------------------- */

static void put_reasoning(struct export *x, const struct export_message *m,
                          const struct export_block *b)
{
    bool same = export_same_provider(x, m, "openai");

    if (b->kind == EXPORT_REDACTED || b->signature.len || !same)
        export_drop_opaque(x, b);
    if (b->kind == EXPORT_REDACTED)
        return;
    if (!is_own(x) && !(same && b->encrypted.len)) {
        if (b->text.len)
            put_event(x, "agent_reasoning", "text", b->text, m->ms);
        return;
    }
    begin_item(x, "reasoning", m->ms);
    json_key(&x->w, "summary");
    json_array(&x->w);
    if (b->text.len)
        put_text(x, "summary_text", b->text);
    json_array_end(&x->w);
    if (b->encrypted.len)
        json_put_bytes(&x->w, "encrypted_content", b->encrypted);
    end_line(x);
}

static void put_answer_text(struct export *x, const struct export_message *m,
                            quire_bytes text)
{
    if (!text.len)
        return;
    begin_item(x, "message", m->ms);
    json_put_str(&x->w, "role", "assistant");
    json_key(&x->w, "content");
    json_array(&x->w);
    put_text(x, "output_text", text);
    json_array_end(&x->w);
    end_line(x);
    put_event(x, "agent_message", "message", text, m->ms);
}

static void put_call(struct export *x, const struct export_message *m,
                     const struct export_block *b)
{
    begin_item(x, "function_call", m->ms);
    json_put_bytes(&x->w, "name", export_plain_id(x, b->name));
    json_put_bytes(&x->w, "arguments", b->arguments);
    json_put_bytes(&x->w, "call_id", export_plain_id(x, b->id));
    end_line(x);
}

static void put_answer_block(struct export *x, const struct export_message *m,
                             const struct export_block *b)
{
    switch (b->kind) {
    case EXPORT_TEXT: put_answer_text(x, m, b->text); break;
    case EXPORT_CALL: put_call(x, m, b); break;
    case EXPORT_THINKING:
    case EXPORT_REDACTED: put_reasoning(x, m, b); break;
    case EXPORT_IMAGE:
    case EXPORT_OTHER: export_drop(x, "block of an answer", b->type); break;
    }
}

static void put_output(struct export *x, const struct export_block *call)
{
    const struct export_result *r = call->result;
    const struct export_blocks *b = &r->blocks;

    begin_item(x, "function_call_output", r->ms);
    json_put_bytes(&x->w, "call_id", export_plain_id(x, call->id));
    json_key(&x->w, "output");
    if (b->n == 0 || (b->n == 1 && b->list[0].kind == EXPORT_TEXT))
        json_bytes(&x->w, b->n ? b->list[0].text : bytes_str(""));
    else
        put_content(x, b);
    end_line(x);
    if (r->is_error && !is_own(x))
        export_drop(x, "error flag of a result", bytes_str(""));
}

static void put_tokens(struct export *x, const char *key,
                       const struct export_usage *u,
                       const struct export_usage *before)
{
    uint64_t cached = u->cache_read + before->cache_read;
    uint64_t input = u->input + before->input + cached + u->cache_write +
                     before->cache_write;
    uint64_t output = u->output + before->output;

    json_key(&x->w, key);
    json_object(&x->w);
    json_put_uint(&x->w, "input_tokens", input);
    json_put_uint(&x->w, "cached_input_tokens", cached);
    json_put_uint(&x->w, "cache_write_input_tokens",
                  u->cache_write + before->cache_write);
    json_put_uint(&x->w, "output_tokens", output);
    json_put_uint(&x->w, "reasoning_output_tokens", 0);
    json_put_uint(&x->w, "total_tokens", input + output);
    json_object_end(&x->w);
}

static void put_usage(struct export *x, const struct export_message *m)
{
    static const struct export_usage zero;
    const struct export_usage *u = &m->usage;

    if (!(u->input | u->output | u->cache_read | u->cache_write))
        return;
    begin_line(x, "event_msg", m->ms);
    json_put_str(&x->w, "type", "token_count");
    json_key(&x->w, "info");
    json_object(&x->w);
    put_tokens(x, "total_token_usage", u, &x->total);
    put_tokens(x, "last_token_usage", u, &zero);
    json_put_null(&x->w, "model_context_window");
    json_object_end(&x->w);
    json_put_null(&x->w, "rate_limits");
    end_line(x);
}

/* The model of a foreign session would be asked of OpenAI. */
static void put_model(struct export *x, const struct export_message *m)
{
    struct codex *s = codex_of(x);

    if (!m->model.len || bytes_equal(m->model, s->model))
        return;
    s->model = arena_dup(&x->keep, m->model);
    if (!is_own(x)) {
        export_drop(x, "model", m->model);
        return;
    }
    begin_line(x, "turn_context", m->ms);
    json_put_str(&x->w, "cwd", *x->session.cwd ? x->session.cwd : "/");
    json_put_str(&x->w, "approval_policy", "on-request");
    json_key(&x->w, "sandbox_policy");
    json_object(&x->w);
    json_put_str(&x->w, "type", "read-only");
    json_object_end(&x->w);
    json_put_bytes(&x->w, "model", m->model);
    json_put_str(&x->w, "summary", "auto");
    end_line(x);
}

static void on_answer(struct export *x, const struct export_message *m)
{
    size_t i;

    put_model(x, m);
    for (i = 0; i < m->blocks.n; i++)
        put_answer_block(x, m, &m->blocks.list[i]);
    put_usage(x, m);
    for (i = 0; i < m->blocks.n; i++)
        if (m->blocks.list[i].kind == EXPORT_CALL && m->blocks.list[i].result)
            put_output(x, &m->blocks.list[i]);
}

/* ---- other messages ------------------------------------------------------ */

static void on_summary(struct export *x, const struct export_message *m)
{
    begin_line(x, "compacted", m->ms);
    json_put_bytes(&x->w, "message", export_text_of(x, &m->blocks, true));
    json_key(&x->w, "replacement_history");
    if (is_own(x) && json_kind(m->history) == JSON_ARRAY) {
        export_raw(x, m->history);
    } else {
        json_array(&x->w);
        if (m->role == EXPORT_SUMMARY) {
            json_object(&x->w);
            json_put_str(&x->w, "type", "message");
            json_put_str(&x->w, "role", "user");
            json_key(&x->w, "content");
            json_array(&x->w);
            put_text(x, "input_text", export_plain(x, m));
            json_array_end(&x->w);
            json_object_end(&x->w);
        }
        json_array_end(&x->w);
    }
    end_line(x);
}

static void on_other(struct export *x, const struct export_message *m)
{
    switch (m->role) {
    case EXPORT_SYSTEM:
        if (is_own(x))
            put_message(x, m, "developer");
        else
            export_drop(x, "system message", bytes_str(""));
        break;
    case EXPORT_NOTE:
        if (!export_drop_note(x, m))
            put_message(x, m, "user");
        break;
    case EXPORT_BRANCH: put_user_text(x, export_plain(x, m), m->ms); break;
    default: export_drop(x, "result without its call", bytes_str("")); break;
    }
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    (void)err;
    switch (m->role) {
    case EXPORT_USER: on_user(x, m); break;
    case EXPORT_ASSISTANT: on_answer(x, m); break;
    case EXPORT_SUMMARY:
    case EXPORT_RESET: on_summary(x, m); break;
    default: on_other(x, m); break;
    }
    return QUIRE_OK;
}

/* ---- the session --------------------------------------------------------- */

/* With the time that its ids begin with. */
static const char *session_id(struct export *x)
{
    struct codex *s = codex_of(x);

    if (!*s->id)
        export_uuid_at(x, bytes_str(""), 0, x->session.created_ms, s->id);
    return s->id;
}

static quire_status begin(struct export *x, quire_error *err)
{
    (void)err;
    begin_line(x, "session_meta", x->session.created_ms);
    json_put_str(&x->w, "id", session_id(x));
    export_put_time(x, "timestamp", x->session.created_ms);
    json_put_str(&x->w, "cwd", *x->session.cwd ? x->session.cwd : "/");
    json_put_str(&x->w, "originator", "quire");
    json_put_str(&x->w, "cli_version", "0.0.0");
    json_put_str(&x->w, "source", "cli");
    if (is_own(x) && *x->session.provider)
        json_put_str(&x->w, "model_provider", x->session.provider);
    end_line(x);
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    const char *title = export_title(x);

    (void)err;
    if (*title)
        put_event(x, "thread_name_updated", "thread_name", bytes_str(title),
                  x->session.updated_ms);
    return QUIRE_OK;
}

static const char *file_name(struct export *x)
{
    char time[TIMESTAMP_SIZE], *c;

    export_time(x->session.created_ms, time);
    time[strcspn(time, ".")] = '\0';
    for (c = time; *c; c++)
        if (*c == ':')
            *c = '-';
    return arena_printf(&x->keep, "rollout-%s-%s.jsonl", time, session_id(x));
}

static void place(struct export *x, struct export_place *out)
{
    const char *name = file_name(x);
    char day[TIMESTAMP_SIZE];

    export_time(x->session.created_ms, day);
    out->dir = export_root(x, "CODEX_HOME", ".codex");
    out->name = name ? arena_printf(&x->keep, "sessions/%.4s/%.2s/%.2s/%s", day,
                                    day + 5, day + 8, name)
                     : NULL;
}

static void resume(struct export *x, const char *id, const char *path,
                   const char **argv)
{
    (void)x;
    (void)path;
    argv[0] = "codex";
    argv[1] = "resume";
    argv[2] = id;
}

const struct export_target export_codex = {
    .name = "codex",
    .title = "Codex",
    .suffix = ".jsonl",
    .mime_type = "application/jsonl",
    .is_lines = true,
    .for_agent = true,
    .state_size = sizeof(struct codex),
    .begin = begin,
    .message = message,
    .end = end,
    .file_name = file_name,
    .session_id = session_id,
    .place = place,
    .resume = resume,
};
