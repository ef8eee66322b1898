#include "base/find_many.h"

#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

/* The leftmost match, the first needle that has one there. */
static bool find_naively(const quire_bytes *needles, size_t n, quire_bytes text,
                         size_t *at, size_t *which)
{
    size_t p, i;

    for (p = *at; p < text.len; p++)
        for (i = 0; i < n; i++)
            if (text.len - p >= needles[i].len &&
                !memcmp((const char *)text.data + p, needles[i].data,
                        needles[i].len)) {
                *at = p;
                *which = i;
                return true;
            }
    return false;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

TEST(every_match_is_found_that_a_naive_search_finds)
{
    char text[600], bytes[8][40];
    quire_bytes needles[8];
    uint32_t seed = 5;
    int round;

    for (round = 0; round < 4000; round++) {
        size_t n = 1 + next_random(&seed) % 8, len = next_random(&seed) % 600;
        unsigned letters = 1 + next_random(&seed) % 4;
        size_t a = 0, b = 0, which_a = 0, which_b = 0, i, k;
        struct find_many *f;

        for (i = 0; i < n; i++) {
            size_t size = 2 + next_random(&seed) % (round % 3 ? 6 : 38);

            for (k = 0; k < size; k++)
                bytes[i][k] = (char)('a' + next_random(&seed) % letters);
            needles[i] = bytes_of(bytes[i], size);
        }
        for (i = 0; i < len; i++)
            text[i] = (char)('a' + next_random(&seed) % letters);
        f = find_many_new(needles, n);
        YES(f != NULL);
        for (;; a++, b++) {
            bool has = find_many_next(f, bytes_of(text, len), &a, &which_a);

            EQ(find_naively(needles, n, bytes_of(text, len), &b, &which_b),
               has);
            if (!has)
                break;
            EQ(b, a);
            EQ(which_b, which_a);
        }
        find_many_free(f);
    }
}

TEST(nothing_is_found_in_a_text_shorter_than_the_needles)
{
    const quire_bytes needle = bytes_str("abc");
    struct find_many *f = find_many_new(&needle, 1);
    size_t at = 0, which;

    NO(find_many_next(f, bytes_of(NULL, 0), &at, &which));
    NO(find_many_next(f, bytes_str("ab"), &at, &which));
    YES(find_many_next(f, bytes_str("abc"), &at, &which));
    find_many_free(f);
}

TEST(needles_of_one_byte_and_no_needles_are_refused)
{
    const quire_bytes needles[] = {bytes_str("abc"), bytes_str("a")};

    YES(find_many_new(needles, 2) == NULL);
    YES(find_many_new(needles, 0) == NULL);
    find_many_free(NULL);
}
