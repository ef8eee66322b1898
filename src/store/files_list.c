/*
 * files_list.c - list very many files
 *
 * Listing ten thousand sessions needs the size and time of each, and nearly all
 * of that is waiting for the kernel to walk a path. So the names are read
 * first, and then a few threads stat them in parallel, each its own part of the
 * list.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parallel.h"
#include "store/files_priv.h"
#include "store/gzip_file.h"

/* Below this a thread costs more than it saves. */
#define PER_THREAD  1024
#define THREADS_MAX 4

struct found {
    const char *dir, *name;
    struct object_info info;
    bool there;
    bool odd;  /* exists, but is not a file */
    int error; /* errno of a failed stat, or 0 */
};

struct depth2_scan {
    const char *name; /* of the root, for messages */
    struct arena arena;
    struct found *list; /* owned */
    size_t n, cap;
    int root;

    /* `find` descends to any depth, and skips only names it does not want. */
    directory_want_fn wants; /* NULL: two levels, nothing hidden */
    void *ctx;
    const char **dirs; /* owned; found, the first `n_read` read */
    size_t n_dirs, n_read, dirs_cap;
};

/* The part of the list that one thread stats. */
struct stretch {
    const struct depth2_scan *depth2_scan;
    size_t from, to;
};

/* Set the size of a compressed log. Another program's gzip file is none, but a
 * file. */
static void measure(const struct depth2_scan *s, struct found *f, int dir)
{
    int fd = openat(dir, f->name,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 || gzip_file_size(fd, &f->info.size) < 0) {
        f->there = errno == EBADMSG && s->wants;
        f->error = errno == ENOENT || errno == EBADMSG ? 0 : errno;
    }
    if (fd >= 0)
        close(fd);
}

static void stat_one(const struct depth2_scan *s, struct found *f, int dir,
                     int error)
{
    struct stat st = {0};

    if (dir >= 0)
        error = fstatat(dir, f->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
    if (error) {
        f->error = error == ENOENT ? 0 : error;
        return;
    }
    f->there = S_ISREG(st.st_mode);
    f->odd = !f->there && !S_ISDIR(st.st_mode);
    files_describe(&st, &f->info);
    if (f->there && gzip_is_log(f->name))
        measure(s, f, dir);
}

static void *stat_part(void *ctx)
{
    struct stretch *s = ctx;
    const char *open_dir = NULL;
    int dir = -1, error = 0;
    size_t i;

    for (i = s->from; i < s->to; i++) {
        struct found *f = &s->depth2_scan->list[i];

        if (f->dir != open_dir) {
            if (dir >= 0)
                close(dir);
            dir = fs_open_beneath(s->depth2_scan->root, *f->dir ? f->dir : ".",
                                  O_PATH | O_DIRECTORY, 0);
            error = dir < 0 ? errno : 0;
            open_dir = f->dir;
        }
        stat_one(s->depth2_scan, f, dir, error);
    }
    if (dir >= 0)
        close(dir);
    return NULL;
}

static void stat_parallel(const struct depth2_scan *s)
{
    struct stretch part[THREADS_MAX];
    size_t n = s->n / PER_THREAD + 1, cores = parallel_n_threads(), i;

    if (n > THREADS_MAX)
        n = THREADS_MAX;
    if (n > cores)
        n = cores;
    for (i = 0; i < n; i++)
        part[i] = (struct stretch){s, s->n * i / n, s->n * (i + 1) / n};
    parallel_parts(stat_part, part, sizeof *part, n);
}

/* ---- names -------------------------------------------------------------- */

static quire_status add_found(struct depth2_scan *s, const char *dir,
                              const char *name, quire_error *err)
{
    struct found *list;

    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 256;
        list = realloc(s->list, s->cap * sizeof *list);
        if (!list)
            return err_memory(err);
        s->list = list;
    }
    s->list[s->n] = (struct found){.dir = dir};
    s->list[s->n].name = arena_text(&s->arena,
                                    (quire_bytes){name, strlen(name)});
    return s->list[s->n++].name ? QUIRE_OK : err_memory(err);
}

static quire_status fail_at(const struct files *f, const struct depth2_scan *s,
                            const char *verb, const char *dir, const char *name,
                            quire_error *err)
{
    char path[PATH_MAX];
    int why = errno;

    snprintf(path, sizeof path, "%s%s%s%s%s", s->name, *dir ? "/" : "", dir,
             *name ? "/" : "", name);
    errno = why;
    return files_fail(f, verb, path, err);
}

/* ---- directories -------------------------------------------------------- */

