/*
 * expire.c - purge superfluous versions and old deleted artifacts
 *
 * A deleted artifact is in no full-text index and in no total: only its row is
 * left. Expired rows are searched for before the write lock is taken, and then
 * removed a few at a time.
 */
#include <string.h>

#include "artifact/priv.h"
#include "base/bytes.h"

/* As many as SQL_EXPIRED returns. */
enum { BATCH_MAX = 64 };

/* SQL_EXPIRED_COUNT or SQL_DIGESTS. */
static quire_status use_expiry(struct artifacts *a, int which,
                               const struct artifact_expiry *x,
                               struct stmt **out, quire_error *err)
{
    quire_status st = sql_use(&a->sql, which, out, err);

    if (st)
        return st;
    stmt_bind_int(*out, 1, (int64_t)x->kept);
    stmt_bind_int(*out, 2, x->before_us);
    return QUIRE_OK;
}

/* Repeat until none is left. */
static quire_status purge_deleted(struct artifacts *a,
                                  const struct artifact_expiry *x, uint64_t *n,
                                  quire_error *err)
{
    struct db *db = a->c.catalog->db;
    int64_t gone = 1;
    quire_status st = QUIRE_OK;
    struct stmt *s;

    while (!st && gone > 0) {
        st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
        if (st)
            return st;
        st = sql_use(&a->sql, SQL_EXPIRE_DELETED, &s, err);
        if (!st) {
            stmt_bind_int(s, 1, x->before_us);
            st = sql_run(s, err);
        }
        gone = db_changes(db);
        st = artifacts_end(a, st, err);
        *n += st ? 0 : (uint64_t)gone;
    }
    return st;
}

/* Artifacts with expired versions, up to `version`. */
struct expired {
    int64_t artifact[BATCH_MAX], version[BATCH_MAX], tenant[BATCH_MAX];
    int n;
};

static quire_status find_expired(struct artifacts *a,
                                 const struct artifact_expiry *x, int64_t after,
                                 struct expired *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_EXPIRED, &s, err);
    bool row = true;

    out->n = 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, (int64_t)x->kept);
    stmt_bind_int(s, 2, after);
    while (!st && row && out->n < BATCH_MAX) {
        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        out->artifact[out->n] = stmt_column_int(s, 0);
        out->version[out->n] = stmt_column_int(s, 1);
        out->tenant[out->n++] = stmt_column_int(s, 2);
    }
    stmt_reset(s);
    return st;
}

static quire_status drop_expired(struct artifacts *a, const struct expired *e,
                                 uint64_t *n, quire_error *err)
{
    struct db *db = a->c.catalog->db;
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    uint64_t gone = 0;
    struct stmt *s;
    int i;

    if (st)
        return st;
    for (i = 0; !st && i < e->n; i++) {
        st = sql_use(&a->sql, SQL_VERSION_DROP, &s, err);
        if (st)
            break;
        stmt_bind_int(s, 1, e->artifact[i]);
        stmt_bind_int(s, 2, e->version[i]);
        stmt_bind_int(s, 3, e->tenant[i]);
        st = sql_run(s, err);
        gone += (uint64_t)db_changes(db);
        if (!st)
            st = artifact_log_change(a, e->tenant[i], e->artifact[i], err);
    }
    st = artifacts_end(a, st, err);
    *n += st ? 0 : gone;
    return st;
}

static quire_status drop_versions(struct artifacts *a,
                                  const struct artifact_expiry *x, uint64_t *n,
                                  quire_error *err)
{
    struct expired e = {.n = BATCH_MAX};
    int64_t after = 0;
    quire_status st = QUIRE_OK;

    while (!st && e.n == BATCH_MAX) {
        st = find_expired(a, x, after, &e, err);
        if (!st && e.n > 0) {
            after = e.artifact[e.n - 1];
            st = drop_expired(a, &e, n, err);
        }
    }
    return st;
}

quire_status artifacts_expire(struct artifacts *a,
                              const struct artifact_expiry *x,
                              uint64_t *versions, uint64_t *purged,
                              quire_error *err)
{
    quire_status st = purge_deleted(a, x, purged, err);

    if (!st && x->kept > 0)
        st = drop_versions(a, x, versions, err);
    return st;
}

quire_status artifacts_expired(struct artifacts *a,
                               const struct artifact_expiry *x,
                               uint64_t *versions, uint64_t *purged,
                               quire_error *err)
{
    struct stmt *s;
    quire_status st = use_expiry(a, SQL_EXPIRED_COUNT, x, &s, err);

    if (st)
        return st;
    st = sql_row(s, err);
    if (!st) {
        *versions = (uint64_t)stmt_column_int(s, 0);
        *purged = (uint64_t)stmt_column_int(s, 1);
    }
    stmt_reset(s);
    return st;
}

quire_status artifacts_digests(struct artifacts *a,
                               const struct artifact_expiry *x,
                               sql_digest_fn each, void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_expiry(a, SQL_DIGESTS, x, &s, err);

    return st ? st : sql_digests(s, each, ctx, err);
}
