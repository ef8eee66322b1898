/*
 * json_write.c - write JSON
 *
 * One bit of state is enough: whether a value has just ended, so that the next
 * one needs a comma before it. Closing a container ends a value, whatever was
 * inside; opening one, or writing a key, clears the bit. So the writer has no
 * stack and no depth limit.
 *
 * Output is compact, keys come in the order given, and non-ASCII text stays as
 * it is. It is what JSON.stringify() writes: control characters by their short
 * names where they have one, \u00xx in lower case otherwise, and nothing else
 * escaped but the quote and the backslash.
 */
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/json_priv.h"
#include "base/utf8.h"

void json_begin(struct json_writer *w, struct buf *out)
{
    *w = (struct json_writer){.out = out};
}

static void begin_value(struct json_writer *w)
{
    if (w->comma)
        buf_add_char(w->out, ',');
    w->comma = true;
}

static void open_with(struct json_writer *w, char bracket)
{
    begin_value(w);
    buf_add_char(w->out, bracket);
    w->comma = false;
}

static void close_with(struct json_writer *w, char bracket)
{
    buf_add_char(w->out, bracket);
    w->comma = true;
}

void json_object(struct json_writer *w)
{
    open_with(w, '{');
}

void json_object_end(struct json_writer *w)
{
    close_with(w, '}');
}

void json_array(struct json_writer *w)
{
    open_with(w, '[');
}

void json_array_end(struct json_writer *w)
{
    close_with(w, ']');
}

static void add_escape(struct buf *out, unsigned char c)
{
    static const char names[256] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',  ['\f'] = 'f',
        ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\',
    };
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', 0, 0};

    if (names[c]) {
        text[1] = names[c];
        buf_add(out, text, 2);
        return;
    }
    text[4] = hex[c >> 4];
    text[5] = hex[c & 15];
    buf_add(out, text, 6);
}

/* Text between two bytes that need escaping is copied through
 * utf8_add_mended(), which is a check and one copy when there is nothing to
 * mend. A quote or a control character ends a damaged sequence in any reading,
 * so mending piece by piece equals mending the whole. */
void json_add_quoted(struct buf *out, quire_bytes text)
{
    const char *at = text.len ? text.data : "", *end = at + text.len;

    buf_add_char(out, '"');
    while (at < end) {
        const char *stop = json_plain(at, end);

        utf8_add_mended(out, bytes_of(at, (size_t)(stop - at)));
        if (stop < end)
            add_escape(out, (unsigned char)*stop++);
        at = stop;
    }
    buf_add_char(out, '"');
}

void json_bytes(struct json_writer *w, quire_bytes text)
{
    begin_value(w);
    json_add_quoted(w->out, text);
}

void json_str(struct json_writer *w, const char *text)
{
    json_bytes(w, bytes_str(text));
}

void json_key(struct json_writer *w, const char *key)
{
    json_str(w, key);
    buf_add_char(w->out, ':');
    w->comma = false;
}

void json_int(struct json_writer *w, int64_t v)
{
    begin_value(w);
    buf_addf(w->out, "%" PRId64, v);
}

void json_uint(struct json_writer *w, uint64_t v)
{
    begin_value(w);
    buf_addf(w->out, "%" PRIu64, v);
}

void json_bool(struct json_writer *w, bool v)
{
    begin_value(w);
    buf_add_str(w->out, v ? "true" : "false");
}

void json_null(struct json_writer *w)
{
    begin_value(w);
    buf_add_str(w->out, "null");
}

void json_base64(struct json_writer *w, quire_bytes raw)
{
    begin_value(w);
    buf_add_char(w->out, '"');
    base64_encode(raw, w->out);
    buf_add_char(w->out, '"');
    w->comma = true;
}

void json_content(struct json_writer *w, const char *key, quire_bytes content)
{
    bool text = utf8_check(content);

    json_key(w, "encoding");
    json_str(w, text ? "utf-8" : "base64");
    json_key(w, key);
    if (text)
        json_bytes(w, content);
    else
        json_base64(w, content);
}

void json_raw(struct json_writer *w, quire_bytes json)
{
    begin_value(w);
    buf_add(w->out, json.data, json.len);
}
