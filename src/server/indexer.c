/* indexer.c - see indexer.h */
#include "server/indexer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"

/* A tenant's index is updated when it was not noted for QUIET_MS, or LATEST_MS after
 * it was noted first. What was removed leaves it when the tenant was not noted for
 * IDLE_MS: that writes much. */
enum { STEP_MS = 250, QUIET_MS = 1000, LATEST_MS = 30000, IDLE_MS = 30000 };

/* Tenants that wait. One more is left out: a search notes it again. */
enum { NOTED_MAX = 256 };

/* What a handle caches of the catalogue. */
enum { INDEXER_CACHE_KIB = 1024 };

struct noted {
    int64_t tenant;
    int64_t first_ms, last_ms;
    bool updated; /* it only waits for its purge */
};

struct indexer {
    const quire_options *store; /* borrowed */
    quire_search_watch *watch;  /* borrowed */
    const atomic_bool *draining;
    pthread_t thread;
    quire *q; /* of the thread; NULL while there is nothing to do */

    pthread_mutex_t lock;
    pthread_cond_t asked;
    bool ending;
    struct noted list[NOTED_MAX];
    size_t n;
};

void indexer_note(struct indexer *x, int64_t tenant)
{
    int64_t now = clock_steady_us() / 1000;
    size_t i;

    if (!x)
        return;
    pthread_mutex_lock(&x->lock);
    for (i = 0; i < x->n && x->list[i].tenant != tenant;)
        i++;
    if (i < x->n && !x->list[i].updated) {
        x->list[i].last_ms = now;
    } else if (i < NOTED_MAX) {
        x->list[i] = (struct noted){tenant, now, now, false};
        x->n += i == x->n;
        pthread_cond_signal(&x->asked);
    }
    pthread_mutex_unlock(&x->lock);
}

/* Its index has something of what was removed. */
static void note_removed(struct indexer *x, int64_t tenant)
{
    int64_t now = clock_steady_us() / 1000;
    size_t i;

    pthread_mutex_lock(&x->lock);
    for (i = 0; i < x->n && x->list[i].tenant != tenant;)
        i++;
    if (i == x->n && i < NOTED_MAX)
        x->list[x->n++] = (struct noted){tenant, now, now, true};
    pthread_mutex_unlock(&x->lock);
}

/* ---- the thread --------------------------------------------------------- */

static void wait_step(struct indexer *x)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += STEP_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (x->n > 0)
        pthread_cond_timedwait(&x->asked, &x->lock, &until);
    else
        pthread_cond_wait(&x->asked, &x->lock);
}

static bool is_due(const struct noted *one, int64_t now)
{
    if (one->updated)
        return now - one->last_ms >= IDLE_MS;
    return now - one->last_ms >= QUIET_MS || now - one->first_ms >= LATEST_MS;
}

/* Take a tenant that is due off the list. */
static bool take_due(struct indexer *x, struct noted *out)
{
    int64_t now = clock_steady_us() / 1000;
    size_t i;

    for (i = 0; i < x->n; i++) {
        if (!is_due(&x->list[i], now))
            continue;
        *out = x->list[i];
        x->list[i] = x->list[--x->n];
        return true;
    }
    return false;
}

/* Wait until a tenant is due; false: shutdown. */
static bool next_tenant(struct indexer *x, struct noted *out)
{
    bool found = false, ending;

    pthread_mutex_lock(&x->lock);
    while (!x->ending && !(found = take_due(x, out))) {
        if (x->n == 0) {
            quire_close(x->q);
            x->q = NULL;
        }
        wait_step(x);
    }
    ending = x->ending;
    pthread_mutex_unlock(&x->lock);
    return !ending;
}

static quire_status open_tenant(struct indexer *x, int64_t tenant)
{
    quire_options o = *x->store;
    char which[32];
    quire_status st = QUIRE_OK;

    o.cache_kib = INDEXER_CACHE_KIB;
    o.search_watch = x->watch;
    if (!x->q)
        st = quire_open(&o, &x->q, NULL);
    snprintf(which, sizeof which, "#%lld", (long long)tenant);
    return st ? st : quire_tenant_use(x->q, which, NULL);
}

/* QUIRE_BUSY: another process does it. */
static void update_tenant(struct indexer *x, int64_t tenant)
{
    quire_search_stats stats = {.n_removed = 0};
    int more = 0;
    quire_status st = open_tenant(x, tenant);

    do {
        if (!st)
            st = quire_search_update(x->q, &more, NULL);
    } while (!st && more && !atomic_load(x->draining));
    if (!st && !more && !quire_search_describe(x->q, &stats, NULL) &&
        stats.n_removed > 0)
        note_removed(x, tenant);
}

static void purge_tenant(struct indexer *x, int64_t tenant)
{
    int more = 0;
    quire_status st = open_tenant(x, tenant);

    do {
        if (!st)
            st = quire_search_purge(x->q, &more, NULL);
    } while (!st && more && !atomic_load(x->draining));
    if (st == QUIRE_BUSY)
        note_removed(x, tenant);
}

static void *run_indexer(void *arg)
{
    struct indexer *x = arg;
    struct noted one;

    while (next_tenant(x, &one)) {
        if (atomic_load(x->draining))
            continue;
        if (one.updated)
            purge_tenant(x, one.tenant);
        else
            update_tenant(x, one.tenant);
    }
    quire_close(x->q);
    return NULL;
}

/* ---- begin, end --------------------------------------------------------- */

static void indexer_free(struct indexer *x)
{
    pthread_mutex_destroy(&x->lock);
    pthread_cond_destroy(&x->asked);
    free(x);
}

quire_status indexer_begin(const quire_options *store,
                           quire_search_watch *watch,
                           const atomic_bool *draining, struct indexer **out,
                           quire_error *err)
{
    pthread_condattr_t steady;
    struct indexer *x = calloc(1, sizeof *x);
    int why;

    *out = NULL;
    if (!x)
        return err_memory(err);
    x->draining = draining;
    x->watch = watch;
    pthread_mutex_init(&x->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&x->asked, &steady);
    pthread_condattr_destroy(&steady);
    x->store = store;
    why = pthread_create(&x->thread, NULL, run_indexer, x);
    if (why) {
        indexer_free(x);
        return err_sys(err, why, "cannot start a thread");
    }
    *out = x;
    return QUIRE_OK;
}

void indexer_end(struct indexer *x)
{
    if (!x)
        return;
    pthread_mutex_lock(&x->lock);
    x->ending = true;
    pthread_cond_broadcast(&x->asked);
    pthread_mutex_unlock(&x->lock);
    pthread_join(x->thread, NULL);
    indexer_free(x);
}
