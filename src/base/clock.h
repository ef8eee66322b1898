/*
 * clock.h - time and randomness, replaceable by tests
 *
 * The handle holds both sources; no code in the library asks the system
 * directly.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#include "quire.h"

struct clock {
    int64_t (*now_us)(void *ctx); /* microseconds since 1970 */
    void *ctx;
};

extern const struct clock clock_system;

static inline int64_t clock_us(const struct clock *c)
{
    return c->now_us(c->ctx);
}

/* The same by the clock that stamps files, which lags by up to a tick: a file
 * written afterwards is not older. */
int64_t clock_file_us(const struct clock *c);

static inline int64_t clock_s(const struct clock *c)
{
    return clock_us(c) / 1000000;
}

/* Microseconds of the monotonic clock, for measuring durations. */
int64_t clock_steady_us(void);

struct rand_source {
    /* Fill `buf`; non-zero if random bytes are unavailable. */
    int (*fill)(void *ctx, void *buf, size_t len);
    void *ctx;
};

extern const struct rand_source rand_system;

/* QUIRE_IO when the source fails. */
quire_status rand_bytes(const struct rand_source *r, void *buf, size_t len,
                        quire_error *err);

#endif
