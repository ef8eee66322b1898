/*
 * append.c - events at the end of a conversation
 *
 * The text up to its last event stays, byte for byte; what is added is laid out
 * as the file is: an event on lines of its own with the file's indentation and
 * line ends, or everything on one line.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/timestamp.h"
#include "jp/priv.h"

struct appending {
    quire_bytes unit;
    const char *line; /* what ends a line; NULL: all is on one */
    bool comma;       /* something stands in front             */
    char now[TIMESTAMP_SIZE];
    struct buf *out;
    uint64_t n;
};

/* ---- style -------------------------------------------------------------- */

/* The text of an event, which has no line break inside a string, over lines. */
static void add_lines(struct appending *a, quire_bytes event)
{
    struct buf laid = BUF_INIT(CONVERSATION_MAX);
    quire_bytes rest;

    json_indent(event, &laid);
    a->out->failed |= laid.failed;
    for (rest = buf_bytes(&laid); rest.len;) {
        const char *s = rest.data, *end = memchr(s, '\n', rest.len);
        size_t len = end ? (size_t)(end - s) : rest.len, in, i;

        for (in = 0; in + 1 < len && s[in] == ' ' && s[in + 1] == ' '; in += 2)
            ;
        buf_add_str(a->out, a->line);
        for (i = 0; i <= in / 2; i++)
            buf_add(a->out, a->unit.data, a->unit.len);
        buf_add(a->out, s + in, len - in);
        rest = bytes_sub(rest, end ? len + 1 : len, rest.len);
    }
    buf_release(&laid);
}

static void add_event(struct appending *a, quire_bytes event)
{
    if (a->comma)
        buf_add_char(a->out, ',');
    a->comma = true;
    a->n++;
    if (a->line)
        add_lines(a, event);
    else
        buf_add(a->out, event.data, event.len);
}

/* How the array is laid out; an empty one as JP does it. */
static void read_style(struct appending *a, quire_bytes json)
{
    struct json_scan it;
    const char *s = json.data, *first;

    json_iter_init(&it, json);
    a->unit = json_style_indent(json);
    a->line = "\n";
    a->comma = json_next(&it);
    if (!a->comma)
        return;
    first = it.value.data;
    if (!memchr(s, '\n', (size_t)(first - s)))
        a->line = NULL;
    else if (memchr(s, '\r', (size_t)(first - s)))
        a->line = "\r\n";
}

/* ---- events ------------------------------------------------------------- */

static quire_status refuse(uint64_t line, const char *what, quire_error *err)
{
    return err_fail(err, QUIRE_INVALID,
                    "write an event a line, as JP does; nothing was appended",
                    "line %llu: %s", (unsigned long long)line, what);
}

/* An event needs a type and a time; one without a time is of now. */
static quire_status take_event(struct appending *a, quire_bytes event,
                               uint64_t line, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("timestamp")};
    struct json_error bad = {.why = NULL};
    struct buf timed = BUF_INIT(CONVERSATION_MAX);
    quire_status st;
    int64_t us;

    if (!json_check(event, 0, &bad))
        return refuse(line, bad.why ? bad.why : "not JSON", err);
    if (json_kind(event) != JSON_OBJECT || !json_pick(event, w, 2, NULL))
        return refuse(line, "an event is a JSON object", err);
    if (json_kind(w[0].value) != JSON_STRING || w[0].value.len <= 2)
        return refuse(line, "the event has no type", err);
    if (w[1].value.data && !event_time(w[1].value, &us))
        return refuse(line, "its timestamp is not a time", err);
    if (w[1].value.data) {
        add_event(a, event);
        return QUIRE_OK;
    }
    buf_addf(&timed, "{\"timestamp\":\"%s\",", a->now);
    event = bytes_sub(event, 1, event.len);
    buf_add(&timed, event.data, event.len);
    st = buf_status(&timed, "an event", err);
    if (!st)
        add_event(a, buf_bytes(&timed));
    buf_release(&timed);
    return st;
}

static quire_bytes trim(quire_bytes text)
{
    const char *s = text.data;
    size_t from = 0, to = text.len;

    while (from < to && is_space(s[from]))
        from++;
    while (to > from && is_space(s[to - 1]))
        to--;
    return bytes_sub(text, from, to);
}

static quire_status take_lines(struct appending *a, quire_bytes rest,
                               quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint64_t line;

    for (line = 1; rest.len && !st; line++) {
        const char *end = memchr(rest.data, '\n', rest.len);
        size_t len = end ? (size_t)(end - (const char *)rest.data) : rest.len;
        quire_bytes one = trim(bytes_sub(rest, 0, len));

        if (one.len)
            st = take_event(a, one, line, err);
        rest = bytes_sub(rest, end ? len + 1 : len, rest.len);
    }
    return st;
}

quire_status append_text(quire_bytes text, const char *where, quire_bytes lines,
                         struct buf *out, uint64_t *n, quire_error *err)
{
    struct appending a = {.out = out};
    quire_bytes json = {NULL, 0}, head, tail;
    quire_status st = events_check(text, where, &json, err);
    const char *s = text.data;
    size_t close, end;

    if (st)
        return st;
    event_time_text(clock_us(&clock_system), a.now);
    read_style(&a, json);
    for (close = text.len - 1; s[close] != ']'; close--)
        ;
    for (end = close; is_space(s[end - 1]); end--)
        ;
    head = bytes_sub(text, 0, end);
    tail = bytes_sub(text, close, text.len);
    buf_add(out, head.data, head.len);
    st = take_lines(&a, lines, err);
    if (a.line && a.n)
        buf_add_str(out, a.line);
    buf_add(out, tail.data, tail.len);
    *n = st ? 0 : a.n;
    return st ? st : buf_status(out, "a conversation", err);
}