static quire_status add_dir(struct depth2_scan *s, const char *above,
                            const char *name, quire_error *err)
{
    const char **dirs;

    if (s->n_dirs == s->dirs_cap) {
        s->dirs_cap = s->dirs_cap ? s->dirs_cap * 2 : 64;
        dirs = realloc(s->dirs, s->dirs_cap * sizeof *dirs);
        if (!dirs)
            return err_memory(err);
        s->dirs = dirs;
    }
    s->dirs[s->n_dirs] = arena_printf(&s->arena, "%s%s%s", above,
                                      *above ? "/" : "", name);
    return s->dirs[s->n_dirs++] ? QUIRE_OK : err_memory(err);
}

/* Some file systems do not report the type in the entry. */
static bool is_dir(int dir, const struct dirent *e)
{
    struct stat st;

    if (e->d_type != DT_UNKNOWN)
        return e->d_type == DT_DIR;
    return !fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
           S_ISDIR(st.st_mode);
}

static quire_status visit_name(struct depth2_scan *s, int fd, const char *dir,
                               const struct dirent *e, quire_error *err)
{
    bool hidden = e->d_name[0] == '.', below = *dir != '\0';

    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
        return QUIRE_OK;
    if (!s->wants) {
        if (hidden || (!below && !is_dir(fd, e)))
            return QUIRE_OK;
        return below ? add_found(s, dir, e->d_name, err)
                     : add_dir(s, dir, e->d_name, err);
    }
    if (is_dir(fd, e))
        return add_dir(s, dir, e->d_name, err);
    return s->wants(s->ctx, e->d_name) ? add_found(s, dir, e->d_name, err)
                                       : QUIRE_OK;
}

static quire_status read_dir(struct files *f, struct depth2_scan *s,
                             const char *dir, quire_error *err)
{
    int fd = fs_open_beneath(s->root, *dir ? dir : ".", O_RDONLY | O_DIRECTORY,
                             0);
    quire_status st = QUIRE_OK;
    struct dirent *e;
    DIR *stream;

    if (fd < 0) /* removed, or not a directory after all */
        return errno == ENOENT || errno == ENOTDIR
                   ? QUIRE_OK
                   : fail_at(f, s, "open", dir, "", err);
    stream = fdopendir(fd);
    if (!stream) {
        close(fd);
        return fail_at(f, s, "read", dir, "", err);
    }
    for (errno = 0; !st && (e = readdir(stream)) != NULL; errno = 0)
        st = visit_name(s, fd, dir, e, err);
    if (!st && errno)
        st = fail_at(f, s, "read", dir, "", err);
    closedir(stream);
    return st;
}

static quire_status find_all(struct files *f, struct depth2_scan *s,
                             const char *root, quire_error *err)
{
    quire_status st = files_settle(f, err);

    if (!st)
        st = files_reach(f, false, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    s->root = fs_open_beneath(f->dir, *root ? root : ".",
                              O_RDONLY | O_DIRECTORY, 0);
    if (s->root < 0)
        return errno == ENOENT ? QUIRE_OK : files_fail(f, "open", root, err);
    st = read_dir(f, s, "", err);
    while (!st && s->n_read < s->n_dirs)
        st = read_dir(f, s, s->dirs[s->n_read++], err);
    if (!st)
        stat_parallel(s);
    return st;
}

static quire_status emit_all(struct files *f, const struct depth2_scan *s,
                             log_each_fn each, void *ctx, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; !st && i < s->n; i++) {
        const struct found *found = &s->list[i];

        errno = found->error;
        if (found->error)
            st = fail_at(f, s, "stat", found->dir, found->name, err);
        else if (found->there)
            st = each(ctx, found->dir, found->name, &found->info, err);
        else if (found->odd && s->wants)
            st = each(ctx, found->dir, found->name, NULL, err);
    }
    return st;
}

static quire_status run_scan(struct files *f, const char *root,
                             struct depth2_scan *s, log_each_fn each, void *ctx,
                             quire_error *err)
{
    quire_status st = find_all(f, s, root, err);

    if (!st)
        st = emit_all(f, s, each, ctx, err);
    if (s->root >= 0)
        close(s->root);
    free(s->list);
    free(s->dirs);
    arena_release(&s->arena);
    return st;
}

quire_status files_list_depth2(struct files *f, const char *root,
                               log_each_fn each, void *ctx, quire_error *err)
{
    struct depth2_scan s = {.name = root, .root = -1};

    return run_scan(f, root, &s, each, ctx, err);
}

quire_status files_find_all(struct files *f, const char *root,
                            directory_want_fn wants, directory_find_fn each,
                            void *ctx, quire_error *err)
{
    struct depth2_scan s = {.name = root,
                            .root = -1,
                            .wants = wants,
                            .ctx = ctx};

    return run_scan(f, root, &s, each, ctx, err);
}
