/*
 * rootfs.c - the root a command sees
 *
 * One small tmpfs. On it, read-only and at their own paths: the system's
 * programs, the few files of /etc that programs ask for and that hold no secret,
 * and what the caller wants readable. /tmp, /var/tmp and /dev/shm are directories
 * of that same tmpfs, mounted once more, so that one size holds for all of them;
 * then it turns read-only underneath. Last, so that they lie on top of whatever
 * they are beneath: the two directories of the session. A home in /tmp is made
 * read-only around them: what is written there would end with the command.
 *
 * /etc is chosen name by name. As root everything could be read, so keys
 * (ssl/private, ssh), password hashes (shadow), mail, cron and whatever an
 * administrator keeps there stay outside. passwd, group, hosts and nsswitch.conf
 * are written fresh: they name one user, which is 1000 inside whatever it is
 * outside, so that tools do not take themselves for root and try what they may
 * not. /opt, /srv, /home and /var are not there; a caller with programs in them says so
 * in `readable`.
 *
 * Every source is taken (open_tree) before the new root covers anything, and the
 * caller's directories are compared with those it opened: a name that means
 * something else by now is an error.
 */
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "sandbox/priv.h"

const char *const view_system[] = {"/usr",   "/bin",   "/sbin",   "/lib",
                                   "/lib32", "/lib64", "/libx32", NULL};

const char *const view_etc[] =
    {"/etc/alternatives", "/etc/ld.so.cache",  "/etc/ld.so.conf",
     "/etc/ld.so.conf.d", "/etc/localtime",    "/etc/ssl/certs",
     "/etc/mime.types",   "/etc/services",     "/etc/ssl/openssl.cnf",
     "/etc/terminfo",     "/etc/fonts",        "/etc/pki/tls/certs",
     "/etc/perl",         "/etc/pki/ca-trust", NULL};

const char *const view_devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                    "/dev/random", "/dev/urandom", "/dev/tty",
                                    NULL};

static const struct {
    const char *at, *to;
} links[] = {{"dev/fd", "/proc/self/fd"},
             {"dev/stdin", "/proc/self/fd/0"},
             {"dev/stdout", "/proc/self/fd/1"},
             {"dev/stderr", "/proc/self/fd/2"},
             {"etc/mtab", "/proc/self/mounts"}};

static const struct {
    const char *name;
    mode_t mode;
} own_dirs[] = {{"tmp", 01777}, {"var", 0755},      {"var/tmp", 01777},
                {"dev", 0755},  {"dev/shm", 01777}, {"proc", 0755},
                {"etc", 0755},  {"run", 0755},      {"tmp/home", 0700},
                {"usr", 0755}};

#define READ_ONLY (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

bool rootfs_is_system(const char *path)
{
    size_t i, n;

    for (i = 0; view_system[i]; i++) {
        n = strlen(view_system[i]);
        if (strncmp(path, view_system[i], n) == 0 &&
            (path[n] == '/' || path[n] == '\0'))
            return true;
    }
    return false;
}

/* ---- before: what is to be there ----------------------------------------- */

static struct bind_mount *mount_add(struct plan *p, const char *path,
                                    unsigned long long attr)
{
    struct bind_mount *g;

    if (p->n_mounts == MOUNTS_MAX)
        return NULL;
    g = &p->mounts[p->n_mounts++];
    *g = (struct bind_mount){.path = path, .attr = attr};
    return g;
}

/* Whatever of the list this machine has, links as links. */
static quire_status add_system(struct plan *p, const char *const *paths,
                               unsigned long long attr, bool keep_links,
                               quire_error *err)
{
    char target[PATH_MAX];
    struct bind_mount *g;
    struct stat st;
    ssize_t n;

    for (; *paths; paths++) {
        n = keep_links ? readlink(*paths, target, sizeof target) : -1;
        if (n < 0 && stat(*paths, &st) < 0)
            continue;
        g = mount_add(p, *paths, attr);
        if (!g)
            return err_set(err, QUIRE_INVALID, "too many trees to read");
        if (n < 0) {
            g->file = !S_ISDIR(st.st_mode);
            continue;
        }
        g->link = arena_text(&p->mem, (quire_bytes){target, (size_t)n});
        if (!g->link)
            return err_memory(err);
    }
    return QUIRE_OK;
}

