/*
 * copilot.c - sessions for GitHub Copilot CLI
 *
 *     session-state/<uuid>/events.jsonl
 *
 * A chain of events. Images are attachments of prompts; of results it keeps none, and
 * thinking not at all.
 */
#include <string.h>

#include "base/bytes.h"
#include "export/targets.h"

struct copilot {
    char last[EXPORT_UUID_SIZE]; /* "": no line yet */
};

static void begin_line(struct export *x, const char *type)
{
    json_object(&x->w);
    json_put_str(&x->w, "type", type);
    json_key(&x->w, "data");
    json_object(&x->w);
}

static void end_line(struct export *x, quire_bytes id, unsigned part,
                     int64_t ms)
{
    struct copilot *s = x->state;
    char uuid[EXPORT_UUID_SIZE];

    export_uuid(x, id, part, uuid);
    json_object_end(&x->w);
    json_put_str(&x->w, "id", uuid);
    export_put_time(x, "timestamp", ms);
    if (*s->last)
        json_put_str(&x->w, "parentId", s->last);
    else
        json_put_null(&x->w, "parentId");
    json_object_end(&x->w);
    export_line(x);
    memcpy(s->last, uuid, sizeof uuid);
}

static void drop_blocks(struct export *x, const struct export_blocks *b,
                        bool images)
{
    size_t i;

    for (i = 0; i < b->n; i++) {
        const struct export_block *block = &b->list[i];

        if (block->kind == EXPORT_IMAGE && images)
            export_drop(x, "image", block->mime);
        if (block->kind == EXPORT_OTHER)
            export_drop(x, "block", block->type);
        if (block->kind == EXPORT_THINKING && block->text.len)
            export_drop(x, "thinking", bytes_str(""));
        export_drop_opaque(x, block);
    }
}

/* ---- messages ------------------------------------------------------------ */

static void put_image(struct export *x, const struct export_block *b)
{
    json_object(&x->w);
    json_put_str(&x->w, "type", "blob");
    json_put_bytes(&x->w, "data", b->data);
    json_put_bytes(&x->w, "mimeType", b->mime);
    json_put_str(&x->w, "displayName", "image");
    json_object_end(&x->w);
}

static void put_user(struct export *x, const struct export_message *m,
                     quire_bytes text)
{
    size_t i;

    begin_line(x, "user.message");
    json_put_bytes(&x->w, "content", text);
    json_put_bytes(&x->w, "transformedContent", text);
    json_key(&x->w, "attachments");
    json_array(&x->w);
    for (i = 0; i < m->blocks.n; i++)
        if (m->blocks.list[i].kind == EXPORT_IMAGE &&
            export_is_image(x, &m->blocks.list[i]))
            put_image(x, &m->blocks.list[i]);
    json_array_end(&x->w);
    end_line(x, m->entry_id, 0, m->ms);
}

static void on_user(struct export *x, const struct export_message *m)
{
    drop_blocks(x, &m->blocks, false);
    put_user(x, m, export_text_of(x, &m->blocks, false));
}

static void put_requests(struct export *x, const struct export_message *m)
{
    size_t i;

    json_key(&x->w, "toolRequests");
    json_array(&x->w);
    for (i = 0; i < m->blocks.n; i++) {
        const struct export_block *b = &m->blocks.list[i];

        if (b->kind != EXPORT_CALL)
            continue;
        json_object(&x->w);
        json_put_bytes(&x->w, "toolCallId", b->id);
        json_put_bytes(&x->w, "name", export_plain_id(x, b->name));
        export_put_raw(x, "arguments", b->arguments);
        json_put_str(&x->w, "type", "function");
        json_object_end(&x->w);
    }
    json_array_end(&x->w);
}

