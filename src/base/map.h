/*
 * map.h - a hash map from bytes to a number
 *
 * Keys are borrowed: the caller keeps their bytes alive as long as the map.
 * Values are 64 bits, enough for an index or a pointer. Keys may come from
 * untrusted files, so the hash is keyed (SipHash-1-3) and a map's key is
 * random: no file can turn look-ups into a linear walk.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

struct map_slot {
    const void *key; /* NULL: empty */
    size_t len;
    uint64_t hash;
    uint64_t value;
};

struct map {
    struct map_slot *slots; /* owned; a power of two of them */
    size_t n_slots;
    size_t n; /* keys */
    uint64_t seed[2];
};

/* An empty map; takes no memory until the first put. */
void map_init(struct map *m, uint64_t seed0, uint64_t seed1);
void map_release(struct map *m);

/* The value of `key`, or NULL. The pointer is good until the next put. */
uint64_t *map_get(const struct map *m, quire_bytes key);

/* Set the value of `key`; *fresh (may be NULL) reports whether it is new. False
 * when out of memory; the map is unchanged then. */
bool map_put(struct map *m, quire_bytes key, uint64_t value, bool *fresh);

/* SipHash-1-3, exposed for its test vectors. */
uint64_t map_hash(const uint64_t seed[2], quire_bytes key);

#endif
