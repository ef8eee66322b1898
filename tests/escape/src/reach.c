/*
 * reach.c - attempts that a shell has no words for
 *
 *     reach WHAT ARGS...
 *
 * Runs inside. Each WHAT makes one kind of system call at something outside. If
 * the call is granted where it must not be, "REACHED WHAT" is printed; some only
 * touch a canary, which whoever started us looks at. A refusal is told in words
 * on standard error.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <mqueue.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Numbers that every architecture shares, for headers that are older. */
enum {
    NR_PIDFD_SEND_SIGNAL = 424,
    NR_IO_URING_SETUP = 425,
    NR_OPEN_TREE = 428,
    NR_MOVE_MOUNT = 429,
    NR_FSOPEN = 430,
    NR_PIDFD_OPEN = 434,
    NR_CLONE3 = 435,
    NR_OPENAT2 = 437,
    NR_PIDFD_GETFD = 438,
    NR_PROCESS_MADVISE = 440,
    NR_MOUNT_SETATTR = 442,
    NR_FCHMODAT2 = 452,
};

static const char *what; /* the attempt */
static char **arg; /* what it was given, never NULL within what it needs */

static int number(int i)
{
    return (int)strtol(arg[i], NULL, 0);
}

static int reached(void)
{
    printf("REACHED %s\n", what);
    return 0;
}

static int refused(void)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return 1;
}

/* Most attempts: a call that must fail. */
static int verdict(long result)
{
    return result < 0 ? refused() : reached();
}

static int show(int fd)
{
    char text[200];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);

    if (n < 0)
        n = read(fd, text, sizeof text - 1);
    if (n <= 0)
        return refused();
    text[n] = '\0';
    puts(text);
    return 0;
}

/* ---- other processes ------------------------------------------------------ */

static int do_kill(void)
{
    return kill(number(0), number(1)) < 0 ? refused() : 0;
}

static int do_tgkill(void)
{
    long r = syscall(SYS_tgkill, number(0), number(0), number(1));

    return r < 0 ? refused() : 0;
}

static int do_tkill(void)
{
    return syscall(SYS_tkill, number(0), number(1)) < 0 ? refused() : 0;
}

static int do_sigqueue(void)
{
    union sigval v = {0};

    return sigqueue(number(0), number(1), v) < 0 ? refused() : 0;
}

static int do_pidfd(void)
{
    int fd = (int)syscall(NR_PIDFD_OPEN, number(0), 0);

    if (fd < 0 || syscall(NR_PIDFD_SEND_SIGNAL, fd, number(1), NULL, 0) < 0)
        return refused();
    return 0;
}

static int do_pidfd_getfd(void)
{
    int fd = (int)syscall(NR_PIDFD_OPEN, number(0), 0);
    long got = fd < 0 ? -1 : syscall(NR_PIDFD_GETFD, fd, number(1), 0);

    return got < 0 ? refused() : show((int)got);
}

/* The kernel sends the signal, for a descriptor that names its receiver. */
static int do_sigio(void)
{
    int ends[2];

    if (pipe(ends) < 0 || fcntl(ends[0], F_SETSIG, number(1)) < 0 ||
        fcntl(ends[0], F_SETOWN, number(0)) < 0 ||
        fcntl(ends[0], F_SETFL, O_ASYNC) < 0 || write(ends[1], "x", 1) < 0)
        return refused();
    return 0;
}

static int do_ptrace(void)
{
    if (ptrace(PTRACE_ATTACH, number(0), NULL, NULL) < 0)
        return refused();
    waitpid(number(0), NULL, __WALL);
    ptrace(PTRACE_DETACH, number(0), NULL, NULL);
    return reached();
}

static int do_seize(void)
{
    return verdict(ptrace(PTRACE_SEIZE, number(0), NULL, NULL));
}

static int do_vm_read(void)
{
    char text[64] = "";
    struct iovec here = {text, sizeof text - 1};
    struct iovec there = {(void *)strtoul(arg[1], NULL, 0), sizeof text - 1};

    if (process_vm_readv(number(0), &here, 1, &there, 1, 0) < 0)
        return refused();
    puts(text);
    return 0;
}

/* One byte behind the words: enough to know. */
static int do_vm_write(void)
{
    char zero = 0;
    struct iovec here = {&zero, 1};
    struct iovec there = {(void *)(strtoul(arg[1], NULL, 0) + 120), 1};

    return verdict(process_vm_writev(number(0), &here, 1, &there, 1, 0));
}

