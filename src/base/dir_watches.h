/*
 * dir_watches.h - inotify watches of the directories of a tree, by name
 *
 * An inotify instance, and for each watch the name of its directory relative to a
 * root. inotify is not recursive: every directory has a watch of its own.
 *
 * A watch is added before its directory is scanned. Subdirectories made before
 * that are found by the scan, later ones raise an event: none is missed if the
 * caller adds the directory of each IN_CREATE and IN_MOVED_TO event.
 *
 * The kernel follows a directory that is moved, its name here does not. On
 * IN_MOVED_FROM the caller drops the name, with all below it.
 */
#ifndef BASE_DIR_WATCHES_H
#define BASE_DIR_WATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

struct watched_dir {
    int wd;
    char *name; /* owned; "" is the root; NULL: gone */
};

struct dir_watches {
    int fd;            /* inotify, does not block; owned */
    int root;          /* borrowed                       */
    const char *place; /* of the root, for messages; borrowed */
    uint32_t mask;
    size_t max;               /* watches, and names still to be scanned */
    struct watched_dir *dirs; /* sorted by wd */
    size_t n_dirs, cap_dirs;
    size_t n_live; /* without those that are gone */
};

/* clang-format off */
#define DIR_WATCHES_INIT {.fd = -1, .root = -1}
/* clang-format on */

/* Create the inotify instance; watches nothing yet. IN_ONLYDIR is added to the
 * mask. */
quire_status dir_watches_open(struct dir_watches *w, int root,
                              const char *place, uint32_t mask, size_t max,
                              quire_error *err);
void dir_watches_close(struct dir_watches *w);

/* The directory of a watch, until the next call that adds or drops. NULL: it was
 * dropped. */
const char *dir_watches_name(const struct dir_watches *w, int wd);

/* The kernel has removed a watch: IN_IGNORED. */
void dir_watches_forget(struct dir_watches *w, int wd);

/* Remove the watches of `name` and of all below it. */
void dir_watches_drop(struct dir_watches *w, const char *name);

struct dir_watches_hooks {
    /* Whether to watch a subdirectory; NULL: all. */
    bool (*is_wanted)(void *ctx, const char *name);

    /* A directory is watched now, and open at `fd`. Anything but QUIRE_OK ends
     * the call, which returns it. */
    quire_status (*added)(void *ctx, const char *name, int fd,
                          quire_error *err);

    /* A directory could not be opened, or (ENOSPC) there are too many watches.
     * QUIRE_OK: skip the one, scan the other without a watch. */
    quire_status (*failed)(void *ctx, const char *name, int error,
                           quire_error *err);
    void *ctx;
};

/* Watch `name` and all below it; those that are watched already, too. Follows no
 * link. One descriptor is open at a time. */
quire_status dir_watches_add(struct dir_watches *w, const char *name,
                             const struct dir_watches_hooks *hooks,
                             quire_error *err);

#endif
