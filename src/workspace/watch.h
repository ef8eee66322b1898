/*
 * watch.h - hearing what happens to the files of workspaces
 *
 * One inotify instance, a watch a directory: of artifacts/ and what leads to
 * workspaces in it, and of each directory of the workspaces. A directory that
 * appears is watched and looked through, since files may have come before the
 * watch; so nothing that is there when all is quiet has been missed. When the
 * kernel drops events everything is looked at again.
 *
 * What was heard is kept until a workspace has been quiet for a moment, or has
 * been noisy for long: a compiler writes the same file many times.
 *
 * Directories whose names begin with a dot hold nothing of ours, and links lead
 * nowhere: neither is watched. Nothing here looks into files.
 */
#ifndef WORKSPACE_WATCH_H
#define WORKSPACE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"

struct watch;

/* Watch the workspaces below `root`, all or the one of a session. Everything is
 * due at once, to be looked at for the first time. Where the system has no more
 * watches to give it looks at everything every two seconds instead. */
quire_status watch_open(const char *root, const char *only, struct watch **out,
                        quire_error *err);
void watch_close(struct watch *w);

/* Readable when something has happened. */
int watch_fd(const struct watch *w);

/* Whether it has to look instead of being told. */
bool watch_is_blind(const struct watch *w);

/* Read what has happened; does not wait. `now_ms` is of a clock that never goes
 * back. */
quire_status watch_read(struct watch *w, int64_t now_ms, quire_error *err);

/* How long until something is due: 0 now, -1 nothing is waiting. */
int watch_due_ms(const struct watch *w, int64_t now_ms);

/* Each session and path that is due; `path` NULL: all of the session's. What it
 * returns an error for stays due. */
typedef quire_status (*watch_fn)(void *ctx, const char *key, const char *path,
                                 quire_error *err);
quire_status watch_take(struct watch *w, int64_t now_ms, watch_fn each,
                        void *ctx, quire_error *err);

#endif