static int do_mem(void)
{
    char path[64], text[64] = "";
    int fd;

    snprintf(path, sizeof path, "/proc/%d/mem", number(0));
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 ||
        pread(fd, text, sizeof text - 1, (off_t)strtoul(arg[1], NULL, 0)) < 0)
        return refused();
    puts(text);
    return 0;
}

static int do_prlimit(void)
{
    struct rlimit lim = {77, 77};

    return verdict(prlimit(number(0), RLIMIT_NOFILE, &lim, NULL));
}

static int do_limits_of(void)
{
    struct rlimit lim;

    return verdict(prlimit(number(0), RLIMIT_NOFILE, NULL, &lim));
}

static int do_nice(void)
{
    return verdict(setpriority(PRIO_PROCESS, (id_t)number(0), 19));
}

/* All of the user, whoever they are: only if one of them is the witness. */
static int do_nice_group(void)
{
    return verdict(setpriority(PRIO_PGRP, (id_t)number(0), 18));
}

/* Nobody is changed: the value is one that only the privileged may set, so that
 * the kernel says EACCES for each of them. */
static int do_nice_user(void)
{
    if (setpriority(PRIO_USER, 0, -20) < 0 && errno == EPERM)
        return refused();
    return reached();
}

static int do_sched(void)
{
    struct sched_param p = {0};

    return verdict(sched_setscheduler(number(0), SCHED_BATCH, &p));
}

static int do_affinity(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(0, &set);
    return verdict(sched_setaffinity(number(0), sizeof set, &set));
}

/* IOPRIO_WHO_PROCESS, class idle. */
static int do_ioprio(void)
{
    return verdict(syscall(SYS_ioprio_set, 1, number(0), 3 << 13));
}

static int do_kcmp(void)
{
    return verdict(syscall(SYS_kcmp, getpid(), number(0), 2, 0, 0));
}

static int do_advise(void)
{
    char *at = (char *)(strtoul(arg[1], NULL, 0) & ~4095UL);
    struct iovec there = {at, 4096};
    long fd = syscall(NR_PIDFD_OPEN, number(0), 0);

    /* 20: MADV_COLD. */
    return verdict(
        fd < 0 ? -1 : syscall(NR_PROCESS_MADVISE, fd, &there, 1UL, 20, 0U));
}

/* Children for whoever started the command, who does not expect them. */
static int do_foster(void)
{
    int i;

    for (i = 0; i < 20; i++)
        if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0)
            _exit(99);
    usleep(50000);
    return 0;
}

/* ---- memory and messages that are shared ---------------------------------- */

static int do_shm(void)
{
    void *at = shmat(shmget(number(0), 4096, 0600), NULL, 0);

    if (at == (void *)-1)
        return refused();
    puts(at);
    return 0;
}

static int do_msg(void)
{
    struct {
        long type;
        char text[96];
    } m = {0};

    if (msgrcv(msgget(number(0), 0600), &m, sizeof m.text, 0, IPC_NOWAIT) < 0)
        return refused();
    puts(m.text);
    return 0;
}

static int do_mqueue(void)
{
    char name[64], text[129] = "";
    mqd_t q;

    snprintf(name, sizeof name, "/quire-escape-%d", number(0));
    q = mq_open(name, O_RDONLY | O_NONBLOCK);
    if (q < 0 || mq_receive(q, text, sizeof text - 1, NULL) < 0)
        return refused();
    puts(text);
    return 0;
}

static int do_request_key(void)
{
    char name[64], text[128] = "";
    long key;

    snprintf(name, sizeof name, "quire-escape-%d", number(0));
    key = syscall(SYS_request_key, "user", name, NULL, 0);
    /* 10: search, 11: read; -4: the keyring of the user. */
    if (key < 0)
        key = syscall(SYS_keyctl, 10, -4, "user", name, 0);
    if (key < 0 || syscall(SYS_keyctl, 11, key, text, sizeof text - 1) < 0)
        return refused();
    puts(text);
    return 0;
}

static int do_add_key(void)
{
    return verdict(syscall(SYS_add_key, "user", "quire-escape", "x", 1, -4));
}

/* 0: the number of a keyring, here the session's. */
static int do_keyctl(void)
{
    return verdict(syscall(SYS_keyctl, 0, -3, 1));
}

