/*
 * digest_set.h - sets of digests, eight bytes each
 *
 * A key is the first eight bytes of a digest. Two blobs that share a key keep
 * each other: of a thousand million blobs two do so with a chance of one in
 * forty, and then one is kept too long, never lost.
 */
#ifndef GC_DIGEST_SET_H
#define GC_DIGEST_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

struct keys {
    uint64_t *at; /* owned */
    size_t n, cap;
};

#define KEYS_INIT  \
    {              \
        NULL, 0, 0 \
    }

uint64_t key_of(const quire_digest *d);

/* The first and the last digest that have this key. */
void key_bounds(uint64_t key, quire_digest *from, quire_digest *to);

/* False when there is no memory. */
bool keys_add(struct keys *k, uint64_t key);
bool keys_add_all(struct keys *k, const struct keys *more);

/* Ascending; and each once. */
void keys_order(struct keys *k);
void keys_sort(struct keys *k);
bool keys_has(const struct keys *k, uint64_t key);
bool keys_equal(const struct keys *a, const struct keys *b);
void keys_release(struct keys *k);

/* As bytes in a row of the database, and back: eight each, the least
 * significant first. `out` grows, or tells that it could not. False when there
 * is no memory, or the bytes are no keys. */
void keys_pack(const struct keys *k, struct buf *out);
bool keys_read(quire_bytes bytes, struct keys *out);

#endif
