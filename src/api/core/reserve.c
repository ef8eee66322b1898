/*
 * reserve.c - space kept for deletions
 *
 * A deletion writes before it frees anything: rows of quire.db, its log, the
 * record of what is removed. On a full disk it would fail, and with it the way to
 * make room. So a native home keeps the file `reserve`, with allocated blocks and
 * nothing in it. Deletions remove it when the disk is full, and create it again
 * when they are done, or a later writer does so when there is plenty of room.
 * Other writes never touch it.
 *
 * Losing it is harmless, and so is failing to create it.
 */
#include "api/core/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fs.h"

static const char name[] = "reserve";

/* An eighth of quire.db: the log of a deletion grows with what is deleted. Fifty
 * pages are enough for a small one. */
#define LEAST_BYTES ((uint64_t)1 << 19)
#define MOST_BYTES  ((uint64_t)4 << 20)

static uint64_t size_for(const struct quire *q)
{
    struct stat st;
    uint64_t eighth = stat(q->db_path, &st) < 0 ? 0 : (uint64_t)st.st_size / 8;

    return eighth < LEAST_BYTES  ? LEAST_BYTES
           : eighth > MOST_BYTES ? MOST_BYTES
                                 : eighth;
}

static bool free_bytes(int dir, uint64_t *bytes)
{
    struct statvfs st;

    if (fstatvfs(dir, &st) < 0)
        return false;
    *bytes = (uint64_t)st.f_bavail * st.f_frsize;
    return true;
}

/* The home's directory, or -1: it has no reserve. */
static int open_home(const struct quire *q)
{
    int dir;

    if (q->kind != QUIRE_KIND_NATIVE || q->read_only || !q->db_path ||
        q->cluster || fs_open_dir(q->home, false, &dir, NULL))
        return -1;
    return dir;
}

/* Not posix_fallocate(), which would write on file systems that cannot allocate.
 */
static bool create(int dir, uint64_t size)
{
    int fd = fs_open_beneath(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    bool made = fd >= 0 && fallocate(fd, 0, 0, (off_t)size) == 0;

    if (fd >= 0 && !made)
        unlinkat(dir, name, 0);
    if (fd >= 0)
        close(fd);
    return made;
}

/* Whether there is none, or one that was made for a much smaller home. */
static bool is_wanted(int dir, uint64_t size)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT;
    return S_ISREG(st.st_mode) && (uint64_t)st.st_size < size / 4 &&
           unlinkat(dir, name, 0) == 0;
}

void reserve_keep(struct quire *q)
{
    int dir = q->reserve_kept ? -1 : open_home(q);
    uint64_t room, size;

    q->reserve_kept = true;
    if (dir < 0)
        return;
    size = size_for(q);
    if (free_bytes(dir, &room) && room >= 8 * size && is_wanted(dir, size))
        create(dir, size);
    close(dir);
}

void reserve_release(struct quire *q)
{
    int dir = open_home(q);
    uint64_t room;

    if (dir < 0)
        return;
    if (free_bytes(dir, &room) && room < LEAST_BYTES)
        q->reserve_gone |= unlinkat(dir, name, 0) == 0;
    close(dir);
}

void reserve_restore(struct quire *q)
{
    int dir = q->reserve_gone ? open_home(q) : -1;

    if (dir < 0)
        return;
    if (!create(dir, size_for(q)))
        create(dir, LEAST_BYTES);
    close(dir);
}

void quire_make_room(quire *q)
{
    reserve_release(q);
}
