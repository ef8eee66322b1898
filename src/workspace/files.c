/* files.c - write, read and delete files of a workspace */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/walk.h"
#include "workspace/priv.h"

/* A file found before a write or a removal is the user's. */
static const struct workspace_sync found_here = {.source = "user",
                                                 .whole = true};

static quire_status write_failed(struct workspace *s,
                                 enum workspace_scope scope, const char *path,
                                 quire_error *err)
{
    int why = errno;

    /* The directory was removed, perhaps with its session. */
    if (why == ENOENT &&
        s->c.callbacks.exists(s->c.callbacks.ctx, err) == QUIRE_NOT_FOUND)
        return QUIRE_NOT_FOUND;
    if (why != EISDIR && why != ENOTDIR && why != EEXIST && why != ELOOP &&
        why != ENOTEMPTY)
        return err_sys(err, why, "cannot write %s in %s", path,
                       workspace_dir(s, scope));
    return err_fail(err, QUIRE_EXISTS, "choose another name",
                    "%s cannot be a file: %s is in its place, or in that of a "
                    "directory in its path",
                    path,
                    why == EISDIR || why == ENOTEMPTY ? "a directory"
                    : why == ELOOP                    ? "a link"
                                                      : "something else");
}

static quire_status write_scratch(struct workspace *s, const char *path,
                                  quire_bytes content, quire_error *err)
{
    struct fs_temp t = FS_TEMP_INIT;
    const char *base;
    struct workspace_access v;
    int parent;
    quire_status st = workspace_access_begin(s, WORKSPACE_SCRATCH, ACCESS_MAKE,
                                             &v, err);

    if (st)
        return st;
    parent = workspace_parent(v.dir, path, true, &base);
    if (parent < 0 || workspace_is_taken(parent, base))
        st = write_failed(s, WORKSPACE_SCRATCH, path, err);
    if (!st)
        st = workspace_draft(s, parent, content, false, &t, err);
    if (!st && fs_temp_publish(&t, parent, base, true) < 0)
        st = write_failed(s, WORKSPACE_SCRATCH, path, err);
    fs_temp_release(&t);
    if (parent >= 0)
        close(parent);
    workspace_access_end(&v);
    return st;
}

/* ---- artifacts ---------------------------------------------------------- */

/* The row is written while the file is synced; the file gets its name after
 * both. */
static quire_status write_locked(struct workspace *s,
                                 const struct workspace_access *v,
                                 const char *path, quire_bytes content,
                                 const quire_artifact_options *options,
                                 struct arena *keep, quire_artifact *out,
                                 quire_error *err)
{
    struct workspace_report report = {0};
    struct fs_temp t = FS_TEMP_INIT;
    struct stat now, seen;
    const char *base;
    int parent = workspace_parent(v->dir, path, true, &base);
    bool has_file = false;
    quire_status st = QUIRE_OK;

    if (parent < 0 || workspace_is_taken(parent, base))
        st = write_failed(s, WORKSPACE_ARTIFACT, path, err);
    /* Store the user's change as a version before the file is replaced. */
    if (!st && !faccessat(parent, base, F_OK, AT_SYMLINK_NOFOLLOW))
        st = sync_path(s, v, path, &found_here, &report, err);
    if (!st)
        has_file = !fstatat(parent, base, &seen, AT_SYMLINK_NOFOLLOW);
    if (!st)
        st = workspace_draft(s, parent, content, false, &t, err);
    if (!st) {
        fs_temp_start_sync(&t);
        st = s->c.callbacks.put(s->c.callbacks.ctx, path, content, options,
                                keep, out, err);
    }
    if (!st && fs_temp_sync(&t) == 0 &&
        workspace_publish(&t, parent, base, has_file ? &seen : NULL) == 0) {
        if (!fstat(t.fd, &now))
            baseline_put(s, path, &now, &out->digest);
    } else if (!st && errno != EBUSY) {
        st = write_failed(s, WORKSPACE_ARTIFACT, path, err);
    }
    fs_temp_release(&t);
    if (parent >= 0)
        close(parent);
    return st;
}

quire_status workspace_write(struct workspace *s, enum workspace_scope scope,
                             const char *path, quire_bytes content,
                             const quire_artifact_options *options,
                             struct arena *keep, quire_artifact *artifact,
                             quire_error *err)
{
    struct workspace_report report = {0};
    struct workspace_access v;
    quire_status st;

    if (scope == WORKSPACE_SCRATCH)
        return write_scratch(s, path, content, err);
    st = workspace_access_begin(s, WORKSPACE_ARTIFACT,
                                ACCESS_MAKE | ACCESS_LOCK, &v, err);
    if (!st && v.fresh)
        st = sync_all(s, &v, &found_here, &report, err);
    if (!st)
        st = write_locked(s, &v, path, content, options, keep, artifact, err);
    /* The write has succeeded even if this flush fails: the file is then
     * compared. */
    if (!st && baseline_is_due(s))
        (void)baseline_flush(s, NULL);
    workspace_access_end(&v);
    return st;
}

/* ---- reading ------------------------------------------------------------ */

