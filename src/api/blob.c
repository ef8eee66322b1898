/* blob.c - blobs, as quire/blob.h has them */
#include <ctype.h>
#include <string.h>

#include "api/core/handle.h"
#include "api/verify.h"
#include "base/err.h"
#include "base/opts.h"
#include "blob/hash.h"

quire_status quire_blob_put(quire *q, quire_bytes content, unsigned flags,
                            quire_blob_info *info, quire_error *err)
{
    struct blob_view v;
    quire_status st = need_own_blobs(q, true, &v, err);

    return st ? st : blob_put(v, content, flags, info, err);
}

quire_status quire_blob_put_stream(quire *q, quire_read_fn read, void *ctx,
                                   unsigned flags, quire_blob_info *info,
                                   quire_error *err)
{
    struct blob_view v;
    quire_status st = need_own_blobs(q, true, &v, err);

    if (st)
        return st;
    q->in_callback = true;
    st = blob_put_stream(v, read, ctx, flags, info, err);
    q->in_callback = false;
    return st;
}

quire_status quire_blob_put_fd(quire *q, int fd, unsigned flags,
                               quire_blob_info *info, quire_error *err)
{
    struct blob_view v;
    quire_status st = need_own_blobs(q, true, &v, err);

    return st ? st : blob_put_fd(v, fd, flags, info, err);
}

/* Add a message to QUIRE_NOT_FOUND. */
static quire_status report_absent(const struct quire *q, const quire_digest *d,
                                  quire_status st, quire_error *err)
{
    if (st != QUIRE_NOT_FOUND)
        return st;
    err_fail(err, st,
             HINT_SHELL
             "`quire blob ls` lists what is there; --home or --store "
             "names another place",
             "no blob %s in %s", digest_short(d).s, q->home);
    return st;
}

quire_status quire_blob_stat(quire *q, const quire_digest *digest,
                             quire_blob_info *info, quire_error *err)
{
    struct blob_view v;
    quire_status st = need_own_blobs(q, false, &v, err);

    return st ? st
              : report_absent(q, digest, blob_stat(v, digest, info, err), err);
}

quire_status quire_blob_get(quire *q, const quire_digest *digest,
                            quire_bytes *out, quire_error *err)
{
    struct blob_view v;
    quire_status st = need_own_blobs(q, false, &v, err);

    return st ? st
              : report_absent(q, digest, blob_get(v, digest, out, err), err);
}

static quire_status read_out(struct quire *q, struct blob_view v,
                             const quire_digest *digest, uint64_t from,
                             uint64_t to, quire_write_fn write, void *ctx,
                             quire_error *err)
{
    quire_status st;

    q->in_callback = true;
    st = blob_read(v, digest, from, to, write, ctx, err);
    q->in_callback = false;
    return report_absent(q, digest, st, err);
}

quire_status read_whole(struct quire *q, const quire_digest *digest,
                        quire_write_fn write, void *ctx, quire_error *err)
{
    quire_status st = need_blobs(q, false, err);

    return st ? st
              : read_out(q, blob_view_all(q->blobs), digest, 0, UINT64_MAX,
                         write, ctx, err);
}

quire_status quire_blob_read(quire *q, const quire_digest *digest,
                             uint64_t from, uint64_t to, quire_write_fn write,
                             void *ctx, quire_error *err)
{
    struct blob_view v;
    quire_status st = need_own_blobs(q, false, &v, err);

    return st ? st : read_out(q, v, digest, from, to, write, ctx, err);
}

quire_status quire_blob_path(quire *q, const quire_digest *digest,
                             const char **path, quire_error *err)
{
    struct blob_view v;
    quire_status st = need_own_blobs(q, false, &v, err);

    *path = NULL;
    if (st)
        return st;
    arena_reset(&q->loan);
    *path = v.store ? blob_path(v, digest, &q->loan) : NULL;
    return *path ? QUIRE_OK : err_memory(err);
}

/* Content is stored once for all tenants: only the default tenant, which owns the
 * home, may list it. */
static quire_status need_all_blobs(struct quire *q, quire_error *err)
{
    quire_status st = need_blobs(q, false, err);

    if (st || q->tenant == TENANT_DEFAULT)
        return st;
    return err_fail(
        err, QUIRE_INVALID,
        HINT_SHELL "leave out --tenant, or give the whole digest",
        "blobs are stored for all tenants together and are not listed "
        "for one tenant");
}

quire_status quire_blob_list(quire *q, quire_blob_fn each, void *ctx,
                             quire_error *err)
{
    quire_status st = need_all_blobs(q, err);

    if (st)
        return st;
    q->in_callback = true;
    st = blob_list(q->blobs, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_blob_check(quire *q, const quire_digest *only,
                              const quire_check_hooks *hooks, quire_error *err)
{
    quire_check_hooks h;
    struct blob_view v;
    quire_status st = only ? need_own_blobs(q, false, &v, err)
                           : need_all_blobs(q, err);

    if (st)
        return st;
    read_check_hooks(hooks, &h);
    q->in_callback = true;
    st = only ? blob_check(v, only, &h, err) : verify_all_blobs(q, 0, &h, err);
    q->in_callback = false;
    return only ? report_absent(q, only, st, err) : st;
}

/* The shortest prefix that is looked up. Six digits are unique among thousands of
 * blobs, and few English words of that length are all hex. */
#define PREFIX_MIN 6

/* The digest prefix in `text`, in lower case; false if it is not one. */
static bool read_prefix(const char *text, char lower[65])
{
    static const char *const schemes[] = {"blob:sha256:", "sha256:"};
    const char *hex = text;
    size_t i, len;

    for (i = 0; i < sizeof schemes / sizeof *schemes && hex == text; i++) {
        len = strlen(schemes[i]);
        if (strncmp(text, schemes[i], len) == 0)
            hex = text + len;
    }
    len = strlen(hex);
    if (len < PREFIX_MIN || len >= 64 ||
        strspn(hex, "0123456789abcdefABCDEF") != len)
        return false;
    for (i = 0; i <= len; i++)
        lower[i] = (char)tolower((unsigned char)hex[i]);
    return true;
}

quire_status quire_blob_resolve(quire *q, const char *text, quire_digest *out,
                                quire_error *err)
{
    char hex[65];
    quire_status st;

    if (!read_prefix(text, hex))
        return quire_ref_parse(text, out, err);
    st = need_all_blobs(q, err);
    if (!st)
        st = blob_find_prefix(q->blobs, hex, out, err);
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st, HINT_SHELL "`quire blob ls` lists what is there",
                 "no blob in %s begins with %s", q->home, hex);
    } else if (st == QUIRE_EXISTS) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL "give more digits; `quire blob ls` lists them",
                      "several blobs begin with %s", hex);
    }
    return st;
}
