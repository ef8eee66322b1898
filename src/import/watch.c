/*
 * watch.c - see watch.h
 *
 * All directories are watched by one inotify instance, named from the root of the
 * file system. A spot is in one of three states, by what exists of its path:
 *
 *     /home/u/.codex/sessions      the directory: it and all below are watched
 *     /home/u/.aider.history.md    of a file: its directory, for names that begin
 *                                  with the file's
 *     /home/u                      .codex is missing: this directory, for that name
 *
 * When what is missing appears, or the directory of a spot goes, the spot is placed
 * again.
 */
#include "import/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dir_watches.h"
#include "base/err.h"

/* A change is delivered when nothing is written for QUIET_MS, at the latest LATEST_MS
 * after the first; PAUSE_SHARE times as long as the caller took, at most PAUSE_MS. */
enum { QUIET_MS = 300, LATEST_MS = 2000, PAUSE_SHARE = 10, PAUSE_MS = 30000 };

enum { EVENT_BYTES = 64 << 10, TRIES = 100 };

#define EVENTS                                                              \
    (IN_MODIFY | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | \
     IN_MOVE_SELF)

enum state { UNPLACED, WHOLE, NAMED };

struct spot {
    const struct import_agent *agent; /* NULL: any                          */
    char *path;                       /* owned                              */
    bool is_tree;
    enum state state;
    char *dir; /* owned: the directory that is watched, without the first '/' */
    char *name;   /* owned; NAMED: names in it begin so                      */
    bool awaited; /* NAMED: it is missing, and placed again when it appears */
};

struct import_watch {
    int root; /* owned: "/" */
    struct dir_watches dirs;
    struct spot *spots;
    size_t n, cap;
    size_t missing;
    bool dirty[IMPORT_AGENTS_MAX], any;
    int64_t returned_ms; /* from the last wait */
    _Alignas(struct inotify_event) char events[EVENT_BYTES];
};

static int64_t now_ms(void)
{
    return clock_steady_us() / 1000;
}

/* ---- what has changed --------------------------------------------------- */

static void note_agent(struct import_watch *w, const struct import_agent *agent)
{
    size_t i;

    w->any = true;
    for (i = 0; i < IMPORT_AGENTS_MAX; i++)
        w->dirty[i] |= !agent || import_agents[i] == agent;
}

/* ---- placing a spot ----------------------------------------------------- */

static bool is_in(const char *dir, const char *root)
{
    size_t len = strlen(root);

    return !len || (!strncmp(dir, root, len) && (!dir[len] || dir[len] == '/'));
}

static bool is_wanted(void *ctx, const char *name)
{
    const struct import_watch *w = ctx;
    size_t i;

    for (i = 0; i < w->n; i++)
        if (w->spots[i].state == WHOLE && is_in(name, w->spots[i].dir))
            return true;
    return false;
}

static quire_status dir_added(void *ctx, const char *name, int fd,
                              quire_error *err)
{
    (void)ctx;
    (void)name;
    (void)fd;
    (void)err;
    return QUIRE_OK;
}

static quire_status dir_failed(void *ctx, const char *name, int error,
                               quire_error *err)
{
    struct import_watch *w = ctx;

    (void)name;
    (void)err;
    w->missing += error == ENOSPC;
    return QUIRE_OK;
}

static quire_status watch_dir(struct import_watch *w, const char *dir,
                              quire_error *err)
{
    struct dir_watches_hooks hooks = {.is_wanted = is_wanted,
                                      .added = dir_added,
                                      .failed = dir_failed,
                                      .ctx = w};

    return dir_watches_add(&w->dirs, dir, &hooks, err);
}

/* A directory has no event when one above it is moved: watch those for that alone.
 * Their watches have no names. */
static void watch_above(struct import_watch *w, const char *dir)
{
    char path[PATH_MAX];
    char *slash;

    if (snprintf(path, sizeof path, "/%s", dir) >= PATH_MAX)
        return;
    while ((slash = strrchr(path, '/')) != path) {
        *slash = '\0';
        inotify_add_watch(w->dirs.fd, path,
                          IN_MOVE_SELF | IN_MASK_ADD | IN_ONLYDIR);
    }
}

/* Cut the last part off a path that begins with '/'; it goes to `last`. */
static void cut_last(char path[PATH_MAX], char last[PATH_MAX])
{
    char *slash = strrchr(path, '/');

    snprintf(last, PATH_MAX, "%s", slash + 1);
    slash[slash == path] = '\0';
}

static bool is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The directory to watch, and in `name` what in it; "": all of it. */
static bool resolve(const struct spot *s, char real[PATH_MAX],
                    char name[PATH_MAX], bool *awaited)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s", s->path) >= PATH_MAX || *path != '/')
        return false;
    *name = '\0';
    if (!s->is_tree)
        cut_last(path, name);
    *awaited = !is_dir(path);
    while (!is_dir(path) && path[1])
        cut_last(path, name);
    return realpath(path, real) != NULL;
}

