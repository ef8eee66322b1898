/*
 * transaction.c - calls that are kept together
 *
 * A server has many small changes to make at once, each of which is to last
 * before it is answered. To wait for the disk once for all of them they are made
 * one after the other by one handle, in one transaction of the catalogue.
 *
 *   (1) A call that is refused has changed nothing, and the others go on. One
 *       that fails after it changed rows spoils the group: nothing of it is
 *       kept, and each is to be made again alone (store/db.h).
 *   (2) Files with blobs are on the disk before the group is: each call sees to
 *       that, as it would alone.
 *   (3) The files of workspaces follow artifacts when these are kept. Before that
 *       they must not: a file that went with an artifact that did not go would
 *       look as if somebody had removed it. What somebody did to a file before
 *       its artifact goes becomes a version in the group, like any other; a
 *       workspace that is in use is not waited for then, and not for long when
 *       files follow.
 *   (4) What the rooms remember of tables that the group made is forgotten with
 *       it.
 *
 * Locks are taken in the order of every put: the files before the catalogue, and
 * that of a workspace, which comes before both, only if it is free.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "memory/memory.h"
#include "memory/scratchpad.h"
#include "api/transaction.h"
#include "api/workspace.h"

/* A file of a workspace that is to follow. */
struct pending_file {
    int64_t tenant;
    char *key, *path; /* owned */
    enum follow when;
    struct pending_file *next;
};

static void free_followers(struct pending_file *f)
{
    struct pending_file *next;

    for (; f; f = next) {
        next = f->next;
        free(f->key);
        free(f->path);
        free(f);
    }
}

void transaction_add_pending_file(struct quire *q, const char *key,
                                  const char *path, enum follow when)
{
    struct pending_file *f = calloc(1, sizeof *f), **last = &q->pending_files;

    if (!f)
        return;
    *f = (struct pending_file){q->tenant, strdup(key), strdup(path), when,
                               NULL};
    if (!f->key || !f->path) {
        free_followers(f);
        return;
    }
    while (*last)
        last = &(*last)->next;
    *last = f;
}

/* All who are in a group wait while files follow. A workspace is in use for some
 * milliseconds as a rule; whose is longer has its files follow when somebody
 * looks at it next. */
enum { FOLLOW_MS = 200 };

/* Whoever looks at the workspace next does what fails here. */
static void follow_all(struct quire *q)
{
    struct pending_file *all = q->pending_files, *f;
    int64_t tenant = q->tenant, until = clock_steady_us() + FOLLOW_MS * 1000;
    int busy_ms = q->busy_ms;
    char which[32];

    q->pending_files = NULL;
    tenant_views_keep_current(q, true);
    for (f = all; f; f = f->next) {
        int64_t left_ms = (until - clock_steady_us()) / 1000;

        q->busy_ms = left_ms > busy_ms ? busy_ms
                     : left_ms > 0     ? (int)left_ms
                                       : 0;
        snprintf(which, sizeof which, "#%lld", (long long)f->tenant);
        if (!quire_tenant_use(q, which, NULL))
            workspace_follow_artifact(q, f->key, f->path, f->when, NULL);
    }
    if (all) {
        snprintf(which, sizeof which, "#%lld", (long long)tenant);
        quire_tenant_use(q, which, NULL);
    }
    tenant_views_keep_current(q, false);
    q->busy_ms = busy_ms;
    free_followers(all);
}

quire_status quire_group_begin(quire *q, quire_error *err)
{
    quire_status st = q->in_group ? err_set(err, QUIRE_INVALID,
                                            "a group is open already")
                                  : need_all_artifacts(q, true, err);

    if (st)
        return st;
    st = blobs_hold_lock(q->blobs, err);
    if (st)
        return st;
    st = db_open_group(q->catalog.db, err);
    if (st) {
        blobs_release(q->blobs);
        return st;
    }
    q->in_group = true;
    artifacts_set_alone(q->artifacts, true);
    return QUIRE_OK;
}

/* What was remembered of it is not so. */
static void forget_all(struct quire *q)
{
    transaction_drop_pending_files(q);
    artifacts_free(q->artifacts);
    q->artifacts = NULL;
    memories_free(q->memories);
    q->memories = NULL;
    scratchpads_free(q->pads);
    q->pads = NULL;
    tenant_views_invalidate(q);
    q->limits_state = 0;
}

quire_status quire_group_end(quire *q, int *kept, quire_error *err)
{
    quire_status st = check_free(q, err);
    bool there = false;

    if (!st && !q->in_group)
        st = err_set(err, QUIRE_INVALID, "no group is open");
    if (kept)
        *kept = 0;
    if (st)
        return st;
    st = db_close_group(q->catalog.db, &there, err);
    q->in_group = false;
    blobs_release(q->blobs);
    artifacts_set_alone(q->artifacts, false);
    if (there)
        follow_all(q);
    else
        forget_all(q);
    if (kept)
        *kept = there;
    return st;
}

quire_status transaction_check_none(const struct quire *q, quire_error *err)
{
    quire_status st;

    if (!q->in_group)
        return QUIRE_OK;
    st = err_fail(
        err, QUIRE_INVALID, "end the group with quire_group_end() first",
        "sessions and tenants cannot be removed while a group is open");
    return st;
}

void transaction_drop_pending_files(struct quire *q)
{
    free_followers(q->pending_files);
    q->pending_files = NULL;
}
