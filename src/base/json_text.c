/*
 * json_text.c - the kind of a value, and the content of strings and numbers
 *
 * The scanner has checked the spelling of every slice that comes here, so an
 * escape is known to be whole. Reading alternates between a run without
 * backslashes, which should be UTF-8, and one escape. Both ends of a run are
 * ASCII, so damaged UTF-8 never reaches across an escape, and runs can be
 * mended, counted and cut one by one.
 *
 * Two escapes belong together when they are the halves of a surrogate pair. A
 * half without its other half is the one thing in JSON that has no UTF-8:
 * read_escape() returns it as it is, and each caller decides what becomes of
 * it.
 */
#include "base/json.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json_priv.h"
#include "base/utf8.h"

/* The bytes between the quotes. */
static quire_bytes string_body(quire_bytes string)
{
    const char *s = string.data;

    assert(string.len >= 2 && s[0] == '"' && s[string.len - 1] == '"');
    return bytes_sub(string, 1, string.len - 1);
}

/* The length of the text up to the next escape. */
static size_t plain_length(quire_bytes text)
{
    const char *slash = text.len ? memchr(text.data, '\\', text.len) : NULL;

    return slash ? (size_t)(slash - (const char *)text.data) : text.len;
}

static bool is_high(uint32_t cp)
{
    return cp >= 0xd800 && cp <= 0xdbff;
}

static bool is_low(uint32_t cp)
{
    return cp >= 0xdc00 && cp <= 0xdfff;
}

static bool is_half(uint32_t cp)
{
    return is_high(cp) || is_low(cp);
}

/* The unit that \uXXXX at the start of `text` spells; false if `text` does
 * not begin so. */
static bool read_unit(quire_bytes text, uint32_t *unit)
{
    const char *at = text.data;
    int i;

    if (text.len < 6 || at[0] != '\\' || at[1] != 'u')
        return false;
    *unit = 0;
    for (i = 2; i < 6; i++)
        *unit = *unit << 4 | (uint32_t)hex_digit(at[i]);
    return true;
}

/* The code point that the escape at the start of `text` spells, and how many
 * bytes the escape has; a pair is one code point. */
