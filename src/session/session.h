/*
 * session.h - interface of the session module
 *
 * A session is a log of lines (store/log.h) and an index of it in memory.
 * This module knows entries, branches and the context for a model; callers
 * decide where a session is stored and what it is called.
 *
 * A quire_session is the handle of the public header, which this module defines
 * together with the public functions that need no home. Calls on one are
 * serialized by its lock, except where noted.
 * Slices they return are valid until the next call.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "blob/blob.h"
#include "quire.h"
#include "store/store.h"

/* The services a session uses. */
struct session_env {
    const struct clock *clock;
    const struct rand_source *rand;
    bool omp;    /* share the file with oh-my-pi: its locks, its names      */
    bool bound;  /* the store refers to `ctx`: it must not outlive it       */
    int busy_ms; /* how long to wait for another writer                     */

    /* The blob store, opened when it is first needed, for the calling thread
     * alone until `release`. NULL in *out: none, images stay where they are.
     * With `path`, the session's, to write: then nothing is collected until
     * `written`, once for each such call that succeeded. */
    quire_status (*blobs)(void *ctx, const char *path, struct blob_view *out,
                          quire_error *err);
    void (*release)(void *ctx);
    void (*written)(void *ctx);

    /* The session in which the imported session `id`, called `name`, goes on,
     * open for writing; *out is NULL if there is none and `make` is false.
     * QUIRE_NOT_FOUND: it is an ordinary session. NULL: all are. */
    quire_status (*next)(void *ctx, const char *id, const char *name, bool make,
                         quire_session **out, quire_error *err);

    /* Look for secrets in an entry that is appended; *entry may become another one, in
     * `keep`. NULL: do not. */
    quire_status (*guard)(void *ctx, struct arena *keep, quire_bytes *entry,
                          uint64_t *n_secrets, quire_error *err);
    void *ctx;
};

/* The header of a new session. */
struct session_birth {
    const char *id, *cwd;
    const char *title, *parent; /* may be NULL */
    const char *agent, *source; /* of an imported one; may be NULL          */
    int64_t at_us;
};

/* Where it is stored. `store` is borrowed, or owned with `own_store`: then it
 * is freed with the session, and also when the call fails. The session uses its
 * logs alone; outputs beside it are the callers'. */
struct session_place {
    struct store *store;
    bool own_store;
    const char *name;
};

/* A new session. With flags QUIRE_SESSION_AT_ONCE or _MEMORY, or neither.
 * QUIRE_EXISTS when the name is taken. */
quire_status session_new(const struct session_env *env,
                         const struct session_place *place,
                         const struct session_birth *birth, unsigned flags,
                         quire_durability sync, quire_session **out,
                         quire_error *err);

/* An existing session. `birth` is for a file that is empty and opened for
 * writing; NULL: that is QUIRE_DAMAGED as it is for reading. QUIRE_NOT_FOUND.
 */
quire_status session_open(const struct session_env *env,
                          const struct session_place *place,
                          const struct session_birth *birth, unsigned flags,
                          quire_durability sync, quire_session **out,
                          quire_error *err);

/* Use a parked session again: quire_session_resume(). `env` replaces the one that it
 * was opened with. QUIRE_CHANGED: its file was replaced, moved or removed. */
quire_status session_resume(quire_session *s, const struct session_env *env,
                            unsigned flags, quire_durability sync,
                            quire_error *err);

/* Open the log `name` for appending, and lock it. If it loses its name before
 * the lock is taken, open it again. QUIRE_NOT_FOUND, QUIRE_BUSY. */
quire_status session_hold(struct log_store *store, const char *name,
                          int busy_ms, struct log **out, quire_error *err);

const char *session_name(const quire_session *s);
struct store *session_store(const quire_session *s);

/* ---- tree.c: reading; QUIRE_NOT_FOUND without a message ------------------ */

quire_status session_path(quire_session *s, const char *leaf, unsigned flags,
                          quire_entry_fn each, void *ctx, quire_error *err);
quire_status session_window(quire_session *s, const quire_window_options *o,
                            quire_window *out, quire_entry_fn each, void *ctx,
                            quire_error *err);
quire_status session_children(quire_session *s, const char *parent,
                              quire_entry_fn each, void *ctx, quire_error *err);
quire_status session_entry(quire_session *s, const char *id, quire_entry *out,
                           quire_error *err);

/* ---- rewrite.c: whole files --------------------------------------------- */

quire_status session_rename(quire_session *s, const char *title,
                            quire_error *err);

/* Add the first two lines of a session file: the title slot, of a fixed size, and
 * the header. `when` is the time of the title. session_set_slot() overwrites
 * that slot of an open log. */
quire_status session_head(const struct session_birth *birth, int64_t when_us,
                          struct buf *out, quire_error *err);
quire_status session_set_slot(struct log *log, const char *title,
                              int64_t when_us, quire_error *err);

/* Set the header's `cwd` (NULL: leave it), by rewriting the file. */
quire_status session_rehome(quire_session *s, const char *cwd,
                            quire_error *err);

/* Write a new session to `place`, with the entries of `s`: all of them, or
 * the path down to `entry` alone, without labels but for those in force.
 * QUIRE_NOT_FOUND: no such entry. QUIRE_EXISTS: the name is taken. */
quire_status session_copy(quire_session *s, const char *entry,
                          struct log_store *store, const char *name,
                          const struct session_birth *birth, quire_error *err);

/* ---- check.c ------------------------------------------------------------ */

/* Report everything wrong with a file, in its order; with `blobs`, dangling
 * references too. */
quire_status session_check(const struct session_env *env, struct store *store,
                           const char *name, quire_problem_fn each, void *ctx,
                           quire_error *err);

/* Replace `name` by a repaired copy: what can be read, a line each, each with a
 * unique id and an existing parent. The original is kept as `kept`, complete
 * and durable, before anything else happens. *changed: false if there was
 * nothing to repair; then nothing is written. */
quire_status session_mend(const struct session_env *env, struct store *store,
                          const char *name, const char *kept, bool *changed,
                          quire_error *err);

#endif