static quire_status add_place(struct plan *p, const struct place *place,
                              unsigned long long attr, quire_error *err)
{
    struct bind_mount *g = mount_add(p, place->path, attr);

    if (!g) {
        err_fail(err, QUIRE_INVALID, "name a directory above them",
                 "cannot make so many trees readable");
        return QUIRE_INVALID;
    }
    g->place = place;
    return QUIRE_OK;
}

static quire_status add_places(struct plan *p, quire_error *err)
{
    unsigned long long rw = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < p->n_readable && !st; i++)
        st = add_place(p, &p->readable[i], READ_ONLY, err);
    if (!st)
        st = add_place(p, &p->agent, rw, err);
    if (!st && p->scratch.fd >= 0)
        st = add_place(p, &p->scratch, rw, err);
    return st;
}

/* The home as the command will name it, if that is strictly beneath a directory
 * of the new root that can be written to. One that has $HOME in it is left as it
 * is. */
static quire_status find_own_home(struct plan *p, quire_error *err)
{
    static const char *const writable[] = {"/tmp/", "/var/tmp/", "/dev/shm/"};
    static const char home[] = "/tmp/home";
    char path[PATH_MAX];
    size_t i, n;

    p->own_home = NULL;
    if (!p->spec->home || !realpath(p->spec->home, path))
        return QUIRE_OK;
    n = strlen(path);
    if (strncmp(home, path, n) == 0 && (home[n] == '/' || home[n] == '\0'))
        return QUIRE_OK;
    for (i = 0; i < sizeof writable / sizeof *writable; i++) {
        if (strncmp(path, writable[i], strlen(writable[i])) != 0)
            continue;
        p->own_home = arena_text(&p->mem, (quire_bytes){path, n});
        return p->own_home ? QUIRE_OK : err_memory(err);
    }
    return QUIRE_OK;
}

quire_status plan_rootfs(struct plan *p, quire_error *err)
{
    static const char *const resolver[] = {"/etc/resolv.conf", NULL};
    quire_status st;

    p->n_mounts = 0;
    st = add_system(p, view_system, READ_ONLY, true, err);
    if (!st)
        st = add_system(p, view_etc, READ_ONLY, false, err);
    if (!st)
        st = add_system(p, view_devices, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
                        false, err);
    if (!st && p->spec->net)
        st = add_system(p, resolver, READ_ONLY, false, err);
    if (!st)
        st = add_places(p, err);
    if (!st)
        st = find_own_home(p, err);
    p->uid_map = arena_printf(&p->mem, "1000 %u 1", (unsigned)geteuid());
    p->gid_map = arena_printf(&p->mem, "1000 %u 1", (unsigned)getegid());
    if (!st && (!p->uid_map || !p->gid_map))
        st = err_memory(err);
    return st;
}

/* ---- in the stage --------------------------------------------------------- */

static int put_text(int dir, const char *path, const char *text)
{
    int fd = openat(dir, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    size_t len = strlen(text);
    ssize_t n;

    if (fd < 0)
        return -1;
    n = write(fd, text, len);
    close(fd);
    return n == (ssize_t)len ? 0 : -1;
}

/* 1000 inside is our user outside. Groups not in the map cannot be left, and
 * more than one cannot be in it without rights outside: so what groups the caller
 * has beside its own stay, and give rights to nothing that is in the new root. */
static int map_user(const struct plan *p)
{
    if (put_text(AT_FDCWD, "/proc/self/setgroups", "deny") < 0)
        return report_fail(p, STEP_MAP, "/proc/self/setgroups");
    if (put_text(AT_FDCWD, "/proc/self/uid_map", p->uid_map) < 0)
        return report_fail(p, STEP_MAP, "/proc/self/uid_map");
    if (put_text(AT_FDCWD, "/proc/self/gid_map", p->gid_map) < 0)
        return report_fail(p, STEP_MAP, "/proc/self/gid_map");
    return 0;
}

static bool is_place(int fd, const struct place *place)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_dev == place->dev &&
           st.st_ino == place->ino;
}

/* Copies of the mounts, in `fd`. The trees below come along: the kernel would
 * not uncover what a mount hides. */
