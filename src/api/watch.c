/*
 * watch.c - watching workspaces, as quire/workspace.h has it
 *
 * src/workspace/watch.c reports which session has changed files; this opens its
 * workspace, syncs it and closes it.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/bytes.h"
#include "base/err.h"
#include "api/workspace.h"
#include "workspace/watch.h"

struct quire_watch {
    struct quire *q;
    struct watch *watch;
    quire_watch_fn each;
    void *ctx;
    const char *session; /* being synced */
};

quire_status quire_watch_open(quire *q, const char *session, quire_watch **out,
                              quire_error *err)
{
    struct quire_watch *w = calloc(1, sizeof *w);
    const char *key = NULL;
    quire_status st = w ? need_artifacts(q, true, err) : err_memory(err);

    *out = NULL;
    if (!st && session)
        st = session_key(q, session, &q->loan, &key, err);
    if (!st)
        st = watch_open(q->root, key, &w->watch, err);
    if (st) {
        free(w);
        return st;
    }
    w->q = q;
    *out = w;
    return QUIRE_OK;
}

void quire_watch_close(quire_watch *w)
{
    if (!w)
        return;
    watch_close(w->watch);
    free(w);
}

int quire_watch_fd(const quire_watch *w)
{
    return watch_fd(w->watch);
}

int quire_watch_blind(const quire_watch *w)
{
    return watch_is_blind(w->watch);
}

static void tell(void *ctx, const char *what, const char *path, const char *why)
{
    struct quire_watch *w = ctx;

    if (w->each)
        w->each(w->ctx, w->session, what, path, why);
}

/* A removed session, or one that cannot have a workspace, has nothing to sync. */
static quire_status sync_one(void *ctx, const char *key, const char *path,
                             quire_error *err)
{
    struct quire_watch *w = ctx;
    quire_error why = {.what = ""};
    quire_status st;

    w->session = key;
    st = workspaces_sync(w->q, key, path, tell, w, &why);
    if (!st || st == QUIRE_NOT_FOUND || st == QUIRE_INVALID)
        return QUIRE_OK;
    if (st == QUIRE_BUSY || st == QUIRE_NO_MEMORY) {
        if (err)
            *err = why;
        return st;
    }
    /* One failing workspace must not delay the others. */
    tell(w, "passed", path ? path : "", why.what);
    return QUIRE_OK;
}

quire_status quire_watch_next(quire_watch *w, int timeout_ms,
                              quire_watch_fn each, void *ctx, quire_error *err)
{
    struct pollfd poll_fd = {.fd = watch_fd(w->watch), .events = POLLIN};
    int due = watch_due_ms(w->watch, clock_steady_us() / 1000);
    quire_status st = need_artifacts(w->q, true, err);

    if (st)
        return st;
    if (due >= 0 && (timeout_ms < 0 || due < timeout_ms))
        timeout_ms = due;
    if (poll(&poll_fd, 1, timeout_ms) < 0 && errno != EINTR)
        return err_sys(err, errno, "cannot wait for files to change");
    w->each = each;
    w->ctx = ctx;
    st = watch_read(w->watch, clock_steady_us() / 1000, err);
    if (!st)
        st = watch_take(w->watch, clock_steady_us() / 1000, sync_one, w, err);
    return st == QUIRE_BUSY ? QUIRE_OK : st; /* it stays due */
}
