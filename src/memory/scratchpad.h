/*
 * scratchpad.h - scratchpads: append-only text
 *
 * A pad holds the notes of one agent, or those shared by all of a tenant. It is
 * stored as rows, one for each append, so that adding a line to four mebibytes
 * costs a line.
 *
 * Invariants, after every transaction:
 *
 *   (1) `used` of a pad is the bytes of its blocks, and at most PAD_BYTES_MAX.
 *       The limit is checked in the transaction that uses the space.
 *   (2) A pad has at least one block: one without does not exist.
 */
#ifndef MEMORY_SCRATCHPAD_H
#define MEMORY_SCRATCHPAD_H

#include <stdbool.h>

#include "base/clock.h"
#include "quire.h"
#include "store/db.h"

enum {
    PAD_BYTES_MAX = 4 << 20,
    PAD_NAME_MAX = 200,
};

struct scratchpads;

/* The tables, for the schema of quire.db. */

/* Both are borrowed. */
quire_status scratchpads_new(struct db *db, const struct clock *clock,
                             struct scratchpads **out, quire_error *err);
void scratchpads_free(struct scratchpads *p);

/* Add a block: the local time in a comment, the text, an empty line. *size is
 * the size of the pad then. Durable. QUIRE_QUOTA: it is full. */
quire_status scratchpad_append(struct scratchpads *p, int64_t tenant,
                               quire_bytes name, quire_bytes text,
                               uint64_t *size, quire_error *err);

/* The blocks in order. *any: the pad exists. */
quire_status scratchpad_read(struct scratchpads *p, int64_t tenant,
                             quire_bytes name, quire_write_fn write, void *ctx,
                             bool *any, quire_error *err);

/* Each of a tenant, by name. */
quire_status scratchpad_list(struct scratchpads *p, int64_t tenant,
                             quire_pad_fn each, void *ctx, quire_error *err);

/* Delete it. Durable. */
quire_status scratchpad_clear(struct scratchpads *p, int64_t tenant,
                              quire_bytes name, quire_error *err);

#endif
