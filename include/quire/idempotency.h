/*
 * quire/idempotency.h - idempotency keys
 *
 * For servers that must not execute a retried request twice: the request takes
 * a key of the client's choice before it has any effect, and its response is
 * stored under that key for 24 hours. Keys belong to the tenant.
 */
#ifndef QUIRE_IDEMPOTENCY_H
#define QUIRE_IDEMPOTENCY_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_idempotency {
    int fresh;          /* the key was free: execute the request            */
    int same;           /* the key was taken by the same request            */
    int status;         /* of the stored response; 0: none, the request is
                           running or its process crashed                   */
    quire_bytes answer; /* the stored response                              */
    uint64_t reserved[4];
} quire_idempotency;

/* Take a key of 1 to 256 bytes for a request (its head and its body, compared
 * by hash), or find out that it is taken.
 *
 * Owns: out->answer is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_INVALID  the key is empty or too long
 * Durable: the key, on return. */
quire_status quire_idempotency_begin(quire *q, const char *key,
                                     quire_bytes request, quire_bytes body,
                                     quire_idempotency *out, quire_error *err);

/* Store the response under the key; with status 0 release the key: the request
 * had no effect.
 *
 * Owns: `answer` is copied.
 * Fails: common
 * Durable: on return. */
quire_status quire_idempotency_end(quire *q, const char *key, int status,
                                   quire_bytes answer, quire_error *err);

QUIRE_DECLS_END

#endif
