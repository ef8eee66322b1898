/*
 * files_log.c - logs as files beneath one directory
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
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/files_priv.h"
#include "store/gzip_file.h"

struct file_log {
    struct log base;
    struct files *store;
    int fd;
    bool name_synced; /* the directories are synced                      */
    bool held;        /* we have its lock                                */
    bool writer;      /* we have or had it                               */
    uint64_t size;    /* the last known size                             */
    int64_t named_ms; /* when its name was last checked                  */
    uint64_t epoch;   /* the highest that has appended                   */
    bool compressed;
    struct gzip_file gzip; /* if so */
    char name[];
};

#define DRAFT_MAX ((size_t)1 << 20)

struct file_log_draft {
    struct log_draft base;
    struct file_draft file;
    struct gzip_packer *packer; /* owned; NULL: it is not compressed          */
    struct buf pending, packed; /* content that is not a block yet; blocks    */
    uint64_t size;              /* of the content                             */
    bool ended;                 /* by an end mark                             */
};

static struct file_log *file_log_of(struct log *l)
{
    return (struct file_log *)l;
}

/* An open log for the file at `fd`. Takes `fd`, also on failure. */
static quire_status make_log(struct files *f, const char *name, int fd,
                             struct file_log **out, quire_error *err)
{
    struct file_log *l = malloc(sizeof *l + strlen(name) + 1);

    if (!l) {
        close(fd);
        return err_memory(err);
    }
    *l = (struct file_log){.base.ops = &files_log_ops,
                           .store = f,
                           .fd = fd,
                           .compressed = gzip_is_log(name)};
    gzip_file_init(&l->gzip, fd);
    strcpy(l->name, name);
    *out = l;
    return QUIRE_OK;
}

/* Report that `verb` of a compressed log failed. */
static quire_status gzip_fail(const struct file_log *l, const char *verb,
                              quire_error *err)
{
    return errno == EBADMSG ? files_gzip_damaged(l->store, l->name, err)
                            : files_fail(l->store, verb, l->name, err);
}

/* ---- open --------------------------------------------------------------- */

static quire_status files_log_stat(struct log_store *s, const char *name,
                                   struct object_info *info, quire_error *err)
{
    return files_stat_file(files_of_logs(s), name, info, err);
}

static void files_log_close(struct log *base)
{
    struct file_log *l = file_log_of(base);

    gzip_file_release(&l->gzip);
    close(l->fd);
    free(l);
}

static quire_status files_log_open(struct log_store *s, const char *name,
                                   enum log_mode mode, struct log **out,
                                   struct object_info *info, quire_error *err)
{
    int flags = mode == LOG_APPEND ? O_RDWR | O_APPEND : O_RDONLY;
    struct files *f = files_of_logs(s);
    struct file_log *l;
    struct stat st = {0};
    quire_status status;
    int fd = -1;

    if (mode == LOG_APPEND && f->read_only)
        return err_fail(err, QUIRE_INVALID,
                        "open the store without the read-only flag",
                        "%s is open read-only", f->path);
    status = files_settle(f, err);
    if (!status)
        status = files_reach(f, false, err);
    if (!status)
        status = files_open_file(f, name, flags, &fd, &st, err);
    if (!status)
        status = make_log(f, name, fd, &l, err);
    if (status)
        return status;
    files_describe(&st, info);
    if (l->compressed && gzip_file_look(&l->gzip, info->size) < 0) {
        status = gzip_fail(l, "open", err);
        files_log_close(&l->base);
        return status;
    }
    if (l->compressed)
        info->size = l->gzip.size;
    *out = &l->base;
    return QUIRE_OK;
}

static quire_status files_log_read(struct log *base, uint64_t offset, void *buf,
                                   size_t cap, size_t *n, quire_error *err)
{
    struct file_log *l = file_log_of(base);
    ssize_t got;

    if (!l->compressed)
        return files_read_file(l->store, l->name, l->fd, offset, buf, cap, n,
                               err);
    got = gzip_file_read(&l->gzip, offset, buf, cap);
    if (got < 0)
        return gzip_fail(l, "read", err);
    *n = (size_t)got;
    return QUIRE_OK;
}

/* ---- changes in place ---------------------------------------------------- */

