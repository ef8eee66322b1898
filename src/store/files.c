/*
 * files.c - objects as files beneath one directory
 *
 * An object is a file; its name is its path. A draft is a file without a name
 * (see base/fs.h), so a crash leaves nothing to clean up.
 *
 * files_open.c opens files, files_batch.c stages drafts and settles them,
 * files_edit.c changes files in place, files_names.c renames and removes,
 * files_list.c lists, files_lock.c locks. This file has the rest of the
 * operations and the table of all.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/walk.h"
#include "store/files_priv.h"

/* Of a long draft, write-back is started every so many bytes while more are
 * coming, so that the sync at its end finds little left: 100 MiB are durable
 * after 50 ms instead of 80. It is advice; the sync does not depend on it. */
#define WRITE_BEHIND ((uint64_t)8 << 20)

/* ---- reading ------------------------------------------------------------ */

static quire_status files_stat(struct object_store *s, const char *name,
                               struct object_info *info, quire_error *err)
{
    struct files *f = (struct files *)s;
    const struct staged *staged = files_find_staged(f, name);
    struct stat st = {0};
    quire_status status;
    int fd = -1;

    if (staged) {
        *info = (struct object_info){.size = staged->size,
                                     .modified_s = clock_s(&clock_system)};
        return QUIRE_OK;
    }
    status = files_reach(f, false, err);
    if (!status)
        status = files_open_file(f, name, O_RDONLY, &fd, &st, err);
    if (status)
        return status;
    files_describe(&st, info);
    close(fd);
    return QUIRE_OK;
}

/* A staged draft has no name yet, but it is open. */
static quire_status open_staged(const struct files *f,
                                const struct staged *staged, int *fd,
                                struct stat *st, quire_error *err)
{
    *fd = fcntl(staged->temp.fd, F_DUPFD_CLOEXEC, 0);
    if (*fd >= 0 && fstat(*fd, st) == 0)
        return QUIRE_OK;
    if (*fd >= 0)
        close(*fd);
    return files_fail(f, "open", staged->name, err);
}

static quire_status files_open(struct object_store *s, const char *name,
                               struct object **out, struct object_info *info,
                               quire_error *err)
{
    struct files *f = (struct files *)s;
    const struct staged *staged = files_find_staged(f, name);
    struct file_object *o;
    quire_status status;
    struct stat st = {0};
    int fd = -1;

    status = files_reach(f, false, err);
    if (!status && staged)
        status = open_staged(f, staged, &fd, &st, err);
    else if (!status)
        status = files_open_file(f, name, O_RDONLY, &fd, &st, err);
    if (status)
        return status;
    status = files_object(f, name, fd, &o, err);
    if (status)
        return status;
    o->staged = staged != NULL;
    o->change_ns = files_change_time(&st);
    files_describe(&st, info);
    *out = &o->base;
    return QUIRE_OK;
}

static quire_status files_read(struct object *base, uint64_t offset, void *buf,
                               size_t cap, size_t *n, quire_error *err)
{
    struct file_object *o = (struct file_object *)base;
    ssize_t got = fs_read_at(o->fd, buf, cap, (off_t)offset);

    if (got < 0)
        return files_fail(o->store, "read", o->name, err);
    *n = (size_t)got;
    return QUIRE_OK;
}

static void files_close(struct object *base)
{
    struct file_object *o = (struct file_object *)base;

    close(o->fd);
    free(o);
}

/* ---- writing ------------------------------------------------------------ */

static quire_status files_create(struct object_store *s, struct draft **out,
                                 quire_error *err)
{
    struct files *f = (struct files *)s;
    quire_status st = files_reach(f, true, err);
    struct file_draft *d;

    if (st)
        return st;
    d = malloc(sizeof *d);
    if (!d)
        return err_memory(err);
    *d = (struct file_draft){.base.ops = f->base.ops, .store = f};
    if (fs_temp_open(&d->temp, f->dir) < 0) {
        st = err_sys(err, errno, "cannot create a file in %s", f->path);
        free(d);
        return st;
    }
    *out = &d->base;
    return QUIRE_OK;
}

static quire_status files_write(struct draft *base, quire_bytes bytes,
                                quire_error *err)
{
    struct file_draft *d = (struct file_draft *)base;

    if (fs_write_all(d->temp.fd, bytes) < 0)
        return err_sys(err, errno, "cannot write a file in %s", d->store->path);
    d->size += bytes.len;
    if (d->size - d->begun >= WRITE_BEHIND) {
        sync_file_range(d->temp.fd, (off_t)d->begun,
                        (off_t)(d->size - d->begun), SYNC_FILE_RANGE_WRITE);
        d->begun = d->size;
    }
    return QUIRE_OK;
}

