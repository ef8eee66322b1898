#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"

/* ---- opening ------------------------------------------------------------ */

/* openat2() for kernels before 5.6: walk the components and refuse "..",
 * absolute names and links at each. */
static int walk_beneath(int dir, const char *name, int flags, mode_t mode)
{
    char part[NAME_MAX + 1];
    int at = dir, next;

    for (;;) {
        size_t len = strcspn(name, "/");
        bool last = name[len] == '\0';

        if (len == 0 || len > NAME_MAX) {
            errno = len ? ENAMETOOLONG : EXDEV;
            next = -1;
        } else {
            memcpy(part, name, len);
            part[len] = '\0';
            if (!strcmp(part, "..")) {
                errno = EXDEV;
                next = -1;
            } else if (last) {
                next = openat(at, part, flags | O_NOFOLLOW, mode);
            } else {
                next = openat(at, part,
                              O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            }
        }
        if (at != dir) {
            int keep = errno;

            close(at);
            errno = keep;
        }
        if (next < 0 || last)
            return next;
        at = next;
        name += len + 1;
    }
}

int fs_open_beneath(int dir, const char *name, int flags, mode_t mode)
{
    struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC),
        .mode = flags & (O_CREAT | __O_TMPFILE) ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                   RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, (long)dir, name, &how, sizeof how);

    if (fd < 0 && errno == ENOSYS)
        return walk_beneath(dir, name, flags | O_CLOEXEC, mode);
    return (int)fd;
}

/* Call `each` on the directory that holds each component of `path` in turn,
 * from `dir` downwards. */
