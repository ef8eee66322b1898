/*
 * files_edit.c - files changed in place
 *
 * A session's log is appended to for hours by one process while others read it,
 * and perhaps append too, since the lock is advisory. Hence:
 *
 *   (1) Appending is one write(2) on a descriptor with O_APPEND: the kernel
 *       puts it at the current end, and never over bytes of another process.
 *   (2) A short write is cut back, so that the file is what it was; if that
 *       fails too, readers still ignore the torn tail.
 *   (3) A replacement file is locked before it gets the name, so a second
 *       writer cannot slip in.
 *   (4) The start of a large append is recorded in an extended attribute while
 *       it is written: a signal that ends the process can interrupt it, and
 *       what it leaves cannot be told from a file that was truncated. Where
 *       the file system has no such attributes, nothing is recorded.
 *   (5) The lock belongs to the open file description and ends with it, even
 *       when the process dies.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "store/files_priv.h"

static struct file_object *file_object_of(struct object *o)
{
    return (struct file_object *)o;
}

quire_status files_edit(struct object_store *s, const char *name,
                        struct object **out, struct object_info *info,
                        quire_error *err)
{
    struct files *f = (struct files *)s;
    struct file_object *o;
    struct stat st = {0};
    quire_status status;
    int fd = -1;

    if (f->read_only) {
        status = err_fail(err, QUIRE_INVALID,
                          "open the store without the read-only flag",
                          "%s is open read-only", f->path);
        return status;
    }
    status = files_settle(f, err);
    if (!status)
        status = files_reach(f, false, err);
    if (!status)
        status = files_open_file(f, name, O_RDWR | O_APPEND, &fd, &st, err);
    if (!status)
        status = files_object(f, name, fd, &o, err);
    if (status)
        return status;
    o->editing = true;
    files_describe(&st, info);
    *out = &o->base;
    return QUIRE_OK;
}

quire_status files_hold(struct object *base, int wait_ms, quire_error *err)
{
    struct file_object *o = file_object_of(base);
    quire_status st = fs_lock(o->fd, FS_EXCLUSIVE, wait_ms, err);
    char who[64];

    if (!st)
        o->held = true;
    if (st != QUIRE_BUSY)
        return st;
    fs_lock_holder(o->fd, who, sizeof who);
    err_fail(err, st, "wait for it to finish, or end it",
             "cannot write to %s/%s: %s is writing to it", o->store->path,
             o->name, who);
    return st;
}

static bool still_named(const struct file_object *o)
{
    const char *last;
    struct stat ours, now;
    int parent = fs_open_parent(o->store->dir, o->name, false, NULL, &last);
    bool yes = parent >= 0 && fstat(o->fd, &ours) == 0 &&
               fstatat(parent, last, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
               now.st_ino == ours.st_ino && now.st_dev == ours.st_dev;

    if (parent >= 0)
        close(parent);
    return yes;
}

/* Replacing or removing a file takes its last link away; moving it does not, so
 * now and then the name itself is checked.
 *
 * statx() for just these two fields, and not fstat(): on recent kernels reading
 * the times makes the next write store a new one, which costs more than the
 * write itself. */
quire_status files_status(struct object *base, uint64_t *size, bool *named,
                          quire_error *err)
{
    struct file_object *o = file_object_of(base);
    struct timespec now;
    struct statx x;
    int64_t ms;

    if (statx(o->fd, "", AT_EMPTY_PATH, STATX_SIZE | STATX_NLINK, &x) < 0)
        return files_fail(o->store, "look at", o->name, err);
    *size = x.stx_size;
    *named = x.stx_nlink > 0;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (*named && (ms - o->named_ms > NAME_MS || *size != o->size)) {
        *named = still_named(o);
        if (*named)
            o->named_ms = ms;
    }
    o->size = *size;
    return QUIRE_OK;
}

static const char append_mark[] = "user.quire.append";

/* Whether the start of the append was recorded. */
static bool mark_append(const struct file_object *o, uint64_t size)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%llu", (unsigned long long)size);

    return fsetxattr(o->fd, append_mark, text, (size_t)n, 0) == 0;
}

static void unmark_append(const struct file_object *o)
{
    fremovexattr(o->fd, append_mark);
}

