/* watch.c - see watch.h */
#include "workspace/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "workspace/workspace.h"

/* Quiet for so long, or noisy for so long: then it is looked at. */
enum { QUIET_MS = 100, NOISY_MS = 1000, BLIND_MS = 2000 };

/* No artifact has a longer path. */
enum { PATH_LONGEST = 256 };

/* More paths than this, and the whole session is looked at. */
enum { PATHS_MAX = 64, BUFFERS_AT_ONCE = 4 };

#define EVENTS                                                              \
    (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | \
     IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK)

/* A directory that is watched. */
struct dir {
    int wd;
    char *name; /* owned; from the root on; NULL: gone */
};

/* What was heard of a workspace. */
struct dirty {
    char *key; /* owned */
    bool all;
    char **paths; /* owned, each too */
    size_t n_paths;
    int64_t first_ms, last_ms;
};

struct watch {
    int fd, root;
    char *place;      /* owned; the path of the root */
    char *only;       /* owned; NULL: all            */
    struct dir *dirs; /* by wd */
    size_t n_dirs, cap_dirs;
    struct dirty *dirty;
    size_t n_dirty, cap_dirty;
    struct map by_key; /* where in `dirty` */
    bool blind;
    int64_t looked_ms;
};

/* ---- names -------------------------------------------------------------- */

/* What a name from the root on is: part of a workspace, on the way to one, or
 * neither. */
enum where { ELSEWHERE, ON_THE_WAY, INSIDE };

/* INSIDE: *key is the session, with its length, and *path what is in it, ""
 * for the directory itself. */
static enum where parse(const char *name, const char **key, size_t *key_len,
                        const char **path)
{
    static const char sessions[] = "artifacts/sessions";
    const char *at, *slash;

    if (!strcmp(name, "artifacts") || !strcmp(name, sessions))
        return ON_THE_WAY;
    if (strncmp(name, "artifacts/", 10) != 0)
        return ELSEWHERE;
    at = name + 10;
    slash = strchrnul(at, '/');
    if (slash - at == 4 &&
        (!strncmp(at, "user", 4) || !strncmp(at, "temp", 4))) {
        *key = at;
        *key_len = 4;
        *path = *slash ? slash + 1 : slash;
        return INSIDE;
    }
    if (strncmp(name, sessions, sizeof sessions - 1) != 0 ||
        name[sizeof sessions - 1] != '/')
        return ELSEWHERE;
    at = name + sizeof sessions;
    slash = strchrnul(at, '/');
    *key = at;
    *key_len = (size_t)(slash - at);
    if (!*slash)
        return ON_THE_WAY; /* artifacts/sessions/<id> */
    if (strncmp(slash + 1, "agent", 5) != 0 || (slash[6] && slash[6] != '/'))
        return ELSEWHERE;
    *path = slash[6] ? slash + 7 : slash + 6;
    return INSIDE;
}

static bool is_wanted(const struct watch *w, const char *name)
{
    const char *key = NULL, *path, *base = strrchr(name, '/');
    size_t len = 0;
    enum where where = parse(name, &key, &len, &path);

    if (where == ELSEWHERE || (base && base[1] == '.') ||
        (where == INSIDE && strlen(path) > PATH_LONGEST))
        return false;
    return !w->only || !key ||
           (strlen(w->only) == len && !strncmp(w->only, key, len));
}

/* ---- what was heard ----------------------------------------------------- */

static struct dirty *dirty_of(struct watch *w, const char *key, size_t len)
{
    uint64_t *at = map_get(&w->by_key, bytes_of(key, len));
    size_t cap = w->cap_dirty ? 2 * w->cap_dirty : 16;
    struct dirty *list, *d;

    if (at)
        return &w->dirty[*at];
    if (w->n_dirty == w->cap_dirty) {
        list = realloc(w->dirty, cap * sizeof *list);
        if (!list)
            return NULL;
        w->dirty = list;
        w->cap_dirty = cap;
    }
    d = &w->dirty[w->n_dirty];
    *d = (struct dirty){.key = strndup(key, len), .first_ms = -1};
    if (!d->key || !map_put(&w->by_key, bytes_str(d->key), w->n_dirty, NULL)) {
        free(d->key);
        return NULL;
    }
    w->n_dirty++;
    return d;
}

