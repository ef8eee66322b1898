#include "base/clock.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>

#include "base/err.h"

static int64_t system_now_us(void *ctx)
{
    struct timespec ts;

    (void)ctx;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

const struct clock clock_system = {system_now_us, NULL};

int64_t clock_file_us(const struct clock *c)
{
    struct timespec ts;

    if (c->now_us != system_now_us)
        return clock_us(c);
    clock_gettime(CLOCK_REALTIME_COARSE, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int fill_from_system(void *ctx, void *buf, size_t len)
{
    char *at = buf;

    (void)ctx;
    while (len > 0) {
        ssize_t n = getrandom(at, len, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        at += n;
        len -= (size_t)n;
    }
    return 1;
}

const struct rand_source rand_system = {fill_from_system, NULL};

quire_status rand_bytes(const struct rand_source *r, void *buf, size_t len,
                        quire_error *err)
{
    if (r->fill(r->ctx, buf, len))
        return QUIRE_OK;
    return err_set(err, QUIRE_IO, "cannot read random bytes from the system");
}

int64_t clock_steady_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}
