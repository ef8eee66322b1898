/*
 * bytes.c - count a byte, sixteen at a time
 */
#include "base/bytes.h"

#ifdef __SSE2__
#include <emmintrin.h>

/* Keep sixteen counters of a byte each, and add them up before one can
 * overflow. `n` is a multiple of 16. */
static size_t count_wide(const char *at, size_t n, char c)
{
    const __m128i wanted = _mm_set1_epi8(c), zero = _mm_setzero_si128();
    __m128i sum = zero;
    uint64_t halves[2];
    size_t i = 0;

    while (i < n) {
        size_t stop = n - i < 255 * 16 ? n : i + 255 * 16;
        __m128i counts = zero;

        for (; i < stop; i += 16) {
            __m128i x = _mm_loadu_si128(
                (const __m128i *)(const void *)(at + i));

            /* A match is all ones, which is -1. */
            counts = _mm_sub_epi8(counts, _mm_cmpeq_epi8(x, wanted));
        }
        sum = _mm_add_epi64(sum, _mm_sad_epu8(counts, zero));
    }
    _mm_storeu_si128((__m128i *)(void *)halves, sum);
    return (size_t)(halves[0] + halves[1]);
}
#else
static size_t count_wide(const char *at, size_t n, char c)
{
    size_t i, count = 0;

    for (i = 0; i < n; i++)
        count += at[i] == c;
    return count;
}
#endif

size_t bytes_count(quire_bytes b, char c)
{
    size_t wide = b.len & ~(size_t)15, i, count = 0;
    const char *at = b.data;

    if (wide > 0)
        count = count_wide(at, wide, c);
    for (i = wide; i < b.len; i++)
        count += at[i] == c;
    return count;
}
