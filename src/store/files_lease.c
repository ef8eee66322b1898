/*
 * files_lease.c - locks and leases of a store of files
 *
 * A directory can be locked like a file, and needs no file in it for that: the
 * store's own directory for the store, another for its contents. Locks belong
 * to open descriptors; each directory lock has its own, and closing it releases
 * the lock.
 *
 * A lease is a file leases/<name> in the store with one line,
 *
 *     <epoch> <until, Unix milliseconds> <holder>
 *
 * It is read and replaced under the lock of the directory leases/, so two
 * processes never get the same epoch; the file stays when a lease is released,
 * so the epoch rises for ever. The first lease of a store creates the
 * directory.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"
#include "store/files_priv.h"

static quire_status files_lock(struct lease_store *s, enum lease_mode mode,
                               int wait_ms, quire_error *err)
{
    static const enum fs_lock modes[] = {FS_UNLOCK, FS_SHARED, FS_EXCLUSIVE};
    struct files *f = files_of_leases(s);
    quire_status st;

    if (mode == LEASE_UNLOCK && f->dir < 0)
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
static void files_touch_gen(struct lease_store *s)
{
    struct files *f = files_of_leases(s);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {0}};

    if (f->dir < 0)
        return;
    clock_gettime(CLOCK_REALTIME, &times[1]);
    if (futimens(f->dir, times) < 0 && futimens(f->dir, NULL) < 0)
        return;
}

static quire_status files_gen(struct lease_store *s, int64_t *mark,
                              quire_error *err)
{
    struct files *f = files_of_leases(s);
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
static quire_status files_lock_dir(struct lease_store *s, const char *dir,
                                   int wait_ms, quire_error *err)
{
    struct files *f = files_of_leases(s);
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

static void files_unlock_dir(struct lease_store *s)
{
    struct files *f = files_of_leases(s);

    close(f->claimed);
    f->claimed = -1;
}

/* ---- leases ------------------------------------------------------------- */

#define LEASES        "leases"
#define LEASE_WAIT_MS 5000 /* others hold the directory for two syncs */

static int64_t now_ms(void)
{
    return clock_us(&clock_system) / 1000;
}

/* Open and lock the directory; create it if `make`. */
static quire_status lock_leases(struct files *f, bool make, int *dir,
                                quire_error *err)
{
    quire_status st = files_reach(f, make, err);

    if (st)
        return st;
    if (make && mkdirat(f->dir, LEASES, 0700) < 0 && errno != EEXIST)
        return files_fail(f, "create", LEASES, err);
    *dir = fs_open_beneath(f->dir, LEASES, O_RDONLY | O_DIRECTORY, 0);
    if (*dir < 0)
        return errno == ENOENT ? QUIRE_NOT_FOUND
                               : files_fail(f, "open", LEASES, err);
    st = fs_lock(*dir, FS_EXCLUSIVE, LEASE_WAIT_MS, err);
    if (st)
        close(*dir);
    return st;
}

/* False: it is none. The highest number is not an epoch: the next one would be 0. */
static bool parse_record(const char *text, struct lease_record *r)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    r->epoch = strtoull(text, &end, 10);
    if (r->epoch == UINT64_MAX || *end != ' ' ||
        !isdigit((unsigned char)end[1]))
        return false;
    r->until_ms = strtoll(end + 1, &end, 10);
    if (errno || *end != ' ' || strlen(end + 1) >= sizeof r->holder)
        return false;
    strcpy(r->holder, end + 1);
    return true;
}

/* An absent file is a lease that was never taken. */
static quire_status read_record(struct files *f, int dir, const char *name,
                                struct lease_record *r, quire_error *err)
{
    char text[LEASE_NAME_SIZE + 64];
    int fd = fs_open_beneath(dir, name, O_RDONLY | O_NOFOLLOW, 0);
    ssize_t n;

    *r = (struct lease_record){.epoch = 0};
    if (fd < 0)
        return errno == ENOENT ? QUIRE_OK : files_fail(f, "open", name, err);
    n = fs_read_at(fd, text, sizeof text - 1, 0);
    close(fd);
    if (n < 0)
        return files_fail(f, "read", name, err);
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return parse_record(text, r)
               ? QUIRE_OK
               : err_set(err, QUIRE_DAMAGED, "%s/" LEASES "/%s is damaged",
                         f->path, name);
}

/* Replace the file, durably. */
static quire_status write_record(struct files *f, const char *name,
                                 const struct lease_record *r, quire_error *err)
{
    char text[LEASE_NAME_SIZE + 64], path[LEASE_NAME_SIZE + sizeof LEASES + 1];
    int n = snprintf(text, sizeof text, "%" PRIu64 " %" PRId64 " %s\n",
                     r->epoch, r->until_ms, r->holder);

    snprintf(path, sizeof path, LEASES "/%s", name);
    return fs_replace(f->dir, path, (quire_bytes){text, (size_t)n}, err);
}

static quire_status files_take(struct lease_store *s, const char *name,
                               const char *holder, int64_t duration_ms,
                               uint64_t *epoch, quire_error *err)
{
    struct files *f = files_of_leases(s);
    struct lease_record r = {.epoch = 0};
    quire_status st;
    int dir = -1;

    /* What is refused in any case creates nothing. */
    st = lease_record_take(&r, name, holder, 0, duration_ms, err);
    if (!st)
        st = lock_leases(f, true, &dir, err);
    if (st)
        return st;
    st = read_record(f, dir, name, &r, err);
    if (!st)
        st = lease_record_take(&r, name, holder, now_ms(), duration_ms, err);
    if (!st)
        st = write_record(f, name, &r, err);
    if (!st)
        *epoch = r.epoch;
    close(dir);
    return st;
}

/* Renew or release. Without the directory nothing was ever taken. */
static quire_status change_record(struct files *f, const char *name,
                                  uint64_t epoch, bool release,
                                  int64_t duration_ms, quire_error *err)
{
    struct lease_record r = {.epoch = 0};
    int dir = -1;
    quire_status st = lock_leases(f, false, &dir, err);

    if (st && st != QUIRE_NOT_FOUND)
        return st;
    st = st ? QUIRE_OK : read_record(f, dir, name, &r, err);
    if (!st)
        st = release ? lease_record_release(&r, name, epoch, err)
                     : lease_record_renew(&r, name, epoch, now_ms(),
                                          duration_ms, err);
    if (!st)
        st = write_record(f, name, &r, err);
    if (dir >= 0)
        close(dir);
    return st;
}

static quire_status files_renew(struct lease_store *s, const char *name,
                                uint64_t epoch, int64_t duration_ms,
                                quire_error *err)
{
    return change_record(files_of_leases(s), name, epoch, false, duration_ms,
                         err);
}

static quire_status files_release(struct lease_store *s, const char *name,
                                  uint64_t epoch, quire_error *err)
{
    return change_record(files_of_leases(s), name, epoch, true, 0, err);
}

static void files_free_leases(struct lease_store *s)
{
    files_drop_part(files_of_leases(s));
}

const struct lease_ops files_lease_ops = {
    .lock = files_lock,
    .touch_gen = files_touch_gen,
    .gen = files_gen,
    .lock_dir = files_lock_dir,
    .unlock_dir = files_unlock_dir,
    .take = files_take,
    .renew = files_renew,
    .release = files_release,
    .free = files_free_leases,
};
