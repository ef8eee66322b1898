/* quire/workspace.h - a session's artifacts as files on disk */
#ifndef QUIRE_WORKSPACE_H
#define QUIRE_WORKSPACE_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * A session's artifacts can lie open as files, in a directory that programs work
 * in, and beside them a scratchpad, whose files nobody keeps. Files and
 * artifacts agree: what is put becomes a file, what an editor or a shell does to
 * a file becomes a version. Only homes of Quire's own kind have workspaces.
 *
 * A workspace is bound to its session when it is opened, and nothing that is
 * asked of it reaches another one. It is used by the thread that uses its
 * handle, and closed before that.
 */
typedef struct quire_workspace quire_workspace;

/* `session` as with artifacts; NULL is the built-in "temp". Makes no directory:
 * the first write does. QUIRE_NOT_FOUND: no such session; QUIRE_INVALID: its id
 * cannot be the name of a directory. */
quire_status quire_workspace_open(quire *q, const char *session,
                                  quire_workspace **out, quire_error *err);
void quire_workspace_close(quire_workspace *w);

/* The session's own id. */
const char *quire_workspace_session(const quire_workspace *w);

/* Where its files are, or will be: those of artifacts, or of the scratchpad. */
const char *quire_workspace_dir(const quire_workspace *w, int scratchpad);

/* Make both directories, and lay out the artifacts there are. */
quire_status quire_workspace_make(quire_workspace *w, quire_error *err);

/* Answer a request of the tool `workspace`, a JSON object, with a JSON object on
 * one line, on loan until the next call: {"success":true,"data":{…}} or
 * {"success":false,"error":{"code","message","retryable","suggestion"}}. What is
 * wrong with the request is in the answer; an error here is ours. Reads are
 * counted for many at once: by a request after a second, or at the end. */
quire_status quire_workspace_call(quire_workspace *w, quire_bytes request,
                                  quire_bytes *answer, quire_error *err);

/* What a model is told of the tool: {"name","description","inputSchema"}. */
const char *quire_workspace_schema(void);

typedef struct quire_workspace_report {
    uint64_t taken;     /* files that became artifacts, or versions of one   */
    uint64_t dropped;   /* artifacts put away, their files being gone        */
    uint64_t given;     /* artifacts that became files                       */
    uint64_t withdrawn; /* files that went, their artifacts being put away   */
    uint64_t passed;    /* files that cannot be artifacts                    */
    uint64_t reserved[4];
} quire_workspace_report;

/* Each path that something was done with: "taken", "dropped", "given",
 * "withdrawn", or "passed" and why not. */
typedef void (*quire_workspace_fn)(void *ctx, const char *what,
                                   const char *path, const char *why);

/* Look at all files, and make them and the artifacts agree. New ones are from
 * `source`, "user" if NULL. `each` and `report` may be NULL. */
quire_status quire_workspace_sync(quire_workspace *w, const char *source,
                                  quire_workspace_fn each, void *ctx,
                                  quire_workspace_report *report,
                                  quire_error *err);

/* Workspaces that are kept in step by themselves: what happens to files is heard
 * of, and what happened before is looked for. Used by the thread that uses its
 * handle. */
typedef struct quire_watch quire_watch;

/* Of a session, or with NULL of all. */
quire_status quire_watch_open(quire *q, const char *session, quire_watch **out,
                              quire_error *err);
void quire_watch_close(quire_watch *w);

/* To wait for with others: readable when quire_watch_next() has something to do. It
 * may also have to be called when some time has passed. */
int quire_watch_fd(const quire_watch *w);

/* Whether the system has no more watches to give, so that everything is looked at
 * every two seconds. */
int quire_watch_blind(const quire_watch *w);

typedef void (*quire_watch_fn)(void *ctx, const char *session, const char *what,
                               const char *path, const char *why);

/* Wait at most so long (-1: for ever) until something is to be done, and do it;
 * a signal ends the waiting. `each` (may be NULL) is told as with
 * quire_workspace_sync(). */
quire_status quire_watch_next(quire_watch *w, int timeout_ms,
                              quire_watch_fn each, void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
