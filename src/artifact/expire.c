/* expire.c - versions that are too many, artifacts that were put away long ago
 *
 * What was put away is in no index of words and in no total any more: its row
 * is all there is. */
#include <string.h>

#include "artifact/priv.h"
#include "base/bytes.h"

static quire_status use(struct artifacts *a, int which,
                        const struct artifact_expiry *x, struct stmt **out,
                        quire_error *err)
{
    quire_status st = sql_use(&a->sql, which, out, err);

    if (st)
        return st;
    if (which != SQL_EXPIRE_AWAY)
        (*out)->ops->bind_int(*out, 1, (int64_t)x->kept);
    if (which != SQL_EXPIRE_VERSIONS)
        (*out)->ops->bind_int(*out, 2, x->before_us);
    return QUIRE_OK;
}

/* Until there is nothing left. */
static quire_status take_all(struct artifacts *a, int which,
                             const struct artifact_expiry *x, uint64_t *n,
                             quire_error *err)
{
    struct db *db = a->c.db;
    int64_t gone = 1;
    quire_status st = QUIRE_OK;
    struct stmt *s;

    while (!st && gone > 0) {
        st = db->ops->begin(db, DB_SOON, err);
        if (st)
            return st;
        st = use(a, which, x, &s, err);
        if (!st)
            st = sql_run(s, err);
        gone = db->ops->changes(db);
        st = artifacts_end(a, st, err);
        *n += st ? 0 : (uint64_t)gone;
    }
    return st;
}

quire_status artifacts_expire(struct artifacts *a,
                              const struct artifact_expiry *x,
                              uint64_t *versions, uint64_t *purged,
                              quire_error *err)
{
    quire_status st = take_all(a, SQL_EXPIRE_AWAY, x, purged, err);

    if (!st && x->kept > 0)
        st = take_all(a, SQL_EXPIRE_VERSIONS, x, versions, err);
    return st;
}

quire_status artifacts_digests(
    struct artifacts *a, const struct artifact_expiry *x,
    quire_status (*each)(void *ctx, const quire_digest *d, quire_error *err),
    void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(a, SQL_DIGESTS, x, &s, err);
    bool row = true;

    if (st)
        return st;
    while (!st && row) {
        quire_bytes name;
        quire_digest d;

        st = s->ops->step(s, &row, err);
        if (st || !row)
            break;
        name = s->ops->column_bytes(s, 0);
        if (name.len != sizeof d.byte)
            continue; /* nobody's content; check tells of it */
        memcpy(d.byte, name.data, sizeof d.byte);
        st = each(ctx, &d, err);
    }
    s->ops->reset(s);
    return st;
}
