/*
 * sink_fuzz.c - any bytes as the output of a program
 *
 * Four bytes choose how much is quote_text and how the stream is cut, the rest is
 * the stream. Beside the sink stands the plainest thing that could be right: it
 * has the whole stream before it, takes out the sequences, then what is not
 * text, then cuts lines, then cuts the middle out. The sink must show the same,
 * count the same, and keep exactly the clean text, or no file if it shows all;
 * and that in one piece, a byte at a time, and cut anywhere.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "holds.h"
#include "output/sanitize.h"
#include "output/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CEILING (SIZE_MAX / 2)
#define DOTS    "\xe2\x80\xa6"

/* ---- clean text, the plain way ------------------------------------------ */

struct text {
    const unsigned char *at;
    size_t len;
};

static bool one_of(unsigned char b, const char *set)
{
    while (*set && (unsigned char)*set != b)
        set++;
    return *set;
}

/* Printable ASCII from `i` on: it always stays. */
static size_t printable(struct text t, size_t i)
{
    size_t n = 0;

    while (i + n < t.len && t.at[i + n] >= 0x20 && t.at[i + n] < 0x7f)
        n++;
    return n;
}

/* Where a string that begins before `i` would be over; `len` if nowhere. */
static size_t string_stop(struct text t, size_t i)
{
    while (i < t.len && !one_of(t.at[i], "\x07\x18\x1a\x1b"))
        i++;
    return i;
}

/* Where text goes on after a string whose body begins at `i`. */
static size_t after_string(struct text t, size_t i)
{
    size_t stop = string_stop(t, i), line = i;
    bool escape = stop < t.len && t.at[stop] == 0x1b;
    bool ends = stop < t.len && t.at[stop] == 0x07;

    while (line < stop && t.at[line] != '\n' && t.at[line] != '\r')
        line++;
    if (escape && stop + 1 < t.len && t.at[stop + 1] == '\\')
        ends = true;
    if (line < stop && (!ends || stop - line > SANITIZE_HOLD))
        return line; /* its lines are text after all */
    if (stop == t.len || (escape && !ends))
        return stop;
    return escape ? stop + 2 : stop + 1;
}

/* Where text goes on after an ESC at `i` - 1. */
static size_t after_escape(struct text t, size_t i)
{
    char kind = 0; /* '[': parameters, ' ': intermediates */

    for (; i < t.len; i++) {
        unsigned char b = t.at[i];

        if (one_of(b, "\n\r\t\x1b") || b >= 0x80)
            return i;
        if (b == 0x18 || b == 0x1a)
            return i + 1;
        if (b < 0x20 || b == 0x7f)
            continue;
        if (!kind && one_of(b, "]PX^_"))
            return after_string(t, i + 1);
        if (!kind && b == '[')
            kind = '[';
        else if (kind != '[' && b < 0x30)
            kind = ' ';
        else if (kind != '[' || b >= 0x40)
            return i + 1;
    }
    return i;
}

/* A NUL for each sequence: it goes in the end, and parts what it stood
 * between. */
static void without_sequences(struct text t, struct buf *out)
{
    size_t i = 0, n;

    for (; i < t.len; i += n) {
        n = printable(t, i);
        buf_add(out, t.at + i, n);
        if (n > 0)
            continue;
        if (t.at[i] == 0x1b) {
            i = after_escape(t, i + 1);
            buf_add_char(out, '\0');
        } else {
            buf_add_char(out, (char)t.at[i++]);
        }
    }
}

/* How many bytes a character has, by the table of RFC 3629; if it is damaged,
 * minus as many as could have begun one. */
static int measure(struct text t, size_t i)
{
    unsigned char a = t.at[i], lo = 0x80, hi = 0xbf;
    int want, n;

    if (a < 0x80)
        return 1;
    if (a < 0xc2 || a > 0xf4)
        return -1;
    want = a < 0xe0 ? 2 : a < 0xf0 ? 3 : 4;
    if (a == 0xe0)
        lo = 0xa0;
    if (a == 0xed)
        hi = 0x9f;
    if (a == 0xf0)
        lo = 0x90;
    if (a == 0xf4)
        hi = 0x8f;
    for (n = 1; n < want; n++, lo = 0x80, hi = 0xbf) {
        size_t k = i + (size_t)n;

        if (k >= t.len || t.at[k] < lo || t.at[k] > hi)
            return -n;
    }
    return want;
}

