/*
 * idempotency.c - idempotency keys
 *
 * A write with an Idempotency-Key runs once; a repeat gets the stored response. The
 * key is reserved before the write, and the response is stored under it. A refused
 * request has changed nothing: its key is free again.
 *
 * Some responses are not stored: those with a token, and long ones. Then only the
 * fact that the request was done is known, and a repeat gets that.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/priv.h"
#include "server/response_json.h"

/* Longer responses are not stored. */
enum { KEPT_MAX = 16 * 1024 };

/* What identifies a request, besides its body. */
static quire_bytes format_request(struct request *c, struct buf *out)
{
    static const char *const conditions[] = {"If-Match", "If-None-Match",
                                             "Content-Type"};
    const struct head *head = exchange_head(c->x);
    quire_bytes value;
    size_t i;

    buf_add(out, head->method.data, head->method.len);
    buf_add_char(out, ' ');
    buf_add(out, head->path.data, head->path.len);
    buf_add_char(out, '?');
    buf_add(out, head->query.data, head->query.len);
    for (i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        value = exchange_header(c->x, conditions[i]);
        buf_add_char(out, '\n');
        buf_add(out, value.data, value.len);
    }
    buf_add_char(out, '\n');
    return buf_bytes(out);
}

/* Headers, an empty line, body; nothing if it must not be stored. */
static void format_answer(const struct request *c, struct buf *out)
{
    const struct response *a = &c->answer;

    if (c->route->flags & ROUTE_SECRET || a->content ||
        a->headers.len + a->body.len > KEPT_MAX)
        return;
    buf_add(out, a->headers.data, a->headers.len);
    buf_add_str(out, "\r\n");
    buf_add(out, a->body.data, a->body.len);
}

static void read_answer(struct request *c, const quire_idempotency *claim)
{
    quire_bytes kept = claim->answer;
    const char *text = kept.data, *gap;
    size_t head = 0;

    if (kept.len >= 2 && memcmp(text, "\r\n", 2) != 0) {
        gap = memmem(text, kept.len, "\r\n\r\n", 4);
        head = gap ? (size_t)(gap - text) + 2 : kept.len;
    }
    c->answer.status = claim->status;
    buf_add(&c->answer.headers, text, head);
    if (head + 2 <= kept.len)
        buf_add(&c->answer.body, text + head + 2, kept.len - head - 2);
}

static void answer_repeat(struct request *c, const quire_idempotency *claim)
{
    if (!claim->same) {
        request_refuse(c, 422, "key_reused",
                       "use another key for another request",
                       "the Idempotency-Key was used for another request");
    } else if (!claim->status) {
        request_refuse(c, 409, "in_progress",
                       "check whether it was done before you use another key",
                       "a request with this Idempotency-Key is running, or its "
                       "result is unknown");
        response_header(&c->answer, "Retry-After", "1");
    } else if (claim->answer.len == 0) {
        request_refuse(
            c, 409, "done_before",
            "read what it created; a token is shown only once",
            "the request with this Idempotency-Key was done, but its "
            "response was not stored");
        response_header(&c->answer, "Idempotency-Replayed", "true");
    } else {
        read_answer(c, claim);
        response_header(&c->answer, "Idempotency-Replayed", "true");
    }
}

/* The key as stored. The admin uses the handle of the default tenant; a character
 * that no header can contain keeps their keys apart. */
static const char *format_key(struct request *c, quire_bytes key)
{
    return arena_printf(&c->keep, "%s%.*s",
                        c->route->flags & ROUTE_ADMIN ? "\x01" : "",
                        (int)key.len, (const char *)key.data);
}

void idempotency_run(struct request *c, void (*run)(struct request *c))
{
    quire_bytes key = exchange_header(c->x, "Idempotency-Key");
    struct buf text = BUF_INIT((size_t)1 << 31);
    const char *name;
    quire_idempotency claim;
    quire_error err;
    quire_status st;

    if (!key.data || !(c->route->flags & ROUTE_WRITE)) {
        run(c);
        return;
    }
    name = format_key(c, key);
    st = name ? quire_idempotency_begin(c->q, name, format_request(c, &text),
                                        exchange_body(c->x), &claim, &err)
              : err_memory(&err);
    buf_clear(&text);
    if (st) {
        request_fail(c, st, &err);
    } else if (!claim.fresh) {
        answer_repeat(c, &claim);
    } else {
        run(c);
        format_answer(c, &text);
        st = quire_idempotency_end(c->q, name,
                                   c->answer.status < 300 ? c->answer.status
                                                          : 0,
                                   buf_bytes(&text), &err);
        /* In a group, key and write are kept together or not at all. Alone, the write
         * is committed: a full disk that has no room for the response does not undo
         * it. The key stays reserved, and a repeat gets 409: the result is unknown. */
        if (st && c->grouped)
            request_fail(c, st, &err);
    }
    buf_release(&text);
}
