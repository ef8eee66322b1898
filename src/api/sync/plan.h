/* plan.h - who lacks what; see plan.c */
#ifndef API_SYNC_PLAN_H
#define API_SYNC_PLAN_H

#include "api/sync/home.h"

/* A session that both homes have, with different entries. */
struct compared {
    const struct item *own, *theirs;
    bool has_answer, continues; /* the other's entries continue ours        */
    struct buf hashes;          /* of the other's entries, 8 bytes each     */
    struct compared *next;
};

struct sync_plan {
    struct moving *m;
    struct inventory theirs; /* keys are in m->keep                        */
    struct outgoing out;     /* what they lack                             */
    struct buf wants;        /* messages of the type WIRE_WANT, each after its
                                length as four bytes                       */
    struct compared *compared;
};

enum { HASH_SHORT = 8 };

enum want_mode { WANT_WHOLE, WANT_FROM, WANT_ONLY };

void sync_plan_init(struct sync_plan *p, struct moving *m);
void sync_plan_release(struct sync_plan *p);

/* Take items of the other home from a message. QUIRE_INVALID. */
quire_status sync_plan_take_items(struct sync_plan *p, quire_bytes content,
                                  quire_error *err);

/* Decide on everything but sessions that have to be compared: p->compared. `bits` has
 * the different ones of `buckets`. */
quire_status sync_plan_items(struct sync_plan *p, uint32_t buckets,
                             quire_bytes bits, quire_error *err);

/* Decide on those, once the hashes are here. */
quire_status sync_plan_compared(struct sync_plan *p, quire_error *err);

/* Whether the first entries of a session are the set that an item describes. */
quire_status sync_plan_is_prefix(struct moving *m, const struct item *own,
                                 const struct item *prefix, bool *is,
                                 quire_error *err);

/* Add the hashes of a session's entries. */
quire_status sync_plan_hashes(struct moving *m, const struct item *own,
                              struct buf *out, quire_error *err);

/* Take a message of the type WIRE_WANT: add it to `out`. Unknown items are left out. */
quire_status sync_plan_take_want(struct moving *m, struct outgoing *out,
                                 quire_bytes content, quire_error *err);

#endif
