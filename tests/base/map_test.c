#include "base/map.h"

#include <errno.h>
#include <stdio.h>

#include "base/bytes.h"
#include "support/test.h"

TEST(a_map_finds_each_of_many_keys_and_no_other)
{
    enum { N = 20000 };
    char(*keys)[12] = test_alloc(N * sizeof *keys);
    struct map m;
    bool fresh;
    int i;

    map_init(&m, 1, 2);
    YES(map_get(&m, bytes_str("0")) == NULL);
    for (i = 0; i < N; i++) {
        snprintf(keys[i], sizeof keys[i], "%d", i);
        YES(map_put(&m, bytes_str(keys[i]), (uint64_t)i, &fresh));
        YES(fresh);
    }
    EQ(N, m.n);
    for (i = 0; i < N; i++)
        EQ(i, *map_get(&m, bytes_str(keys[i])));
    YES(map_get(&m, bytes_str("20000")) == NULL);
    YES(map_get(&m, bytes_str("")) == NULL);
    map_release(&m);
}

TEST(putting_a_key_again_changes_its_value)
{
    struct map m;
    bool fresh;

    map_init(&m, 3, 4);
    YES(map_put(&m, bytes_str("k"), 1, &fresh));
    YES(map_put(&m, bytes_str("k"), 2, &fresh));
    NO(fresh);
    EQ(1, m.n);
    EQ(2, *map_get(&m, bytes_str("k")));
    map_release(&m);
}

TEST(the_empty_key_is_a_key)
{
    struct map m;

    map_init(&m, 5, 6);
    YES(map_put(&m, bytes_of(NULL, 0), 9, NULL));
    EQ(9, *map_get(&m, bytes_of("", 0)));
    map_release(&m);
}

TEST(a_map_without_memory_stays_as_it_was)
{
    struct map m;

    map_init(&m, 7, 8);
    fault_arm(1, ENOMEM, true);
    NO(map_put(&m, bytes_str("k"), 1, NULL));
    fault_disarm();
    EQ(0, m.n);
    YES(map_get(&m, bytes_str("k")) == NULL);
    map_release(&m);
}

/* Keys of every length, so that the last word is filled from 0 to 7 bytes;
 * and the key of the hash matters. */
TEST(the_hash_depends_on_every_byte_and_on_its_key)
{
    uint64_t seed[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    uint64_t other[2] = {seed[0] + 1, seed[1]};
    char text[33] = "abcdefghijklmnopqrstuvwxyz012345";
    size_t len, i;

    for (len = 1; len <= 32; len++) {
        uint64_t h = map_hash(seed, bytes_of(text, len));

        YES(h != map_hash(seed, bytes_of(text, len - 1)));
        YES(h != map_hash(other, bytes_of(text, len)));
        for (i = 0; i < len; i++) {
            text[i] ^= 1;
            YES(h != map_hash(seed, bytes_of(text, len)));
            text[i] ^= 1;
        }
        EQ((int64_t)h, (int64_t)map_hash(seed, bytes_of(text, len)));
    }
}
