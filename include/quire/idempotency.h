/* quire/idempotency.h - requests that run once */
#ifndef QUIRE_IDEMPOTENCY_H
#define QUIRE_IDEMPOTENCY_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * For doors that may be knocked at twice: a request that must be done once is
 * claimed by a key of the client's choosing before it has any effect, and its
 * answer is kept under that for 24 hours. Both last.
 */
typedef struct quire_idempotency {
    int fresh;  /* nobody had the key: do it                                */
    int same;   /* it was claimed for the same request                      */
    int status; /* of the answer that was given; 0: none was, by somebody who is
                   at it, or died at it                                     */
    quire_bytes answer; /* on loan until the next call                      */
    uint64_t reserved[4];
} quire_idempotency;

quire_status quire_idempotency_begin(quire *q, const char *key,
                                     quire_bytes request, quire_bytes body,
                                     quire_idempotency *out, quire_error *err);

/* Keep the answer; with the status 0 give the key back: nothing was done. */
quire_status quire_idempotency_end(quire *q, const char *key, int status,
                                   quire_bytes answer, quire_error *err);

QUIRE_DECLS_END

#endif