/* ---- calls that open a way around ------------------------------------------ */

static int do_io_uring(void)
{
    char params[120] = {0};

    return verdict(syscall(NR_IO_URING_SETUP, 2, params));
}

/* 1: UFFD_USER_MODE_ONLY, which needs no rights. */
static int do_userfaultfd(void)
{
    return verdict(syscall(SYS_userfaultfd, 1));
}

/* A map of one entry. */
static int do_bpf(void)
{
    unsigned attr[32] = {2, 4, 8, 1};

    return verdict(syscall(SYS_bpf, 0, attr, sizeof attr));
}

static int do_perf(void)
{
    /* A clock in software, of a process. */
    struct {
        unsigned type, size;
        unsigned long long config, rest[13];
    } attr = {.type = 1, .size = sizeof attr};

    return verdict(syscall(SYS_perf_event_open, &attr, number(0), -1, -1, 0));
}

static int do_syslog(void)
{
    return verdict(syscall(SYS_syslog, 10, NULL, 0));
}

static int do_kexec(void)
{
    /* Nothing to load: EPERM where it is not allowed, EBADF where it is. */
    syscall(SYS_kexec_file_load, -1, -1, 0UL, NULL, 0UL);
    return errno == EPERM || errno == ENOSYS ? refused() : reached();
}

static int do_module(void)
{
    syscall(SYS_finit_module, -1, "", 0);
    return errno == EPERM || errno == ENOSYS ? refused() : reached();
}

static int do_hostname(void)
{
    char name[65] = "";

    gethostname(name, sizeof name - 1);
    return verdict(sethostname(name, strlen(name)));
}

/* What it says of its own error, as it says it. */
static int do_clock(void)
{
    struct timex t = {0};

    adjtimex(&t);
    t.modes = ADJ_ESTERROR;
    return verdict(adjtimex(&t));
}

static int do_fanotify(void)
{
    int fd = (int)syscall(SYS_fanotify_init, 0x200, 0); /* FAN_REPORT_FID */

    /* The watch itself: a create in a directory outside. */
    return verdict(
        fd < 0 ? -1
               : syscall(SYS_fanotify_mark, fd, 1, 0x100UL, AT_FDCWD, arg[0]));
}

static int do_inotify(void)
{
    int fd = (int)syscall(SYS_inotify_init1, 0);

    return verdict(syscall(SYS_inotify_add_watch, fd, arg[0], 0x2));
}

/* ---- mounts and namespaces -------------------------------------------------- */

/* What a mount does stays in this process, if it may have that; otherwise it is
 * undone. */
