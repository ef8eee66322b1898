/* upkeep.c - see upkeep.h */
#include "serve/upkeep.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

/* Between two looks at the watches; between two at who there is; between two
 * questions whether a collection is due. */
enum { STEP_MS = 200, TENANTS_EVERY_MS = 5000, COLLECT_EVERY_MS = 60000 };

/* So many tenants' workspaces are watched; those of others are looked at when
 * they are used. */
enum { WATCHED_MAX = 256 };

struct watched {
    int64_t tenant;
    quire *q;
    quire_watch *watch;
    bool there; /* in the last list of tenants */
};

struct upkeep {
    char *home; /* owned */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t asked;
    bool ending;
    quire *q;
    struct watched list[WATCHED_MAX];
    size_t n;
};

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* Wait for a step; true: it is to end. */
static bool rest(struct upkeep *u)
{
    struct timespec until;
    bool ending;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += STEP_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&u->lock);
    if (!u->ending)
        pthread_cond_timedwait(&u->asked, &u->lock, &until);
    ending = u->ending;
    pthread_mutex_unlock(&u->lock);
    return ending;
}

/* ---- watches ------------------------------------------------------------ */

static void drop(struct watched *w)
{
    quire_watch_close(w->watch);
    quire_close(w->q);
    *w = (struct watched){.tenant = 0};
}

static void begin_watch(struct upkeep *u, int64_t tenant)
{
    struct watched *w = &u->list[u->n];
    quire_options o = QUIRE_OPTIONS_INIT;
    char which[32];

    snprintf(which, sizeof which, "#%lld", (long long)tenant);
    o.home = u->home;
    o.tenant = which;
    *w = (struct watched){.tenant = tenant, .there = true};
    if (quire_open(&o, &w->q, NULL) ||
        quire_watch_open(w->q, NULL, &w->watch, NULL))
        drop(w);
    else
        u->n++;
}

static quire_status see_tenant(void *ctx, const quire_tenant *t,
                               quire_error *err)
{
    struct upkeep *u = ctx;
    size_t i;

    (void)err;
    for (i = 0; i < u->n; i++)
        if (u->list[i].tenant == t->id) {
            u->list[i].there = !t->disabled;
            return QUIRE_OK;
        }
    if (u->n < WATCHED_MAX && !t->disabled)
        begin_watch(u, t->id);
    return QUIRE_OK;
}

/* Who there is, and who has gone. */
static void look_around(struct upkeep *u)
{
    size_t i, n = 0;

    for (i = 0; i < u->n; i++)
        u->list[i].there = false;
    if (quire_tenant_list(u->q, see_tenant, u, NULL))
        return;
    for (i = 0; i < u->n; i++) {
        if (u->list[i].there)
            u->list[n++] = u->list[i];
        else
            drop(&u->list[i]);
    }
    u->n = n;
}

static void keep_in_step(struct upkeep *u)
{
    size_t i;

    for (i = 0; i < u->n; i++)
        quire_watch_next(u->list[i].watch, 0, NULL, NULL, NULL);
}

/* ---- the thread --------------------------------------------------------- */

static void collect(struct upkeep *u)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report;

    if (quire_collect_due(u->q))
        quire_collect(u->q, &o, &report, NULL);
}

static void *work(void *arg)
{
    struct upkeep *u = arg;
    int64_t looked = INT64_MIN / 2, collected = now_ms();

    do {
        int64_t now = now_ms();

        if (now - looked >= TENANTS_EVERY_MS) {
            looked = now;
            look_around(u);
        }
        if (now - collected >= COLLECT_EVERY_MS) {
            collected = now;
            collect(u);
        }
        keep_in_step(u);
    } while (!rest(u));
    return NULL;
}

quire_status upkeep_begin(const char *home, struct upkeep **out,
                          quire_error *err)
{
    struct upkeep *u = calloc(1, sizeof *u);
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_status st;
    int why;

    *out = NULL;
    if (!u)
        return err_memory(err);
    pthread_mutex_init(&u->lock, NULL);
    pthread_cond_init(&u->asked, NULL);
    u->home = strdup(home);
    o.home = home;
    o.tenant = "default";
    st = u->home ? quire_open(&o, &u->q, err) : err_memory(err);
    why = st ? 0 : pthread_create(&u->thread, NULL, work, u);
    if (why)
        st = err_sys(err, why, "cannot begin a thread");
    if (!st) {
        *out = u;
        return QUIRE_OK;
    }
    quire_close(u->q);
    free(u->home);
    free(u);
    return st;
}

void upkeep_end(struct upkeep *u)
{
    size_t i;

    if (!u)
        return;
    pthread_mutex_lock(&u->lock);
    u->ending = true;
    pthread_cond_broadcast(&u->asked);
    pthread_mutex_unlock(&u->lock);
    pthread_join(u->thread, NULL);
    for (i = 0; i < u->n; i++)
        drop(&u->list[i]);
    quire_close(u->q);
    pthread_mutex_destroy(&u->lock);
    pthread_cond_destroy(&u->asked);
    free(u->home);
    free(u);
}
