/* find_many.c - see find_many.h */
#include "base/find_many.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { PAIRS = 1 << 16, NONE = -1 };

struct find_many {
    size_t n, least; /* needles; length of the shortest                      */
    quire_bytes
        *needles;  /* owned, with their bytes behind them                  */
    int32_t *next; /* the needle with the same pair at the end; NONE: none */
    int32_t
        first[PAIRS]; /* needles by the pair at the end of the window         */
    uint8_t
        shift[PAIRS]; /* how far the window moves for a pair at its end       */
};

static size_t pair_at(const uint8_t *p)
{
    return (size_t)p[0] << 8 | p[1];
}

/* Copy the needles, and find the length of the shortest. */
static bool copy_needles(struct find_many *f, const quire_bytes *needles)
{
    size_t total = 0, i;
    char *to;

    f->least = SIZE_MAX;
    for (i = 0; i < f->n; i++) {
        total += needles[i].len;
        if (needles[i].len < f->least)
            f->least = needles[i].len;
    }
    f->needles = malloc(f->n * sizeof *f->needles + total);
    f->next = malloc(f->n * sizeof *f->next);
    if (f->least < FIND_MANY_LEAST || !f->needles || !f->next)
        return false;
    to = (char *)(f->needles + f->n);
    for (i = 0; i < f->n; i++) {
        memcpy(to, needles[i].data, needles[i].len);
        f->needles[i] = bytes_of(to, needles[i].len);
        to += needles[i].len;
    }
    return true;
}

static void fill_tables(struct find_many *f)
{
    size_t most = f->least - 1 < UINT8_MAX ? f->least - 1 : UINT8_MAX, i, k;

    memset(f->shift, (int)most, sizeof f->shift);
    memset(f->first, 0xff, sizeof f->first);
    /* Backwards, so that lists begin with the needle that was given first. */
    for (i = f->n; i-- > 0;) {
        const uint8_t *p = f->needles[i].data;

        for (k = 0; k + 2 <= f->least; k++) {
            size_t left = f->least - 2 - k;

            if (left < f->shift[pair_at(p + k)])
                f->shift[pair_at(p + k)] = (uint8_t)left;
        }
        k = pair_at(p + f->least - 2);
        f->next[i] = f->first[k];
        f->first[k] = (int32_t)i;
    }
}

struct find_many *find_many_new(const quire_bytes *needles, size_t n)
{
    struct find_many *f = n && n < INT32_MAX ? malloc(sizeof *f) : NULL;

    if (!f)
        return NULL;
    *f = (struct find_many){.n = n};
    if (!copy_needles(f, needles)) {
        find_many_free(f);
        return NULL;
    }
    fill_tables(f);
    return f;
}

void find_many_free(struct find_many *f)
{
    if (!f)
        return;
    free(f->needles);
    free(f->next);
    free(f);
}

/* A needle that begins at `p`, where `left` bytes are left; NONE: none. */
static int32_t match_at(const struct find_many *f, const uint8_t *p,
                        size_t left)
{
    int32_t i = f->first[pair_at(p + f->least - 2)];

    for (; i != NONE; i = f->next[i])
        if (f->needles[i].len <= left &&
            !memcmp(f->needles[i].data, p, f->needles[i].len))
            break;
    return i;
}

bool find_many_next(const struct find_many *f, quire_bytes text, size_t *at,
                    size_t *which)
{
    const uint8_t *data = text.data;
    size_t p = *at;

    while (p < text.len && text.len - p >= f->least) {
        size_t shift = f->shift[pair_at(data + p + f->least - 2)];

        if (shift == 0) {
            int32_t i = match_at(f, data + p, text.len - p);

            if (i != NONE) {
                *at = p;
                *which = (size_t)i;
                return true;
            }
            shift = 1;
        }
        p += shift;
    }
    return false;
}
