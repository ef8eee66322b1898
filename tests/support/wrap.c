/*
 * wrap.c - makes the n-th of our own calls fail
 *
 * The test binary is linked with -Wl,--wrap for each name below, so that the
 * library's calls come here. Calls inside shared libraries (SQLite, libc) do
 * not: those have their own seams. Disarmed, each costs one comparison.
 */
#include "support/durability.h"
#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* A test may arm it in one thread while others run. */
static atomic_long countdown; /* 0: disarmed */
static atomic_int fault_errno;
static atomic_bool fault_stays;
static atomic_bool fault_struck;
static const char *_Atomic struck_name = "nothing";

void fault_arm(long n, int error, bool stay)
{
    fault_errno = error;
    fault_stays = stay;
    fault_struck = false;
    struck_name = "nothing";
    countdown = n;
}

bool fault_disarm(void)
{
    countdown = 0;
    return fault_struck;
}

const char *fault_name(void)
{
    return struck_name;
}

/* ---- stopping, instead of failing --------------------------------------- */

static void (*_Atomic stop_at)(const char *name);
static void (*_Atomic pass_time)(int64_t us);

void stop_each(void (*hook)(const char *name))
{
    stop_at = hook;
}

void stop_clock(void (*hook)(int64_t us))
{
    pass_time = hook;
}

/* What only takes memory is no place where the world can change. */
static bool is_stop(const char *name)
{
    return !strstr(name, "alloc") && strcmp(name, "strdup") != 0;
}

bool fault_strikes(const char *name)
{
    void (*hook)(const char *) = stop_at;
    long left;

    if (hook && is_stop(name))
        hook(name);
    if (countdown == 0)
        return false;
    left = atomic_fetch_sub(&countdown, 1) - 1;
    if (left > 0)
        return false;
    /* Below zero: another thread was disarmed, or struck, in between. */
    countdown = fault_stays && left == 0 ? 1 : 0;
    if (left < 0)
        return false;
    if (!fault_struck)
        struck_name = name;
    fault_struck = true;
    errno = fault_errno;
    return true;
}