static quire_status files_log_hold(struct log *base, int wait_ms,
                                   quire_error *err)
{
    struct file_log *l = file_log_of(base);
    quire_status st = fs_lock(l->fd, FS_EXCLUSIVE, wait_ms, err);
    char who[64];

    if (!st)
        l->held = l->writer = true;
    if (st != QUIRE_BUSY)
        return st;
    fs_lock_holder(l->fd, who, sizeof who);
    err_fail(err, st, "wait for it to finish, or end it",
             "cannot write to %s/%s: %s is writing to it", l->store->path,
             l->name, who);
    return st;
}

static void files_log_release(struct log *base)
{
    struct file_log *l = file_log_of(base);

    if (l->held)
        fs_lock(l->fd, FS_UNLOCK, 0, NULL);
    l->held = false;
    l->named_ms =
        0; /* others may move it from now on: look at the name again */
}

static bool still_named(const struct file_log *l)
{
    const char *last;
    struct stat ours, now;
    int parent = fs_open_parent(l->store->dir, l->name, false, NULL, &last);
    bool yes = parent >= 0 && fstat(l->fd, &ours) == 0 &&
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
static quire_status files_log_status(struct log *base, uint64_t *size,
                                     bool *named, quire_error *err)
{
    struct file_log *l = file_log_of(base);
    struct timespec now;
    struct statx x;
    int64_t ms;

    if (statx(l->fd, "", AT_EMPTY_PATH, STATX_SIZE | STATX_NLINK, &x) < 0)
        return files_fail(l->store, "look at", l->name, err);
    *size = x.stx_size;
    if (l->compressed && gzip_file_look(&l->gzip, x.stx_size) < 0)
        return gzip_fail(l, "look at", err);
    if (l->compressed)
        *size = l->gzip.size;
    *named = x.stx_nlink > 0;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (*named && (ms - l->named_ms > LOG_NAME_MS || *size != l->size)) {
        *named = still_named(l);
        if (*named)
            l->named_ms = ms;
    }
    l->size = *size;
    return QUIRE_OK;
}

static const char append_mark[] = "user.quire.append";

/* Whether the start of the append was recorded. */
static bool mark_append(const struct file_log *l, uint64_t size)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%llu", (unsigned long long)size);

    return fsetxattr(l->fd, append_mark, text, (size_t)n, 0) == 0;
}

static void unmark_append(const struct file_log *l)
{
    fremovexattr(l->fd, append_mark);
}

