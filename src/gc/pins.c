/* pins.c - see pins.h */
#include "gc/pins.h"

#include <string.h>

#include "base/bytes.h"
#include "store/sql.h"

static quire_status change_pin(struct db *db, const char *text,
                               const quire_digest *d, int64_t now_s,
                               int64_t *changed, quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(db, text, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_of(d->byte, sizeof d->byte));
    stmt_bind_int(s, 2, now_s);
    st = sql_commit(db, DB_DURABLE, DB_ALL_TENANTS, s, err);
    *changed = db_changes(db);
    stmt_finalize(s);
    return st;
}

quire_status pins_add(struct db *db, const quire_digest *d, int64_t now_s,
                      quire_error *err)
{
    int64_t n;

    return change_pin(db,
                      "INSERT INTO pin(sha256, created) VALUES(?1, ?2)"
                      " ON CONFLICT DO NOTHING",
                      d, now_s, &n, err);
}

quire_status pins_drop(struct db *db, const quire_digest *d, quire_error *err)
{
    int64_t n;
    quire_status st = change_pin(db,
                                 "DELETE FROM pin WHERE sha256 = ?1 AND ?2 = 0",
                                 d, 0, &n, err);

    return !st && n == 0 ? QUIRE_NOT_FOUND : st;
}

quire_status pins_each(struct db *db, sql_digest_fn each, void *ctx,
                       quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(db, "SELECT sha256 FROM pin ORDER BY sha256",
                                 &s, err);

    if (st)
        return st;
    st = sql_digests(s, each, ctx, err);
    stmt_finalize(s);
    return st;
}