static void forget_paths(struct dirty *d)
{
    size_t i;

    for (i = 0; i < d->n_paths; i++)
        free(d->paths[i]);
    free(d->paths);
    d->paths = NULL;
    d->n_paths = 0;
}

static bool add_path(struct dirty *d, const char *path)
{
    char **list;
    size_t i;

    for (i = 0; i < d->n_paths; i++)
        if (!strcmp(d->paths[i], path))
            return true;
    if (d->n_paths == PATHS_MAX) {
        d->all = true;
        return true;
    }
    list = realloc(d->paths, (d->n_paths + 1) * sizeof *list);
    if (!list)
        return false;
    d->paths = list;
    list[d->n_paths] = strdup(path);
    if (!list[d->n_paths])
        return false;
    d->n_paths++;
    return true;
}

/* Something happened to `name`; with `all`, to whatever is in its session. */
static quire_status hear(struct watch *w, const char *name, bool all,
                         int64_t now_ms, quire_error *err)
{
    const char *key, *path;
    struct dirty *d;
    size_t len;

    if (parse(name, &key, &len, &path) != INSIDE)
        return QUIRE_OK;
    d = dirty_of(w, key, len);
    if (!d)
        return err_memory(err);
    if (d->first_ms < 0)
        d->first_ms = now_ms;
    d->last_ms = now_ms;
    d->all |= all || !*path;
    if (d->all)
        forget_paths(d);
    else if (!add_path(d, path))
        return err_memory(err);
    return QUIRE_OK;
}

/* ---- directories -------------------------------------------------------- */

static struct dir *dir_of(struct watch *w, int wd)
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

/* Those that are gone make room. */
static void close_ranks(struct watch *w)
{
    size_t i, n = 0;

    for (i = 0; i < w->n_dirs; i++)
        if (w->dirs[i].name)
            w->dirs[n++] = w->dirs[i];
    w->n_dirs = n;
}

static bool note_dir(struct watch *w, int wd, const char *name)
{
    struct dir *d = dir_of(w, wd), *list;
    char *copy = strdup(name);
    bool full;
    size_t at;

    if (copy && d) {
        free(d->name);
        d->name = copy;
        return true;
    }
    /* Those that are gone make room, if they are half of them. */
    full = copy && w->n_dirs == w->cap_dirs;
    if (full)
        close_ranks(w);
    if (full && 2 * w->n_dirs >= w->cap_dirs) {
        list = realloc(w->dirs, (w->cap_dirs + 64) * 2 * sizeof *list);
        if (list) {
            w->dirs = list;
            w->cap_dirs = (w->cap_dirs + 64) * 2;
        }
    }
    if (!copy || w->n_dirs == w->cap_dirs) {
        free(copy);
        return false;
    }
    /* Numbers only grow, until they begin again. */
    for (at = w->n_dirs; at > 0 && w->dirs[at - 1].wd > wd; at--)
        w->dirs[at] = w->dirs[at - 1];
    w->dirs[at] = (struct dir){wd, copy};
    w->n_dirs++;
    return true;
}

static bool is_below(const char *name, const char *dir)
{
    size_t len = strlen(dir);

    return !strncmp(name, dir, len) && (!name[len] || name[len] == '/');
}

/* A directory has been moved: what is heard of it now has another name. */
static void drop_dirs(struct watch *w, const char *name)
{
    size_t i;

    for (i = 0; i < w->n_dirs; i++)
        if (w->dirs[i].name && is_below(w->dirs[i].name, name)) {
            inotify_rm_watch(w->fd, w->dirs[i].wd);
            free(w->dirs[i].name);
            w->dirs[i].name = NULL;
        }
}

static quire_status cannot_watch(struct watch *w, const char *name,
                                 quire_error *err)
{
    if (errno == ENOSPC || errno == EMFILE) {
        w->blind = true;
        return QUIRE_OK;
    }
    return err_sys(err, errno, "cannot watch %s/%s", w->place, name);
}

