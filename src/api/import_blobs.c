/*
 * import_blobs.c - the blobs of an import, collected and put: see import_write.c
 *
 * Several imports run at once, and one writes at a time. So blobs are hashed and
 * packed before their transaction, which only writes rows. Those before the last one
 * of an import do not wait for the disk: the last one does, for all of them.
 */
#include <string.h>

#include "api/import_priv.h"
#include "base/bytes.h"
#include "blob/hash.h"

static quire_bytes content_of(const struct quire_import *im, size_t i)
{
    return bytes_of(im->content.data + im->pending[i].at, im->pending[i].len);
}

quire_status import_pack_blobs(struct quire_import *im, quire_error *err)
{
    struct blob_view v;
    size_t i;
    quire_status st = need_own_blobs(im->q, true, &v, err);

    buf_clear(&im->packed);
    for (i = 0; i < im->n_pending && !st; i++)
        st = blob_pack(v, content_of(im, i), &im->pending[i].digest,
                       &im->packed, &im->pending[i].packed, err);
    return st;
}

quire_status import_put_blobs(struct quire_import *im, quire_error *err)
{
    struct blob_view v;
    size_t i;
    quire_status st = need_own_blobs(im->q, true, &v, err);

    for (i = 0; i < im->n_pending && !st; i++) {
        const struct import_pending *p = &im->pending[i];

        st = blob_put_packed(v, content_of(im, i), &p->digest, &p->packed,
                             bytes_of(im->packed.data + p->packed.at,
                                      p->packed.len),
                             err);
    }
    if (!st && im->unsynced)
        st = db_settle(im->q->catalog.db, err);
    buf_clear(&im->content);
    im->n_pending = 0;
    return st;
}

/* Without waiting for the disk. */
static quire_status put_pending(struct quire_import *im, quire_error *err)
{
    quire *q = im->q;
    quire_status st = import_pack_blobs(im, err);

    if (!st)
        st = quire_transaction_begin(q, err);
    if (st)
        return st;
    im->unsynced = false;
    st = import_put_blobs(im, err);
    im->unsynced = true;
    db_relax(q->catalog.db, true);
    if (st)
        quire_transaction_rollback(q);
    else
        st = quire_transaction_end(q, NULL, err);
    db_relax(q->catalog.db, q->catalog.relaxed);
    return st;
}

/* The same content among those that are collected: a record often has a text more
 * than once, and the entry refers to it, too. */
static const struct import_pending *find_same(const struct quire_import *im,
                                              quire_bytes content)
{
    size_t i;

    for (i = im->n_pending; i-- > 0;)
        if (im->pending[i].len == content.len &&
            !memcmp(im->content.data + im->pending[i].at, content.data,
                    content.len))
            return &im->pending[i];
    return NULL;
}

quire_status import_add_blob(struct quire_import *im, quire_bytes content,
                             quire_digest *digest, quire_error *err)
{
    const struct import_pending *same = find_same(im, content);
    struct import_pending *p;
    quire_status st = QUIRE_OK;

    if (same) {
        *digest = same->digest;
        return QUIRE_OK;
    }
    if (im->n_pending == PENDING_MAX ||
        (im->n_pending && im->content.len + content.len > PENDING_BYTES))
        st = put_pending(im, err);
    if (st)
        return st;
    hash_bytes(content, digest);
    p = &im->pending[im->n_pending++];
    *p = (struct import_pending){.at = im->content.len,
                                 .len = content.len,
                                 .digest = *digest};
    buf_add(&im->content, content.data, content.len);
    return buf_status(&im->content, "a blob", err);
}

quire_status quire_import_blob(quire_import *im, quire_bytes content,
                               char ref[QUIRE_REF_SIZE], quire_error *err)
{
    quire_digest digest;
    quire_status st = import_add_blob(im, content, &digest, err);

    if (!st)
        quire_ref_format(&digest, ref);
    return st;
}
