/*
 * plan.c - everything a child will need, before there is one
 */
#include "base/fs.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "sandbox/priv.h"

#define SHARED_BYTES (4 * STACK_BYTES)

void fd_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- directories --------------------------------------------------------- */

/* The path without links, which is where it will be in the new root. */
static const char *true_path(struct plan *p, const struct place *place)
{
    char link[32], path[PATH_MAX];
    struct stat st;
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", place->fd);
    n = readlink(link, path, sizeof path - 1);
    if (n <= 0)
        return NULL;
    path[n] = '\0';
    if (stat(path, &st) < 0 || st.st_dev != place->dev ||
        st.st_ino != place->ino)
        return NULL;
    return arena_text(&p->mem, (quire_bytes){path, (size_t)n});
}

static quire_status place_open(struct plan *p, struct place *place,
                               const char *path, quire_error *err)
{
    struct stat st;

    if (*path != '/')
        return err_set(err, QUIRE_INVALID, "%s: not an absolute path", path);
    place->fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place->fd < 0 || fstat(place->fd, &st) < 0)
        return err_sys(err, errno, "cannot give a command %s", path);
    place->dev = st.st_dev;
    place->ino = st.st_ino;
    place->path = true_path(p, place);
    if (!place->path)
        return err_set(err, QUIRE_IO,
                       "cannot give a command %s: it has no "
                       "path of its own, or /proc is not there",
                       path);
    return QUIRE_OK;
}

/* What lies in a tree that every command reads cannot be kept from it. */
static quire_status check_hidden(const char *path, quire_error *err)
{
    if (!rootfs_is_system(path))
        return QUIRE_OK;
    err_fail(err, QUIRE_INVALID,
             "keep the home outside of /usr, /bin, /sbin and /lib",
             "%s lies in a tree that every command can "
             "read",
             path);
    return QUIRE_INVALID;
}

static quire_status open_readable(struct plan *p, quire_error *err)
{
    const char *const *list = p->spec->readable;
    quire_status st = QUIRE_OK;
    size_t n = 0;

    while (list && list[n])
        n++;
    p->readable = arena_array(&p->mem, n + 1, sizeof *p->readable);
    if (!p->readable)
        return err_memory(err);
    for (; n > 0 && !st; n--, list++) {
        struct place *place = &p->readable[p->n_readable];

        place->fd = -1;
        if (access(*list, F_OK) < 0 && errno == ENOENT)
            continue;
        p->n_readable++;
        st = place_open(p, place, *list, err);
    }
    return st;
}

/* What follows `dir` in `path`, without the slash; NULL: it is not beneath. */
static const char *beneath(const char *path, const char *dir)
{
    size_t n = dir ? strlen(dir) : 0;

    while (n > 1 && dir[n - 1] == '/')
        n--;
    if (n == 0 || strncmp(path, dir, n) != 0)
        return NULL;
    path += n;
    if (*path && *path != '/')
        return NULL;
    while (*path == '/')
        path++;
    return *path ? path : ".";
}

static quire_status outside(const struct plan *p, const char *path,
                            quire_error *err)
{
    quire_status st = err_set(err, QUIRE_INVALID,
                              "cannot start in %s: it is not beneath a "
                              "directory of the session",
                              path);

    err_next(err, "start in %s or beneath it", p->agent.path);
    return st;
}

static quire_status open_cwd(struct plan *p, quire_error *err)
{
    const struct run_spec *s = p->spec;
    const char *path = s->cwd ? s->cwd : s->agent;
    const struct place *place = &p->agent;
    const char *rest = beneath(path, s->agent);
    quire_status st;

    if (!rest)
        rest = beneath(path, p->agent.path);
    if (!rest) {
        place = &p->scratch;
        rest = beneath(path, s->scratch);
    }
    if (!rest)
        rest = beneath(path, p->scratch.path);
    if (!rest)
        return outside(p, path, err);
    p->cwd_fd = fs_open_beneath(place->fd, rest, O_PATH | O_DIRECTORY, 0);
    if (p->cwd_fd < 0 && errno == EXDEV)
        return outside(p, path, err);
    if (p->cwd_fd < 0) {
        st = err_sys(err, errno, "cannot start in %s", path);
        err_next(err, "start in a directory that is there, beneath %s",
                 place->path);
        return st;
    }
    p->cwd_path = arena_printf(&p->mem, "%s/%s", place->path, rest);
    return p->cwd_path ? QUIRE_OK : err_memory(err);
}

