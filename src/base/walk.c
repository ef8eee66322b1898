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
#include "base/err.h"
#include "base/fs.h"

/* Deeper than any name we store: an artifact's has 256 bytes, so it is at most
 * 127 directories deep. */
#define DEPTH_MAX 128

struct level {
    struct arena names;
    char **name; /* a directory's ends in '/' */
    size_t n, next;
    int fd;
    size_t path_len; /* of the path that leads here */
};

struct walk {
    const char *place;
    walk_each_fn each;
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
    if (l->n == *cap) {
        size_t more = *cap ? *cap * 2 : 64;
        char **grown = realloc(l->name, more * sizeof *grown);

        if (!grown)
            return false;
        l->name = grown;
        *cap = more;
    }
    l->name[l->n] = arena_printf(&l->names, "%s%s", name, dir ? "/" : "");
    return l->name[l->n++] != NULL;
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
    close(l->fd);
}

static quire_status report_list_error(const struct walk *w, quire_error *err)
{
    return err_sys(err, errno, "cannot list %s/%s", w->place, w->path);
}

/* Pass the files of a level to `each`, up to the next directory: *enter. */
static quire_status walk_level(struct walk *w, struct level *l, bool *enter,
                               quire_error *err)
{
    size_t room = sizeof w->path - l->path_len;

    *enter = false;
    while (l->next < l->n) {
        const char *name = l->name[l->next++];
        quire_status status;
        struct stat st;

        if ((size_t)snprintf(w->path + l->path_len, room, "%s", name) >= room) {
            errno = ENAMETOOLONG;
            return report_list_error(w, err);
        }
        if (name[strlen(name) - 1] == '/') {
            *enter = true;
            return QUIRE_OK;
        }
        if (fstatat(l->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
            if (errno == ENOENT)
                continue; /* removed since */
            return report_list_error(w, err);
        }
        status = w->each(w->ctx, w->path, &st, err);
        if (status)
            return status;
    }
    return QUIRE_OK;
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

static quire_status descend(struct walk *w, int fd, quire_error *err)
{
    struct level levels[DEPTH_MAX];
    quire_status st = QUIRE_OK;
    int depth = 0;

    if (level_open(&levels[0], fd, strlen(w->path)) < 0)
        st = report_list_error(w, err);
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
        if (fd < 0) {
            st = report_list_error(w, err);
            break;
        }
        depth++;
        if (level_open(&levels[depth], fd, strlen(w->path)) < 0)
            st = report_list_error(w, err);
    }
    for (; depth >= 0; depth--)
        level_close(&levels[depth]);
    return st;
}

quire_status walk_files(int dir, const char *place, const char *prefix,
                        walk_each_fn each, void *ctx, quire_error *err)
{
    struct walk w = {.place = place, .each = each, .ctx = ctx};
    int fd = fs_open_beneath(dir, *prefix ? prefix : ".",
                             O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0 && errno == ENOENT)
        return QUIRE_OK;
    if (*prefix)
        snprintf(w.path, sizeof w.path, "%s/", prefix);
    if (fd < 0)
        return report_list_error(&w, err);
    return descend(&w, fd, err);
}
