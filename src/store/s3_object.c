/*
 * s3_object.c - reading an object of a bucket
 *
 * A window of the object is in memory. Opening fetches the first one, which is
 * all of a small object; reading on fetches larger ones, up to 4 MiB, so that
 * a reader of small pieces does not ask for each. What is fetched in order from
 * the begin is hashed, and at the end compared.
 */
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/s3_calls.h"
#include "store/s3_priv.h"

enum {
    WINDOW_FIRST = 1024 * 1024,
    WINDOW_MIN = 64 * 1024, /* of a reader that jumps */
    WINDOW_MAX = 4 * 1024 * 1024,
};

struct s3_object {
    struct object base;
    struct s3_client *client;
    char *key;
    uint64_t size;
    char etag[S3_ETAG_SIZE];
    char want[SIGV4_SHA256_SIZE]; /* "": none was kept */

    struct buf window;
    uint64_t from; /* where it begins */

    struct sha256_ctx hash;
    uint64_t hashed; /* so many bytes from the begin */
    bool damaged;
};

void s3_fill_info(const struct s3_response *a, int64_t size,
                  struct object_info *info)
{
    int64_t modified_s = a->modified_s < 0 ? 0 : a->modified_s;

    *info = (struct object_info){.size = (uint64_t)size,
                                 .modified_s = modified_s,
                                 .modified_ns = modified_s * 1000000000};
}

static void hash_window(struct s3_object *o)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    char hex[SIGV4_SHA256_SIZE];

    if (o->from != o->hashed)
        return;
    sha256_update(&o->hash, o->window.len, (const uint8_t *)o->window.data);
    o->hashed += o->window.len;
    if (o->hashed != o->size || !*o->want)
        return;
    sha256_digest(&o->hash, sizeof digest, digest);
    hex_encode(digest, sizeof digest, hex);
    o->damaged = strcmp(hex, o->want) != 0;
}

/* ---- opening -------------------------------------------------------------- */

/* The first window, and what is known of the object. */
static quire_status fetch_first(struct s3_object *o, struct object_info *info,
                                quire_error *err)
{
    struct s3_response a;
    quire_status st;

    o->window.max = WINDOW_FIRST;
    st = s3_get(o->client, o->key, 0, &o->window, &a, err);
    if (!st && a.status == 416) {
        /* Empty: such an answer has neither its time nor its SHA-256. */
        st = s3_head(o->client, o->key, &a, err);
        if (!st && a.length != 0)
            st = err_set(err, QUIRE_IO,
                         "%.120s: the store has no byte of an object of %lld",
                         o->key, (long long)a.length);
        a.total = a.length;
    }
    if (st)
        return st;
    o->size = (uint64_t)a.total;
    memcpy(o->etag, a.etag, sizeof o->etag);
    memcpy(o->want, a.content_sha256, sizeof o->want);
    s3_fill_info(&a, a.total, info);
    hash_window(o);
    return QUIRE_OK;
}

quire_status s3_object_open(struct s3_store *s, const char *name,
                            struct object **out, struct object_info *info,
                            quire_error *err)
{
    struct s3_object *o = calloc(1, sizeof *o);
    quire_status st;

    if (!o)
        return err_memory(err);
    o->client = s->client;
    sha256_init(&o->hash);
    st = s3_key_of(s, name, &o->key, err);
    if (!st)
        st = fetch_first(o, info, err);
    if (st) {
        s3_object_close(&o->base);
        return st;
    }
    *out = &o->base;
    return QUIRE_OK;
}

void s3_object_close(struct object *base)
{
    struct s3_object *o = (struct s3_object *)base;

    buf_release(&o->window);
    free(o->key);
    free(o);
}

/* ---- reading -------------------------------------------------------------- */

static quire_status has_changed(const struct s3_object *o, quire_error *err)
{
    return err_fail(err, QUIRE_CHANGED, "read it again from its begin",
                    "the object %.120s was replaced or removed while it was "
                    "read",
                    o->key);
}

static quire_status fetch(struct s3_object *o, uint64_t from, size_t wanted,
                          quire_error *err)
{
    bool in_order = from == o->from + o->window.len;
    size_t cap = in_order ? 2 * o->window.max : WINDOW_MIN;
    struct s3_response a;
    quire_status st;

    if (cap < wanted)
        cap = wanted;
    if (cap > WINDOW_MAX)
        cap = WINDOW_MAX;
    if (cap > o->size - from)
        cap = (size_t)(o->size - from);
    o->window.max = cap;
    o->from = from;
    st = s3_get(o->client, o->key, from, &o->window, &a, err);
    if (st)
        buf_clear(&o->window);
    if (st == QUIRE_NOT_FOUND)
        return has_changed(o, err);
    if (st)
        return st;
    if ((uint64_t)a.total != o->size || strcmp(a.etag, o->etag) != 0) {
        buf_clear(&o->window);
        return has_changed(o, err);
    }
    hash_window(o);
    return QUIRE_OK;
}

quire_status s3_object_read(struct object *base, uint64_t offset, void *buf,
                            size_t cap, size_t *n, quire_error *err)
{
    struct s3_object *o = (struct s3_object *)base;
    size_t len;

    *n = 0;
    if (offset < o->size && cap > o->size - offset)
        cap = (size_t)(o->size - offset);
    for (;;) {
        if (o->damaged)
            return err_fail(err, QUIRE_DAMAGED,
                            "restore it from a backup; check the store",
                            "the object %.120s is not what was stored: its "
                            "SHA-256 differs",
                            o->key);
        if (offset >= o->size || *n == cap)
            return QUIRE_OK;
        if (offset < o->from || offset >= o->from + o->window.len) {
            quire_status st = fetch(o, offset, cap - *n, err);

            if (st)
                return st;
            continue;
        }
        len = (size_t)(o->from + o->window.len - offset);
        if (len > cap - *n)
            len = cap - *n;
        memcpy((char *)buf + *n, o->window.data + (offset - o->from), len);
        *n += len;
        offset += len;
    }
}
