/*
 * continue.c - an imported session goes on in another one
 *
 * A session file that was made of another agent's file stays as that file is, so
 * that the next import fits. What is appended goes to a native session that has it as
 * its parent. The caller decides which one (session_env.next); the open session then
 * becomes that one, and its caller may keep the handle.
 *
 * Labels and titles are no entries of the conversation: they stay with the imported
 * session, marked as made here ("local"), and an import keeps them.
 */
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "session/priv.h"

quire_status continue_find(quire_session *s, bool make, quire_session **out,
                           quire_error *err)
{
    *out = NULL;
    if (!s->header.imported || !s->in_file || !s->env.next)
        return QUIRE_NOT_FOUND;
    return s->env.next(s->env.ctx, s->header.id, s->name, make, out, err);
}

/* The leaf of `s` in its copy, if it was moved; else the copy's own. */
static void carry_leaf(const quire_session *s, quire_session *next)
{
    const char *id;

    if (s->leaf_is_last)
        return;
    next->leaf = NONE;
    next->leaf_is_last = false;
    if (s->leaf == NONE)
        return;
    id = arena_text(&next->tmp, entry_id(&s->index.list[s->leaf]));
    if (id)
        next->leaf = session_find(next, id);
}

void continue_in(quire_session *s, quire_session *next)
{
    enum { BYTES = offsetof(struct quire_session, lock) };
    unsigned char was[BYTES];
    uint64_t n = s->n_written;

    carry_leaf(s, next);
    next->flags = s->flags;
    next->sync = s->sync;
    memcpy(was, s, BYTES);
    memcpy(s, next, BYTES);
    memcpy(next, was, BYTES);
    /* Threads that wait for a sync of ours count on; all of it is synced. */
    s->n_written = n + 1;
    s->n_synced = n;
    quire_session_close(next);
}

quire_status continue_refuse(const quire_session *s, quire_error *err)
{
    if (!s->header.imported)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL
                    "`quire session fork` makes a session of your own of it",
                    "session %s was imported: its entries are those of "
                    "the agent's file",
                    s->header.id);
}
