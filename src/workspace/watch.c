/* watch.c - see watch.h */
#include "workspace/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/dir_watches.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "workspace/workspace.h"

/* A session is due after this long without events, or with them. BLIND_MS:
 * polling interval without inotify. */
enum { QUIET_MS = 100, NOISY_MS = 1000, BLIND_MS = 2000 };

/* Longest path of an artifact. */
enum { PATH_LONGEST = 256 };

/* Above PATHS_MAX, the whole session is synced. */
enum { PATHS_MAX = 64, BUFFERS_AT_ONCE = 4 };

#define EVENTS                                                              \
    (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | \
     IN_EXCL_UNLINK)

/* A workspace with changes that are not delivered yet. */
struct dirty {
    char *key; /* owned */
    bool all;
    char **paths; /* owned, each too */
    size_t n_paths;
    int64_t first_ms, last_ms;
};

struct watch {
    int root;    /* owned */
    char *place; /* owned; path of the root */
    char *only;  /* owned; NULL: all            */
    struct dir_watches dirs;
    struct dirty *dirty;
    size_t n_dirty, cap_dirty;
    struct map by_key; /* index in `dirty` */
    bool blind;
    int64_t looked_ms;
};

/* ---- names -------------------------------------------------------------- */

/* Kind of a path below the root: part of a workspace, a parent of one, or
 * neither. */
enum where { ELSEWHERE, ON_THE_WAY, INSIDE };

/* INSIDE: *key is the session, with its length, and *path the rest, "" for the
 * directory itself. */
static enum where parse_name(const char *name, const char **key,
                             size_t *key_len, const char **path)
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
    enum where where = parse_name(name, &key, &len, &path);

    if (where == ELSEWHERE || (base && base[1] == '.') ||
        (where == INSIDE && strlen(path) > PATH_LONGEST))
        return false;
    return !w->only || !key ||
           (strlen(w->only) == len && !strncmp(w->only, key, len));
}

/* ---- pending changes ---------------------------------------------------- */

static struct dirty *get_dirty(struct watch *w, const char *key, size_t len)
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

static void clear_paths(struct dirty *d)
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

/* Record a change of `name`; with `all`, of its whole session. */
static quire_status record_change(struct watch *w, const char *name, bool all,
                                  int64_t now_ms, quire_error *err)
{
    const char *key, *path;
    struct dirty *d;
    size_t len;

    if (parse_name(name, &key, &len, &path) != INSIDE)
        return QUIRE_OK;
    d = get_dirty(w, key, len);
    if (!d)
        return err_memory(err);
    if (d->first_ms < 0)
        d->first_ms = now_ms;
    d->last_ms = now_ms;
    d->all |= all || !*path;
    if (d->all)
        clear_paths(d);
    else if (!add_path(d, path))
        return err_memory(err);
    return QUIRE_OK;
}

/* ---- directories -------------------------------------------------------- */

/* Of one call that adds directories. */
struct adding {
    struct watch *w;
    int64_t now_ms;
};

static bool is_dir_wanted(void *ctx, const char *name)
{
    const struct adding *a = ctx;

    return is_wanted(a->w, name);
}

static quire_status dir_added(void *ctx, const char *name, int fd,
                              quire_error *err)
{
    struct adding *a = ctx;

    (void)fd;
    return record_change(a->w, name, true, a->now_ms, err);
}

/* Poll instead, if there are no more watches. A directory is skipped that is gone
 * again, a link, or unreadable. */
static quire_status dir_failed(void *ctx, const char *name, int error,
                               quire_error *err)
{
    struct adding *a = ctx;

    a->w->blind |= error == ENOSPC;
    return error == EMFILE || error == ENFILE || error == ENOMEM
               ? err_sys(err, error, "cannot open %s/%s", a->w->place, name)
               : QUIRE_OK;
}

/* Watch a directory and everything below it; all of it is due. */
static quire_status add_tree(struct watch *w, const char *name, int64_t now_ms,
                             quire_error *err)
{
    struct adding a = {w, now_ms};
    struct dir_watches_hooks hooks = {
        .is_wanted = is_dir_wanted,
        .added = dir_added,
        .failed = dir_failed,
        .ctx = &a,
    };

    return dir_watches_add(&w->dirs, name, &hooks, err);
}

