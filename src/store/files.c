/*
 * files.c - objects as files beneath one directory
 *
 * An object is a file; its name is its path. A draft is a file without a name
 * (see base/fs.h), so a crash leaves nothing to clean up.
 *
 * files_store.c opens a directory as a store. This file has its objects,
 * files_log.c its logs, files_lease.c locks and leases, files_directory.c the
 * tree of names. Below them: files_open.c opens files, files_draft.c writes new
 * ones, files_batch.c stages drafts and settles them, files_names.c renames and
 * removes, files_list.c lists.
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
#include "store/gzip_file.h"

struct file_object {
    struct object base;
    struct files *store;
    int fd;
    bool staged;        /* it has no name yet                            */
    uint64_t change_ns; /* when the kernel last saw it change            */
    bool compressed;    /* it is a compressed log, read as such          */
    struct gzip_file gzip;
    char name[];
};

struct object_draft {
    struct draft base;
    struct file_draft file;
};

/* ---- reading ------------------------------------------------------------ */

static quire_status files_stat(struct object_store *s, const char *name,
                               struct object_info *info, quire_error *err)
{
    struct files *f = files_of_objects(s);
    const struct staged *staged = files_find_staged(f, name);

    if (!staged)
        return files_stat_file(f, name, info, err);
    *info = (struct object_info){.size = staged->size,
                                 .modified_s = clock_s(&clock_system)};
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

static quire_status make_object(struct files *f, const char *name, int fd,
                                struct file_object **out, quire_error *err)
{
    struct file_object *o = malloc(sizeof *o + strlen(name) + 1);

    if (!o) {
        close(fd);
        return err_memory(err);
    }
    *o = (struct file_object){.base.ops = &files_object_ops,
                              .store = f,
                              .fd = fd};
    gzip_file_init(&o->gzip, fd);
    strcpy(o->name, name);
    *out = o;
    return QUIRE_OK;
}

static quire_status files_open(struct object_store *s, const char *name,
                               struct object **out, struct object_info *info,
                               quire_error *err)
{
    struct files *f = files_of_objects(s);
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
    status = make_object(f, name, fd, &o, err);
    if (status)
        return status;
    o->staged = staged != NULL;
    o->change_ns = files_change_time(&st);
    files_describe(&st, info);
    /* Another program's gzip file is read as it is. */
    o->compressed = gzip_is_log(name) &&
                    gzip_file_look(&o->gzip, info->size) == 0;
    if (o->compressed)
        info->size = o->gzip.size;
    *out = &o->base;
    return QUIRE_OK;
}

static quire_status files_read(struct object *base, uint64_t offset, void *buf,
                               size_t cap, size_t *n, quire_error *err)
{
    struct file_object *o = (struct file_object *)base;

    ssize_t got;

    if (!o->compressed)
        return files_read_file(o->store, o->name, o->fd, offset, buf, cap, n,
                               err);
    got = gzip_file_read(&o->gzip, offset, buf, cap);
    if (got < 0)
        return errno == EBADMSG ? files_gzip_damaged(o->store, o->name, err)
                                : files_fail(o->store, "read", o->name, err);
    *n = (size_t)got;
    return QUIRE_OK;
}

static void files_close(struct object *base)
{
    struct file_object *o = (struct file_object *)base;

    gzip_file_release(&o->gzip);
    close(o->fd);
    free(o);
}

/* ---- writing ------------------------------------------------------------ */

static quire_status files_create(struct object_store *s, struct draft **out,
                                 quire_error *err)
{
    struct object_draft *d = malloc(sizeof *d);
    quire_status st;

    if (!d)
        return err_memory(err);
    d->base.ops = &files_object_ops;
    st = file_draft_open(&d->file, files_of_objects(s), err);
    if (st)
        free(d);
    else
        *out = &d->base;
    return st;
}

static quire_status files_write(struct draft *base, quire_bytes bytes,
                                quire_error *err)
{
    return file_draft_write(&((struct object_draft *)base)->file, bytes, err);
}

static quire_status files_settle_draft(struct draft *base, quire_error *err)
{
    return file_draft_sync(&((struct object_draft *)base)->file, err);
}

static void files_discard(struct draft *base)
{
    struct object_draft *d = (struct object_draft *)base;

    fs_temp_release(&d->file.temp);
    free(d);
}

static quire_status files_publish(struct draft *base, const char *name,
                                  bool replace, quire_error *err)
{
    struct file_draft *d = &((struct object_draft *)base)->file;
    struct files *f = d->store;
    quire_status st;

    if (f->batch)
        st = files_stage(d, name, replace, err);
    else if (fs_temp_sync(&d->temp) < 0)
        st = files_fail(f, "sync", name, err);
    else
        st = files_give_name(f, &d->temp, name, replace, true, err);
    if (st != QUIRE_EXISTS)
        files_discard(base);
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
    struct files *f = files_of_objects(s);
    struct listing l = {each, ctx};
    quire_status st;

    st = files_settle(f, err);
    if (!st)
        st = files_reach(f, false, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK; /* absent: nothing to list */
    return st ? st : walk_files(f->dir, f->path, prefix, list_one, &l, err);
}

/* ---- names -------------------------------------------------------------- */

static quire_status files_remove(struct object_store *s, const char *name,
                                 quire_error *err)
{
    return files_remove_file(files_of_objects(s), name, err);
}

static quire_status files_clear(struct object_store *s, const char *prefix,
                                quire_error *err)
{
    return files_clear_dir(files_of_objects(s), prefix, err);
}

/* ---- life --------------------------------------------------------------- */

static const char *files_place(const struct object_store *s)
{
    return ((const struct files *)(const void *)((const char *)s -
                                                 offsetof(struct files,
                                                          objects)))
        ->path;
}

void files_drop_part(struct files *f)
{
    if (--f->n_parts > 0)
        return;
    files_drop_staged(f);
    if (f->dir >= 0)
        close(f->dir);
    files_forget_synced(f);
    free(f->path);
    free(f);
}

static void files_free(struct object_store *s)
{
    files_drop_part(files_of_objects(s));
}

const struct object_ops files_object_ops = {
    .stat = files_stat,
    .open = files_open,
    .read = files_read,
    .close = files_close,
    .create = files_create,
    .write = files_write,
    .settle = files_settle_draft,
    .publish = files_publish,
    .discard = files_discard,
    .touch = files_touch,
    .sync = files_sync,
    .remove = files_remove,
    .list = files_list,
    .clear = files_clear,
    .begin = files_begin,
    .commit = files_commit,
    .rollback = files_rollback,
    .place = files_place,
    .free = files_free,
};
