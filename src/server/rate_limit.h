/*
 * rate_limit.h - token buckets
 *
 * A bucket holds `burst` tokens and regains `rate` of them each second; a request
 * takes one. All the state of a bucket is one time: when it will be full again. A
 * full bucket equals an absent one, so the table has a fixed size and evicts, of
 * some neighbours, the fullest.
 */
#ifndef SERVER_RATE_LIMIT_H
#define SERVER_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct rate_limit;

struct rate_limit *rate_limit_new(void); /* NULL: no memory */
void rate_limit_free(struct rate_limit *r);

/* Take `n` tokens, at most 1000, from the bucket `key` at `now_ns` of a monotonic
 * clock. False: it has fewer, none was taken, and it has enough in *wait_ns (never,
 * if `n` is above `burst`). `rate` is per second; it and `burst` are at least 1. Any
 * thread. */
bool rate_limit_take(struct rate_limit *r, uint64_t key, uint64_t n,
                     uint64_t rate, uint64_t burst, int64_t now_ns,
                     int64_t *wait_ns);

/* Whether the bucket has a token. */
bool rate_limit_has(struct rate_limit *r, uint64_t key, uint64_t rate,
                    uint64_t burst, int64_t now_ns, int64_t *wait_ns);

/* Whether all buckets are full. Cheap, without a lock. */
bool rate_limit_is_full(struct rate_limit *r, int64_t now_ns);

#endif