static void keep_to_ourselves(void)
{
    if (unshare(CLONE_NEWNS) == 0)
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int do_mount(void)
{
    int r;

    keep_to_ourselves();
    mkdir("mnt", 0700);
    r = mount("none", "mnt", "tmpfs", 0, NULL);
    if (r == 0)
        umount2("mnt", MNT_DETACH);
    return verdict(r);
}

static int do_bind(void)
{
    int r;

    keep_to_ourselves();
    mkdir("mnt", 0700);
    r = mount(arg[0], "mnt", NULL, MS_BIND, NULL);
    if (r == 0)
        umount2("mnt", MNT_DETACH);
    return verdict(r);
}

static int do_remount(void)
{
    keep_to_ourselves();
    return verdict(mount(NULL, arg[0], NULL, MS_REMOUNT | MS_BIND, NULL));
}

/* What is covered by a mount appears when the mount goes. */
static int do_umount(void)
{
    keep_to_ourselves();
    return verdict(umount2(arg[0], MNT_DETACH));
}

static int do_unshare(void)
{
    static const struct {
        const char *name;
        int flag;
    } spaces[] = {{"user", CLONE_NEWUSER},     {"mount", CLONE_NEWNS},
                  {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
                  {"ipc", CLONE_NEWIPC},       {"uts", CLONE_NEWUTS},
                  {"cgroup", CLONE_NEWCGROUP}, {"time", 0x80}};
    size_t i;

    for (i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(arg[0], spaces[i].name) == 0)
            return verdict(unshare(spaces[i].flag));
    return 2;
}

static int do_clone_user(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

    if (pid == 0)
        _exit(0);
    return verdict(pid);
}

static int do_clone3(void)
{
    unsigned long long args[8] = {CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0,
                                  SIGCHLD};
    long pid = syscall(NR_CLONE3, args, sizeof args);

    if (pid == 0)
        _exit(0);
    return verdict(pid);
}

static int do_setns(void)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/proc/%s/ns/%s", arg[0], arg[1]);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    return verdict(fd < 0 ? -1 : setns(fd, 0));
}

static int do_setns_pidfd(void)
{
    int fd = (int)syscall(NR_PIDFD_OPEN, number(0), 0);

    return verdict(fd < 0 ? -1 : setns(fd, CLONE_NEWNS | CLONE_NEWNET));
}

static int do_pivot(void)
{
    keep_to_ourselves();
    mkdir("mnt", 0700);
    mount("mnt", "mnt", NULL, MS_BIND, NULL);
    return verdict(syscall(SYS_pivot_root, "mnt", "mnt"));
}

/* A root below the working directory, and then up and up. */
static int do_chroot(void)
{
    int i;

    mkdir("jail", 0700);
    if (chroot("jail") < 0)
        return refused();
    for (i = 0; i < 64; i++)
        if (chdir("..") < 0)
            return refused();
    i = chroot(".") < 0 ? -1 : open(arg[0], O_RDONLY | O_CLOEXEC);
    return i < 0 ? refused() : show(i);
}

static int do_fsopen(void)
{
    return verdict(syscall(NR_FSOPEN, "tmpfs", 0));
}

/* 1: OPEN_TREE_CLONE. */
static int do_open_tree(void)
{
    return verdict(syscall(NR_OPEN_TREE, AT_FDCWD, arg[0], 1));
}

static int do_move_mount(void)
{
    keep_to_ourselves();
    mkdir("mnt", 0700);
    return verdict(
        syscall(NR_MOVE_MOUNT, AT_FDCWD, arg[0], AT_FDCWD, "mnt", 0));
}

/* Take "read-only" off a mount. */
static int do_mount_setattr(void)
{
    unsigned long long attr[4] = {0, 1, 0, 0};

    keep_to_ourselves();
    return verdict(
        syscall(NR_MOUNT_SETATTR, AT_FDCWD, arg[0], 0, attr, sizeof attr));
}

/* The handle of a file, as hexadecimal digits: said outside. */
static int do_handle_of(void)
{
    union {
        struct file_handle h;
        char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    } f;
    unsigned i;
    int mount_id;

    memset(&f, 0, sizeof f);
    f.h.handle_bytes = MAX_HANDLE_SZ;
    if (name_to_handle_at(AT_FDCWD, arg[0], &f.h, &mount_id, 0) < 0)
        return refused();
    printf("%d ", f.h.handle_type);
    for (i = 0; i < f.h.handle_bytes; i++)
        printf("%02x", f.h.f_handle[i]);
    puts("");
    return 0;
}

static int do_by_handle(void)
{
    union {
        struct file_handle h;
        char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    } f;
    int dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
    unsigned i, byte;

    memset(&f, 0, sizeof f);
    f.h.handle_type = number(0);
    f.h.handle_bytes = (unsigned)strlen(arg[1]) / 2;
    for (i = 0; i < f.h.handle_bytes && i < MAX_HANDLE_SZ; i++)
        if (sscanf(arg[1] + (size_t)i * 2, "%2x", &byte) == 1)
            f.h.f_handle[i] = (unsigned char)byte;
    fd = open_by_handle_at(dir, &f.h, O_RDONLY);
    return fd < 0 ? refused() : show(fd);
}

/* ---- sockets ---------------------------------------------------------------- */

static int connect_in(int type)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    int fd = socket(AF_INET, type, 0);

    in.sin_port = htons((uint16_t)number(0));
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&in, sizeof in) < 0 ||
        write(fd, "x", 1) < 0)
        return refused();
    return 0;
}

static int do_tcp(void)
{
    return connect_in(SOCK_STREAM);
}
static int do_udp(void)
{
    return connect_in(SOCK_DGRAM);
}

static int do_tcp6(void)
{
    struct sockaddr_in6 in = {.sin6_family = AF_INET6,
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);

    in.sin6_port = htons((uint16_t)number(0));
    return fd < 0 || connect(fd, (struct sockaddr *)&in, sizeof in) < 0
               ? refused()
               : 0;
}

/* With the first bytes, instead of by connect. */
static int do_fastopen(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    in.sin_port = htons((uint16_t)number(0));
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 ||
        sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&in, sizeof in) < 0)
        return refused();
    return 0;
}

