/* verify.c - see verify.h */
#include "api/verify.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/parallel.h"

/* What one thread has to itself. */
struct hand {
    struct blobs *blobs;
    struct object_store *files;
    struct db *db;
    struct hand *next;
};

struct hands {
    struct quire *q;
    pthread_mutex_t lock; /* for the list */
    struct hand *list;
};

static void free_hand(struct hand *h)
{
    blobs_free(h->blobs);
    if (h->files)
        h->files->ops->free(h->files);
    if (h->db)
        db_close(h->db);
    free(h);
}

/* In the thread itself: it reads what it needs of `q`, which does not change
 * meanwhile. */
static quire_status open_hand(void *ctx, struct blobs **out, quire_error *err)
{
    struct hands *hands = ctx;
    const struct quire *q = hands->q;
    struct db_config dbc = {.path = q->db_path,
                            .access = DB_READ,
                            .busy_ms = q->busy_ms};
    struct blobs_config config = {.layout = q->layout, .clock = &q->clock};
    struct hand *h = calloc(1, sizeof *h);
    quire_status st;

    if (!h)
        return err_memory(err);
    st = object_files_open(q->blob_path, true, &h->files, err);
    if (!st && q->blobs_db)
        st = db_sqlite_open(&dbc, &h->db, err);
    config.files = h->files;
    config.db = h->db;
    if (!st)
        st = blobs_new(&config, &h->blobs, err);
    if (st) {
        free_hand(h);
        return st;
    }
    pthread_mutex_lock(&hands->lock);
    h->next = hands->list;
    hands->list = h;
    pthread_mutex_unlock(&hands->lock);
    *out = h->blobs;
    return QUIRE_OK;
}

static void close_hand(void *ctx, struct blobs *b)
{
    struct hands *hands = ctx;
    struct hand **at, *found = NULL;

    pthread_mutex_lock(&hands->lock);
    for (at = &hands->list; *at && (*at)->blobs != b;)
        at = &(*at)->next;
    if (*at) {
        found = *at;
        *at = found->next;
    }
    pthread_mutex_unlock(&hands->lock);
    if (found)
        free_hand(found);
}

/* What is in an open batch nobody else can see, and who listens to what is
 * asked of files and database is to hear all of it: then this thread does it
 * alone. */
bool verify_can_share(const struct quire *q)
{
    return !q->in_transaction && !q->trace.line;
}

quire_status verify_all_blobs(struct quire *q, unsigned flags,
                              const quire_check_hooks *hooks, quire_error *err)
{
    struct hands hands = {.q = q};
    struct blob_workers crew = {parallel_n_threads(), open_hand, close_hand,
                                &hands};
    quire_status st;

    pthread_mutex_init(&hands.lock, NULL);
    st = blob_check_all(q->blobs, flags, verify_can_share(q) ? &crew : NULL,
                        hooks, err);
    pthread_mutex_destroy(&hands.lock);
    return st;
}
