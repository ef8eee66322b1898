/*
 * trust.c - digests whose stored copy this store has read whole
 *
 * A direct-mapped table: a digest has one slot, and a new digest replaces the
 * old one there. So the table is bounded, and a replaced digest costs one more
 * verification. A slot of a damaged copy is kept until the copy is written
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "blob/priv.h"

#define TRUST_SLOTS ((size_t)4096) /* 132 KiB */

struct trust_slot {
    quire_digest digest;
    uint8_t trust;
};

static struct trust_slot *slot_of(const struct blobs *b, const quire_digest *d)
{
    size_t at = d->byte[0] | (size_t)d->byte[1] << 8;

    return b->trust ? &b->trust[at % TRUST_SLOTS] : NULL;
}

enum trust trust_get(const struct blobs *b, const quire_digest *d)
{
    const struct trust_slot *slot = slot_of(b, d);

    return slot && slot->trust && digest_equal(&slot->digest, d)
               ? (enum trust)slot->trust
               : TRUST_UNKNOWN;
}

void trust_set(struct blobs *b, const quire_digest *d, enum trust trust)
{
    struct trust_slot *slot;

    /* Without memory nothing is remembered, and every copy is read. */
    if (!b->trust)
        b->trust = calloc(TRUST_SLOTS, sizeof *b->trust);
    slot = slot_of(b, d);
    if (!slot || (slot->trust == TRUST_DAMAGED && trust != TRUST_DAMAGED &&
                  !digest_equal(&slot->digest, d)))
        return;
    *slot = (struct trust_slot){*d, (uint8_t)trust};
}

void trust_clear(struct blobs *b)
{
    if (b->trust)
        memset(b->trust, 0, TRUST_SLOTS * sizeof *b->trust);
}
