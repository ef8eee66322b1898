/* dir_watches.c - see dir_watches.h */
#include "base/dir_watches.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"

quire_status dir_watches_open(struct dir_watches *w, int root,
                              const char *place, uint32_t mask, size_t max,
                              quire_error *err)
{
    *w = (struct dir_watches){.root = root,
                              .place = place,
                              .mask = mask | IN_ONLYDIR,
                              .max = max};
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (w->fd >= 0)
        return QUIRE_OK;
    if (errno == EMFILE)
        return err_fail(
            err, QUIRE_IO,
            HINT_SHELL "raise fs.inotify.max_user_instances, or end "
                       "programs that watch files",
            "cannot watch files: too many inotify instances or files "
            "are open");
    return err_sys(err, errno, "cannot watch files");
}

void dir_watches_close(struct dir_watches *w)
{
    size_t i;

    for (i = 0; i < w->n_dirs; i++)
        free(w->dirs[i].name);
    free(w->dirs);
    if (w->fd >= 0)
        close(w->fd);
    *w = (struct dir_watches)DIR_WATCHES_INIT;
}

/* ---- names of watches ---------------------------------------------------- */

static struct watched_dir *find_dir(const struct dir_watches *w, int wd)
{
    size_t from = 0, to = w->n_dirs;

    while (from < to) {
        size_t mid = from + (to - from) / 2;

        if (w->dirs[mid].wd < wd)
            from = mid + 1;
        else
            to = mid;
    }
    return from < w->n_dirs && w->dirs[from].wd == wd ? &w->dirs[from] : NULL;
}

const char *dir_watches_name(const struct dir_watches *w, int wd)
{
    struct watched_dir *d = find_dir(w, wd);

    return d ? d->name : NULL;
}

static void forget_dir(struct dir_watches *w, struct watched_dir *d)
{
    w->n_live -= d->name != NULL;
    free(d->name);
    d->name = NULL;
}

void dir_watches_forget(struct dir_watches *w, int wd)
{
    struct watched_dir *d = find_dir(w, wd);

    if (d)
        forget_dir(w, d);
}

static bool is_below(const char *name, const char *dir)
{
    size_t len = strlen(dir);

    return !strncmp(name, dir, len) && (!name[len] || name[len] == '/');
}

void dir_watches_drop(struct dir_watches *w, const char *name)
{
    size_t i;

    for (i = 0; i < w->n_dirs; i++)
        if (w->dirs[i].name && is_below(w->dirs[i].name, name)) {
            inotify_rm_watch(w->fd, w->dirs[i].wd);
            forget_dir(w, &w->dirs[i]);
        }
}

/* Drop entries of directories that are gone. */
static void compact_dirs(struct dir_watches *w)
{
    size_t i, n = 0;

    for (i = 0; i < w->n_dirs; i++)
        if (w->dirs[i].name)
            w->dirs[n++] = w->dirs[i];
    w->n_dirs = n;
}

/* Room for one more entry; compacts the list if half of its directories are
 * gone. */
static bool make_room(struct dir_watches *w)
{
    size_t cap = (w->cap_dirs + 64) * 2;
    struct watched_dir *list;

    if (w->n_dirs < w->cap_dirs)
        return true;
    compact_dirs(w);
    if (2 * w->n_dirs < w->cap_dirs)
        return true;
    list = realloc(w->dirs, cap * sizeof *list);
    if (!list)
        return w->n_dirs < w->cap_dirs;
    w->dirs = list;
    w->cap_dirs = cap;
    return true;
}

/* Set the name of a watch. */
static quire_status put_dir(struct dir_watches *w, int wd, const char *name,
                            quire_error *err)
{
    struct watched_dir *d = find_dir(w, wd);
    char *copy = strdup(name);
    size_t at;

    if (!copy || (!d && !make_room(w))) {
        free(copy);
        return err_memory(err);
    }
    if (d) {
        forget_dir(w, d);
        d->name = copy;
    } else {
        /* Watch descriptors only grow, until they wrap around. */
        for (at = w->n_dirs; at > 0 && w->dirs[at - 1].wd > wd; at--)
            w->dirs[at] = w->dirs[at - 1];
        w->dirs[at] = (struct watched_dir){wd, copy};
        w->n_dirs++;
    }
    w->n_live++;
    return QUIRE_OK;
}

/* ---- adding a tree ------------------------------------------------------- */