/* A protocol that rules about TCP do not mention. */
static int do_mptcp(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 262);

    in.sin_port = htons((uint16_t)number(0));
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return fd < 0 || connect(fd, (struct sockaddr *)&in, sizeof in) < 0
               ? refused()
               : 0;
}

static int do_listen(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

    in.sin_port = htons((uint16_t)number(0));
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof in) < 0 ||
        listen(fd, 4) < 0)
        return refused();
    usleep(400000); /* long enough for a knock */
    return 0;
}

/* Without bind, a port is given by listen. */
static int do_listen_any(void)
{
    struct sockaddr_in in;
    socklen_t len = sizeof in;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0 || listen(fd, 4) < 0 ||
        getsockname(fd, (struct sockaddr *)&in, &len) < 0)
        return refused();
    printf("LISTENS %u\n", ntohs(in.sin_port));
    fflush(stdout);
    usleep(400000);
    return 0;
}

static int do_raw(void)
{
    return verdict(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
}

static int do_packet(void)
{
    return verdict(socket(AF_PACKET, SOCK_RAW, 0));
}

/* Virtual machines talk to their host so, and no namespace of the network
 * keeps it apart. */
static int do_vsock(void)
{
    return verdict(socket(AF_VSOCK, SOCK_STREAM, 0));
}

/* Interfaces of the machine, other than the loop. */
static int do_netlink(void)
{
    struct {
        struct nlmsghdr head;
        struct rtgenmsg gen;
    } ask = {.head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
                      .nlmsg_type = RTM_GETLINK,
                      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
             .gen = {.rtgen_family = AF_UNSPEC}};
    char got[16384];
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    struct nlmsghdr *h;
    ssize_t n;

    if (fd < 0 || send(fd, &ask, ask.head.nlmsg_len, 0) < 0)
        return refused();
    n = recv(fd, got, sizeof got, 0);
    for (h = (struct nlmsghdr *)got; n > 0 && NLMSG_OK(h, (unsigned)n);
         h = NLMSG_NEXT(h, n))
        if (h->nlmsg_type == RTM_NEWLINK &&
            !(((struct ifinfomsg *)NLMSG_DATA(h))->ifi_flags & IFF_LOOPBACK))
            return reached();
    return 1;
}

static socklen_t unix_name(struct sockaddr_un *un, const char *name,
                           int abstract)
{
    memset(un, 0, sizeof *un);
    un->sun_family = AF_UNIX;
    snprintf(un->sun_path + abstract, sizeof un->sun_path - 1, "%s", name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) +
                       1);
}

/* A descriptor that comes with the first byte is read. */
static int take_descriptor(int from)
{
    char space[CMSG_SPACE(sizeof(int))], byte;
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = space,
                         .msg_controllen = sizeof space};
    struct cmsghdr *c;
    int fd;

    if (recvmsg(from, &msg, 0) < 0 || !(c = CMSG_FIRSTHDR(&msg)))
        return refused();
    memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return show(fd);
}

static int connect_unix(int abstract)
{
    struct sockaddr_un un;
    socklen_t len = unix_name(&un, arg[0], abstract);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&un, len) < 0)
        return refused();
    return take_descriptor(fd);
}

static int do_unix(void)
{
    return connect_unix(0);
}
static int do_abstract(void)
{
    return connect_unix(1);
}

/* Without connect: the name is in the message. A pair is made by another call. */
static int do_dgram(void)
{
    struct sockaddr_un un;
    socklen_t len = unix_name(&un, arg[0], 1);
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0), pair[2];

    if (fd < 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0)
        fd = pair[0];
    if (fd < 0 || sendto(fd, "x", 1, 0, (struct sockaddr *)&un, len) < 0)
        return refused();
    return 0;
}

static int do_abstract_listen(void)
{
    struct sockaddr_un un;
    socklen_t len = unix_name(&un, arg[0], 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&un, len) < 0 ||
        listen(fd, 4) < 0)
        return refused();
    usleep(400000);
    return 0;
}

/* ---- descriptors, files ------------------------------------------------------ */

