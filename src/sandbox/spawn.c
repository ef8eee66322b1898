/*
 * spawn.c - from the caller to the command
 *
 * With namespaces: the stage shares the caller's memory and the calling thread
 * sleeps until the stage has ended (CLONE_VM, CLONE_VFORK); the stage in turn
 * sleeps until anchor and command have become other programs. So one process at
 * a time runs in that memory, each on a stack of its own, and when the caller
 * goes on the report is complete. Anchor and command are made children of the
 * caller (CLONE_PARENT), which alone waits for them.
 *
 * The stage stays outside the pid namespace it makes; the anchor, first to be
 * born in it, is its process 1. The command is the second, since a process 1 is
 * deaf to signals that it has no handler for.
 *
 * Calls in here may not change the dumpable flag, which belongs to the memory
 * and thereby to the caller: no change of user, no prctl of it.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/priv.h"

/* It needs nothing but to be there until its input ends. */
static int anchor_main(void *arg)
{
    static char name[] = "cat";
    static char *const argv[] = {name, NULL};
    static char *const envp[] = {NULL};
    struct plan *p = arg;

    if (rootfs_enter(p) == 0 && apply_rules(p) == 0 &&
        confine_self(p, p->life, true) == 0) {
        execve("/bin/cat", argv, envp);
        execve("/usr/bin/cat", argv, envp);
        report_fail(p, STEP_ANCHOR, "/bin/cat");
    }
    return 127;
}

#define SPACES                                                   \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)
#define BORROW (CLONE_VM | CLONE_VFORK)

static int stage_main(void *arg)
{
    struct plan *p = arg;
    pid_t pid;

    p->report->held |= RUN_USER | RUN_MOUNT | RUN_IPC | RUN_UTS | RUN_CGROUP;
    if (!p->spec->net)
        p->report->held |= RUN_NET;
    confine_early(p);
    if (rootfs_build(p) < 0)
        goto out;
    if (unshare(CLONE_NEWPID) < 0) {
        report_fail(p, STEP_PID, "a pid namespace");
        goto out;
    }
    pid = spawn_on(p, 1, BORROW | CLONE_PARENT, anchor_main);
    if (pid < 0) {
        report_fail(p, STEP_PID, "the first process");
        goto out;
    }
    p->report->anchor = pid;
    p->report->held |= RUN_PID;
    if (p->report->step != STEP_NONE)
        goto out;
    pid = spawn_on(p, 2, BORROW | CLONE_PARENT, command_main);
    if (pid < 0)
        report_fail(p, STEP_ANCHOR, "the command's process");
    else
        p->report->command = pid;
out:
    return 0;
}

static void spawn_staged(struct plan *p)
{
    int flags = SPACES | BORROW | (p->spec->net ? 0 : CLONE_NEWNET);
    pid_t pid = spawn_on(p, 0, flags, stage_main);

    /* Rulesets were made in the children's own tables of descriptors. */
    p->rules = -1;
    if (pid < 0) {
        report_fail(p, STEP_SPACES, "namespaces");
        return;
    }
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
}

/* Wait until the exec closes `ready`, or the reaper has ended. The reaper has a
 * copy of it for the moment after the exec, and the command may stop it just
 * then. Only a command that has begun can do that: after some times we know. */
static void wait_ready(struct plan *p, pid_t reaper)
{
    struct pollfd ready = {.fd = p->ready_end, .events = POLLIN};
    siginfo_t info;
    int stops = 0;

    while (stops < 10 && poll(&ready, 1, 20) <= 0) {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)reaper, &info, WSTOPPED | WNOHANG | __WALL) ==
                0 &&
            info.si_pid == reaper)
            stops++;
        kill(reaper, SIGCONT);
    }
}

/* A copy of us; returns when the command has begun, or has failed to. */
static void spawn_kept(struct plan *p)
{
    pid_t pid;

    if (p->confined && p->abi > 0 && landlock_rules(p) < 0)
        return;
    pid = spawn_on(p, 0, SIGCHLD, reaper_main);
    if (pid < 0) {
        report_fail(p, STEP_REAPER, "a reaper");
        return;
    }
    p->report->anchor = pid;
    fd_close(&p->ready);
    wait_ready(p, pid);
}

void spawn_all(struct plan *p)
{
    sigset_t all, before;

    /* A handler of the caller's must not run in a child that has its memory. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (p->spaces)
        spawn_staged(p);
    else
        spawn_kept(p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