static quire_status add_tree(struct watch *w, const char *name, int64_t now_ms,
                             quire_error *err);

/* Each directory in one that is open, which is closed. */
static quire_status add_children(struct watch *w, const char *name, int fd,
                                 int64_t now_ms, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct dirent *e;
    char *child;
    DIR *dir = fdopendir(fd);

    if (!dir) {
        close(fd);
        return err_memory(err);
    }
    while (!st && (e = readdir(dir))) {
        bool maybe = e->d_type == DT_DIR || e->d_type == DT_UNKNOWN;

        if (!maybe || e->d_name[0] == '.')
            continue;
        if (asprintf(&child, "%s/%s", name, e->d_name) < 0) {
            st = err_memory(err);
            break;
        }
        if (is_wanted(w, child))
            st = add_tree(w, child, now_ms, err);
        free(child);
    }
    closedir(dir);
    return st;
}

/* Watch a directory and what is below it. The watch comes first: what appears
 * after it is heard, what was there before is seen. */
static quire_status add_tree(struct watch *w, const char *name, int64_t now_ms,
                             quire_error *err)
{
    char at[64];
    int fd = fs_open_beneath(w->root, name, O_RDONLY | O_DIRECTORY, 0), wd;
    quire_status st = QUIRE_OK;

    if (fd < 0) /* gone again, or a link, or nothing for us to read */
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM
                   ? err_sys(err, errno, "cannot open %s/%s", w->place, name)
                   : QUIRE_OK;
    snprintf(at, sizeof at, "/proc/self/fd/%d", fd);
    /* The name is a link of the kernel's own. */
    wd = inotify_add_watch(w->fd, at, EVENTS & ~(uint32_t)IN_DONT_FOLLOW);
    if (wd < 0)
        st = cannot_watch(w, name, err);
    else if (!note_dir(w, wd, name))
        st = err_memory(err);
    if (!st)
        st = hear(w, name, true, now_ms, err);
    if (st) {
        close(fd);
        return st;
    }
    return add_children(w, name, fd, now_ms, err);
}

/* ---- events ------------------------------------------------------------- */

static quire_status see_event(struct watch *w, const struct inotify_event *e,
                              int64_t now_ms, quire_error *err)
{
    struct dir *d = dir_of(w, e->wd);
    quire_status st = QUIRE_OK;
    char *name;

    if (e->mask & IN_Q_OVERFLOW)
        return add_tree(w, "artifacts", now_ms, err);
    if (!d || !d->name)
        return QUIRE_OK;
    if (e->mask & IN_IGNORED) {
        free(d->name);
        d->name = NULL;
        return QUIRE_OK;
    }
    if (!e->len || e->name[0] == '.')
        return QUIRE_OK;
    if (asprintf(&name, "%s/%s", d->name, e->name) < 0)
        return err_memory(err);
    if (e->mask & IN_ISDIR) {
        if (e->mask & (IN_MOVED_FROM | IN_DELETE)) {
            drop_dirs(w, name);
            st = hear(w, name, true, now_ms, err);
        } else if (is_wanted(w, name)) {
            st = add_tree(w, name, now_ms, err);
        }
    } else {
        st = hear(w, name, false, now_ms, err);
    }
    free(name);
    return st;
}

quire_status watch_read(struct watch *w, int64_t now_ms, quire_error *err)
{
    _Alignas(struct inotify_event) char buf[64 * 1024];
    quire_status st = QUIRE_OK;
    ssize_t n = 1;
    int i;

    if (w->blind && now_ms - w->looked_ms >= BLIND_MS) {
        w->looked_ms = now_ms;
        st = add_tree(w, "artifacts", now_ms, err);
    }
    /* Whoever makes much noise must not keep the others from their turn. */
    for (i = 0; i < BUFFERS_AT_ONCE && !st && n > 0; i++) {
        const char *at = buf;

        n = read(w->fd, buf, sizeof buf);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            st = err_sys(err, errno, "cannot hear of files in %s", w->place);
        while (!st && n > 0 && at < buf + n) {
            const struct inotify_event *e = (const void *)at;

            st = see_event(w, e, now_ms, err);
            at += sizeof *e + e->len;
        }
    }
    return st;
}

