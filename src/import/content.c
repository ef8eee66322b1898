/* content.c - see content.h */
#include "import/content.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"

static quire_status open_plain(const struct import_found *f, int *fd,
                               struct stat *st, quire_error *err)
{
    *fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*fd < 0 || fstat(*fd, st) != 0)
        return err_sys(err, errno, "cannot read %s", f->path);
    if (S_ISREG(st->st_mode))
        return QUIRE_OK;
    return err_set(err, QUIRE_IO, "%s is not a file", f->path);
}

static const char *temp_dir(const char *dir)
{
    const char *system = places_env("TMPDIR");

    if (dir && access(dir, W_OK) == 0) /* it may be made by this import */
        return dir;
    return system ? system : P_tmpdir;
}

/* A temporary file; only its descriptor is kept. */
static quire_status open_temp(const char *dir, int *fd, quire_error *err)
{
    struct fs_temp temp = FS_TEMP_INIT;
    int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    quire_status st = QUIRE_OK;

    if (at < 0 || fs_temp_open(&temp, at) != 0 ||
        (*fd = fcntl(temp.fd, F_DUPFD_CLOEXEC, 0)) < 0)
        st = err_sys(err, errno, "cannot make a temporary file in %s", dir);
    fs_temp_release(&temp);
    if (at >= 0)
        close(at);
    return st;
}

static quire_status open_extracted(const struct import_found *f,
                                   const char *dir, int *fd, struct stat *st,
                                   quire_error *err)
{
    quire_status status = open_temp(dir, fd, err);

    if (!status)
        status = f->extract(f, *fd, err);
    if (!status && fstat(*fd, st) != 0)
        status = err_sys(err, errno, "cannot read a temporary file");
    if (status)
        return status;
    st->st_ino = f->inode;
    st->st_mtim.tv_sec = f->modified_ns / 1000000000;
    st->st_mtim.tv_nsec = f->modified_ns % 1000000000;
    return QUIRE_OK;
}

quire_status content_open(const struct import_found *f, const char *dir,
                          int *fd, struct stat *st, quire_error *err)
{
    quire_status status;

    *fd = -1;
    if (f->unreadable)
        return err_set(err, QUIRE_IO, "%s %s", f->path, f->unreadable);
    status = f->extract ? open_extracted(f, temp_dir(dir), fd, st, err)
                        : open_plain(f, fd, st, err);
    if (status && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

bool content_was_moved(const char *other, const struct import_found *f)
{
    const char *mark = strrchr(other, '#');
    char file[PATH_MAX];

    if (f->replaces && !strcmp(f->replaces, other))
        return true;
    if (access(other, F_OK) == 0)
        return false;
    if (!mark || (size_t)(mark - other) >= sizeof file)
        return true;
    memcpy(file, other, (size_t)(mark - other));
    file[mark - other] = '\0';
    return access(file, F_OK) != 0;
}
