/*
 * commit_queue.c - puts of several threads in one commit
 *
 * A commit costs a wait for the disk, and some pages of the database that every
 * put changes. Threads that put into the same database at once share both: who
 * comes first leads, and takes along all that are waiting, on its own
 * connection. What comes meanwhile waits for the next leader. Nobody waits for
 * company: one thread alone does its own put, at once.
 *
 *     waiting   first -> put -> put      in the order they came
 *     led       somebody is at it
 *
 * The next one leads when the disk has what the last one wrote. To lead while
 * the disk is busy was tried: then each has two or three puts, where it would
 * have had all the others, and the pages that every put changes are written
 * that much more often.
 *
 * A put that is refused has written nothing (put.c), and the others go on. One
 * that fails otherwise may have left half of itself in the transaction: then
 * none of it is kept, and each is done again in a transaction of its own. All
 * wait for another process as long as their leader would.
 *
 * Processes do not commit_queue; they take turns at the database.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "artifact/priv.h"
#include "base/err.h"

/* More would make the first of them wait too long. */
#define TOGETHER_MAX 64

struct commit_queue {
    dev_t device; /* of the database, a file: what is at a path may change */
    ino_t inode;
    int users;
    struct commit_queue *next;

    pthread_mutex_t lock;
    struct put *first, **last;
    bool led;
};

/* Those of files, found by them. The one thing that the library knows of a
 * process rather than of a handle. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct commit_queue *all;

/* ---- who gathers where --------------------------------------------------- */

/* After a fork the threads that led are gone, and so are their handles. */
static void forget_parents(void)
{
    pthread_mutex_init(&all_lock, NULL);
    all = NULL;
}

static void mind_forks(void)
{
    pthread_atfork(NULL, NULL, forget_parents);
}

static struct commit_queue *make(void)
{
    struct commit_queue *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    pthread_mutex_init(&g->lock, NULL);
    g->last = &g->first;
    g->users = 1;
    return g;
}

static void destroy(struct commit_queue *g)
{
    pthread_mutex_destroy(&g->lock);
    free(g);
}

quire_status commit_queue_join(const char *name, struct commit_queue **out,
                               quire_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct commit_queue *mine = make(), *g;
    struct stat file;

    *out = mine;
    if (!mine)
        return err_memory(err);
    if (!name || stat(name, &file) < 0)
        return QUIRE_OK;
    pthread_once(&once, mind_forks);
    mine->device = file.st_dev;
    mine->inode = file.st_ino;
    pthread_mutex_lock(&all_lock);
    for (g = all; g; g = g->next) {
        if (g->device == file.st_dev && g->inode == file.st_ino)
            break;
    }
    if (g) {
        g->users++;
        *out = g;
    } else {
        mine->next = all;
        all = mine;
    }
    pthread_mutex_unlock(&all_lock);
    if (g)
        destroy(mine);
    return QUIRE_OK;
}

void commit_queue_leave(struct commit_queue *g)
{
    struct commit_queue **at;
    bool last;

    if (!g)
        return;
    pthread_mutex_lock(&all_lock);
    last = --g->users == 0;
    for (at = &all; last && *at; at = &(*at)->next) {
        if (*at == g) {
            *at = g->next;
            break;
        }
    }
    pthread_mutex_unlock(&all_lock);
    if (last)
        destroy(g);
}

/* ---- doing them ---------------------------------------------------------- */

/* A leader who waits for no disk may lead one who does. */
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

/* One transaction for `first` and those behind it. *again: it was not kept for
 * the sake of one of them, and each is to be tried alone. */
static quire_status put_together(struct artifacts *a, struct put *first,
                                 bool *again, quire_error *err)
{
    quire_status st = blobs_begin(a->c.blobs, err);
    bool wrote, any = false;
    struct put *put;

    *again = false;
    if (st)
        return st;
    for (put = first; put && !st; put = put->next) {
        put->status = put_inside(a, put, &wrote, &put->why);
        any |= !put->status;
        /* A database that memory or disk failed may have ended it all: then
         * the next one would write outside of any transaction. */
        if (put->status && (wrote || !db_inside(a->c.catalog->db))) {
            *again = first->next;
            st = put->status;
        }
    }
    if (!st && any)
        st = commit_for_all(a, first, err);
    else
        blobs_rollback(a->c.blobs);
    /* An index that was made in there is not there. */
    if (st)
        artifact_fulltext_release(&a->words);
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

static void put_alone(struct artifacts *a, struct put *put)
{
    struct put *next = put->next;
    quire_error err = {0};
    quire_status st;
    bool again;

    put->next = NULL;
    st = put_together(a, put, &again, &err);
    if (st)
        fail_all(put, st, &err);
    put->next = next;
}

static void put_all(struct artifacts *a, struct put *first)
{
    quire_error err = {0};
    struct put *put;
    bool again;
    quire_status st = put_together(a, first, &again, &err);

    if (st && !again)
        fail_all(first, st, &err);
    for (put = first; put && again; put = put->next)
        put_alone(a, put);
}

/* Take those that wait, up to TOGETHER_MAX. */
static struct put *take(struct commit_queue *g)
{
    struct put *first = g->first, *put = first;
    int n;

    for (n = 1; n < TOGETHER_MAX && put->next; n++)
        put = put->next;
    g->first = put->next;
    if (!g->first)
        g->last = &g->first;
    put->next = NULL;
    return first;
}

/* Lead. The lock is held at the beginning and at the end. Nobody is woken for
 * nothing: those whose puts are done, and one of those that came meanwhile. */
static void lead(struct commit_queue *g, struct artifacts *a)
{
    struct put *first = take(g), *put;

    g->led = true;
    pthread_mutex_unlock(&g->lock);
    put_all(a, first);

    pthread_mutex_lock(&g->lock);
    while ((put = first)) {
        first = put->next; /* it is gone when its thread has seen that */
        put->done = true;
        pthread_cond_signal(&put->wake);
    }
    g->led = g->first != NULL;
    if (g->first) {
        g->first->leads = true;
        pthread_cond_signal(&g->first->wake);
    }
}

quire_status commit_queue_put(struct artifacts *a, struct put *put)
{
    struct commit_queue *g = a->commit_queue;

    if (a->alone) {
        put_alone(a, put);
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
        lead(g, a);
    pthread_mutex_unlock(&g->lock);
    pthread_cond_destroy(&put->wake);
    return put->status;
}