static void only_text(struct text t, struct buf *out)
{
    size_t i = 0;

    while (i < t.len) {
        unsigned char b = t.at[i];
        int n = measure(t, i);
        size_t run = printable(t, i);

        buf_add(out, t.at + i, run);
        i += run;
        if (run > 0)
            continue;
        if (n < 0)
            buf_add_str(out, "\xef\xbf\xbd");
        else if (b == '\r')
            buf_add_char(out, '\n');
        else if (b == '\n' && i > 0 && t.at[i - 1] == '\r')
            ; /* one newline for both */
        else if (b == 0xc2 && t.at[i + 1] < 0xa0)
            ; /* C1 */
        else if (b >= 0x80 || b == '\t' || b == '\n')
            buf_add(out, t.at + i, (size_t)n);
        i += (size_t)abs(n);
    }
}

/* ---- what is quote_text, the plain way --------------------------------------- */

struct want {
    struct buf clean, lines, quote_text;
    size_t threshold, head, columns;
    quire_sink_result r;
};

static bool splits(const struct buf *b, size_t at)
{
    return at < b->len && ((unsigned char)b->data[at] & 0xc0) == 0x80;
}

static uint64_t newlines(const char *from, const char *to)
{
    uint64_t n = 0;

    while (from < to)
        n += *from++ == '\n';
    return n;
}

static void cut_lines(struct want *w)
{
    size_t at = 0, end, stop;

    while (at < w->clean.len) {
        for (end = at; end < w->clean.len && w->clean.data[end] != '\n';)
            end++;
        stop = end;
        if (w->columns > 0 && end - at > w->columns) {
            stop = at + (w->columns > 3 ? w->columns - 3 : 0);
            while (stop > at && splits(&w->clean, stop))
                stop--;
            w->r.capped_lines++;
            w->r.capped_bytes += end - stop;
        }
        buf_add(&w->lines, w->clean.data + at, stop - at);
        if (stop < end)
            buf_add_str(&w->lines, DOTS);
        if (end < w->clean.len)
            buf_add_char(&w->lines, '\n');
        at = end + 1;
    }
}

static void add_marker(struct want *w, char before, char after)
{
    if (before != '\n')
        buf_add_char(&w->quote_text, '\n');
    buf_addf(&w->quote_text, "[" DOTS "%llu%s elided" DOTS "]",
             (unsigned long long)(w->r.elided_lines > 1 ? w->r.elided_lines
                                                        : w->r.elided_bytes),
             w->r.elided_lines > 1 ? "ln" : "B");
    if (after != '\n')
        buf_add_char(&w->quote_text, '\n');
}

static void cut_middle(struct want *w)
{
    const char *text = w->lines.data, *end = text + w->lines.len;
    size_t head = w->head, tail;
    uint64_t lines = 0;

    while (head > 0 && splits(&w->lines, head))
        head--;
    tail = w->lines.len - (w->threshold - head);
    while (splits(&w->lines, tail))
        tail++;
    w->r.elided_bytes = tail - head;
    if (head > 0)
        lines = newlines(text, text + head) + (text[head - 1] != '\n');
    if (tail < w->lines.len)
        lines += newlines(text + tail, end) + 1;
    if (w->r.total_lines > lines)
        w->r.elided_lines = w->r.total_lines - lines;
    w->r.output_lines = lines + (head > 0);
    buf_add(&w->quote_text, text, head);
    if (head > 0)
        add_marker(w, text[head - 1], tail < w->lines.len ? text[tail] : 0);
    buf_add(&w->quote_text, text + tail, w->lines.len - tail);
}

static void want_init(struct want *w, struct text stream)
{
    struct buf parted = BUF_INIT(CEILING);

    w->clean = w->lines = w->quote_text = (struct buf)BUF_INIT(CEILING);
    without_sequences(stream, &parted);
    only_text((struct text){(const unsigned char *)parted.data, parted.len},
              &w->clean);
    buf_release(&parted);
    w->r.total_bytes = w->clean.len;
    w->r.ends_in_line = w->clean.len > 0 &&
                        w->clean.data[w->clean.len - 1] != '\n';
    if (w->clean.len > 0)
        w->r.total_lines = newlines(w->clean.data,
                                    w->clean.data + w->clean.len) +
                           1;
    cut_lines(w);
    if (w->lines.len > w->threshold) {
        cut_middle(w);
    } else if (w->lines.len > 0) {
        buf_add(&w->quote_text, w->lines.data, w->lines.len);
        w->r.output_lines = w->r.total_lines;
    }
    w->r.truncated = w->r.elided_bytes > 0 || w->r.capped_lines > 0;
    HOLDS(!w->clean.failed && !w->lines.failed && !w->quote_text.failed);
}

static void want_release(struct want *w)
{
    buf_release(&w->clean);
    buf_release(&w->lines);
    buf_release(&w->quote_text);
}

