/*
 * head_tail.c - the two ends of a text, in fixed memory
 *
 *     memory   | head ... | marker | ring ......................... |
 *                                    ^ ring_at: the oldest byte
 *
 * The head fills up first, to the last character that fits; everything after it
 * goes into the ring. At the end the ring is rotated so that its oldest byte
 * comes first, cut forward to the beginning of a character, and moved up to the
 * head: the result is contiguous, without another allocation.
 *
 * Before that, lines are cut. A line of up to `columns` bytes stays as it is;
 * of a longer one columns - 3 bytes stay, back to the end of a character, and
 * "…". So the last few bytes before the limit are held until it is known which
 * of the two it is:
 *
 *     | kept ................... | held | dropped, if the line goes on
 *     0                  columns - 3    columns
 *
 * Invariants:
 *
 *   (1) The ring holds the last n_ring bytes of what went past the head.
 *   (2) While n_head + n_ring == total, and nothing was capped, head, ring and
 *       held bytes together are the whole text.
 */
#include "output/head_tail.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

static const char ellipsis[] = "\xe2\x80\xa6";

/* "\n[…18446744073709551615ln elided…]\n" */
#define MARKER_MAX 64

quire_status head_tail_init(struct head_tail *w, size_t threshold, size_t head,
                            uint64_t columns, quire_error *err)
{
    assert(head <= threshold / 2);
    *w = (struct head_tail){.threshold = threshold,
                            .head_max = head,
                            .columns = columns,
                            .head_full = head == 0,
                            .ring_max = threshold};
    /* The head may be up to three bytes shorter than asked for: the ring holds
     * them then. */
    w->memory = malloc(threshold + MARKER_MAX + 4);
    if (!w->memory)
        return err_memory(err);
    w->ring = w->memory + head + MARKER_MAX;
    return QUIRE_OK;
}

void head_tail_release(struct head_tail *w)
{
    free(w->memory);
    w->memory = NULL;
}

/* ---- the two ends ------------------------------------------------------- */

static void ring_add(struct head_tail *w, quire_bytes text)
{
    size_t first;

    if (w->ring_max == 0)
        return;
    if (text.len >= w->ring_max) { /* nothing else survives this */
        text = bytes_sub(text, text.len - w->ring_max, text.len);
        w->ring_at = 0;
        w->n_ring = 0;
    }
    first = w->ring_max - w->ring_at;
    if (first > text.len)
        first = text.len;
    memcpy(w->ring + w->ring_at, text.data, first);
    memcpy(w->ring, (const char *)text.data + first, text.len - first);
    w->ring_at = (w->ring_at + text.len) % w->ring_max;
    w->n_ring += text.len;
    if (w->n_ring > w->ring_max)
        w->n_ring = w->ring_max;
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static unsigned char_length(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* The length of the whole characters at the front of `text`; the last may be
 * incomplete. */
static size_t whole_chars(quire_bytes text)
{
    const unsigned char *at = text.data;
    size_t i = text.len;

    while (i > 0 && text.len - i < 3 && continues((char)at[i - 1]))
        i--;
    if (i > 0 && at[i - 1] >= 0xc0 && char_length(at[i - 1]) > text.len - i + 1)
        return i - 1;
    return text.len;
}

/* The head is full: move an incomplete character to the ring, and everything
 * after it. */
static void close_head(struct head_tail *w)
{
    size_t whole = whole_chars(bytes_of(w->memory, w->n_head));
    char part[4];
    size_t n = w->n_head - whole;

    memcpy(part, w->memory + whole, n);
    w->n_head = whole;
    w->head_full = true;
    w->ring_max = w->threshold - whole;
    ring_add(w, bytes_of(part, n));
}

/* Add text to the head or the ring. */
static void add_text(struct head_tail *w, quire_bytes text)
{
    if (text.len == 0)
        return;
    w->total += text.len;
    if (!w->head_full) {
        size_t room = w->head_max - w->n_head;
        size_t n = text.len < room ? text.len : room;

        memcpy(w->memory + w->n_head, text.data, n);
        w->n_head += n;
        text = bytes_sub(text, n, text.len);
        if (text.len > 0) /* not before: it may end on a character */
            close_head(w);
    }
    ring_add(w, text);
}

/* ---- lines -------------------------------------------------------------- */

/* The line is too long: drop the held bytes and the rest. */
static void cut_line(struct head_tail *w)
{
    w->dropping = true;
    w->capped_lines++;
    w->capped_bytes += w->n_held;
    w->n_held = 0;
    add_text(w, bytes_str(ellipsis));
}

/* How many bytes of a line are kept in any case. */
static uint64_t kept_columns(const struct head_tail *w)
{
    return w->columns > 3 ? w->columns - 3 : 0;
}

/* Bytes near the limit of a line, one at a time. */
static void add_near(struct head_tail *w, quire_bytes text)
{
    const char *at = text.data;
    size_t i;

    for (i = 0; i < text.len && !w->dropping; i++) {
        if (!w->keeping && !continues(at[i]) &&
            w->n_line + char_length((unsigned char)at[i]) > kept_columns(w))
            w->keeping = true;
        w->n_line++;
        if (!w->keeping) {
            add_text(w, bytes_of(at + i, 1));
        } else if (w->n_line > w->columns) {
            w->capped_bytes++;
            cut_line(w);
        } else {
            w->held[w->n_held++] = at[i];
        }
    }
    w->n_line += text.len - i;
    w->capped_bytes += text.len - i;
}

/* Part of a line, without its newline. */
static void add_part(struct head_tail *w, quire_bytes text)
{
    /* Far enough from the limit no character can reach it. */
    uint64_t sure = w->columns > 8 ? w->columns - 8 : 0;
    size_t n = 0;

    if (w->n_line < sure) {
        n = sure - w->n_line < text.len ? (size_t)(sure - w->n_line) : text.len;
        w->n_line += n;
        add_text(w, bytes_sub(text, 0, n));
    }
    if (n < text.len)
        add_near(w, bytes_sub(text, n, text.len));
}

/* Add the held bytes of a line that ended in time. */
static void end_line(struct head_tail *w)
{
    add_text(w, bytes_of(w->held, w->n_held));
    w->n_held = 0;
    w->n_line = 0;
    w->keeping = w->dropping = false;
}

/* The end of the whole lines at the front of `text` that are short enough: most
 * are, and they are added in one piece. */
static const char *skip_short(struct head_tail *w, const char *at,
                              const char *end)
{
    if (w->keeping || w->dropping)
        return at;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));

        if (!newline || w->n_line + (uint64_t)(newline - at) > w->columns)
            break;
        w->n_line = 0;
        at = newline + 1;
    }
    return at;
}

