/*
 * digest_set.h - sets of digests, eight bytes each
 *
 * A key is the first eight bytes of a digest. Two blobs that share a key keep
 * each other: among a thousand million blobs two do so with a chance of one in
 * forty, and then one is kept too long, never lost.
 */
#ifndef GC_DIGEST_SET_H
#define GC_DIGEST_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

struct digest_set {
    uint64_t *at; /* owned */
    size_t n, cap;
};

#define KEYS_INIT  \
    {              \
        NULL, 0, 0 \
    }

uint64_t key_of(const quire_digest *d);

/* The first and the last digest with this key. */
void key_bounds(uint64_t key, quire_digest *from, quire_digest *to);

/* False when out of memory. */
bool digest_set_add(struct digest_set *k, uint64_t key);
bool digest_set_add_all(struct digest_set *k, const struct digest_set *more);

/* Sort; sort and deduplicate. */
void digest_set_order(struct digest_set *k);
void digest_set_sort(struct digest_set *k);
bool digest_set_has(const struct digest_set *k, uint64_t key);
bool digest_set_equal(const struct digest_set *a, const struct digest_set *b);
void digest_set_release(struct digest_set *k);

/* As bytes in a row of the database, and back: eight each, the least
 * significant first. `out` grows, or records its failure. False when out of
 * memory, or the bytes are malformed. */
void digest_set_pack(const struct digest_set *k, struct buf *out);
bool digest_set_read(quire_bytes bytes, struct digest_set *out);

#endif
