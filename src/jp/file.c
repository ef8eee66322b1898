/*
 * file.c - read and replace files of JP
 *
 * JP takes a lock while it works on a conversation, where it has a directory
 * for locks; a writer here takes the same lock. JP removes that file when it is
 * done, so a lock counts only if the locked file still has the name. Other
 * programs, such as editors, do not lock. So a file that has changed since it
 * was read, by inode, size or time, is left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "jp/jp.h"

/* ---- reading ------------------------------------------------------------ */

/* A link could be changed while we write to what it led to, and to replace it
 * would cut it. */
static quire_status check_link(const struct jp_file *f, quire_error *err)
{
    struct stat st;

    if (lstat(f->where, &st) < 0 || !S_ISLNK(st.st_mode))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "name the conversation that it leads to",
                    "%.200s is a symbolic link", f->where);
}

static quire_status read_whole(struct jp_file *f, struct object *o,
                               quire_error *err)
{
    size_t size = (size_t)f->info.size, n = 1;
    quire_status st = QUIRE_OK;

    if (f->info.size > CONVERSATION_MAX) {
        st = err_fail(err, QUIRE_TOO_LARGE, "no conversation is that large",
                      "%.200s has more than 1 GiB", f->where);
        return st;
    }
    while (!st && f->text.len < size && n > 0) {
        void *room = buf_room(&f->text, size - f->text.len);

        if (!room)
            return err_memory(err);
        st = object_read(o, f->text.len, room, size - f->text.len, &n, err);
        if (!st)
            buf_grow(&f->text, n);
    }
    return st;
}

quire_status jp_file_open(struct jp_file *f, const struct place_info *place,
                          const char *name, bool write, quire_error *err)
{
    struct object *o = NULL;
    quire_status st;

    snprintf(f->where, sizeof f->where, "%s/%s", place->path, name);
    f->name = name;
    f->text = (struct buf)BUF_INIT(CONVERSATION_MAX);
    st = check_link(f, err);
    if (!st)
        st = store_files_open(place->path, !write, &f->store, err);
    if (!st)
        st = object_open(f->store->objects, name, &o, &f->info, err);
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st, "name the directory of a conversation",
                 "%.200s is not there", f->where);
    }
    if (!st)
        st = read_whole(f, o, err);
    if (o)
        object_close(o);
    return st;
}

void jp_file_release(struct jp_file *f)
{
    size_t i;

    buf_release(&f->text);
    store_free(f->store);
    f->store = NULL;
    for (i = 0; i < sizeof f->locks / sizeof *f->locks; i++) {
        if (f->locks[i] > 0)
            close(f->locks[i] - 1);
        f->locks[i] = 0;
    }
}

/* ---- JP's lock ---------------------------------------------------------- */

/* Polling interval. JP itself polls twice a second. */
#define ASK_MS 50

/* Take the lock `path`, unless the file was removed meanwhile. -1 and errno;
 * ENOENT: there is none. */
static int try_lock(const char *path)
{
    struct stat ours, now;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int error;

    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        if (fstat(fd, &ours) == 0 && lstat(path, &now) == 0 &&
            ours.st_ino == now.st_ino && ours.st_dev == now.st_dev)
            return fd;
        /* It was removed meanwhile: its name may belong to a new one. */
        errno = EWOULDBLOCK;
    }
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

static quire_status wait_for_lock(const char *path, int wait_ms, int *lock,
                                  quire_error *err)
{
    static const struct timespec pause = {0, ASK_MS * 1000000L};

    for (;;) {
        *lock = try_lock(path);
        if (*lock >= 0 || errno == ENOENT)
            return QUIRE_OK;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return err_sys(err, errno, "cannot lock %.180s", path);
        if (wait_ms <= 0)
            break;
        nanosleep(&pause, NULL);
        wait_ms -= ASK_MS;
    }
    return err_fail(err, QUIRE_BUSY, "wait for it to finish, or end it",
                    "JP is working on this conversation: %.150s is locked",
                    path);
}

/* Take the locks of a location, with what an id begins with, and without. */
static quire_status lock_in(const char *location,
                            const struct place_info *place, int wait_ms,
                            int locks[2], quire_error *err)
{
    const char *ids[] = {place->id, place->id};
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;
    const char *path;
    size_t i;
    int fd;

    if (!strncmp(ids[1], "jp-c", 4))
        ids[1] += 4;
    for (i = 0; i < 2 && !st && (!i || ids[0] != ids[1]); i++) {
        path = arena_printf(&tmp, "%s/locks/%s.lock", location, ids[i]);
        st = path ? wait_for_lock(path, wait_ms, &fd, err) : err_memory(err);
        if (!st && fd >= 0)
            locks[i] = fd + 1;
    }
    arena_release(&tmp);
    return st;
}

quire_status jp_file_lock(struct jp_file *f, const struct place_info *place,
                          int wait_ms, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *location = NULL, *private = NULL;
    quire_status st = QUIRE_OK;

    /* Outside a location JP does not work on it. */
    if (layout_location(place->path, &tmp, &location, NULL))
        location = NULL;
    if (location)
        st = lock_in(location, place, wait_ms, f->locks, err);
    /* JP has its locks in private data, also for what lies in a workspace. */
    if (!st && location)
        st = location_private(location, &tmp, &private, err);
    if (!st && private)
        st = lock_in(private, place, wait_ms, f->locks + 2, err);
    arena_release(&tmp);
    return st;
}

/* ---- replacing ---------------------------------------------------------- */

static bool is_same_file(const struct object_info *a,
                         const struct object_info *b)
{
    return a->device == b->device && a->inode == b->inode &&
           a->size == b->size && a->modified_ns == b->modified_ns &&
           a->changed_ns == b->changed_ns;
}

static quire_status report_changed(const struct jp_file *f, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_CHANGED,
                               "try again; nothing was written",
                               "%.180s has been changed meanwhile", f->where);
    return st;
}

static quire_status draft_of(struct jp_file *f, quire_bytes text,
                             struct log_draft **out, quire_error *err)
{
    struct log_draft *d = NULL;
    quire_status st = log_create(f->store->logs, f->name, &d, err);

    if (!st)
        st = log_write(d, text, err);
    /* The wait for the disk comes before the last look at the file. */
    if (!st)
        st = log_settle(d, err);
    if (st && d) {
        log_discard(d);
        d = NULL;
    }
    *out = d;
    return st;
}

quire_status jp_file_replace(struct jp_file *f, quire_bytes text,
                             quire_error *err)
{
    struct object_info now = {0};
    struct log *o = NULL;
    struct log_draft *d = NULL;
    quire_status st = draft_of(f, text, &d, err);

    if (st)
        return st;
    st = log_open(f->store->logs, f->name, LOG_APPEND, &o, &now, err);
    if (st == QUIRE_NOT_FOUND || (!st && !is_same_file(&now, &f->info)))
        st = report_changed(f, err);
    if (st)
        log_discard(d);
    else
        st = log_replace(o, d, err);
    if (o)
        log_close(o);
    return st;
}