static uint64_t files_log_unfinished(struct log *base)
{
    const struct file_log *l = file_log_of(base);
    char text[24];
    ssize_t n = fgetxattr(l->fd, append_mark, text, sizeof text - 1);
    uint64_t at = 0;
    ssize_t i;

    for (i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        at = at * 10 + (uint64_t)(text[i] - '0');
    return n > 0 && i == n ? at : UINT64_MAX;
}

static quire_status files_log_cut(struct log *base, uint64_t size,
                                  quire_error *err)
{
    struct file_log *l = file_log_of(base);

    if (l->compressed && gzip_file_cut(&l->gzip, size) < 0)
        return gzip_fail(l, "cut an unfinished append off", err);
    if (!l->compressed && ftruncate(l->fd, (off_t)size) < 0)
        return files_fail(l->store, "cut an unfinished append off", l->name,
                          err);
    unmark_append(l);
    l->size = size;
    return QUIRE_OK;
}

static quire_status append_compressed(struct file_log *l, quire_bytes bytes,
                                      quire_error *err)
{
    if (gzip_file_append(&l->gzip, bytes) < 0)
        return gzip_fail(l, "append to", err);
    l->size = l->gzip.size;
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

static quire_status files_log_append(struct log *base, uint64_t epoch,
                                     uint64_t size, quire_bytes bytes,
                                     quire_error *err)
{
    struct file_log *l = file_log_of(base);
    bool marked;
    struct stat now;
    quire_status st;
    size_t taken;

    if (epoch < l->epoch)
        return log_lost_lease(&l->store->logs, l->name, err);
    l->epoch = epoch;
    if (l->compressed)
        return append_compressed(l, bytes, err);
    marked = bytes.len >= LOG_LARGE_APPEND && mark_append(l, size);
    if (write_all(l->fd, bytes, &taken)) {
        if (marked)
            unmark_append(l);
        l->size = size + bytes.len;
        return QUIRE_OK;
    }
    st = files_fail(l->store, "append to", l->name, err);
    /* Cut off only our own bytes: others may have appended before us. */
    if (taken > 0 &&
        (fstat(l->fd, &now) < 0 || (uint64_t)now.st_size != size + taken ||
         ftruncate(l->fd, (off_t)size) < 0))
        err_next(err, "the file may end in a partial line, which readers "
                      "skip; free some space and open it again");
    else if (marked)
        unmark_append(l);
    return st;
}

static quire_status patch_plain(const struct file_log *l, int fd,
                                uint64_t offset, quire_bytes bytes,
                                quire_error *err)
{
    size_t done = 0;

    while (done < bytes.len) {
        ssize_t n = pwrite(fd, (const char *)bytes.data + done,
                           bytes.len - done, (off_t)(offset + done));

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            return files_fail(l->store, "write to", l->name, err);
    }
    return QUIRE_OK;
}

static quire_status patch_compressed(struct file_log *l, int fd,
                                     uint64_t offset, quire_bytes bytes,
                                     quire_error *err)
{
    if (gzip_file_patch(&l->gzip, fd, offset, bytes) == 0)
        return QUIRE_OK;
    if (errno != EINVAL)
        return gzip_fail(l, "write to", err);
    return err_fail(err, QUIRE_INVALID, "write the log anew",
                    "%s/%s is compressed: only its first KiB can be changed",
                    l->store->path, l->name);
}

static quire_status files_log_patch(struct log *base, uint64_t offset,
                                    quire_bytes bytes, quire_error *err)
{
    struct file_log *l = file_log_of(base);
    quire_status st = QUIRE_OK;
    struct stat info, ours;
    uint64_t size = 0;
    int fd;

    /* O_APPEND makes pwrite() append, so this needs a descriptor without; and
     * the name must still refer to the same file. */
    fd = fs_open_beneath(l->store->dir, l->name, O_WRONLY | O_NOFOLLOW, 0);
    if (fd < 0)
        return files_fail(l->store, "open", l->name, err);
    if (fstat(fd, &info) < 0 || fstat(l->fd, &ours) < 0) {
        st = files_fail(l->store, "look at", l->name, err);
    } else if (info.st_ino != ours.st_ino || info.st_dev != ours.st_dev) {
        st = err_set(err, QUIRE_CHANGED, "%s/%s was replaced by another file",
                     l->store->path, l->name);
    } else if (l->compressed &&
               gzip_file_look(&l->gzip, (uint64_t)info.st_size) < 0) {
        st = gzip_fail(l, "look at", err);
    } else {
        size = l->compressed ? l->gzip.size : (uint64_t)info.st_size;
    }
    if (!st && offset + bytes.len > size)
        st = err_set(err, QUIRE_CHANGED, "%s/%s was truncated", l->store->path,
                     l->name);
    if (!st)
        st = l->compressed ? patch_compressed(l, fd, offset, bytes, err)
                           : patch_plain(l, fd, offset, bytes, err);
    close(fd);
    return st;
}

/* ---- drafts ------------------------------------------------------------- */

static void free_draft(struct file_log_draft *d)
{
    fs_temp_release(&d->file.temp);
    gzip_packer_free(d->packer);
    buf_release(&d->pending);
    buf_release(&d->packed);
    free(d);
}

static quire_status files_log_create(struct log_store *s, const char *name,
                                     struct log_draft **out, quire_error *err)
{
    struct file_log_draft *d = malloc(sizeof *d);
    quire_status st = QUIRE_OK;

    if (!d)
        return err_memory(err);
    *d = (struct file_log_draft){.base.ops = &files_log_ops,
                                 .file.temp = FS_TEMP_INIT,
                                 .pending = BUF_INIT(DRAFT_MAX),
                                 .packed = BUF_INIT(DRAFT_MAX)};
    if (gzip_is_log(name) && !(d->packer = gzip_packer_new()))
        st = err_memory(err);
    if (!st)
        st = file_draft_open(&d->file, files_of_logs(s), err);
    if (st)
        free_draft(d);
    else
        *out = &d->base;
    return st;
}

/* Write what is pending as blocks; with `end` an end mark behind them. */
static quire_status write_blocks(struct file_log_draft *d, bool end,
                                 quire_error *err)
{
    quire_status st;

    buf_clear(&d->packed);
    gzip_blocks_add(d->packer, buf_bytes(&d->pending), d->size - d->pending.len,
                    &d->packed);
    if (end)
        gzip_blocks_end(d->size, &d->packed);
    buf_clear(&d->pending);
    st = buf_status(&d->packed, "a log", err);
    return st ? st : file_draft_write(&d->file, buf_bytes(&d->packed), err);
}

static quire_status files_log_write(struct log_draft *base, quire_bytes bytes,
                                    quire_error *err)
{
    struct file_log_draft *d = (struct file_log_draft *)base;
    quire_status st = QUIRE_OK;
    size_t n;

    if (!d->packer)
        return file_draft_write(&d->file, bytes, err);
    while (bytes.len > 0 && !st) {
        n = (d->size < GZIP_STORED ? GZIP_STORED : GZIP_BLOCK) - d->pending.len;
        n = n < bytes.len ? n : bytes.len;
        buf_add(&d->pending, bytes.data, n);
        bytes = bytes_sub(bytes, n, bytes.len);
        d->size += n;
        st = buf_status(&d->pending, "a log", err);
        if (!st && (d->size == GZIP_STORED || d->pending.len == GZIP_BLOCK))
            st = write_blocks(d, false, err);
    }
    return st;
}

static quire_status files_log_section(struct log_draft *base, quire_error *err)
{
    struct file_log_draft *d = (struct file_log_draft *)base;

    return d->packer ? write_blocks(d, false, err) : QUIRE_OK;
}

/* No more is written. */
static quire_status end_draft(struct file_log_draft *d, quire_error *err)
{
    if (!d->packer || d->ended)
        return QUIRE_OK;
    d->ended = true;
    return write_blocks(d, true, err);
}

static quire_status files_log_settle(struct log_draft *base, quire_error *err)
{
    quire_status st = files_log_section(base, err);

    if (!st)
        st = file_draft_sync(&((struct file_log_draft *)base)->file, err);
    return st;
}

static void files_log_discard(struct log_draft *base)
{
    free_draft((struct file_log_draft *)base);
}

/* Open the draft's file for appending, and hold it: a descriptor of its own
 * that shares the draft's lock. */
static quire_status take_draft(struct file_draft *d, bool hold, int *fd,
                               quire_error *err)
{
    quire_status st;

    *fd = -1;
    st = file_draft_sync(d, err);
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

/* The lock is taken before the name is given. */
static quire_status publish_held(struct file_draft *d, const char *name,
                                 struct log **out, quire_error *err)
{
    struct files *f = d->store;
    struct file_log *l = NULL;
    int fd;
    quire_status st = take_draft(d, true, &fd, err);

    if (!st)
        st = make_log(f, name, fd, &l, err);
    if (!st)
        st = files_give_name(f, &d->temp, name, false, true, err);
    if (!st) {
        l->held = l->writer = l->name_synced = true;
        l->size = d->size;
        *out = &l->base;
    } else if (l) {
        files_log_close(&l->base);
    }
    return st;
}

static quire_status files_log_publish(struct log_draft *base, const char *name,
                                      bool replace, struct log **out,
                                      quire_error *err)
{
    struct file_log_draft *draft = (struct file_log_draft *)base;
    struct file_draft *d = &draft->file;
    quire_status st = end_draft(draft, err);

    assert(!out || !replace);
    assert(gzip_is_log(name) == (draft->packer != NULL));
    if (st)
        ;
    else if (out)
        st = publish_held(d, name, out, err);
    else if (d->store->batch)
        st = files_stage(d, name, replace, err);
    else if (fs_temp_sync(&d->temp) < 0)
        st = files_fail(d->store, "sync", name, err);
    else
        st = files_give_name(d->store, &d->temp, name, replace, true, err);
    if (st != QUIRE_EXISTS)
        files_log_discard(base);
    return st;
}

static quire_status files_log_replace(struct log *base, struct log_draft *draft,
                                      quire_error *err)
{
    struct file_log *l = file_log_of(base);
    struct file_draft *d = &((struct file_log_draft *)draft)->file;
    struct files *f = l->store;
    quire_status st = end_draft((struct file_log_draft *)draft, err);
    const char *last;
    struct stat was;
    int parent = -1, fd = -1;

    assert(l->compressed == (((struct file_log_draft *)draft)->packer != NULL));
    if (st)
        goto out;
    parent = fs_open_parent(f->dir, l->name, false, NULL, &last);
    if (parent < 0 || fstat(l->fd, &was) < 0 ||
        fchmod(d->temp.fd, was.st_mode & 0777) < 0)
        st = files_fail(f, "replace", l->name, err);
    /* Root may work on another user's files; they keep their owner. */
    else if ((was.st_uid != geteuid() || was.st_gid != getegid()) &&
             fchown(d->temp.fd, was.st_uid, was.st_gid) < 0 &&
             was.st_uid != geteuid())
        st = files_fail(f, "keep the owner of", l->name, err);
    if (!st)
        st = take_draft(d, l->held, &fd, err);
    /* It was moved away and exists there; do not create a second one of its
     * name. */
    if (!st && !still_named(l))
        st = err_set(err, QUIRE_CHANGED, "%s/%s has been moved away", f->path,
                     l->name);
    if (!st && fs_temp_publish(&d->temp, parent, last, true) < 0)
        st = files_fail(f, "replace", l->name, err);
    if (!st) {
        gzip_file_release(&l->gzip);
        close(l->fd);
        l->fd = fd;
        gzip_file_init(&l->gzip, fd);
        fd = -1;
        if (fsync(parent) < 0)
            st = files_fail(f, "sync the directory of", l->name, err);
    }
out:
    if (fd >= 0)
        close(fd);
    if (parent >= 0)
        close(parent);
    files_log_discard(draft);
    return st;
}

/* Its own flag instead of the store's map of synced names: this runs in a
 * thread of its own. */
static quire_status files_log_sync(struct log *base, quire_error *err)
{
    struct file_log *l = file_log_of(base);

    if (fdatasync(l->fd) < 0)
        return files_fail(l->store, "sync", l->name, err);
    if (l->writer && !still_named(l))
        return log_lost_name(&l->store->logs, l->name, err);
    if (l->name_synced)
        return QUIRE_OK;
    if (fs_sync_parents(l->store->dir, l->name) < 0)
        return files_fail(l->store, "sync the directory of", l->name, err);
    l->name_synced = true;
    return QUIRE_OK;
}

/* ---- names -------------------------------------------------------------- */

static quire_status files_log_rename(struct log_store *s, const char *from,
                                     const char *to, quire_error *err)
{
    return files_rename_file(files_of_logs(s), from, to, err);
}

static quire_status files_log_remove(struct log_store *s, const char *name,
                                     quire_error *err)
{
    return files_remove_file(files_of_logs(s), name, err);
}

static quire_status files_log_list(struct log_store *s, const char *root,
                                   log_each_fn each, void *ctx,
                                   quire_error *err)
{
    return files_list_depth2(files_of_logs(s), root, each, ctx, err);
}

static const char *files_log_place(const struct log_store *s)
{
    return ((const struct files *)(const void *)((const char *)s -
                                                 offsetof(struct files, logs)))
        ->path;
}

static void files_log_free(struct log_store *s)
{
    files_drop_part(files_of_logs(s));
}

const struct log_ops files_log_ops = {
    .stat = files_log_stat,
    .open = files_log_open,
    .read = files_log_read,
    .close = files_log_close,
    .hold = files_log_hold,
    .release = files_log_release,
    .status = files_log_status,
    .append = files_log_append,
    .unfinished = files_log_unfinished,
    .cut = files_log_cut,
    .patch = files_log_patch,
    .sync = files_log_sync,
    .create = files_log_create,
    .write = files_log_write,
    .section = files_log_section,
    .settle = files_log_settle,
    .publish = files_log_publish,
    .discard = files_log_discard,
    .replace = files_log_replace,
    .rename = files_log_rename,
    .remove = files_log_remove,
    .list = files_log_list,
    .place = files_log_place,
    .free = files_log_free,
};
