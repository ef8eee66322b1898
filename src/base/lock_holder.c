/*
 * lock_holder.c - find the process that holds a lock
 *
 * The kernel does not reveal the holder of an OFD lock: the pid it returns is
 * -1. But every process lists its own locks in /proc/PID/fdinfo. The search
 * visits all descriptors of all our processes; it runs only for the message of
 * a failed lock.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

/* The beginning of a small file of /proc, as a string. */
static bool read_proc(const char *path, char *out, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : fs_read_full(fd, out, cap - 1);

    if (fd >= 0)
        close(fd);
    out[n < 0 ? 0 : n] = '\0';
    return n > 0;
}

/* Whether the process has the file open, and locked, in some descriptor. */
static bool holds_lock(const char *pid, const struct stat *file)
{
    char path[600], text[1024];
    struct dirent *e;
    bool yes = false;
    struct stat st;
    DIR *fds;

    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    fds = opendir(path);
    if (!fds)
        return false;
    while (!yes && (e = readdir(fds)) != NULL) {
        if (fstatat(dirfd(fds), e->d_name, &st, 0) < 0 ||
            st.st_ino != file->st_ino || st.st_dev != file->st_dev)
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/fdinfo/%.255s", pid,
                 e->d_name);
        yes = read_proc(path, text, sizeof text) && strstr(text, "OFDLCK");
    }
    closedir(fds);
    return yes;
}

void fs_lock_holder(int fd, char *out, size_t cap)
{
    struct dirent *e;
    struct stat file;
    DIR *proc;

    snprintf(out, cap, "another process");
    if (fstat(fd, &file) < 0)
        return;
    proc = opendir("/proc");
    if (!proc)
        return;
    while ((e = readdir(proc)) != NULL) {
        char path[64], name[32];

        if (e->d_name[0] < '1' || e->d_name[0] > '9' ||
            !holds_lock(e->d_name, &file))
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/comm", e->d_name);
        if (read_proc(path, name, sizeof name))
            name[strcspn(name, "\n")] = '\0';
        if (strtol(e->d_name, NULL, 10) == (long)getpid())
            snprintf(out, cap, "another handle of this process");
        else
            snprintf(out, cap, "process %.20s (%s)", e->d_name, name);
        break;
    }
    closedir(proc);
}
