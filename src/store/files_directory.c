/* files_directory.c - a directory of files, one level at a time or all of it */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "store/files_priv.h"

static quire_status scan_one(struct files *f, int fd, const struct dirent *e,
                             directory_scan_fn each, void *ctx,
                             quire_error *err)
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

static quire_status files_scan(struct directory_store *s, const char *dir,
                               directory_scan_fn each, void *ctx,
                               quire_error *err)
{
    struct files *f = files_of_dirs(s);
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

static quire_status files_find(struct directory_store *s, const char *root,
                               directory_want_fn wants, directory_find_fn each,
                               void *ctx, quire_error *err)
{
    return files_find_all(files_of_dirs(s), root, wants, each, ctx, err);
}

static quire_status files_rename(struct directory_store *s, const char *from,
                                 const char *to, quire_error *err)
{
    return files_rename_file(files_of_dirs(s), from, to, err);
}

static void files_free_dirs(struct directory_store *s)
{
    files_drop_part(files_of_dirs(s));
}

const struct directory_ops files_directory_ops = {
    .scan = files_scan,
    .find = files_find,
    .rename = files_rename,
    .free = files_free_dirs,
};
