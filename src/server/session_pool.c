/* session_pool.c - see session_pool.h */
#include "server/session_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* A session that was not used for so long is closed: its file may have been
 * removed, and takes space while it is open. */
#define IDLE_US (INT64_C(300) * 1000000)

struct parked {
    struct parked *next; /* used before this one */
    quire_session *session;
    uint64_t bytes;
    int64_t tenant;
    int64_t parked_us;
    char id[];
};

struct session_pool {
    pthread_mutex_t lock;
    struct parked *first; /* used last */
    size_t n, n_max;
    uint64_t bytes, bytes_max;
};

struct session_pool *session_pool_new(size_t sessions_max, uint64_t bytes_max)
{
    struct session_pool *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    p->n_max = sessions_max;
    p->bytes_max = bytes_max;
    return p;
}

static void close_parked(struct parked *one)
{
    quire_session_close(one->session);
    free(one);
}

static void close_list(struct parked *one)
{
    struct parked *next;

    for (; one; one = next) {
        next = one->next;
        close_parked(one);
    }
}

void session_pool_free(struct session_pool *p)
{
    if (!p)
        return;
    close_list(p->first);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* Take one out of the list. The caller holds the lock. */
static struct parked *unlink_at(struct session_pool *p, struct parked **at)
{
    struct parked *one = *at;

    *at = one->next;
    p->n--;
    p->bytes -= one->bytes;
    return one;
}

/* The same for that of a tenant and id; NULL: there is none. */
static struct parked *unlink_named(struct session_pool *p, int64_t tenant,
                                   const char *id)
{
    struct parked **at = &p->first;

    while (*at && ((*at)->tenant != tenant || strcmp((*at)->id, id)))
        at = &(*at)->next;
    return *at ? unlink_at(p, at) : NULL;
}

static struct parked *take_out(struct session_pool *p, int64_t tenant,
                               const char *id)
{
    struct parked *one;

    pthread_mutex_lock(&p->lock);
    one = unlink_named(p, tenant, id);
    pthread_mutex_unlock(&p->lock);
    return one;
}

quire_status session_pool_take(struct session_pool *p, quire *q, int64_t tenant,
                               const char *id,
                               const quire_session_options *options,
                               quire_session **out, quire_error *err)
{
    struct parked *one = take_out(p, tenant, id);
    quire_status st = QUIRE_CHANGED;

    *out = NULL;
    if (one) {
        st = quire_session_resume(one->session, q, options, err);
        if (!st)
            *out = one->session;
        else
            quire_session_close(one->session);
        free(one);
    }
    /* What cannot be resumed is opened as if it had never been here. */
    return st == QUIRE_OK || st == QUIRE_BUSY
               ? st
               : quire_session_open(q, id, options, out, err);
}

/* Take out those used longest ago that are too much, or parked for IDLE_US, as a
 * list. The caller holds the lock. */
static struct parked *take_excess(struct session_pool *p)
{
    int64_t since_us = clock_steady_us() - IDLE_US;
    struct parked *excess = NULL, *one, **at;

    while (p->first) {
        for (at = &p->first; (*at)->next; at = &(*at)->next)
            ;
        if (p->n <= p->n_max && p->bytes <= p->bytes_max &&
            (*at)->parked_us >= since_us)
            break;
        one = unlink_at(p, at);
        one->next = excess;
        excess = one;
    }
    return excess;
}

/* Add one, and return those to close. */
static struct parked *add(struct session_pool *p, struct parked *one)
{
    struct parked *excess, *other;

    pthread_mutex_lock(&p->lock);
    other = unlink_named(p, one->tenant, one->id);
    one->next = p->first;
    p->first = one;
    p->n++;
    p->bytes += one->bytes;
    excess = take_excess(p);
    pthread_mutex_unlock(&p->lock);
    if (other)
        other->next = excess;
    return other ? other : excess;
}

void session_pool_put(struct session_pool *p, int64_t tenant, const char *id,
                      quire_session *s)
{
    struct parked *one = NULL;
    size_t len = strlen(id) + 1;

    if (s && quire_session_park(s) && quire_session_memory(s) <= p->bytes_max)
        one = malloc(sizeof *one + len);
    if (!one) {
        quire_session_close(s);
        return;
    }
    one->session = s;
    one->bytes = quire_session_memory(s);
    one->tenant = tenant;
    one->parked_us = clock_steady_us();
    memcpy(one->id, id, len);
    close_list(add(p, one));
}

void session_pool_drop_tenant(struct session_pool *p, int64_t tenant)
{
    struct parked *dropped = NULL, *one, **at;

    pthread_mutex_lock(&p->lock);
    for (at = &p->first; *at;) {
        if ((*at)->tenant != tenant) {
            at = &(*at)->next;
            continue;
        }
        one = unlink_at(p, at);
        one->next = dropped;
        dropped = one;
    }
    pthread_mutex_unlock(&p->lock);
    close_list(dropped);
}

void session_pool_drop(struct session_pool *p, int64_t tenant, const char *id)
{
    struct parked *one = take_out(p, tenant, id);

    if (one)
        close_parked(one);
}
