/*
 * idempotency.c - a request that is sent twice and done once
 *
 * Who sends an Idempotency-Key with something that writes is told the same when
 * it sends it again. The key is claimed before anything is done, and what was
 * answered is kept under it. What was refused has changed nothing: the key is
 * free again, and the next try is judged by what is so then.
 *
 * Not every answer is kept. A token is quote_text once and stored nowhere, and neither
 * is a long answer; then it is only known that the request was done, and that is
 * what is said.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/priv.h"
#include "server/response_json.h"

/* Longer ones are no reason to fill the disk. */
enum { KEPT_MAX = 16 * 1024 };

/* What tells one request from another, beside its body. */
static quire_bytes spell_request(struct request *c, struct buf *out)
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

/* Headers and body, with an empty line in between; nothing if it is not to be
 * kept. */
static void spell_answer(const struct request *c, struct buf *out)
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

static void answer_again(struct request *c, const quire_idempotency *claim)
{
    if (!claim->same) {
        request_refuse(c, 422, "key_reused",
                       "use another key for another request",
                       "the Idempotency-Key was used for another request");
    } else if (!claim->status) {
        request_refuse(
            c, 409, "in_progress",
            "look whether it was done before you try with another key",
            "a request with this Idempotency-Key is under way, or its "
            "end was not seen");
        response_header(&c->answer, "Retry-After", "1");
    } else if (claim->answer.len == 0) {
        request_refuse(
            c, 409, "done_before",
            "ask for what it has made; a token is shown only once",
            "the request with this Idempotency-Key was done, and its "
            "answer was not kept");
        response_header(&c->answer, "Idempotency-Replayed", "true");
    } else {
        read_answer(c, claim);
        response_header(&c->answer, "Idempotency-Replayed", "true");
    }
}

/* The key as it is claimed: the admin's are not those of the default tenant,
 * whose handle it has, and no header can have this character. */
static const char *spell_key(struct request *c, quire_bytes key)
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
    name = spell_key(c, key);
    st = name ? quire_idempotency_begin(c->q, name, spell_request(c, &text),
                                        exchange_body(c->x), &claim, &err)
              : err_memory(&err);
    buf_clear(&text);
    if (st) {
        request_fail(c, st, &err);
    } else if (!claim.fresh) {
        answer_again(c, &claim);
    } else {
        run(c);
        spell_answer(c, &text);
        st = quire_idempotency_end(c->q, name,
                                   c->answer.status < 300 ? c->answer.status
                                                          : 0,
                                   buf_bytes(&text), &err);
        if (st)
            request_fail(c, st, &err);
    }
    buf_release(&text);
}
