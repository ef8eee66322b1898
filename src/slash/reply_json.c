/* reply_json.c - see reply_json.h */
#include "slash/reply_json.h"

/* An image, as base64. */
static void add_part(struct json_writer *w, const quire_slash_reply *r)
{
    json_key(w, "part");
    json_object(w);
    json_put_str(w, "mime", r->mime);
    json_put_str(w, "media_type", r->mime);
    json_put_str(w, "encoding", "base64");
    json_key(w, "content");
    json_base64(w, r->part);
    json_object_end(w);
}

void reply_write(struct json_writer *w, const quire_slash_reply *r)
{
    json_object(w);
    json_put_str(w, "command", r->command);
    json_put_bytes(w, "args", r->args);
    json_put_uint(w, "line", r->line);
    json_put_str(w, "status", quire_status_name(r->status));
    json_put_str(w, "kind", r->kind);
    if (r->id)
        json_put_int(w, "id", r->id);
    else
        json_put_null(w, "id");
    json_put_bool(w, "truncated", r->truncated);
    json_put_uint(w, "skipped", r->skipped);
    json_content(w, "body", r->body);
    if (r->mime)
        add_part(w, r);
    json_object_end(w);
}