static int clone_mounts(const struct plan *p, int *fd)
{
    size_t i;

    for (i = 0; i < p->n_mounts; i++) {
        const struct bind_mount *g = &p->mounts[i];
        struct mount_attr attr = {.attr_set = g->attr};
        unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;

        fd[i] = -1;
        if (g->link)
            continue;
        if (g->place)
            flags |= AT_SYMLINK_NOFOLLOW;
        fd[i] = open_tree(AT_FDCWD, g->path, flags);
        if (fd[i] < 0)
            return report_fail(p, STEP_MOUNT, g->path);
        if (g->place && !is_place(fd[i], g->place))
            return report_fail(p, STEP_MOVED, g->path);
        if (mount_setattr(fd[i], "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
                          sizeof attr) < 0)
            return report_fail(p, STEP_MOUNT, g->path);
    }
    return 0;
}

static int new_tmpfs(const struct plan *p)
{
    int fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
    int fd = -1;

    if (fs >= 0 && fsconfig(fs, FSCONFIG_SET_STRING, "mode", "0755", 0) == 0 &&
        fsconfig(fs, FSCONFIG_SET_STRING, "size", p->tmpfs_size, 0) == 0 &&
        fsconfig(fs, FSCONFIG_SET_STRING, "nr_inodes", p->tmpfs_inodes, 0) ==
            0 &&
        fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    close(fs);
    return fd;
}

/* The directories above `path`, and a place to mount on. Beneath a tree that is
 * there already both exist, and cannot be made. */
static void make_mountpoint(int root, const char *path, bool file)
{
    char part[PATH_MAX];
    size_t i;
    int fd;

    for (i = 1; i < sizeof part && path[i]; i++) {
        part[i - 1] = path[i];
        if (path[i + 1] != '/' && (path[i + 1] != '\0' || file))
            continue;
        part[i] = '\0';
        mkdirat(root, part, 0755);
    }
    if (!file)
        return;
    fd = openat(root, path + 1, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                0644);
    if (fd >= 0)
        close(fd);
}

/* A directory of the root mounted on itself, which stays writable. */
static int mount_self(const struct plan *p, int root, const char *name)
{
    int fd = open_tree(root, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    int rc = fd < 0 ? -1
                    : move_mount(fd, "", root, name, MOVE_MOUNT_F_EMPTY_PATH);

    if (fd >= 0)
        close(fd);
    return rc < 0 ? report_fail(p, STEP_MOUNT, name) : 0;
}

static int fill_root(const struct plan *p, int root)
{
    size_t i;

    for (i = 0; i < sizeof own_dirs / sizeof *own_dirs; i++)
        if (mkdirat(root, own_dirs[i].name, own_dirs[i].mode) < 0)
            return report_fail(p, STEP_ROOT, own_dirs[i].name);
    for (i = 0; i < sizeof links / sizeof *links; i++)
        if (symlinkat(links[i].to, root, links[i].at) < 0)
            return report_fail(p, STEP_ROOT, links[i].at);
    if (put_text(root, "etc/passwd",
                 "root:x:0:0:root:/root:/bin/sh\n"
                 "quire:x:1000:1000:quire:/tmp/home:/bin/sh\n"
                 "nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n") < 0 ||
        put_text(root, "etc/group",
                 "root:x:0:\nquire:x:1000:\nnogroup:x:65534:\n") < 0 ||
        put_text(root, "etc/hosts",
                 "127.0.0.1 localhost quire\n"
                 "::1 localhost\n") < 0 ||
        put_text(root, "etc/nsswitch.conf",
                 "passwd: files\ngroup: files\n"
                 "hosts: files dns\n") < 0)
        return report_fail(p, STEP_ROOT, "/etc");
    if (mount_self(p, root, "tmp") < 0 || mount_self(p, root, "var/tmp") < 0 ||
        mount_self(p, root, "dev/shm") < 0)
        return -1;
    return 0;
}

/* Mount the home on itself, with places for what is attached in it; read-only
 * comes after that. */
static int begin_own_home(const struct plan *p, int root)
{
    size_t i, n = strlen(p->own_home);

    make_mountpoint(root, p->own_home, false);
    for (i = 0; i < p->n_mounts; i++)
        if (strncmp(p->mounts[i].path, p->own_home, n) == 0)
            make_mountpoint(root, p->mounts[i].path, p->mounts[i].file);
    return mount_self(p, root, p->own_home + 1);
}

static int end_own_home(const struct plan *p, int root)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};

    if (mount_setattr(root, p->own_home + 1, 0, &attr, sizeof attr) < 0)
        return report_fail(p, STEP_MOUNT, p->own_home);
    return 0;
}

