/*
 * register_file.c - add the row of a blob file that has none
 *
 * A crash between file and row leaves such a file, and so does the loss of the
 * database. Its row is added only after its whole content was verified.
 */
#include "base/err.h"
#include "blob/priv.h"

static quire_status count_problem(void *ctx, quire_bytes bytes,
                                  quire_error *err)
{
    (void)err;
    *(uint64_t *)ctx += bytes.len;
    return QUIRE_OK;
}

/* In a transaction. Another process may have added it meanwhile. */
static quire_status add_row(struct blobs *b, const quire_digest *d,
                            const struct blob_location *p, quire_error *err)
{
    struct blob_location now;
    quire_status st = blob_table_find(b->rows, d, 0, &now, err);

    return st == QUIRE_NOT_FOUND
               ? blob_table_add(b->rows, d, p, false, NULL, err)
               : st;
}

static quire_status register_one(struct blobs *b, const quire_digest *d,
                                 quire_error *err)
{
    struct db *db = b->c.db;
    enum damage damage;
    uint64_t size = 0;
    struct blob_location p;
    quire_status st = blob_find(b, d, &p, err);

    if (st || p.has_row)
        return st;
    st = blob_stream(b, d, &p, 0, UINT64_MAX, count_problem, &size, &damage,
                     err);
    if (!st && damage)
        st = blob_damaged(b, d, &p, damage, err);
    if (!st)
        st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (st)
        return st;
    p.size = size;
    p.seen_s = clock_us(b->c.clock) / 1000000;
    st = add_row(b, d, &p, err);
    return sql_end(db, st, err);
}

quire_status blob_register_file(struct blobs *b, const quire_digest *digest,
                                quire_error *err)
{
    quire_status st;

    if (!b->rows)
        return err_set(err, QUIRE_INVALID,
                       "only a packed store has rows for its blobs");
    st = blobs_lock(b, err);
    if (st)
        return st;
    st = register_one(b, digest, err);
    blobs_unlock(b);
    return st;
}
