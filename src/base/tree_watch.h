/*
 * tree_watch.h - detects whether anything in a directory tree may have changed
 *
 * A directory and all below it are watched with inotify. The kernel queues an event
 * within the system call that makes a change, before that call returns. So an empty
 * queue means that nothing has changed, and a call costs one read(), and one stat() of
 * the directory itself, which may have been moved or removed.
 *
 *     generation = tree_watch_generation(w);
 *     if (generation != seen)
 *         look at all files;
 *     seen = generation;
 *
 * Take the number before looking, as here: a change during the look then has another
 * number.
 *
 * Noticed: files and directories created, removed, moved, linked, written, truncated;
 * modes, owners, times; those of the directory itself, too. A subdirectory is watched
 * when the event of its creation is read. What was made in it before that belongs to
 * the same change.
 *
 * Not noticed:
 *   - stores through a shared memory mapping, and asynchronous writes (io_submit),
 *     until the file is unmapped and closed
 *   - writes under a name outside the tree: of a hard link, or of a file that a
 *     symbolic link in the tree names (no link below `path` is followed)
 *   - a file system that is mounted below the directory
 *   - writes by other machines: only local file systems are watched
 *
 * A watch is blind where it cannot know; each call then returns a new number, and
 * callers that compare numbers look every time. It is blind
 *   - as long as `path` is not a directory; each call tries to open it
 *   - for good, if a directory of the tree is not on ext4, xfs, btrfs, tmpfs or
 *     overlayfs, if there are more directories than `dirs_max` or than the system has
 *     watches, or after an error
 * If the kernel has dropped events, or `path` is another directory now, the next call
 * watches the tree anew and returns a new number.
 *
 * An instance takes one of the 128 inotify instances of a user: share it. Any thread
 * may call anything but free at any time. A child process must not use it.
 */
#ifndef BASE_TREE_WATCH_H
#define BASE_TREE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

/* Directories to watch where callers have no limit of their own. A watch takes about
 * 1 KiB of kernel memory, and its name here. */
enum { TREE_WATCH_DIRS_MAX = 1 << 16 };

struct tree_watch;

/* Watch `path` (its own links are followed) and all below it. QUIRE_NO_MEMORY; any
 * other accident makes it blind. */
quire_status tree_watch_new(const char *path, size_t dirs_max,
                            struct tree_watch **out, quire_error *err);

/* A number that is the same as that of an earlier call, by any thread, only if nothing
 * has changed since. Never 0. */
uint64_t tree_watch_generation(struct tree_watch *w);

/* Call `each` with the files that have changed since the call that returned `since`, as
 * far as events have been read: relative names, of up to TREE_WATCH_NAMES. False: others
 * may have, too. A name is lent, and `each` must not call the watch. */
enum { TREE_WATCH_NAMES = 16 };

bool tree_watch_changed(struct tree_watch *w, uint64_t since,
                        void (*each)(void *ctx, const char *name), void *ctx);

/* Whether each call returns a new number at present. */
bool tree_watch_is_blind(struct tree_watch *w);

/* NULL is fine. */
void tree_watch_free(struct tree_watch *w);

#endif
