#include "support/slow.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/test.h"

#define DOTS "\xe2\x80\xa6"

static bool inside(quire_bytes text, size_t at)
{
    return at < text.len &&
           (((const unsigned char *)text.data)[at] & 0xc0) == 0x80;
}

static size_t back(quire_bytes text, size_t at)
{
    while (at > 0 && inside(text, at))
        at--;
    return at;
}

static size_t forward(quire_bytes text, size_t at)
{
    while (inside(text, at))
        at++;
    return at;
}

static uint64_t newlines(quire_bytes text)
{
    uint64_t n = 0;
    size_t i;

    for (i = 0; i < text.len; i++)
        n += ((const char *)text.data)[i] == '\n';
    return n;
}

static bool is_newline(quire_bytes text, size_t at)
{
    return at < text.len && ((const char *)text.data)[at] == '\n';
}

static uint64_t open_lines(quire_bytes text)
{
    return text.len ? newlines(text) + 1 : 0;
}

static uint64_t closed_lines(quire_bytes text)
{
    return newlines(text) + (text.len && !is_newline(text, text.len - 1));
}

static quire_bytes keep(struct buf *b)
{
    char *out = test_alloc(b->len);
    size_t len = b->len;

    if (len > 0)
        memcpy(out, b->data, len);
    buf_release(b);
    return bytes_of(out, len);
}

/* The text with its long lines cut. */
static quire_bytes capped(quire_bytes text, size_t columns,
                          quire_sink_result *r)
{
    struct buf b = BUF_INIT((size_t)1 << 28);
    size_t at = 0, end;

    for (; at < text.len; at = end) {
        quire_bytes line;
        size_t room = columns > 3 ? columns - 3 : 0, n;

        for (end = at; end < text.len && !is_newline(text, end);)
            end++;
        line = bytes_sub(text, at, end);
        n = line.len;
        if (columns > 0 && line.len > columns) {
            n = back(line, room);
            r->capped_lines++;
            r->capped_bytes += line.len - n;
        }
        buf_add(&b, line.data, n);
        if (n < line.len)
            buf_add_str(&b, DOTS);
        if (end < text.len) {
            buf_add_char(&b, '\n');
            end++;
        }
    }
    return keep(&b);
}

static quire_bytes spliced(quire_bytes head, quire_bytes tail,
                           const quire_sink_result *r)
{
    struct buf b = BUF_INIT((size_t)1 << 28);

    buf_add(&b, head.data, head.len);
    if (head.len > 0) {
        if (!is_newline(head, head.len - 1))
            buf_add_char(&b, '\n');
        if (r->elided_lines <= 1)
            buf_addf(&b, "[" DOTS "%lluB elided" DOTS "]",
                     (unsigned long long)r->elided_bytes);
        else
            buf_addf(&b, "[" DOTS "%lluln elided" DOTS "]",
                     (unsigned long long)r->elided_lines);
        if (!is_newline(tail, 0))
            buf_add_char(&b, '\n');
    }
    buf_add(&b, tail.data, tail.len);
    return keep(&b);
}

quire_sink_result slow_shown(quire_bytes text, size_t threshold, size_t head,
                             size_t columns)
{
    quire_sink_result r = {.total_bytes = text.len,
                           .total_lines = open_lines(text),
                           .ends_in_line = text.len > 0 &&
                                           !is_newline(text, text.len - 1)};
    quire_bytes cut = capped(text, columns, &r), first, last;
    uint64_t lines;

    if (head > threshold / 2)
        head = threshold / 2;
    r.truncated = r.capped_lines > 0 || cut.len > threshold;
    r.output = cut;
    r.output_lines = open_lines(cut);
    if (cut.len > threshold) {
        first = bytes_sub(cut, 0, back(cut, head));
        last = bytes_sub(cut, forward(cut, cut.len - (threshold - first.len)),
                         cut.len);
        lines = closed_lines(first) + open_lines(last);
        r.elided_bytes = cut.len - first.len - last.len;
        r.elided_lines = r.total_lines > lines ? r.total_lines - lines : 0;
        r.output_lines = lines + (first.len > 0);
        r.output = spliced(first, last, &r);
    }
    r.output_bytes = r.output.len;
    return r;
}

void slow_same(const quire_sink_result *want, const quire_sink_result *got)
{
    SAME(want->output, got->output);
    EQ(want->truncated, got->truncated);
    EQ(want->total_lines, got->total_lines);
    EQ(want->total_bytes, got->total_bytes);
    EQ(want->output_lines, got->output_lines);
    EQ(want->output_bytes, got->output_bytes);
    EQ(want->elided_lines, got->elided_lines);
    EQ(want->elided_bytes, got->elided_bytes);
    EQ(want->capped_lines, got->capped_lines);
    EQ(want->capped_bytes, got->capped_bytes);
    EQ(want->ends_in_line, got->ends_in_line);
}

uint64_t slow_random(uint64_t *seed, uint64_t below)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

quire_bytes slow_text(uint64_t *seed, size_t max)
{
    static const char *const wide[] = {"é", "€", "😀", "\xc2\xa0", "…", "x"};
    struct buf b = BUF_INIT((size_t)1 << 28);
    size_t len = (size_t)slow_random(seed, max + 1);
    uint64_t kind = slow_random(seed, 3);           /* how wide          */
    uint64_t lines = 1 + 3 * slow_random(seed, 15); /* how long, or never */

    while (b.len < len) {
        if (lines < 40 && slow_random(seed, lines) == 0)
            buf_add_char(&b, '\n');
        else if (kind == 0 || (kind == 1 && slow_random(seed, 3)))
            buf_add_char(&b, (char)('a' + slow_random(seed, 26)));
        else
            buf_add_str(&b, wide[slow_random(seed, 6)]);
    }
    return keep(&b);
}