void head_tail_add(struct head_tail *w, quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;

    if (w->columns == 0) {
        add_text(w, text);
        return;
    }
    while (at < end) {
        const char *rest = skip_short(w, at, end), *newline, *stop;

        add_text(w, bytes_of(at, (size_t)(rest - at)));
        at = rest;
        newline = memchr(at, '\n', (size_t)(end - at));
        stop = newline ? newline : end;
        add_part(w, bytes_of(at, (size_t)(stop - at)));
        at = stop;
        if (newline) {
            end_line(w);
            add_text(w, bytes_of(at++, 1));
        }
    }
}

bool head_tail_fits(const struct head_tail *w, quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;
    uint64_t n_line = w->n_line;

    if (w->capped_lines > 0 || w->total + w->n_held > w->threshold ||
        text.len > w->threshold - (size_t)w->total - w->n_held)
        return false;
    while (w->columns > 0 && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;

        if (n_line + (uint64_t)(stop - at) > w->columns)
            return false;
        n_line = newline ? 0 : n_line + (uint64_t)(stop - at);
        at = newline ? newline + 1 : end;
    }
    return true;
}

/* ---- the result --------------------------------------------------------- */

void head_tail_pieces(const struct head_tail *w, quire_bytes pieces[3])
{
    assert(w->n_head + w->n_ring == w->total && w->capped_lines == 0);
    pieces[0] = bytes_of(w->memory, w->n_head);
    /* All of it fits, so it begins where the ring does. */
    pieces[1] = bytes_of(w->ring, w->n_ring);
    pieces[2] = bytes_of(w->held, w->n_held);
}

static void reverse(char *from, char *to)
{
    for (; from + 1 < to; from++) {
        char c = *from;

        *from = *--to;
        *to = c;
    }
}

/* Turn the ring so that it begins with its oldest byte. */
static void rotate_ring(struct head_tail *w)
{
    if (w->n_ring == w->ring_max && w->ring_at > 0) {
        reverse(w->ring, w->ring + w->ring_at);
        reverse(w->ring + w->ring_at, w->ring + w->ring_max);
        reverse(w->ring, w->ring + w->ring_max);
    }
    w->ring_at = 0;
}

/* Lines in a text: the last one may have no newline. */
static uint64_t count_lines(quire_bytes text, bool open_end)
{
    bool ends = text.len > 0 && ((const char *)text.data)[text.len - 1] == '\n';

    return text.len == 0 ? 0 : bytes_count(text, '\n') + (open_end || !ends);
}

/* The line in place of the missing ones. */
static size_t make_marker(const struct head_tail *w, uint64_t lines,
                          uint64_t bytes, quire_bytes tail, char *out)
{
    bool before = w->memory[w->n_head - 1] != '\n';
    bool after = tail.len == 0 || *(const char *)tail.data != '\n';
    const char *unit = lines > 1 ? "ln" : "B";

    return (size_t)snprintf(out, MARKER_MAX, "%s[%s%" PRIu64 "%s elided%s]%s",
                            before ? "\n" : "", ellipsis,
                            lines > 1 ? lines : bytes, unit, ellipsis,
                            after ? "\n" : "");
}

void head_tail_finish(struct head_tail *w, uint64_t total_lines,
                      quire_sink_result *result)
{
    char marker[MARKER_MAX] = "";
    quire_bytes head, tail;
    size_t cut = 0, n_marker = 0;
    uint64_t n_shown;

    if (!w->dropping)
        add_text(w, bytes_of(w->held, w->n_held));
    w->n_held = 0;
    rotate_ring(w);
    if (w->total > w->n_head + w->n_ring) {
        while (cut < w->n_ring && continues(w->ring[cut]))
            cut++;
        result->truncated = 1;
    }
    head = bytes_of(w->memory, w->n_head);
    tail = bytes_of(w->ring + cut, w->n_ring - cut);
    result->elided_bytes = w->total - head.len - tail.len;
    if (result->elided_bytes > 0) {
        n_shown = count_lines(head, false) + count_lines(tail, true);
        result->elided_lines = total_lines > n_shown ? total_lines - n_shown
                                                     : 0;
        result->output_lines = n_shown;
        if (head.len > 0) {
            n_marker = make_marker(w, result->elided_lines,
                                   result->elided_bytes, tail, marker);
            result->output_lines++;
        }
    }
    memcpy(w->memory + head.len, marker, n_marker);
    memmove(w->memory + head.len + n_marker, tail.data, tail.len);
    result->output = bytes_of(w->memory, head.len + n_marker + tail.len);
    result->output_bytes = result->output.len;
    if (result->elided_bytes == 0)
        result->output_lines = count_lines(result->output, true);
    result->truncated |= w->capped_lines > 0;
    result->capped_lines = w->capped_lines;
    result->capped_bytes = w->capped_bytes;
}
