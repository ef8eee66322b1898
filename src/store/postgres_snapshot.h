/*
 * postgres_snapshot.h - which transactions a snapshot has seen end
 *
 * PostgreSQL numbers transactions that change something. A snapshot, as
 * pg_current_snapshot() prints it, is "xmin:xmax:running,running": of the numbers
 * below xmax all have ended but the running ones.
 */
#ifndef STORE_POSTGRES_SNAPSHOT_H
#define STORE_POSTGRES_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

enum { SNAPSHOT_RUNNING_MAX = 256 };

struct pg_snapshot {
    uint64_t end; /* xmax; 0: unknown */
    uint64_t running[SNAPSHOT_RUNNING_MAX];
    size_t n;
};

/* False: it is malformed, or too many are running; then it is unknown. */
bool pg_snapshot_read(quire_bytes text, struct pg_snapshot *out);

/* Whether only transactions of `own` ended between the two. */
bool pg_snapshot_same(const struct pg_snapshot *before,
                      const struct pg_snapshot *after, const uint64_t *own,
                      size_t n_own);

#endif
