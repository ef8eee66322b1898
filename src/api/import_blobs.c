/* import_blobs.c - the blobs of an import, collected and put: see import_write.c */
#include "api/import_priv.h"
#include "base/bytes.h"
#include "blob/hash.h"

quire_status import_put_blobs(struct quire_import *im, quire_error *err)
{
    struct blob_view v;
    size_t i, at = 0;
    quire_status st = need_own_blobs(im->q, true, &v, err);

    for (i = 0; i < im->n_pending && !st; at = im->pending[i++].end)
        st = blob_put_asked(v,
                            bytes_of(im->content.data + at,
                                     im->pending[i].end - at),
                            &im->pending[i].digest, 0, NULL, err);
    buf_clear(&im->content);
    im->n_pending = 0;
    return st;
}

static quire_status put_pending(struct quire_import *im, quire_error *err)
{
    quire_status st = quire_transaction_begin(im->q, err);

    if (st)
        return st;
    st = import_put_blobs(im, err);
    if (st)
        quire_transaction_rollback(im->q);
    else
        st = quire_transaction_end(im->q, NULL, err);
    return st;
}

quire_status import_add_blob(struct quire_import *im, quire_bytes content,
                             quire_digest *digest, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (im->n_pending == PENDING_MAX ||
        (im->n_pending && im->content.len + content.len > PENDING_BYTES))
        st = put_pending(im, err);
    if (st)
        return st;
    hash_bytes(content, digest);
    buf_add(&im->content, content.data, content.len);
    im->pending[im->n_pending].digest = *digest;
    im->pending[im->n_pending++].end = im->content.len;
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
