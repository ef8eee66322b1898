/*
 * supervise.c - while a command runs
 *
 * One loop over its two streams, its end, the caller's wish to stop, and the
 * clock. Ending has two manners: asked() sends SIGTERM to the command's process
 * group, for a time limit, so that it can clean up; now() ends everything at
 * once, by the anchor or by the reaper.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "sandbox/priv.h"

enum { AT_OUT, AT_ERR, AT_STOP, AT_END, N_FDS };

struct watching {
    struct plan *p;
    struct run_result *r;
    quire_error *err;
    quire_status status; /* of the output callback                       */
    struct pollfd fd[N_FDS];
    int end; /* pidfd of the command, or of its reaper           */
    int64_t began_us;
    int64_t ask_us, kill_us; /* when, or INT64_MAX                       */
    bool over;               /* now() was called                         */

    int proc; /* its /proc, or ours                               */
    int64_t look_us;
    uint64_t handed;
};

#define FAST_US 10000
#define SLOW_US 50000

/* ---- ending --------------------------------------------------------------- */

/* A byte for the reaper. It may have been killed, and a program that uses us is
 * not to end for that. */
static void notify_reaper(int fd)
{
    struct timespec at_once = {0, 0};
    sigset_t broken, before;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    if (write(fd, "T", 1) < 0 && errno == EPIPE &&
        !sigismember(&before, SIGPIPE))
        sigtimedwait(&broken, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void asked(struct watching *w)
{
    const struct report *rep = w->p->report;

    if (w->p->spaces)
        kill(-rep->command, SIGTERM);
    else
        notify_reaper(w->p->life_end);
    w->ask_us = INT64_MAX;
    w->kill_us = clock_steady_us() + w->p->spec->limits.grace_ms * 1000;
}

static void now(struct watching *w)
{
    if (w->over)
        return;
    w->over = true;
    w->ask_us = w->kill_us = INT64_MAX;
    if (w->p->spaces)
        kill(w->p->report->anchor, SIGKILL);
    fd_close(&w->p->life_end);
}

static void stop_at_limit(struct watching *w, unsigned what)
{
    w->r->hit |= what;
    now(w);
}

/* ---- streams -------------------------------------------------------------- */

static void pass_output(struct watching *w, int stream, const char *data,
                        size_t n)
{
    const struct run_spec *s = w->p->spec;
    uint64_t most = s->limits.output_bytes;
    quire_bytes bytes = {data, n};

    if (most && n > most - w->handed) {
        bytes.len = (size_t)(most - w->handed);
        w->r->hit |= RUN_HIT_OUTPUT;
        if (!s->limits.drain)
            now(w);
    }
    w->handed += bytes.len;
    if (bytes.len == 0 || !s->output || w->status)
        return;
    w->status = s->output(s->output_ctx, stream, bytes, w->err);
    if (w->status)
        now(w);
}

/* What is there now; true while there may be more at once. */
static bool read_some(struct watching *w, int at)
{
    char data[65536];
    uint64_t *count = at == AT_OUT ? &w->r->out_bytes : &w->r->err_bytes;
    ssize_t n;

    if (w->fd[at].fd < 0)
        return false;
    n = read(w->fd[at].fd, data, sizeof data);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (n <= 0) {
        w->fd[at].fd = -1;
        return false;
    }
    *count += (uint64_t)n;
    pass_output(w, at == AT_OUT ? 1 : 2, data, (size_t)n);
    return true;
}

/* ---- looking -------------------------------------------------------------- */

/* What the writable directories take; false: not all of it can be seen. */
static bool sum_disk(const struct plan *p, uint64_t *sum)
{
    const int dirs[] = {p->agent.fd, p->scratch.fd, p->tmp.fd};
    uint64_t one;
    bool ok = true;
    size_t i;

    *sum = 0;
    for (i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        if (dirs[i] < 0)
            continue;
        ok = usage_disk(dirs[i], &one) && ok;
        *sum += one;
    }
    return ok;
}

void supervise_baseline(struct plan *p)
{
    if (p->spec->limits.disk_bytes)
        p->base_readable = sum_disk(p, &p->base_bytes);
}

static void check_disk(struct watching *w)
{
    const struct plan *p = w->p;
    uint64_t sum;
    bool ok = sum_disk(p, &sum);

    /* What could not be seen before is not the command's doing. */
    if ((!ok && p->base_readable) ||
        (sum > p->base_bytes &&
         sum - p->base_bytes > p->spec->limits.disk_bytes))
        stop_at_limit(w, RUN_HIT_DISK);
}

static bool must_count(const struct plan *p)
{
    return p->spec->limits.processes && (p->root || !p->spaces);
}

static void check_processes(struct watching *w)
{
    const struct run_limits *l = &w->p->spec->limits;
    const struct report *rep = w->p->report;
    pid_t below[] = {rep->anchor, rep->command, 0};
    bool own = rep->held & RUN_PROC;
    struct usage c;

    if (!usage_measure(w->proc, own ? NULL : below, &c))
        return;
    /* The anchor, or the reaper, is not the command's. */
    if (must_count(w->p) && c.processes > l->processes + 1)
        stop_at_limit(w, RUN_HIT_PROCESSES);
    if (l->memory_bytes && c.memory_bytes > l->memory_bytes)
        stop_at_limit(w, RUN_HIT_MEMORY);
}

static void check_usage(struct watching *w)
{
    const struct run_limits *l = &w->p->spec->limits;
    int64_t began = clock_steady_us(), took, rest;

    if (l->disk_bytes)
        check_disk(w);
    if (l->memory_bytes || must_count(w->p))
        check_processes(w);
    /* Looking is to take a tenth of the time at most. */
    took = clock_steady_us() - began;
    rest = must_count(w->p) ? FAST_US : SLOW_US;
    w->look_us = began + took + (took * 10 > rest ? took * 10 : rest);
}

static void begin_check(struct watching *w)
{
    const struct run_limits *l = &w->p->spec->limits;
    const struct report *rep = w->p->report;
    char path[64] = "/proc";

    w->look_us = INT64_MAX;
    w->proc = -1;
    if (!l->disk_bytes && !l->memory_bytes && !must_count(w->p))
        return;
    if (rep->held & RUN_PROC)
        snprintf(path, sizeof path, "/proc/%d/root/proc", (int)rep->anchor);
    w->proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    w->look_us = w->began_us + FAST_US;
}

/* ---- the loop ------------------------------------------------------------- */

static int wait_ms(const struct watching *w)
{
    int64_t next = w->look_us, left;

    if (w->over)
        return -1;
    if (w->ask_us < next)
        next = w->ask_us;
    if (w->kill_us < next)
        next = w->kill_us;
    if (next == INT64_MAX)
        return -1;
    left = (next - clock_steady_us() + 999) / 1000;
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void tick(struct watching *w)
{
    int64_t t = clock_steady_us();

    if (w->over)
        return;
    if (t >= w->kill_us)
        now(w);
    else if (t >= w->ask_us) {
        w->r->hit |= RUN_HIT_TIME;
        asked(w);
    } else if (t >= w->look_us)
        check_usage(w);
}

static void watch_loop(struct watching *w)
{
    while (w->fd[AT_END].revents == 0) {
        if (poll(w->fd, N_FDS, wait_ms(w)) < 0)
            w->fd[AT_END].revents = 0;
        if (w->fd[AT_OUT].revents)
            read_some(w, AT_OUT);
        if (w->fd[AT_ERR].revents)
            read_some(w, AT_ERR);
        if (w->fd[AT_STOP].revents) {
            w->r->stopped = true;
            w->fd[AT_STOP].fd = -1;
            asked(w);
        }
        tick(w);
    }
}

/* ---- the end -------------------------------------------------------------- */

static int wait_for(pid_t pid, int *status)
{
    pid_t got;

    do
        got = waitpid(pid, status, __WALL);
    while (got < 0 && errno == EINTR);
    return got == pid ? 0 : -1;
}

/* Everyone is dead when this returns: the kernel lets process 1 of a namespace be
 * waited for when the others are gone, and a reaper ends as the last. */
static quire_status reap_all(struct watching *w)
{
    struct report *rep = w->p->report;
    int status = 0;
    bool known;

    now(w);
    if (w->p->spaces) {
        /* The command first: it is inside, and is waited for by us alone. */
        known = wait_for(rep->command, &status) == 0;
        wait_for(rep->anchor, NULL);
    } else {
        known = wait_for(rep->anchor, NULL) == 0 && rep->ended;
        status = rep->status;
        w->r->strays = !rep->ended;
    }
    w->r->exit = known && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    w->r->signal = known && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (known || w->r->strays)
        return QUIRE_OK;
    err_fail(w->err, QUIRE_IO, "do not wait for children that are not yours",
             "the command ended, and something else in this "
             "process took its status");
    return QUIRE_IO;
}

static void watch_init(struct watching *w)
{
    const struct run_spec *s = w->p->spec;
    const struct report *rep = w->p->report;
    pid_t last = w->p->spaces ? rep->command : rep->anchor;
    int i;

    w->began_us = clock_steady_us();
    w->end = (int)syscall(SYS_pidfd_open, last, 0);
    w->fd[AT_OUT].fd = w->p->out_from;
    w->fd[AT_ERR].fd = w->p->err_from;
    w->fd[AT_STOP].fd = s->stop_fd;
    w->fd[AT_END].fd = w->end;
    for (i = 0; i < N_FDS; i++)
        w->fd[i].events = POLLIN;
    w->ask_us = w->kill_us = INT64_MAX;
    if (s->limits.wall_ms > 0)
        w->ask_us = w->began_us + s->limits.wall_ms * 1000;
    begin_check(w);
}

/* What it did between the last look and its end; and what the kernel ended it
 * for, or one of its own, as shells tell of it. */
static void read_results(struct watching *w)
{
    const struct run_limits *l = &w->p->spec->limits;

    if (l->disk_bytes)
        check_disk(w);
    if (l->file_bytes &&
        (w->r->signal == SIGXFSZ || w->r->exit == 128 + SIGXFSZ))
        w->r->hit |= RUN_HIT_FILE;
}

quire_status supervise_run(struct plan *p, struct run_result *r,
                           quire_error *err)
{
    struct watching w = {.p = p, .r = r, .err = err};
    quire_status st;

    watch_init(&w);
    if (w.end >= 0)
        watch_loop(&w);
    st = reap_all(&w);
    if (!st && w.end < 0)
        st = err_set(err, QUIRE_IO,
                     "cannot watch a command: no pidfd_open, "
                     "or no descriptor left");
    /* What was written before the end. */
    while (read_some(&w, AT_OUT) || read_some(&w, AT_ERR))
        ;
    r->duration_us = clock_steady_us() - w.began_us;
    read_results(&w);
    r->timed_out = r->hit & RUN_HIT_TIME;
    r->held = p->report->held;
    fd_close(&w.end);
    fd_close(&w.proc);
    return w.status ? w.status : st;
}
