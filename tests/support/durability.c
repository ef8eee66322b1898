/*
 * durability.c - what a power cut would take
 *
 * While a test watches, every write, link, rename and new directory of ours
 * marks its inode as not yet on the disk; fsync, fdatasync and syncfs unmark.
 * What is still marked when a call has acknowledged something would not be
 * there after a power cut. And a file that gets its name while it is marked
 * could be found empty under it: that counts as a breach at once.
 */
#include "support/durability.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { MAX = 4096 };

static struct {
    dev_t dev;
    ino_t ino;
} marked[MAX];
static size_t n_marked;
static int breaches;
static bool watching;

void lasting_watch(bool yes)
{
    watching = yes;
    n_marked = 0;
    breaches = 0;
}

size_t lasting_marked(void)
{
    return n_marked;
}

int lasting_breaches(void)
{
    return breaches;
}

static size_t find(const struct stat *st)
{
    size_t i;

    for (i = 0; i < n_marked; i++) {
        if (marked[i].dev == st->st_dev && marked[i].ino == st->st_ino)
            break;
    }
    return i;
}

void lasting_mark(int fd)
{
    struct stat st;

    if (!watching || __real_fstat(fd, &st) < 0 || S_ISFIFO(st.st_mode) ||
        find(&st) < n_marked)
        return;
    if (n_marked == MAX)
        abort();
    marked[n_marked].dev = st.st_dev;
    marked[n_marked++].ino = st.st_ino;
}

void lasting_synced(int fd)
{
    struct stat st;
    size_t i;

    if (!watching || __real_fstat(fd, &st) < 0)
        return;
    i = find(&st);
    if (i < n_marked)
        marked[i] = marked[--n_marked];
}

void lasting_all_synced(void)
{
    n_marked = 0;
}

/* `path` is about to get another name. */
void lasting_named(int dir, const char *path, bool follow)
{
    struct stat st;

    if (!watching ||
        __real_fstatat(dir, path, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
        return;
    breaches += S_ISREG(st.st_mode) && find(&st) < n_marked;
}
