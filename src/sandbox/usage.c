/*
 * usage.c - what a run uses
 *
 * By looking now and then, from outside. For the limits that the kernel does not
 * hold: all processes together, all files together, and processes of root.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/priv.h"

/* ---- processes ------------------------------------------------------------ */

struct process {
    pid_t pid, parent;
    unsigned long threads, kib;
    bool ours, zombie;
};

#define PROCESSES_MAX ((size_t)1 << 16)

/* A number of /proc/N/status, 0 where it is missing. Each is at the beginning of
 * a line, which no name of a program can imitate: there a newline is escaped. */
static unsigned long field(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? strtoul(at + strlen(name), NULL, 10) : 0;
}

static bool read_process(int proc, const char *name, struct process *out)
{
    char path[64], text[4096];
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "%s/status", name);
    fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    out->pid = (pid_t)strtol(name, NULL, 10);
    out->parent = (pid_t)field(text, "\nPPid:");
    out->threads = field(text, "\nThreads:");
    /* What it alone has in memory, not the programs it maps. */
    out->kib = field(text, "\nRssAnon:") + field(text, "\nRssShmem:");
    out->zombie = strstr(text, "\nState:\tZ") != NULL;
    out->ours = false;
    return true;
}

static bool read_processes(int proc, struct buf *list)
{
    int fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct process one;
    struct dirent *e;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while ((e = readdir(dir)))
        if (isdigit((unsigned char)*e->d_name) &&
            read_process(proc, e->d_name, &one))
            buf_add(list, &one, sizeof one);
    closedir(dir);
    return !list->failed;
}

/* Descendants, generation by generation; there are few. */
static void mark_ours(struct process *all, size_t n, const pid_t *below)
{
    bool more = true;
    size_t i, k;

    for (i = 0; i < n; i++)
        for (k = 0; below[k]; k++)
            if (all[i].pid == below[k])
                all[i].ours = true;
    while (more) {
        more = false;
        for (i = 0; i < n; i++) {
            for (k = 0; k < n && !all[i].ours; k++) {
                if (!all[k].ours || all[k].pid != all[i].parent)
                    continue;
                all[i].ours = more = true;
            }
        }
    }
}

bool usage_measure(int proc, const pid_t *below, struct usage *out)
{
    struct buf list = BUF_INIT(PROCESSES_MAX * sizeof(struct process));
    bool ok = read_processes(proc, &list);
    struct process *all = (struct process *)(void *)list.data;
    size_t n = list.len / sizeof *all;
    size_t i;

    *out = (struct usage){0};
    if (ok && below)
        mark_ours(all, n, below);
    for (i = 0; i < n; i++) {
        if (below && !all[i].ours)
            continue;
        out->processes += all[i].threads;
        out->memory_bytes += (uint64_t)all[i].kib * 1024;
    }
    buf_release(&list);
    return ok;
}

/* Kill every descendant of `top`, but not `top` itself; threads of ours may have
 * other children. False: there was none, or it could not be found out. */
bool usage_kill_below(int proc, pid_t top)
{
    struct buf list = BUF_INIT(PROCESSES_MAX * sizeof(struct process));
    const pid_t below[] = {top, 0};
    bool any = false;
    struct process *all;
    size_t i, n;

    if (read_processes(proc, &list)) {
        all = (struct process *)(void *)list.data;
        n = list.len / sizeof *all;
        mark_ours(all, n, below);
        for (i = 0; i < n; i++)
            if (all[i].ours && all[i].pid != top && !all[i].zombie)
                any |= kill(all[i].pid, SIGKILL) == 0;
    }
    buf_release(&list);
    return any;
}

/* ---- files ---------------------------------------------------------------- */

/* A deeper tree is an attempt to evade measuring. */
#define DEPTH_MAX 64

/* In blocks of 512 bytes. */
struct disk_sum {
    uint64_t blocks, files;
};

static bool sum_dir(int fd, int depth, struct disk_sum *sum);

static bool sum_entry(int dir, const char *name, int depth,
                      struct disk_sum *sum)
{
    struct stat st;
    int fd;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return true;
    sum->blocks += (uint64_t)st.st_blocks;
    sum->files++;
    if (!S_ISDIR(st.st_mode))
        return true;
    fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 || sum_dir(fd, depth + 1, sum);
}

/* Takes `fd`. What cannot be read is left out. */
static bool sum_dir(int fd, int depth, struct disk_sum *sum)
{
    DIR *dir = depth < DEPTH_MAX ? fdopendir(fd) : NULL;
    struct dirent *e;
    bool ok = true;

    if (!dir) {
        close(fd);
        return depth < DEPTH_MAX;
    }
    while (ok && (e = readdir(dir)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            ok = sum_entry(fd, e->d_name, depth, sum);
    closedir(dir);
    return ok;
}

bool usage_disk(int dir, uint64_t *bytes, uint64_t *files)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct disk_sum sum = {0, 0};
    bool ok = fd < 0 || sum_dir(fd, 0, &sum);

    *bytes = sum.blocks * 512;
    *files = sum.files;
    return ok;
}
