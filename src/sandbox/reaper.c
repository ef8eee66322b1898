/*
 * reaper.c - end all processes of a command without a pid namespace
 *
 * The reaper is a copy of the caller between it and the command. It is a
 * subreaper: a process below that loses its parent becomes its child, however
 * often it forked and in whatever session. When the command ends, or the life
 * line does, the reaper kills its children until it has none, and ends.
 *
 * It is not confined. A command cannot read its memory (Landlock forbids that
 * from inside a domain), nor signal it where Landlock has scopes. It closes
 * inherited descriptors, so that it keeps no lock or socket of the caller.
 *
 * It is a copy because a library in a foreign process has no program of its own
 * to execute. It costs what fork() costs a process of that size.
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

/* Wait for ended children. False: there are none left. */
static bool reap_children(const struct plan *p)
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

/* Wait until the command has ended or is to be ended. A byte on the life line
 * asks it to end by itself. */
static void run_reaper(const struct plan *p)
{
    struct pollfd fds[2] = {{.fd = p->life, .events = POLLIN},
                            {.fd = -1, .events = POLLIN}};
    char c;

    fds[1].fd = (int)syscall(SYS_pidfd_open, p->report->command, 0);
    while (reap_children(p) && !p->report->ended) {
        /* Wake up regularly to reap adopted children. */
        poll(fds, 2, fds[1].fd < 0 ? 5 : 200);
        if (fds[0].revents == 0)
            continue;
        if (read(p->life, &c, 1) != 1)
            return;
        kill(-p->report->command, SIGTERM);
    }
}

static void close_inherited(const struct plan *p)
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
        report_fail(p, STEP_REAPER, "a reaper");
        return 0;
    }
    pid = spawn_on(p, 1, CLONE_VM | CLONE_VFORK | SIGCHLD, command_main);
    if (pid < 0) {
        report_fail(p, STEP_REAPER, "the command's process");
        return 0;
    }
    p->report->command = pid;
    close_inherited(p);
    if (p->report->step == STEP_NONE)
        run_reaper(p);
    /* Whom a child leaves behind when it dies is a child the next time round.
     * Without a pause: one that forks and ends all the time is met in between. */
    while (reap_children(p))
        if (!kill_children(p))
            poll(NULL, 0, 1);
    return 0;
}
