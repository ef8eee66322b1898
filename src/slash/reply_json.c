/* reply_json.c - see reply_json.h */
#include "slash/reply_json.h"

/* An image, which is no text. */
static void add_part(struct json_writer *w, const quire_slash_reply *r)
{
    json_key(w, "part");
    json_object(w);
    json_key(w, "mime");
    json_str(w, r->mime);
    json_key(w, "encoding");
    json_str(w, "base64");
    json_key(w, "content");
    json_base64(w, r->part);
    json_object_end(w);
}

void reply_write(struct json_writer *w, const quire_slash_reply *r)
{
    json_object(w);
    json_key(w, "command");
    json_str(w, r->command);
    json_key(w, "args");
    json_bytes(w, r->args);
    json_key(w, "line");
    json_uint(w, r->line);
    json_key(w, "status");
    json_str(w, quire_status_name(r->status));
    json_key(w, "kind");
    json_str(w, r->kind);
    json_key(w, "id");
    if (r->id)
        json_int(w, r->id);
    else
        json_null(w);
    json_key(w, "truncated");
    json_bool(w, r->truncated);
    json_key(w, "skipped");
    json_uint(w, r->skipped);
    json_content(w, "body", r->body);
    if (r->mime)
        add_part(w, r);
    json_object_end(w);
}
