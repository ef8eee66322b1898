/*
 * tenant_access.c - which tenant may read which blob
 *
 * Content is stored once, whichever tenant stored it. Knowing a digest does not
 * grant access: a tenant can read only the blobs it stored, each recorded by a
 * row. The default tenant can read all, so it has no rows.
 *
 * A put by a tenant without the row writes the content again, over the copy of
 * another tenant: see docs/decisions/034-tenant-isolation.md.
 *
 * A row is deleted with its blob, and with its tenant. The schema step that
 * created the table added rows for blobs named by a tenant's artifacts.
 */
#include "base/bytes.h"
#include "blob/priv.h"

quire_status tenant_can_read(struct blob_view v, const quire_digest *d,
                             bool *can, quire_error *err)
{
    *can = true;
    return v.tenant && v.store->rows
               ? blob_table_owned(v.store->rows, d, v.tenant, can, err)
               : QUIRE_OK;
}

quire_status blob_find_for_tenant(struct blob_view v, const quire_digest *d,
                                  struct blob_location *out, quire_error *err)
{
    bool can;
    quire_status st = tenant_can_read(v, d, &can, err);

    if (st)
        return st;
    return can ? blob_find(v.store, d, out, err) : QUIRE_NOT_FOUND;
}

quire_status blob_grant(struct blobs *b, const quire_digest *d, int64_t tenant,
                        quire_error *err)
{
    return b->rows && tenant ? blob_table_own(b->rows, d, tenant, err)
                             : QUIRE_OK;
}
