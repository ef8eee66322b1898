/*
 * ref_counts.c - the number of sources that refer to a key
 *
 * A bucket is a row: records of twelve bytes, a key and a count, ascending by
 * key. Changing some keys merges them in, bucket by bucket; both sides are
 * sorted, so that is one pass.
 */
#include <endian.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "gc/ref_index_priv.h"

enum { RECORD = 12, BUCKET_SHIFT = 52, N_BUCKETS = 4096 };

/* Buckets written in one transaction when all of them are. */
enum { BUCKETS_AT_ONCE = 128 };

static int64_t bucket_of(uint64_t key)
{
    return (int64_t)(key >> BUCKET_SHIFT);
}

struct record {
    uint64_t key;
    uint32_t n;
};

static struct record record_at(const char *at)
{
    struct record r;

    memcpy(&r.key, at, 8);
    memcpy(&r.n, at + 8, 4);
    return (struct record){le64toh(r.key), le32toh(r.n)};
}

static void add_record(struct buf *out, uint64_t key, uint32_t n)
{
    uint64_t k = htole64(key);
    uint32_t count = htole32(n);

    buf_add(out, &k, 8);
    buf_add(out, &count, 4);
}

/* ---- rows --------------------------------------------------------------- */

static quire_status load_bucket(struct ref_index *l, int64_t bucket,
                                quire_error *err)
{
    struct stmt *s;
    quire_bytes counts;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_BUCKET, &s, err);

    l->bucket = -1;
    buf_clear(&l->held);
    if (st)
        return st;
    stmt_bind_int(s, 1, bucket);
    st = sql_row(s, err);
    if (!st) {
        counts = stmt_column_bytes(s, 0);
        if (counts.len % RECORD)
            st = err_set(err, QUIRE_DAMAGED,
                         "the table of references is damaged");
        else
            buf_add(&l->held, counts.data, counts.len);
    }
    stmt_reset(s);
    if (!st)
        st = buf_status(&l->held, "the table of references", err);
    if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK;
    if (!st)
        l->bucket = bucket;
    return st;
}

static quire_status store_bucket(struct ref_index *l, int64_t bucket,
                                 const struct buf *counts, quire_error *err)
{
    bool empty = counts->len == 0;
    struct stmt *s;
    quire_status st = buf_status(counts, "the table of references", err);

    l->bucket = -1;
    if (!st)
        st = sql_use(&l->sql,
                     empty ? REF_INDEX_SQL_DROP_BUCKET
                           : REF_INDEX_SQL_SET_BUCKET,
                     &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, bucket);
    if (!empty)
        stmt_bind_bytes(s, 2, buf_bytes(counts));
    return sql_run(s, err);
}

/* Between transactions only store_bucket() of this process changes a loaded
 * bucket: there is one collector at a time. */
quire_status ref_counts_get(struct ref_index *l, uint64_t key, uint32_t *n,
                            quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t from = 0, to;

    *n = 0;
    if (l->bucket != bucket_of(key))
        st = load_bucket(l, bucket_of(key), err);
    if (st)
        return st;
    to = l->held.len / RECORD;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        struct record r = record_at(l->held.data + middle * RECORD);

        if (r.key == key) {
            *n = r.n;
            break;
        }
        if (r.key < key)
            from = middle + 1;
        else
            to = middle;
    }
    return QUIRE_OK;
}

/* ---- changes ------------------------------------------------------------ */

/* Three sorted lists to merge. */
struct merge {
    const char *old, *old_end;
    const struct digest_set *gone, *come;
    size_t gone_at, come_at;
};

static uint64_t least_key(const struct merge *m, int64_t bucket, bool *any)
{
    uint64_t key = UINT64_MAX;

    *any = m->old < m->old_end;
    if (*any)
        key = record_at(m->old).key;
    if (m->gone_at < m->gone->n &&
        bucket_of(m->gone->at[m->gone_at]) == bucket) {
        if (!*any || m->gone->at[m->gone_at] < key)
            key = m->gone->at[m->gone_at];
        *any = true;
    }
    if (m->come_at < m->come->n &&
        bucket_of(m->come->at[m->come_at]) == bucket) {
        if (!*any || m->come->at[m->come_at] < key)
            key = m->come->at[m->come_at];
        *any = true;
    }
    return key;
}

