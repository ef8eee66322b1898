/* edit_distance.c - see edit_distance.h */
#include "base/edit_distance.h"

#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 64 };

/* Keeps three rows of the table. */
size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2], *spare;
    size_t n = strlen(b), i, j;

    if (n > WORD_MAX || strlen(a) > WORD_MAX)
        return SIZE_MAX;
    for (j = 0; j <= n; j++)
        last[j] = j;
    for (i = 1; a[i - 1]; i++) {
        now[0] = i;
        for (j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);

            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}