static quire_status files_settle_draft(struct draft *base, quire_error *err)
{
    struct file_draft *d = (struct file_draft *)base;

    if (fs_temp_sync(&d->temp) < 0)
        return err_sys(err, errno, "cannot sync a file in %s", d->store->path);
    return QUIRE_OK;
}

static void files_discard(struct draft *base)
{
    struct file_draft *d = (struct file_draft *)base;

    fs_temp_release(&d->temp);
    free(d);
}

static quire_status stage_draft(struct file_draft *d, const char *name,
                                bool replace, quire_error *err)
{
    struct files *f = d->store;
    struct object_info info;
    quire_status st = QUIRE_OK;
    struct staged *s;

    if (f->n_staged == STAGED_MAX || (replace && files_find_staged(f, name)))
        st = files_settle(f, err);
    if (!st && !replace) {
        st = files_stat(&f->base, name, &info, err);
        if (st == QUIRE_OK)
            return QUIRE_EXISTS;
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    if (st)
        return st;
    s = &f->staged[f->n_staged];
    *s = (struct staged){.temp = d->temp, .size = d->size, .replace = replace};
    s->name = strdup(name);
    if (!s->name)
        return err_memory(err);
    d->temp = (struct fs_temp)FS_TEMP_INIT; /* owned by the stage now */
    f->n_staged++;
    return QUIRE_OK;
}

static quire_status files_publish(struct draft *base, const char *name,
                                  bool replace, quire_error *err)
{
    struct file_draft *d = (struct file_draft *)base;
    struct files *f = d->store;
    quire_status st;

    if (f->batch)
        st = stage_draft(d, name, replace, err);
    else if (fs_temp_sync(&d->temp) < 0)
        st = files_fail(f, "sync", name, err);
    else
        st = files_give_name(f, &d->temp, name, replace, true, err);
    if (st != QUIRE_EXISTS)
        files_discard(base);
    return st;
}

/* Create the file to append to: *parent is its directory, for syncing the name
 * or removing it. */
static quire_status make_file(struct files *f, const char *name, int *fd,
                              int *parent, const char **base, bool *made_dirs,
                              quire_error *err)
{
    *parent = fs_open_parent(f->dir, name, true, made_dirs, base);
    if (*parent < 0)
        return files_fail(f, "make the directory of", name, err);
    *fd = openat(*parent, *base,
                 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*fd >= 0)
        return QUIRE_OK;
    return files_fail(f, "make", name, err);
}

static quire_status files_append(struct object_store *s, const char *name,
                                 quire_bytes bytes, uint64_t *size,
                                 quire_error *err)
{
    struct files *f = (struct files *)s;
    int fd = -1, parent = -1;
    bool fresh = false, made_dirs = false;
    const char *base = NULL;
    struct stat was = {0};
    quire_status st;
    off_t end;

    st = files_settle(f, err);
    if (!st)
        st = files_reach(f, true, err);
    if (st)
        return st;
    st = files_open_file(f, name, O_RDWR, &fd, &was, err);
    if (st == QUIRE_NOT_FOUND) {
        st = make_file(f, name, &fd, &parent, &base, &made_dirs, err);
        fresh = !st;
    }
    if (st)
        goto out;
    if (fs_append(fd, bytes, &end) < 0)
        st = files_fail(f, "append to", name, err);
    else if (fdatasync(fd) < 0 || (made_dirs ? fs_sync_parents(f->dir, name)
                                   : fresh   ? fsync(parent)
                                             : 0) < 0)
        st = files_fail(f, "sync", name, err);
    else
        *size = (uint64_t)end;
    /* Append promises durability, not only a write. */
    if (st && fresh)
        unlinkat(parent, base, 0);
    else if (st && ftruncate(fd, was.st_size) < 0)
        err_next(err, "the end of the file may hold a part of it");
    close(fd);
out:
    if (parent >= 0)
        close(parent);
    return st;
}

static bool is_synced(const struct file_object *o)
{
    const uint64_t *known = map_get(&o->store->synced, bytes_str(o->name));

    return known && *known == o->change_ns;
}

static quire_status files_touch(struct object *base, int64_t now_s,
                                quire_error *err)
{
    struct file_object *o = (struct file_object *)base;
    struct timespec times[2] = {{.tv_sec = now_s}, {.tv_sec = now_s}};
    struct stat st;
    int rc = futimens(o->fd, times);

    /* In a store that several users share, a user may set another's file to the
     * current time, but to no other. */
    if (rc < 0 && errno == EPERM)
        rc = futimens(o->fd, NULL);
    if (rc < 0 || fstat(o->fd, &st) < 0)
        return files_fail(o->store, "renew the time of", o->name, err);
    /* What was synced still is: only the time changed. */
    if (is_synced(o))
        files_record_synced(o->store, bytes_str(o->name),
                            files_change_time(&st));
    o->change_ns = files_change_time(&st);
    return st.st_nlink > 0 || o->staged ? QUIRE_OK : QUIRE_NOT_FOUND;
}

/* A file that this handle has synced and that has not changed since is not
 * synced again: agents put the same image a hundred times. */
static quire_status files_sync(struct object *base, quire_error *err)
{
    struct file_object *o = (struct file_object *)base;
    struct files *f = o->store;
    quire_status st = QUIRE_OK;
    const char *last;
    int parent;

    if (o->editing)
        return files_sync_edited(o, err);
    if (o->staged || is_synced(o))
        return QUIRE_OK;
    if (f->batch) {
        f->sync_all = true;
        files_record_synced(f, bytes_str(o->name), o->change_ns);
        return QUIRE_OK;
    }
    parent = fs_open_parent(f->dir, o->name, false, NULL, &last);
    if (parent < 0 || fdatasync(o->fd) < 0 ||
        files_sync_name(f, parent, o->name) < 0)
        st = files_fail(f, "sync", o->name, err);
    else
        files_record_synced(f, bytes_str(o->name), o->change_ns);
    if (parent >= 0)
        close(parent);
    return st;
}

/* ---- listing ------------------------------------------------------------ */

struct listing {
    object_each_fn each;
    void *ctx;
};

static quire_status list_one(void *ctx, const char *name, const struct stat *st,
                             quire_error *err)
{
    const struct listing *l = ctx;
    struct object_info info;

    files_describe(st, &info);
    return l->each(l->ctx, name, &info, err);
}

static quire_status files_list(struct object_store *s, const char *prefix,
                               object_each_fn each, void *ctx, quire_error *err)
{
    struct files *f = (struct files *)s;
    struct listing l = {each, ctx};
    quire_status st;

    st = files_settle(f, err);
    if (!st)
        st = files_reach(f, false, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK; /* absent: nothing to list */
    return st ? st : walk_files(f->dir, f->path, prefix, list_one, &l, err);
}

/* ---- life --------------------------------------------------------------- */

static const char *files_place(const struct object_store *s)
{
    return ((const struct files *)s)->path;
}

static void files_free(struct object_store *s)
{
    struct files *f = (struct files *)s;

    files_drop_staged(f);
    if (f->dir >= 0)
        close(f->dir);
    files_forget_synced(f);
    free(f->path);
    free(f);
}

static const struct object_ops files_ops = {
    .stat = files_stat,
    .open = files_open,
    .read = files_read,
    .close = files_close,
    .create = files_create,
    .write = files_write,
    .settle = files_settle_draft,
    .publish = files_publish,
    .discard = files_discard,
    .append = files_append,
    .touch = files_touch,
    .sync = files_sync,
    .rename = files_rename,
    .remove = files_remove,
    .list = files_list,
    .scan = files_scan,
    .list_depth2 = files_list_depth2,
    .find = files_find,
    .clear = files_clear,
    .edit = files_edit,
    .hold = files_hold,
    .status = files_status,
    .append_at = files_append_at,
    .unfinished = files_unfinished,
    .cut = files_cut,
    .patch = files_patch,
    .publish_open = files_publish_open,
    .swap = files_swap,
    .begin = files_begin,
    .commit = files_commit,
    .rollback = files_rollback,
    .lock = files_lock,
    .touch_gen = files_touch_gen,
    .gen = files_gen,
    .lock_dir = files_lock_dir,
    .unlock_dir = files_unlock_dir,
    .place = files_place,
    .free = files_free,
};

static struct files *make_files(const char *path, bool read_only)
{
    struct files *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->base.ops = &files_ops;
    f->dir = f->claimed = -1;
    f->read_only = read_only;
    map_init(&f->synced, 0, 0); /* directory names are trusted */
    f->path = strdup(path);
    if (f->path)
        return f;
    free(f);
    return NULL;
}

quire_status object_files_adopt(int fd, const char *path, bool read_only,
                                struct object_store **out, quire_error *err)
{
    struct files *f = make_files(path, read_only);

    if (!f) {
        close(fd);
        return err_memory(err);
    }
    f->dir = fd;
    *out = &f->base;
    return QUIRE_OK;
}

quire_status object_files_open(const char *path, bool read_only,
                               struct object_store **out, quire_error *err)
{
    struct files *f = make_files(path, read_only);
    quire_status st;

    if (!f)
        return err_memory(err);
    st = files_reach(f, false, err);
    if (st && st != QUIRE_NOT_FOUND) {
        files_free(&f->base);
        return st;
    }
    *out = &f->base;
    return QUIRE_OK;
}
