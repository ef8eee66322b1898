/*
 * search_update.c - bring an index up to date
 *
 * What is new is found and indexed by search_files.c and search_rows.c. Here is what
 * both have in common: following the home's engine, which other processes and threads
 * change, and trying again when one of them came between.
 */
#include "api/search.h"
#include "base/err.h"

static quire_status try_update(struct search_index *x,
                               enum search_target target,
                               struct search_progress *p, quire_error *err)
{
    return x->part == SEARCH_ROWS ? search_update_rows(x, target, err)
                                  : search_update_files(x, target, p, err);
}

/* Rows of a transaction that has ended are forgotten: it may have been rolled back.
 * Load the state of the home's index. If another process or thread has changed it,
 * what is in memory does not continue it any more: *changed. */
static quire_status follow_home(struct search_index *x, bool *changed,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;

    *changed = false;
    if (x->transaction &&
        (!x->q->in_transaction || x->transaction != x->q->n_transactions)) {
        search_drop_pending(x);
        x->transaction = 0;
    }
    if (!x->home)
        return QUIRE_OK;
    st = engine_reload(x->home, changed, err);
    *changed = *changed || engine_epoch(x->home) != x->home_epoch;
    if (!st && *changed)
        search_drop_pending(x);
    x->home_epoch = engine_epoch(x->home);
    return st;
}

/* After a failure, whose reason is kept if there is too much for memory. */
static quire_status update_in_memory(struct search_index *x,
                                     struct search_progress *p,
                                     quire_status failed, quire_error *err)
{
    quire_error why = {.what = ""};
    quire_status st = try_update(x, TARGET_MEMORY, p, &why);

    if (st != QUIRE_BUSY || failed == QUIRE_BUSY) {
        if (st && err)
            *err = why;
        return st;
    }
    return failed;
}

/* An update compares files with rows of the home's index as they are now, a search
 * reads segments as they were loaded. So another writer must not have come between:
 * then all of it is done again. */
enum { UPDATE_TRIES = 16 };

quire_status search_update(struct search_index *x, bool all,
                           struct search_progress *p, quire_error *err)
{
    bool changed;
    quire_status st = follow_home(x, &changed, err);
    int tries;

    search_forget_texts(x->q);
    for (tries = 0; tries < UPDATE_TRIES && !st; tries++) {
        st = try_update(x, all ? TARGET_HOME : TARGET_ANY, p, err);
        /* Another writer is not waited for, and a full disk is no reason to find
         * nothing. */
        if (st == QUIRE_IO && !all)
            search_drop_pending(x);
        if ((st == QUIRE_BUSY || st == QUIRE_IO) && !all)
            st = update_in_memory(x, p, st, err);
        if (st)
            break;
        if (x->home && !x->pending)
            x->home_epoch = engine_epoch(x->home);
        st = follow_home(x, &changed, err);
        if (!st && !changed)
            return QUIRE_OK;
    }
    /* What is in memory may be half of it. */
    if (st && st != QUIRE_BUSY)
        search_drop_pending(x);
    return st ? st
              : err_fail(err, QUIRE_BUSY, "try again",
                         "other processes keep changing the search index");
}
