/*
 * utf8.c - UTF-8, one character at a time, ASCII many at a time
 *
 * Session text is nearly all ASCII, so each loop first runs over ASCII in wide
 * steps and falls back to utf8_decode() for the character that stopped it. The
 * decoder alone defines what is well-formed:
 *
 *     first byte   second   third   fourth
 *     00..7f
 *     c2..df       80..bf
 *     e0           a0..bf   80..bf              below: overlong
 *     e1..ef       80..bf   80..bf
 *     ed           80..9f   80..bf              above: surrogates
 *     f0           90..bf   80..bf  80..bf      below: overlong
 *     f1..f3       80..bf   80..bf  80..bf
 *     f4           80..8f   80..bf  80..bf      above: past U+10FFFF
 *
 * Only the range of the second byte is irregular. The table also defines a
 * maximal subpart: reading stops at the first byte that does not fit, and the
 * bytes read until then are the subpart.
 */
#include "base/utf8.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"

/* An empty slice may have a NULL address, and C does not allow adding even zero
 * to that. */
static inline const unsigned char *start_of(quire_bytes text)
{
    return text.len ? text.data : (const void *)"";
}

/* The end of the ASCII that `at` begins with. */
static const unsigned char *skip_ascii(const unsigned char *at,
                                       const unsigned char *end)
{
    const uint64_t highs = 0x8080808080808080u;
    uint64_t w[4];

#ifdef __SSE2__
    /* The common case: four registers, one test. */
    while (end - at >= 64) {
        const __m128i *v = (const __m128i *)(const void *)at;
        __m128i any = _mm_or_si128(_mm_or_si128(_mm_loadu_si128(v),
                                                _mm_loadu_si128(v + 1)),
                                   _mm_or_si128(_mm_loadu_si128(v + 2),
                                                _mm_loadu_si128(v + 3)));

        if (_mm_movemask_epi8(any))
            break;
        at += 64;
    }
#endif
    while (end - at >= 32) {
        memcpy(w, at, 32);
        if ((w[0] | w[1] | w[2] | w[3]) & highs)
            break;
        at += 32;
    }
    while (end - at >= 8) {
        memcpy(w, at, 8);
        if (w[0] & highs)
            break;
        at += 8;
    }
    while (at < end && *at < 0x80)
        at++;
    return at;
}

/* The number of bytes of a character with this first byte, the range of its
 * second, and the bits the first contributes. 0: it begins no character. */
static inline unsigned lead_byte(unsigned char c, unsigned char *low,
                                 unsigned char *high, uint32_t *bits)
{
    *low = 0x80;
    *high = 0xbf;
    if (c < 0xc2 || c > 0xf4)
        return 0;
    if (c < 0xe0) {
        *bits = c & 0x1fu;
        return 2;
    }
    if (c < 0xf0) {
        if (c == 0xe0)
            *low = 0xa0;
        if (c == 0xed)
            *high = 0x9f;
        *bits = c & 0x0fu;
        return 3;
    }
    if (c == 0xf0)
        *low = 0x90;
    if (c == 0xf4)
        *high = 0x8f;
    *bits = c & 0x07u;
    return 4;
}

/* utf8_decode() for a byte that is not ASCII. */
static inline size_t decode_multibyte(const unsigned char *at,
                                      const unsigned char *end, uint32_t *cp,
                                      bool *bad)
{
    unsigned char low, high;
    uint32_t bits;
    unsigned want = lead_byte(*at, &low, &high, &bits), got;

    *bad = true;
    *cp = UTF8_REPLACEMENT;
    if (!want)
        return 1;
    for (got = 1; got < want; got++) {
        if (at + got == end || at[got] < low || at[got] > high)
            return got;
        bits = bits << 6 | (at[got] & 0x3fu);
        low = 0x80;
        high = 0xbf;
    }
    *bad = false;
    *cp = bits;
    return got;
}

size_t utf8_decode(quire_bytes text, uint32_t *cp, bool *bad)
{
    const unsigned char *at = text.data;
    bool ignored;

    if (!bad)
        bad = &ignored;
    if (*at < 0x80) {
        *cp = *at;
        *bad = false;
        return 1;
    }
    return decode_multibyte(at, at + text.len, cp, bad);
}

size_t utf8_encode(uint32_t cp, char out[4])
{
    if (cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
        cp = UTF8_REPLACEMENT;
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xc0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xe0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

size_t utf8_find_bad(quire_bytes text)
{
    const unsigned char *start = start_of(text), *at = start;
    const unsigned char *end = start + text.len;
    uint32_t cp;
    bool bad;

    for (;;) {
        at = skip_ascii(at, end);
        /* Text that is not ASCII tends to stay so. */
        while (at < end && *at >= 0x80) {
            size_t n = decode_multibyte(at, end, &cp, &bad);

            if (bad)
                return (size_t)(at - start);
            at += n;
        }
        if (at == end)
            return text.len;
    }
}

bool utf8_check(quire_bytes text)
{
    return utf8_find_bad(text) == text.len;
}

size_t utf8_cut_utf16(quire_bytes text, size_t max_units)
{
    const unsigned char *start = start_of(text), *at = start;
    const unsigned char *end = start + text.len;
    size_t left = max_units;
    uint32_t cp;
    bool bad;

    while (at < end && left) {
        size_t reach = (size_t)(end - at) < left ? (size_t)(end - at) : left;
        const unsigned char *stop = skip_ascii(at, at + reach);
        size_t n, units;

        left -= (size_t)(stop - at);
        at = stop;
        if (at == end || !left || *at < 0x80)
            continue;
        n = decode_multibyte(at, end, &cp, &bad);
        units = cp >= 0x10000 ? 2 : 1;
        if (units > left)
            break;
        left -= units;
        at += n;
    }
    return (size_t)(at - start);
}

size_t utf8_count_utf16(quire_bytes text)
{
    const unsigned char *at = start_of(text), *end = at + text.len;
    size_t units = 0;
    uint32_t cp;
    bool bad;

    while (at < end) {
        const unsigned char *stop = skip_ascii(at, end);

        units += (size_t)(stop - at);
        at = stop;
        if (at < end) {
            at += decode_multibyte(at, end, &cp, &bad);
            units += cp >= 0x10000 ? 2 : 1;
        }
    }
    return units;
}

size_t utf8_cut(quire_bytes text, size_t max_bytes)
{
    const unsigned char *start = start_of(text);
    size_t back;
    uint32_t cp;
    bool bad;

    if (max_bytes >= text.len)
        return text.len;
    /* A character has at most three bytes after its first: look for one that
     * begins before the cut and ends after it. */
    for (back = 1; back <= 3 && back <= max_bytes; back++) {
        const unsigned char *at = start + max_bytes - back;

        if (*at < 0x80)
            break;
        if (*at < 0xc0)
            continue;
        if (decode_multibyte(at, start + text.len, &cp, &bad) > back && !bad)
            return max_bytes - back;
        break;
    }
    return max_bytes;
}

size_t utf8_add_mended(struct buf *out, quire_bytes text)
{
    size_t n_mended = 0;

    while (text.len) {
        size_t good = utf8_find_bad(text);
        uint32_t cp;

        buf_add(out, text.data, good);
        text = bytes_sub(text, good, text.len);
        if (!text.len)
            break;
        text = bytes_sub(text, utf8_decode(text, &cp, NULL), text.len);
        buf_add(out, "\xef\xbf\xbd", 3);
        n_mended++;
    }
    return n_mended;
}
