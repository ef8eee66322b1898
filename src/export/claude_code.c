/*
 * claude_code.c - sessions for Claude Code
 *
 *     projects/<directory with dashes>/<uuid>.jsonl
 *
 * A line a message, each below the one before. It resumes from the last. Its API
 * takes thinking only as it was signed, tool results only for a call, and no
 * empty text.
 */
#include <string.h>

#include "base/bytes.h"
#include "export/targets.h"

struct claude {
    char last[EXPORT_UUID_SIZE]; /* "": no line yet */
};

static struct claude *claude_of(const struct export *x)
{
    return x->state;
}

/* ---- lines --------------------------------------------------------------- */

/* Begin a record below the last one. */
static void begin_line(struct export *x, const char *type, quire_bytes id,
                       unsigned part, int64_t ms)
{
    struct claude *s = claude_of(x);
    char uuid[EXPORT_UUID_SIZE];

    export_uuid(x, id, part, uuid);
    json_object(&x->w);
    if (*s->last)
        json_put_str(&x->w, "parentUuid", s->last);
    else
        json_put_null(&x->w, "parentUuid");
    json_put_bool(&x->w, "isSidechain", false);
    json_put_str(&x->w, "userType", "external");
    if (*x->session.cwd)
        json_put_str(&x->w, "cwd", x->session.cwd);
    json_put_str(&x->w, "sessionId", x->uuid);
    json_put_str(&x->w, "type", type);
    json_put_str(&x->w, "uuid", uuid);
    export_put_time(x, "timestamp", ms);
    memcpy(s->last, uuid, sizeof uuid);
}

static void end_line(struct export *x)
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

static void put_text(struct export *x, quire_bytes text)
{
    put_typed(x, "text");
    json_put_bytes(&x->w, "text", text);
    json_object_end(&x->w);
}

static void put_image(struct export *x, const struct export_block *b)
{
    put_typed(x, "image");
    json_key(&x->w, "source");
    put_typed(x, "base64");
    json_put_bytes(&x->w, "media_type", b->mime);
    json_put_bytes(&x->w, "data", b->data);
    json_object_end(&x->w);
    json_object_end(&x->w);
}

static void put_call(struct export *x, const struct export_block *b)
{
    put_typed(x, "tool_use");
    json_put_bytes(&x->w, "id", export_plain_id(x, b->id));
    json_put_bytes(&x->w, "name", export_plain_id(x, b->name));
    export_put_raw(x, "input", b->arguments);
    json_object_end(&x->w);
}

static void put_thinking(struct export *x, const struct export_block *b)
{
    bool redacted = b->kind == EXPORT_REDACTED;

    put_typed(x, redacted ? "redacted_thinking" : "thinking");
    if (redacted) {
        json_put_bytes(&x->w, "data", b->signature);
    } else {
        json_put_bytes(&x->w, "thinking", b->text);
        json_put_bytes(&x->w, "signature", b->signature);
    }
    json_object_end(&x->w);
}

/* Whether the target holds a block; what it does not is counted. */
static bool holds(struct export *x, const struct export_message *m,
                  const struct export_block *b)
{
    switch (b->kind) {
    case EXPORT_TEXT: return b->text.len > 0;
    case EXPORT_CALL: return m->role == EXPORT_ASSISTANT;
    case EXPORT_IMAGE: return export_is_image(x, b);
    case EXPORT_THINKING:
    case EXPORT_REDACTED:
        if (b->signature.len && export_same_provider(x, m, "anthropic"))
            return true;
        export_drop_opaque(x, b);
        if (b->text.len)
            export_drop(x, "thinking", bytes_str(""));
        return false;
    case EXPORT_OTHER: break;
    }
    if (!strcmp(x->session.agent, x->target->name) && b->type.len)
        return true;
    export_drop(x, "block", b->type);
    return false;
}

static void put_block(struct export *x, const struct export_block *b)
{
    switch (b->kind) {
    case EXPORT_TEXT: put_text(x, b->text); break;
    case EXPORT_CALL: put_call(x, b); break;
    case EXPORT_IMAGE: put_image(x, b); break;
    case EXPORT_THINKING:
    case EXPORT_REDACTED: put_thinking(x, b); break;
    case EXPORT_OTHER: export_raw(x, b->json); break;
    }
}

