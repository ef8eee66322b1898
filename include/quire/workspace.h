/*
 * quire/workspace.h - workspaces: a session's artifacts as files on the disk
 *
 * A workspace has two directories that programs work in: the session's
 * artifacts as files, and a scratch directory whose files are not stored.
 * Files and artifacts are kept in sync: a put writes the file, a change of the
 * file makes a version. Only homes of Quire's own kind have workspaces.
 *
 * A workspace is bound to its session when it is opened; no request reaches
 * another session. The thread that uses the store's handle uses it.
 */
#ifndef QUIRE_WORKSPACE_H
#define QUIRE_WORKSPACE_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_workspace quire_workspace;

/* Open the workspace of a session, named as for artifacts; NULL is the built-in
 * "temp". Directories are created by the first write.
 *
 * Owns: *out is the caller's until quire_workspace_close(), which comes before
 *   quire_close(); NULL on failure.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    its id cannot be the name of a directory
 * Durable: no change. */
quire_status quire_workspace_open(quire *q, const char *session,
                                  quire_workspace **out, quire_error *err);

/* Close a workspace; NULL does nothing. Pending read counts are written.
 *
 * Owns: frees `w`.
 * Fails: never.
 * Durable: read counts may be lost in a power cut. */
void quire_workspace_close(quire_workspace *w);

/* Let the tool search all sessions of the tenant, and read what it found there
 * by its id; 0: only its own session, as at first. It never writes to others.
 *
 * Owns: nothing.
 * Fails: never.
 * Durable: no change. */
void quire_workspace_read_all(quire_workspace *w, int all);

/* Return the session's own id; the directory of artifacts, or of scratch files,
 * which may not exist yet.
 *
 * Owns: lent until quire_workspace_close().
 * Fails: never.
 * Durable: reads only. */
const char *quire_workspace_session(const quire_workspace *w);
const char *quire_workspace_dir(const quire_workspace *w, int scratchpad);

/* Create both directories and write the session's artifacts as files.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_BUSY  another process uses the workspace for longer than busy_ms
 * Durable: files are not synced; a later sync writes what a power cut lost. */
quire_status quire_workspace_make(quire_workspace *w, quire_error *err);

/* Run a request of the tool `workspace`, a JSON object, and return a JSON
 * object on one line: {"success":true,"data":{…}} or
 * {"success":false,"error":{"code","message","retryable","suggestion"}}. Reads
 * are counted in bulk: by a request a second later, or at close.
 *
 * Owns: *answer is lent until the next call with `w`.
 * Fails: what is wrong with the request is in the answer. Common
 * Durable: artifacts, on return. */
quire_status quire_workspace_call(quire_workspace *w, quire_bytes request,
                                  quire_bytes *answer, quire_error *err);

/* Return the description of the tool for a model:
 * {"name","description","inputSchema"}.
 *
 * Owns: a static string.
 * Fails: never.
 * Durable: reads only. */
const char *quire_workspace_schema(void);

typedef struct quire_workspace_report {
    uint64_t taken;     /* files that became artifacts, or versions         */
    uint64_t dropped;   /* artifacts soft-deleted because the file is gone  */
    uint64_t given;     /* artifacts written as files                       */
    uint64_t withdrawn; /* files removed because the artifact is deleted    */
    uint64_t passed;    /* files that cannot be artifacts                   */
    uint64_t reserved[4];
} quire_workspace_report;

/* One path that was handled: "taken", "dropped", "given", "withdrawn", or
 * "passed" and why. */
typedef void (*quire_workspace_fn)(void *ctx, const char *what,
                                   const char *path, const char *why);

/* Compare all files with the artifacts and make them agree. New artifacts get
 * `source`, "user" if NULL. `each` and `report` may be NULL.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common. Paths handled before the failure stay handled.
 *   QUIRE_BUSY  another process uses the workspace for longer than busy_ms
 * Durable: artifacts, on return; files are not synced. */
quire_status quire_workspace_sync(quire_workspace *w, const char *source,
                                  quire_workspace_fn each, void *ctx,
                                  quire_workspace_report *report,
                                  quire_error *err);

/* Keeps workspaces in sync by inotify; changes from before it was opened are
 * found as well. The thread that uses the store's handle uses it. */
typedef struct quire_watch quire_watch;

/* Watch the workspace of a session, or of all sessions with NULL.
 *
 * Owns: *out is the caller's until quire_watch_close(), which comes before
 *   quire_close(); NULL on failure.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 * Durable: no change. */
quire_status quire_watch_open(quire *q, const char *session, quire_watch **out,
                              quire_error *err);

/* Close a watch; NULL does nothing.
 *
 * Owns: frees `w`.
 * Fails: never.
 * Durable: no change. */
void quire_watch_close(quire_watch *w);

/* quire_watch_fd() returns a descriptor for poll(): readable when
 * quire_watch_next() has work; that call may also be due after some time.
 * quire_watch_blind() returns whether the system has no inotify watches left,
 * so that everything is compared every two seconds.
 *
 * Owns: the descriptor belongs to the watch.
 * Fails: never.
 * Durable: reads only. */
int quire_watch_fd(const quire_watch *w);
int quire_watch_blind(const quire_watch *w);

typedef void (*quire_watch_fn)(void *ctx, const char *session, const char *what,
                               const char *path, const char *why);

/* Wait for work, at most `timeout_ms` (-1: no limit), and do it; a signal ends
 * the wait. `each` (may be NULL) is called as by quire_workspace_sync(). A
 * workspace that is busy stays due; one that cannot be synced is reported as
 * "passed".
 *
 * Owns: text is lent until `each` returns.
 * Fails: common
 * Durable: as quire_workspace_sync(). */
quire_status quire_watch_next(quire_watch *w, int timeout_ms,
                              quire_watch_fn each, void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
