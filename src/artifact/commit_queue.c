/*
 * commit_queue.c - puts of several threads in one commit
 *
 * A commit costs a sync, and some pages of the database that every put changes.
 * Handles that share a queue share both: the first thread leads and runs all
 * waiting puts on its own connection, in one transaction. Puts that arrive
 * meanwhile wait for the next leader. A single thread is not delayed.
 *
 *     first -> put -> put     waiting, in the order of arrival
 *     led                     a leader is at work
 *
 * The next leader starts when the last commit is durable. Starting while the
 * disk is busy was tried: each commit then had two or three puts instead of all
 * the others, and the shared pages were written more often.
 *
 * A put that is refused has written nothing (put.c), and the others go on. One
 * that fails otherwise may be half written: then the transaction is rolled
 * back, and each put is repeated in a transaction of its own. All wait for
 * other processes as long as their leader would.
 */
#include <pthread.h>
#include <stdlib.h>

#include "artifact/priv.h"
#include "base/err.h"

/* More would delay the first of them too long. */
#define BATCH_MAX 64

struct commit_queue {
    pthread_mutex_t lock;
    unsigned refs;
    struct put *first, **last;
    bool led;
};

struct commit_queue *commit_queue_new(void)
{
    struct commit_queue *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    pthread_mutex_init(&g->lock, NULL);
    g->last = &g->first;
    g->refs = 1;
    return g;
}

struct commit_queue *commit_queue_ref(struct commit_queue *g)
{
    pthread_mutex_lock(&g->lock);
    g->refs++;
    pthread_mutex_unlock(&g->lock);
    return g;
}

void commit_queue_unref(struct commit_queue *g)
{
    unsigned left;

    if (!g)
        return;
    pthread_mutex_lock(&g->lock);
    left = --g->refs;
    pthread_mutex_unlock(&g->lock);
    if (left)
        return;
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* ---- one commit --------------------------------------------------------- */

/* A relaxed leader may commit for a handle that is not. */
static quire_status commit_for_all(struct artifacts *a, const struct put *first,
                                   quire_error *err)
{
    quire_status st = blobs_commit(a->c.blobs, err);
    bool wait = false;

    for (; first; first = first->next)
        wait |= !first->relaxed;
    return !st && wait && a->c.catalog->relaxed
               ? db_settle(a->c.catalog->db, err)
               : st;
}

/* The tenant of all of them, if it is one. */
static int64_t tenant_of(const struct put *first)
{
    int64_t tenant = first->what->tenant;

    for (; first; first = first->next)
        if (first->what->tenant != tenant)
            return DB_ALL_TENANTS;
    return tenant;
}

/* One transaction for `first` and its successors. *again: one of them failed
 * half way, and each must be repeated in a transaction of its own. */
static quire_status put_batch(struct artifacts *a, struct put *first,
                              bool *again, quire_error *err)
{
    quire_status st = blobs_begin(a->c.blobs, tenant_of(first), err);
    bool wrote, any = false;
    struct put *put;

    *again = false;
    if (st)
        return st;
    for (put = first; put && !st; put = put->next) {
        put->status = artifact_put_inside(a, put, &wrote, &put->why);
        any |= !put->status;
        /* A failure may have ended the transaction: the next put would write
         * outside of one. */
        if (put->status && (wrote || !db_inside(a->c.catalog->db))) {
            *again = first->next;
            st = put->status;
        }
    }
    if (!st && any)
        st = commit_for_all(a, first, err);
    else
        blobs_rollback(a->c.blobs);
    return st;
}

static void fail_all(struct put *first, quire_status st, const quire_error *err)
{
    struct put *put;

    for (put = first; put; put = put->next) {
        if (put->status)
            continue;
        put->status = st;
        put->why = *err;
    }
}

static void put_single(struct artifacts *a, struct put *put)
{
    struct put *next = put->next;
    quire_error err = {0};
    quire_status st;
    bool again;

    put->next = NULL;
    st = put_batch(a, put, &again, &err);
    if (st)
        fail_all(put, st, &err);
    put->next = next;
}

static void put_all(struct artifacts *a, struct put *first)
{
    quire_error err = {0};
    struct put *put;
    bool again;
    quire_status st = put_batch(a, first, &again, &err);

    if (st && !again)
        fail_all(first, st, &err);
    for (put = first; put && again; put = put->next)
        put_single(a, put);
}

/* Dequeue up to BATCH_MAX waiting puts. */
static struct put *dequeue_batch(struct commit_queue *g)
{
    struct put *first = g->first, *put = first;
    int n;

    for (n = 1; n < BATCH_MAX && put->next; n++)
        put = put->next;
    g->first = put->next;
    if (!g->first)
        g->last = &g->first;
    put->next = NULL;
    return first;
}

/* Run as leader. The lock is held on entry and on return. Wakes the threads
 * with finished puts, and one of those that arrived meanwhile. */
static void run_leader(struct commit_queue *g, struct artifacts *a)
{
    struct put *first = dequeue_batch(g), *put;

    g->led = true;
    pthread_mutex_unlock(&g->lock);
    put_all(a, first);

    pthread_mutex_lock(&g->lock);
    while ((put = first)) {
        first = put->next; /* `put` is invalid once its thread runs */
        put->done = true;
        pthread_cond_signal(&put->wake);
    }
    g->led = g->first != NULL;
    if (g->first) {
        g->first->leads = true;
        pthread_cond_signal(&g->first->wake);
    }
}

/* Commit a put, together with waiting puts of other threads. Durable. */
static quire_status commit_queue_put(struct artifacts *a, struct put *put)
{
    struct commit_queue *g = a->c.queue;

    if (a->immediate) {
        put_single(a, put);
        return put->status;
    }
    pthread_cond_init(&put->wake, NULL);
    pthread_mutex_lock(&g->lock);
    *g->last = put;
    g->last = &put->next;
    put->leads = !g->led;
    while (!put->done && !put->leads)
        pthread_cond_wait(&put->wake, &g->lock);
    if (!put->done)
        run_leader(g, a);
    pthread_mutex_unlock(&g->lock);
    pthread_cond_destroy(&put->wake);
    return put->status;
}

quire_status artifact_put(struct artifacts *a, const struct artifact_new *what,
                          struct arena *keep, quire_artifact *out,
                          quire_error *err)
{
    struct put put = {.what = what,
                      .clock = a->c.catalog->clock,
                      .relaxed = a->c.catalog->relaxed,
                      .keep = keep,
                      .out = out};
    quire_status st = artifact_check_size(what->content.len, what->limits, err);

    if (st)
        return st;
    st = commit_queue_put(a, &put);
    if (st && err)
        *err = put.why;
    return st;
}
