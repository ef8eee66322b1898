#include "support/persist.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/json.h"
#include "session/persist.h"

struct buf txt_fresh(void)
{
    return (struct buf)BUF_INIT((size_t)1 << 30);
}

const char *txt_kept(struct buf *b)
{
    char *copy = test_alloc(b->len + 1);

    NO(b->failed);
    memcpy(copy, b->data, b->len);
    copy[b->len] = '\0';
    buf_release(b);
    return copy;
}

const char *txt_join(const char *a, const char *b, const char *c)
{
    struct buf out = txt_fresh();

    buf_add_str(&out, a);
    buf_add_str(&out, b);
    buf_add_str(&out, c);
    return txt_kept(&out);
}

const char *txt_run(const char *unit, size_t n)
{
    struct buf out = txt_fresh();

    while (n--)
        buf_add_str(&out, unit);
    return txt_kept(&out);
}

/* Base64 of noise, `n` characters of it; a multiple of four. */
const char *txt_noise64(uint64_t seed, size_t n)
{
    struct buf out = txt_fresh();
    size_t raw = n / 4 * 3;
    void *noise = test_alloc(raw);

    test_noise(seed, noise, raw);
    base64_encode(bytes_of(noise, raw), &out);
    return txt_kept(&out);
}

const char *txt_persisted_as(const char *entry, struct blobs *blobs, bool omp)
{
    struct arena tmp = ARENA_INIT;
    struct buf out = txt_fresh();
    size_t len = strlen(entry);
    char *exact = malloc(len);

    /* Without a NUL, for a sanitizer to see the end. */
    memcpy(exact, entry, len);
    OK(persist_entry(bytes_of(exact, len), blob_view_all(blobs), omp, &tmp,
                     &out, &test_err));
    free(exact);
    arena_release(&tmp);
    return txt_kept(&out);
}

/* Whatever comes out needs nothing more. */
const char *txt_persisted(const char *entry, struct blobs *blobs)
{
    const char *once = txt_persisted_as(entry, blobs, false);

    YES(json_check(bytes_str(once), 0, NULL));
    YES(!strcmp(once, txt_persisted_as(once, blobs, false)));
    return once;
}

void txt_stays(const char *entry, struct blobs *blobs)
{
    const char *out = txt_persisted(entry, blobs);

    if (strcmp(entry, out) != 0)
        SAME_TEXT(strlen(entry) < 2000 ? entry : "the same",
                  strlen(out) < 2000 ? out : "something else");
}

void txt_becomes(const char *want, const char *entry)
{
    const char *out = txt_persisted(entry, NULL);

    if (strcmp(want, out) != 0)
        SAME_TEXT(strlen(want) < 2000 ? want : "what was wanted",
                  strlen(out) < 2000 ? out : "something else");
}

int persist_missing;

static void count_missing(void *ctx, const quire_digest *d)
{
    (void)ctx;
    (void)d;
    persist_missing++;
}

const char *txt_hydrated(const char *value, struct blobs *blobs)
{
    struct arena tmp = ARENA_INIT;
    struct buf out = txt_fresh();

    persist_missing = 0;
    OK(persist_hydrate(bytes_str(value), blob_view_all(blobs), &tmp, &out,
                       count_missing, NULL, &test_err));
    arena_release(&tmp);
    return txt_kept(&out);
}
