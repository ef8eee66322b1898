/*
 * opencode.c - sessions for opencode, as `opencode import` takes them
 *
 *     {"info": session, "messages": [{"info": message, "parts": [part]}]}
 *
 * Ids begin with a time and sort by it. The results of calls stand in the answer.
 * Of a compaction the user asks for it, and the answer is the summary.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "export/targets.h"

enum { ID_SIZE = 4 + 12 + 14 + 1 };

struct opencode {
    char session[ID_SIZE];
    char user[ID_SIZE];    /* the last user message, which answers belong to */
    char message[ID_SIZE]; /* that is being written */
    int64_t last;          /* time in the last id: they ascend */
    int64_t ms;            /* of the message, never less than before */
    unsigned parts;
};

static struct opencode *state_of(const struct export *x)
{
    return x->state;
}

/* ---- ids ----------------------------------------------------------------- */

static void format_id(const struct export *x, const char *prefix, uint64_t time,
                      quire_bytes id, unsigned part, char out[ID_SIZE])
{
    static const char digits[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    uint8_t hash[EXPORT_HASH];
    int n = snprintf(out, ID_SIZE, "%s%012llx", prefix,
                     (unsigned long long)(time & 0xffffffffffffULL));
    size_t i;

    export_hash(x, id, part, hash);
    for (i = 0; i < 14; i++)
        out[(size_t)n + i] = digits[hash[i] % 62];
    out[(size_t)n + i] = '\0';
}

/* Milliseconds and a counter of 12 bits; never less than the one before. */
static void next_id(struct export *x, const char *prefix, int64_t ms,
                    quire_bytes id, unsigned part, char out[ID_SIZE])
{
    struct opencode *s = state_of(x);
    int64_t time = ms > 0 && ms < INT64_MAX / 4096 ? ms * 4096 : 0;

    s->last = time > s->last ? time : s->last + 1;
    format_id(x, prefix, (uint64_t)s->last, id, part, out);
}

/* Sessions sort the other way round: the newest first. */
static const char *session_id(struct export *x)
{
    struct opencode *s = state_of(x);

    if (!*s->session)
        format_id(x, "ses_", ~((uint64_t)x->session.created_ms * 4096),
                  bytes_str(""), 0, s->session);
    return s->session;
}

/* ---- members ------------------------------------------------------------- */

static void put_times(struct export *x, const char *end, int64_t from,
                      int64_t to)
{
    json_key(&x->w, "time");
    json_object(&x->w);
    json_put_int(&x->w, *end == 'e' ? "start" : "created", from);
    if (*end)
        json_put_int(&x->w, end, to);
    json_object_end(&x->w);
}

static void put_dollars(struct export *x, double dollars)
{
    char text[32];

    snprintf(text, sizeof text, "%.9f", dollars);
    json_put_raw(&x->w, "cost", bytes_str(text));
}

static void put_tokens(struct export *x, const struct export_usage *u)
{
    json_key(&x->w, "tokens");
    json_object(&x->w);
    json_put_uint(&x->w, "input", u->input);
    json_put_uint(&x->w, "output", u->output);
    json_put_uint(&x->w, "reasoning", 0);
    json_key(&x->w, "cache");
    json_object(&x->w);
    json_put_uint(&x->w, "read", u->cache_read);
    json_put_uint(&x->w, "write", u->cache_write);
    json_object_end(&x->w);
    json_object_end(&x->w);
}

static quire_bytes or_unknown(quire_bytes text)
{
    return text.len ? text : bytes_str("unknown");
}

/* ---- parts --------------------------------------------------------------- */

static void begin_part(struct export *x, const char *type,
                       const struct export_message *m)
{
    struct opencode *s = state_of(x);
    char id[ID_SIZE];

    next_id(x, "prt_", s->ms, m->entry_id, ++s->parts, id);
    json_object(&x->w);
    json_put_str(&x->w, "id", id);
    json_put_str(&x->w, "sessionID", session_id(x));
    json_put_str(&x->w, "messageID", s->message);
    json_put_str(&x->w, "type", type);
}

static void put_text(struct export *x, const struct export_message *m,
                     const char *type, quire_bytes text)
{
    begin_part(x, type, m);
    json_put_bytes(&x->w, "text", text);
    if (*type == 'r')
        put_times(x, "end", m->ms, m->ms);
    json_object_end(&x->w);
}

static void put_file(struct export *x, const struct export_message *m,
                     const struct export_block *b)
{
    struct buf url = BUF_INIT((size_t)2 << 30);

    if (!export_is_image(x, b))
        return;
    buf_add_str(&url, "data:");
    buf_add(&url, b->mime.data, b->mime.len);
    buf_add_str(&url, ";base64,");
    buf_add(&url, b->data.data, b->data.len);
    x->out.failed |= url.failed;
    begin_part(x, "file", m);
    json_put_bytes(&x->w, "mime", b->mime);
    json_put_str(&x->w, "filename", "image");
    json_put_bytes(&x->w, "url", buf_bytes(&url));
    json_object_end(&x->w);
    buf_release(&url);
}

static void put_attachments(struct export *x, const struct export_message *m,
                            const struct export_blocks *b)
{
    size_t i;

    if (!export_has(b, EXPORT_IMAGE))
        return;
    json_key(&x->w, "attachments");
    json_array(&x->w);
    for (i = 0; i < b->n; i++)
        if (b->list[i].kind == EXPORT_IMAGE)
            put_file(x, m, &b->list[i]);
    json_array_end(&x->w);
}

static void put_result(struct export *x, const struct export_message *m,
                       const struct export_result *r)
{
    quire_bytes text = export_text_of(x, &r->blocks, false);

    if (r->is_error) {
        json_put_bytes(&x->w, "error", text);
    } else {
        json_put_bytes(&x->w, "output", text);
        json_put_str(&x->w, "title", "");
    }
    json_key(&x->w, "metadata");
    json_object(&x->w);
    json_object_end(&x->w);
    put_times(x, "end", m->ms, r->ms > m->ms ? r->ms : m->ms);
    if (!r->is_error)
        put_attachments(x, m, &r->blocks);
    else if (export_has(&r->blocks, EXPORT_IMAGE))
        export_drop(x, "image of a failed tool", bytes_str(""));
}

static void put_tool(struct export *x, const struct export_message *m,
                     const struct export_block *b)
{
    const struct export_result *r = b->result;

    begin_part(x, "tool", m);
    json_put_bytes(&x->w, "callID", b->id);
    json_put_bytes(&x->w, "tool", export_plain_id(x, b->name));
    json_key(&x->w, "state");
    json_object(&x->w);
    json_put_str(&x->w, "status",
                 !r            ? "pending"
                 : r->is_error ? "error"
                               : "completed");
    export_put_raw(x, "input", b->arguments);
    if (r)
        put_result(x, m, r);
    else
        json_put_str(&x->w, "raw", "");
    json_object_end(&x->w);
    json_object_end(&x->w);
}

static void put_part(struct export *x, const struct export_message *m,
                     const struct export_block *b)
{
    switch (b->kind) {
    case EXPORT_TEXT:
        if (b->text.len)
            put_text(x, m, "text", b->text);
        break;
    case EXPORT_CALL: put_tool(x, m, b); break;
    case EXPORT_IMAGE: put_file(x, m, b); break;
    case EXPORT_THINKING:
    case EXPORT_REDACTED:
        export_drop_opaque(x, b);
        if (b->kind == EXPORT_THINKING && b->text.len)
            put_text(x, m, "reasoning", b->text);
        break;
    case EXPORT_OTHER: export_drop(x, "block", b->type); break;
    }
}

static void begin_parts(struct export *x)
{
    json_object_end(&x->w);
    json_key(&x->w, "parts");
    json_array(&x->w);
}

static void end_message(struct export *x)
{
    json_array_end(&x->w);
    json_object_end(&x->w);
}

/* ---- messages ------------------------------------------------------------ */

static void begin_message(struct export *x, const char *role,
                          const struct export_message *m, unsigned part)
{
    struct opencode *s = state_of(x);

    /* Messages are read in the order of their times. What a compaction keeps is
     * older than it, and stands behind it. */
    s->ms = m->ms > s->ms ? m->ms : s->ms;
    next_id(x, "msg_", s->ms, m->entry_id, part, s->message);
    s->parts = 16 * part;
    json_object(&x->w);
    json_key(&x->w, "info");
    json_object(&x->w);
    json_put_str(&x->w, "id", s->message);
    json_put_str(&x->w, "sessionID", session_id(x));
    json_put_str(&x->w, "role", role);
}

static void begin_user(struct export *x, const struct export_message *m,
                       unsigned part)
{
    struct opencode *s = state_of(x);

    begin_message(x, "user", m, part);
    memcpy(s->user, s->message, sizeof s->user);
    put_times(x, "", s->ms, 0);
    json_put_str(&x->w, "agent", "build");
    json_key(&x->w, "model");
    json_object(&x->w);
    json_put_bytes(&x->w, "providerID",
                   or_unknown(bytes_str(x->session.provider)));
    json_put_bytes(&x->w, "modelID", or_unknown(bytes_str(x->session.model)));
    json_object_end(&x->w);
    begin_parts(x);
}

static void on_user(struct export *x, const struct export_message *m)
{
    size_t i;

    begin_user(x, m, 0);
    for (i = 0; i < m->blocks.n; i++)
        put_part(x, m, &m->blocks.list[i]);
    end_message(x);
}

static void on_plain(struct export *x, const struct export_message *m)
{
    begin_user(x, m, 0);
    put_text(x, m, "text", export_plain(x, m));
    end_message(x);
}

static int64_t last_time(const struct export_message *m)
{
    int64_t ms = m->ms;
    size_t i;

    for (i = 0; i < m->blocks.n; i++)
        if (m->blocks.list[i].result && m->blocks.list[i].result->ms > ms)
            ms = m->blocks.list[i].result->ms;
    return ms;
}

/* The info of an answer, with its object left open. */
static void begin_answer(struct export *x, const struct export_message *m,
                         unsigned part, const char *mode)
{
    struct opencode *s = state_of(x);
    const char *cwd = *x->session.cwd ? x->session.cwd : "/";

    begin_message(x, "assistant", m, part);
    put_times(x, "completed", s->ms,
              last_time(m) > s->ms ? last_time(m) : s->ms);
    json_put_str(&x->w, "parentID", s->user);
    json_put_bytes(&x->w, "modelID",
                   or_unknown(m->model.len ? m->model
                                           : bytes_str(x->session.model)));
    json_put_bytes(&x->w, "providerID",
                   or_unknown(m->provider.len
                                  ? m->provider
                                  : bytes_str(x->session.provider)));
    json_put_str(&x->w, "mode", mode);
    json_put_str(&x->w, "agent", mode);
    json_key(&x->w, "path");
    json_object(&x->w);
    json_put_str(&x->w, "cwd", cwd);
    json_put_str(&x->w, "root", cwd);
    json_object_end(&x->w);
    put_dollars(x, m->usage.cost);
    put_tokens(x, &m->usage);
}

static const char *finish_of(const struct export_message *m)
{
    return m->has_calls                     ? "tool-calls"
           : m->stop == EXPORT_STOP_LENGTH  ? "length"
           : m->stop == EXPORT_STOP_ERROR   ? "error"
           : m->stop == EXPORT_STOP_ABORTED ? "error"
                                            : "stop";
}

static void on_answer(struct export *x, const struct export_message *m)
{
    size_t i;

    begin_answer(x, m, 0, "build");
    json_put_str(&x->w, "finish", finish_of(m));
    begin_parts(x);
    for (i = 0; i < m->blocks.n; i++)
        put_part(x, m, &m->blocks.list[i]);
    end_message(x);
}

static void on_summary(struct export *x, const struct export_message *m)
{
    begin_user(x, m, 0);
    begin_part(x, "compaction", m);
    json_put_bool(&x->w, "auto", false);
    json_object_end(&x->w);
    end_message(x);
    begin_answer(x, m, 1, "compaction");
    json_put_bool(&x->w, "summary", true);
    json_put_str(&x->w, "finish", "stop");
    begin_parts(x);
    put_text(x, m, "text", export_text_of(x, &m->blocks, true));
    end_message(x);
}

/* An answer needs a user message that it belongs to. */
static void need_user(struct export *x, const struct export_message *m)
{
    struct opencode *s = state_of(x);

    if (*s->user)
        return;
    begin_user(x, m, 2);
    end_message(x);
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    (void)err;
    switch (m->role) {
    case EXPORT_USER: on_user(x, m); break;
    case EXPORT_ASSISTANT:
        need_user(x, m);
        on_answer(x, m);
        break;
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
    case EXPORT_BRANCH: on_plain(x, m); break;
    }
    return QUIRE_OK;
}

/* ---- the session --------------------------------------------------------- */

static quire_status begin(struct export *x, quire_error *err)
{
    const char *title = export_title(x);
    char slug[24 + 1];

    (void)err;
    export_hex(x, bytes_str("slug"), 0, 12, slug);
    json_object(&x->w);
    json_key(&x->w, "info");
    json_object(&x->w);
    json_put_str(&x->w, "id", session_id(x));
    json_put_str(&x->w, "slug", slug);
    json_put_str(&x->w, "version", "1.0.0");
    if (*x->session.cwd)
        json_put_str(&x->w, "directory", x->session.cwd);
    json_put_str(&x->w, "title", *title ? title : "Session");
    json_key(&x->w, "time");
    json_object(&x->w);
    json_put_int(&x->w, "created", x->session.created_ms);
    json_put_int(&x->w, "updated", x->session.updated_ms);
    json_object_end(&x->w);
    json_object_end(&x->w);
    json_key(&x->w, "messages");
    json_array(&x->w);
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    (void)err;
    json_array_end(&x->w);
    json_object_end(&x->w);
    buf_add_char(&x->out, '\n');
    return QUIRE_OK;
}

static const char *file_name(struct export *x)
{
    return arena_printf(&x->keep, "%s.json", session_id(x));
}

/* ---- places -------------------------------------------------------------- */

/* It keeps sessions in a database: its own command imports the file. */
static void place(struct export *x, struct export_place *out)
{
    out->dir = export_root(x, "XDG_CACHE_HOME", ".cache");
    out->name = arena_printf(&x->keep, "quire/opencode/%s.json", session_id(x));
}

/* Whether a session stands in the store of the program itself. */
static bool is_in_store(const char *path)
{
    size_t len = strlen(path);

    return len < 5 || strcmp(path + len - 5, ".json") != 0 ||
           strstr(path, "/storage/session/") != NULL;
}

/* The id of a session that was imported from there lacks its prefix. */
static void resume(struct export *x, const char *id, const char *path,
                   const char **argv)
{
    static const char *const scripts[2][2] =
        {{"opencode import \"$0\" && exec opencode --session \"ses_$1\"",
          "opencode import \"$0\" && exec opencode --session \"$1\""},
         {"exec opencode --session \"ses_$1\"",
          "exec opencode --session \"$1\""}};
    bool is_whole = !strncmp(id, "ses_", 4);

    (void)x;
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = scripts[is_in_store(path)][is_whole];
    argv[3] = path;
    argv[4] = id;
}

const struct export_target export_opencode = {
    .name = "opencode",
    .title = "opencode",
    .suffix = ".json",
    .mime_type = "application/json",
    .for_agent = true,
    .state_size = sizeof(struct opencode),
    .begin = begin,
    .message = message,
    .end = end,
    .file_name = file_name,
    .session_id = session_id,
    .staged = true,
    .place = place,
    .resume = resume,
};