static quire_status merge_bucket(struct ref_index *l, struct merge *m,
                                 int64_t bucket, quire_error *err)
{
    quire_status st = load_bucket(l, bucket, err);
    bool any = true;

    if (st)
        return st;
    m->old = l->held.data;
    m->old_end = m->old + l->held.len;
    buf_clear(&l->buf);
    for (;;) {
        uint64_t key = least_key(m, bucket, &any);
        int64_t n = 0;

        if (!any)
            break;
        if (m->old < m->old_end && record_at(m->old).key == key) {
            n = record_at(m->old).n;
            m->old += RECORD;
        }
        for (; m->gone_at < m->gone->n && m->gone->at[m->gone_at] == key; n--)
            m->gone_at++;
        for (; m->come_at < m->come->n && m->come->at[m->come_at] == key; n++)
            m->come_at++;
        if (n > 0)
            add_record(&l->buf, key, (uint32_t)n);
    }
    return store_bucket(l, bucket, &l->buf, err);
}

quire_status ref_counts_update(struct ref_index *l,
                               const struct digest_set *gone,
                               const struct digest_set *come, quire_error *err)
{
    struct merge m = {.gone = gone, .come = come};
    quire_status st = QUIRE_OK;

    while (!st && (m.gone_at < gone->n || m.come_at < come->n)) {
        uint64_t a = m.gone_at < gone->n ? gone->at[m.gone_at] : UINT64_MAX;
        uint64_t b = m.come_at < come->n ? come->at[m.come_at] : UINT64_MAX;

        st = merge_bucket(l, &m, bucket_of(a < b ? a : b), err);
    }
    return st;
}

/* ---- rebuild ------------------------------------------------------------ */

quire_status ref_counts_collect(struct ref_index *l, struct digest_set *all,
                                quire_error *err)
{
    struct digest_set some = KEYS_INIT;
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_ALL_KEYS, &s, err);
    bool row = true;

    if (st)
        return st;
    while (!st && row) {
        quire_bytes bytes;

        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        bytes = stmt_column_bytes(s, 0);

        if (bytes.len % sizeof *some.at)
            st = err_set(err, QUIRE_DAMAGED,
                         "the table of references is damaged");
        else if (!digest_set_read(bytes, &some) ||
                 !digest_set_add_all(all, &some))
            st = err_memory(err);
    }
    stmt_reset(s);
    digest_set_release(&some);
    digest_set_order(all);
    return st;
}

/* Write the bucket of the keys at *at; advance to the next bucket. */
static quire_status write_bucket(struct ref_index *l,
                                 const struct digest_set *all, size_t *at,
                                 int64_t bucket, quire_error *err)
{
    buf_clear(&l->buf);
    while (*at < all->n && bucket_of(all->at[*at]) == bucket) {
        uint64_t key = all->at[*at];
        uint32_t n = 0;

        for (; *at < all->n && all->at[*at] == key; n++)
            ++*at;
        add_record(&l->buf, key, n);
    }
    return store_bucket(l, bucket, &l->buf, err);
}

static quire_status write_some(struct ref_index *l,
                               const struct digest_set *all, size_t *at,
                               int64_t from, quire_error *err)
{
    struct db *db = l->sql.db;
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    int64_t i;

    if (st)
        return st;
    for (i = from; !st && i < from + BUCKETS_AT_ONCE; i++)
        st = write_bucket(l, all, at, i, err);
    if (!st && i == N_BUCKETS)
        st = ref_index_set_number(l, REF_INDEX_DIRTY, 0, err);
    return sql_end(db, st, err);
}

quire_status ref_counts_rebuild(struct ref_index *l, quire_error *err)
{
    struct digest_set all = KEYS_INIT;
    quire_status st = ref_counts_collect(l, &all, err);
    int64_t bucket;
    size_t at = 0;

    for (bucket = 0; !st && bucket < N_BUCKETS; bucket += BUCKETS_AT_ONCE)
        st = write_some(l, &all, &at, bucket, err);
    digest_set_release(&all);
    return st;
}
