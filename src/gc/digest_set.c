/* digest_set.c - see digest_set.h */
#include "gc/digest_set.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

uint64_t key_of(const quire_digest *d)
{
    uint64_t key;

    memcpy(&key, d->byte, sizeof key);
    return be64toh(key);
}

void key_bounds(uint64_t key, quire_digest *from, quire_digest *to)
{
    uint64_t big = htobe64(key);

    memset(from->byte, 0, sizeof from->byte);
    memset(to->byte, 0xff, sizeof to->byte);
    memcpy(from->byte, &big, sizeof big);
    memcpy(to->byte, &big, sizeof big);
}

static bool grow_set(struct digest_set *k, size_t n)
{
    size_t cap = k->cap ? k->cap : 16;
    uint64_t *at;

    while (cap - k->n < n)
        cap *= 2;
    if (cap == k->cap)
        return true;
    at = realloc(k->at, cap * sizeof *at);
    if (!at)
        return false;
    k->at = at;
    k->cap = cap;
    return true;
}

bool digest_set_add(struct digest_set *k, uint64_t key)
{
    if (k->n == k->cap && !grow_set(k, 1))
        return false;
    k->at[k->n++] = key;
    return true;
}

bool digest_set_add_all(struct digest_set *k, const struct digest_set *more)
{
    if (!more->n)
        return true;
    if (!grow_set(k, more->n))
        return false;
    memcpy(k->at + k->n, more->at, more->n * sizeof *k->at);
    k->n += more->n;
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Radix sort, least significant byte first: eight passes over many keys, where
 * a comparison sort takes twenty and mispredicts in each. */
static void radix_sort(uint64_t *at, uint64_t *other, size_t n)
{
    unsigned shift;

    for (shift = 0; shift < 64; shift += 8) {
        size_t place[257] = {0}, i;
        uint64_t *was = at;

        for (i = 0; i < n; i++)
            place[(at[i] >> shift & 255) + 1]++;
        for (i = 1; i < 257; i++)
            place[i] += place[i - 1];
        for (i = 0; i < n; i++)
            other[place[at[i] >> shift & 255]++] = at[i];
        at = other;
        other = was;
    }
}

/* Radix sort pays from here on. */
enum { MANY = 1024 };

void digest_set_order(struct digest_set *k)
{
    uint64_t *other = k->n < MANY ? NULL : malloc(k->n * sizeof *other);

    if (other)
        radix_sort(k->at, other, k->n);
    else if (k->n)
        qsort(k->at, k->n, sizeof *k->at, compare_keys);
    free(other);
}

void digest_set_sort(struct digest_set *k)
{
    size_t i, n = 0;

    digest_set_order(k);
    for (i = 0; i < k->n; i++)
        if (n == 0 || k->at[i] != k->at[n - 1])
            k->at[n++] = k->at[i];
    k->n = n;
}

bool digest_set_has(const struct digest_set *k, uint64_t key)
{
    return k->n &&
           bsearch(&key, k->at, k->n, sizeof *k->at, compare_keys) != NULL;
}

bool digest_set_equal(const struct digest_set *a, const struct digest_set *b)
{
    return a->n == b->n &&
           (a->n == 0 || !memcmp(a->at, b->at, a->n * sizeof *a->at));
}

void digest_set_release(struct digest_set *k)
{
    free(k->at);
    *k = (struct digest_set)KEYS_INIT;
}

void digest_set_pack(const struct digest_set *k, struct buf *out)
{
    size_t i;

    for (i = 0; i < k->n; i++) {
        uint64_t key = htole64(k->at[i]);

        buf_add(out, &key, sizeof key);
    }
}

bool digest_set_read(quire_bytes bytes, struct digest_set *out)
{
    size_t n = bytes.len / sizeof *out->at, i;

    out->n = 0;
    if (bytes.len % sizeof *out->at || !grow_set(out, n))
        return false;
    if (n)
        memcpy(out->at, bytes.data, bytes.len);
    for (i = 0; i < n; i++)
        out->at[i] = le64toh(out->at[i]);
    out->n = n;
    return true;
}
