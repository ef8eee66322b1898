/*
 * hash.c - SHA-256 by nettle, and two streams at once by SHA instructions
 *
 * One stream cannot fill the SHA unit: each round waits for the one before. Two
 * interleaved messages can, and verification has many to choose from. The loop
 * below processes whole 64-byte blocks while both messages have one; nettle
 * processes the rest, and everything on processors without the instructions.
 * The tests compare the two.
 */
#include "blob/hash.h"

#include "base/bytes.h"

void hash_init(struct hash *h)
{
    sha256_init(&h->ctx);
}

void hash_add(struct hash *h, quire_bytes bytes)
{
    sha256_update(&h->ctx, bytes.len, bytes.data);
}

void hash_end(struct hash *h, quire_digest *out)
{
    sha256_digest(&h->ctx, sizeof out->byte, out->byte);
}

void hash_bytes(quire_bytes bytes, quire_digest *out)
{
    struct hash h;

    hash_init(&h);
    hash_add(&h, bytes);
    hash_end(&h, out);
}

struct digest_text digest_short(const quire_digest *d)
{
    struct digest_text t = {""};

    hex_encode(d->byte, 6, t.s);
    return t;
}

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define SHA_CODE __attribute__((target("sha,sse4.1,ssse3")))

/* FIPS 180-4, 4.2.2. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* A stream: the state in the order the instructions want, ABEF and CDGH, and
 * a window of the last sixteen words of the message schedule. */
struct lane {
    __m128i abef, cdgh;
    __m128i w[4];
};

SHA_CODE static inline void lane_load(struct lane *l, const uint32_t s[8])
{
    __m128i dcba = _mm_loadu_si128((const __m128i *)s);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(s + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
    __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);

    l->abef = _mm_alignr_epi8(cdab, efgh, 8);
    l->cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
}

SHA_CODE static inline void lane_store(const struct lane *l, uint32_t s[8])
{
    __m128i feba = _mm_shuffle_epi32(l->abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(l->cdgh, 0xb1);

    _mm_storeu_si128((__m128i *)s, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(s + 4), _mm_alignr_epi8(dchg, feba, 8));
}

SHA_CODE static inline void lane_fetch(struct lane *l, const uint8_t *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    int i;

    for (i = 0; i < 4; i++)
        l->w[i] = _mm_shuffle_epi8(_mm_loadu_si128(
                                       (const __m128i *)(block + 16 * i)),
                                   swap);
}

/* Four rounds with the schedule words in w[i], which are then replaced by the
 * words sixteen further on. */
SHA_CODE static inline void lane_rounds(struct lane *l, int i, __m128i k)
{
    __m128i wk = _mm_add_epi32(l->w[i & 3], k);
    __m128i mix;

    l->cdgh = _mm_sha256rnds2_epu32(l->cdgh, l->abef, wk);
    l->abef = _mm_sha256rnds2_epu32(l->abef, l->cdgh,
                                    _mm_shuffle_epi32(wk, 0x0e));
    mix = _mm_sha256msg1_epu32(l->w[i & 3], l->w[(i + 1) & 3]);
    mix = _mm_add_epi32(mix, _mm_alignr_epi8(l->w[(i + 3) & 3],
                                             l->w[(i + 2) & 3], 4));
    l->w[i & 3] = _mm_sha256msg2_epu32(mix, l->w[(i + 3) & 3]);
}

SHA_CODE static void pair_blocks(uint32_t sa[8], uint32_t sb[8],
                                 const uint8_t *a, const uint8_t *b,
                                 size_t n_blocks)
{
    struct lane la, lb;

    lane_load(&la, sa);
    lane_load(&lb, sb);
    for (; n_blocks > 0; n_blocks--, a += 64, b += 64) {
        struct lane was_a = la, was_b = lb;
        int i;

        lane_fetch(&la, a);
        lane_fetch(&lb, b);
#pragma GCC unroll 16
        for (i = 0; i < 16; i++) {
            __m128i k = _mm_loadu_si128(
                (const __m128i *)(round_constants + 4 * i));

            lane_rounds(&la, i, k);
            lane_rounds(&lb, i, k);
        }
        la.abef = _mm_add_epi32(la.abef, was_a.abef);
        la.cdgh = _mm_add_epi32(la.cdgh, was_a.cdgh);
        lb.abef = _mm_add_epi32(lb.abef, was_b.abef);
        lb.cdgh = _mm_add_epi32(lb.cdgh, was_b.cdgh);
    }
    lane_store(&la, sa);
    lane_store(&lb, sb);
}

bool hash_can_pair(void)
{
    unsigned a, b, c, d;

    if (!__builtin_cpu_supports("sse4.1"))
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

void hash_pair(quire_bytes a, quire_bytes b, quire_digest *out_a,
               quire_digest *out_b)
{
    size_t common = (a.len < b.len ? a.len : b.len) / 64;
    struct hash ha, hb;

    hash_init(&ha);
    hash_init(&hb);
    pair_blocks(ha.ctx.state, hb.ctx.state, a.data, b.data, common);
    ha.ctx.count = hb.ctx.count = common;
    hash_add(&ha, bytes_sub(a, common * 64, a.len));
    hash_add(&hb, bytes_sub(b, common * 64, b.len));
    hash_end(&ha, out_a);
    hash_end(&hb, out_b);
}

#else

bool hash_can_pair(void)
{
    return false;
}

void hash_pair(quire_bytes a, quire_bytes b, quire_digest *out_a,
               quire_digest *out_b)
{
    hash_bytes(a, out_a);
    hash_bytes(b, out_b);
}

#endif
