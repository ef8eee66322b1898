/*
 * entry_text_fuzz.c - any bytes as a line of a session file
 *
 * A line that is not a JSON object has neither texts nor a head. Texts are
 * UTF-8 and numbered, and no longer than the line allows. The same line yields
 * the same texts again, from a used scratch and from a new one, and laid out
 * over several lines.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"
#include "holds.h"
#include "session/entry_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All that was reported, as bytes to compare. */
struct record {
    struct buf out;
    unsigned n;
    size_t bytes;
};

static void add_bytes(struct buf *out, quire_bytes b)
{
    buf_add(out, &b.len, sizeof b.len);
    buf_add(out, b.data, b.len);
}

static quire_status record_text(void *ctx, const struct entry_text *t,
                                quire_error *err)
{
    struct record *r = ctx;
    const char flags[] = {(char)t->kind, (char)t->role, t->is_error,
                          t->has_image};

    (void)err;
    HOLDS(t->part == r->n++);
    HOLDS(t->kind < N_TEXT_KINDS && t->role < N_TEXT_ROLES);
    HOLDS(utf8_check(t->text) && utf8_check(t->tool) && utf8_check(t->model));
    HOLDS(t->text.len || t->tool.len || t->is_error || t->has_image);
    r->bytes += t->text.len;
    buf_add(&r->out, flags, sizeof flags);
    add_bytes(&r->out, t->text);
    add_bytes(&r->out, t->tool);
    add_bytes(&r->out, t->model);
    return QUIRE_OK;
}

static struct record record_line(quire_bytes line, struct entry_text_scratch *s)
{
    struct record r = {.out = BUF_INIT((size_t)1 << 30)};
    struct entry_text_head head;

    HOLDS(!entry_texts(line, s, &head, record_text, &r, NULL));
    HOLDS(utf8_check(head.type) && utf8_check(head.id));
    add_bytes(&r.out, head.type);
    add_bytes(&r.out, head.id);
    add_bytes(&r.out, head.parent);
    buf_add(&r.out, &head.time_us, sizeof head.time_us);
    HOLDS(!r.out.failed);
    /* Damage grows to three bytes; a line break joins two strings. */
    HOLDS(r.bytes <= 4 * line.len);
    return r;
}

static void record_same(const struct record *first, quire_bytes line,
                        struct entry_text_scratch *s)
{
    struct record again = record_line(line, s);

    HOLDS(again.n == first->n);
    HOLDS(bytes_equal(buf_bytes(&again.out), buf_bytes(&first->out)));
    buf_release(&again.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct entry_text_scratch used = ENTRY_TEXT_SCRATCH_INIT;
    struct entry_text_scratch fresh = ENTRY_TEXT_SCRATCH_INIT;
    quire_bytes line = bytes_of(data, size);
    struct buf indented = BUF_INIT((size_t)1 << 30);
    struct json_want none = JSON_WANT("");
    struct record first = record_line(line, &used);

    record_same(&first, line, &used);
    record_same(&first, line, &fresh);
    if (json_pick(line, &none, 1, NULL)) {
        json_indent(line, &indented);
        HOLDS(!indented.failed);
        record_same(&first, buf_bytes(&indented), &used);
    } else {
        HOLDS(first.n == 0);
        record_same(&first, bytes_of("", 0), &used);
    }
    buf_release(&indented);
    buf_release(&first.out);
    entry_text_scratch_release(&fresh);
    return 0;
}
