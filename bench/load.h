/*
 * load.h - many clients of an HTTP server, in one thread
 *
 * Each connection is kept and has one request under way. Either every answer is
 * followed by the next request at once (how much can it do?), or requests begin
 * at a steady rate whatever the server does (how long does one take?): then a
 * request that finds no free connection waits, and its time counts from when it
 * was due, so that a server which pauses cannot hide it.
 */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <stdint.h>

#include "base/buf.h"

/* Replace the content of `out` by the n-th request. */
typedef void (*load_fn)(void *ctx, uint64_t n, struct buf *out);

struct load {
    uint16_t port; /* at 127.0.0.1 */
    int connections;
    double seconds;
    double rate; /* requests a second; 0: as many as are answered */
    load_fn spell;
    void *ctx;
    int expected;   /* the status of an answer; others are failures */
    uint64_t first; /* the number of the first request */
};

struct load_result {
    uint64_t answers, failures;
    double rate; /* answers a second */
    double median_ms, p99_ms;
};

/* Ends the program if the server cannot be reached. */
struct load_result load_run(const struct load *l);

/* Open connections that say nothing; the descriptors are the caller's. How many
 * there are. */
int load_idle(uint16_t port, int n, int *fds);

#endif
