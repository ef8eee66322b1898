/*
 * rate_limit.h - how often somebody may do something
 *
 * A bucket holds `burst` drops and gets `rate` of them back each second; what is
 * done takes one. All that has to be kept of it is a time: when it will be full
 * again. One that is full is as good as one that is not there, so the table has
 * a fixed size and forgets, of some neighbours, the fullest.
 */
#ifndef SERVER_RATE_LIMIT_H
#define SERVER_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct rate_limit;

struct rate_limit *rate_limit_new(void); /* NULL: no memory */
void rate_limit_free(struct rate_limit *r);

/* Take a drop from the bucket `key` at the time `now_ns`, which only grows, by
 * some clock. False: it is empty, and has one again in *wait_ns. `rate` is a
 * second's, 1 or more; so is `burst`. Any thread. */
bool rate_limit_take(struct rate_limit *r, uint64_t key, uint64_t rate,
                     uint64_t burst, int64_t now_ns, int64_t *wait_ns);

/* The same without taking it. */
bool rate_limit_has(struct rate_limit *r, uint64_t key, uint64_t rate,
                    uint64_t burst, int64_t now_ns, int64_t *wait_ns);

/* Whether all buckets are full. Cheap, and waits for nobody. */
bool rate_limit_is_full(struct rate_limit *r, int64_t now_ns);

#endif