static int do_descriptors(void)
{
    int fd;

    for (fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return reached();
    return 1;
}

static int do_show(void)
{
    int fd = open(arg[0], O_RDONLY | O_CLOEXEC);

    return fd < 0 ? refused() : show(fd);
}

/* A copy of this program that has no name anywhere. */
static int do_memfd(void)
{
    char *const args[] = {(char *)"reach", (char *)"show", arg[0], NULL};
    char *const none[] = {NULL};
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = memfd_create("reach", MFD_CLOEXEC);
    struct stat st;

    if (from < 0)
        from = open(arg[1], O_RDONLY | O_CLOEXEC);
    if (from < 0 || to < 0 || fstat(from, &st) < 0 ||
        sendfile(to, from, NULL, (size_t)st.st_size) < 0)
        return refused();
    fexecve(to, args, none);
    return refused();
}

static int do_chmod0(void)
{
    return fchmod(0, 0666) < 0 ? refused() : 0;
}

static int do_utime0(void)
{
    struct timespec old[2] = {{1000000, 0}, {1000000, 0}};

    return futimens(0, old) < 0 ? refused() : 0;
}

static int do_xattr0(void)
{
    return fsetxattr(0, "user.reach", "x", 1, 0) < 0 ? refused() : 0;
}

static int do_truncate0(void)
{
    return ftruncate(0, 1) < 0 ? refused() : 0;
}

/* Through the link in /proc the name does not matter, nor how it was opened. */
static int do_reopen0(void)
{
    int fd = open("/proc/self/fd/0", O_WRONLY | O_APPEND | O_CLOEXEC);

    if (fd < 0)
        fd = open("/dev/stdin", O_WRONLY | O_APPEND | O_CLOEXEC);
    return fd < 0 || write(fd, "x", 1) < 0 ? refused() : 0;
}

/* The file of the descriptor gets a name here, where it can be written. */
static int do_link0(void)
{
    int fd;

    if (linkat(0, "", AT_FDCWD, "linked", AT_EMPTY_PATH) < 0 &&
        linkat(AT_FDCWD, "/proc/self/fd/0", AT_FDCWD, "linked",
               AT_SYMLINK_FOLLOW) < 0)
        return refused();
    fd = open("linked", O_WRONLY | O_APPEND | O_CLOEXEC);
    return fd < 0 || write(fd, "x", 1) < 0 ? refused() : 0;
}

/* A lease or a lock on what others have. */
static int do_lease0(void)
{
    return verdict(fcntl(0, F_SETLEASE, F_RDLCK));
}

static int do_truncate(void)
{
    return truncate(arg[0], 1) < 0 ? refused() : 0;
}
static int do_chmod(void)
{
    return chmod(arg[0], 0666) < 0 ? refused() : 0;
}
static int do_xattr(void)
{
    return setxattr(arg[0], "user.reach", "x", 1, 0) < 0 ? refused() : 0;
}

static int do_fchmodat2(void)
{
    return syscall(NR_FCHMODAT2, AT_FDCWD, arg[0], 0666, 0) < 0 ? refused() : 0;
}

static int do_utime(void)
{
    struct timeval old[2] = {{1000000, 0}, {1000000, 0}};

    return utimes(arg[0], old) < 0 ? refused() : 0;
}

static int do_mknod(void)
{
    /* The disk under the file that is given. */
    struct stat st;

    if (stat(arg[0], &st) < 0 && stat(".", &st) < 0)
        return refused();
    if (mknod("disk", S_IFBLK | 0600, st.st_dev) < 0)
        return refused();
    return verdict(open("disk", O_RDONLY | O_CLOEXEC));
}

/* As the user whose file this program is. */
static int do_suid(void)
{
    int fd;

    if (setuid(0) < 0 || setgroups(0, NULL) < 0)
        return refused();
    fd = open(arg[0], O_RDONLY | O_CLOEXEC);
    return fd < 0 ? refused() : show(fd);
}

/* A file that whoever runs it runs as us, by one call or another. */
static long make_set_id(const char *way, int fd)
{
    unsigned long long how[3] = {O_CREAT | O_WRONLY, 04755, 0};

    if (!strcmp(way, "chmod"))
        return chmod("plain", 04755);
    if (!strcmp(way, "fchmod"))
        return fchmod(fd, 04755);
    if (!strcmp(way, "fchmodat"))
        return fchmodat(AT_FDCWD, "plain", 04755, 0);
    if (!strcmp(way, "fchmodat2"))
        return syscall(NR_FCHMODAT2, AT_FDCWD, "plain", 04755, 0);
    if (!strcmp(way, "creat"))
        return creat("made", 04755);
#ifdef SYS_open
    if (!strcmp(way, "open"))
        return syscall(SYS_open, "made", O_CREAT | O_WRONLY, 04755);
#endif
    if (!strcmp(way, "openat"))
        return openat(AT_FDCWD, "made", O_CREAT | O_WRONLY, 04755);
    if (!strcmp(way, "openat2"))
        return syscall(NR_OPENAT2, AT_FDCWD, "made", how, sizeof how);
    if (!strcmp(way, "mknod"))
        return mknod("made", S_IFREG | 04755, 0);
    if (!strcmp(way, "mknodat"))
        return mknodat(AT_FDCWD, "made", S_IFREG | 04755, 0);
    if (strcmp(way, "unnamed") != 0)
        return -1;
    fd = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 04755);
    return fd < 0 ? -1 : linkat(fd, "", AT_FDCWD, "made", AT_EMPTY_PATH);
}

