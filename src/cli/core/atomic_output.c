#include "cli/core/atomic_output.h"

#include <limits.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/core/signals.h"

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

/* Open the directory of the file, and find its name there. */
static quire_status open_parent(struct atomic_output *s, const char *path,
                                quire_error *err)
{
    char *slash;

    /* A link is followed, as it is when a shell redirects into it. */
    s->path = realpath(path, NULL);
    if (!s->path)
        s->path = strdup(path);
    if (!s->path)
        return err_memory(err);
    slash = strrchr(s->path, '/');
    s->base = slash ? slash + 1 : s->path;
    if (!slash) {
        s->dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } else if (slash == s->path) {
        s->dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } else {
        *slash = '\0';
        s->dir = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        *slash = '/';
    }
    if (s->dir < 0) {
        int error = errno;

        err_sys(err, error, "cannot write %s", path);
        err->status = QUIRE_IO; /* exit 3: QUIRE_NOT_FOUND would be 1 */
        if (error == ENOENT)
            err_next(err, "create its directory first");
        return QUIRE_IO;
    }
    return QUIRE_OK;
}

/* The descriptor that a path such as /dev/stdout names; -1: none. It is written,
 * not replaced by another file. */
static int named_descriptor(const char *path)
{
    static const char *const prefixes[] = {"/dev/fd/", "/proc/self/fd/"};
    unsigned long fd;
    char *end;
    size_t i;

    if (!strcmp(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr"))
        return STDERR_FILENO;
    for (i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t len = strlen(prefixes[i]);

        if (strncmp(path, prefixes[i], len) != 0)
            continue;
        fd = strtoul(path + len, &end, 10);
        if (path[len] && !*end && fd < INT_MAX)
            return (int)fd;
    }
    return -1;
}

quire_status atomic_output_open(struct atomic_output *s, const char *path,
                                quire_error *err)
{
    int fd = named_descriptor(path);
    quire_status status;
    struct stat st;

    if (fd >= 0) {
        s->direct = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        return s->direct < 0 ? err_sys(err, errno, "cannot write %s", path)
                             : QUIRE_OK;
    }
    status = open_parent(s, path, err);
    if (status)
        return status;
    s->mode = usual_mode();
    if (!*s->base)
        return err_sys(err, EISDIR, "cannot write %s", path);
    if (!fstatat(s->dir, s->base, &st, 0)) {
        if (S_ISDIR(st.st_mode))
            return err_sys(err, EISDIR, "cannot write %s", path);
        if (!S_ISREG(st.st_mode)) {
            s->direct = openat(s->dir, s->base, O_WRONLY | O_CLOEXEC);
            if (s->direct < 0)
                return err_sys(err, errno, "cannot write %s", path);
            return QUIRE_OK;
        }
        s->mode = st.st_mode & 0777; /* not setuid: the content is new */
    }
    /* The second Ctrl-C ends the process at once. */
    signals_catch(SIGNALS_ONCE | SIGNALS_RESTART);
    if (fs_temp_open(&s->temp, s->dir))
        return err_sys(err, errno, "cannot write %s", path);
    return QUIRE_OK;
}

quire_status atomic_output_write(struct atomic_output *s, quire_bytes bytes,
                                 quire_error *err)
{
    if (signals_caught())
        return err_set(err, QUIRE_STOPPED, "interrupted");
    if (fs_write_all(s->direct < 0 ? s->temp.fd : s->direct, bytes))
        return err_sys(err, errno, "cannot write %s", s->path);
    return QUIRE_OK;
}

quire_status atomic_output_commit(struct atomic_output *s, quire_error *err)
{
    if (signals_caught())
        return err_set(err, QUIRE_STOPPED, "interrupted");
    if (s->direct >= 0) {
        int fd = s->direct;

        s->direct = -1;
        if (close(fd))
            return err_sys(err, errno, "cannot write %s", s->path);
        return QUIRE_OK;
    }
    if (fchmod(s->temp.fd, s->mode) || fs_temp_sync(&s->temp) ||
        fs_temp_publish(&s->temp, s->dir, s->base, true) || fsync(s->dir))
        return err_sys(err, errno, "cannot write %s", s->path);
    return QUIRE_OK;
}

void atomic_output_release(struct atomic_output *s)
{
    fs_temp_release(&s->temp);
    if (s->direct >= 0)
        close(s->direct);
    if (s->dir >= 0)
        close(s->dir);
    free(s->path);
    signals_restore();
    if (signals_caught())
        raise(signals_caught());
}
