/*
 * quire/keep.h - keeping sessions: pins, holds, the trash
 *
 * A pin keeps a session from retention. A hold keeps it from everything that removes
 * content: neither the session nor its artifacts and their versions are removed, by a
 * user, a rule or a collection, until the hold is released. Both belong to sessions
 * of a native home; they stay when a session is moved or archived, and a copy has
 * neither.
 *
 * `which` names a session as for quire_session_row_of().
 */
#ifndef QUIRE_KEEP_H
#define QUIRE_KEEP_H

#include "quire/session_files.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_session_keep {
    int64_t pinned_us;  /* when it was pinned; 0: it is not            */
    int64_t held_us;    /* when the hold began; 0: it is not held      */
    const char *holder; /* actor of the hold: uid:1000, admin; "": none */
    const char *reason; /* "" if it is not held                        */
    uint64_t reserved[4];
} quire_session_keep;

/* Return whether a session is pinned or held. Elsewhere than in a native home it is
 * neither.
 *
 * Owns: text of *out is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not a file
 * Durable: reads only. */
quire_status quire_session_keep_of(quire *q, const char *which,
                                   quire_session_keep *out, quire_error *err);

/* quire_session_pin() pins a session, or with 0 unpins it. quire_session_hold()
 * holds it for a reason; quire_session_release() ends the hold. What is so already
 * stays as it is. Holds and their ends are in the audit log.
 *
 * Owns: text is copied.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not in a native home; the reason is empty,
 *                    longer than 500 bytes, or not UTF-8 without control characters
 *   QUIRE_EXISTS     hold: it is held already, for another reason
 * Durable: on return. */
quire_status quire_session_pin(quire *q, const char *which, int pinned,
                               quire_error *err);
quire_status quire_session_hold(quire *q, const char *which, const char *reason,
                                quire_error *err);
quire_status quire_session_release(quire *q, const char *which,
                                   quire_error *err);

/* ---- the trash ----------------------------------------------------------- */

/* A session in the trash: it is in no list and no search, cannot be opened by its id,
 * and its artifacts count against no quota. Its blobs stay. */
typedef struct quire_trashed {
    const char *session; /* its id                                      */
    const char *title;   /* "" when it has none                         */
    const char *path;    /* where its file was                          */
    int64_t number;      /* of its row (quire/session_rows.h); 0: none  */
    int64_t removed_us;
    int64_t purge_us; /* when it is removed for good: the setting
                         trash.keep                                     */
    uint64_t bytes;   /* of its files and artifacts                     */
    uint64_t reserved[4];
} quire_trashed;

enum {
    QUIRE_TRASH_OR_REMOVE = 1 << 0, /* remove a session that has no trash  */
};

/* Move a session into the trash, with its outputs, artifacts and workspace. After a
 * crash the next writer completes the move. Sessions outside a native home, and those
 * of another program's home, have no trash: with QUIRE_TRASH_OR_REMOVE they are
 * removed as by quire_session_remove(). *trashed (may be NULL): it is in the trash.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not a session; it has no trash; a
 *                    transaction is open
 *   QUIRE_BUSY       it is open for writing, or a process works in its workspace
 *   QUIRE_EXISTS     it is held
 * Durable: on return. */
quire_status quire_session_trash(quire *q, const char *which, unsigned flags,
                                 int *trashed, quire_error *err);

/* Bring a session back from the trash, as it was and where it was: ids, numbers,
 * artifacts with their versions, workspace, folder. Quotas do not matter. `which` is
 * the id of the session, the beginning of it, or its number, "#12"; of several with one
 * id the last removed is meant. *path is its path.
 *
 * Owns: *path is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session in the trash
 *   QUIRE_INVALID    several sessions begin so; a transaction is open
 *   QUIRE_EXISTS     there is a session of this id again, or a file of its name
 *   QUIRE_BUSY       another process is moving it
 * Durable: on return. */
quire_status quire_session_restore(quire *q, const char *which,
                                   const char **path, quire_error *err);

typedef quire_status (*quire_trashed_fn)(void *ctx, const quire_trashed *t,
                                         quire_error *err);

/* List the trash of the handle's tenant, the last removed first.
 *
 * Owns: *t is lent until `each` returns.
 * Fails: common
 * Durable: reads only. */
quire_status quire_trash_list(quire *q, quire_trashed_fn each, void *ctx,
                              quire_error *err);

/* Begin with QUIRE_TRASH_EMPTY_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_trash_empty_options {
    size_t size;
    const char *which;     /* as for quire_session_restore(); NULL: all       */
    int64_t older_s;       /* removed at least so long ago; 0: any            */
    int dry_run;           /* remove nothing                                  */
    quire_removal_fn each; /* what goes, before it goes; may be NULL          */
    void *ctx;
} quire_trash_empty_options;

#define QUIRE_TRASH_EMPTY_OPTIONS_INIT                            \
    {                                                             \
        sizeof(quire_trash_empty_options), NULL, 0, 0, NULL, NULL \
    }

/* Remove sessions in the trash for good. Their blobs remain until they are collected.
 * *n (may be NULL) is how many went. `options` may be NULL for all defaults.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common. Those before are removed.
 *   QUIRE_NOT_FOUND  `which`: no such session in the trash
 *   QUIRE_INVALID    `which`: several sessions begin so; a transaction is open
 *   QUIRE_IO         some files could not be removed; the next writer tries again
 * Durable: on return. */
quire_status quire_trash_empty(quire *q,
                               const quire_trash_empty_options *options,
                               uint64_t *n, quire_error *err);

QUIRE_DECLS_END

#endif