static int do_set_id(void)
{
    int fd = open("plain", O_CREAT | O_WRONLY | O_CLOEXEC, 0700);

    return make_set_id(arg[0], fd) < 0 ? refused() : 0;
}

/* "No dump", through a descriptor that can only read: FS_IOC_SETFLAGS. */
static int do_flags(void)
{
    long flags = 0x40;

    return ioctl(0, _IOW('f', 2, long), &flags) < 0 ? refused() : 0;
}

/* A letter as if typed at the terminal. */
static int do_type(void)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

    if (fd < 0)
        fd = 0;
    return ioctl(fd, TIOCSTI, "x") < 0 ? refused() : reached();
}

/* ---- a directory that becomes a link ------------------------------------------ */

/* One process makes `swap` a directory and a link to the directory outside in
 * turn, another opens swap/secret: for a second. */
static int do_race(void)
{
    int i, fd;
    pid_t pid;

    mkdir("real", 0700);
    close(open("real/secret", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    if (symlink(arg[0], "link") < 0 || (pid = fork()) < 0)
        return refused();
    if (pid == 0)
        for (i = 0; i < 3000; i++) {
            if (rename("real", "swap") == 0 && rename("swap", "real") < 0)
                _exit(1);
            if (rename("link", "swap") == 0 && rename("swap", "link") < 0)
                _exit(1);
            if (i == 2999)
                _exit(0);
        }
    while (waitpid(pid, NULL, WNOHANG) == 0) {
        fd = open("swap/secret", O_RDWR | O_CLOEXEC);
        if (fd < 0)
            continue;
        show(fd);
        close(fd);
    }
    fd = open("link/secret", O_RDWR | O_CLOEXEC);
    return fd < 0 ? refused() : show(fd);
}

/* ---- other doors of the kernel -------------------------------------------------- */

#if defined(__x86_64__) && !defined(__ILP32__)
/* open and read by the numbers of 32 bits. Addresses must fit: below 4 GiB. */
static long call32(long nr, long a, long b, long c)
{
    long r;

    __asm__ volatile("int $0x80"
                     : "=a"(r)
                     : "a"(nr), "b"(a), "c"(b), "d"(c)
                     : "memory", "r8", "r9", "r10", "r11");
    return (int)r;
}

static int do_i386(void)
{
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    long fd;

    if (low == MAP_FAILED)
        return refused();
    snprintf(low, 4096, "%s", arg[0]);
    fd = call32(5, (long)low, 0, 0);
    errno = (int)-fd;
    return fd < 0 ? refused() : show((int)fd);
}

/* socket by 32 bits, as a filter of 64 does not expect it; getpid shows that
 * the door is open at all. */
static int do_i386_door(void)
{
    return verdict(call32(20, 0, 0, 0));
}
static int do_x32_door(void)
{
    return verdict(syscall(0x40000000 | SYS_getpid));
}
#else
static int do_i386(void)
{
    return 77;
}
static int do_i386_door(void)
{
    return 77;
}
static int do_x32_door(void)
{
    return 77;
}
#endif

/* ---- which --------------------------------------------------------------------- */

#define ATTEMPT(name, n)    \
    {                       \
#name, do_##name, n \
    }
static const struct {
    const char *name;
    int (*run)(void);
    int n_args;
} attempts[] = {
    ATTEMPT(kill, 2),
    ATTEMPT(tgkill, 2),
    ATTEMPT(tkill, 2),
    ATTEMPT(sigqueue, 2),
    ATTEMPT(pidfd, 2),
    ATTEMPT(pidfd_getfd, 2),
    ATTEMPT(sigio, 2),
    ATTEMPT(ptrace, 1),
    ATTEMPT(seize, 1),
    ATTEMPT(vm_read, 2),
    ATTEMPT(vm_write, 2),
    ATTEMPT(mem, 2),
    ATTEMPT(prlimit, 1),
    ATTEMPT(limits_of, 1),
    ATTEMPT(nice, 1),
    ATTEMPT(nice_group, 1),
    ATTEMPT(nice_user, 0),
    ATTEMPT(set_id, 1),
    ATTEMPT(sched, 1),
    ATTEMPT(affinity, 1),
    ATTEMPT(ioprio, 1),
    ATTEMPT(kcmp, 1),
    ATTEMPT(advise, 2),
    ATTEMPT(foster, 0),
    ATTEMPT(shm, 1),
    ATTEMPT(msg, 1),
    ATTEMPT(mqueue, 1),
    ATTEMPT(request_key, 1),
    ATTEMPT(add_key, 0),
    ATTEMPT(keyctl, 0),
    ATTEMPT(io_uring, 0),
    ATTEMPT(userfaultfd, 0),
    ATTEMPT(bpf, 0),
    ATTEMPT(perf, 1),
    ATTEMPT(syslog, 0),
    ATTEMPT(kexec, 0),
    ATTEMPT(module, 0),
    ATTEMPT(hostname, 0),
    ATTEMPT(clock, 0),
    ATTEMPT(fanotify, 1),
    ATTEMPT(inotify, 1),
    ATTEMPT(mount, 0),
    ATTEMPT(bind, 1),
    ATTEMPT(remount, 1),
    ATTEMPT(umount, 1),
    ATTEMPT(unshare, 1),
    ATTEMPT(clone_user, 0),
    ATTEMPT(clone3, 0),
    ATTEMPT(setns, 2),
    ATTEMPT(setns_pidfd, 1),
    ATTEMPT(pivot, 0),
    ATTEMPT(chroot, 1),
    ATTEMPT(fsopen, 0),
    ATTEMPT(open_tree, 1),
    ATTEMPT(move_mount, 1),
    ATTEMPT(mount_setattr, 1),
    ATTEMPT(handle_of, 1),
    ATTEMPT(by_handle, 2),
    ATTEMPT(tcp, 1),
    ATTEMPT(udp, 1),
    ATTEMPT(tcp6, 1),
    ATTEMPT(fastopen, 1),
    ATTEMPT(mptcp, 1),
    ATTEMPT(listen, 1),
    ATTEMPT(listen_any, 0),
    ATTEMPT(raw, 0),
    ATTEMPT(packet, 0),
    ATTEMPT(vsock, 0),
    ATTEMPT(netlink, 0),
    ATTEMPT(unix, 1),
    ATTEMPT(abstract, 1),
    ATTEMPT(dgram, 1),
    ATTEMPT(abstract_listen, 1),
    ATTEMPT(descriptors, 0),
    ATTEMPT(show, 1),
    ATTEMPT(memfd, 2),
    ATTEMPT(chmod0, 0),
    ATTEMPT(utime0, 0),
    ATTEMPT(xattr0, 0),
    ATTEMPT(truncate0, 0),
    ATTEMPT(reopen0, 0),
    ATTEMPT(link0, 0),
    ATTEMPT(lease0, 0),
    ATTEMPT(truncate, 1),
    ATTEMPT(chmod, 1),
    ATTEMPT(xattr, 1),
    ATTEMPT(fchmodat2, 1),
    ATTEMPT(utime, 1),
    ATTEMPT(mknod, 1),
    ATTEMPT(suid, 1),
    ATTEMPT(flags, 0),
    ATTEMPT(type, 0),
    ATTEMPT(race, 1),
    ATTEMPT(i386, 1),
    ATTEMPT(i386_door, 0),
    ATTEMPT(x32_door, 0),
};

int main(int argc, char **argv)
{
    size_t i;

    alarm(8);
    arg = argv + 2;
    for (i = 0; argc > 1 && i < sizeof attempts / sizeof *attempts; i++)
        if (strcmp(argv[1], attempts[i].name) == 0 &&
            argc - 2 >= attempts[i].n_args) {
            what = argv[1];
            errno = 0;
            return attempts[i].run();
        }
    fprintf(stderr, "reach: what?\n");
    return 2;
}
