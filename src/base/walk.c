/*
 * walk.c - every file below a directory, in order
 *
 * A directory's entries are read whole and sorted as the full names sort: a
 * directory counts with its '/', so that "a-b" comes before "a/b" and that
 * before "ab". An explicit stack of levels replaces recursion; each level holds
 * its directory open, so a concurrent rename cannot lead outside.
 */
#include "base/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/parallel.h"

/* Deeper than any name we store: an artifact's has 256 bytes, so it is at most
 * 127 directories deep. */
#define DEPTH_MAX 128

struct level {
    struct arena names;
    char **name;            /* a directory's ends in '/' */
    struct walk_stat *seen; /* of the files, asked ahead; NULL: not */
    size_t n, next;
    int fd;
    size_t path_len; /* of the path that leads here */
};

struct walk {
    const char *place;
    walk_each_fn each;
    walk_stat_fn each_stat; /* NULL: `each` is called */
    void *ctx;
    char path[PATH_MAX];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* 1 a directory, 0 a file, -1 neither. Some file systems do not report it in
 * the entry. */
static int entry_kind(int fd, const struct dirent *e)
{
    struct stat st;

    if (e->d_type == DT_DIR || e->d_type == DT_REG)
        return e->d_type == DT_DIR;
    if (e->d_type != DT_UNKNOWN ||
        fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    return S_ISDIR(st.st_mode) ? 1 : S_ISREG(st.st_mode) ? 0 : -1;
}

static bool add_name(struct level *l, size_t *cap, const char *name, bool dir)
{
    size_t len = strlen(name);
    char *at;

    if (l->n == *cap) {
        size_t more = *cap ? *cap * 2 : 64;
        char **grown = realloc(l->name, more * sizeof *grown);

        if (!grown)
            return false;
        l->name = grown;
        *cap = more;
    }
    at = arena_alloc(&l->names, len + dir + 1);
    if (!at)
        return false;
    l->name[l->n++] = memcpy(at, name, len);
    if (dir)
        at[len++] = '/';
    at[len] = '\0';
    return true;
}

static int read_names(DIR *stream, struct level *l)
{
    struct dirent *e;
    size_t cap = 0;

    while (errno = 0, (e = readdir(stream)) != NULL) {
        int sort = entry_kind(l->fd, e);

        if (sort < 0 || !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            !strncmp(e->d_name, ".tmp-", 5))
            continue;
        if (!add_name(l, &cap, e->d_name, sort)) {
            errno = ENOMEM;
            return -1;
        }
    }
    return errno ? -1 : 0;
}

/* ---- asking ahead ------------------------------------------------------- */

/* Below this many files a thread costs more than it saves. */
enum { AHEAD_MIN = 512 };

struct ahead {
    struct level *l;
    size_t from, to;
};

static bool is_dir_name(const char *name)
{
    return name[strlen(name) - 1] == '/';
}

static struct walk_stat brief(const struct stat *st)
{
    return (struct walk_stat){st->st_ino, st->st_size, st->st_mtim,
                              st->st_mode};
}

static void *stat_names(void *part)
{
    const struct ahead *a = part;
    struct level *l = a->l;
    struct stat st;
    size_t i;

    for (i = a->from; i < a->to; i++)
        if (!is_dir_name(l->name[i]) &&
            fstatat(l->fd, l->name[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
            l->seen[i] = brief(&st);
        else
            l->seen[i].mode = 0; /* it is asked again, and reported */
    return NULL;
}

/* Without memory nothing is asked ahead. */
static void stat_ahead(struct level *l)
{
    struct ahead parts[PARALLEL_PARTS_MAX];
    unsigned n = parallel_n_threads(), i;

    if (l->n < AHEAD_MIN)
        return;
    if (n > PARALLEL_PARTS_MAX)
        n = PARALLEL_PARTS_MAX;
    l->seen = malloc(l->n * sizeof *l->seen);
    if (!l->seen)
        return;
    for (i = 0; i < n; i++)
        parts[i] = (struct ahead){l, l->n * i / n, l->n * (i + 1) / n};
    parallel_parts(stat_names, parts, sizeof *parts, n);
}

/* ---- levels ------------------------------------------------------------- */

/* Takes `fd`, also on failure. */
static int level_open(struct level *l, int fd, size_t path_len)
{
    int again = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *stream = again < 0 ? NULL : fdopendir(again);
    int rc, why;

    *l = (struct level){.fd = fd, .path_len = path_len};
    if (!stream) {
        why = errno;
        if (again >= 0)
            close(again);
        errno = why;
        return -1;
    }
    rc = read_names(stream, l);
    why = errno;
    if (l->n > 1)
        qsort(l->name, l->n, sizeof *l->name, by_name);
    closedir(stream);
    errno = why;
    return rc;
}

static void level_close(struct level *l)
{
    arena_release(&l->names);
    free(l->name);
    free(l->seen);
    close(l->fd);
}

static quire_status report_list_error(const struct walk *w, quire_error *err)
{
    return err_sys(err, errno, "cannot list %s/%s", w->place, w->path);
}

/* The path of a name; its length, 0: it is too long. */
static size_t join_path(struct walk *w, const struct level *l, const char *name)
{
    size_t len = strlen(name);

    if (len >= sizeof w->path - l->path_len)
        return 0;
    memcpy(w->path + l->path_len, name, len + 1);
    return l->path_len + len;
}

/* Pass a file to the caller. */
static quire_status pass_file(struct walk *w, const struct level *l, size_t at,
                              size_t len, quire_error *err)
{
    struct walk_stat seen;
    struct stat st;

    if (l->seen && l->seen[at].mode)
        return w->each_stat(w->ctx, bytes_of(w->path, len), &l->seen[at], err);
    if (fstatat(l->fd, l->name[at], &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? QUIRE_OK /* removed since */
                               : report_list_error(w, err);
    if (!w->each_stat)
        return w->each(w->ctx, w->path, &st, err);
    seen = brief(&st);
    return w->each_stat(w->ctx, bytes_of(w->path, len), &seen, err);
}

/* Pass the files of a level, up to the next directory: *enter. */
static quire_status walk_level(struct walk *w, struct level *l, bool *enter,
                               quire_error *err)
{
    quire_status status = QUIRE_OK;

    *enter = false;
    while (l->next < l->n && !status) {
        size_t at = l->next++, len = join_path(w, l, l->name[at]);

        if (!len) {
            errno = ENAMETOOLONG;
            return report_list_error(w, err);
        }
        if (w->path[len - 1] == '/') {
            *enter = true;
            return QUIRE_OK;
        }
        status = pass_file(w, l, at, len, err);
    }
    return status;
}

/* Names of directories end in a slash here, with which a link would be followed
 * despite O_NOFOLLOW. */
static int open_level(int dir, const char *name)
{
    char plain[NAME_MAX + 1];
    size_t len = strlen(name);

    if (len > 0 && name[len - 1] == '/')
        len--;
    if (len >= sizeof plain) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(plain, name, len);
    plain[len] = '\0';
    return openat(dir, plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Takes `fd`, also on failure. */
static quire_status enter_level(const struct walk *w, struct level *l, int fd,
                                quire_error *err)
{
    if (level_open(l, fd, strlen(w->path)) < 0)
        return report_list_error(w, err);
    if (w->each_stat)
        stat_ahead(l);
    return QUIRE_OK;
}

/* A directory that may not be listed. */
static quire_status pass_closed(struct walk *w, quire_error *err)
{
    const struct walk_stat closed = {.mode = S_IFDIR};

    if (!w->each_stat || errno != EACCES)
        return report_list_error(w, err);
    return w->each_stat(w->ctx, bytes_str(w->path), &closed, err);
}

static quire_status descend(struct walk *w, int fd, quire_error *err)
{
    struct level levels[DEPTH_MAX];
    quire_status st;
    int depth = 0;

    st = enter_level(w, &levels[0], fd, err);
    while (!st && depth >= 0) {
        struct level *l = &levels[depth];
        bool enter;

        st = walk_level(w, l, &enter, err);
        if (st)
            break;
        if (!enter) {
            level_close(l);
            depth--;
            continue;
        }
        if (depth + 1 == DEPTH_MAX)
            continue; /* no file of ours is that deep */
        fd = open_level(l->fd, l->name[l->next - 1]);
        if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENOTDIR))
            continue; /* replaced by something else */
        if (fd < 0 && (st = pass_closed(w, err)) == QUIRE_OK)
            continue;
        if (fd < 0)
            break;
        st = enter_level(w, &levels[++depth], fd, err);
    }
    for (; depth >= 0; depth--)
        level_close(&levels[depth]);
    return st;
}

static quire_status walk_from(struct walk *w, int dir, const char *prefix,
                              quire_error *err)
{
    int fd = fs_open_beneath(dir, *prefix ? prefix : ".",
                             O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0 && errno == ENOENT)
        return QUIRE_OK;
    if (*prefix)
        snprintf(w->path, sizeof w->path, "%s/", prefix);
    if (fd < 0)
        return report_list_error(w, err);
    return descend(w, fd, err);
}

quire_status walk_files(int dir, const char *place, const char *prefix,
                        walk_each_fn each, void *ctx, quire_error *err)
{
    struct walk w = {.place = place, .each = each, .ctx = ctx};

    return walk_from(&w, dir, prefix, err);
}

quire_status walk_stats(int dir, const char *place, walk_stat_fn each,
                        void *ctx, quire_error *err)
{
    struct walk w = {.place = place, .each_stat = each, .ctx = ctx};

    return walk_from(&w, dir, "", err);
}