static quire_status read_open(struct workspace *s, int fd, const char *path,
                              uint64_t from, uint64_t max, struct buf *out,
                              const struct stat *st, quire_error *err)
{
    uint64_t size = (uint64_t)st->st_size;
    uint64_t want = from >= size ? 0 : size - from;
    void *room;
    ssize_t n;

    want = want < max ? want : max;
    if (want == 0)
        return QUIRE_OK;
    room = buf_room(out, (size_t)want);
    if (!room)
        return err_memory(err);
    n = fs_read_at(fd, room, (size_t)want, (off_t)from);
    if (n < 0)
        return err_sys(err, errno, "cannot read %s in %s", path,
                       workspace_dir(s, WORKSPACE_ARTIFACT));
    buf_grow(out, (size_t)n);
    return QUIRE_OK;
}

/* Read an artifact that has no file. */
static quire_status read_row(struct workspace *s, const char *path,
                             uint64_t from, uint64_t max, struct buf *out,
                             uint64_t *size, quire_error *err)
{
    struct arena keep = ARENA_INIT;
    quire_artifact one;
    const struct workspace_callbacks *callbacks = &s->c.callbacks;
    quire_status st = callbacks->find(callbacks->ctx, path, &keep, &one, err);

    if (!st) {
        *size = one.size;
        if (from < one.size && max > 0)
            st = callbacks->read(callbacks->ctx, &one.digest, from,
                                 max < one.size - from ? from + max : one.size,
                                 buf_write, out, err);
    }
    arena_release(&keep);
    return st;
}

quire_status workspace_read(struct workspace *s, enum workspace_scope scope,
                            const char *path, uint64_t from, uint64_t max,
                            struct buf *out, uint64_t *size, quire_error *err)
{
    struct stat info;
    struct workspace_access v;
    int fd = -1;
    quire_status st = workspace_access_begin(s, scope, 0, &v, err);

    *size = 0;
    if (!st) {
        fd = workspace_open_file(v.dir, path, &info);
        if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP &&
            errno != EISDIR && errno != EXDEV)
            st = err_sys(err, errno, "cannot open %s in %s", path,
                         workspace_dir(s, scope));
        workspace_access_end(&v);
    }
    if (fd >= 0) {
        *size = (uint64_t)info.st_size;
        st = read_open(s, fd, path, from, max, out, &info, err);
        close(fd);
        return st;
    }
    if (st && st != QUIRE_NOT_FOUND)
        return st;
    return scope == WORKSPACE_SCRATCH
               ? QUIRE_NOT_FOUND
               : read_row(s, path, from, max, out, size, err);
}

/* ---- deleting ----------------------------------------------------------- */

static quire_status unlink_file(struct workspace *s, enum workspace_scope scope,
                                const struct workspace_access *v,
                                const char *path, quire_error *err)
{
    if (workspace_unlink(v->dir, path) == 0)
        return QUIRE_OK;
    if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR ||
        errno == ELOOP || errno == EEXIST)
        return QUIRE_NOT_FOUND;
    return err_sys(err, errno, "cannot remove %s in %s", path,
                   workspace_dir(s, scope));
}

static quire_status delete_locked(struct workspace *s,
                                  const struct workspace_access *v,
                                  const char *path, struct arena *keep,
                                  quire_artifact *out, quire_error *err)
{
    struct workspace_report report = {0};
    quire_status st = QUIRE_OK;

    if (v->dir >= 0)
        st = sync_path(s, v, path, &found_here, &report, err);
    if (!st)
        st = s->c.callbacks.find(s->c.callbacks.ctx, path, keep, out, err);
    if (!st && v->dir >= 0) {
        st = unlink_file(s, WORKSPACE_ARTIFACT, v, path, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    if (!st)
        st = s->c.callbacks.remove(s->c.callbacks.ctx, out->id, err);
    if (!st)
        baseline_remove(s, path);
    return st;
}

quire_status workspace_delete(struct workspace *s, enum workspace_scope scope,
                              const char *path, struct arena *keep,
                              quire_artifact *artifact, quire_error *err)
{
    unsigned flags = scope == WORKSPACE_SCRATCH ? 0 : ACCESS_LOCK;
    struct workspace_access v;
    quire_status st = workspace_access_begin(s, scope, flags, &v, err);

    if (scope == WORKSPACE_SCRATCH) {
        if (!st)
            st = unlink_file(s, scope, &v, path, err);
    } else if (!st || st == QUIRE_NOT_FOUND) {
        st = delete_locked(s, &v, path, keep, artifact, err);
    }
    if (!st && baseline_is_due(s))
        st = baseline_flush(s, err);
    workspace_access_end(&v);
    return st;
}

/* ---- listing ------------------------------------------------------------ */

struct listing {
    workspace_file_fn each;
    void *ctx;
};

static quire_status emit_file(void *ctx, const char *name,
                              const struct stat *st, quire_error *err)
{
    struct listing *l = ctx;

    return l->each(l->ctx, name, (uint64_t)st->st_size,
                   st->st_mtim.tv_sec * INT64_C(1000000000) +
                       st->st_mtim.tv_nsec,
                   err);
}

quire_status workspace_files(struct workspace *s, workspace_file_fn each,
                             void *ctx, quire_error *err)
{
    struct listing l = {each, ctx};
    struct workspace_access v;
    quire_status st = workspace_access_begin(s, WORKSPACE_SCRATCH, 0, &v, err);

    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = walk_files(v.dir, workspace_dir(s, WORKSPACE_SCRATCH), "", emit_file,
                    &l, err);
    workspace_access_end(&v);
    return st;
}
