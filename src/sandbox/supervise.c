/*
 * supervise.c - while a command runs
 *
 * One loop over its two streams, its end, the caller's wish to stop, and the
 * clock. Ending has two manners: asked() sends SIGTERM to the command's process
 * group, for a time limit, so that it can clean up; now() ends everything at
 * once, by the anchor or by the reaper.
 *
 * Without a pid namespace a command may be able to stop its reaper (SIGSTOP). So
 * the reaper is continued now and then. One that does not end in time although
 * now() was called is stopped again and again: then we do its work, and kill all
 * its descendants from here, and in the end the reaper.
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
    int64_t ask_us, kill_us;  /* when, or INT64_MAX                       */
    bool over;                /* now() was called                         */
    int64_t nudge_us;         /* when to continue a reaper next           */
    int64_t help_us, last_us; /* when to do its work, and to kill it     */

    int proc; /* its /proc, or ours                               */
    int64_t look_us;
    uint64_t handed;
};

#define FAST_US 10000
#define SLOW_US 50000
/* Disks are assumed to be slower than a byte in a nanosecond. */
#define NEAR_US 2000

#define NUDGE_US 500000
/* After now(): how often, and how long a reaper may take. */
#define PUSH_US 20000
#define HELP_US 200000
#define LAST_US 2000000

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

    if (w->p->spaces) {
        kill(-rep->command, SIGTERM);
    } else {
        kill(rep->anchor, SIGCONT);
        notify_reaper(w->p->life_end);
    }
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
    if (w->p->spaces)
        return;
    kill(w->p->report->anchor, SIGCONT);
    w->nudge_us = clock_steady_us() + PUSH_US;
    w->help_us = w->nudge_us + HELP_US;
    w->last_us = w->nudge_us + LAST_US;
}

/* Continue a reaper that may have been stopped, and if need be do its work. It
 * has not been waited for, so its number is still its own. */
static void nudge_reaper(struct watching *w, int64_t t)
{
    pid_t reaper = w->p->report->anchor;
    int rounds = 0;

    w->nudge_us = t + (w->over ? PUSH_US : NUDGE_US);
    kill(reaper, SIGCONT);
    if (!w->over || t < w->help_us)
        return;
    if (w->proc < 0)
        w->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    /* More than once: some fork while we look. */
    while (rounds < 32 && usage_kill_below(w->proc, reaper))
        rounds++;
    /* When it is killed, its children are no longer below it: last of all. */
    if (rounds == 0 && t >= w->last_us)
        kill(reaper, SIGKILL);
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
static bool sum_disk(const struct plan *p, uint64_t *bytes, uint64_t *files)
{
    const int dirs[] = {p->agent.fd, p->scratch.fd, p->tmp.fd};
    uint64_t b, f;
    bool ok = true;
    size_t i;

    *bytes = *files = 0;
    for (i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        if (dirs[i] < 0)
            continue;
        ok = usage_disk(dirs[i], &b, &f) && ok;
        *bytes += b;
        *files += f;
    }
    return ok;
}

static bool limits_disk(const struct run_limits *l)
{
    return l->disk_bytes || l->disk_files;
}

void supervise_baseline(struct plan *p)
{
    if (limits_disk(&p->spec->limits))
        p->base_readable = sum_disk(p, &p->base_bytes, &p->base_files);
}

/* What is left of a limit; UINT64_MAX: there is none. */
static uint64_t left_of(uint64_t limit, uint64_t before, uint64_t sum)
{
    uint64_t grown = sum > before ? sum - before : 0;

    return !limit ? UINT64_MAX : grown > limit ? 0 : limit - grown + 1;
}

/* Gives the bytes that may still be written. */
static uint64_t check_disk(struct watching *w)
{
    const struct plan *p = w->p;
    const struct run_limits *l = &p->spec->limits;
    uint64_t bytes, files, left;
    bool ok = sum_disk(p, &bytes, &files);

    left = left_of(l->disk_bytes, p->base_bytes, bytes);
    /* What could not be seen before is not the command's doing; and what cannot
     * be seen when it has ended does not grow. */
    if (left == 0 || (!ok && p->base_readable && !w->over))
        stop_at_limit(w, RUN_HIT_DISK);
    if (left_of(l->disk_files, p->base_files, files) == 0)
        stop_at_limit(w, RUN_HIT_FILES);
    return left;
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
    uint64_t left = UINT64_MAX;

    if (limits_disk(l))
        left = check_disk(w);
    if (l->memory_bytes || must_count(w->p))
        check_processes(w);
    /* Looking is to take a tenth of the time at most. */
    took = clock_steady_us() - began;
    rest = must_count(w->p) ? FAST_US : SLOW_US;
    if (left / 1000 < (uint64_t)rest)
        rest = left / 1000 < NEAR_US ? NEAR_US : (int64_t)(left / 1000);
    w->look_us = began + took + (took * 10 > rest ? took * 10 : rest);
}

static void begin_check(struct watching *w)
{
    const struct run_limits *l = &w->p->spec->limits;
    const struct report *rep = w->p->report;
    char path[64] = "/proc";

    w->look_us = INT64_MAX;
    w->proc = -1;
    if (!limits_disk(l) && !l->memory_bytes && !must_count(w->p))
        return;
    if (rep->held & RUN_PROC)
        snprintf(path, sizeof path, "/proc/%d/root/proc", (int)rep->anchor);
    w->proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    w->look_us = w->began_us + FAST_US;
}

/* ---- the loop ------------------------------------------------------------- */

static int wait_ms(const struct watching *w)
{
    int64_t next = w->over ? INT64_MAX : w->look_us, left;

    if (w->ask_us < next)
        next = w->ask_us;
    if (w->kill_us < next)
        next = w->kill_us;
    if (w->nudge_us < next)
        next = w->nudge_us;
    if (next == INT64_MAX)
        return -1;
    left = (next - clock_steady_us() + 999) / 1000;
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void tick(struct watching *w)
{
    int64_t t = clock_steady_us();

    if (t >= w->nudge_us)
        nudge_reaper(w, t);
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
    w->ask_us = w->kill_us = w->nudge_us = INT64_MAX;
    if (!w->p->spaces)
        w->nudge_us = w->began_us + NUDGE_US;
    if (s->limits.wall_ms > 0)
        w->ask_us = w->began_us + s->limits.wall_ms * 1000;
    begin_check(w);
}

/* What it did between the last look and its end; and what the kernel ended it
 * for, or one of its own, as shells tell of it. */
static void read_results(struct watching *w)
{
    const struct run_limits *l = &w->p->spec->limits;

    if (limits_disk(l))
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
