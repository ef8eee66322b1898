/*
 * s3_draft.c - writing an object of a bucket
 *
 * Its name comes last, and so does its SHA-256, which the request has in its
 * head: a draft is kept until it is published, in memory while it is small.
 */
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "store/s3_calls.h"
#include "store/s3_priv.h"
#include "store/s3_upload.h"

#define MEMORY_MAX ((size_t)1 << 20)

struct s3_draft {
    struct draft base;
    struct s3_store *store;
    struct buf bytes; /* all of them, unless spilled */
    bool spilled;
    struct fs_temp file;
    int dir; /* of the file; -1 */
    uint64_t size;
    struct sha256_ctx hash;
};

quire_status s3_draft_create(struct s3_store *s, struct draft **out,
                             quire_error *err)
{
    struct s3_draft *d = malloc(sizeof *d);

    if (!d)
        return err_memory(err);
    *d = (struct s3_draft){.store = s,
                           .bytes = BUF_INIT(MEMORY_MAX),
                           .file = FS_TEMP_INIT,
                           .dir = -1};
    sha256_init(&d->hash);
    *out = &d->base;
    return QUIRE_OK;
}

void s3_draft_discard(struct draft *base)
{
    struct s3_draft *d = (struct s3_draft *)base;

    if (d->spilled)
        fs_temp_release(&d->file);
    if (d->dir >= 0)
        close(d->dir);
    buf_release(&d->bytes);
    free(d);
}

static quire_status fail_spool(const struct s3_draft *d, quire_error *err)
{
    quire_status st = err_sys(err, errno,
                              "cannot write a temporary file in "
                              "%.120s",
                              d->store->spool);

    err_next(err, "free space there, or set TMPDIR to another directory");
    return st;
}

/* From memory to a file. */
static quire_status spill(struct s3_draft *d, quire_error *err)
{
    d->dir = open(d->store->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->dir < 0 || fs_temp_open(&d->file, d->dir) < 0)
        return fail_spool(d, err);
    d->spilled = true;
    if (fs_write_all(d->file.fd, buf_bytes(&d->bytes)) < 0)
        return fail_spool(d, err);
    buf_release(&d->bytes);
    return QUIRE_OK;
}

quire_status s3_draft_write(struct draft *base, quire_bytes bytes,
                            quire_error *err)
{
    struct s3_draft *d = (struct s3_draft *)base;
    quire_status st = QUIRE_OK;

    if (!d->spilled && bytes.len > MEMORY_MAX - d->bytes.len)
        st = spill(d, err);
    if (!st && d->spilled) {
        if (fs_write_all(d->file.fd, bytes) < 0)
            st = fail_spool(d, err);
    } else if (!st) {
        buf_add(&d->bytes, bytes.data, bytes.len);
        st = buf_status(&d->bytes, "an object", err);
    }
    if (st)
        return st;
    sha256_update(&d->hash, bytes.len, bytes.data);
    d->size += bytes.len;
    return QUIRE_OK;
}

/* ---- publishing ----------------------------------------------------------- */

/* Remember a name for a rollback, before it exists. */
static quire_status note_published(struct s3_store *s, const char *key,
                                   quire_error *err)
{
    struct s3_published *p = malloc(sizeof *p + strlen(key) + 1);

    if (!p)
        return err_memory(err);
    strcpy(p->key, key);
    p->next = s->published;
    s->published = p;
    return QUIRE_OK;
}

static quire_status send(struct s3_draft *d, const char *key, quire_error *err)
{
    struct sha256_ctx hash = d->hash; /* the digest ends it */
    uint8_t digest[SHA256_DIGEST_SIZE];
    char sha256[SIGV4_SHA256_SIZE];
    struct s3_body body = {.bytes = buf_bytes(&d->bytes),
                           .from_file = d->spilled,
                           .fd = d->file.fd,
                           .len = d->size,
                           .sha256 = sha256};

    sha256_digest(&hash, sizeof digest, digest);
    hex_encode(digest, sizeof digest, sha256);
    return s3_upload(d->store->client, key, &body, err);
}

quire_status s3_draft_publish(struct draft *base, const char *name,
                              bool replace, quire_error *err)
{
    struct s3_draft *d = (struct s3_draft *)base;
    struct s3_response a;
    char *key = NULL;
    quire_status st = s3_key_of(d->store, name, &key, err);

    if (!st && !replace) {
        st = s3_head(d->store->client, key, &a, err);
        st = st == QUIRE_NOT_FOUND ? QUIRE_OK : st ? st : QUIRE_EXISTS;
        if (!st && d->store->batch)
            st = note_published(d->store, key, err);
    }
    if (!st)
        st = send(d, key, err);
    free(key);
    if (st != QUIRE_EXISTS)
        s3_draft_discard(base);
    return st;
}