static void put_call(struct export *x, const struct export_message *m,
                     const struct export_block *b, unsigned part)
{
    const struct export_result *r = b->result;

    begin_line(x, "tool.execution_start");
    json_put_bytes(&x->w, "toolCallId", b->id);
    json_put_bytes(&x->w, "toolName", export_plain_id(x, b->name));
    export_put_raw(x, "arguments", b->arguments);
    end_line(x, m->entry_id, part, m->ms);
    if (!r)
        return;
    drop_blocks(x, &r->blocks, true);
    begin_line(x, "tool.execution_complete");
    json_put_bytes(&x->w, "toolCallId", b->id);
    json_put_bool(&x->w, "success", !r->is_error);
    json_key(&x->w, r->is_error ? "error" : "result");
    json_object(&x->w);
    json_put_bytes(&x->w, r->is_error ? "message" : "content",
                   export_text_of(x, &r->blocks, false));
    json_object_end(&x->w);
    end_line(x, r->entry_id, 0, r->ms);
}

static void on_answer(struct export *x, const struct export_message *m)
{
    char id[EXPORT_UUID_SIZE];
    unsigned part = 2;
    size_t i;

    drop_blocks(x, &m->blocks, true);
    export_uuid(x, m->entry_id, 1, id);
    begin_line(x, "assistant.message");
    json_put_str(&x->w, "messageId", id);
    json_put_bytes(&x->w, "content", export_text_of(x, &m->blocks, false));
    if (m->model.len)
        json_put_bytes(&x->w, "model", m->model);
    put_requests(x, m);
    json_put_uint(&x->w, "outputTokens", m->usage.output);
    end_line(x, m->entry_id, 0, m->ms);
    for (i = 0; i < m->blocks.n; i++)
        if (m->blocks.list[i].kind == EXPORT_CALL)
            put_call(x, m, &m->blocks.list[i], part++);
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    (void)err;
    switch (m->role) {
    case EXPORT_USER: on_user(x, m); break;
    case EXPORT_ASSISTANT: on_answer(x, m); break;
    case EXPORT_SUMMARY: put_user(x, m, export_plain(x, m)); break;
    case EXPORT_RESET: break; /* the first entry */
    case EXPORT_SYSTEM: export_drop(x, "system message", bytes_str("")); break;
    case EXPORT_RESULT:
        export_drop(x, "result without its call", bytes_str(""));
        break;
    case EXPORT_NOTE:
        if (!export_drop_note(x, m))
            on_user(x, m);
        break;
    case EXPORT_BRANCH: put_user(x, m, export_plain(x, m)); break;
    }
    return QUIRE_OK;
}

static quire_status begin(struct export *x, quire_error *err)
{
    (void)err;
    begin_line(x, "session.start");
    json_put_str(&x->w, "sessionId", x->uuid);
    json_put_uint(&x->w, "version", 1);
    json_put_str(&x->w, "producer", "quire");
    json_put_str(&x->w, "copilotVersion", "0.0.0");
    export_put_time(x, "startTime", x->session.created_ms);
    json_key(&x->w, "context");
    json_object(&x->w);
    json_put_str(&x->w, "cwd", *x->session.cwd ? x->session.cwd : "/");
    json_object_end(&x->w);
    end_line(x, bytes_str("start"), 0, x->session.created_ms);
    return QUIRE_OK;
}

static void place(struct export *x, struct export_place *out)
{
    out->dir = export_root(x, "COPILOT_HOME", ".copilot");
    out->name = arena_printf(&x->keep, "session-state/%s/events.jsonl",
                             x->uuid);
}

static void resume(struct export *x, const char *id, const char *path,
                   const char **argv)
{
    (void)path;
    argv[0] = "copilot";
    argv[1] = arena_printf(&x->keep, "--resume=%s", id);
}

const struct export_target export_copilot = {
    .name = "copilot",
    .title = "Copilot CLI",
    .suffix = ".jsonl",
    .mime_type = "application/jsonl",
    .is_lines = true,
    .for_agent = true,
    .context_only = true,
    .state_size = sizeof(struct copilot),
    .begin = begin,
    .message = message,
    .place = place,
    .resume = resume,
};
