/*
 * tree_watch.c - see tree_watch.h
 *
 * Invariants, while the state is WATCHING:
 *
 *   1. Each directory of the tree has a watch, or the event of its creation or
 *      move is in the queue.
 *   2. Each change since the last call is in the queue, or was in a directory whose
 *      creation or move is.
 *
 * A call need not read the queue to its end: what stays there is a change for the
 * next one.
 */
#include "base/tree_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/dir_watches.h"
#include "base/err.h"

/* What one call reads at most. After MOVES_MAX moves of directories, each of
 * which walks the list of watches, it is cheaper to begin anew. */
enum { EVENT_BYTES = 32 * 1024, READS_MAX = 64, MOVES_MAX = 32 };

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

/* Without IN_EXCL_UNLINK: a file that gets its name while it is open (O_TMPFILE)
 * counts as unlinked where it is written. */
#define EVENTS                                                         \
    (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | \
     IN_ATTRIB | IN_CLOSE_WRITE)

enum state {
    WATCHING,
    ANEW,  /* the tree has to be watched anew, if its directory exists */
    FAILED /* for good */
};

struct tree_watch {
    pthread_mutex_t lock; /* of all that follows */
    char *path;           /* owned */
    size_t dirs_max;
    enum state state;
    uint64_t generation;
    int root; /* owned; -1: not open */
    dev_t device;
    ino_t inode; /* of the root */
    struct dir_watches dirs;
    unsigned n_moves; /* in this call */

    /* Files of the last events. Of generations above `complete` it has all. */
    struct recent {
        uint64_t generation;
        char *name; /* owned */
    } recent[TREE_WATCH_NAMES];
    size_t n_recent; /* ever; the last ones are kept */
    uint64_t complete;
    _Alignas(struct inotify_event) char events[EVENT_BYTES];
};

/* ---- adding directories -------------------------------------------------- */

static bool is_local(int fd)
{
    struct statfs fs;

    if (fstatfs(fd, &fs) < 0)
        return false;
    switch ((unsigned long)fs.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC: return true;
    default: return false;
    }
}

/* A file system may be mounted anywhere. */
static quire_status dir_added(void *ctx, const char *name, int fd,
                              quire_error *err)
{
    const struct tree_watch *w = ctx;

    return is_local(fd) ? QUIRE_OK
                        : err_set(err, QUIRE_INVALID,
                                  "cannot watch %s/%s: not a local file system",
                                  w->path, name);
}

/* One that is gone, or replaced by something else, has an event. */
static quire_status dir_failed(void *ctx, const char *name, int error,
                               quire_error *err)
{
    const struct tree_watch *w = ctx;

    if (*name && (error == ENOENT || error == ENOTDIR || error == ELOOP))
        return QUIRE_OK;
    return err_sys(err, error, "cannot watch %s/%s", w->path, name);
}

static void add_tree(struct tree_watch *w, const char *name)
{
    struct dir_watches_hooks hooks = {.added = dir_added,
                                      .failed = dir_failed,
                                      .ctx = w};

    if (dir_watches_add(&w->dirs, name, &hooks, NULL))
        w->state = FAILED;
}

/* ---- beginning ----------------------------------------------------------- */

static void stop_watching(struct tree_watch *w)
{
    dir_watches_close(&w->dirs);
    if (w->root >= 0)
        close(w->root);
    w->root = -1;
}

/* Whether the directory that was opened is still at the path. It may have been
 * moved, with a parent perhaps, or removed: a directory that is open has no
 * event of that. While it is open, no other one has its number. */
static bool is_in_place(const struct tree_watch *w)
{
    struct stat here;

    return !stat(w->path, &here) && here.st_dev == w->device &&
           here.st_ino == w->inode;
}

/* Watch the tree, without any event of before. */
static void watch_anew(struct tree_watch *w)
{
    struct stat root = {0};

    stop_watching(w);
    w->root = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w->root < 0) {
        w->state = errno == ENOENT || errno == ENOTDIR ? ANEW : FAILED;
        return;
    }
    w->state = fstat(w->root, &root) ? FAILED : WATCHING;
    w->device = root.st_dev;
    w->inode = root.st_ino;
    if (w->state == FAILED || !is_local(w->root) ||
        dir_watches_open(&w->dirs, w->root, w->path, EVENTS, w->dirs_max, NULL))
        w->state = FAILED;
    else
        add_tree(w, "");
    if (w->state == WATCHING && !is_in_place(w))
        w->state = ANEW;
    if (w->state != WATCHING)
        stop_watching(w);
}

/* ---- events -------------------------------------------------------------- */

static void handle_subdir(struct tree_watch *w, const char *dir,
                          const struct inotify_event *e)
{
    char *name;

    /* The watch of one that is removed ends by itself. */
    if (!(e->mask & (IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO)))
        return;
    if (asprintf(&name, "%s%s%s", dir, *dir ? "/" : "", e->name) < 0) {
        w->state = FAILED;
        return;
    }
    if (!(e->mask & IN_MOVED_FROM))
        add_tree(w, name);
    else if (w->n_moves++ < MOVES_MAX)
        dir_watches_drop(&w->dirs, name);
    else
        w->state = ANEW;
    free(name);
}

