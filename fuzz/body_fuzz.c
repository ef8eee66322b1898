/*
 * body_fuzz.c - what is sent to an operation: a query and a body
 *
 * The first byte says which operation, the first line is the query, the rest
 * the body. Whatever they are, they are taken, and then every value can be had
 * as what its field says; or they are refused, with the one shape of errors.
 */
#include <string.h>

#include "base/bytes.h"
#include "holds.h"
#include "http/loop.h"
#include "server/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(const struct request *c)
{
    quire_bytes body = buf_bytes(&c->answer.body);

    HOLDS(c->answer.status == 400);
    HOLDS(json_check(body, JSON_UTF8, NULL));
    HOLDS(json_kind(json_get(body, "error")) == JSON_STRING);
    HOLDS(json_kind(json_get(body, "kind")) == JSON_STRING);
    HOLDS(json_kind(json_get(body, "hint")) == JSON_STRING);
}

static void check_value(struct request *c, const struct field *f)
{
    size_t n;

    if (!request_json(c, f->name).data)
        return;
    HOLDS(json_check(request_json(c, f->name), 0, NULL));
    if (request_is_null(c, f->name))
        HOLDS(f->flags & FIELD_NULL || f->kind == FIELD_ANY);
    else if (f->kind == FIELD_TEXT && !(f->flags & FIELD_BYTES))
        HOLDS(request_text(c, f->name));
    else if (f->kind == FIELD_TEXT)
        HOLDS(request_bytes(c, f->name).data);
    else if (f->kind == FIELD_NUMBER)
        HOLDS(request_number(c, f->name, UINT64_MAX) <= INT64_MAX);
    else if (f->kind == FIELD_TEXTS)
        HOLDS(request_texts(c, f->name));
    else if (f->kind == FIELD_NUMBERS)
        HOLDS(request_elements(c, f->name, &n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exchange x = {.in = BUF_INIT(1 << 20)};
    struct request c = {.x = &x, .keep = ARENA_INIT, .answer = response_new()};
    const struct field *f;
    const uint8_t *line;
    size_t n = 0;

    if (size < 2 || size > 65536)
        return 0;
    while (routes[n].name)
        n++;
    HOLDS(n > 0);
    c.route = &routes[data[0] % n];
    line = memchr(data + 1, '\n', size - 1);
    line = line ? line : data + size;
    x.head.query = bytes_of(data + 1, (size_t)(line - data - 1));
    buf_add_char(&x.in, 'h'); /* a body comes behind its head */
    x.head_len = x.in.len;
    if (line < data + size)
        buf_add(&x.in, line + 1, (size_t)(data + size - line - 1));
    x.head.length = x.in.len - x.head_len;
    if (!request_read_fields(&c))
        check_refusal(&c);
    else
        for (f = c.route->fields; f && f->name; f++)
            check_value(&c, f);
    buf_release(&x.in);
    buf_release(&c.answer.headers);
    buf_release(&c.answer.body);
    arena_release(&c.keep);
    return 0;
}
