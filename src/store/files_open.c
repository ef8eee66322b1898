/*
 * files_open.c - reach the directory of a store and open its files
 *
 * The lowest part of the files backend: every other file of it opens, describes
 * and reports through these functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"
#include "store/files_priv.h"
#include "store/gzip_file.h"

quire_status files_fail(const struct files *f, const char *verb,
                        const char *name, quire_error *err)
{
    return err_sys(err, errno, "cannot %s %s/%s", verb, f->path, name);
}

/* Open the directory; create it if `make`. QUIRE_NOT_FOUND means an empty store
 * and sets no message. */
quire_status files_reach(struct files *f, bool make, quire_error *err)
{
    if (f->dir >= 0)
        return QUIRE_OK;
    if (make && f->read_only) {
        quire_status st = err_fail(err, QUIRE_INVALID,
                                   "open the store without the read-only flag",
                                   "%s is open read-only", f->path);
        return st;
    }
    if (!make && access(f->path, F_OK) != 0 && errno == ENOENT)
        return QUIRE_NOT_FOUND;
    return fs_open_dir(f->path, make, &f->dir, err);
}

/* The kernel's change time, which cannot be set: a different value means a
 * change. */
uint64_t files_change_time(const struct stat *st)
{
    return (uint64_t)st->st_ctim.tv_sec * 1000000000u +
           (uint64_t)st->st_ctim.tv_nsec;
}

void files_describe(const struct stat *st, struct object_info *info)
{
    info->size = (uint64_t)st->st_size;
    info->modified_s = st->st_mtim.tv_sec;
    info->modified_ns = st->st_mtim.tv_sec * INT64_C(1000000000) +
                        st->st_mtim.tv_nsec;
    info->changed_ns = (int64_t)files_change_time(st);
    info->device = st->st_dev;
    info->inode = st->st_ino;
}

/* Open a regular file. O_NONBLOCK: a fifo put in its place must not block; for
 * files it changes nothing. */
quire_status files_open_file(struct files *f, const char *name, int flags,
                             int *fd, struct stat *st, quire_error *err)
{
    *fd = fs_open_beneath(f->dir, name, flags | O_NONBLOCK, 0600);
    if (*fd < 0 && errno == ENOENT)
        return QUIRE_NOT_FOUND;
    if (*fd < 0)
        return files_fail(f, "open", name, err);
    if (fstat(*fd, st) < 0) {
        quire_status failed = files_fail(f, "look at", name, err);

        close(*fd);
        return failed;
    }
    if (!S_ISREG(st->st_mode)) {
        close(*fd);
        err_fail(err, QUIRE_INVALID,
                 "move it away; Quire stores only regular files there",
                 "%s/%s is not a regular file", f->path, name);
        return QUIRE_INVALID;
    }
    return QUIRE_OK;
}

quire_status files_gzip_damaged(const struct files *f, const char *name,
                                quire_error *err)
{
    return err_fail(err, QUIRE_DAMAGED,
                    HINT_SHELL "import the session again, or restore the file "
                               "from a backup",
                    "%s/%s cannot be unpacked: it was truncated or changed",
                    f->path, name);
}

quire_status files_stat_file(struct files *f, const char *name,
                             struct object_info *info, quire_error *err)
{
    struct stat st = {0};
    quire_status status = files_reach(f, false, err);
    int fd = -1;

    if (!status)
        status = files_open_file(f, name, O_RDONLY, &fd, &st, err);
    if (status)
        return status;
    files_describe(&st, info);
    if (gzip_is_log(name) && gzip_file_size(fd, &info->size) < 0 &&
        errno != EBADMSG) /* another program's */
        status = files_fail(f, "look at", name, err);
    close(fd);
    return status;
}

quire_status files_read_file(struct files *f, const char *name, int fd,
                             uint64_t offset, void *buf, size_t cap, size_t *n,
                             quire_error *err)
{
    ssize_t got = fs_read_at(fd, buf, cap, (off_t)offset);

    if (got < 0)
        return files_fail(f, "read", name, err);
    *n = (size_t)got;
    return QUIRE_OK;
}
