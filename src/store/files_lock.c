/*
 * files_lock.c - store locks and directory locks
 *
 * A directory can be locked like a file, and needs no file in it for that: the
 * store's own directory for the store, another for its contents. Locks belong
 * to open descriptors; each directory lock has its own, and closing it releases
 * the lock.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"
#include "store/files_priv.h"

quire_status files_lock(struct object_store *s, enum object_lock mode,
                        int wait_ms, quire_error *err)
{
    static const enum fs_lock modes[] = {FS_UNLOCK, FS_SHARED, FS_EXCLUSIVE};
    struct files *f = files_of_objects(s);
    quire_status st;

    if (mode == OBJECT_UNLOCK && f->dir < 0)
        return QUIRE_OK;
    st = files_reach(f, true, err);
    if (st)
        return st;
    st = fs_lock(f->dir, modes[mode], wait_ms, err);
    if (st == QUIRE_BUSY) {
        err_fail(err, st, "try again when it has finished",
                 "another process holds the store %s exclusively", f->path);
    }
    return st;
}

/* Set the directory's time to the nanosecond: the kernel's own steps of
 * milliseconds could make two marks equal. A process that may write to the
 * directory but does not own it uses those. */
void files_touch_gen(struct object_store *s)
{
    struct files *f = files_of_objects(s);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {0}};

    if (f->dir < 0)
        return;
    clock_gettime(CLOCK_REALTIME, &times[1]);
    if (futimens(f->dir, times) < 0 && futimens(f->dir, NULL) < 0)
        return;
}

quire_status files_gen(struct object_store *s, int64_t *mark, quire_error *err)
{
    struct files *f = files_of_objects(s);
    struct stat st;
    quire_status status = files_reach(f, false, err);

    *mark = 0;
    if (status)
        return status == QUIRE_NOT_FOUND ? QUIRE_OK : status;
    if (fstat(f->dir, &st) < 0)
        return files_fail(f, "look at", "", err);
    *mark = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
    return QUIRE_OK;
}

/* Lock the directory itself, through a descriptor of its own. */
quire_status files_lock_dir(struct object_store *s, const char *dir,
                            int wait_ms, quire_error *err)
{
    struct files *f = files_of_objects(s);
    quire_status st = files_reach(f, false, err);
    int fd;

    assert(f->claimed < 0);
    if (st)
        return st;
    fd = fs_open_beneath(f->dir, *dir ? dir : ".", O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return errno == ENOENT ? QUIRE_NOT_FOUND
                               : files_fail(f, "open", dir, err);
    st = fs_lock(fd, FS_EXCLUSIVE, wait_ms, err);
    if (st == QUIRE_BUSY) {
        err_fail(err, st, "try again when it has finished",
                 "another process is changing the contents of %s/%s", f->path,
                 dir);
    }
    if (st)
        close(fd);
    else
        f->claimed = fd;
    return st;
}

void files_unlock_dir(struct object_store *s)
{
    struct files *f = files_of_objects(s);

    close(f->claimed);
    f->claimed = -1;
}
