/* text_join.c - see text_join.h */
#include "search/text_join.h"

#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"

/* Shorter runs may be an identifier or a digest. */
#define BASE64_MIN ((size_t)256)

/* Prose ends this loop at its first space. */
static bool is_base64(const char *at, size_t len)
{
    bool upper = false, lower = false, digit = false;
    size_t i;

    for (i = 0; i < len; i++) {
        char c = at[i];

        if (c >= 'a' && c <= 'z')
            lower = true;
        else if (c >= 'A' && c <= 'Z')
            upper = true;
        else if (c >= '0' && c <= '9')
            digit = true;
        else if (c != '+' && c != '/' && c != '-' && c != '_' && c != '=')
            return false;
    }
    return upper && lower && digit;
}

/* Whether a text is bytes in an encoding, or a reference to them. */
static bool is_payload(quire_bytes text)
{
    static const quire_bytes ref = {"blob:sha256:", 12}, url = {"data:", 5};
    static const char mark[] = ";base64,";

    if (bytes_starts(text, ref))
        return text.len == ref.len + 64;
    if (bytes_starts(text, url))
        return memmem(text.data, text.len < 256 ? text.len : 256, mark,
                      sizeof mark - 1) != NULL;
    return text.len >= BASE64_MIN && is_base64(text.data, text.len);
}

static quire_bytes body_of(quire_bytes value, bool plain)
{
    return plain || json_kind(value) == JSON_NUMBER
               ? value
               : bytes_sub(value, 1, value.len - 1);
}

static void decode(struct text_join *j, quire_bytes value, bool plain)
{
    if (plain || json_kind(value) == JSON_NUMBER)
        utf8_add_mended(j->out, value);
    else
        json_decode(value, j->out);
}

void text_join_settle(struct text_join *j)
{
    if (j->lent)
        decode(j, j->first, j->first_plain);
    j->lent = false;
}

static void add_line(struct text_join *j, quire_bytes value, bool plain)
{
    quire_bytes body = body_of(value, plain);

    if (!body.len || is_payload(body))
        return;
    if (j->n++ == 0) {
        j->first = value;
        j->first_plain = plain;
        j->lent = true;
        return;
    }
    text_join_settle(j);
    buf_add_char(j->out, '\n');
    decode(j, value, plain);
}

void text_join_begin(struct text_join *j, struct buf *out)
{
    *j = (struct text_join){.out = out};
    buf_clear(out);
}

void text_join_value(struct text_join *j, quire_bytes value)
{
    enum json_kind kind = json_kind(value);

    if (kind == JSON_STRING || kind == JSON_NUMBER)
        add_line(j, value, false);
}

void text_join_within(struct text_join *j, quire_bytes value)
{
    enum json_step step;
    struct json_scan s;

    json_scan_init(&s, value);
    do {
        step = json_scan_next(&s);
        if (step == JSON_STEP_SCALAR)
            text_join_value(j, s.value);
    } while (step != JSON_STEP_END && step != JSON_STEP_BAD);
}

void text_join_plain(struct text_join *j, quire_bytes text)
{
    add_line(j, text, true);
}

quire_status text_join_end(struct text_join *j, quire_bytes *text,
                           quire_error *err)
{
    quire_bytes body;

    *text = bytes_of("", 0);
    if (j->n == 0)
        return QUIRE_OK;
    if (j->lent) {
        body = body_of(j->first, j->first_plain);
        if ((j->first_plain || !memchr(body.data, '\\', body.len)) &&
            utf8_check(body)) {
            *text = body;
            return QUIRE_OK;
        }
        text_join_settle(j);
    }
    *text = buf_bytes(j->out);
    return buf_status(j->out, "a searchable text", err);
}
