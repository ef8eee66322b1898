/* verify.c - see verify.h */
#include "api/verify.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/parallel.h"

/* What one thread uses alone. */
struct worker {
    struct blobs *blobs;
    struct store *files;
    struct db *db;
    struct worker *next;
};

struct workers {
    struct quire *q;
    pthread_mutex_t lock; /* for the list */
    struct worker *list;
};

static void free_worker(struct worker *h)
{
    blobs_free(h->blobs);
    store_free(h->files);
    if (h->db)
        db_close(h->db);
    free(h);
}

/* Runs in the worker thread. `q` does not change meanwhile. */
static quire_status open_worker(void *ctx, struct blobs **out, quire_error *err)
{
    struct workers *workers = ctx;
    const struct quire *q = workers->q;
    struct blobs_config config = {.layout = q->layout, .clock = &q->clock};
    struct worker *h = calloc(1, sizeof *h);
    quire_status st;

    if (!h)
        return err_memory(err);
    st = open_blob_files(q, &h->files, err);
    if (!st && q->blobs_db)
        st = open_another_db(q, &h->db, err);
    if (!st) {
        config.files = h->files->objects;
        config.leases = h->files->leases;
        config.db = h->db;
        st = blobs_new(&config, &h->blobs, err);
    }
    if (st) {
        free_worker(h);
        return st;
    }
    pthread_mutex_lock(&workers->lock);
    h->next = workers->list;
    workers->list = h;
    pthread_mutex_unlock(&workers->lock);
    *out = h->blobs;
    return QUIRE_OK;
}

static void close_worker(void *ctx, struct blobs *b)
{
    struct workers *workers = ctx;
    struct worker **at, *found = NULL;

    pthread_mutex_lock(&workers->lock);
    for (at = &workers->list; *at && (*at)->blobs != b;)
        at = &(*at)->next;
    if (*at) {
        found = *at;
        *at = found->next;
    }
    pthread_mutex_unlock(&workers->lock);
    if (found)
        free_worker(found);
}

/* Worker threads would not see the changes of an open transaction, nor would
 * their calls be traced. */
bool verify_can_share(const struct quire *q)
{
    return !q->in_transaction && !q->trace.line;
}

quire_status verify_all_blobs(struct quire *q, unsigned flags,
                              const quire_check_hooks *hooks, quire_error *err)
{
    struct workers workers = {.q = q};
    struct blob_workers pool = {parallel_n_threads(), open_worker, close_worker,
                                &workers};
    quire_status st;

    pthread_mutex_init(&workers.lock, NULL);
    st = blob_check_all(q->blobs, flags, verify_can_share(q) ? &pool : NULL,
                        hooks, err);
    pthread_mutex_destroy(&workers.lock);
    return st;
}
