/* idempotency.h - see claims.c */
#ifndef API_IDEMPOTENCY_H
#define API_IDEMPOTENCY_H

#include "blob/hash.h"
#include "api/priv.h"

/* The table, for the schema of quire.db. */
extern const char idempotency_schema[];

/* Let go of those that are older than they are kept, the oldest first; of at most
 * so many, -1: of all. */
quire_status idempotency_expire(struct quire *q, int64_t most,
                                quire_error *err);

#endif
