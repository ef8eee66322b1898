/*
 * quire/session_files.h - sessions as files: find, list, check, fork, move,
 * remove
 *
 * `which` names a session as for quire_session_open().
 */
#ifndef QUIRE_SESSION_FILES_H
#define QUIRE_SESSION_FILES_H

#include "quire/session.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* Return the path of a session's file.
 *
 * Owns: *path is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not a file
 * Durable: reads only. */
quire_status quire_session_find(quire *q, const char *which, const char **path,
                                quire_error *err);

/* Remember the session as the one used last in its project, if that is the
 * working directory: "last" means it from then on. Opening a session for writing
 * does the same. For calls that use a session otherwise, such as
 * quire_artifact_put().
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND, QUIRE_INVALID  as quire_session_find()
 * Durable: not at once, and it need not be. A read-only handle remembers
 *   nothing. */
quire_status quire_session_use(quire *q, const char *which, quire_error *err);

/* Begin with QUIRE_LIST_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_list_options {
    size_t size;
    const char *cwd; /* one project; NULL: all   */
    int archived;    /* archived ones instead    */
    uint64_t limit;  /* 0: all                   */
    int pinned;      /* pinned ones only         */
} quire_list_options;

#define QUIRE_LIST_OPTIONS_INIT                   \
    {                                             \
        sizeof(quire_list_options), NULL, 0, 0, 0 \
    }

typedef quire_status (*quire_session_fn)(void *ctx,
                                         const quire_session_info *info,
                                         quire_error *err);

/* List sessions, the last modified first. Of each file only the beginning and
 * the end are read, and nothing if it has not changed since it was last
 * listed.
 *
 * Owns: *info is lent until `each` returns.
 * Fails: common
 * Durable: reads only; the list cache in quire.db is updated. */
quire_status quire_session_list(quire *q, const quire_list_options *options,
                                quire_session_fn each, void *ctx,
                                quire_error *err);

/* A problem in a session file. */
typedef struct quire_session_problem {
    uint64_t line; /* from 1                                                */
    uint64_t byte; /* from 0, in the file                                   */
    const char *kind; /* "garbage", "torn", "no_newline", "trailing",
                         "not_object", "no_id", "no_type", "duplicate_id",
                         "missing_parent", "cycle", "second_header",
                         "header", "utf8", "too_long", "too_deep",
                         "missing_blob", "damaged_blob", "nul"; or
                         "unacknowledged", what is left of an append that did
                         not end: no damage, the next append removes it     */
    const char *message;
} quire_session_problem;

typedef quire_status (*quire_problem_fn)(void *ctx,
                                         const quire_session_problem *problem,
                                         quire_error *err);

/* Check every byte of a session file and report each problem in file order.
 * QUIRE_OK means that the check ran, whatever it found.
 *
 * Owns: *problem is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND, QUIRE_INVALID  as quire_session_find()
 * Durable: reads only. */
quire_status quire_session_check(quire *q, const char *which,
                                 quire_problem_fn each, void *ctx,
                                 quire_error *err);

/* Replace a damaged file by a repaired one and keep the original beside it;
 * *kept is the original's path, NULL if nothing had to be repaired.
 *
 * Owns: *kept is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND, QUIRE_INVALID  as quire_session_find()
 *   QUIRE_BUSY     the session is open for writing
 *   QUIRE_DAMAGED  its header cannot be read
 * Durable: on return; the original is durable before it is replaced. */
quire_status quire_session_repair(quire *q, const char *which,
                                  const char **kept, quire_error *err);

/* Rewrite a file of version 1 or 2 in the current version; *from is the version
 * it had.
 *
 * Owns: nothing.
 * Fails: common
 *   any status  as quire_session_open() for writing
 * Durable: on return. */
quire_status quire_session_migrate(quire *q, const char *which, int *from,
                                   quire_error *err);

