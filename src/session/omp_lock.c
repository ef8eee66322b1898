/*
 * omp_lock.c - the file locks of oh-my-pi
 *
 * oh-my-pi, from version 18 on, takes two locks around every append and every
 * replacement of a session file, outer first:
 *
 *   - an abstract Unix socket, bound while the lock is held, with the name
 *     "omp-file-lock-" and two XXH64 digests, in hex, of the path
 *     "<dir>/.<name>.lock.os";
 *   - a file "<dir>/.<name>.lock", created with O_EXCL, that holds
 *     "<pid>:<ms>\n" and is removed afterwards. A stale one, of a process that
 *     has ended, may be taken.
 *
 * It gives up after half a second, so they are held for one write, or for one
 * replacement of a file, not for as long as a session is open. So neither
 * program writes into the other's line.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "session/omp_lock.h"

/* ---- XXH64, as its specification has it --------------------------------- */

static const uint64_t prime[5] = {UINT64_C(0x9E3779B185EBCA87),
                                  UINT64_C(0xC2B2AE3D27D4EB4F),
                                  UINT64_C(0x165667B19E3779F9),
                                  UINT64_C(0x85EBCA77C2B2AE63),
                                  UINT64_C(0x27D4EB2F165667C5)};

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static uint64_t load_word(const unsigned char *at, int bytes)
{
    uint64_t x = 0;

    while (bytes-- > 0)
        x = x << 8 | at[bytes];
    return x;
}

static uint64_t mix_word(uint64_t acc, uint64_t lane)
{
    return rotate(acc + lane * prime[1], 31) * prime[0];
}

static uint64_t merge_lane(uint64_t acc, uint64_t lane)
{
    return (acc ^ mix_word(0, lane)) * prime[0] + prime[3];
}

/* The part that is shorter than a stripe, and the final mix. */
static uint64_t finish_hash(uint64_t acc, const unsigned char *at, size_t left)
{
    for (; left >= 8; at += 8, left -= 8)
        acc = rotate(acc ^ mix_word(0, load_word(at, 8)), 27) * prime[0] +
              prime[3];
    if (left >= 4) {
        acc = rotate(acc ^ load_word(at, 4) * prime[0], 23) * prime[1] +
              prime[2];
        at += 4;
        left -= 4;
    }
    for (; left > 0; at++, left--)
        acc = rotate(acc ^ *at * prime[4], 11) * prime[0];
    acc = (acc ^ acc >> 33) * prime[1];
    acc = (acc ^ acc >> 29) * prime[2];
    return acc ^ acc >> 32;
}

uint64_t omp_lock_hash(quire_bytes text, uint64_t seed)
{
    const unsigned char *at = text.data;
    size_t left = text.len;
    uint64_t lane[4] = {seed + prime[0] + prime[1], seed + prime[1], seed,
                        seed - prime[0]};
    uint64_t acc = seed + prime[4];
    int i;

    if (left >= 32) {
        for (; left >= 32; left -= 32)
            for (i = 0; i < 4; i++, at += 8)
                lane[i] = mix_word(lane[i], load_word(at, 8));
        acc = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) +
              rotate(lane[3], 18);
        for (i = 0; i < 4; i++)
            acc = merge_lane(acc, lane[i]);
    }
    return finish_hash(acc + text.len, at, left);
}

/* ---- the two locks ------------------------------------------------------ */

#define SEED_1 UINT64_C(0x4f4d502d4c4f434b)
#define SEED_2 UINT64_C(0x50492d46494c454c)

/* The socket, bound; -1 and errno, EADDRINUSE when it is taken. */
static int bind_socket(const char *lock_file)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    char os[4096], name[64];
    size_t len;
    int fd, why;

    snprintf(os, sizeof os, "%s.os", lock_file);
    snprintf(name, sizeof name, "omp-file-lock-%016llx%016llx",
             (unsigned long long)omp_lock_hash(bytes_str(os), SEED_1),
             (unsigned long long)omp_lock_hash(bytes_str(os), SEED_2));
    len = strlen(name);
    memcpy(addr.sun_path + 1, name, len);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (const struct sockaddr *)&addr,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) ==
        0)
        return fd;
    why = errno;
    close(fd);
    errno = why;
    return -1;
}

/* Whether the file was left by a process that has ended. */
static bool is_stale(const char *file)
{
    char text[64];
    struct stat st;
    ssize_t n = -1;
    char *end;
    long pid;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0)
        n = fs_read_full(fd, text, sizeof text - 1);
    close(fd);
    if (n < 0)
        return false;
    text[n] = '\0';
    pid = strtol(text, &end, 10);
    if (pid > 0 && *end == ':')
        return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
    /* Not written yet, or malformed: their limit is half a second. */
    return time(NULL) - st.st_mtime > 1;
}

/* 1: created; 0: taken; -1 and errno. */
static int create_file(const char *file, bool *stolen)
{
    struct timespec now;
    char text[64];
    int fd, len, rc;

    fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) {
        *stolen = is_stale(file) && unlink(file) == 0;
        return 0;
    }
    if (fd < 0)
        return -1;
    clock_gettime(CLOCK_REALTIME, &now);
    len = snprintf(text, sizeof text, "%ld:%lld\n", (long)getpid(),
                   (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    rc = fs_write_all(fd, bytes_of(text, (size_t)len));
    close(fd);
    if (rc < 0) {
        rc = errno;
        unlink(file);
        errno = rc;
        return -1;
    }
    return 1;
}

static char *lock_file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char *out = NULL;

    if (asprintf(&out, "%.*s.%s.lock", (int)(base - path), path, base) < 0)
        return NULL;
    return out;
}

quire_status omp_lock_acquire(const char *path, int wait_ms,
                              struct omp_lock *out, quire_error *err)
{
    struct timespec pause = {.tv_nsec = 2000000};
    char *file = lock_file_of(path);
    int rc = 0, left_ms = wait_ms;
    quire_status st;
    bool stolen;

    if (!file)
        return err_memory(err);
    while (rc == 0) {
        stolen = false;
        if (out->socket < 0)
            out->socket = bind_socket(file);
        if (out->socket < 0 && errno != EADDRINUSE)
            rc = -1;
        else if (out->socket >= 0)
            rc = create_file(file, &stolen);
        if (rc == 0 && stolen)
            continue; /* at once: the next attempt finds it free, or taken */
        if (rc == 0 && left_ms <= 0)
            break;
        if (rc == 0)
            nanosleep(&pause, NULL);
        left_ms -= 2;
    }
    if (rc == 1) {
        out->file = file;
        return QUIRE_OK;
    }
    if (rc < 0) {
        st = err_sys(err, errno, "cannot take the lock %s", file);
    } else {
        st = err_set(err, QUIRE_BUSY, "oh-my-pi is writing to %s", path);
        err_next(err, "try again; if no oh-my-pi is running, remove %s", file);
    }
    free(file);
    omp_lock_release(out);
    return st;
}

void omp_lock_release(struct omp_lock *l)
{
    if (l->file)
        unlink(l->file);
    if (l->socket >= 0)
        close(l->socket);
    free(l->file);
    *l = (struct omp_lock)OMP_LOCK_INIT;
}
