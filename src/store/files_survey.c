/*
 * files_survey.c - very many files, looked at once
 *
 * To list ten thousand sessions is to ask for the size and time of each, and
 * nearly all of that is waiting for the kernel to walk a path. So the names
 * are read first, and then looked at by a few threads side by side, each with
 * its own stretch of the list. They touch nothing but that, take no signals
 * and end before the call does.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "store/files_priv.h"

/* Below this a thread costs more than it saves. */
#define PER_THREAD  1024
#define THREADS_MAX 4

struct found {
    const char *dir, *name;
    struct object_info info;
    bool there;
    int error; /* errno of a look that failed, 0: none */
};

struct survey {
    struct arena arena;
    struct found *list; /* owned */
    size_t n, cap;
    int root;
};

/* The part of the list that one thread looks at. */
struct stretch {
    const struct survey *survey;
    size_t from, to;
};

static void look_at(struct found *f, int dir, int error)
{
    struct stat st = {0};

    if (dir >= 0)
        error = fstatat(dir, f->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
    if (error) {
        f->error = error == ENOENT ? 0 : error;
        return;
    }
    f->there = S_ISREG(st.st_mode);
    files_describe(&st, &f->info);
}

static void *look_at_all(void *ctx)
{
    struct stretch *s = ctx;
    const char *open_dir = NULL;
    int dir = -1, error = 0;
    size_t i;

    for (i = s->from; i < s->to; i++) {
        struct found *f = &s->survey->list[i];

        if (f->dir != open_dir) {
            if (dir >= 0)
                close(dir);
            dir = openat(s->survey->root, f->dir,
                         O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            error = dir < 0 ? errno : 0;
            open_dir = f->dir;
        }
        look_at(f, dir, error);
    }
    if (dir >= 0)
        close(dir);
    return NULL;
}

/* What no thread could be had for, this one looks at. */
static void look_side_by_side(const struct survey *s)
{
    struct stretch part[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = s->n / PER_THREAD + 1, i;
    sigset_t all, was;

    if (n > THREADS_MAX)
        n = THREADS_MAX;
    if (cores > 0 && n > (size_t)cores)
        n = (size_t)cores;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    for (i = 0; i < n; i++) {
        part[i] = (struct stretch){s, s->n * i / n, s->n * (i + 1) / n};
        if (i > 0)
            started[i] = !pthread_create(&thread[i], NULL, look_at_all,
                                         &part[i]);
    }
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    for (i = 0; i < n; i++) {
        if (started[i])
            pthread_join(thread[i], NULL);
        else
            look_at_all(&part[i]);
    }
}

/* ---- names -------------------------------------------------------------- */

static quire_status add_found(struct survey *s, const char *dir,
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

static bool may_be(const struct dirent *e, unsigned char type)
{
    return e->d_name[0] != '.' &&
           (e->d_type == type || e->d_type == DT_UNKNOWN);
}

static quire_status read_dir(struct files *f, struct survey *s,
                             const char *name, quire_error *err)
{
    int fd = openat(s->root, name,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const char *dir = arena_text(&s->arena, (quire_bytes){name, strlen(name)});
    quire_status st = dir ? QUIRE_OK : err_memory(err);
    struct dirent *e;
    DIR *stream;

    if (fd < 0) /* gone, or no directory after all */
        return errno == ENOENT || errno == ENOTDIR
                   ? QUIRE_OK
                   : files_fail(f, "open", name, err);
    stream = fdopendir(fd);
    if (!stream) {
        close(fd);
        return files_fail(f, "read", name, err);
    }
    for (errno = 0; !st && (e = readdir(stream)) != NULL; errno = 0) {
        if (may_be(e, DT_REG))
            st = add_found(s, dir, e->d_name, err);
    }
    if (!st && errno)
        st = files_fail(f, "read", name, err);
    closedir(stream);
    return st;
}

static quire_status read_root(struct files *f, struct survey *s, int fd,
                              quire_error *err)
{
    DIR *stream = fdopendir(fd);
    quire_status st = QUIRE_OK;
    struct dirent *e;

    if (!stream) {
        close(fd);
        return files_fail(f, "read", "", err);
    }
    for (errno = 0; !st && (e = readdir(stream)) != NULL; errno = 0) {
        if (may_be(e, DT_DIR))
            st = read_dir(f, s, e->d_name, err);
    }
    if (!st && errno)
        st = files_fail(f, "read", "", err);
    closedir(stream);
    return st;
}

quire_status files_survey(struct object_store *store, const char *root,
                          object_survey_fn each, void *ctx, quire_error *err)
{
    struct files *f = (struct files *)store;
    struct survey s = {.root = -1};
    quire_status st;
    size_t i;
    int fd;

    st = files_settle(f, err);
    if (!st)
        st = files_reach(f, false, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    s.root = fs_open_beneath(f->dir, root, O_RDONLY | O_DIRECTORY, 0);
    if (s.root < 0)
        return errno == ENOENT ? QUIRE_OK : files_fail(f, "open", root, err);
    fd = fcntl(s.root, F_DUPFD_CLOEXEC, 0);
    st = fd < 0 ? files_fail(f, "open", root, err) : read_root(f, &s, fd, err);
    if (!st)
        look_side_by_side(&s);
    for (i = 0; !st && i < s.n; i++) {
        errno = s.list[i].error;
        if (s.list[i].error)
            st = files_fail(f, "look at", s.list[i].name, err);
        else if (s.list[i].there)
            st = each(ctx, s.list[i].dir, s.list[i].name, &s.list[i].info, err);
    }
    free(s.list);
    arena_release(&s.arena);
    close(s.root);
    return st;
}