static quire_status place_at(struct import_watch *w, struct spot *s,
                             const char *dir, const char *name, bool awaited,
                             quire_error *err)
{
    free(s->dir);
    free(s->name);
    s->state = UNPLACED;
    s->dir = strdup(dir);
    s->name = strdup(name);
    if (!s->dir || !s->name)
        return err_memory(err);
    s->awaited = awaited;
    s->state = s->is_tree && !awaited ? WHOLE : NAMED;
    watch_above(w, dir);
    return watch_dir(w, s->dir, err);
}

static bool is_placed(const struct spot *s, const char *dir, const char *name)
{
    return s->state != UNPLACED && !strcmp(s->dir, dir) &&
           !strcmp(s->name, name);
}

/* What is missing may appear before its directory is watched: look again then. */
static quire_status place(struct import_watch *w, struct spot *s,
                          quire_error *err)
{
    char real[PATH_MAX], name[PATH_MAX];
    bool awaited = false;
    quire_status st = QUIRE_OK;
    int tries;

    s->state = UNPLACED;
    for (tries = 0; tries < TRIES && !st; tries++) {
        if (!resolve(s, real, name, &awaited))
            break;
        if (is_placed(s, real + 1, name))
            break;
        st = place_at(w, s, real + 1, name, awaited, err);
    }
    return st;
}

static quire_status place_all(struct import_watch *w, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    w->missing = 0;
    for (i = 0; i < w->n && !st; i++)
        st = place(w, &w->spots[i], err);
    return st;
}

static bool has_spot(const struct import_watch *w, const struct import_spot *s)
{
    size_t i;

    for (i = 0; i < w->n; i++)
        if (w->spots[i].agent == s->agent &&
            w->spots[i].is_tree == s->is_tree &&
            !strcmp(w->spots[i].path, s->path))
            return true;
    return false;
}

static quire_status add_spot(struct import_watch *w,
                             const struct import_spot *from, quire_error *err)
{
    size_t cap = w->cap ? w->cap * 2 : 16;
    struct spot *more;

    if (has_spot(w, from))
        return QUIRE_OK;
    if (w->n == w->cap) {
        more = realloc(w->spots, cap * sizeof *more);
        if (!more)
            return err_memory(err);
        w->spots = more;
        w->cap = cap;
    }
    w->spots[w->n] = (struct spot){.agent = from->agent,
                                   .path = strdup(from->path),
                                   .is_tree = from->is_tree};
    if (!w->spots[w->n].path)
        return err_memory(err);
    note_agent(w, from->agent); /* written before it was watched */
    return place(w, &w->spots[w->n++], err);
}

quire_status import_watch_add(struct import_watch *w,
                              const struct import_places *p, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < p->n_spots && !st; i++)
        st = add_spot(w, &p->spots[i], err);
    return st;
}

/* ---- events ------------------------------------------------------------- */

static bool concerns(const struct spot *s, const char *dir, const char *name)
{
    if (s->state == WHOLE)
        return is_in(dir, s->dir);
    if (s->state != NAMED || strcmp(dir, s->dir) != 0)
        return false;
    return s->awaited ? !strcmp(name, s->name)
                      : !strncmp(name, s->name, strlen(s->name));
}

/* Something in a directory was made or changed. */
static quire_status note_change(struct import_watch *w, const char *dir,
                                const char *name, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < w->n && !st; i++) {
        struct spot *s = &w->spots[i];

        if (!concerns(s, dir, name))
            continue;
        if (s->state == NAMED && s->awaited)
            st = place(w, s, err);
        note_agent(w, s->agent);
    }
    return st;
}

/* The name `dir` is no longer what is watched there. */
static quire_status replace_spots(struct import_watch *w, const char *dir,
                                  quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    dir_watches_drop(&w->dirs, dir);
    for (i = 0; i < w->n && !st; i++)
        if (w->spots[i].state != UNPLACED && is_in(w->spots[i].dir, dir)) {
            st = place(w, &w->spots[i], err);
            note_agent(w, w->spots[i].agent);
        }
    return st;
}

/* A directory above some spot has moved. */
static quire_status replace_moved(struct import_watch *w, quire_error *err)
{
    char real[PATH_MAX], name[PATH_MAX], old[PATH_MAX];
    quire_status st = QUIRE_OK;
    bool awaited;
    size_t i;

    for (i = 0; i < w->n && !st; i++) {
        const struct spot *s = &w->spots[i];

        if (s->state == UNPLACED ||
            (resolve(s, real, name, &awaited) && is_placed(s, real + 1, name)))
            continue;
        snprintf(old, sizeof old, "%s", s->dir);
        st = replace_spots(w, old, err);
    }
    return st;
}

