/*
 * sanitize.c - a terminal that shows nothing
 *
 * A state machine that parses its input as a terminal does, and keeps only the
 * printable text:
 *
 *     text --ESC--> escape --[--------> control -- 40..7e --> text
 *                     |  \--20..2f----> intermediate -- 30..7e --> text
 *                     |  \--] P X ^ _-> string -- BEL, ESC \ --> text
 *                     |  \--30..7e----> text
 *                     any of these -- CAN, SUB --> text
 *
 * Where a terminal would swallow what follows an unfinished sequence, we do
 * not: a log has no `reset`. A newline, a tab or a byte that cannot belong to a
 * sequence ends it and is text. Strings are the hard case, because those of
 * images do hold newlines. From the first newline on a string is held:
 *
 *     ESC ] 0 ; title \n more text that is held ...
 *                     ^ holding
 *
 * If the string ends as it should, the held bytes are dropped with it. If it is
 * aborted, the stream ends, or the buffer is full, it was not a string, and the
 * held bytes are text.
 *
 * Invariants:
 *
 *   (1) Held bytes contain no BEL or ESC, and CAN only at their end, in the
 *       place of what aborted the string; any of these would have ended it.
 *       So they are cleaned as text without looking at the state.
 *   (2) A part of a character, and a CR, are pending only in text: whatever
 *       begins or aborts a sequence has ended them first.
 *   (3) Bytes are read in order, without look-ahead: so it does not matter
 *       how the stream is cut.
 */
#include "output/sanitize.h"

#include <assert.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"
#include "base/utf8.h"

enum { BEL = 0x07, CAN = 0x18, SUB = 0x1a, ESC = 0x1b, DEL = 0x7f };

void sanitize_init(struct sanitizer *c)
{
    memset(c, 0, offsetof(struct sanitizer, held));
}

/* ---- text --------------------------------------------------------------- */

/* Printable ASCII, tab, newline: copied unchanged. */
static inline bool is_plain(unsigned char b)
{
    return (b >= 0x20 && b < DEL) || b == '\t' || b == '\n';
}

/* Copy plain bytes, at most `len` of them, and return how many there were.
 * Sixteen at a time: nearly all of the output is plain. */
static size_t copy_plain(const unsigned char *in, size_t len, char *out)
{
    size_t n = 0;

#ifdef __SSE2__
    const __m128i low = _mm_set1_epi8(0x20), del = _mm_set1_epi8(DEL);
    const __m128i tab = _mm_set1_epi8('\t'), newline = _mm_set1_epi8('\n');

    for (; len - n >= 16; n += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(in + n));
        /* As signed bytes, 80..ff are below 20 too. */
        __m128i odd = _mm_andnot_si128(_mm_or_si128(_mm_cmpeq_epi8(x, tab),
                                                    _mm_cmpeq_epi8(x, newline)),
                                       _mm_cmplt_epi8(x, low));
        int bits = _mm_movemask_epi8(_mm_or_si128(odd, _mm_cmpeq_epi8(x, del)));

        /* Always all sixteen: the surplus is overwritten next. */
        _mm_storeu_si128((__m128i *)(void *)(out + n), x);
        if (bits)
            return n + (size_t)__builtin_ctz((unsigned)bits);
    }
#endif
    for (; n < len && is_plain(in[n]); n++)
        out[n] = (char)in[n];
    return n;
}

/* The number of bytes of a character with this first byte; 0: invalid. */
static unsigned length_of(unsigned char b)
{
    return b < 0xc2 ? 0 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : b < 0xf5 ? 4 : 0;
}

/* Could these bytes become a character if more came? */
static bool is_begun(const unsigned char *at, size_t len, size_t subpart)
{
    return subpart == len && length_of(*at) > len;
}

static size_t put_damage(char *out)
{
    return utf8_encode(UTF8_REPLACEMENT, out);
}

