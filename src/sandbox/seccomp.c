/*
 * seccomp.c - system calls that are refused
 *
 * What is not named here is allowed: a list of what programs may call would
 * break the first compiler that is newer than it. Three things make that sound.
 * The files, processes and networks that exist for the command are decided
 * elsewhere; this only takes away calls that change what exists, that reach into
 * other processes, or whose code in the kernel is large, privileged elsewhere
 * and of no use here. Calls with a number above the last one that was looked at
 * do not exist (ENOSYS), so that a new kernel brings no new doors. And another
 * architecture's numbers, or x32's, end the process, since the list would mean
 * something else for them.
 *
 * The program is a plain row of comparisons. The kernel works out once which
 * numbers are allowed whatever their arguments are and does not run it for those.
 * Built by hand instead of with libseccomp: it is the same for every run but for
 * a few lines, needs no memory, and takes a microsecond where the library takes
 * a millisecond.
 */
#include <asm/ioctls.h>
#include <assert.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sandbox/priv.h"

#if defined(__x86_64__)
#define ARCH    AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000u
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "seccomp.c has not been reviewed for this architecture"
#endif

/* mseal, Linux 6.10. Numbers this high are the same everywhere. */
#define LAST_KNOWN 462u

/* Numbers of calls that this libc has no name for. */
#define NR_OPENAT2      437
#define NR_QUOTACTL_FD  443
#define NR_MEMFD_SECRET 447
#define NR_MRELEASE     448
#define NR_FCHMODAT2    452

static const int refused[] = {
    /* What exists: mounts, roots, namespaces. */
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_open_tree,
    __NR_move_mount,
    __NR_fsopen,
    __NR_fsconfig,
    __NR_fsmount,
    __NR_fspick,
    __NR_mount_setattr,
    __NR_unshare,
    __NR_setns,
    /* Files by number instead of by name pass by every check of names. */
    __NR_open_by_handle_at,
    __NR_name_to_handle_at,
    /* Other processes. */
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_kcmp,
    __NR_pidfd_getfd,
    __NR_process_madvise,
    NR_MRELEASE,
    __NR_migrate_pages,
    __NR_move_pages,
    /* Keys belong to users, not to namespaces. */
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
    /* Whole languages inside the kernel; io_uring is not seen by seccomp. */
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
    NR_MEMFD_SECRET,
    /* Watching files by mount: needs rights we dropped, refused all the same. */
    __NR_fanotify_init,
    __NR_fanotify_mark,
    /* The machine: modules, other kernels, clocks, names, accounting. */
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_kexec_load,
    __NR_reboot,
    __NR_swapon,
    __NR_swapoff,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_clock_adjtime,
    __NR_adjtimex,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_acct,
    __NR_quotactl,
    NR_QUOTACTL_FD,
    __NR_syslog,
    __NR_nfsservctl,
    __NR_vhangup,
#ifdef __NR_kexec_file_load
    __NR_kexec_file_load,
#endif
#ifdef __NR_lookup_dcookie
    __NR_lookup_dcookie,
#endif
#ifdef __x86_64__
    __NR_iopl,
    __NR_ioperm,
    __NR_modify_ldt,
    __NR_uselib,
    __NR_ustat,
    __NR_sysfs,
    __NR__sysctl,
    __NR_create_module,
    __NR_query_module,
    __NR_get_kernel_syms,
#endif
};

/* Without namespaces of their own these reach what other programs of the user
 * share among themselves. */
static const int refused_shared[] = {
    __NR_shmget,
    __NR_shmat,
    __NR_shmctl,
    __NR_semget,
    __NR_semop,
    __NR_semctl,
    __NR_msgget,
    __NR_msgsnd,
    __NR_semtimedop,
    __NR_msgrcv,
    __NR_msgctl,
    __NR_mq_open,
    __NR_mq_unlink,
    /* Landlock does not restrict watches on directories, and events carry names. */
    __NR_inotify_add_watch,
};

/* Memory that belongs to no process, and so to no limit of one: it can be filled
 * and stays when nothing maps it. `most` is the largest second argument (bytes,
 * semaphores) that is allowed: enough for programs that use one as a lock, and
 * with the kernel's limits on their number a few megabytes together. */
static const struct {
    int nr;
    unsigned most; /* 0: none at all */
    int error;     /* as if the kernel had no room, or no such call */
} unowned[] = {{__NR_memfd_create, 0, ENOSYS},
               {__NR_shmget, 4096, ENOSPC},
               {__NR_semget, 32, ENOSPC},
               {__NR_msgget, 0, ENOSPC}};