static quire_status open_places(struct plan *p, quire_error *err)
{
    const struct run_spec *s = p->spec;
    quire_status st = place_open(p, &p->agent, s->agent, err);

    if (!st && s->scratch)
        st = place_open(p, &p->scratch, s->scratch, err);
    if (!st)
        st = check_hidden(p->agent.path, err);
    if (!st && s->scratch)
        st = check_hidden(p->scratch.path, err);
    if (!st && s->home)
        st = check_hidden(s->home, err);
    if (!st)
        st = open_readable(p, err);
    if (!st)
        st = open_cwd(p, err);
    return st;
}

/* ---- descriptors ---------------------------------------------------------- */

/* Above those that the streams will take. */
static int lift(int fd)
{
    int high;

    if (fd < 0 || fd > 2)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return high;
}

static int make_pipe(int *from, int *to)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) < 0)
        return -1;
    *from = lift(fd[0]);
    *to = lift(fd[1]);
    return *from < 0 || *to < 0 ? -1 : 0;
}

/* A directory would be a way out: the root it belongs to is the old one. */
static quire_status check_stdin(int fd, quire_error *err)
{
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) < 0)
        return err_sys(err, errno, "cannot give a command its input");
    if (fd >= 0 && S_ISDIR(st.st_mode))
        return err_set(err, QUIRE_INVALID,
                       "the input of a command cannot be "
                       "a directory");
    return QUIRE_OK;
}

static int open_streams(struct plan *p)
{
    int in = p->spec->stdin_fd;

    p->null = lift(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (p->null < 0)
        return -1;
    p->in = fcntl(in >= 0 ? in : p->null, F_DUPFD_CLOEXEC, 3);
    if (p->in < 0 || make_pipe(&p->out_from, &p->out) < 0 ||
        make_pipe(&p->err_from, &p->err) < 0 ||
        make_pipe(&p->life, &p->life_end) < 0 ||
        make_pipe(&p->ready_end, &p->ready) < 0)
        return -1;
    if (fcntl(p->out_from, F_SETFL, O_NONBLOCK) < 0 ||
        fcntl(p->err_from, F_SETFL, O_NONBLOCK) < 0)
        return -1;
    return 0;
}

void plan_started(struct plan *p)
{
    fd_close(&p->in);
    fd_close(&p->null);
    fd_close(&p->out);
    fd_close(&p->err);
    fd_close(&p->life);
    fd_close(&p->ready);
    fd_close(&p->rules);
}

/* ---- the whole ------------------------------------------------------------ */

static void plan_empty(struct plan *p, const struct run_spec *spec)
{
    *p = (struct plan){.spec = spec,
                       .agent.fd = -1,
                       .scratch.fd = -1,
                       .tmp.fd = -1,
                       .cwd_fd = -1,
                       .in = -1,
                       .out = -1,
                       .err = -1,
                       .null = -1,
                       .out_from = -1,
                       .err_from = -1,
                       .life = -1,
                       .life_end = -1,
                       .ready = -1,
                       .ready_end = -1,
                       .rules = -1};
}

static quire_status plan_argv(struct plan *p, quire_error *err)
{
    const char *const *given = p->spec->argv;
    size_t n = 0, i;
    char **argv;

    while (given && given[n])
        n++;
    if (n == 0)
        return err_set(err, QUIRE_INVALID, "command is empty");
    argv = arena_array(&p->mem, n + 1, sizeof *argv);
    if (!argv)
        return err_memory(err);
    for (i = 0; i < n; i++) {
        argv[i] = arena_printf(&p->mem, "%s", given[i]);
        if (!argv[i])
            return err_memory(err);
    }
    p->argv = argv;
    return QUIRE_OK;
}

/* Files of a tmpfs of that size: each takes about a kilobyte of memory, however
 * little is in it. The root itself needs some hundreds. */
static unsigned inodes_for(uint64_t bytes)
{
    enum { FEWEST = 4096, MOST = 262144 };
    uint64_t n = bytes / 2048;

    return bytes == 0 || n > MOST ? MOST : n < FEWEST ? FEWEST : (unsigned)n;
}

quire_status plan_init(struct plan *p, const struct run_spec *spec,
                       quire_error *err)
{
    uint64_t tmp = spec->limits.tmp_bytes;
    quire_status st;

    plan_empty(p, spec);
    p->root = geteuid() == 0;
    p->confined = spec->wanted != RUN_UNCONFINED;
    p->abi = p->confined ? landlock_abi() : 0;
    st = plan_argv(p, err);
    if (!st)
        st = check_stdin(spec->stdin_fd, err);
    if (!st)
        st = open_places(p, err);
    if (st)
        return st;
    /* For tmpfs, too, zero means unlimited. */
    p->tmpfs_size = arena_printf(&p->mem, "%llu", (unsigned long long)tmp);
    p->tmpfs_inodes = arena_printf(&p->mem, "%u", inodes_for(tmp));
    if (!p->tmpfs_size || !p->tmpfs_inodes)
        return err_memory(err);
    p->stacks = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p->stacks == MAP_FAILED) {
        p->stacks = NULL;
        return err_memory(err);
    }
    p->report = (struct report *)(void *)(p->stacks + 3 * STACK_BYTES);
    if (open_streams(p) < 0)
        return err_sys(err, errno, "cannot make pipes for a command");
    return QUIRE_OK;
}