/* The blocks that it holds, moved to the front. */
static struct export_blocks held_blocks(struct export *x,
                                        const struct export_message *m,
                                        const struct export_blocks *from)
{
    struct export_blocks b = {
        .list = arena_array(&x->tmp, from->n + 1, sizeof *b.list)};
    size_t i;

    x->out.failed |= !b.list;
    for (i = 0; b.list && i < from->n; i++)
        if (holds(x, m, &from->list[i]))
            b.list[b.n++] = from->list[i];
    return b;
}

static void put_content(struct export *x, const struct export_blocks *b,
                        bool plain)
{
    size_t i;

    json_key(&x->w, "content");
    if (plain && b->n == 1 && b->list[0].kind == EXPORT_TEXT) {
        json_bytes(&x->w, b->list[0].text);
        return;
    }
    json_array(&x->w);
    for (i = 0; i < b->n; i++)
        put_block(x, &b->list[i]);
    json_array_end(&x->w);
}

/* ---- messages ------------------------------------------------------------ */

static void put_user(struct export *x, const struct export_message *m,
                     unsigned part, quire_bytes text)
{
    begin_line(x, "user", m->entry_id, part, m->ms);
    json_key(&x->w, "message");
    json_object(&x->w);
    json_put_str(&x->w, "role", "user");
    json_put_bytes(&x->w, "content", text);
    json_object_end(&x->w);
}

static void on_user(struct export *x, const struct export_message *m, bool meta)
{
    struct export_blocks b = held_blocks(x, m, &m->blocks);

    if (b.n == 0) {
        export_drop(x, "empty message", bytes_str(""));
        return;
    }
    begin_line(x, "user", m->entry_id, 0, m->ms);
    if (meta)
        json_put_bool(&x->w, "isMeta", true);
    json_key(&x->w, "message");
    json_object(&x->w);
    json_put_str(&x->w, "role", "user");
    put_content(x, &b, true);
    json_object_end(&x->w);
    end_line(x);
}

static void put_result(struct export *x, const struct export_message *m,
                       const struct export_block *call)
{
    const struct export_result *r = call->result;
    struct export_message part = {.role = EXPORT_USER, .provider = m->provider};
    struct export_blocks b = held_blocks(x, &part, &r->blocks);

    begin_line(x, "user", r->entry_id, 0, r->ms);
    json_key(&x->w, "message");
    json_object(&x->w);
    json_put_str(&x->w, "role", "user");
    json_key(&x->w, "content");
    json_array(&x->w);
    put_typed(x, "tool_result");
    json_put_bytes(&x->w, "tool_use_id", export_plain_id(x, call->id));
    put_content(x, &b, true);
    if (r->is_error)
        json_put_bool(&x->w, "is_error", true);
    json_object_end(&x->w);
    json_array_end(&x->w);
    json_object_end(&x->w);
    end_line(x);
}

static void put_usage(struct export *x, const struct export_usage *u)
{
    json_key(&x->w, "usage");
    json_object(&x->w);
    json_put_uint(&x->w, "input_tokens", u->input);
    json_put_uint(&x->w, "cache_creation_input_tokens", u->cache_write);
    json_put_uint(&x->w, "cache_read_input_tokens", u->cache_read);
    json_put_uint(&x->w, "output_tokens", u->output);
    json_object_end(&x->w);
}

/* Answers with one id would be merged into one. */
static void put_message_id(struct export *x, const struct export_message *m)
{
    char id[4 + 24 + 1] = "msg_";

    if (m->response_id.len && export_same_provider(x, m, "anthropic")) {
        json_put_bytes(&x->w, "id", m->response_id);
        return;
    }
    export_hex(x, m->entry_id, 1, 24, id + 4);
    json_put_str(&x->w, "id", id);
}

static void put_answer(struct export *x, const struct export_message *m,
                       const struct export_blocks *b)
{
    static const char *const stops[] = {[EXPORT_STOP_END] = "end_turn",
                                        [EXPORT_STOP_TOOL] = "tool_use",
                                        [EXPORT_STOP_LENGTH] = "max_tokens"};
    const char *stop = m->stop <= EXPORT_STOP_LENGTH ? stops[m->stop] : NULL;

    begin_line(x, "assistant", m->entry_id, 0, m->ms);
    if (m->stop == EXPORT_STOP_ERROR && bytes_is(m->model, "<synthetic>"))
        json_put_bool(&x->w, "isApiErrorMessage", true);
    if (m->stop == EXPORT_STOP_ABORTED)
        json_put_bool(&x->w, "isAbortedMidStream", true);
    json_key(&x->w, "message");
    json_object(&x->w);
    put_message_id(x, m);
    json_put_str(&x->w, "type", "message");
    json_put_str(&x->w, "role", "assistant");
    /* Without a model it hangs. */
    json_put_bytes(&x->w, "model",
                   m->model.len ? m->model : bytes_str("unknown"));
    put_content(x, b, false);
    if (stop)
        json_put_str(&x->w, "stop_reason", stop);
    else
        json_put_null(&x->w, "stop_reason");
    put_usage(x, &m->usage);
    json_object_end(&x->w);
    end_line(x);
}

