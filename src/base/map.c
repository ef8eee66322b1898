#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static inline uint64_t rotl(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotl(v[1], 13) ^ v[0];
    v[3] = rotl(v[3], 16) ^ v[2];
    v[0] = rotl(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotl(v[1], 17) ^ v[2];
    v[3] = rotl(v[3], 21) ^ v[0];
    v[2] = rotl(v[2], 32);
}

uint64_t map_hash(const uint64_t seed[2], quire_bytes key)
{
    uint64_t v[4] = {
        seed[0] ^ 0x736f6d6570736575u,
        seed[1] ^ 0x646f72616e646f6du,
        seed[0] ^ 0x6c7967656e657261u,
        seed[1] ^ 0x7465646279746573u,
    };
    const unsigned char *p = key.data;
    size_t left = key.len;
    uint64_t word;
    int i;

    for (; left >= 8; p += 8, left -= 8) {
        memcpy(&word, p, 8); /* little-endian, as all our targets are */
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = (uint64_t)key.len << 56;
    for (i = 0; i < (int)left; i++)
        word |= (uint64_t)p[i] << (8 * i);
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    for (i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void map_init(struct map *m, uint64_t seed0, uint64_t seed1)
{
    *m = (struct map){.seed = {seed0, seed1}};
}

void map_release(struct map *m)
{
    free(m->slots);
    map_init(m, m->seed[0], m->seed[1]);
}

/* The slot of `key`, or where it would go. Linear probing: a look-up touches
 * one cache line most of the time. */
static struct map_slot *find_slot(const struct map *m, uint64_t hash,
                                  quire_bytes key)
{
    size_t i = hash & (m->n_slots - 1);

    while (m->slots[i].key) {
        struct map_slot *s = &m->slots[i];

        if (s->hash == hash && bytes_equal(bytes_of(s->key, s->len), key))
            break;
        i = (i + 1) & (m->n_slots - 1);
    }
    return &m->slots[i];
}

uint64_t *map_get(const struct map *m, quire_bytes key)
{
    struct map_slot *s;

    if (!m->n)
        return NULL;
    s = find_slot(m, map_hash(m->seed, key), key);
    return s->key ? &s->value : NULL;
}

static bool grow_slots(struct map *m)
{
    struct map bigger = *m;
    size_t i;

    bigger.n_slots = m->n_slots ? m->n_slots * 2 : 16;
    bigger.slots = calloc(bigger.n_slots, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (i = 0; i < m->n_slots; i++) {
        const struct map_slot *s = &m->slots[i];

        if (s->key)
            *find_slot(&bigger, s->hash, bytes_of(s->key, s->len)) = *s;
    }
    free(m->slots);
    *m = bigger;
    return true;
}

bool map_put(struct map *m, quire_bytes key, uint64_t value, bool *fresh)
{
    uint64_t hash = map_hash(m->seed, key);
    struct map_slot *s;

    /* Three quarters full at most, so that a probe always ends. */
    if (m->n + 1 > m->n_slots / 4 * 3 && !grow_slots(m))
        return false;
    s = find_slot(m, hash, key);
    if (fresh)
        *fresh = !s->key;
    if (!s->key) {
        s->key = key.data ? key.data : "";
        s->len = key.len;
        s->hash = hash;
        m->n++;
    }
    s->value = value;
    return true;
}