static int visit_parents(int dir, const char *path,
                         int (*each)(int at, const char *name, bool *flag),
                         bool *flag)
{
    char part[PATH_MAX];
    size_t i;

    if (strlen(path) >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (i = 1;; i++) {
        const char *last;
        int at, rc;

        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        at = fs_open_parent(dir, part, false, NULL, &last);
        if (at < 0)
            return -1;
        rc = each(at, last, flag);
        close(at);
        if (rc < 0 || path[i] == '\0')
            return rc;
    }
}

static int make_dir(int at, const char *name, bool *made)
{
    if (mkdirat(at, name, 0700) == 0)
        *made = true;
    else if (errno != EEXIST)
        return -1;
    return 0;
}

static int sync_dir(int at, const char *name, bool *unused)
{
    (void)name;
    (void)unused;
    return fsync(at);
}

int fs_sync_parents(int dir, const char *name)
{
    return visit_parents(dir, name, sync_dir, NULL);
}

int fs_open_parent(int dir, const char *name, bool make, bool *made,
                   const char **base)
{
    const char *slash = strrchr(name, '/');
    bool any = false;
    char path[PATH_MAX];
    size_t len;
    int fd;

    if (made)
        *made = false;
    *base = slash ? slash + 1 : name;
    if (!slash)
        return fcntl(dir, F_DUPFD_CLOEXEC, 0);
    len = (size_t)(slash - name);
    if (len >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path, name, len);
    path[len] = '\0';
    fd = fs_open_beneath(dir, path, O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0 || errno != ENOENT || !make)
        return fd;
    if (visit_parents(dir, path, make_dir, &any) < 0)
        return -1;
    if (made)
        *made = any;
    return fs_open_beneath(dir, path, O_RDONLY | O_DIRECTORY, 0);
}

/* mkdir -p, each new directory synced into its parent. */
static int make_path(const char *path)
{
    char part[PATH_MAX];
    size_t len = strlen(path), i;
    bool made;

    if (len >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(part, path, len + 1);
    for (i = 1; i <= len; i++) {
        char *slash;
        int dir, rc;

        if (part[i] != '/' && part[i] != '\0')
            continue;
        part[i] = '\0';
        if (access(part, F_OK) != 0) {
            slash = strrchr(part, '/');
            if (slash)
                *slash = '\0';
            dir = open(!slash    ? "."
                       : part[0] ? part
                                 : "/",
                       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (slash)
                *slash = '/';
            if (dir < 0)
                return -1;
            rc = make_dir(dir, slash ? slash + 1 : part, &made);
            if (rc == 0)
                rc = fsync(dir);
            close(dir);
            if (rc < 0)
                return -1;
        }
        if (i < len)
            part[i] = '/';
    }
    return 0;
}

quire_status fs_open_dir(const char *path, bool make, int *fd, quire_error *err)
{
    quire_status st;

    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0 && errno == ENOENT && make) {
        if (make_path(path) < 0) {
            st = err_sys(err, errno, "cannot create directory %s", path);
            if (st == QUIRE_NOT_FOUND && err)
                err->status = QUIRE_IO; /* it was to be created */
            return st == QUIRE_NOT_FOUND ? QUIRE_IO : st;
        }
        *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (*fd >= 0)
        return QUIRE_OK;
    if (errno == ENOENT && make) {
        st = err_fail(err, QUIRE_IO,
                      "create the directory it names, or remove the link",
                      "%s is a dangling symbolic link", path);
        return st;
    }
    if (errno == ENOTDIR) {
        st = err_fail(err, QUIRE_INVALID,
                      "name the directory that holds the store",
                      "%s is not a directory", path);
        return st;
    }
    return err_sys(err, errno, "cannot open directory %s", path);
}

/* ---- moving bytes ------------------------------------------------------- */

int fs_write_all(int fd, quire_bytes bytes)
{
    const char *at = bytes.data;
    size_t left = bytes.len;

    while (left > 0) {
        ssize_t n = write(fd, at, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        at += n;
        left -= (size_t)n;
    }
    return 0;
}

/* From `offset`, or from the descriptor's position if that is negative. */
static ssize_t read_all(int fd, char *buf, size_t cap, off_t offset)
{
    size_t got = 0;

    while (got < cap) {
        ssize_t n = offset < 0
                        ? read(fd, buf + got, cap - got)
                        : pread(fd, buf + got, cap - got, offset + (off_t)got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

ssize_t fs_read_at(int fd, void *buf, size_t cap, off_t offset)
{
    if (offset < 0) {
        errno = EINVAL;
        return -1;
    }
    return read_all(fd, buf, cap, offset);
}

ssize_t fs_read_full(int fd, void *buf, size_t cap)
{
    return read_all(fd, buf, cap, -1);
}

int fs_append(int fd, quire_bytes bytes, off_t *size)
{
    off_t end = lseek(fd, 0, SEEK_END);
    int why;

    if (end < 0)
        return -1;
    *size = end;
    if (fs_write_all(fd, bytes) == 0) {
        *size = end + (off_t)bytes.len;
        return 0;
    }
    why = errno;
    /* If this fails too, readers still ignore the torn tail. */
    if (ftruncate(fd, end) == 0)
        lseek(fd, end, SEEK_SET);
    errno = why;
    return -1;
}

/* ---- temporary files ---------------------------------------------------- */

static int temp_name(char name[32])
{
    uint8_t noise[8];
    char hex[17];

    if (rand_bytes(&rand_system, noise, sizeof noise, NULL)) {
        errno = EIO;
        return -1;
    }
    hex_encode(noise, sizeof noise, hex);
    snprintf(name, 32, ".tmp-%s", hex);
    return 0;
}

static int temp_named(struct fs_temp *t)
{
    if (temp_name(t->name) < 0)
        return -1;
    t->fd = openat(t->dir, t->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                   0600);
    if (t->fd < 0) {
        t->name[0] = '\0';
        return -1;
    }
    flock(t->fd, LOCK_EX | LOCK_NB); /* best effort */
    return 0;
}

int fs_temp_open(struct fs_temp *t, int dir)
{
    *t = (struct fs_temp)FS_TEMP_INIT;
    t->dir = dir;
    t->fd = openat(dir, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (t->fd >= 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL &&
        errno != ENOENT)
        return -1;
    return temp_named(t);
}

int fs_temp_sync(struct fs_temp *t)
{
    return fdatasync(t->fd);
}

void fs_temp_start_sync(struct fs_temp *t)
{
    (void)sync_file_range(t->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

static int link_nameless(int fd, int dir, const char *base)
{
    char self[64];

    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, dir, base, AT_SYMLINK_FOLLOW);
}

/* link() cannot replace: link to a temporary name in the same directory and
 * rename that over the old one. */
static int link_over(int fd, int dir, const char *base)
{
    char step[32];

    if (temp_name(step) < 0 || link_nameless(fd, dir, step) < 0)
        return -1;
    if (renameat(dir, step, dir, base) < 0) {
        int keep = errno;

        unlinkat(dir, step, 0);
        errno = keep;
        return -1;
    }
    return 0;
}

int fs_temp_publish(struct fs_temp *t, int dir, const char *base, bool replace)
{
    if (!t->name[0]) {
        if (link_nameless(t->fd, dir, base) == 0)
            return 0;
        return errno == EEXIST && replace ? link_over(t->fd, dir, base) : -1;
    }
    if (replace) {
        if (renameat(t->dir, t->name, dir, base) < 0)
            return -1;
    } else {
        if (linkat(t->dir, t->name, dir, base, 0) < 0)
            return -1;
        unlinkat(t->dir, t->name, 0);
    }
    t->name[0] = '\0';
    return 0;
}

void fs_temp_release(struct fs_temp *t)
{
    int keep = errno;

    if (t->name[0])
        unlinkat(t->dir, t->name, 0);
    if (t->fd >= 0)
        close(t->fd);
    *t = (struct fs_temp)FS_TEMP_INIT;
    errno = keep;
}

bool fs_temp_is_name(const char *name)
{
    return !strncmp(name, ".tmp-", 5) && strlen(name) == 21 &&
           strspn(name + 5, "0123456789abcdef") == 16;
}

enum { REAP_AFTER_S = 3600 };

bool fs_temp_reap(int dir, const char *path, bool dry)
{
    int fd = fs_open_beneath(dir, path, O_RDONLY | O_NONBLOCK, 0);
    struct stat s;
    bool nobodys;

    if (fd < 0)
        return false;
    nobodys = !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &s) &&
              S_ISREG(s.st_mode) && s.st_ctime < time(NULL) - REAP_AFTER_S &&
              s.st_mtime < time(NULL) - REAP_AFTER_S;
    if (nobodys && !dry) {
        const char *base;
        int parent = fs_open_parent(dir, path, false, NULL, &base);

        nobodys = parent >= 0 && !unlinkat(parent, base, 0);
        if (parent >= 0)
            close(parent);
    }
    close(fd);
    return nobodys;
}

quire_status fs_replace(int dir, const char *name, quire_bytes bytes,
                        quire_error *err)
{
    struct fs_temp t = FS_TEMP_INIT;
    quire_status st = QUIRE_OK;
    const char *base;
    bool made = false;
    int parent;

    parent = fs_open_parent(dir, name, true, &made, &base);
    if (parent < 0 || fs_temp_open(&t, parent) < 0 ||
        fs_write_all(t.fd, bytes) < 0 || fs_temp_sync(&t) < 0 ||
        fs_temp_publish(&t, parent, base, true) < 0 ||
        (made ? fs_sync_parents(dir, name) : fsync(parent)) < 0)
        st = err_sys(err, errno, "cannot write %s", name);
    fs_temp_release(&t);
    if (parent >= 0)
        close(parent);
    return st;
}

/* ---- locks -------------------------------------------------------------- */

static int try_lock(int fd, bool is_dir, enum fs_lock mode)
{
    static const short record[] = {F_UNLCK, F_RDLCK, F_WRLCK};
    static const int whole[] = {LOCK_UN, LOCK_SH, LOCK_EX};
    struct flock l = {.l_type = record[mode], .l_whence = SEEK_SET};

    if (is_dir)
        return flock(fd, whole[mode] | LOCK_NB);
    return fcntl(fd, F_OFD_SETLK, &l);
}

quire_status fs_lock(int fd, enum fs_lock mode, int wait_ms, quire_error *err)
{
    struct stat st;
    long pause_ms = 1;

    if (fstat(fd, &st) < 0)
        return err_sys(err, errno, "cannot lock");
    while (try_lock(fd, S_ISDIR(st.st_mode), mode) < 0) {
        struct timespec pause = {.tv_nsec = pause_ms * 1000000};

        if (errno == EINTR)
            continue;
        if (errno != EAGAIN && errno != EACCES)
            return err_sys(err, errno, "cannot lock");
        if (wait_ms <= 0)
            return err_set(err, QUIRE_BUSY, "another process holds the lock");
        /* No lock call has a time limit: retry with growing pauses, of at most
         * 16 ms. */
        nanosleep(&pause, NULL);
        wait_ms -= (int)pause_ms;
        if (pause_ms < 16)
            pause_ms *= 2;
    }
    return QUIRE_OK;
}

/* ---- removal ------------------------------------------------------------ */

/* Depth is bounded by explicit frames instead of recursion. */
#define TREE_DEPTH_MAX 128

struct frame {
    DIR *stream;
    char name[NAME_MAX + 1]; /* in the frame above */
};

static int push_frame(struct frame *f, int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return -1;
    f->stream = fdopendir(fd);
    if (!f->stream) {
        int keep = errno;

        close(fd);
        errno = keep;
        return -1;
    }
    snprintf(f->name, sizeof f->name, "%s", name);
    return 0;
}

static int remove_below(struct frame *frames, int dir)
{
    int depth = 0;

    while (depth >= 0) {
        struct frame *f = &frames[depth];
        int above = depth ? dirfd(frames[depth - 1].stream) : dir;
        struct dirent *e;

        errno = 0;
        e = readdir(f->stream);
        if (!e && errno)
            return -1;
        if (!e) {
            closedir(f->stream);
            f->stream = NULL;
            if (unlinkat(above, f->name, AT_REMOVEDIR) < 0 && errno != ENOENT)
                return -1;
            depth--;
            continue;
        }
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (unlinkat(dirfd(f->stream), e->d_name, 0) == 0 || errno == ENOENT)
            continue;
        if (errno != EISDIR && errno != EPERM)
            return -1;
        if (depth + 1 == TREE_DEPTH_MAX) {
            errno = ELOOP;
            return -1;
        }
        if (push_frame(&frames[depth + 1], dirfd(f->stream), e->d_name) < 0)
            return -1;
        depth++;
    }
    return 0;
}

int fs_remove_tree(int dir, const char *name)
{
    struct frame *frames;
    const char *base;
    int parent, rc = -1, i;

    parent = fs_open_parent(dir, name, false, NULL, &base);
    if (parent < 0)
        return errno == ENOENT ? 0 : -1;
    frames = calloc(TREE_DEPTH_MAX, sizeof *frames);
    if (!frames) {
        close(parent);
        errno = ENOMEM;
        return -1;
    }
    if (unlinkat(parent, base, 0) == 0 || errno == ENOENT)
        rc = 0;
    else if ((errno == EISDIR || errno == EPERM) &&
             push_frame(&frames[0], parent, base) == 0)
        rc = remove_below(frames, parent);
    if (rc < 0) {
        int keep = errno;

        for (i = 0; i < TREE_DEPTH_MAX; i++) {
            if (frames[i].stream)
                closedir(frames[i].stream);
        }
        errno = keep;
    }
    free(frames);
    close(parent);
    return rc;
}

int64_t fs_identity(const char *path)
{
    struct statx s;
    uint64_t h;

    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &s) != 0)
        return 0;
    h = s.stx_ino * UINT64_C(0x9e3779b97f4a7c15);
    if (s.stx_mask & STATX_BTIME)
        h ^= (uint64_t)s.stx_btime.tv_sec * UINT64_C(1000000000) +
             s.stx_btime.tv_nsec;
    return (int64_t)(h >> 1) + 1;
}