static void on_answer(struct export *x, const struct export_message *m)
{
    struct export_blocks b = held_blocks(x, m, &m->blocks);
    size_t i;

    if (b.n == 0) {
        export_drop(x,
                    m->stop == EXPORT_STOP_ERROR ? "failed answer"
                                                 : "answer without text",
                    bytes_str(""));
        return;
    }
    put_answer(x, m, &b);
    for (i = 0; i < b.n; i++)
        if (b.list[i].kind == EXPORT_CALL && b.list[i].result)
            put_result(x, m, &b.list[i]);
}

/* What came before is not sent any more. */
static void put_boundary(struct export *x, const struct export_message *m)
{
    struct claude *s = claude_of(x);
    char logical[EXPORT_UUID_SIZE];

    memcpy(logical, s->last, sizeof logical);
    *s->last = '\0';
    begin_line(x, "system", m->entry_id, 0, m->ms);
    if (*logical)
        json_put_str(&x->w, "logicalParentUuid", logical);
    json_put_str(&x->w, "subtype", "compact_boundary");
    json_put_str(&x->w, "content", "Conversation compacted");
    json_put_str(&x->w, "level", "info");
    json_key(&x->w, "compactMetadata");
    json_object(&x->w);
    json_put_str(&x->w, "trigger", "manual");
    json_put_uint(&x->w, "preTokens", m->tokens_before);
    json_object_end(&x->w);
    end_line(x);
}

static void on_summary(struct export *x, const struct export_message *m)
{
    bool same = !strcmp(x->session.agent, x->target->name);

    put_boundary(x, m);
    put_user(x, m, 1,
             same ? export_text_of(x, &m->blocks, true) : export_plain(x, m));
    json_put_bool(&x->w, "isVisibleInTranscriptOnly", true);
    json_put_bool(&x->w, "isCompactSummary", true);
    end_line(x);
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    (void)err;
    switch (m->role) {
    case EXPORT_USER: on_user(x, m, false); break;
    case EXPORT_ASSISTANT: on_answer(x, m); break;
    case EXPORT_SUMMARY: on_summary(x, m); break;
    case EXPORT_RESET: put_boundary(x, m); break;
    case EXPORT_SYSTEM: export_drop(x, "system message", bytes_str("")); break;
    case EXPORT_RESULT:
        export_drop(x, "result without its call", bytes_str(""));
        break;
    case EXPORT_NOTE:
        if (!export_drop_note(x, m))
            on_user(x, m, true);
        break;
    case EXPORT_BRANCH:
        put_user(x, m, 0, export_plain(x, m));
        json_put_bool(&x->w, "isMeta", true);
        end_line(x);
        break;
    }
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    const char *title = export_title(x);

    (void)err;
    if (!*title)
        return QUIRE_OK;
    json_object(&x->w);
    json_put_str(&x->w, "type", "custom-title");
    json_put_str(&x->w, "customTitle", title);
    json_put_str(&x->w, "sessionId", x->uuid);
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

    out->dir = export_root(x, "CLAUDE_CONFIG_DIR", ".claude");
    out->name = project ? arena_printf(&x->keep, "projects/%s/%s.jsonl",
                                       *project ? project : "-", x->uuid)
                        : NULL;
}

static void resume(struct export *x, const char *id, const char *path,
                   const char **argv)
{
    (void)x;
    (void)path;
    argv[0] = "claude";
    argv[1] = "--resume";
    argv[2] = id;
}

const struct export_target export_claude_code = {
    .name = "claude-code",
    .title = "Claude Code",
    .suffix = ".jsonl",
    .mime_type = "application/jsonl",
    .is_lines = true,
    .for_agent = true,
    .state_size = sizeof(struct claude),
    .message = message,
    .end = end,
    .file_name = file_name,
    .place = place,
    .resume = resume,
};
