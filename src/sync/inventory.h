/*
 * inventory.h - what a home has, as items that two homes can compare
 *
 *     session    key: its id                      digest: of its set of entries
 *     output     key: session, name, SHA-256      digest: of its content
 *     artifact   key: session, path               digest: of its versions
 *     memory     key: its id across homes         digest: of its fields, relations
 *     blob       key: SHA-256                     (in bundles alone)
 *
 * Parts of a key are separated by a line break. An inventory is sorted by kind and
 * key. To compare two, both are spread over buckets by the hash of the key, and sums
 * of the buckets are compared first; then only items of different buckets travel.
 */
#ifndef SYNC_INVENTORY_H
#define SYNC_INVENTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"

enum item_kind {
    ITEM_SESSION = 1,
    ITEM_OUTPUT,
    ITEM_ARTIFACT,
    ITEM_MEMORY,
    ITEM_BLOB,
    ITEM_KINDS
};

enum {
    ITEM_DIGEST = 16,
    ITEM_KEY_MAX = 2048,
    BUCKETS_MAX = 65536, /* a power of two */
};

struct item {
    enum item_kind kind;
    quire_bytes key;
    uint8_t digest[ITEM_DIGEST];
    uint64_t n; /* of a session: entries */

    /* Of this home's own inventory. */
    const char *name; /* of the file                                        */
    int64_t row;      /* of an artifact or a memory entry                   */
    uint64_t size;    /* of the file */
};

struct inventory {
    struct item *items; /* owned */
    size_t n, cap;
};

void inventory_release(struct inventory *v);

/* Add a copy of an item; its key stays where it is. False: out of memory. */
bool inventory_add(struct inventory *v, const struct item *item);

/* Sort by kind and key. */
void inventory_sort(struct inventory *v);

/* The item of a sorted inventory, or NULL. */
struct item *inventory_find(const struct inventory *v, enum item_kind kind,
                            quire_bytes key);

/* How many buckets suit so many items: a power of two from 16. */
uint32_t inventory_buckets(size_t n);

/* Where an item is, of `buckets`. */
uint32_t inventory_bucket(const struct item *item, uint32_t buckets);

/* Add the sums of all buckets, eight bytes each. */
void inventory_sums(const struct inventory *v, uint32_t buckets,
                    struct buf *out);

/* An item as bytes, added; and read at *at of `from`, which is moved behind it. Its key
 * is a slice of `from`. False: it is not one. */
void item_add(const struct item *item, struct buf *out);
bool item_read(quire_bytes from, size_t *at, struct item *out);

/* Numbers as bytes: seven bits each, the lowest first. */
void number_add(uint64_t v, struct buf *out);
bool number_read(quire_bytes from, size_t *at, uint64_t *v);

static inline bool bit_get(quire_bytes bits, size_t at)
{
    return at / 8 < bits.len &&
           (((const uint8_t *)bits.data)[at / 8] >> at % 8 & 1);
}

#endif
