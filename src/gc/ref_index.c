/* ref_index.c - the tables of the reference index; ref_counts.c has the counts
 */
#include "gc/ref_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "gc/ref_index_priv.h"

static const char *const texts[N_LEDGER_SQL] = {
    [REF_INDEX_SQL_SOURCES] =
        "SELECT id, label, inode, size, modified, changed,"
        " tail, whole FROM source",
    [REF_INDEX_SQL_KEYS] = "SELECT keys FROM mentioned WHERE source = ?1",
    [REF_INDEX_SQL_ALL_KEYS] = "SELECT keys FROM mentioned",
    [REF_INDEX_SQL_ADD] = "INSERT INTO source(inode, size, modified, changed,"
                          " tail, label, whole)"
                          " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
    [REF_INDEX_SQL_CHANGE] =
        "UPDATE source SET inode = ?1, size = ?2,"
        " modified = ?3, changed = ?4, tail = ?5, whole = ?7"
        " WHERE id = ?6",
    [REF_INDEX_SQL_SET_KEYS] = "INSERT INTO mentioned(source, keys)"
                               " VALUES(?1, ?2) ON CONFLICT(source)"
                               " DO UPDATE SET keys = ?2",
    [REF_INDEX_SQL_DROP] = "DELETE FROM source WHERE id = ?1",
    [REF_INDEX_SQL_NUMBER] = "SELECT value FROM collection WHERE number = ?1",
    [REF_INDEX_SQL_SET_NUMBER] =
        "INSERT INTO collection(number, value) VALUES(?1, ?2)"
        " ON CONFLICT(number) DO UPDATE SET value = ?2",
    [REF_INDEX_SQL_DOOM] = "INSERT INTO doomed(sha256, since) VALUES(?1, ?2)"
                           " ON CONFLICT(sha256) DO UPDATE SET since = ?2",
    [REF_INDEX_SQL_SPARE] = "DELETE FROM doomed WHERE sha256 = ?1",
    [REF_INDEX_SQL_DOOMED] = "SELECT sha256, since FROM doomed ORDER BY sha256",
    [REF_INDEX_SQL_LOOSEN] = "INSERT INTO loose(key, since) VALUES(?1, ?2)"
                             " ON CONFLICT(key) DO UPDATE SET since = ?2",
    [REF_INDEX_SQL_LOOSE] = "SELECT key, since FROM loose",
    [REF_INDEX_SQL_JUDGED] = "DELETE FROM loose",
    [REF_INDEX_SQL_BUCKET] = "SELECT counts FROM held WHERE bucket = ?1",
    [REF_INDEX_SQL_SET_BUCKET] = "INSERT INTO held(bucket, counts)"
                                 " VALUES(?1, ?2) ON CONFLICT(bucket)"
                                 " DO UPDATE SET counts = ?2",
    [REF_INDEX_SQL_DROP_BUCKET] = "DELETE FROM held WHERE bucket = ?1",
};

/* The limit for one source, in bytes of keys; a gigabyte of nothing but
 * references has twelve million. */
#define KEYS_MAX ((size_t)1 << 30)

quire_status ref_index_new(struct db *db, struct ref_index **out,
                           quire_error *err)
{
    struct ref_index *l = calloc(1, sizeof *l);
    quire_status st;

    if (!l)
        return err_memory(err);
    l->buf = l->held = (struct buf)BUF_INIT(KEYS_MAX);
    l->bucket = -1;
    st = sql_init(&l->sql, db, texts, N_LEDGER_SQL, err);
    if (st)
        ref_index_free(l);
    else
        *out = l;
    return st;
}

void ref_index_free(struct ref_index *l)
{
    if (!l)
        return;
    sql_release(&l->sql);
    buf_release(&l->buf);
    buf_release(&l->held);
    free(l);
}

struct db *ref_index_db(struct ref_index *l)
{
    return l->sql.db;
}

quire_status ref_index_clear(struct db *db, quire_error *err)
{
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = db_exec(db,
                 "DELETE FROM source; DELETE FROM held;"
                 " DELETE FROM collection",
                 err);
    return sql_end(db, st, err);
}

/* ---- sources ------------------------------------------------------------ */

static quire_status read_source(struct stmt *s, struct arena *keep,
                                struct ref_index_source *out, quire_error *err)
{
    quire_bytes tail = stmt_column_bytes(s, 6);

    *out = (struct ref_index_source){
        .id = stmt_column_int(s, 0),
        .label = arena_text(keep, stmt_column_bytes(s, 1)),
        .inode = (uint64_t)stmt_column_int(s, 2),
        .size = (uint64_t)stmt_column_int(s, 3),
        .modified_ns = stmt_column_int(s, 4),
        .changed_ns = stmt_column_int(s, 5),
        .whole = stmt_column_int(s, 7) != 0,
    };
    out->tail_len = (uint32_t)(tail.len < REF_INDEX_TAIL ? tail.len
                                                         : REF_INDEX_TAIL);
    if (out->tail_len)
        memcpy(out->tail, tail.data, out->tail_len);
    return out->label ? QUIRE_OK : err_memory(err);
}

static bool grow_list(struct ref_index_source **list, size_t n, size_t *cap)
{
    struct ref_index_source *more;

    if (n < *cap)
        return true;
    *cap = *cap ? *cap * 2 : 64;
    more = realloc(*list, *cap * sizeof *more);
    if (more)
        *list = more;
    return more != NULL;
}