static size_t read_escape(quire_bytes text, uint32_t *cp)
{
    const char *at = text.data;
    uint32_t low;
    bool whole;

    assert(text.len >= 2);
    switch (at[1]) {
    case 'b': *cp = '\b'; return 2;
    case 'f': *cp = '\f'; return 2;
    case 'n': *cp = '\n'; return 2;
    case 'r': *cp = '\r'; return 2;
    case 't': *cp = '\t'; return 2;
    case 'u': break;
    default: *cp = (unsigned char)at[1]; return 2;
    }
    whole = read_unit(text, cp);
    assert(whole);
    if (!is_high(*cp) || !read_unit(bytes_sub(text, 6, text.len), &low) ||
        !is_low(low))
        return 6;
    *cp = 0x10000 + ((*cp - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

enum json_kind json_kind(quire_bytes value)
{
    static const unsigned char kinds[256] = {
        ['"'] = JSON_STRING, ['{'] = JSON_OBJECT, ['['] = JSON_ARRAY,
        ['n'] = JSON_NULL,   ['t'] = JSON_BOOL,   ['f'] = JSON_BOOL,
        ['-'] = JSON_NUMBER, ['0'] = JSON_NUMBER, ['1'] = JSON_NUMBER,
        ['2'] = JSON_NUMBER, ['3'] = JSON_NUMBER, ['4'] = JSON_NUMBER,
        ['5'] = JSON_NUMBER, ['6'] = JSON_NUMBER, ['7'] = JSON_NUMBER,
        ['8'] = JSON_NUMBER, ['9'] = JSON_NUMBER,
    };

    if (!value.len)
        return JSON_ABSENT;
    return (enum json_kind)kinds[*(const unsigned char *)value.data];
}

/* ---- strings ----------------------------------------------------------- */

bool json_equal(quire_bytes string, quire_bytes text)
{
    quire_bytes rest;

    /* An escape never takes fewer bytes than what it stands for. */
    if (json_kind(string) != JSON_STRING || string.len < text.len + 2)
        return false;
    rest = string_body(string);
    while (rest.len) {
        size_t n = plain_length(rest), n_raw = n;
        const void *plain = rest.data;
        char encoded[4];
        uint32_t cp;

        if (n == 0) {
            n_raw = read_escape(rest, &cp);
            if (is_half(cp))
                return false;
            n = utf8_encode(cp, encoded);
            plain = encoded;
        }
        if (n > text.len || memcmp(plain, text.data, n) != 0)
            return false;
        rest = bytes_sub(rest, n_raw, rest.len);
        text = bytes_sub(text, n, text.len);
    }
    return text.len == 0;
}

bool json_is(quire_bytes string, const char *text)
{
    return json_equal(string, bytes_str(text));
}

/* Copy up to the next backslash, or to the end; returns the count. `out` has room
 * for all of it. */
static inline size_t copy_plain(char *out, const char *at, const char *end)
{
    const char *from = at;

#if JSON_SSE2
    /* Escapes are near each other in prose and code: copying a block before
     * looking for its end is cheaper than searching and then copying. */
    while (end - at >= 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
        int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));

        _mm_storeu_si128((__m128i *)(void *)(out + (at - from)), x);
        if (bits)
            return (size_t)(at - from) + (size_t)__builtin_ctz((unsigned)bits);
        at += 16;
    }
#endif
    for (; at < end && *at != '\\'; at++)
        out[at - from] = *at;
    return (size_t)(at - from);
}

/* What the character behind a backslash stands for; 0: not a single byte. */
static inline char short_escape(char c)
{
    static const char bytes[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };

    return bytes[(unsigned char)c];
}

/* json_decode() of UTF-8. An escape never takes fewer bytes than what it stands
 * for, so `out` has room for the text that is left, at any time. */
static char *decode_utf8(quire_bytes text, char *out, size_t *n_mended)
{
    const char *at = text.data, *end = at + text.len;
    uint32_t cp;

    for (;;) {
        size_t n = copy_plain(out, at, end);

        out += n;
        at += n;
        if (at == end)
            return out;
        *out = short_escape(at[1]);
        if (*out) {
            out++;
            at += 2;
            continue;
        }
        at += read_escape(bytes_of(at, (size_t)(end - at)), &cp);
        *n_mended += is_half(cp);
        out += utf8_encode(cp, out);
    }
}

/* The same of any bytes, run by run. */
static size_t decode_mended(quire_bytes rest, struct buf *out)
{
    size_t n_mended = 0;

    while (rest.len) {
        size_t n = plain_length(rest);
        char encoded[4];
        uint32_t cp;

        n_mended += utf8_add_mended(out, bytes_sub(rest, 0, n));
        rest = bytes_sub(rest, n, rest.len);
        if (!rest.len)
            break;
        n = read_escape(rest, &cp);
        n_mended += is_half(cp);
        buf_add(out, encoded, utf8_encode(cp, encoded));
        rest = bytes_sub(rest, n, rest.len);
    }
    return n_mended;
}

size_t json_decode(quire_bytes string, struct buf *out)
{
    quire_bytes body = string_body(string);
    size_t n_mended = 0;
    char *start;

    /* Near its ceiling a buffer may have room for the text, but not for its
     * spelling. */
    if (!body.len || out->failed || body.len > out->max - out->len ||
        !utf8_check(body))
        return decode_mended(body, out);
    start = buf_room(out, body.len);
    if (start)
        buf_grow(out, (size_t)(decode_utf8(body, start, &n_mended) - start));
    return n_mended;
}

bool json_is_text(quire_bytes string)
{
    quire_bytes rest = string_body(string);
    uint32_t cp = 0;

    for (;;) {
        rest = bytes_sub(rest, plain_length(rest), rest.len);
        if (!rest.len)
            return true;
        rest = bytes_sub(rest, read_escape(rest, &cp), rest.len);
        if (is_half(cp))
            return false;
    }
}

quire_bytes json_text(quire_bytes string, struct arena *keep)
{
    quire_bytes inside = string_body(string), text = {NULL, 0};
    /* At worst every byte is damage, and U+FFFD has three. */
    struct buf decoded = BUF_INIT(inside.len * 3);

    if (plain_length(inside) == inside.len && utf8_check(inside))
        return inside;
    json_decode(string, &decoded);
    if (!decoded.failed)
        text = arena_dup(keep, buf_bytes(&decoded));
    buf_release(&decoded);
    return text;
}

size_t json_count_utf16(quire_bytes string)
{
    quire_bytes rest = string_body(string);
    size_t units = 0;

    while (rest.len) {
        size_t n = plain_length(rest);
        uint32_t cp;

        units += utf8_count_utf16(bytes_sub(rest, 0, n));
        rest = bytes_sub(rest, n, rest.len);
        if (!rest.len)
            break;
        n = read_escape(rest, &cp);
        units += cp >= 0x10000 ? 2 : 1;
        rest = bytes_sub(rest, n, rest.len);
    }
    return units;
}

size_t json_cut_utf16(quire_bytes string, size_t max_units)
{
    quire_bytes inside = string_body(string), rest = inside;
    size_t left = max_units;

    while (rest.len) {
        size_t n = plain_length(rest), cut;
        uint32_t cp;

        cut = utf8_cut_utf16(bytes_sub(rest, 0, n), left);
        left -= utf8_count_utf16(bytes_sub(rest, 0, cut));
        rest = bytes_sub(rest, cut, rest.len);
        if (cut < n || !rest.len)
            break;
        n = read_escape(rest, &cp);
        if (left < (cp >= 0x10000 ? 2u : 1u))
            break;
        left -= cp >= 0x10000 ? 2 : 1;
        rest = bytes_sub(rest, n, rest.len);
    }
    return 1 + inside.len - rest.len;
}

/* ---- the other scalars ------------------------------------------------- */

bool json_read_int(quire_bytes number, int64_t *out)
{
    const char *at = number.data;
    size_t i = 0;
    bool negative;
    /* Counts downwards, where one more value fits: INT64_MIN needs no special
     * case. */
    int64_t v = 0;

    if (!number.len)
        return false;
    negative = at[0] == '-';
    i += negative;
    if (i == number.len || (at[i] == '0' && i + 1 < number.len))
        return false;
    for (; i < number.len; i++) {
        if (at[i] < '0' || at[i] > '9')
            return false;
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_sub_overflow(v, at[i] - '0', &v))
            return false;
    }
    if (!negative && v == INT64_MIN)
        return false;
    *out = negative ? v : -v;
    return true;
}

bool json_read_bool(quire_bytes value, bool *out)
{
    if (!bytes_is(value, "true") && !bytes_is(value, "false"))
        return false;
    *out = value.len == 4;
    return true;
}
