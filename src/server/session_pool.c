/* session_pool.c - see session_pool.h */
#include "server/session_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct parked {
    struct parked *next; /* used before this one */
    quire_session *session;
    uint64_t bytes;
    int64_t tenant;
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

void session_pool_free(struct session_pool *p)
{
    struct parked *one, *next;

    if (!p)
        return;
    for (one = p->first; one; one = next) {
        next = one->next;
        close_parked(one);
    }
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

static struct parked *take_out(struct session_pool *p, int64_t tenant,
                               const char *id)
{
    struct parked **at, *one = NULL;

    pthread_mutex_lock(&p->lock);
    at = &p->first;
    while (*at && ((*at)->tenant != tenant || strcmp((*at)->id, id)))
        at = &(*at)->next;
    if (*at)
        one = unlink_at(p, at);
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

/* Take out what is too much, used longest ago, as a list. The caller holds the
 * lock. */
static struct parked *take_excess(struct session_pool *p)
{
    struct parked *excess = NULL, *one, **at;

    while (p->first && (p->n > p->n_max || p->bytes > p->bytes_max)) {
        for (at = &p->first; (*at)->next; at = &(*at)->next)
            ;
        one = unlink_at(p, at);
        one->next = excess;
        excess = one;
    }
    return excess;
}

/* Add one, and return those to close. */
static struct parked *add(struct session_pool *p, struct parked *one)
{
    struct parked *excess, *other = take_out(p, one->tenant, one->id);

    pthread_mutex_lock(&p->lock);
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
    struct parked *one = NULL, *next;
    size_t len = strlen(id) + 1;

    if (s && quire_session_park(s))
        one = malloc(sizeof *one + len);
    if (!one) {
        quire_session_close(s);
        return;
    }
    one->session = s;
    one->bytes = quire_session_memory(s);
    one->tenant = tenant;
    memcpy(one->id, id, len);
    for (one = add(p, one); one; one = next) {
        next = one->next;
        close_parked(one);
    }
}

void session_pool_drop(struct session_pool *p, int64_t tenant, const char *id)
{
    struct parked *one = take_out(p, tenant, id);

    if (one)
        close_parked(one);
}

void session_pool_count(struct session_pool *p, size_t *n, uint64_t *bytes)
{
    pthread_mutex_lock(&p->lock);
    *n = p->n;
    *bytes = p->bytes;
    pthread_mutex_unlock(&p->lock);
}
