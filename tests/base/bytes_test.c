#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

TEST(bytes_are_counted_whatever_their_number_and_place)
{
    char text[9000];
    size_t at, len, i, wanted;
    unsigned seed = 7;

    for (i = 0; i < sizeof text; i++) {
        seed = seed * 1103515245u + 12345u;
        text[i] = seed >> 16 & 3 ? 'x' : '\n';
    }
    for (at = 0; at < 20; at++) {
        for (len = 0; len < 80; len++) {
            for (wanted = 0, i = 0; i < len; i++)
                wanted += text[at + i] == '\n';
            EQ(wanted, bytes_count(bytes_of(text + at, len), '\n'));
        }
    }
    EQ(0, bytes_count(bytes_of(NULL, 0), 'x'));
}

/* A counter of one byte is full after 255 of them. */
TEST(bytes_that_are_all_the_same_are_counted)
{
    size_t len = 3 * 255 * 16 + 5;
    char *text = malloc(len);

    YES(text != NULL);
    memset(text, '\xff', len);
    EQ(len, bytes_count(bytes_of(text, len), '\xff'));
    EQ(0, bytes_count(bytes_of(text, len), '\n'));
    free(text);
}
