/* rate_limit.c - see rate_limit.h */
#include "server/rate_limit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SETS = 1024, WAYS = 4 };

/* No bucket takes longer than this to fill, whatever the numbers are. */
#define NS_MAX (INT64_C(3600) * 1000000000)

struct bucket {
    uint64_t key;
    int64_t full_ns; /* when it is full again; 0: full, or unused */
};

struct rate_limit {
    pthread_mutex_t lock;
    atomic_int_fast64_t full_ns; /* when all are */
    struct bucket buckets[SETS][WAYS];
};

struct rate_limit *rate_limit_new(void)
{
    struct rate_limit *r = calloc(1, sizeof *r);

    if (r)
        pthread_mutex_init(&r->lock, NULL);
    return r;
}

void rate_limit_free(struct rate_limit *r)
{
    if (!r)
        return;
    pthread_mutex_destroy(&r->lock);
    free(r);
}

bool rate_limit_is_full(struct rate_limit *r, int64_t now_ns)
{
    return atomic_load(&r->full_ns) <= now_ns;
}

/* Scatter neighbouring keys. */
static struct bucket *find(struct rate_limit *r, uint64_t key, bool make)
{
    struct bucket *set = r->buckets[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    struct bucket *fullest = set;
    int i;

    for (i = 0; i < WAYS; i++) {
        if (set[i].key == key && set[i].full_ns)
            return &set[i];
        if (set[i].full_ns < fullest->full_ns)
            fullest = &set[i];
    }
    if (!make) /* a query evicts no bucket */
        return NULL;
    *fullest = (struct bucket){.key = key};
    return fullest;
}

static bool ask(struct rate_limit *r, uint64_t key, uint64_t n, uint64_t rate,
                uint64_t burst, int64_t now_ns, int64_t *wait_ns, bool take)
{
    int64_t drop = rate < 1000000000 ? 1000000000 / (int64_t)rate : 1;
    int64_t room = burst < (uint64_t)(NS_MAX / drop) ? (int64_t)burst * drop
                                                     : NS_MAX;
    int64_t wanted = (int64_t)n * drop;
    struct bucket *b;
    int64_t missing;
    bool fine;

    pthread_mutex_lock(&r->lock);
    b = find(r, key, take);
    /* What is missing in it is a time. It cannot be more than all of it, also
     * if all of it was more a moment ago, before the rate was changed. */
    missing = b && b->full_ns > now_ns ? b->full_ns - now_ns : 0;
    if (b && missing > room) {
        missing = room;
        b->full_ns = now_ns + room;
    }
    fine = missing + wanted <= room;
    if (!fine)
        *wait_ns = missing + wanted - room;
    if (b && fine && take) {
        b->full_ns = now_ns + missing + wanted;
        if (b->full_ns > atomic_load(&r->full_ns))
            atomic_store(&r->full_ns, b->full_ns);
    }
    pthread_mutex_unlock(&r->lock);
    return fine;
}

bool rate_limit_take(struct rate_limit *r, uint64_t key, uint64_t n,
                     uint64_t rate, uint64_t burst, int64_t now_ns,
                     int64_t *wait_ns)
{
    return ask(r, key, n, rate, burst, now_ns, wait_ns, true);
}

bool rate_limit_has(struct rate_limit *r, uint64_t key, uint64_t rate,
                    uint64_t burst, int64_t now_ns, int64_t *wait_ns)
{
    return ask(r, key, 1, rate, burst, now_ns, wait_ns, false);
}
