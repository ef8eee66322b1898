/*
 * probe.c - what this machine can do
 *
 * Found by trying, each layer alone: /proc and /sys tell what was compiled in,
 * not what a container, a policy or a limit lets through.
 */
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/priv.h"

static const struct {
    unsigned layer;
    int flags;
} spaces[] = {{RUN_USER, 0},
              {RUN_MOUNT, CLONE_NEWNS},
              {RUN_PID, CLONE_NEWPID},
              {RUN_NET, CLONE_NEWNET},
              {RUN_IPC, CLONE_NEWIPC},
              {RUN_UTS, CLONE_NEWUTS},
              {RUN_CGROUP, CLONE_NEWCGROUP},
              {RUN_PROC, CLONE_NEWPID | CLONE_NEWNS}};

#define ALL_SPACES \
    (RUN_USER | RUN_MOUNT | RUN_PID | RUN_NET | RUN_IPC | RUN_UTS | RUN_CGROUP)

struct trial {
    unsigned layer;
    int error;
};

/* In the caller's memory, as the stage of a run. A namespace that nothing can be
 * mounted in is of no use. */
static int trial_main(void *arg)
{
    struct trial *t = arg;
    const char *type = t->layer == RUN_MOUNT  ? "tmpfs"
                       : t->layer == RUN_PROC ? "proc"
                                              : NULL;
    int fd;

    if (type) {
        fd = fsopen(type, FSOPEN_CLOEXEC);
        if (fd < 0 || fsconfig(fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0 ||
            fsmount(fd, FSMOUNT_CLOEXEC, 0) < 0)
            t->error = errno;
    }
    return 0;
}

static int try_space(unsigned layer, int flags, char *stack)
{
    struct trial t = {.layer = layer};
    sigset_t all, before;
    pid_t pid;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = clone(trial_main, stack + STACK_BYTES,
                CLONE_VM | CLONE_VFORK | CLONE_NEWUSER | flags, &t);
    if (pid < 0)
        t.error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (pid > 0 && waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    return t.error;
}

static void set_layer(struct run_probe *probe, unsigned layer, int error,
                      const char *detail)
{
    int i = __builtin_ctz(layer);
    char words[64];

    probe->layer[i].ok = error == 0;
    if (error)
        detail = strerror_r(error, words, sizeof words);
    snprintf(probe->layer[i].why, sizeof probe->layer[i].why, "%s", detail);
}

static void probe_spaces(struct run_probe *probe)
{
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int error = ENOMEM;
    size_t i;

    for (i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (stack != MAP_FAILED)
            error = try_space(spaces[i].layer, spaces[i].flags, stack);
        set_layer(probe, spaces[i].layer, error, "");
    }
    if (stack != MAP_FAILED)
        munmap(stack, STACK_BYTES);
}

static void probe_landlock(struct run_probe *probe)
{
    int abi = landlock_abi();
    int error = abi > 0 ? 0 : errno;
    char detail[64];

    snprintf(detail, sizeof detail, "version %d%s", abi,
             abi >= 6 ? "" : ": signals are not confined by it");
    set_layer(probe, RUN_LANDLOCK, error, detail);
}

static void probe_seccomp(struct run_probe *probe)
{
    unsigned action = SECCOMP_RET_KILL_PROCESS;
    long rc = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);

    set_layer(probe, RUN_SECCOMP, rc == 0 ? 0 : errno, "");
}

static enum run_wanted best_of(unsigned ok)
{
    bool by_spaces = (ok & ALL_SPACES) == ALL_SPACES;

    if (!(ok & RUN_SECCOMP) || !(ok & RUN_LANDLOCK || by_spaces))
        return RUN_UNCONFINED;
    return ok & RUN_LANDLOCK && by_spaces ? RUN_FULL : RUN_FILES;
}

void run_probe(struct run_probe *probe)
{
    unsigned ok = 0, i;

    memset(probe, 0, sizeof *probe);
    for (i = 0; i < RUN_N_LAYERS; i++) {
        probe->layer[i].name = run_layer_name(i);
        probe->layer[i].ok = true;
    }
    probe_spaces(probe);
    probe_landlock(probe);
    probe_seccomp(probe);
    for (i = 0; i < RUN_N_LAYERS; i++)
        ok |= (unsigned)probe->layer[i].ok << i;
    probe->best = best_of(ok);
}
