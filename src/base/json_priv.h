/*
 * json_priv.h - the inner loop of JSON strings
 *
 * Finds the next byte of a string that needs attention. Sixteen bytes at a time
 * with SSE2, which every x86-64 has; eight at a time elsewhere and near the
 * end, where sixteen would read too far. Wider registers would need a check at
 * run time and gain little: on session files the cost is the escapes in prose,
 * not the bytes between them.
 */
#ifndef BASE_JSON_PRIV_H
#define BASE_JSON_PRIV_H

#include <stdint.h>
#include <string.h>

#include "base/json.h"

/* json_iter_init() that takes objects only. */
void json_iter_object(struct json_scan *it, quire_bytes object);

/* JSON_PORTABLE makes a build on x86 test the other half. */
#if defined(__SSE2__) && !defined(JSON_PORTABLE)
#define JSON_SSE2 1
#include <emmintrin.h>
#else
#define JSON_SSE2 0
#endif

/* A quote, a backslash or a control character: bytes that a JSON string
 * contains only in escaped form, or ends with. */
static inline bool json_special(char c)
{
    return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

/* Is one of these eight bytes special? Does not identify which: a borrow can
 * mark bytes above the first, never below it. */
static inline bool json_special8(const char *at)
{
    const uint64_t ones = 0x0101010101010101u, highs = ones << 7;
    uint64_t x, quote, slash;

    memcpy(&x, at, 8);
    quote = x ^ ones * '"';
    slash = x ^ ones * '\\';
    return (((x - ones * 0x20) & ~x) | ((quote - ones) & ~quote) |
            ((slash - ones) & ~slash)) &
           highs;
}

#if JSON_SSE2
/* A bit for each of sixteen bytes, of sixty-four. */
static inline unsigned json_special16(const char *at)
{
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1f)), x);
    __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));

    return (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_or_si128(quote, slash), control));
}

static inline uint64_t json_special64(const char *at)
{
    return json_special16(at) | (uint64_t)json_special16(at + 16) << 16 |
           (uint64_t)json_special16(at + 32) << 32 |
           (uint64_t)json_special16(at + 48) << 48;
}
#endif

/* The first special byte from `at` on; `end` if there is none. */
static inline const char *json_plain(const char *at, const char *end)
{
#if JSON_SSE2
    for (; end - at >= 16; at += 16) {
        unsigned bits = json_special16(at);

        if (bits)
            return at + __builtin_ctz(bits);
    }
#endif
    while (end - at >= 8 && !json_special8(at))
        at += 8;
    while (at < end && !json_special(*at))
        at++;
    return at;
}

#endif
