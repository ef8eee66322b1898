#include "blob/hash.h"

#include "base/bytes.h"
#include "support/test.h"

static void is_named(const char *content, const char *hex)
{
    quire_digest d;
    char got[65];

    hash_bytes(bytes_str(content), &d);
    hex_encode(d.byte, sizeof d.byte, got);
    SAME_TEXT(hex, got);
}

/* FIPS 180-4's own examples. */
TEST(known_content_has_its_known_name)
{
    is_named("", "e3b0c44298fc1c149afbf4c8996fb924"
                 "27ae41e4649b934ca495991b7852b855");
    is_named("abc", "ba7816bf8f01cfea414140de5dae2223"
                    "b00361a396177a9cb410ff61f20015ad");
    is_named("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
             "248d6a61d20638b8e5c026930c3e6039"
             "a33ce45964ff2167f6ecedd419db06c1");
}

/* Every pair of lengths around the block borders, against nettle. */
TEST(two_at_once_are_the_same_as_one_after_the_other)
{
    static const size_t lens[] = {0,   1,   55,  56,  63,  64,   65,   119,
                                  120, 127, 128, 129, 640, 1000, 4096, 70000};
    enum { N = sizeof lens / sizeof *lens };
    uint8_t *a = test_alloc(70000), *b = test_alloc(70000);
    size_t i, j;

    test_noise(1, a, 70000);
    test_noise(2, b, 70000);
    if (!hash_can_pair())
        SKIP("this processor has no SHA extensions");
    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++) {
            quire_bytes x = bytes_of(a, lens[i]), y = bytes_of(b, lens[j]);
            quire_digest pair_x, pair_y, one_x, one_y;

            hash_pair(x, y, &pair_x, &pair_y);
            hash_bytes(x, &one_x);
            hash_bytes(y, &one_y);
            YES(digest_equal(&one_x, &pair_x));
            YES(digest_equal(&one_y, &pair_y));
        }
    }
}

TEST(a_hash_in_pieces_is_the_hash_of_the_whole)
{
    uint8_t *data = test_alloc(10000);
    quire_digest whole, pieces;
    struct hash h;
    size_t at, step = 1;

    test_noise(3, data, 10000);
    hash_bytes(bytes_of(data, 10000), &whole);
    hash_init(&h);
    for (at = 0; at < 10000; at += step, step = step * 3 % 251 + 1) {
        size_t n = at + step > 10000 ? 10000 - at : step;

        hash_add(&h, bytes_of(data + at, n));
    }
    hash_end(&h, &pieces);
    YES(digest_equal(&whole, &pieces));
}