/* A character above ASCII, at the front of `in`. */
static size_t take_char(struct sanitizer *c, quire_bytes *in, char *out)
{
    uint32_t cp;
    bool bad;
    size_t n = utf8_decode(*in, &cp, &bad), put = 0;

    if (bad && is_begun(in->data, in->len, n)) {
        memcpy(c->part, in->data, n);
        c->n_part = (unsigned)n;
    } else if (bad) {
        put = put_damage(out);
    } else if (cp >= 0xa0) { /* below: C1 */
        memcpy(out, in->data, n);
        put = n;
    }
    *in = bytes_sub(*in, n, in->len);
    return put;
}

/* Continue a character that was cut: one byte more. A byte that does not fit
 * stays in `in`. */
static size_t take_rest(struct sanitizer *c, quire_bytes *in, char *out)
{
    uint32_t cp;
    bool bad;
    size_t n, len = c->n_part + 1;

    c->part[c->n_part] = *(const unsigned char *)in->data;
    n = utf8_decode(bytes_of(c->part, len), &cp, &bad);
    if (bad && n < len) {
        c->n_part = 0;
        return put_damage(out);
    }
    *in = bytes_sub(*in, 1, in->len);
    if (bad && is_begun(c->part, len, n)) {
        c->n_part = (unsigned)len;
        return 0;
    }
    c->n_part = 0;
    if (bad)
        return put_damage(out);
    if (cp < 0xa0)
        return 0;
    memcpy(out, c->part, n);
    return n;
}

/* Clean `in` as text, up to an ESC, the end, or the end of the output buffer.
 */
static size_t take_text(struct sanitizer *c, quire_bytes *in, char *out,
                        size_t cap)
{
    size_t n = 0;

    while (in->len > 0 && cap - n >= SANITIZE_ROOM) {
        const unsigned char *at = in->data;
        size_t room = cap - n, run;

        if (c->n_part > 0) {
            n += take_rest(c, in, out + n);
            continue;
        }
        if (c->after_cr && *at == '\n') {
            c->after_cr = false;
            *in = bytes_sub(*in, 1, in->len);
            continue;
        }
        c->after_cr = false;
        run = copy_plain(at, in->len < room ? in->len : room, out + n);
        n += run;
        *in = bytes_sub(*in, run, in->len);
        if (in->len == 0 || cap - n < SANITIZE_ROOM)
            break;
        at += run;
        if (*at >= 0x80) {
            n += take_char(c, in, out + n);
            continue;
        }
        if (*at == ESC)
            break;
        if (*at == '\r') {
            out[n++] = '\n';
            c->after_cr = true;
        }
        *in = bytes_sub(*in, 1, in->len);
    }
    return n;
}

/* ---- sequences ---------------------------------------------------------- */

/* A byte that ends a sequence and is text itself. */
static bool is_text_again(unsigned char b)
{
    return b == '\n' || b == '\r' || b == '\t' || b >= 0x80;
}

/* The held bytes are text after all. */
static void release_held(struct sanitizer *c)
{
    c->give_at = 0;
    c->give_end = c->n_held;
    c->n_held = 0;
    c->holding = false;
}

/* The same, because of a byte that aborts the string. In text that byte would
 * end a character or a CRLF, and so it must here. */
static void release_aborted(struct sanitizer *c)
{
    if (c->n_held > 0)
        c->held[c->n_held++] = CAN;
    release_held(c);
}

static void forget_held(struct sanitizer *c)
{
    c->n_held = 0;
    c->holding = false;
}

static enum sanitize_state after_escape(unsigned char b)
{
    switch (b) {
    case '[': return SANITIZE_CONTROL;
    case ']': /* OSC */
    case 'P': /* DCS */
    case 'X': /* SOS */
    case '^': /* PM  */
    case '_': /* APC */ return SANITIZE_STRING;
    default: break;
    }
    return b < 0x30 ? SANITIZE_INTERMEDIATE : SANITIZE_TEXT;
}

/* The state after one byte of a sequence other than a string. */
static enum sanitize_state after_byte(enum sanitize_state state,
                                      unsigned char b)
{
    if (b == ESC)
        return SANITIZE_ESCAPE;
    if (b == CAN || b == SUB || is_text_again(b))
        return SANITIZE_TEXT;
    if (b < 0x20 || b == DEL)
        return state; /* ignored here */
    if (state == SANITIZE_ESCAPE)
        return after_escape(b);
    return b >= (state == SANITIZE_CONTROL ? 0x40 : 0x30) ? SANITIZE_TEXT
                                                          : state;
}