/* Events that are being read belong to the next generation. */
static void note_file(struct tree_watch *w, const char *dir, const char *name)
{
    struct recent *r = &w->recent[w->n_recent % TREE_WATCH_NAMES];
    uint64_t generation = w->generation + 1;
    char *whole;
    size_t i;

    if (asprintf(&whole, "%s%s%s", dir, *dir ? "/" : "", name) < 0) {
        w->complete = generation;
        return;
    }
    for (i = 0; i < TREE_WATCH_NAMES; i++) {
        struct recent *old = &w->recent[i];

        if (old->name && !strcmp(old->name, whole)) {
            old->generation = generation;
            free(whole);
            return;
        }
    }
    if (r->name && r->generation > w->complete)
        w->complete = r->generation;
    free(r->name);
    *r = (struct recent){generation, whole};
    w->n_recent++;
}

static void handle_event(struct tree_watch *w, const struct inotify_event *e)
{
    const char *dir = dir_watches_name(&w->dirs, e->wd);

    if (e->mask & (IN_Q_OVERFLOW | IN_UNMOUNT))
        w->state = ANEW;
    else if (!dir) /* of a watch that was dropped */
        return;
    else if (e->mask & IN_IGNORED)
        dir_watches_forget(&w->dirs, e->wd);
    else if (e->mask & IN_ISDIR && e->len)
        handle_subdir(w, dir, e);
    else if (e->len)
        note_file(w, dir, e->name);
    if (e->mask & (IN_ISDIR | IN_Q_OVERFLOW | IN_UNMOUNT))
        w->complete = w->generation + 1;
}

/* Read what is in the queue. Whether there was anything, or it failed. */
static bool read_events(struct tree_watch *w)
{
    bool any = false;
    ssize_t n = 1;
    int i;

    w->n_moves = 0;
    for (i = 0; i < READS_MAX && n > 0 && w->state == WATCHING; i++) {
        const char *at = w->events;

        n = read(w->dirs.fd, w->events, sizeof w->events);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            w->state = FAILED;
        while (n > 0 && at < w->events + n && w->state == WATCHING) {
            const struct inotify_event *e = (const void *)at;

            handle_event(w, e);
            at += sizeof *e + e->len;
        }
        any |= n > 0;
    }
    return any || w->state != WATCHING;
}

uint64_t tree_watch_generation(struct tree_watch *w)
{
    uint64_t generation;

    pthread_mutex_lock(&w->lock);
    if (w->state == WATCHING && !is_in_place(w))
        w->state = ANEW;
    if (w->state != WATCHING || read_events(w)) {
        w->generation++;
        if (w->state != WATCHING)
            w->complete = w->generation;
        if (w->state == ANEW)
            watch_anew(w);
        else if (w->state == FAILED)
            stop_watching(w);
    }
    generation = w->generation;
    pthread_mutex_unlock(&w->lock);
    return generation;
}

bool tree_watch_changed(struct tree_watch *w, uint64_t since,
                        void (*each)(void *ctx, const char *name), void *ctx)
{
    bool all;
    size_t i;

    pthread_mutex_lock(&w->lock);
    all = since >= w->complete && w->state == WATCHING;
    for (i = 0; i < TREE_WATCH_NAMES; i++)
        if (w->recent[i].name && w->recent[i].generation > since)
            each(ctx, w->recent[i].name);
    pthread_mutex_unlock(&w->lock);
    return all;
}

bool tree_watch_is_blind(struct tree_watch *w)
{
    bool blind;

    pthread_mutex_lock(&w->lock);
    blind = w->state != WATCHING;
    pthread_mutex_unlock(&w->lock);
    return blind;
}

/* ---- life ---------------------------------------------------------------- */

quire_status tree_watch_new(const char *path, size_t dirs_max,
                            struct tree_watch **out, quire_error *err)
{
    struct tree_watch *w = calloc(1, sizeof *w);

    *out = NULL;
    if (w)
        w->path = strdup(path);
    if (!w || !w->path || pthread_mutex_init(&w->lock, NULL)) {
        if (w)
            free(w->path);
        free(w);
        return err_memory(err);
    }
    w->dirs_max = dirs_max;
    w->generation = 1;
    w->root = -1;
    w->dirs = (struct dir_watches)DIR_WATCHES_INIT;
    watch_anew(w);
    *out = w;
    return QUIRE_OK;
}

void tree_watch_free(struct tree_watch *w)
{
    size_t i;

    if (!w)
        return;
    stop_watching(w);
    for (i = 0; i < TREE_WATCH_NAMES; i++)
        free(w->recent[i].name);
    pthread_mutex_destroy(&w->lock);
    free(w->path);
    free(w);
}