/* Names still to be watched: the last is the next. */
struct pending {
    char **names; /* owned, each too */
    size_t n, cap;
};

static quire_status push_name(struct pending *p, char *name, quire_error *err)
{
    size_t cap = p->cap ? 2 * p->cap : 16;
    char **more;

    if (name && p->n == p->cap) {
        more = realloc(p->names, cap * sizeof *more);
        if (more) {
            p->names = more;
            p->cap = cap;
        }
    }
    if (!name || p->n == p->cap) {
        free(name);
        return err_memory(err);
    }
    p->names[p->n++] = name;
    return QUIRE_OK;
}

static char *join_name(const char *dir, const char *name)
{
    char *joined;

    return asprintf(&joined, "%s%s%s", dir, *dir ? "/" : "", name) < 0 ? NULL
                                                                       : joined;
}

static quire_status push_child(struct dir_watches *w, struct pending *p,
                               const char *dir, const char *name,
                               const struct dir_watches_hooks *hooks,
                               quire_error *err)
{
    char *child = join_name(dir, name);
    quire_status st;

    if (child && hooks->is_wanted && !hooks->is_wanted(hooks->ctx, child)) {
        free(child);
        return QUIRE_OK;
    }
    if (!child || p->n < w->max)
        return push_name(p, child, err);
    st = hooks->failed(hooks->ctx, child, ENOSPC, err);
    free(child);
    return st;
}

/* Take each subdirectory of `fd`, and close it. */
static quire_status push_children(struct dir_watches *w, struct pending *p,
                                  const char *dir, int fd,
                                  const struct dir_watches_hooks *hooks,
                                  quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct dirent *e;
    DIR *d = fdopendir(fd);

    if (!d) {
        close(fd);
        return err_memory(err);
    }
    while (!st && (errno = 0, e = readdir(d))) {
        bool maybe = e->d_type == DT_DIR || e->d_type == DT_UNKNOWN;

        if (maybe && strcmp(e->d_name, ".") != 0 &&
            strcmp(e->d_name, "..") != 0)
            st = push_child(w, p, dir, e->d_name, hooks, err);
    }
    if (!st && errno)
        st = err_sys(err, errno, "cannot list %s/%s", w->place, dir);
    closedir(d);
    return st;
}

/* Watch the directory open at `fd`. */
static quire_status watch_dir(struct dir_watches *w, const char *name, int fd,
                              const struct dir_watches_hooks *hooks,
                              quire_error *err)
{
    char at[64];
    int wd;

    /* Not by its name, which may be another directory's by now. */
    snprintf(at, sizeof at, "/proc/self/fd/%d", fd);
    wd = inotify_add_watch(w->fd, at, w->mask);
    if (wd >= 0 && w->n_live >= w->max && !dir_watches_name(w, wd)) {
        inotify_rm_watch(w->fd, wd);
        wd = -1;
        errno = ENOSPC;
    }
    if (wd >= 0)
        return put_dir(w, wd, name, err);
    return errno == ENOSPC
               ? hooks->failed(hooks->ctx, name, ENOSPC, err)
               : err_sys(err, errno, "cannot watch %s/%s", w->place, name);
}

static quire_status add_dir(struct dir_watches *w, struct pending *p,
                            const char *name,
                            const struct dir_watches_hooks *hooks,
                            quire_error *err)
{
    int fd = fs_open_beneath(w->root, *name ? name : ".",
                             O_RDONLY | O_DIRECTORY, 0);
    quire_status st;

    if (fd < 0)
        return hooks->failed(hooks->ctx, name, errno, err);
    st = watch_dir(w, name, fd, hooks, err);
    if (!st)
        st = hooks->added(hooks->ctx, name, fd, err);
    if (!st)
        return push_children(w, p, name, fd, hooks, err);
    close(fd);
    return st;
}

quire_status dir_watches_add(struct dir_watches *w, const char *name,
                             const struct dir_watches_hooks *hooks,
                             quire_error *err)
{
    struct pending p = {NULL, 0, 0};
    quire_status st = push_name(&p, strdup(name), err);

    while (!st && p.n > 0) {
        char *next = p.names[--p.n];

        st = add_dir(w, &p, next, hooks, err);
        free(next);
    }
    while (p.n > 0)
        free(p.names[--p.n]);
    free(p.names);
    return st;
}