uint64_t files_unfinished(struct object *base)
{
    const struct file_object *o = file_object_of(base);
    char text[24];
    ssize_t n = fgetxattr(o->fd, append_mark, text, sizeof text - 1);
    uint64_t at = 0;
    ssize_t i;

    for (i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        at = at * 10 + (uint64_t)(text[i] - '0');
    return n > 0 && i == n ? at : UINT64_MAX;
}

quire_status files_cut(struct object *base, uint64_t size, quire_error *err)
{
    struct file_object *o = file_object_of(base);

    if (ftruncate(o->fd, (off_t)size) < 0)
        return files_fail(o->store, "cut an unfinished append off", o->name,
                          err);
    unmark_append(o);
    o->size = size;
    return QUIRE_OK;
}

/* Write at the end; *taken is how much was written. */
static bool write_all(int fd, quire_bytes bytes, size_t *taken)
{
    ssize_t n = 0;

    *taken = 0;
    while (*taken < bytes.len && n != -1) {
        n = write(fd, (const char *)bytes.data + *taken, bytes.len - *taken);
        if (n > 0)
            *taken += (size_t)n;
        else if (n < 0 && errno == EINTR)
            n = 0;
    }
    return *taken == bytes.len;
}

quire_status files_append_at(struct object *base, uint64_t size,
                             quire_bytes bytes, quire_error *err)
{
    struct file_object *o = file_object_of(base);
    bool marked = bytes.len >= OBJECT_LARGE_APPEND && mark_append(o, size);
    struct stat now;
    quire_status st;
    size_t taken;

    if (write_all(o->fd, bytes, &taken)) {
        if (marked)
            unmark_append(o);
        o->size = size + bytes.len;
        return QUIRE_OK;
    }
    st = files_fail(o->store, "append to", o->name, err);
    /* Cut off only our own bytes: others may have appended before us. */
    if (taken > 0 &&
        (fstat(o->fd, &now) < 0 || (uint64_t)now.st_size != size + taken ||
         ftruncate(o->fd, (off_t)size) < 0))
        err_next(err, "the file may end in a partial line, which readers "
                      "skip; free some space and open it again");
    else if (marked)
        unmark_append(o);
    return st;
}

quire_status files_patch(struct object *base, uint64_t offset,
                         quire_bytes bytes, quire_error *err)
{
    struct file_object *o = file_object_of(base);
    quire_status st = QUIRE_OK;
    struct stat info, ours;
    size_t done = 0;
    int fd;

    /* O_APPEND makes pwrite() append, so this needs a descriptor without; and
     * the name must still refer to the same file. */
    fd = fs_open_beneath(o->store->dir, o->name, O_WRONLY | O_NOFOLLOW, 0);
    if (fd < 0)
        return files_fail(o->store, "open", o->name, err);
    if (fstat(fd, &info) < 0 || fstat(o->fd, &ours) < 0) {
        st = files_fail(o->store, "look at", o->name, err);
    } else if (info.st_ino != ours.st_ino || info.st_dev != ours.st_dev) {
        st = err_set(err, QUIRE_CHANGED, "%s/%s was replaced by another file",
                     o->store->path, o->name);
    } else if (offset + bytes.len > (uint64_t)info.st_size) {
        st = err_set(err, QUIRE_CHANGED, "%s/%s was truncated", o->store->path,
                     o->name);
    }
    while (!st && done < bytes.len) {
        ssize_t n = pwrite(fd, (const char *)bytes.data + done,
                           bytes.len - done, (off_t)(offset + done));

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            st = files_fail(o->store, "write to", o->name, err);
    }
    close(fd);
    return st;
}

/* Open the draft's file for appending, and hold it: a descriptor of its own
 * that shares the draft's lock. */
static quire_status take_draft(struct file_draft *d, bool hold, int *fd,
                               quire_error *err)
{
    quire_status st = QUIRE_OK;

    *fd = -1;
    if (fs_temp_sync(&d->temp) < 0)
        st = err_sys(err, errno, "cannot sync a file in %s", d->store->path);
    if (!st && hold)
        st = fs_lock(d->temp.fd, FS_EXCLUSIVE, 0, err);
    if (st)
        return st;
    *fd = fcntl(d->temp.fd, F_DUPFD_CLOEXEC, 0);
    if (*fd >= 0 && fcntl(*fd, F_SETFL, O_APPEND) == 0)
        return QUIRE_OK;
    st = err_sys(err, errno, "cannot open a file in %s", d->store->path);
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return st;
}

quire_status files_publish_open(struct draft *draft, const char *name,
                                struct object **out, quire_error *err)
{
    struct file_draft *d = (struct file_draft *)draft;
    struct files *f = d->store;
    struct file_object *o = NULL;
    int fd;
    quire_status st = take_draft(d, true, &fd, err);

    if (!st)
        st = files_object(f, name, fd, &o, err);
    if (!st)
        st = files_give_name(f, &d->temp, name, false, true, err);
    if (!st) {
        o->editing = o->held = o->name_synced = true;
        o->size = d->size;
        *out = &o->base;
    } else if (o) {
        o->base.ops->close(&o->base);
    }
    d->base.ops->discard(draft);
    return st;
}

quire_status files_swap(struct object *base, struct draft *draft,
                        quire_error *err)
{
    struct file_object *o = file_object_of(base);
    struct file_draft *d = (struct file_draft *)draft;
    struct files *f = o->store;
    quire_status st = QUIRE_OK;
    const char *last;
    struct stat was;
    int parent = -1, fd = -1;

    parent = fs_open_parent(f->dir, o->name, false, NULL, &last);
    if (parent < 0 || fstat(o->fd, &was) < 0 ||
        fchmod(d->temp.fd, was.st_mode & 0777) < 0)
        st = files_fail(f, "replace", o->name, err);
    /* Root may work on another user's files; they keep their owner. */
    else if ((was.st_uid != geteuid() || was.st_gid != getegid()) &&
             fchown(d->temp.fd, was.st_uid, was.st_gid) < 0 &&
             was.st_uid != geteuid())
        st = files_fail(f, "keep the owner of", o->name, err);
    if (!st)
        st = take_draft(d, o->held, &fd, err);
    /* It was moved away and exists there; do not create a second one of its
     * name. */
    if (!st && !still_named(o))
        st = err_set(err, QUIRE_CHANGED, "%s/%s has been moved away", f->path,
                     o->name);
    if (!st && fs_temp_publish(&d->temp, parent, last, true) < 0)
        st = files_fail(f, "replace", o->name, err);
    if (!st) {
        close(o->fd);
        o->fd = fd;
        fd = -1;
        if (fsync(parent) < 0)
            st = files_fail(f, "sync the directory of", o->name, err);
    }
    if (fd >= 0)
        close(fd);
    if (parent >= 0)
        close(parent);
    d->base.ops->discard(draft);
    return st;
}

/* Its own flag instead of the store's map of synced names: this runs in a
 * thread of its own. */
quire_status files_sync_edited(struct file_object *o, quire_error *err)
{
    if (fdatasync(o->fd) < 0)
        return files_fail(o->store, "sync", o->name, err);
    if (o->held && !still_named(o))
        return object_lost_name(&o->store->base, o->name, err);
    if (o->name_synced)
        return QUIRE_OK;
    if (fs_sync_parents(o->store->dir, o->name) < 0)
        return files_fail(o->store, "sync the directory of", o->name, err);
    o->name_synced = true;
    return QUIRE_OK;
}

/* ---- a directory at a time ---------------------------------------------- */

static quire_status scan_one(struct files *f, int fd, const struct dirent *e,
                             object_scan_fn each, void *ctx, quire_error *err)
{
    struct object_info info;
    struct stat st;

    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
        !strncmp(e->d_name, ".tmp-", 5))
        return QUIRE_OK;
    if (e->d_type == DT_DIR)
        return each(ctx, e->d_name, NULL, err);
    if (e->d_type != DT_REG && e->d_type != DT_UNKNOWN)
        return QUIRE_OK;
    if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? QUIRE_OK
                               : files_fail(f, "look at", e->d_name, err);
    if (S_ISDIR(st.st_mode))
        return each(ctx, e->d_name, NULL, err);
    if (!S_ISREG(st.st_mode))
        return QUIRE_OK;
    files_describe(&st, &info);
    return each(ctx, e->d_name, &info, err);
}

