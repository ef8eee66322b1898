/* files_names.c - rename and remove files */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"
#include "store/files_priv.h"

quire_status files_rename_file(struct files *f, const char *from,
                               const char *to, quire_error *err)
{
    const char *old_base, *new_base;
    int old_dir = -1, new_dir = -1;
    quire_status st;

    st = files_settle(f, err);
    if (!st)
        st = files_reach(f, false, err);
    if (st)
        return st;
    old_dir = fs_open_parent(f->dir, from, false, NULL, &old_base);
    if (old_dir < 0)
        return errno == ENOENT ? QUIRE_NOT_FOUND
                               : files_fail(f, "open", from, err);
    if (faccessat(old_dir, old_base, F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
        st = errno == ENOENT ? QUIRE_NOT_FOUND
                             : files_fail(f, "open", from, err);
        goto out;
    }
    new_dir = fs_open_parent(f->dir, to, true, NULL, &new_base);
    if (new_dir < 0)
        st = files_fail(f, "make the directory of", to, err);
    else if (renameat2(old_dir, old_base, new_dir, new_base, RENAME_NOREPLACE) <
             0)
        st = errno == EEXIST   ? QUIRE_EXISTS
             : errno == ENOENT ? QUIRE_NOT_FOUND
                               : files_fail(f, "rename to", to, err);
    else if (fs_sync_parents(f->dir, to) < 0 || fsync(old_dir) < 0)
        st = files_fail(f, "sync the directory of", to, err);
out:
    close(old_dir);
    if (new_dir >= 0)
        close(new_dir);
    return st;
}

quire_status files_remove_file(struct files *f, const char *name,
                               quire_error *err)
{
    quire_status st;
    const char *base;
    int parent;

    st = files_settle(f, err);
    if (!st)
        st = files_reach(f, false, err);
    if (st)
        return st;
    parent = fs_open_parent(f->dir, name, false, NULL, &base);
    if (parent < 0)
        return errno == ENOENT ? QUIRE_NOT_FOUND
                               : files_fail(f, "open", name, err);
    if (unlinkat(parent, base, 0) < 0)
        st = errno == ENOENT ? QUIRE_NOT_FOUND
                             : files_fail(f, "remove", name, err);
    else if (!f->batch && fsync(parent) < 0)
        st = files_fail(f, "sync the directory of", name, err);
    f->sync_all = f->sync_all || f->batch;
    close(parent);
    return st;
}

quire_status files_clear_dir(struct files *f, const char *prefix,
                             quire_error *err)
{
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
