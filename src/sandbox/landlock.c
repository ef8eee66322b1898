/*
 * landlock.c - files by rights
 *
 * A rule names a directory by its inode: what is renamed meanwhile does not
 * matter. With namespaces the rules are simple, since the root has nothing in it
 * that may not be read. Without them this is the only wall around files, so each
 * tree that may be read is named.
 *
 * The installed linux/landlock.h may be older than the kernel, so what is newer
 * than its first version is spelled here.
 */
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/priv.h"

struct ruleset_attr {
    uint64_t fs, net, scoped;
};

#define FS_TRUNCATE  (1ULL << 14) /* version 3 */
#define FS_IOCTL_DEV (1ULL << 15) /* version 5 */
#define NET_ALL      3ULL         /* version 4: bind and connect of TCP */
#define SCOPED_ALL   3ULL         /* version 6: abstract sockets, signals */

#define FS_READ                                                  \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | \
     LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_ALL ((1ULL << 16) - 1)
/* Reading too. Device files may not be created. */
#define FS_WRITE                                         \
    (FS_ALL & ~(uint64_t)(LANDLOCK_ACCESS_FS_MAKE_CHAR | \
                          LANDLOCK_ACCESS_FS_MAKE_BLOCK))
/* Rights that a rule for a file may name. */
#define FS_OF_FILES                                              \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | \
     LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

/* Devices are written to like files. */
#define FS_DEVICE (LANDLOCK_ACCESS_FS_READ_DIR | FS_OF_FILES)

int landlock_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
                       LANDLOCK_CREATE_RULESET_VERSION);

    return abi < 0 ? 0 : (int)abi;
}

static uint64_t known(int abi)
{
    uint64_t all = FS_ALL;

    if (abi < 5)
        all &= ~FS_IOCTL_DEV;
    if (abi < 3)
        all &= ~FS_TRUNCATE;
    if (abi < 2)
        all &= ~(uint64_t)LANDLOCK_ACCESS_FS_REFER;
    return all;
}

static int allow_fd(const struct plan *p, int fd, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {.parent_fd = fd};
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -1;
    if (!S_ISDIR(st.st_mode))
        rights &= FS_OF_FILES;
    rule.allowed_access = rights & known(p->abi);
    return (int)syscall(SYS_landlock_add_rule, p->rules,
                        LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/* What is not there needs no rule. */
static int allow_path(const struct plan *p, const char *path, uint64_t rights)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return errno == ENOENT || errno == EACCES ? 0 : -1;
    rc = allow_fd(p, fd, rights);
    close(fd);
    return rc;
}

static int allow_places(const struct plan *p)
{
    if (allow_fd(p, p->agent.fd, FS_WRITE) < 0 ||
        (p->scratch.fd >= 0 && allow_fd(p, p->scratch.fd, FS_WRITE) < 0))
        return -1;
    return 0;
}

/* Rules inside the root built by rootfs.c. */
static int allow_view(const struct plan *p)
{
    static const char *const writable[] = {"/tmp", "/var/tmp", "/dev/shm",
                                           NULL};
    int i;

    if (allow_path(p, "/", FS_READ) < 0 || allow_path(p, "/dev", FS_DEVICE) < 0)
        return -1;
    for (i = 0; writable[i]; i++)
        if (allow_path(p, writable[i], FS_WRITE) < 0)
            return -1;
    return allow_places(p);
}

static int allow_list(const struct plan *p, const char *const *paths,
                      uint64_t rights)
{
    for (; *paths; paths++)
        if (allow_path(p, *paths, rights) < 0)
            return -1;
    return 0;
}

/* Rules in the machine's root. Its /proc shows every process, and is left out. */
static int allow_machine(const struct plan *p)
{
    static const char *const facts[] =
        {"/proc/cpuinfo",     "/proc/meminfo",      "/proc/stat",
         "/proc/filesystems", "/etc/passwd",        "/etc/group",
         "/etc/hosts",        "/etc/nsswitch.conf", NULL};
    size_t i;

    if (allow_list(p, view_system, FS_READ) < 0 ||
        allow_list(p, view_etc, FS_READ) < 0 ||
        allow_list(p, facts, FS_READ) < 0 ||
        allow_list(p, view_devices, FS_DEVICE) < 0 ||
        (p->spec->net && allow_path(p, "/etc/resolv.conf", FS_READ) < 0))
        return -1;
    for (i = 0; i < p->n_readable; i++)
        if (allow_fd(p, p->readable[i].fd, FS_READ) < 0)
            return -1;
    if (allow_fd(p, p->tmp.fd, FS_WRITE) < 0)
        return -1;
    return allow_places(p);
}

int landlock_rules(struct plan *p)
{
    struct ruleset_attr attr = {.fs = known(p->abi)};
    size_t size = sizeof attr.fs;

    if (p->abi >= 4) {
        attr.net = p->spec->net ? 0 : NET_ALL;
        size = offsetof(struct ruleset_attr, scoped);
    }
    if (p->abi >= 6) {
        attr.scoped = SCOPED_ALL;
        size = sizeof attr;
    }
    p->rules = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    if (p->rules < 0 || (p->spaces ? allow_view(p) : allow_machine(p)) < 0)
        return report_fail(p, STEP_RULES, "the files it may use");
    return 0;
}
