/*
 * reaper.c - no process is left, without a pid namespace
 *
 * The keeper is a copy of the caller that stands between it and the command. It
 * is a subreaper: whoever loses its parent below becomes its child, however often
 * it forked and whatever session it made for itself. When the command ends, or
 * the life line does, the keeper kills its children until it has none, and ends.
 *
 * It is outside the walls: a command cannot look into its memory (Landlock lets
 * nobody look out of a domain), nor signal it where Landlock has scopes. It closes
 * what it inherited, so that no lock and no socket of the caller lives longer.
 *
 * A copy, because there is no program of ours to execute: this is a library in
 * somebody else's process. It costs what fork() costs a process of that size.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/priv.h"

/* Signal each child; the kernel lists them for us. Where it does not, those that
 * stayed with the command. False: there was none to signal. */
static bool kill_children(const struct plan *p)
{
    char text[4096];
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    pid_t pid = 0;
    bool any = false;
    ssize_t i;

    if (fd >= 0)
        close(fd);
    else if (!p->report->ended)
        kill(-p->report->command, SIGKILL);
    for (i = 0; i < n; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            pid = pid * 10 + (text[i] - '0');
            continue;
        }
        if (pid > 0) {
            kill(pid, SIGKILL);
            any = true;
        }
        pid = 0;
    }
    return any;
}

/* Bury the dead. False: there is no child at all. */
static bool reap(const struct plan *p)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
        if (pid != p->report->command)
            continue;
        p->report->status = status;
        p->report->ended = true;
    }
    return pid == 0;
}

/* Until the command has ended or somebody wants it to. A byte on the life line
 * asks it to end by itself. */
static void keep(const struct plan *p)
{
    struct pollfd fds[2] = {{.fd = p->life, .events = POLLIN},
                            {.fd = -1, .events = POLLIN}};
    char c;

    fds[1].fd = (int)syscall(SYS_pidfd_open, p->report->command, 0);
    while (reap(p) && !p->report->ended) {
        /* A while, for those who were adopted and have died. */
        poll(fds, 2, fds[1].fd < 0 ? 5 : 200);
        if (fds[0].revents == 0)
            continue;
        if (read(p->life, &c, 1) != 1)
            return;
        kill(-p->report->command, SIGTERM);
    }
}

static void keeper_close(const struct plan *p)
{
    if (p->life > 0)
        close_range(0, (unsigned)p->life - 1, 0);
    close_range((unsigned)p->life + 1, ~0U, 0);
}

int reaper_main(void *arg)
{
    struct plan *p = arg;
    pid_t pid;

    setsid();
    confine_early(p);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) {
        report_fail(p, STEP_KEEPER, "a keeper");
        return 0;
    }
    pid = spawn_on(p, 1, CLONE_VM | CLONE_VFORK | SIGCHLD, command_main);
    if (pid < 0) {
        report_fail(p, STEP_KEEPER, "the command's process");
        return 0;
    }
    p->report->command = pid;
    keeper_close(p);
    if (p->report->step == STEP_NONE)
        keep(p);
    /* Whom a child leaves behind when it dies is a child the next time round.
     * Without a pause: one that forks and ends all the time is met in between. */
    while (reap(p))
        if (!kill_children(p))
            poll(NULL, 0, 1);
    return 0;
}