quire_status files_scan(struct object_store *s, const char *dir,
                        object_scan_fn each, void *ctx, quire_error *err)
{
    struct files *f = (struct files *)s;
    struct dirent *e;
    quire_status st;
    DIR *stream;
    int fd;

    st = files_settle(f, err);
    if (!st)
        st = files_reach(f, false, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    fd = fs_open_beneath(f->dir, *dir ? dir : ".", O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return errno == ENOENT ? QUIRE_OK : files_fail(f, "open", dir, err);
    stream = fdopendir(fd);
    if (!stream) {
        st = files_fail(f, "read", dir, err);
        close(fd);
        return st;
    }
    for (errno = 0; !st && (e = readdir(stream)) != NULL; errno = 0)
        st = scan_one(f, fd, e, each, ctx, err);
    if (!st && errno)
        st = files_fail(f, "read", dir, err);
    closedir(stream);
    return st;
}

quire_status files_clear(struct object_store *s, const char *prefix,
                         quire_error *err)
{
    struct files *f = (struct files *)s;
    quire_status st = files_settle(f, err);
    const char *last;
    int parent;

    if (!st)
        st = files_reach(f, false, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    if (fs_remove_tree(f->dir, prefix) < 0)
        return files_fail(f, "remove", prefix, err);
    parent = fs_open_parent(f->dir, prefix, false, NULL, &last);
    if (parent < 0)
        return errno == ENOENT ? QUIRE_OK : files_fail(f, "open", prefix, err);
    if (fsync(parent) < 0)
        st = files_fail(f, "sync the directory of", prefix, err);
    close(parent);
    return st;
}
