/*
 * confine.c - a process gives up what it has, and the command begins
 *
 * Runs in the command's process and in the anchor's, before exec. The order
 * matters: capabilities go when nothing needs them any more, Landlock and seccomp
 * come after no_new_privs, which the kernel wants to see first, and seccomp is
 * last since it would refuse some of what comes before.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/priv.h"

static int set_limit(const struct plan *p, int which, uint64_t most)
{
    struct rlimit now, want = {most, most};

    if (most == 0)
        return 0;
    if (getrlimit((__rlimit_resource_t)which, &now) < 0)
        return report_fail(p, STEP_LIMITS, "a limit");
    /* Only downwards: a limit the caller lives under stays. */
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < want.rlim_max)
        want.rlim_cur = want.rlim_max = now.rlim_max;
    if (setrlimit((__rlimit_resource_t)which, &want) < 0)
        return report_fail(p, STEP_LIMITS, "a limit");
    return 0;
}

static int confine_limits(const struct plan *p)
{
    const struct run_limits *l = &p->spec->limits;
    /* One byte is too little for a file and, other than none, is respected where
     * cores are handed to a program outside. */
    struct rlimit core = {1, 1}, none = {0, 0};

    if (setrlimit(RLIMIT_CORE, &core) < 0 && setrlimit(RLIMIT_CORE, &none) < 0)
        return report_fail(p, STEP_LIMITS, "core files");
    /* In a user namespace only its own processes count, one being the anchor;
     * else all of the user's, wherever they are: useless. */
    if (set_limit(p, RLIMIT_DATA, l->memory_bytes) < 0 ||
        set_limit(p, RLIMIT_FSIZE, l->file_bytes) < 0 ||
        set_limit(p, RLIMIT_NOFILE, l->open_files) < 0 ||
        (p->spaces &&
         set_limit(p, RLIMIT_NPROC, l->processes ? l->processes + 1 : 0) < 0))
        return -1;
    p->report->held |= RUN_RLIMITS;
    return 0;
}

/* Nothing that is executed later gets one back: no_new_privs sees to that, and
 * the bounding set is empty. */
static int confine_caps(const struct plan *p)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};

    prctl(PR_SET_SECUREBITS,
          SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
              SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
              SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
          0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &head, none) < 0)
        return report_fail(p, STEP_CAPS, "capabilities");
    p->report->held |= RUN_NO_CAPS;
    return 0;
}

void confine_early(const struct plan *p)
{
    struct sigaction act = {.sa_handler = SIG_DFL};
    int n;

    for (n = 1; n < NSIG; n++)
        sigaction(n, &act, NULL);
    if (!p->confined)
        return;
    /* A process that may not drop them has none. */
    for (n = 0; n <= 63; n++)
        if (prctl(PR_CAPBSET_DROP, n, 0, 0, 0) < 0 && errno == EINVAL)
            break;
}

/* The anchor has children it never made, which the kernel is to bury for it. */
static void confine_signals(bool anchor)
{
    struct sigaction act = {.sa_handler = SIG_IGN};
    sigset_t none;

    if (anchor)
        sigaction(SIGCHLD, &act, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int confine_streams(const struct plan *p, int in, bool anchor)
{
    /* The anchor must not keep the pipes open. */
    int out = anchor ? p->null : p->out;
    int err = anchor ? p->null : p->err;

    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        return report_fail(p, STEP_STREAMS, "its streams");
    return 0;
}

static int confine_landlock(const struct plan *p)
{
    if (p->rules < 0)
        return 0;
    if (syscall(SYS_landlock_restrict_self, p->rules, 0) < 0)
        return report_fail(p, STEP_LANDLOCK, "Landlock");
    p->report->held |= RUN_LANDLOCK;
    return 0;
}

/* No descriptor is left for exec but the three: they are marked, not closed,
 * since one of them signals the exec to the caller. */
static int confine_rest(const struct plan *p)
{
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
        return report_fail(p, STEP_STREAMS, "other descriptors");
    return 0;
}

static int confine_seccomp(struct plan *p)
{
    struct sock_fprog program = {p->n_filter, p->filter};

    /* The memory is the caller's: nothing here may change how it can be looked
     * at, so the filter is installed by the call that touches nothing else. */
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
        return report_fail(p, STEP_SECCOMP, "seccomp");
    p->report->held |= RUN_SECCOMP;
    return 0;
}

int confine_self(struct plan *p, int in, bool anchor)
{
    umask(077);
    setsid();
    if (confine_limits(p) < 0 || confine_streams(p, in, anchor) < 0)
        return -1;
    confine_signals(anchor);
    if (!p->confined)
        return confine_rest(p);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return report_fail(p, STEP_CAPS, "no_new_privs");
    p->report->held |= RUN_NO_NEW_PRIVS;
    if (confine_caps(p) < 0 || confine_landlock(p) < 0 || confine_rest(p) < 0)
        return -1;
    return confine_seccomp(p);
}
