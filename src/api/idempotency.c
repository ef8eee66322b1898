/* idempotency.c - idempotency keys, as quire/idempotency.h has them */
#include "api/core/handle.h"
#include "blob/hash.h"

quire_status quire_idempotency_begin(quire *q, const char *key,
                                     quire_bytes request, quire_bytes body,
                                     quire_idempotency *out, quire_error *err)
{
    struct hash hash;
    quire_digest digest;
    quire_status st = need_own_rows(q, true, err);

    *out = (quire_idempotency){.fresh = 1};
    if (st)
        return st;
    hash_init(&hash);
    hash_add(&hash, request);
    hash_add(&hash, body);
    hash_end(&hash, &digest);
    return idempotency_begin(&q->catalog, q->tenant, key, &digest, &q->loan,
                             out, err);
}

quire_status quire_idempotency_end(quire *q, const char *key, int status,
                                   quire_bytes answer, quire_error *err)
{
    quire_status st = need_own_rows(q, true, err);

    return st ? st
              : idempotency_end(&q->catalog, q->tenant, key, status, answer,
                                err);
}
