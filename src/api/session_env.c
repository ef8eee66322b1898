/*
 * session_env.c - what an open session needs of the handle
 *
 * Its blobs, a hold on them while lines refer to them, and the session in which an
 * imported one goes on.
 */
#include <string.h>

#include "base/err.h"
#include "api/gc_sources.h"
#include "api/session.h"
#include "api/transaction.h"

/* A session outside the home is registered, so that a collection scans it. */
static quire_status note_outside(struct quire *q, const char *path,
                                 quire_error *err)
{
    struct store *home;
    quire_status st = need_home(q, &home, err);
    const char *place;
    size_t len;

    if (st)
        return st;
    place = store_place(home);
    len = strlen(place);
    if (*path != '/' || (!strncmp(path, place, len) && path[len] == '/' &&
                         gc_sources_include(path + len + 1)))
        return QUIRE_OK;
    return gc_sources_register(q, path, err);
}

static quire_status lend_blobs(void *ctx, const char *path,
                               struct blob_view *out, quire_error *err)
{
    struct quire *q = ctx;
    quire_status st;

    pthread_mutex_lock(&q->blob_turn);
    /* A rollback removes blobs, but not the line that refers to them. */
    st = path ? transaction_check_none(q, "images of a session", err)
              : QUIRE_OK;
    if (!st)
        st = need_own_blobs(q, path != NULL, out, err);
    if (!st && path)
        st = note_outside(q, path, err);
    if (!st && path)
        st = blobs_hold(q->blobs, err);
    return st;
}

static void return_blobs(void *ctx)
{
    struct quire *q = ctx;

    pthread_mutex_unlock(&q->blob_turn);
}

static void release_hold(void *ctx)
{
    release_blobs(ctx);
}

static quire_status guard_entry(void *ctx, struct arena *keep,
                                quire_bytes *entry, uint64_t *n_secrets,
                                quire_error *err)
{
    enum secrets_policy policy;
    quire_status st = secrets_policy(ctx, &policy, err);

    *n_secrets = 0;
    return st ? st
              : secrets_guard_entry(ctx, policy, "", keep, entry, n_secrets,
                                    err);
}

struct session_env sessions_env(struct quire *q, bool omp)
{
    return (struct session_env){.clock = &q->clock,
                                .rand = &rand_system,
                                .omp = omp,
                                .bound = q->trace.line != NULL,
                                .busy_ms = q->busy_ms,
                                .blobs = lend_blobs,
                                .release = return_blobs,
                                .written = release_hold,
                                .next = session_next,
                                .guard = guard_entry,
                                .ctx = q};
}
