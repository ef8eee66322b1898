/* read_blob.c - see read_blob.h */
#include "import/read_blob.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

static const char *read_file(int fd, struct buf *out)
{
    struct stat info;
    size_t size;
    char *room;

    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return "is not a file";
    if ((uint64_t)info.st_size > READ_BLOB_MAX)
        return "is too large";
    size = (size_t)info.st_size;
    room = buf_room(out, size + 1);
    if (!room)
        return "does not fit in memory";
    if (fs_read_at(fd, room, size, 0) != (ssize_t)size)
        return "cannot be read";
    buf_grow(out, size);
    return NULL;
}

const char *read_blob(const char *dir, quire_bytes digest, struct buf *out)
{
    char path[PATH_MAX];
    const char *why;
    int fd, n = snprintf(path, sizeof path, "%s/%.*s", dir, (int)digest.len,
                         (const char *)digest.data);

    buf_clear(out);
    if (n < 0 || (size_t)n >= sizeof path)
        return "has too long a path";
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return "is not in the agent's store";
    why = read_file(fd, out);
    close(fd);
    return why;
}
