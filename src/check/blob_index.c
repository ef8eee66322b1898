/*
 * blob_index.c - the blobs there are, found by their digests
 *
 * A million of them are asked for a million times, by several threads: a table
 * of places, looked into where the first bytes of a digest say.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/hash.h"
#include "check/check.h"

static quire_status add_blob(void *ctx, const quire_blob_info *info,
                             quire_error *err)
{
    struct checks *c = ctx;

    if (c->n_known == c->known_cap) {
        size_t cap = c->known_cap ? 2 * c->known_cap : 1024;
        struct known *list = cap > UINT32_MAX
                                 ? NULL
                                 : realloc(c->known, cap * sizeof *list);

        if (!list)
            return err_memory(err);
        c->known = list;
        c->known_cap = cap;
    }
    c->known[c->n_known].digest = info->digest;
    c->known[c->n_known].size = info->size;
    atomic_init(&c->known[c->n_known++].referenced, false);
    return QUIRE_OK;
}

/* First slot of a digest. The seed is unknown to those that store blobs. */
static size_t slot_of(const struct checks *c, const quire_digest *d)
{
    uint64_t first;

    memcpy(&first, d->byte, sizeof first);
    first = (first ^ c->slot_seed) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(first >> (64 - c->slot_bits));
}

/* At most half of the slots are taken. */
static quire_status make_slots(struct checks *c, quire_error *err)
{
    size_t i, at, mask;

    c->slot_seed = c->seen.seed[0];
    for (c->slot_bits = 4; (size_t)1 << c->slot_bits < 2 * c->n_known;)
        c->slot_bits++;
    mask = ((size_t)1 << c->slot_bits) - 1;
    c->slots = calloc(mask + 1, sizeof *c->slots);
    if (!c->slots)
        return err_memory(err);
    for (i = 0; i < c->n_known; i++) {
        for (at = slot_of(c, &c->known[i].digest); c->slots[at];)
            at = (at + 1) & mask;
        c->slots[at] = (uint32_t)(i + 1);
    }
    return QUIRE_OK;
}

quire_status blob_index_build(struct checks *c, quire_error *err)
{
    quire_error why = {.what = ""};
    quire_status st = blob_names(c->q->blobs, add_blob, c, &why), made;

    c->sum.blobs = c->n_known;
    made = make_slots(c, err);
    if (made || !st)
        return made;
    c->blind = true;
    return checks_report_failure(c, "quire.db", st, &why, err);
}

const struct known *blob_index_refer(const struct checks *c,
                                     const quire_digest *digest)
{
    size_t mask = ((size_t)1 << c->slot_bits) - 1, at;

    if (!c->slots)
        return NULL;
    for (at = slot_of(c, digest); c->slots[at]; at = (at + 1) & mask) {
        struct known *k = &c->known[c->slots[at] - 1];

        if (digest_equal(&k->digest, digest)) {
            atomic_store_explicit(&k->referenced, true, memory_order_relaxed);
            return k;
        }
    }
    return NULL;
}
