/* prices.c - see prices.h */
#include "api/prices.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/core/handle.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fs.h"

static quire_status fail(const char *path, int number, quire_error *err)
{
    quire_error why = {0};

    err_sys(&why, number, "cannot read the table of prices %s", path);
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL "`quire config set prices.file` returns to the "
                               "built-in one",
                    "%s", why.what);
}

static quire_status read_file(const char *path, struct buf *out,
                              quire_error *err)
{
    struct stat st;
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return fail(path, errno, err);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_size <= PRICES_BYTES_MAX && buf_room(out, (size_t)st.st_size + 1))
        n = fs_read_at(fd, out->data, (size_t)st.st_size, 0);
    else
        errno = EFBIG;
    if (n < 0) {
        int number = errno;

        close(fd);
        return fail(path, number, err);
    }
    out->len = (size_t)n;
    close(fd);
    return QUIRE_OK;
}

quire_status prices_load(struct quire *q, struct arena *keep,
                         struct prices *out, quire_error *err)
{
    struct buf text = BUF_INIT(PRICES_BYTES_MAX + 1);
    quire_setting s = {.value = ""};
    quire_error why = {0};
    quire_status st = need_catalog(q, false, err);

    *out = (struct prices){.n = 0};
    if (!st)
        st = settings_get(&q->catalog, q->tenant, "prices.file", keep, &s, err);
    if (st || !*s.value)
        return st;
    st = read_file(s.value, &text, err);
    if (!st) {
        st = prices_read(buf_bytes(&text), keep, out, &why);
        if (st == QUIRE_INVALID)
            st = err_fail(err, st, why.next, "%s: %s", s.value, why.what);
        else if (st)
            st = err_memory(err);
    }
    buf_release(&text);
    return st;
}

struct hour_cost prices_apply(const struct prices *own,
                              const struct activity_hour *h, const char *model)
{
    struct hour_cost c = {.reported = h->cost_nano_usd / 1000};
    uint64_t tokens = 0;
    const struct price *p;
    int k;

    for (k = 0; k < N_TOKENS; k++)
        tokens += h->unpriced[k];
    p = tokens ? prices_find(own, model) : NULL;
    if (p)
        c.computed = price_nano(p, h->unpriced) / 1000;
    else
        c.unpriced = tokens;
    return c;
}

const char *prices_source(uint64_t cost, uint64_t computed, uint64_t unpriced)
{
    return !cost      ? "unknown"
           : unpriced ? "partial"
           : computed ? "computed"
                      : "reported";
}