/* Skip a sequence other than a string, up to its end or that of `in`. */
static void take_sequence(struct sanitizer *c, quire_bytes *in)
{
    const unsigned char *at = in->data;
    size_t i = 0;

    while (i < in->len && c->state != SANITIZE_TEXT &&
           c->state != SANITIZE_STRING) {
        unsigned char b = at[i];

        c->state = after_byte(c->state, b);
        i += !is_text_again(b); /* such a byte is still to be read */
    }
    *in = bytes_sub(*in, i, in->len);
}

/* Skip a string, up to its end or that of `in`. */
static void take_string(struct sanitizer *c, quire_bytes *in)
{
    const unsigned char *at = in->data;
    size_t i;

    for (i = 0; i < in->len; i++) {
        unsigned char b = at[i];

        if (b == BEL || b == CAN || b == SUB) {
            if (b == BEL)
                forget_held(c);
            else
                release_aborted(c);
            c->state = SANITIZE_TEXT;
            i++;
            break;
        }
        if (b == ESC) {
            c->state = SANITIZE_STRING_END;
            i++;
            break;
        }
        c->holding |= b == '\n' || b == '\r';
        if (!c->holding)
            continue;
        if (c->n_held == SANITIZE_HOLD) {
            release_held(c);
            c->state = SANITIZE_TEXT;
            break;
        }
        c->held[c->n_held++] = (char)b;
    }
    *in = bytes_sub(*in, i, in->len);
}

/* ESC in a string: its end, if a backslash follows. If not, the ESC begins
 * something else. */
static void take_string_end(struct sanitizer *c, quire_bytes *in)
{
    if (*(const char *)in->data == '\\') {
        forget_held(c);
        c->state = SANITIZE_TEXT;
        *in = bytes_sub(*in, 1, in->len);
    } else {
        release_aborted(c);
        c->state = SANITIZE_ESCAPE;
    }
}

/* ---- the machine -------------------------------------------------------- */

/* One step in any state but text. */
static void parse_step(struct sanitizer *c, quire_bytes *in)
{
    if (c->state == SANITIZE_STRING)
        take_string(c, in);
    else if (c->state == SANITIZE_STRING_END)
        take_string_end(c, in);
    else
        take_sequence(c, in);
}

/* Emit the held bytes, as text. */
static size_t emit_held(struct sanitizer *c, char *out, size_t cap)
{
    quire_bytes held = bytes_of(c->held + c->give_at, c->give_end - c->give_at);
    size_t n = take_text(c, &held, out, cap);

    c->give_at = c->give_end - held.len;
    return n;
}

bool sanitize_has_more(const struct sanitizer *c)
{
    return c->give_at < c->give_end || (c->ended && c->n_part > 0);
}

size_t sanitize_text(struct sanitizer *c, quire_bytes *in, char *out,
                     size_t cap)
{
    size_t n = 0;

    while (cap - n >= SANITIZE_ROOM) {
        if (c->give_at < c->give_end) {
            n += emit_held(c, out + n, cap - n);
        } else if (in->len == 0) {
            break;
        } else if (c->state != SANITIZE_TEXT) {
            parse_step(c, in);
        } else {
            n += take_text(c, in, out + n, cap - n);
            if (in->len > 0 && *(const char *)in->data == ESC &&
                cap - n >= SANITIZE_ROOM && c->n_part == 0) {
                c->state = SANITIZE_ESCAPE;
                *in = bytes_sub(*in, 1, in->len);
            }
        }
    }
    if (c->ended && in->len == 0 && c->give_at == c->give_end &&
        c->n_part > 0 && cap - n >= SANITIZE_ROOM) {
        c->n_part = 0;
        n += put_damage(out + n);
    }
    return n;
}

void sanitize_end(struct sanitizer *c)
{
    c->ended = true;
    if (c->state == SANITIZE_STRING || c->state == SANITIZE_STRING_END)
        release_held(c);
    /* A pending part is emitted as text, whatever the state was. */
    c->state = SANITIZE_TEXT;
}
