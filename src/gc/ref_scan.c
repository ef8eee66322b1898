/*
 * ref_scan.c - find digests at the speed of memory
 *
 * A digest is 64 characters in a row of which each is a hex digit, or is
 * spelled as an escape. Both are made of few bytes: hex digits, the backslash
 * and the u. So a run that could hold a digest is at least 64 of these bytes.
 * From any other byte the search jumps 64 ahead:
 *
 *     …tool said that blob:sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b…
 *      ^ no: jump 64 ahead                      ^ yes: and 16 before that?
 *
 * In text most probes fail, and the bytes between them are not read. A run that
 * is long enough is read character by character, and the text before 64 digits
 * decides whether they are a reference.
 */
#include "gc/ref_scan.h"

#include <string.h>

#include "base/bytes.h"

enum { DIGITS = 64, ESCAPE = 6 /* \u0061 */ };

/* After a hit, the probes step back by so many bytes. */
enum { STEP = 16 };

static const char scheme[] = "blob:sha256:";

/* The bytes that digits are spelled with: a digit and one more, or OTHER_PART.
 */
enum { OTHER_PART = 17 };

static const unsigned char parts[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,          ['3'] = 4,           ['4'] = 5,
    ['5'] = 6,  ['6'] = 7,  ['7'] = 8,          ['8'] = 9,           ['9'] = 10,
    ['a'] = 11, ['b'] = 12, ['c'] = 13,         ['d'] = 14,          ['e'] = 15,
    ['f'] = 16, ['A'] = 11, ['B'] = 12,         ['C'] = 13,          ['D'] = 14,
    ['E'] = 15, ['F'] = 16, ['u'] = OTHER_PART, ['\\'] = OTHER_PART,
};

static bool is_part(unsigned char c)
{
    return parts[c] != 0;
}

/* Decode 64 such bytes; false if one of them is not a digit. Nearly all are, so
 * they are tested together, at the end. */
static bool read_plain(const unsigned char *t, quire_digest *d)
{
    unsigned i, high, low, all = 0;

    for (i = 0; i < sizeof d->byte; i++) {
        high = parts[t[2 * i]] - 1u;
        low = parts[t[2 * i + 1]] - 1u;
        all |= high | low;
        d->byte[i] = (uint8_t)(high << 4 | low);
    }
    return all < 16;
}