static quire_status handle_event(struct import_watch *w,
                                 const struct inotify_event *e,
                                 quire_error *err)
{
    const char *found = dir_watches_name(&w->dirs, e->wd);
    const char *name = e->len ? e->name : "";
    char dir[PATH_MAX], child[PATH_MAX];
    quire_status st = QUIRE_OK;

    if (e->mask & IN_Q_OVERFLOW) {
        note_agent(w, NULL);
        return place_all(w, err);
    }
    if (!found && e->mask & IN_MOVE_SELF)
        return replace_moved(w, err);
    if (!found || snprintf(dir, sizeof dir, "%s", found) >= PATH_MAX ||
        snprintf(child, sizeof child, "%s%s%s", dir, *dir ? "/" : "", name) >=
            PATH_MAX)
        return QUIRE_OK;
    if (e->mask & (IN_DELETE_SELF | IN_MOVE_SELF))
        return replace_spots(w, dir, err);
    if (e->mask & IN_IGNORED) {
        dir_watches_forget(&w->dirs, e->wd);
        return QUIRE_OK;
    }
    if (e->mask & IN_ISDIR && e->mask & IN_MOVED_FROM)
        st = replace_spots(w, child, err);
    else if (e->mask & IN_ISDIR && is_wanted(w, child))
        st = watch_dir(w, child, err);
    return st ? st : note_change(w, dir, name, err);
}

/* Read what is in the queue; *came: there was something. */
static quire_status read_events(struct import_watch *w, bool *came,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;
    const char *at;
    ssize_t n;

    *came = false;
    while (!st && (n = read(w->dirs.fd, w->events, EVENT_BYTES)) > 0) {
        *came = true;
        for (at = w->events; at < w->events + n && !st;) {
            const struct inotify_event *e = (const void *)at;

            st = handle_event(w, e, err);
            at += sizeof *e + e->len;
        }
    }
    if (!st && n < 0 && errno != EAGAIN && errno != EINTR)
        st = err_sys(err, errno, "cannot watch files");
    return st;
}

/* ---- waiting ------------------------------------------------------------ */

/* For events, unless `fd` is -1, or until `wake`; -1: for ever. */
static quire_status wait_for(int fd, int wake, int64_t ms, quire_error *err)
{
    struct pollfd p[2] = {{.fd = wake, .events = POLLIN},
                          {.fd = fd, .events = POLLIN}};
    int n = poll(p, 2, ms > INT_MAX ? INT_MAX : (int)ms);

    if (n < 0 && errno != EINTR)
        return err_sys(err, errno, "cannot watch files");
    return n > 0 && p[0].revents ? err_set(err, QUIRE_STOPPED, "stopped")
                                 : QUIRE_OK;
}

/* Until the writers pause, and the caller has had its pause. */
static quire_status settle(struct import_watch *w, int wake, int64_t until,
                           quire_error *err)
{
    int64_t first = now_ms(), now = first;
    bool came = true;
    quire_status st = QUIRE_OK;

    while (!st && ((came && now - first < LATEST_MS) || now < until)) {
        st = wait_for(-1, wake, until - now > QUIET_MS ? until - now : QUIET_MS,
                      err);
        if (!st)
            st = read_events(w, &came, err);
        now = now_ms();
    }
    return st;
}

static void take_changed(struct import_watch *w,
                         const struct import_agent *changed[])
{
    size_t n = 0, i;

    for (i = 0; i < IMPORT_AGENTS_MAX; i++) {
        if (w->dirty[i])
            changed[n++] = import_agents[i];
        w->dirty[i] = false;
    }
    changed[n] = NULL;
    w->any = false;
}

quire_status
import_watch_wait(struct import_watch *w, int wake,
                  const struct import_agent *changed[IMPORT_AGENTS_MAX + 1],
                  quire_error *err)
{
    int64_t now = now_ms(), took = now - w->returned_ms;
    int64_t pause = w->returned_ms ? took * PAUSE_SHARE : 0;
    bool came;
    quire_status st = read_events(w, &came, err);

    pause = pause < PAUSE_MS ? pause : PAUSE_MS;
    while (!st && !w->any) {
        st = wait_for(w->dirs.fd, wake, -1, err);
        if (!st)
            st = read_events(w, &came, err);
    }
    if (!st)
        st = settle(w, wake, now + pause, err);
    if (!st)
        take_changed(w, changed);
    w->returned_ms = now_ms();
    return st;
}

/* ---- life --------------------------------------------------------------- */

quire_status import_watch_open(struct import_watch **out, quire_error *err)
{
    struct import_watch *w = calloc(1, sizeof *w);
    quire_status st;

    *out = NULL;
    if (!w)
        return err_memory(err);
    w->dirs = (struct dir_watches)DIR_WATCHES_INIT;
    w->root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    st = w->root < 0
             ? err_sys(err, errno, "cannot open /")
             : dir_watches_open(&w->dirs, w->root, "", EVENTS, 1 << 16, err);
    if (st)
        import_watch_close(w);
    else
        *out = w;
    return st;
}

void import_watch_close(struct import_watch *w)
{
    size_t i;

    if (!w)
        return;
    for (i = 0; i < w->n; i++) {
        free(w->spots[i].path);
        free(w->spots[i].dir);
        free(w->spots[i].name);
    }
    free(w->spots);
    dir_watches_close(&w->dirs);
    if (w->root >= 0)
        close(w->root);
    free(w);
}

size_t import_watch_count(const struct import_watch *w)
{
    return w->dirs.n_live;
}

size_t import_watch_missing(const struct import_watch *w)
{
    return w->missing;
}