#define WRAP(ret, fail, name, params, args)                        \
    ret __real_##name params;                                      \
    ret __wrap_##name params;                                      \
    ret __wrap_##name params                                       \
    {                                                              \
        return fault_strikes(#name) ? (fail) : __real_##name args; \
    }

WRAP(void *, NULL, malloc, (size_t n), (n))
WRAP(void *, NULL, calloc, (size_t n, size_t m), (n, m))
WRAP(void *, NULL, realloc, (void *p, size_t n), (p, n))
WRAP(ssize_t, -1, read, (int d, void *p, size_t n), (d, p, n))
WRAP(ssize_t, -1, pread, (int d, void *p, size_t n, off_t o), (d, p, n, o))
WRAP(int, -1, unlinkat, (int d, const char *p, int f), (d, p, f))
WRAP(int, -1, fstat, (int d, struct stat *s), (d, s))
WRAP(int, -1, fstatat, (int d, const char *p, struct stat *s, int f),
     (d, p, s, f))
WRAP(int, -1, statx, (int d, const char *p, int f, unsigned m, struct statx *s),
     (d, p, f, m, s))
WRAP(int, -1, futimens, (int d, const struct timespec t[2]), (d, t))
WRAP(int, -1, renameat2,
     (int a, const char *p, int b, const char *q, unsigned f), (a, p, b, q, f))
WRAP(char *, NULL, strdup, (const char *s), (s))
WRAP(int, -1, flock, (int d, int op), (d, op))
WRAP(off_t, -1, lseek, (int d, off_t o, int w), (d, o, w))
WRAP(DIR *, NULL, fdopendir, (int d), (d))
WRAP(int, -1, fchmod, (int d, mode_t m), (d, m))
WRAP(int, -1, socket, (int a, int b, int c), (a, b, c))
WRAP(int, -1, bind, (int d, const struct sockaddr *a, socklen_t n), (d, a, n))

/* The same for calls that a power cut could undo: `before` and `after` tell
 * lasting.c what was done. */
#define WATCH(ret, name, params, args, before, after) \
    ret __real_##name params;                         \
    ret __wrap_##name params;                         \
    ret __wrap_##name params                          \
    {                                                 \
        ret rc;                                       \
                                                      \
        if (fault_strikes(#name))                     \
            return -1;                                \
        before;                                       \
        rc = __real_##name args;                      \
        if (rc >= 0)                                  \
            after;                                    \
        return rc;                                    \
    }

#define NOTHING (void)0

WATCH(ssize_t, write, (int d, const void *p, size_t n), (d, p, n), NOTHING,
      lasting_mark(d))
WATCH(ssize_t, pwrite, (int d, const void *p, size_t n, off_t o), (d, p, n, o),
      NOTHING, lasting_mark(d))
WATCH(int, ftruncate, (int d, off_t n), (d, n), NOTHING, lasting_mark(d))
WATCH(int, fsync, (int d), (d), NOTHING, lasting_synced(d))
WATCH(int, fdatasync, (int d), (d), NOTHING, lasting_synced(d))
WATCH(int, syncfs, (int d), (d), NOTHING, lasting_all_synced())
WATCH(int, mkdirat, (int d, const char *p, mode_t m), (d, p, m), NOTHING,
      lasting_mark(d))
WATCH(int, renameat, (int a, const char *p, int b, const char *q), (a, p, b, q),
      lasting_named(a, p, false), lasting_mark(b))
WATCH(int, linkat, (int a, const char *p, int b, const char *q, int f),
      (a, p, b, q, f), lasting_named(a, p, f &AT_SYMLINK_FOLLOW),
      lasting_mark(b))

/* A failed close still closes: what the kernel does. */
int __real_close(int d);
int __wrap_close(int d);
int __wrap_close(int d)
{
    int failed = fault_strikes("close");
    int rc = __real_close(d);

    return failed ? -1 : rc;
}

int __real_open(const char *p, int flags, ...);
int __wrap_open(const char *p, int flags, ...);
int __wrap_open(const char *p, int flags, ...)
{
    va_list ap;
    mode_t mode;

    va_start(ap, flags);
    mode = va_arg(ap, mode_t);
    va_end(ap);
    return fault_strikes("open") ? -1 : __real_open(p, flags, mode);
}

int __real_openat(int d, const char *p, int flags, ...);
int __wrap_openat(int d, const char *p, int flags, ...);
int __wrap_openat(int d, const char *p, int flags, ...)
{
    va_list ap;
    mode_t mode;

    va_start(ap, flags);
    mode = va_arg(ap, mode_t);
    va_end(ap);
    return fault_strikes("openat") ? -1 : __real_openat(d, p, flags, mode);
}

/* Its last argument is a number or an address; a long holds either. */
int __real_fcntl(int d, int op, ...);
int __wrap_fcntl(int d, int op, ...);
int __wrap_fcntl(int d, int op, ...)
{
    va_list ap;
    long arg;

    va_start(ap, op);
    arg = va_arg(ap, long);
    va_end(ap);
    return fault_strikes("fcntl") ? -1 : __real_fcntl(d, op, arg);
}

/* openat2(2) has no wrapper in this libc: it is syscall() of four words. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list ap;
    long a, b, c, d;

    va_start(ap, number);
    a = va_arg(ap, long);
    b = va_arg(ap, long);
    c = va_arg(ap, long);
    d = va_arg(ap, long);
    va_end(ap);
    return fault_strikes("syscall") ? -1 : __real_syscall(number, a, b, c, d);
}

/* Whoever waits for a clock that a test has made waits no longer than that. */
int __real_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    void (*hook)(int64_t) = pass_time;

    if (!hook)
        return __real_nanosleep(t, left);
    hook((int64_t)t->tv_sec * 1000000 + (t->tv_nsec + 999) / 1000);
    return 0;
}