/* The character that is escaped at `at`, or -1. Those of a digest are ASCII. */
static int read_escape(quire_bytes text, size_t at)
{
    const char *t = (const char *)text.data + at;
    int high, low;

    if (text.len - at < ESCAPE || memcmp(t, "\\u00", 4) != 0)
        return -1;
    high = hex_digit(t[4]);
    low = hex_digit(t[5]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* Whether the scheme precedes `at`. */
static bool follows_scheme(quire_bytes text, size_t at)
{
    const char *t = text.data;
    size_t i = sizeof scheme - 1;

    if (at >= i && !memcmp(t + at - i, scheme, i))
        return true;
    while (i-- > 0) {
        if (at >= ESCAPE && read_escape(text, at - ESCAPE) == scheme[i])
            at -= ESCAPE;
        else if (at >= 1 && t[at - 1] == scheme[i])
            at--;
        else
            return false;
    }
    return true;
}

/* A row of digits, as far as it has been read. */
struct row {
    size_t n;
    size_t at; /* where the first one is */
    quire_digest digest;
};

static void add_digit(struct row *r, int digit, size_t at)
{
    uint8_t *byte = &r->digest.byte[r->n / 2 % sizeof r->digest.byte];

    if (r->n == 0)
        r->at = at;
    if (r->n < DIGITS)
        *byte = (uint8_t)(r->n % 2 ? *byte | digit : digit << 4);
    r->n++;
}

static bool is_reference(quire_bytes text, const struct row *r, size_t end)
{
    const char *t = text.data;

    if (r->n < DIGITS)
        return false;
    if (r->n == DIGITS && r->at > 0 && t[r->at - 1] == '"' && end < text.len &&
        t[end] == '"')
        return true;
    return follows_scheme(text, r->at);
}

/* One search through a text that begins at `base`. */
struct search {
    quire_bytes text;
    uint64_t base;
    ref_scan_fn each;
    void *ctx;
};

/* The character at `at` and how many bytes it takes; -1 if it is not a digit in
 * any case. An escape of one letter, \b, is not that letter. */
static int read_char(quire_bytes text, size_t at, size_t *len)
{
    const char *t = text.data;
    int c;

    *len = 1;
    if (t[at] != '\\')
        return t[at];
    c = read_escape(text, at);
    if (c >= 0)
        *len = ESCAPE;
    else if (at + 1 < text.len && t[at + 1] != 'u')
        *len = 2;
    return c;
}

/* Read a run of bytes that digits are spelled with. */
static quire_status read_run(const struct search *s, size_t from, size_t to,
                             quire_error *err)
{
    struct row row = {.n = 0};
    quire_status st = QUIRE_OK;
    size_t at = from, len = 1;

    if (to - from == DIGITS &&
        read_plain((const unsigned char *)s->text.data + from, &row.digest)) {
        row.n = DIGITS;
        row.at = from;
        at = to;
    }
    while (!st && at <= to) {
        int c = at < to ? read_char(s->text, at, &len) : -1;
        int digit = c < 0 ? -1 : hex_digit((char)c);

        if (digit >= 0) {
            add_digit(&row, digit, at);
        } else {
            if (is_reference(s->text, &row, at))
                st = s->each(s->ctx, &row.digest, s->base + row.at, err);
            row.n = 0;
        }
        at += at < to ? len : 1;
    }
    return st;
}

/* The run around `at`. */
static void find_run(quire_bytes text, size_t at, size_t *from, size_t *to)
{
    const unsigned char *t = text.data;

    for (*from = at; *from > 0 && is_part(t[*from - 1]);)
        --*from;
    for (*to = at + 1; *to < text.len && is_part(t[*to]);)
        ++*to;
}

static quire_status search_text(const struct search *s, quire_error *err)
{
    const unsigned char *t = s->text.data;
    size_t at = DIGITS - 1, back, from, to;
    quire_status st = QUIRE_OK;

    while (!st && at < s->text.len) {
        for (back = 0; back < DIGITS && is_part(t[at - back]);)
            back += STEP;
        if (back < DIGITS) { /* no run that is long enough begins before that */
            at += DIGITS - back;
            continue;
        }
        find_run(s->text, at, &from, &to);
        if (to - from >= DIGITS)
            st = read_run(s, from, to, err);
        at = to + DIGITS;
    }
    return st;
}

quire_status ref_scan_text(quire_bytes text, ref_scan_fn each, void *ctx,
                           quire_error *err)
{
    struct search s = {.text = text, .each = each, .ctx = ctx};

    return search_text(&s, err);
}

/* Pieces overlap, so that each reference is whole in one of them; one that is
 * in both is reported twice. */
quire_status ref_scan_stream(quire_read_fn read, void *read_ctx, uint64_t base,
                             char *buf, ref_scan_fn each, void *ctx,
                             uint64_t *end, quire_error *err)
{
    struct search s = {.base = base, .each = each, .ctx = ctx};
    size_t kept = 0, n = 1;
    quire_status st = QUIRE_OK;

    while (!st && n > 0) {
        st = read(read_ctx, buf + kept, REF_SCAN_PIECE - kept, &n, err);
        if (st)
            break;
        s.text = bytes_of(buf, kept + n);
        if (n > 0)
            st = search_text(&s, err);
        kept = s.text.len < REF_BYTES_MAX ? s.text.len : REF_BYTES_MAX;
        s.base += s.text.len - kept;
        memmove(buf, buf + s.text.len - kept, kept);
    }
    *end = s.base + kept;
    return st;
}

struct cursor {
    struct object *file;
    uint64_t at;
};

static quire_status read_piece(void *ctx, void *buf, size_t cap, size_t *n,
                               quire_error *err)
{
    struct cursor *c = ctx;
    quire_status st = object_read(c->file, c->at, buf, cap, n, err);

    if (!st)
        c->at += *n;
    return st;
}

quire_status ref_scan_object(struct object *file, uint64_t from, char *buf,
                             ref_scan_fn each, void *ctx, uint64_t *end,
                             quire_error *err)
{
    struct cursor c = {file, from < REF_BYTES_MAX ? 0 : from - REF_BYTES_MAX};

    return ref_scan_stream(read_piece, &c, c.at, buf, each, ctx, end, err);
}
