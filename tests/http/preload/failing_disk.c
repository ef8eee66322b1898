/*
 * Loaded before all else: while the file that FAIL names is there, one sync of a
 * log fails, and takes the file away.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*sync_fn)(int fd);

static int is_to_fail(int fd)
{
    const char *flag = getenv("FAIL");
    char link[64], path[4096];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path);
    return flag && n > 4 && !memcmp(path + n - 4, "-wal", 4) &&
           unlink(flag) == 0;
}

static int pass(const char *name, int fd)
{
    sync_fn real = (sync_fn)dlsym(RTLD_NEXT, name);

    if (!is_to_fail(fd))
        return real(fd);
    errno = EIO;
    return -1;
}

int fdatasync(int fd)
{
    return pass("fdatasync", fd);
}

int fsync(int fd)
{
    return pass("fsync", fd);
}
