/*
 * slash.c - run the slash commands in an agent's text
 *
 * `text` of the answer is for the agent, `replies` is the result of each command
 * for the client, and `files` are the files that the agent wrote.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "slash/reply_json.h"
#include "server/server.h"
#include "server/publish.h"
#include "server/routes/handlers.h"

#define ALL_MAX ((size_t)1 << 30)

struct replying {
    struct request *c;
    struct buf text, files;
    struct json_writer written; /* into `files` */
};

/* Bytes of a file in its event; the answer has all of it. */
enum { TOLD_MAX = 1 << 20 };

/* ---- events ------------------------------------------------------------- */

/* What a command has changed, but for files. */
static void tell_change(struct request *c, const quire_slash_reply *r)
{
    static const struct {
        const char *command;
        enum event_kind kind;
    } list[] = {
        {"mem add entry", EVENT_MEMORY_ADDED},
        {"mem add link", EVENT_RELATION_ADDED},
        {"mem invalidate", EVENT_MEMORY_CHANGED},
        {"mem write", EVENT_PAD_CHANGED},
        {"mem clear", EVENT_PAD_CHANGED},
        {"mem shared write", EVENT_PAD_CHANGED},
        {"mem shared clear", EVENT_PAD_CHANGED},
    };
    const char *agent = request_text(c, "agent");
    struct buf out = BUF_INIT(16 * 1024);
    struct json_writer w;
    size_t i, n = sizeof list / sizeof *list;

    for (i = 0; i < n && strcmp(list[i].command, r->command) != 0; i++)
        ;
    if (i == n || r->status)
        return;
    json_begin(&w, &out);
    json_object(&w);
    if (list[i].kind == EVENT_PAD_CHANGED) {
        json_key(&w, "agent");
        if (strstr(r->command, "shared"))
            json_null(&w);
        else
            json_str(&w, agent ? agent : "agent");
    } else if (r->id) {
        json_put_int(&w, "id", r->id);
    }
    json_object_end(&w);
    if (!out.failed)
        request_publish_one(c, list[i].kind, 0, buf_bytes(&out));
    buf_release(&out);
}

static void tell_written(struct request *c, const quire_slash_file *file)
{
    int64_t conversation = (int64_t)request_number(c, "conversation_id", 0);
    struct buf out = BUF_INIT(16 * 1024);
    struct json_writer w;

    json_begin(&w, &out);
    json_object(&w);
    json_put_int(&w, "conversation_id", conversation);
    json_put_int(&w, "id", file->id);
    json_put_bytes(&w, "path", file->path);
    json_put_uint(&w, "size", file->content.len);
    json_object_end(&w);
    if (!out.failed)
        request_publish_one(c, EVENT_ARTIFACT_WRITTEN, conversation,
                            buf_bytes(&out));
    buf_release(&out);
}

/* Members of an object; without its content if it is not to be whole. */
static void add_file(struct json_writer *w, const quire_slash_file *file,
                     bool whole)
{
    json_put_bytes(w, "path", file->path);
    json_put_uint(w, "size", file->content.len);
    json_key(w, "artifact_id");
    if (file->id)
        json_int(w, file->id);
    else
        json_null(w);
    if (whole) {
        json_content(w, "content", file->content);
        return;
    }
    json_put_null(w, "content");
}

/* The file itself, which may be nowhere else. */
static void tell_content(struct request *c, const quire_slash_file *file)
{
    int64_t conversation = (int64_t)request_number(c, "conversation_id", 0);
    struct buf out = BUF_INIT(4 * TOLD_MAX);
    struct json_writer w;

    if (!events_has_subscribers(thread_ctx_events(c->thread_ctx), c->tenant.id))
        return;
    json_begin(&w, &out);
    json_object(&w);
    json_key(&w, "conversation_id");
    if (conversation)
        json_int(&w, conversation);
    else
        json_null(&w);
    add_file(&w, file, file->content.len <= TOLD_MAX);
    json_object_end(&w);
    if (!out.failed)
        request_publish_one(c, EVENT_FILE, conversation, buf_bytes(&out));
    buf_release(&out);
}

/* ---- the answer --------------------------------------------------------- */

static quire_status tell(void *ctx, const quire_slash_reply *r,
                         quire_error *err)
{
    struct replying *to = ctx;
    struct request *c = to->c;

    reply_write(&c->w, r);
    buf_add(&to->text, r->block.data, r->block.len);
    tell_change(c, r);
    return c->answer.body.failed || to->text.failed ? err_memory(err)
                                                    : QUIRE_OK;
}

static quire_status tell_file(void *ctx, const quire_slash_file *file,
                              quire_error *err)
{
    struct replying *to = ctx;
    struct json_writer *w = &to->written;

    json_object(w);
    add_file(w, file, true);
    json_object_end(w);
    if (to->files.failed)
        return err_memory(err);
    tell_content(to->c, file);
    if (file->id)
        tell_written(to->c, file);
    return QUIRE_OK;
}

void route_slash(struct request *c)
{
    quire_slash_options o = QUIRE_SLASH_OPTIONS_INIT;
    struct replying to = {.c = c,
                          .text = BUF_INIT(ALL_MAX),
                          .files = BUF_INIT(ALL_MAX)};
    const char *style = request_text(c, "style");
    quire_error err;
    quire_status st;

    if (!request_session_field(c, "conversation_id", &o.session) ||
        !request_agent(c, "agent"))
        return;
    o.agent = request_text(c, "agent");
    o.allowed = request_texts(c, "allow");
    if (style && !request_is_choice(c, "style", request_json(c, "style"))) {
        request_refuse(c, 400, "invalid", "document or arbiter",
                       "unknown style");
        return;
    }
    if (style && !strcmp(style, "arbiter"))
        o.style = QUIRE_SLASH_ARBITER;
    o.file = tell_file;
    o.file_ctx = &to;
    json_begin(&to.written, &to.files);
    json_array(&to.written);
    json_object(&c->w);
    json_key(&c->w, "replies");
    json_array(&c->w);
    st = quire_slash(c->q, request_bytes(c, "text"), &o, tell, &to, &err);
    json_array_end(&to.written);
    json_array_end(&c->w);
    put_bytes(c, "text", buf_bytes(&to.text));
    json_put_raw(&c->w, "files", buf_bytes(&to.files));
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
    buf_release(&to.text);
    buf_release(&to.files);
}