/* And these other processes, unless that argument is 0: oneself. */
static const struct {
    int nr;
    unsigned arg;
} only_self[] = {{__NR_prlimit64, 0},          {__NR_sched_setaffinity, 0},
                 {__NR_sched_setscheduler, 0}, {__NR_sched_setparam, 0},
                 {__NR_sched_setattr, 0},      {__NR_setpriority, 1},
                 {__NR_ioprio_set, 1}};

/* Two of them can address all processes of a user, which is 0 as well: allow only a process. */
static const struct {
    int nr;
    unsigned process;
} only_process[] = {{__NR_setpriority, 0 /* PRIO_PROCESS */},
                    {__NR_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */}};

/* A set-user-ID program in the session's files runs as our user for others, out
 * there, where nothing forbids it: no file gets such a mode. `made_by`: the
 * argument with flags that say whether there is a mode at all. */
static const struct {
    int nr;
    int made_by;
    unsigned mode;
} with_mode[] = {
#ifdef __x86_64__
    {__NR_chmod, -1, 1},   {__NR_creat, -1, 1},    {__NR_mknod, -1, 1},
    {__NR_open, 1, 2},
#endif
    {__NR_fchmod, -1, 1},  {__NR_fchmodat, -1, 2}, {NR_FCHMODAT2, -1, 2},
    {__NR_mknodat, -1, 2}, {__NR_openat, 2, 3},
};

/* Input into another terminal, and the functions of the console. */
static const unsigned ioctls[] = {TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD};

#define NEW_SPACES                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
     CLONE_NEWUSER | CLONE_NEWPID | (unsigned)CLONE_NEWNET)

static void emit(struct plan *p, unsigned code, unsigned k, unsigned char yes,
                 unsigned char no)
{
    struct sock_filter f = {(unsigned short)code, yes, no, k};

    if (p->n_filter < FILTER_MAX)
        p->filter[p->n_filter++] = f;
}

static void load(struct plan *p, size_t at)
{
    emit(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)at, 0, 0);
}

/* The lower half of an argument: for the ones looked at here the kernel takes no
 * more of it. Both architectures put it first. */
static void load_arg(struct plan *p, size_t n)
{
    load(p, offsetof(struct seccomp_data, args) + 8 * n);
}

/* The upper half, for a size_t. */
static void load_high(struct plan *p, size_t n)
{
    load(p, offsetof(struct seccomp_data, args) + 8 * n + 4);
}

static void answer(struct plan *p, unsigned what)
{
    emit(p, BPF_RET | BPF_K, what, 0, 0);
}

static void deny(struct plan *p, int error)
{
    answer(p, SECCOMP_RET_ERRNO | (unsigned)error);
}

/* If the loaded word compares with `k`: refuse with `error`. */
static void deny_if(struct plan *p, unsigned compare, unsigned k, int error)
{
    emit(p, BPF_JMP | compare | BPF_K, k, 0, 1);
    deny(p, error);
}

static void allow_if(struct plan *p, unsigned k)
{
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1);
    answer(p, SECCOMP_RET_ALLOW);
}

/* What follows is for the call `nr`; gives the place to be closed by end(). The
 * number is loaded. */
static unsigned short begin(struct plan *p, int nr)
{
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 0);
    return (unsigned short)(p->n_filter - 1);
}

static void end(struct plan *p, unsigned short at)
{
    p->filter[at].jf = (unsigned char)(p->n_filter - at - 1);
}