/* Begin with QUIRE_SESSION_COPY_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_session_copy_options {
    size_t size;
    const char *cwd;   /* the project of the copy; NULL: the same           */
    const char *entry; /* copy the path down to this entry alone; NULL: all
                          entries                                           */

    /* Called for an output that cannot be read, and for a blob that is missing
     * in the source's own home: the copy goes on without it. May be NULL. */
    void (*warn)(void *ctx, const char *message);
    void *warn_ctx;
} quire_session_copy_options;

#define QUIRE_SESSION_COPY_OPTIONS_INIT                            \
    {                                                              \
        sizeof(quire_session_copy_options), NULL, NULL, NULL, NULL \
    }

/* Create a session from another, with its entries and outputs. The source is
 * only read. If it lies in another home, the blobs that it refers to are copied
 * too. quire_session_fork() copies all entries, quire_session_extract() the path
 * down to `entry`. `options` may be NULL for all defaults.
 *
 * Owns: *out, open for writing, is the caller's until quire_session_close();
 *   NULL on failure.
 * Fails: common. Half a copy is removed; blobs that were copied stay until they
 *   are collected.
 *   QUIRE_NOT_FOUND  no such session, or no such entry
 *   QUIRE_INVALID    ambiguous prefix, or not a file; the source lies in no
 *                    home, and images that it refers to are not in this one
 *   QUIRE_CHANGED    the source was moved or removed meanwhile
 *   QUIRE_DAMAGED    the source, or a blob of it, cannot be read
 * Durable: on return. */
quire_status quire_session_copy(quire *q, const char *which,
                                const quire_session_copy_options *options,
                                quire_session **out, quire_error *err);
quire_status quire_session_fork(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err);
quire_status quire_session_extract(quire *q, const char *which,
                                   const char *entry, quire_session **out,
                                   quire_error *err);

/* Move a session with its outputs to the project `cwd`: both or neither.
 *
 * Owns: *out, the moved session, is the caller's until quire_session_close();
 *   NULL on failure.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or it does not lie in the home
 *   QUIRE_BUSY       it is open for writing
 *   QUIRE_EXISTS     the target exists
 * Durable: on return. */
quire_status quire_session_move(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err);

/* Move a session with its outputs into the archive, or back. *path is its new
 * path.
 *
 * Owns: *path is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or it does not lie in the home
 *   QUIRE_BUSY       it is open for writing
 *   QUIRE_EXISTS     it is archived (not archived) already, or the target
 *                    exists
 * Durable: on return. */
quire_status quire_session_archive(quire *q, const char *which,
                                   const char **path, quire_error *err);
quire_status quire_session_unarchive(quire *q, const char *which,
                                     const char **path, quire_error *err);

/* Delete a session for good, with its outputs, artifacts and workspace. Its
 * blobs remain until they are collected. Once the catalogue has recorded the
 * removal it is completed after a crash by the next writer.
 *
 * Owns: nothing.
 * Fails: common. Part of the files may be gone.
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, not a session; a transaction is open
 *   QUIRE_BUSY       it is open for writing
 *   QUIRE_EXISTS     it is held (quire/keep.h)
 *   QUIRE_IO         some files could not be removed; if the session is gone,
 *                    the next writer tries again
 * Durable: on return. */
quire_status quire_session_remove(quire *q, const char *which,
                                  quire_error *err);

/* A file (`path`, absolute) or a row ("artifact #12 notes/plan.md") that is
 * removed with a session; the other is NULL. */
typedef quire_status (*quire_removal_fn)(void *ctx, const char *path,
                                         const char *row, uint64_t bytes,
                                         quire_error *err);

/* List what quire_session_remove() would remove now: the session's file, its
 * outputs, originals that a repair kept, the files of its workspace, and its
 * artifacts, soft-deleted ones too.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not a session
 * Durable: reads only. */
quire_status quire_session_removal(quire *q, const char *which,
                                   quire_removal_fn each, void *ctx,
                                   quire_error *err);

QUIRE_DECLS_END

#endif
