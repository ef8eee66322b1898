/*
 * api_slash.c - slash commands: an agent's text in, what to give back to it out
 *
 * `text` of the answer is for the agent; `replies` say how each command went,
 * for the program between, and `files` are what the agent wrote.
 */
#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "serve/op.h"

#define ALL_MAX ((size_t)1 << 30)

struct replying {
    struct call *c;
    struct buf text, files;
    struct json_writer written; /* into `files` */
};

/* As text where it is text, else in base64, and which of the two. */
static void add_content(struct json_writer *w, const char *key,
                        quire_bytes bytes)
{
    bool text = utf8_check(bytes);
    struct buf coded = BUF_INIT(ALL_MAX);

    json_key(w, "encoding");
    json_str(w, text ? "utf-8" : "base64");
    json_key(w, key);
    if (!text)
        base64_encode(bytes, &coded);
    json_bytes(w, text ? bytes : buf_bytes(&coded));
    w->out->failed |= coded.failed;
    buf_release(&coded);
}

static void put_image(struct call *c, const quire_slash_reply *r)
{
    struct buf coded = BUF_INIT(ALL_MAX);

    base64_encode(r->part, &coded);
    json_key(&c->w, "part");
    json_object(&c->w);
    put_text(c, "mime", r->mime);
    put_text(c, "encoding", "base64");
    put_bytes(c, "content", buf_bytes(&coded));
    json_object_end(&c->w);
    c->answer.body.failed |= coded.failed;
    buf_release(&coded);
}

static quire_status tell(void *ctx, const quire_slash_reply *r,
                         quire_error *err)
{
    struct replying *to = ctx;
    struct call *c = to->c;

    json_object(&c->w);
    put_text(c, "command", r->command);
    put_bytes(c, "args", r->args);
    put_number(c, "line", (int64_t)r->line);
    put_text(c, "status", quire_status_name(r->status));
    put_text(c, "kind", r->kind);
    put_id(c, "id", r->id);
    put_flag(c, "truncated", r->truncated);
    put_number(c, "skipped", (int64_t)r->skipped);
    add_content(&c->w, "body", r->body);
    if (r->mime)
        put_image(c, r);
    json_object_end(&c->w);
    buf_add(&to->text, r->block.data, r->block.len);
    return c->answer.body.failed || to->text.failed ? err_memory(err)
                                                    : QUIRE_OK;
}

static quire_status tell_file(void *ctx, const quire_slash_file *file,
                              quire_error *err)
{
    struct replying *to = ctx;
    struct json_writer *w = &to->written;

    json_object(w);
    json_key(w, "path");
    json_bytes(w, file->path);
    json_key(w, "size");
    json_uint(w, file->content.len);
    json_key(w, "artifact_id");
    if (file->id)
        json_int(w, file->id);
    else
        json_null(w);
    add_content(w, "content", file->content);
    json_object_end(w);
    return to->files.failed ? err_memory(err) : QUIRE_OK;
}

void api_slash(struct call *c)
{
    quire_slash_options o = QUIRE_SLASH_OPTIONS_INIT;
    struct replying to = {.c = c,
                          .text = BUF_INIT(ALL_MAX),
                          .files = BUF_INIT(ALL_MAX)};
    quire_error err;
    quire_status st;

    if (!call_conversation(c, "conversation_id", &o.session))
        return;
    o.agent = call_text(c, "agent");
    o.allowed = call_texts(c, "allow");
    o.file = tell_file;
    o.file_ctx = &to;
    json_begin(&to.written, &to.files);
    json_array(&to.written);
    json_object(&c->w);
    json_key(&c->w, "replies");
    json_array(&c->w);
    st = quire_slash(c->q, call_bytes(c, "text"), &o, tell, &to, &err);
    json_array_end(&to.written);
    json_array_end(&c->w);
    put_bytes(c, "text", buf_bytes(&to.text));
    json_key(&c->w, "files");
    json_raw(&c->w, buf_bytes(&to.files));
    json_object_end(&c->w);
    if (st)
        call_fail(c, st, &err);
    buf_release(&to.text);
    buf_release(&to.files);
}