/* ---- the sink ----------------------------------------------------------- */

static int64_t noon(void *ctx)
{
    (void)ctx;
    return 1771243200000000;
}

static const struct clock still = {noon, NULL};
static struct store *store;
static unsigned n_files;

static void is_kept(const struct want *w, const quire_sink_result *r)
{
    struct object_info info;
    struct object *o;
    char name[32], *text = malloc(w->clean.len + 1);
    size_t n = 0;

    snprintf(name, sizeof name, "%u", n_files);
    HOLDS(r->id && !strcmp(r->id, name));
    snprintf(name, sizeof name, "d/%u.fuzz.log", n_files++);
    HOLDS(!object_open(store->objects, name, &o, &info, NULL));
    HOLDS(info.size == w->clean.len && text);
    HOLDS(!object_read(o, 0, text, info.size, &n, NULL));
    HOLDS(n == info.size && !memcmp(text, w->clean.data, n));
    object_close(o);
    free(text);
}

static void is_right(const struct want *w, const quire_sink_result *r)
{
    HOLDS(bytes_equal(buf_bytes(&w->quote_text), r->output));
    HOLDS(r->output_bytes == r->output.len);
    HOLDS(r->total_bytes == w->r.total_bytes);
    HOLDS(r->total_lines == w->r.total_lines);
    HOLDS(r->output_lines == w->r.output_lines);
    HOLDS(r->elided_bytes == w->r.elided_bytes);
    HOLDS(r->elided_lines == w->r.elided_lines);
    HOLDS(r->capped_bytes == w->r.capped_bytes);
    HOLDS(r->capped_lines == w->r.capped_lines);
    HOLDS(r->truncated == w->r.truncated);
    HOLDS(r->ends_in_line == w->r.ends_in_line);
    HOLDS(r->problem.status == QUIRE_OK);
    if (w->r.truncated)
        is_kept(w, r);
    else
        HOLDS(!r->id && !r->path);
}

/* In pieces of up to `longest` bytes (0: at once), each in memory of just its
 * size. */
static void pour(const struct want *w, struct text t, size_t longest,
                 uint32_t dice)
{
    struct output_dir shelf = {.store = store, .dir = "d"};
    quire_sink_options o = QUIRE_SINK_OPTIONS_INIT;
    quire_sink_result r;
    struct sink *s;
    size_t i = 0, n;

    o.tool = "fuzz";
    o.threshold = w->threshold;
    o.head = w->head;
    o.columns = w->columns;
    HOLDS(!sink_new(&shelf, &o, NULL, &s, NULL));
    for (; i < t.len; i += n) {
        char *piece;

        dice = dice * 1664525 + 1013904223;
        n = longest ? 1 + (dice >> 8) % longest : t.len;
        if (n > t.len - i)
            n = t.len - i;
        piece = malloc(n);
        HOLDS(piece);
        memcpy(piece, t.at + i, n);
        sink_write(s, bytes_of(piece, n));
        free(piece);
    }
    sink_finish(s, &r);
    is_right(w, &r);
    sink_free(s);
}

/* A string may be too long to be put aside, which no input is: the first fe
 * stands for very many bytes, a few more or less than there is room for. */
static struct text inflated(struct text t, struct buf *out)
{
    size_t i = 0;
    char *room;

    while (i < t.len && t.at[i] != 0xfe)
        i++;
    if (i == t.len)
        return t;
    buf_add(out, t.at, i);
    room = buf_room(out, SANITIZE_HOLD);
    HOLDS(room);
    memset(room, 'x', SANITIZE_HOLD);
    buf_grow(out, SANITIZE_HOLD - t.at[0] % 32);
    buf_add(out, t.at + i + 1, t.len - i - 1);
    return (struct text){(const unsigned char *)out->data, out->len};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct want w = {.threshold = 0};
    struct buf large = BUF_INIT(CEILING);
    struct text t;

    if (size < 4)
        return 0;
    w.threshold = data[0] % 160;
    w.head = data[1] % (w.threshold / 2 + 1);
    w.columns = data[2] % 48;
    t = (struct text){data + 4, size - 4};
    if (data[3] == 255) /* rarely: it takes its time */
        t = inflated(t, &large);
    want_init(&w, t);
    n_files = 0;
    HOLDS(!store_memory_open(&still, &store, NULL));
    pour(&w, t, 0, 0);
    if (!large.data)
        pour(&w, t, 1, 0);
    pour(&w, t, (large.data ? 4000u : 2u) + data[3] % 16u, data[3]);
    store_free(store);
    want_release(&w);
    buf_release(&large);
    return 0;
}