static int attach_mounts(const struct plan *p, int root, const int *fd)
{
    size_t i;

    if (p->own_home && begin_own_home(p, root) < 0)
        return -1;
    for (i = 0; i < p->n_mounts; i++) {
        const struct bind_mount *g = &p->mounts[i];

        if (g->link) {
            if (symlinkat(g->link, root, g->path + 1) < 0)
                return report_fail(p, STEP_ROOT, g->path);
            continue;
        }
        make_mountpoint(root, g->path, g->file);
        if (move_mount(fd[i], "", root, g->path + 1, MOVE_MOUNT_F_EMPTY_PATH) <
            0)
            return report_fail(p, STEP_MOUNT, g->path);
        close(fd[i]);
    }
    return p->own_home ? end_own_home(p, root) : 0;
}

/* Into the new root, and the old one away, for every process here. The place that
 * was mounted on does not matter: all that was wanted of it has been taken. */
static int enter_root(const struct plan *p, int root)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};

    if (fchdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
        umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
        return report_fail(p, STEP_PIVOT, "the new root");
    if (mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof attr) < 0)
        return report_fail(p, STEP_PIVOT, "the new root");
    return 0;
}

int rootfs_build(struct plan *p)
{
    int fd[MOUNTS_MAX] = {0};
    int top, root;

    umask(0);
    if (map_user(p) < 0)
        return -1;
    /* Nothing that is mounted here is to appear outside. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return report_fail(p, STEP_MOUNT, "/");
    if (clone_mounts(p, fd) < 0)
        return -1;
    top = new_tmpfs(p);
    if (top < 0 ||
        move_mount(top, "", AT_FDCWD, "/usr", MOVE_MOUNT_F_EMPTY_PATH) < 0)
        return report_fail(p, STEP_MOUNT, "a tmpfs");
    root = open("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return report_fail(p, STEP_ROOT, "the new root");
    if (fill_root(p, root) < 0 || attach_mounts(p, root, fd) < 0)
        return -1;
    close(top);
    p->root_fd = root;
    if (sethostname("quire", 5) < 0)
        return report_fail(p, STEP_ROOT, "its host name");
    return 0;
}

/* A /proc of the new pid namespace. The kernel gives one only while another is in
 * sight that nothing covers, so this comes before the old root goes. Where the
 * machine's own is partly covered (containers) there is none, and `held` says
 * so. Read-only: what root may write there even without capabilities is outside
 * of every namespace. */
static bool mount_proc(const struct plan *p)
{
    int fs = fsopen("proc", FSOPEN_CLOEXEC);
    bool there = false;
    int fd = -1;

    if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        fd = fsmount(fs, FSMOUNT_CLOEXEC, READ_ONLY | MOUNT_ATTR_NOEXEC);
    if (fd >= 0)
        there = move_mount(fd, "", p->root_fd, "proc",
                           MOVE_MOUNT_F_EMPTY_PATH) == 0;
    if (there)
        p->report->held |= RUN_PROC;
    if (fs >= 0)
        close(fs);
    if (fd >= 0)
        close(fd);
    return there;
}

/* Keys belong to users, not to namespaces: the lists in a fresh /proc name those
 * that the caller has outside. */
static int cover_keys(const struct plan *p)
{
    static const char *const lists[] = {"proc/keys", "proc/key-users"};
    size_t i;
    int fd;

    for (i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (faccessat(p->root_fd, lists[i], F_OK, 0) < 0)
            continue;
        fd = open_tree(p->root_fd, "dev/null",
                       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        if (fd < 0 || move_mount(fd, "", p->root_fd, lists[i],
                                 MOVE_MOUNT_F_EMPTY_PATH) < 0)
            return report_fail(p, STEP_MOUNT, lists[i]);
        close(fd);
    }
    return 0;
}

int rootfs_enter(const struct plan *p)
{
    if (mount_proc(p) && cover_keys(p) < 0)
        return -1;
    return enter_root(p, p->root_fd);
}
