/*
 * session_continue.c - the session in which an imported one goes on
 *
 * It is a fork of the imported session, made when something is appended to that. The
 * catalogue records it, so that a second append finds it, and a retry with an
 * idempotency key finds its entry. An import that changes the imported session ends
 * that: what is appended then goes to a new fork, which has what is new.
 *
 *   (1) The imported session is open for writing, so locked, while its fork is looked
 *       up or made: two processes do not make two.
 *   (2) The fork is complete before it is recorded. A crash in between leaves a fork
 *       that nothing was appended to.
 */
#include <pthread.h>
#include <string.h>

#include "api/session.h"
#include "api/transaction.h"
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/import_ledger.h"

static quire_status note_main(void *ctx, const quire_import_file *f,
                              quire_error *err)
{
    bool *found = ctx;

    (void)err;
    *found = *found || f->is_main;
    return QUIRE_OK;
}

/* Whether the ledger has the file that the session was made of. */
static quire_status find_import(struct quire *q, const char *id,
                                quire_error *err)
{
    bool found = false;
    quire_status st = need_own_rows(q, false, err);

    if (!st)
        st = import_list(&q->catalog, q->tenant, id, note_main, &found, err);
    return st || found ? st : QUIRE_NOT_FOUND;
}

/* *out is NULL if it was never made, or removed since. */
static quire_status open_made(struct quire *q, const char *id,
                              struct arena *tmp, quire_session **out,
                              quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct session_location p = {0};
    const char *child;
    quire_status st = continuation_find(&q->catalog, q->tenant, id, tmp, &child,
                                        err);

    if (!st)
        st = session_lookup(q, child, tmp, &p, err);
    if (!st)
        st = session_open_location(q, &p, &o, tmp, out, err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status make_fork(struct quire *q, const char *id, const char *name,
                              struct arena *tmp, quire_session **out,
                              quire_error *err)
{
    const char *path = arena_printf(tmp, "%s/%s", q->root, name);
    quire_session_info info;
    quire_status st = path ? transaction_check_none(q, "a fork of a session",
                                                    err)
                           : err_memory(err);

    if (!st)
        st = quire_session_fork(q, path, NULL, out, err);
    if (!st)
        st = need_own_rows(q, true, err);
    if (!st) {
        quire_session_describe(*out, &info);
        st = continuation_put(&q->catalog, q->tenant, id, info.id, err);
    }
    if (!st)
        return st;
    quire_session_close(*out);
    *out = NULL;
    return st;
}

static void use_as_last(struct quire *q, quire_session *s)
{
    quire_session_info info;

    quire_session_describe(s, &info);
    if (info.path)
        session_remember_last(q, info.cwd, info.path);
}

quire_status session_next(void *ctx, const char *id, const char *name,
                          bool make, quire_session **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct quire *q = ctx;
    quire_status st;

    *out = NULL;
    /* A copy outside the home was not imported there. */
    if (q->kind != QUIRE_KIND_NATIVE || !strchr(name, '/'))
        return QUIRE_NOT_FOUND;
    pthread_mutex_lock(&q->blob_turn); /* other sessions may be in use */
    st = find_import(q, id, err);
    if (!st)
        st = make ? make_fork(q, id, name, &tmp, out, err)
                  : open_made(q, id, &tmp, out, err);
    if (!st && *out)
        use_as_last(q, *out);
    pthread_mutex_unlock(&q->blob_turn);
    arena_release(&tmp);
    return st;
}
