/*
 * watch.h - watches the files of workspaces for changes
 *
 * One inotify instance, one watch per directory: artifacts/, the parents of
 * workspaces in it, and each directory of the workspaces. A new directory is
 * watched and then scanned, since files may have appeared before the watch; so
 * no file is missed once changes stop. When the kernel drops events, everything
 * is scanned again.
 *
 * Changes are held until a workspace has been quiet for a moment, or busy for
 * long: a compiler writes the same file many times.
 *
 * Directories with a leading dot and links are not watched. File content is not
 * read here.
 */
#ifndef WORKSPACE_WATCH_H
#define WORKSPACE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"

struct watch;

/* Watch the workspaces below `root`, all or that of one session. Everything is
 * due at once, for a first sync. Where the system has run out of watches, it
 * polls everything every two seconds instead. */
quire_status watch_open(const char *root, const char *only, struct watch **out,
                        quire_error *err);
void watch_close(struct watch *w);

/* Readable when there are events. */
int watch_fd(const struct watch *w);

/* Whether it polls instead of receiving events. */
bool watch_is_blind(const struct watch *w);

/* Read pending events; does not wait. `now_ms` is of a monotonic clock. */
quire_status watch_read(struct watch *w, int64_t now_ms, quire_error *err);

/* Milliseconds until something is due: 0 now, -1 nothing is pending. */
int watch_due_ms(const struct watch *w, int64_t now_ms);

/* Called for each session and path that is due; `path` NULL: the whole session.
 * On an error the entry stays due. */
typedef quire_status (*watch_fn)(void *ctx, const char *key, const char *path,
                                 quire_error *err);
quire_status watch_take(struct watch *w, int64_t now_ms, watch_fn each,
                        void *ctx, quire_error *err);

#endif