static const char *tmp_base(const struct plan *p)
{
    return p->spec->tmp ? p->spec->tmp : "/tmp";
}

/* Without a root of its own the command gets a directory for temporary files
 * that ends with it. */
static quire_status make_tmp(struct plan *p, quire_error *err)
{
    const char *base = tmp_base(p);
    char *path;

    if (p->tmp.fd >= 0)
        return QUIRE_OK;
    path = arena_printf(&p->mem, "%s/quire-run-XXXXXX", base);
    if (!path)
        return err_memory(err);
    if (!mkdtemp(path))
        return err_sys(err, errno, "cannot make a directory in %s", base);
    p->tmp_name = path + strlen(base) + 1;
    return place_open(p, &p->tmp, path, err);
}

/* If the caller is killed meanwhile, it stays. */
static void remove_tmp(struct plan *p)
{
    int dir = -1;

    if (p->tmp_name)
        dir = open(tmp_base(p), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0)
        fs_remove_tree(dir, p->tmp_name);
    fd_close(&dir);
    fd_close(&p->tmp.fd);
}

quire_status plan_attempt(struct plan *p, bool spaces, quire_error *err)
{
    quire_status st;

    p->spaces = spaces;
    *p->report = (struct report){.step = STEP_NONE};
    st = spaces ? plan_rootfs(p, err) : make_tmp(p, err);
    if (!st)
        st = plan_env(p, err);
    seccomp_build(p);
    return st;
}

void plan_release(struct plan *p)
{
    size_t i;

    plan_started(p);
    fd_close(&p->out_from);
    fd_close(&p->err_from);
    fd_close(&p->life_end);
    fd_close(&p->ready_end);
    fd_close(&p->agent.fd);
    fd_close(&p->scratch.fd);
    fd_close(&p->cwd_fd);
    for (i = 0; i < p->n_readable; i++)
        fd_close(&p->readable[i].fd);
    remove_tmp(p);
    if (p->stacks)
        munmap(p->stacks, SHARED_BYTES);
    arena_release(&p->mem);
}
