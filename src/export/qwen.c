/*
 * qwen.c - sessions for Qwen Code
 *
 *     projects/<directory with dashes>/chats/<uuid>.jsonl
 *
 * A line a message, each below the one before, with Google's parts. Behind a
 * compression only its history and what follows is sent.
 */
#include <string.h>

#include "base/bytes.h"
#include "export/google.h"
#include "export/targets.h"

struct qwen {
    char last[EXPORT_UUID_SIZE]; /* "": no line yet */
};

static void begin_line(struct export *x, const char *type, quire_bytes id,
                       unsigned part, int64_t ms)
{
    struct qwen *s = x->state;
    char uuid[EXPORT_UUID_SIZE];

    export_uuid(x, id, part, uuid);
    json_object(&x->w);
    json_put_str(&x->w, "uuid", uuid);
    if (*s->last)
        json_put_str(&x->w, "parentUuid", s->last);
    else
        json_put_null(&x->w, "parentUuid");
    json_put_str(&x->w, "sessionId", x->uuid);
    export_put_time(x, "timestamp", ms);
    json_put_str(&x->w, "type", type);
    /* Without a directory it crashes. */
    json_put_str(&x->w, "cwd", *x->session.cwd ? x->session.cwd : "/");
    json_put_str(&x->w, "version", "0.0.0");
    memcpy(s->last, uuid, sizeof uuid);
}

static void end_line(struct export *x)
{
    json_object_end(&x->w);
    export_line(x);
}

static void begin_parts(struct export *x, const char *role)
{
    json_object(&x->w);
    json_put_str(&x->w, "role", role);
    json_key(&x->w, "parts");
    json_array(&x->w);
}

static void end_parts(struct export *x)
{
    json_array_end(&x->w);
    json_object_end(&x->w);
}

/* ---- messages ------------------------------------------------------------ */

static void on_user(struct export *x, const struct export_message *m)
{
    begin_line(x, "user", m->entry_id, 0, m->ms);
    json_key(&x->w, "message");
    begin_parts(x, "user");
    google_put_parts(x, &m->blocks, false);
    end_parts(x);
    end_line(x);
}

static void put_plain(struct export *x, const struct export_message *m)
{
    begin_parts(x, "user");
    google_put_text(x, export_plain(x, m));
    end_parts(x);
}

static void put_usage(struct export *x, const struct export_usage *u)
{
    uint64_t prompt = u->input + u->cache_read + u->cache_write;

    json_key(&x->w, "usageMetadata");
    json_object(&x->w);
    json_put_uint(&x->w, "promptTokenCount", prompt);
    json_put_uint(&x->w, "candidatesTokenCount", u->output);
    json_put_uint(&x->w, "cachedContentTokenCount", u->cache_read);
    json_put_uint(&x->w, "totalTokenCount", prompt + u->output);
    json_object_end(&x->w);
}

static void put_result(struct export *x, const struct export_block *call)
{
    const struct export_result *r = call->result;

    begin_line(x, "tool_result", r->entry_id, 0, r->ms);
    json_key(&x->w, "message");
    begin_parts(x, "user");
    google_put_response(x, call, true);
    end_parts(x);
    json_key(&x->w, "toolCallResult");
    json_object(&x->w);
    json_put_bytes(&x->w, "callId", call->id);
    json_put_str(&x->w, "status", r->is_error ? "error" : "success");
    json_put_bytes(&x->w, "resultDisplay",
                   export_text_of(x, &r->blocks, false));
    json_object_end(&x->w);
    end_line(x);
}

static void on_answer(struct export *x, const struct export_message *m)
{
    size_t i;

    begin_line(x, "assistant", m->entry_id, 0, m->ms);
    json_put_bytes(&x->w, "model",
                   m->model.len ? m->model : bytes_str("unknown"));
    json_key(&x->w, "message");
    begin_parts(x, "model");
    google_put_parts(x, &m->blocks, true);
    for (i = 0; i < m->blocks.n; i++)
        if (m->blocks.list[i].kind == EXPORT_CALL)
            google_put_call(x, &m->blocks.list[i]);
    end_parts(x);
    put_usage(x, &m->usage);
    end_line(x);
    for (i = 0; i < m->blocks.n; i++)
        if (m->blocks.list[i].kind == EXPORT_CALL && m->blocks.list[i].result)
            put_result(x, &m->blocks.list[i]);
}

static void on_summary(struct export *x, const struct export_message *m)
{
    begin_line(x, "system", m->entry_id, 0, m->ms);
    json_put_str(&x->w, "subtype", "chat_compression");
    json_key(&x->w, "systemPayload");
    json_object(&x->w);
    json_key(&x->w, "info");
    json_object(&x->w);
    json_put_uint(&x->w, "originalTokenCount", m->tokens_before);
    json_put_uint(&x->w, "newTokenCount", 0);
    json_put_uint(&x->w, "compressionStatus", 1);
    json_object_end(&x->w);
    json_key(&x->w, "compressedHistory");
    json_array(&x->w);
    if (m->role == EXPORT_SUMMARY)
        put_plain(x, m);
    json_array_end(&x->w);
    json_object_end(&x->w);
    end_line(x);
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
    case EXPORT_SYSTEM: export_drop(x, "system message", bytes_str("")); break;
    case EXPORT_RESULT:
        export_drop(x, "result without its call", bytes_str(""));
        break;
    case EXPORT_NOTE:
        if (!export_drop_note(x, m))
            on_user(x, m);
        break;
    case EXPORT_BRANCH:
        begin_line(x, "user", m->entry_id, 0, m->ms);
        json_key(&x->w, "message");
        put_plain(x, m);
        end_line(x);
        break;
    }
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    const char *title = export_title(x);

    (void)err;
    if (!*title || x->n == 0)
        return QUIRE_OK;
    begin_line(x, "system", bytes_str("title"), 0, x->session.updated_ms);
    json_put_str(&x->w, "subtype", "custom_title");
    json_key(&x->w, "systemPayload");
    json_object(&x->w);
    json_put_str(&x->w, "customTitle", title);
    json_object_end(&x->w);
    end_line(x);
    return QUIRE_OK;
}

/* ---- places -------------------------------------------------------------- */

static const char *file_name(struct export *x)
{
    return arena_printf(&x->keep, "%s.jsonl", x->uuid);
}

static void place(struct export *x, struct export_place *out)
{
    const char *project = export_dashed(x, x->session.cwd);

    out->dir = export_root(x, "QWEN_HOME", ".qwen");
    out->name = project ? arena_printf(&x->keep, "projects/%s/chats/%s.jsonl",
                                       *project ? project : "-", x->uuid)
                        : NULL;
}

static void resume(struct export *x, const char *id, const char *path,
                   const char **argv)
{
    (void)x;
    (void)path;
    argv[0] = "qwen";
    argv[1] = "--resume";
    argv[2] = id;
}

const struct export_target export_qwen = {
    .name = "qwen",
    .title = "Qwen Code",
    .suffix = ".jsonl",
    .mime_type = "application/jsonl",
    .is_lines = true,
    .for_agent = true,
    .state_size = sizeof(struct qwen),
    .message = message,
    .end = end,
    .file_name = file_name,
    .place = place,
    .resume = resume,
};
