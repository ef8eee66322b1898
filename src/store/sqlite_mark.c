/*
 * sqlite_mark.c - detect a write-ahead log that was lost
 *
 * The log holds the commits since the last checkpoint. If its file is deleted, or
 * left out of a copy, after a process died, SQLite opens the older database without
 * a complaint. Two empty files beside the database make that visible:
 *
 *   <db>-mark   its time is that before the last durable commit. Removed when the
 *               last connection is closed, which copies the log and deletes it.
 *   <db>-lost   a mark whose log was gone when the database was opened for writing;
 *               stays until the loss is accepted.
 *
 * The log is lost if there is a mark, the log is absent or empty, and the database
 * was not written since. A checkpoint writes it, also one within the last commit,
 * and that by the last connection, of any program: so a mark that was left behind
 * is older than a database that has everything. The mark is never synced: after a power cut it may be older than the last
 * commit, which hides a loss and invents none. Failures to write it are ignored.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "store/sqlite_priv.h"

static bool name_beside(const char *path, const char *suffix,
                        char out[PATH_MAX])
{
    int n = snprintf(out, PATH_MAX, "%s%s", path, suffix);

    return n > 0 && n < PATH_MAX;
}

static bool stat_beside(const char *path, const char *suffix, struct stat *out)
{
    char name[PATH_MAX];

    return name_beside(path, suffix, name) && !lstat(name, out);
}

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/* *at_s: the time of the mark. */
static bool is_lost(const char *path, int64_t *at_s)
{
    struct stat db, log, mark;

    if (!stat_beside(path, "-mark", &mark) || stat(path, &db) < 0 ||
        (stat_beside(path, "-wal", &log) && log.st_size > 0))
        return false;
    *at_s = mark.st_mtim.tv_sec;
    return is_before(db.st_mtim, mark.st_mtim);
}

bool sqlite_mark_open(const char *path, bool write)
{
    char mark[PATH_MAX], lost[PATH_MAX];
    int64_t at_s;

    if (!is_lost(path, &at_s))
        return true;
    return write && name_beside(path, "-mark", mark) &&
           name_beside(path, "-lost", lost) && !rename(mark, lost);
}

void sqlite_mark_commit(const char *path, struct timespec before)
{
    const struct timespec times[2] = {before, before};
    char mark[PATH_MAX];
    int fd;

    if (!name_beside(path, "-mark", mark) ||
        !utimensat(AT_FDCWD, mark, times, AT_SYMLINK_NOFOLLOW) ||
        errno != ENOENT)
        return;
    fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (futimens(fd, times))
        unlink(mark); /* its time is later than it should be */
    close(fd);
}

void sqlite_mark_close(const char *path)
{
    char mark[PATH_MAX];
    struct stat log;

    if (stat_beside(path, "-wal", &log) || !name_beside(path, "-mark", mark))
        return;
    if (unlink(mark))
        return; /* there is none */
}

bool db_sqlite_log_lost(const char *path, int64_t *at_s)
{
    struct stat lost;

    if (!stat_beside(path, "-lost", &lost))
        return is_lost(path, at_s);
    *at_s = lost.st_mtim.tv_sec;
    return true;
}

quire_status db_sqlite_accept_loss(const char *path, quire_error *err)
{
    static const char *const suffixes[] = {"-lost", "-mark"};
    char name[PATH_MAX];
    int64_t at_s;
    size_t i;

    for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        /* A mark is removed only while its log is lost. */
        if ((i > 0 && !is_lost(path, &at_s)) ||
            !name_beside(path, suffixes[i], name))
            continue;
        if (unlink(name) && errno != ENOENT)
            return err_sys(err, errno, "cannot remove %s", name);
    }
    return QUIRE_OK;
}