/* ---- what is due -------------------------------------------------------- */

static int64_t due_at(const struct dirty *d)
{
    int64_t quiet = d->last_ms + QUIET_MS, noisy = d->first_ms + NOISY_MS;

    return quiet < noisy ? quiet : noisy;
}

int watch_due_ms(const struct watch *w, int64_t now_ms)
{
    int64_t at = w->blind ? w->looked_ms + BLIND_MS : INT64_MAX;
    size_t i;

    for (i = 0; i < w->n_dirty; i++)
        if (due_at(&w->dirty[i]) < at)
            at = due_at(&w->dirty[i]);
    return at == INT64_MAX ? -1 : at <= now_ms ? 0 : (int)(at - now_ms);
}

static quire_status give(const struct dirty *d, watch_fn each, void *ctx,
                         quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    if (d->all)
        return each(ctx, d->key, NULL, err);
    for (i = 0; i < d->n_paths && !st; i++)
        st = each(ctx, d->key, d->paths[i], err);
    return st;
}

/* Where each is, after some have gone. */
static bool find_places(struct watch *w)
{
    bool fine = true;
    size_t i;

    map_release(&w->by_key);
    map_init(&w->by_key, w->by_key.seed[0], w->by_key.seed[1]);
    for (i = 0; i < w->n_dirty && fine; i++)
        fine = map_put(&w->by_key, bytes_str(w->dirty[i].key), i, NULL);
    return fine;
}

quire_status watch_take(struct watch *w, int64_t now_ms, watch_fn each,
                        void *ctx, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i, n = 0;

    for (i = 0; i < w->n_dirty; i++) {
        struct dirty *d = &w->dirty[i];

        if (st || due_at(d) > now_ms || (st = give(d, each, ctx, err))) {
            w->dirty[n++] = *d;
            continue;
        }
        forget_paths(d);
        free(d->key);
    }
    w->n_dirty = n;
    return find_places(w) || st ? st : err_memory(err);
}

/* ---- life --------------------------------------------------------------- */

quire_status watch_open(const char *root, const char *only, struct watch **out,
                        quire_error *err)
{
    struct watch *w = calloc(1, sizeof *w);
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!w)
        return err_memory(err);
    w->fd = w->root = -1;
    map_init(&w->by_key, (uintptr_t)w, (uintptr_t)&w);
    w->place = strdup(root);
    w->only = only ? strdup(only) : NULL;
    if (!w->place || (only && !w->only))
        st = err_memory(err);
    if (!st)
        st = fs_open_dir(root, true, &w->root, err);
    if (!st) {
        w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        if (w->fd < 0)
            st = err_sys(err, errno, "cannot watch files");
    }
    /* It is made here, so that there is something to watch. */
    if (!st && mkdirat(w->root, "artifacts", 0750) < 0 && errno != EEXIST)
        st = err_sys(err, errno, "cannot make %s/artifacts", root);
    if (!st)
        st = add_tree(w, "artifacts", INT64_MIN / 2, err);
    if (st)
        watch_close(w);
    else
        *out = w;
    return st;
}

void watch_close(struct watch *w)
{
    size_t i;

    if (!w)
        return;
    for (i = 0; i < w->n_dirs; i++)
        free(w->dirs[i].name);
    for (i = 0; i < w->n_dirty; i++) {
        forget_paths(&w->dirty[i]);
        free(w->dirty[i].key);
    }
    map_release(&w->by_key);
    free(w->dirs);
    free(w->dirty);
    if (w->fd >= 0)
        close(w->fd);
    if (w->root >= 0)
        close(w->root);
    free(w->place);
    free(w->only);
    free(w);
}

int watch_fd(const struct watch *w)
{
    return w->fd;
}

bool watch_is_blind(const struct watch *w)
{
    return w->blind;
}
