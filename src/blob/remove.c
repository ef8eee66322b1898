/* remove.c - remove one blob, whoever refers to it */
#include "base/err.h"
#include "blob/priv.h"

static quire_status remove_row(struct blobs *b, const quire_digest *d,
                               quire_error *err)
{
    uint64_t stored;
    bool in_file;
    quire_status st = db_begin(b->c.db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = blob_table_remove(b->rows, d, INT64_MAX, &in_file, &stored, err);
    if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK;
    return sql_end(b->c.db, st, err);
}

quire_status blob_remove(struct blobs *b, const quire_digest *digest,
                         quire_error *err)
{
    char name[NAME_BYTES];
    quire_status st = lease_lock(b->c.leases, LEASE_EXCLUSIVE, b->c.busy_ms,
                                 err);

    if (st)
        return st;
    trust_set(b, digest, TRUST_DAMAGED); /* the next put writes it again */
    if (b->rows)
        st = remove_row(b, digest, err);
    layout_name(b->c.layout, digest, name);
    if (!st)
        st = object_remove(b->c.files, name, err);
    lease_lock(b->c.leases, LEASE_UNLOCK, 0, NULL);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}
