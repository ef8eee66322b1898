/*
 * dirs.c - directories and files of a workspace
 *
 * Every name is opened beneath a directory descriptor, without following links.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "workspace/priv.h"

bool workspace_is_built_in(const char *key)
{
    return !strcmp(key, "user") || !strcmp(key, "temp");
}

enum { DIR_MODE = 0750 };

const char *workspace_key(const struct workspace *s)
{
    return s->c.key;
}

const char *workspace_dir(const struct workspace *s, enum workspace_scope scope)
{
    return s->paths[scope];
}

quire_status workspace_session(struct workspace *s, int64_t *id,
                               quire_error *err)
{
    return s->c.callbacks.session(s->c.callbacks.ctx, id, err);
}

int workspace_parent(int dir, const char *path, bool make, const char **base)
{
    const char *at = path, *slash;
    char name[256];
    int fd = fcntl(dir, F_DUPFD_CLOEXEC, 0), next;

    while (fd >= 0 && (slash = strchr(at, '/'))) {
        if ((size_t)(slash - at) >= sizeof name) {
            close(fd);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, at, (size_t)(slash - at));
        name[slash - at] = '\0';
        next = fs_open_beneath(fd, name, O_RDONLY | O_DIRECTORY, 0);
        if (next < 0 && errno == ENOENT && make &&
            (!mkdirat(fd, name, DIR_MODE) || errno == EEXIST))
            next = fs_open_beneath(fd, name, O_RDONLY | O_DIRECTORY, 0);
        close(fd);
        fd = next;
        at = slash + 1;
    }
    *base = at;
    return fd;
}

bool workspace_is_taken(int parent, const char *base)
{
    struct stat st;

    if (fstatat(parent, base, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        S_ISREG(st.st_mode))
        return false;
    errno = S_ISDIR(st.st_mode) ? EISDIR : S_ISLNK(st.st_mode) ? ELOOP : EEXIST;
    return true;
}

int workspace_open_file(int dir, const char *path, struct stat *st)
{
    int fd = fs_open_beneath(dir, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
    int why = 0;

    if (fd < 0)
        return -1;
    /* fstat() failing does not mean that it is a special file. */
    if (fstat(fd, st) < 0)
        why = errno;
    else if (!S_ISREG(st->st_mode))
        why = EISDIR;
    if (why) {
        close(fd);
        errno = why;
        fd = -1;
    }
    return fd;
}

static bool has_mark(int dir, quire_bytes parent)
{
    static const char *const marks[] = {"CACHEDIR.TAG", "pyvenv.cfg"};
    char mark[1024];
    size_t i;

    for (i = 0; i < sizeof marks / sizeof *marks; i++) {
        int len = snprintf(mark, sizeof mark, "%.*s/%s", (int)parent.len,
                           (const char *)parent.data, marks[i]);

        if (len < (int)sizeof mark &&
            !faccessat(dir, mark, F_OK, AT_SYMLINK_NOFOLLOW))
            return true;
    }
    return false;
}

bool workspace_is_generated(int dir, const char *path, size_t skip)
{
    static const char *const names[] = {"node_modules", "__pycache__"};
    const char *from = path + skip, *slash;
    size_t i;

    for (; (slash = strchr(from, '/')); from = slash + 1) {
        for (i = 0; i < sizeof names / sizeof *names; i++)
            if (bytes_equal(bytes_of(from, (size_t)(slash - from)),
                            bytes_str(names[i])))
                return true;
        if (has_mark(dir, bytes_of(path, (size_t)(slash - path))))
            return true;
    }
    return false;
}

quire_status workspace_draft(struct workspace *s, int parent,
                             quire_bytes content, bool durable,
                             struct fs_temp *t, quire_error *err)
{
    if (fs_temp_open(t, parent) < 0 || fs_write_all(t->fd, content) < 0 ||
        (durable && fs_temp_sync(t) < 0))
        return err_sys(err, errno, "cannot write a file in %s",
                       s->paths[WORKSPACE_ARTIFACT]);
    return QUIRE_OK;
}

bool workspace_is_still(const struct stat *now, const struct stat *seen)
{
    return now->st_ino == seen->st_ino && now->st_size == seen->st_size &&
           now->st_mtim.tv_sec == seen->st_mtim.tv_sec &&
           now->st_mtim.tv_nsec == seen->st_mtim.tv_nsec &&
           now->st_ctim.tv_sec == seen->st_ctim.tv_sec &&
           now->st_ctim.tv_nsec == seen->st_ctim.tv_nsec;
}

int workspace_publish(struct fs_temp *t, int parent, const char *base,
                      const struct stat *seen)
{
    struct stat now;
    int rc;

    if (workspace_is_taken(parent, base))
        return -1;
    if (seen && !fstatat(parent, base, &now, AT_SYMLINK_NOFOLLOW) &&
        !workspace_is_still(&now, seen)) {
        errno = EBUSY;
        return -1;
    }
    /* Keep the mode: a script stays executable. */
    if (seen)
        (void)fchmod(t->fd, seen->st_mode & 0777);
    rc = fs_temp_publish(t, parent, base, seen != NULL);
    if (rc < 0 && errno == EEXIST && !workspace_is_taken(parent, base))
        errno = EBUSY;
    return rc;
}

int workspace_open_dir(struct workspace *s, const char *name, bool make,
                       bool *made)
{
    int fd = fs_open_beneath(s->root, name, O_RDONLY | O_DIRECTORY, 0);
    const char *base;
    int parent;

    *made = false;
    if (fd >= 0 || errno != ENOENT || !make)
        return fd;
    parent = workspace_parent(s->root, name, true, &base);
    if (parent < 0)
        return -1;
    *made = !mkdirat(parent, base, DIR_MODE);
    if (*made || errno == EEXIST)
        fd = fs_open_beneath(parent, base, O_RDONLY | O_DIRECTORY, 0);
    close(parent);
    if (fd >= 0 && *made && fs_sync_parents(s->root, name) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}
