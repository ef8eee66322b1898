/*
 * metrics.h - counters, exposed at /metrics
 *
 * Each thread has its own counters, so counting needs no lock; a scrape adds them
 * up. Counters only grow and are read without a lock: a sum may miss what is being
 * added at that moment.
 *
 * No metric names a tenant: operation, class of status, sizes and times only.
 */
#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

enum { METRICS_CLASSES = 5, METRICS_BUCKETS = 14 };

/* One operation; the last row is for requests without a route. */
struct metrics_row {
    atomic_uint_fast64_t answers[METRICS_CLASSES];     /* 1xx to 5xx          */
    atomic_uint_fast64_t buckets[METRICS_BUCKETS + 1]; /* the last: +Inf      */
    atomic_uint_fast64_t us;                           /* sum of durations    */
};

struct metrics {
    atomic_uint_fast64_t in, out; /* bytes of bodies */
    struct metrics_row rows[];    /* by operation, and one more */
};

/* NULL: no memory. Freed with free(). */
struct metrics *metrics_new(void);

/* Count an answer of routes[row]; -1: of no route. */
void metrics_count(struct metrics *m, int row, int status, int64_t us,
                   uint64_t in, uint64_t out);
void metrics_add(struct metrics *sum, const struct metrics *m);

/* Gauges, and counters of other modules. */
struct metrics_state {
    double uptime_s;
    uint64_t connections, under_way;
    uint64_t queued, queue_max, queue_refused;
    uint64_t groups, grouped;         /* group commits, and writes in them   */
    uint64_t spooled;                 /* bytes of bodies and answers in files */
    uint64_t limited, limited_logins; /* refused with 429            */
    uint64_t log_dropped;
    uint64_t mcp_clients, mcp_streams;
    int64_t counted_us; /* when the store was counted; 0: not yet  */
    quire_stats stats;  /* of then                                 */
    uint64_t collections, collections_failed, freed_bytes;
    int64_t collected_us; /* when the last one ended; 0: never        */
    uint64_t last_freed_bytes;
};

/* All of it in the text format of Prometheus, 0.0.4. */
void metrics_write(const struct metrics *sum, const struct metrics_state *state,
                   struct buf *out);

#endif