/* ---- events ------------------------------------------------------------- */

static quire_status handle_event(struct watch *w, const struct inotify_event *e,
                                 int64_t now_ms, quire_error *err)
{
    const char *dir = dir_watches_name(&w->dirs, e->wd);
    quire_status st = QUIRE_OK;
    char *name;

    if (e->mask & IN_Q_OVERFLOW)
        return add_tree(w, "artifacts", now_ms, err);
    if (!dir)
        return QUIRE_OK;
    if (e->mask & IN_IGNORED) {
        dir_watches_forget(&w->dirs, e->wd);
        return QUIRE_OK;
    }
    if (!e->len || e->name[0] == '.')
        return QUIRE_OK;
    if (asprintf(&name, "%s/%s", dir, e->name) < 0)
        return err_memory(err);
    if (e->mask & IN_ISDIR) {
        if (e->mask & (IN_MOVED_FROM | IN_DELETE)) {
            /* Its events would carry an old name. */
            dir_watches_drop(&w->dirs, name);
            st = record_change(w, name, true, now_ms, err);
        } else if (is_wanted(w, name)) {
            st = add_tree(w, name, now_ms, err);
        }
    } else {
        st = record_change(w, name, false, now_ms, err);
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
    /* Bounded, so that one busy workspace cannot starve the others. */
    for (i = 0; i < BUFFERS_AT_ONCE && !st && n > 0; i++) {
        const char *at = buf;

        n = read(w->dirs.fd, buf, sizeof buf);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            st = err_sys(err, errno, "cannot read inotify events of %s",
                         w->place);
        while (!st && n > 0 && at < buf + n) {
            const struct inotify_event *e = (const void *)at;

            st = handle_event(w, e, now_ms, err);
            at += sizeof *e + e->len;
        }
    }
    return st;
}

/* ---- deliver changes ---------------------------------------------------- */

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

static quire_status deliver(const struct dirty *d, watch_fn each, void *ctx,
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

/* Rebuild the index after removals. */
static bool rebuild_index(struct watch *w)
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

        if (st || due_at(d) > now_ms || (st = deliver(d, each, ctx, err))) {
            w->dirty[n++] = *d;
            continue;
        }
        clear_paths(d);
        free(d->key);
    }
    w->n_dirty = n;
    return rebuild_index(w) || st ? st : err_memory(err);
}

/* ---- open and close ----------------------------------------------------- */

quire_status watch_open(const char *root, const char *only, struct watch **out,
                        quire_error *err)
{
    struct watch *w = calloc(1, sizeof *w);
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!w)
        return err_memory(err);
    w->root = -1;
    w->dirs = (struct dir_watches)DIR_WATCHES_INIT;
    map_init(&w->by_key, (uintptr_t)w, (uintptr_t)&w);
    w->place = strdup(root);
    w->only = only ? strdup(only) : NULL;
    if (!w->place || (only && !w->only))
        st = err_memory(err);
    if (!st)
        st = fs_open_dir(root, true, &w->root, err);
    if (!st)
        st = dir_watches_open(&w->dirs, w->root, w->place, EVENTS, SIZE_MAX,
                              err);
    /* Created here, so that there is a directory to watch. */
    if (!st && mkdirat(w->root, "artifacts", 0750) < 0 && errno != EEXIST)
        st = err_sys(err, errno, "cannot create %s/artifacts", root);
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
    for (i = 0; i < w->n_dirty; i++) {
        clear_paths(&w->dirty[i]);
        free(w->dirty[i].key);
    }
    map_release(&w->by_key);
    free(w->dirty);
    dir_watches_close(&w->dirs);
    if (w->root >= 0)
        close(w->root);
    free(w->place);
    free(w->only);
    free(w);
}

int watch_fd(const struct watch *w)
{
    return w->dirs.fd;
}

bool watch_is_blind(const struct watch *w)
{
    return w->blind;
}
