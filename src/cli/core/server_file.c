/* server_file.c - see server_file.h */
#include "cli/core/server_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"

static const char name[] = "server.url";

/* With O_CREAT the home is created, too. */
static quire_status open_file(const char *home, int flags, int *fd,
                              quire_error *err)
{
    int dir;
    quire_status st = fs_open_dir(home, flags & O_CREAT, &dir, err);

    *fd = -1;
    if (st)
        return st;
    *fd = fs_open_beneath(dir, name, flags, 0600);
    if (*fd < 0)
        st = errno == ENOENT
                 ? QUIRE_NOT_FOUND
                 : err_sys(err, errno, "cannot open %s/%s", home, name);
    close(dir);
    return st;
}

static quire_status write_file(int fd, const char *home, const char *url,
                               quire_error *err)
{
    char text[SERVER_URL_SIZE + 32];

    snprintf(text, sizeof text, "%s\n%ld\n", url, (long)getpid());
    if (!ftruncate(fd, 0) && !fs_write_all(fd, bytes_str(text)))
        return QUIRE_OK;
    return err_sys(err, errno, "cannot write %s/%s", home, name);
}

quire_status server_file_hold(const char *home, const char *url, int *fd,
                              quire_error *err)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    quire_status st = open_file(home, O_RDWR | O_CREAT, fd, err);

    if (st)
        return st;
    if (fcntl(*fd, F_OFD_SETLK, &whole) < 0) {
        close(*fd);
        *fd = -1;
        return QUIRE_OK;
    }
    st = write_file(*fd, home, url, err);
    if (st) {
        close(*fd);
        *fd = -1;
    }
    return st;
}

void server_file_drop(const char *home, int fd)
{
    int dir;

    if (fd < 0)
        return;
    if (!fs_open_dir(home, false, &dir, NULL)) {
        unlinkat(dir, name, 0);
        close(dir);
    }
    close(fd);
}

/* Looking takes no lock: a server that starts meanwhile is not disturbed. */
static bool is_held(int fd)
{
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

    return !fcntl(fd, F_OFD_GETLK, &whole) && whole.l_type == F_WRLCK;
}

quire_status server_file_find(const char *home, struct server_file *out,
                              quire_error *err)
{
    char text[SERVER_URL_SIZE + 32] = "";
    bool held;
    int fd;
    quire_status st = open_file(home, O_RDONLY, &fd, err);

    if (st)
        return st;
    held = is_held(fd) && fs_read_at(fd, text, sizeof text - 1, 0) > 0;
    close(fd);
    return held && sscanf(text, "%127s %d", out->url, &out->pid) == 2 &&
                   !strncmp(out->url, "http", 4)
               ? QUIRE_OK
               : QUIRE_NOT_FOUND;
}
