/*
 * tenant_access.c - whose a blob is
 *
 * Content is kept once, whoever put it. To know its digest is not to have it: a
 * tenant has what it put, by any door, and nothing else is there for it. Whom
 * the home belongs to has all of it, and needs no rows.
 *
 * A row goes with its blob, and with its tenant. What was put before there were
 * rows is a tenant's if an artifact of its own says so.
 */
#include "base/bytes.h"
#include "blob/priv.h"

void blobs_serve(struct blobs *b, int64_t tenant)
{
    b->owner = b->rows ? tenant : 0;
}

quire_status tenant_can_read(struct blobs *b, const quire_digest *d, bool *has,
                             quire_error *err)
{
    *has = true;
    return b->owner ? blob_table_owned(b->rows, d, b->owner, has, err)
                    : QUIRE_OK;
}

quire_status blob_find_for_tenant(struct blobs *b, const quire_digest *d,
                                  struct blob_location *out, quire_error *err)
{
    bool has;
    quire_status st = tenant_can_read(b, d, &has, err);

    if (st)
        return st;
    return has ? blob_find(b, d, out, err) : QUIRE_NOT_FOUND;
}

quire_status blob_grant(struct blobs *b, const quire_digest *d, int64_t tenant,
                        quire_error *err)
{
    return b->rows && tenant ? blob_table_own(b->rows, d, tenant, err)
                             : QUIRE_OK;
}
