/* tool_reply.c - the envelope that answers of tools share; numbers of their arguments */
#include "base/bytes.h"
#include "mcp/priv.h"

void tool_begin(struct json_writer *w, struct buf *out)
{
    json_begin(w, out);
    json_object(w);
    json_put_bool(w, "success", true);
    json_key(w, "data");
    json_object(w);
}

void tool_end(struct json_writer *w)
{
    json_object_end(w);
    json_object_end(w);
}

void tool_fail(struct mcp_call *c, struct buf *out, quire_status st,
               const quire_error *err)
{
    struct json_writer w;

    if (st == QUIRE_IO || st == QUIRE_NO_MEMORY || st == QUIRE_DAMAGED) {
        message_refuse_status(c, st, err);
        return;
    }
    buf_clear(out);
    json_begin(&w, out);
    json_object(&w);
    json_put_bool(&w, "success", false);
    json_key(&w, "error");
    json_object(&w);
    json_put_str(&w, "code",
                 st == QUIRE_INVALID ? "invalid_params"
                                     : quire_status_name(st));
    json_put_str(&w, "message", *err->what ? err->what : "there is none");
    json_put_bool(&w, "retryable", st == QUIRE_BUSY);
    json_put_str(&w, "suggestion",
                 *message_hint(st, err) ? message_hint(st, err)
                                        : "Change what the message names.");
    json_object_end(&w);
    json_object_end(&w);
}

uint64_t argument_number(quire_bytes arguments, const char *name,
                         uint64_t least, uint64_t most, uint64_t otherwise)
{
    int64_t number;

    if (!json_read_int(json_get(arguments, name), &number))
        return otherwise;
    return number < 0 || (uint64_t)number < least ? least
           : (uint64_t)number > most              ? most
                                                  : (uint64_t)number;
}