quire_status ref_index_sources(struct ref_index *l, struct arena *keep,
                               struct ref_index_source **list, size_t *n,
                               quire_error *err)
{
    size_t cap = 0;
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_SOURCES, &s, err);
    bool row = true;

    *list = NULL;
    *n = 0;
    if (st)
        return st;
    while (!st && row) {
        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        st = grow_list(list, *n, &cap) ? read_source(s, keep, &(*list)[*n], err)
                                       : err_memory(err);
        *n += !st;
    }
    stmt_reset(s);
    return st;
}

/* The keys in the current row of a statement. */
static quire_status read_keys(struct stmt *s, struct digest_set *out,
                              quire_error *err)
{
    quire_bytes bytes = stmt_column_bytes(s, 0);

    if (digest_set_read(bytes, out))
        return QUIRE_OK;
    return bytes.len % sizeof *out->at
               ? err_set(err, QUIRE_DAMAGED,
                         "the table of references is damaged")
               : err_memory(err);
}

quire_status ref_index_keys(struct ref_index *l, int64_t source,
                            struct digest_set *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_KEYS, &s, err);

    out->n = 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, source);
    st = sql_row(s, err);
    if (!st)
        st = read_keys(s, out, err);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status set_keys(struct ref_index *l, int64_t source,
                             const struct digest_set *keys, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_SET_KEYS, &s, err);

    if (st)
        return st;
    buf_clear(&l->buf);
    digest_set_pack(keys, &l->buf);
    st = buf_status(&l->buf, "the references of one file", err);
    if (st)
        return st;
    stmt_bind_int(s, 1, source);
    stmt_bind_bytes(s, 2, buf_bytes(&l->buf));
    return sql_run(s, err);
}

quire_status ref_index_put_source(struct ref_index *l,
                                  struct ref_index_source *source,
                                  const struct digest_set *keys,
                                  quire_error *err)
{
    bool fresh = source->id == 0;
    struct stmt *s;
    quire_status st = sql_use(&l->sql,
                              fresh ? REF_INDEX_SQL_ADD : REF_INDEX_SQL_CHANGE,
                              &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, (int64_t)source->inode);
    stmt_bind_int(s, 2, (int64_t)source->size);
    stmt_bind_int(s, 3, source->modified_ns);
    stmt_bind_int(s, 4, source->changed_ns);
    stmt_bind_bytes(s, 5, bytes_of(source->tail, source->tail_len));
    if (fresh)
        stmt_bind_text(s, 6, bytes_str(source->label));
    else
        stmt_bind_int(s, 6, source->id);
    stmt_bind_int(s, 7, source->whole);
    st = fresh ? sql_take_number(s, &source->id, err) : sql_run(s, err);
    return st ? st : set_keys(l, source->id, keys, err);
}

quire_status ref_index_remove_source(struct ref_index *l, int64_t source,
                                     quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, source);
    return sql_run(s, err);
}

/* ---- numbers and unreferenced blobs ------------------------------------- */

quire_status ref_index_get_number(struct ref_index *l,
                                  enum ref_index_number which, int64_t *value,
                                  quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_NUMBER, &s, err);

    *value = 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, which);
    st = sql_row(s, err);
    if (!st)
        *value = stmt_column_int(s, 0);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status ref_index_set_number(struct ref_index *l,
                                  enum ref_index_number which, int64_t value,
                                  quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_SET_NUMBER, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, which);
    stmt_bind_int(s, 2, value);
    return sql_run(s, err);
}

quire_status ref_index_mark_unreferenced(struct ref_index *l,
                                         const quire_digest *d, int64_t since_s,
                                         quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_DOOM, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_of(d->byte, sizeof d->byte));
    stmt_bind_int(s, 2, since_s);
    return sql_run(s, err);
}

quire_status ref_index_unmark(struct ref_index *l, const quire_digest *d,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_SPARE, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_of(d->byte, sizeof d->byte));
    return sql_run(s, err);
}

quire_status ref_index_unreferenced(struct ref_index *l,
                                    ref_index_unreferenced_fn each, void *ctx,
                                    quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_DOOMED, &s, err);
    quire_digest d;
    bool row = true;

    if (st)
        return st;
    while (!st && row) {
        st = stmt_step(s, &row, err);
        if (!st && row && sql_digest(s, 0, &d))
            st = each(ctx, &d, stmt_column_int(s, 1), err);
    }
    stmt_reset(s);
    return st;
}

/* ---- dereferenced keys -------------------------------------------------- */

quire_status ref_index_add_dereferenced(struct ref_index *l,
                                        const struct digest_set *gone,
                                        int64_t since_s, quire_error *err)
{
    struct stmt *s;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; !st && i < gone->n; i++) {
        if (i > 0 && gone->at[i] == gone->at[i - 1])
            continue;
        st = sql_use(&l->sql, REF_INDEX_SQL_LOOSEN, &s, err);
        if (st)
            return st;
        stmt_bind_int(s, 1, (int64_t)gone->at[i]);
        stmt_bind_int(s, 2, since_s);
        st = sql_run(s, err);
    }
    return st;
}

quire_status ref_index_dereferenced(struct ref_index *l,
                                    ref_index_dereferenced_fn each, void *ctx,
                                    quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_LOOSE, &s, err);
    bool row = true;

    if (st)
        return st;
    while (!st && row) {
        struct dereferenced_key one;

        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        one.key = (uint64_t)stmt_column_int(s, 0);
        one.since_s = stmt_column_int(s, 1);
        st = each(ctx, &one, err);
    }
    stmt_reset(s);
    return st;
}

quire_status ref_index_clear_dereferenced(struct ref_index *l, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&l->sql, REF_INDEX_SQL_JUDGED, &s, err);

    return st ? st : sql_run(s, err);
}
