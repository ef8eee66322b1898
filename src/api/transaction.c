/*
 * transaction.c - calls that share one commit
 *
 * A transaction is one transaction of the catalogue and one batch of blob files:
 * the calls in it wait for the disk once, at its end.
 *
 *   (1) A call that is refused has changed nothing, and the transaction goes on.
 *       A call that fails after it changed rows or files spoils it: nothing is
 *       kept, and each call is to be repeated alone (store/db.h).
 *   (2) Blob files are synced before the rows that name them are committed.
 *   (3) Workspace files follow their artifacts after the commit. Before it, a
 *       file removed for an artifact that then was not removed would look like a
 *       user's deletion. What a user did to a file before its artifact is removed
 *       becomes a version inside the transaction; a workspace in use is not
 *       waited for then, and only briefly after the commit.
 *   (4) After a rollback the modules are opened again: they may have cached
 *       tables that the transaction created.
 *
 * Lock order, as in every put: blob files, then the catalogue. The lock of a
 * workspace comes before both and is taken only if it is free.
 */

#include "base/err.h"
#include "memory/memory.h"
#include "memory/scratchpad.h"
#include "api/transaction.h"
#include "api/workspace.h"

quire_status quire_transaction_begin(quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st && q->in_transaction)
        st = err_set(err, QUIRE_INVALID, "a transaction is open already");
    if (!st)
        st = q->kind == QUIRE_KIND_NATIVE && q->db_path
                 ? need_all_artifacts(q, true, err)
                 : need_blobs(q, true, err);
    if (!st)
        st = blobs_open_group(q->blobs, err);
    if (st)
        return st;
    q->in_transaction = true;
    q->n_transactions++;
    if (q->artifacts)
        artifacts_set_immediate(q->artifacts, true);
    return QUIRE_OK;
}

/* Forget what was cached inside a transaction that is not kept. */
static void reopen_modules(struct quire *q)
{
    workspace_drop_pending(q);
    artifacts_free(q->artifacts);
    q->artifacts = NULL;
    memories_free(q->memories);
    q->memories = NULL;
    scratchpads_free(q->pads);
    q->pads = NULL;
    tenant_views_invalidate(q);
    q->limits_state = 0;
}

static quire_status end_transaction(struct quire *q, bool keep, bool *kept,
                                    quire_error *err)
{
    quire_status st = blobs_close_group(q->blobs, keep, kept, err);

    q->in_transaction = false;
    if (q->artifacts)
        artifacts_set_immediate(q->artifacts, false);
    if (*kept)
        workspace_follow_pending(q);
    else
        reopen_modules(q);
    return st;
}

quire_status quire_transaction_end(quire *q, int *kept, quire_error *err)
{
    quire_status st = check_free(q, err);
    bool is_kept = false;

    if (!st && !q->in_transaction)
        st = err_set(err, QUIRE_INVALID, "no transaction is open");
    if (!st)
        st = end_transaction(q, true, &is_kept, err);
    if (kept)
        *kept = is_kept;
    return st;
}

void quire_transaction_rollback(quire *q)
{
    bool kept;

    if (q->in_transaction && !q->in_callback)
        end_transaction(q, false, &kept, NULL);
}

/* ---- other names for the same ------------------------------------------- */

quire_status quire_begin(quire *q, quire_error *err)
{
    return quire_transaction_begin(q, err);
}

quire_status quire_commit(quire *q, quire_error *err)
{
    return quire_transaction_end(q, NULL, err);
}

void quire_rollback(quire *q)
{
    quire_transaction_rollback(q);
}

quire_status quire_group_begin(quire *q, quire_error *err)
{
    return quire_transaction_begin(q, err);
}

quire_status quire_group_end(quire *q, int *kept, quire_error *err)
{
    return quire_transaction_end(q, kept, err);
}

quire_status transaction_check_none(const struct quire *q, const char *what,
                                    quire_error *err)
{
    if (!q->in_transaction)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL "end it with quire_transaction_end() first",
                    "%s cannot be used while a transaction is open", what);
}
