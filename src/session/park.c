/*
 * park.c - keep a session open between uses, for a server's pool
 *
 * A parked session has its index, its log and its store, but neither the write
 * lock, nor the handle that it was opened with, nor buffers: two descriptors and
 * some fifty bytes an entry. Resuming costs one look at the file if it is
 * unchanged, whatever its size. Other processes may write to it meanwhile; what
 * they appended is loaded then, and a file that was replaced or moved is not
 * resumed.
 */
#include "base/bytes.h"
#include "session/priv.h"

/* Whether nothing of it is lost when it is used again as if just opened. */
static bool can_park(const quire_session *s)
{
    return s->in_file && !s->env.bound && !s->scratch && !s->stale &&
           !s->suspect && !s->failed.status && !s->lost.status &&
           s->n_lent == 0 && (s->read_only || s->n_synced >= s->n_written);
}

int quire_session_park(quire_session *s)
{
    bool can = session_enter(s, NULL) == QUIRE_OK;

    if (!can)
        return 0;
    can = can_park(s);
    if (can) {
        log_release(s->log);
        buf_release(&s->window);
        s->window_at = 0;
        buf_release(&s->out);
        arena_release(&s->tmp);
        arena_release(&s->lent);
    }
    session_leave(s);
    return can;
}

uint64_t quire_session_memory(const quire_session *s)
{
    const struct index *x = &s->index;

    /* Long ids and operations are estimated by their number. */
    return sizeof *s + (uint64_t)x->cap * sizeof *x->list +
           (uint64_t)x->n_slots * sizeof *x->slots + (uint64_t)x->n_ids * 16 +
           (uint64_t)s->heads.cap * sizeof *s->heads.list +
           (s->ops ? (uint64_t)s->ops->seen * 64 : 0) + s->window.cap +
           s->out.cap;
}

/* The log was opened for reading: open the one that has the name now. */
static quire_status reopen_to_append(quire_session *s, quire_error *err)
{
    struct log *log;
    quire_status st = session_hold(s->store->logs, s->name, s->env.busy_ms,
                                   &log, err);

    if (st)
        return st;
    log_close(s->log);
    s->log = log;
    s->log_reads = false;
    return load_anew(s, false, err);
}

static quire_status resume_log(quire_session *s, quire_error *err)
{
    uint64_t size;
    bool named;
    quire_status st = QUIRE_OK;

    if (!s->read_only && s->log_reads)
        return reopen_to_append(s, err);
    if (!s->read_only)
        st = log_hold(s->log, s->env.busy_ms, err);
    if (!st)
        st = log_status(s->log, &size, &named, err);
    if (!st && !named)
        st = err_fail(err, QUIRE_CHANGED, "open the session again, by its id",
                      "%s has been replaced, moved or removed", s->path);
    return st ? st : load_refresh(s, err);
}

quire_status session_resume(quire_session *s, const struct session_env *env,
                            unsigned flags, quire_durability sync,
                            quire_error *err)
{
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    s->env = *env;
    s->flags = flags;
    s->sync = sync;
    s->read_only = (flags & QUIRE_SESSION_READ) != 0;
    st = resume_log(s, err);
    if (!st)
        load_find_leaf(s);
    /* What others appended meanwhile may not be on the disk: the next sync covers
     * it. */
    if (!st && !s->read_only)
        s->n_written = s->n_synced + 1;
    if (st)
        log_release(s->log);
    session_leave(s);
    return st;
}