static void filter_arch(struct plan *p)
{
    load(p, offsetof(struct seccomp_data, arch));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    answer(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
#ifdef X32_BIT
    emit(p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    answer(p, SECCOMP_RET_KILL_PROCESS);
#endif
    deny_if(p, BPF_JGT, LAST_KNOWN, ENOSYS);
}

/* Sockets. Without a network nothing but pairs and unix sockets; where the mount
 * namespace is missing those of the whole machine have names, so none at all. */
static void filter_sockets(struct plan *p)
{
    unsigned short at = begin(p, __NR_socket);
    unsigned short route;

    load_arg(p, 0);
    /* Names without a file belong to the network, and Landlock 6 keeps to
     * itself. */
    if (p->spaces && (!p->spec->net || p->abi >= 6))
        allow_if(p, AF_UNIX);
    if (p->spec->net) {
        allow_if(p, AF_INET);
        allow_if(p, AF_INET6);
        /* How libc finds out which addresses there are. */
        route = begin(p, AF_NETLINK);
        load_arg(p, 2);
        allow_if(p, NETLINK_ROUTE);
        end(p, route);
    }
    deny(p, EACCES);
    end(p, at);

    at = begin(p, __NR_socketpair);
    load_arg(p, 0);
    allow_if(p, AF_UNIX);
    deny(p, EACCES);
    end(p, at);
}

static void filter_arguments(struct plan *p)
{
    unsigned short at = begin(p, __NR_clone);
    size_t i;

    load_arg(p, 0);
    deny_if(p, BPF_JSET, NEW_SPACES, EPERM);
    answer(p, SECCOMP_RET_ALLOW);
    end(p, at);

    at = begin(p, __NR_ioctl);
    load_arg(p, 1);
    for (i = 0; i < sizeof ioctls / sizeof *ioctls; i++)
        deny_if(p, BPF_JEQ, ioctls[i], EPERM);
    answer(p, SECCOMP_RET_ALLOW);
    end(p, at);

    /* Asking, the usual one, and addresses that stay the same. */
    at = begin(p, __NR_personality);
    load_arg(p, 0);
    allow_if(p, 0xffffffffu);
    allow_if(p, 0);
    allow_if(p, 0x0040000);
    deny(p, EPERM);
    end(p, at);
}

static void filter_modes(struct plan *p)
{
    unsigned short at;
    size_t i;

    for (i = 0; i < sizeof with_mode / sizeof *with_mode; i++) {
        at = begin(p, with_mode[i].nr);
        if (with_mode[i].made_by >= 0) {
            load_arg(p, (size_t)with_mode[i].made_by);
            emit(p, BPF_JMP | BPF_JSET | BPF_K,
                 O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 1, 0);
            answer(p, SECCOMP_RET_ALLOW);
        }
        load_arg(p, with_mode[i].mode);
        deny_if(p, BPF_JSET, S_ISUID | S_ISGID, EPERM);
        answer(p, SECCOMP_RET_ALLOW);
        end(p, at);
    }
    /* Has its mode in memory; programs take openat when there is none. */
    deny_if(p, BPF_JEQ, NR_OPENAT2, ENOSYS);
}

/* Where memory is limited. */
static void filter_memory(struct plan *p)
{
    unsigned short at;
    size_t i;

    for (i = 0; i < sizeof unowned / sizeof *unowned; i++) {
        at = begin(p, unowned[i].nr);
        if (unowned[i].most > 0) {
            load_high(p, 1);
            deny_if(p, BPF_JGT, 0, unowned[i].error);
            load_arg(p, 1);
            deny_if(p, BPF_JGT, unowned[i].most, unowned[i].error);
            answer(p, SECCOMP_RET_ALLOW);
        } else {
            deny(p, unowned[i].error);
        }
        end(p, at);
    }
}

static void filter_shared(struct plan *p)
{
    unsigned short at;
    size_t i;

    for (i = 0; i < sizeof refused_shared / sizeof *refused_shared; i++)
        deny_if(p, BPF_JEQ, (unsigned)refused_shared[i], EPERM);
    /* Landlock before version 3 does not know it. */
    if (p->abi < 3)
        deny_if(p, BPF_JEQ, __NR_truncate, EPERM);
    for (i = 0; i < sizeof only_process / sizeof *only_process; i++) {
        at = begin(p, only_process[i].nr);
        load_arg(p, 0);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, only_process[i].process, 1, 0);
        deny(p, EPERM);
        load(p, offsetof(struct seccomp_data, nr));
        end(p, at);
    }
    for (i = 0; i < sizeof only_self / sizeof *only_self; i++) {
        at = begin(p, only_self[i].nr);
        load_arg(p, only_self[i].arg);
        allow_if(p, 0);
        deny(p, EPERM);
        end(p, at);
    }
}

void seccomp_build(struct plan *p)
{
    size_t i;

    p->n_filter = 0;
    filter_arch(p);
    /* Its flags lie in memory, where nothing can be compared. Libraries take
     * clone when there is no clone3. */
    deny_if(p, BPF_JEQ, __NR_clone3, ENOSYS);
    for (i = 0; i < sizeof refused / sizeof *refused; i++)
        deny_if(p, BPF_JEQ, (unsigned)refused[i], EPERM);
    if (!p->spaces)
        filter_shared(p);
    if (p->spec->limits.memory_bytes)
        filter_memory(p);
    filter_sockets(p);
    filter_modes(p);
    filter_arguments(p);
    answer(p, SECCOMP_RET_ALLOW);
    assert(p->n_filter < FILTER_MAX);
}
