/*
 * metrics.h - what is counted, and told at /metrics
 *
 * Each thread counts on a metrics of its own, so that counting costs no thread a
 * wait for another; whoever asks adds them up. Counters only grow, and are read
 * without a lock: a sum may miss what is being added at that moment.
 *
 * Nothing here knows a tenant: an operation, a class of status, sizes and times
 * are all there is to be told.
 */
#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

enum { METRICS_CLASSES = 5, METRICS_BUCKETS = 14 };

/* One operation; or, in the last row, what was for none. */
struct metrics_row {
    atomic_uint_fast64_t answers[METRICS_CLASSES];     /* 1xx to 5xx          */
    atomic_uint_fast64_t buckets[METRICS_BUCKETS + 1]; /* the last: longer    */
    atomic_uint_fast64_t us;                           /* all of them took    */
};

struct metrics {
    atomic_uint_fast64_t in, out; /* bytes of bodies */
    struct metrics_row rows[];    /* by operation, and one more */
};

/* NULL: no memory. Freed with free(). */
struct metrics *metrics_new(void);

/* An answer: of the operation routes[row]; -1: of none. */
void metrics_count(struct metrics *m, int row, int status, int64_t us,
                   uint64_t in, uint64_t out);
void metrics_add(struct metrics *sum, const struct metrics *m);

/* What is so at the moment, and what others have counted. */
struct metrics_state {
    double uptime_s;
    uint64_t connections, under_way;
    uint64_t queued, queue_max, queue_refused;
    uint64_t groups, grouped;         /* of writes, and writes in these      */
    uint64_t spooled;                 /* bytes of bodies and answers in files */
    uint64_t limited, limited_logins; /* refused with 429            */
    uint64_t log_dropped;
    uint64_t mcp_clients, mcp_streams;
    int64_t counted_us; /* when the store was counted; 0: not yet  */
    quire_stats stats;  /* of then                                 */
    uint64_t collections, collections_failed, freed_bytes;
    int64_t collected_us; /* when the last one ended; 0: there was none */
    uint64_t last_freed_bytes;
};

/* All of it in the text format of Prometheus, 0.0.4. */
void metrics_write(const struct metrics *sum, const struct metrics_state *state,
                   struct buf *out);

#endif
