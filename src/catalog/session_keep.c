/* session_keep.c - see session_keep.h */
#include "catalog/session_keep.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/timestamp.h"
#include "catalog/priv.h"

/* The first four columns. */
static quire_status read_keep(struct stmt *s, struct arena *keep,
                              struct session_keep *out, quire_error *err)
{
    out->pinned_us = stmt_column_int(s, 0);
    out->held_us = stmt_column_int(s, 1);
    out->holder = arena_text(keep, stmt_column_bytes(s, 2));
    out->reason = arena_text(keep, stmt_column_bytes(s, 3));
    return out->holder && out->reason ? QUIRE_OK : err_memory(err);
}

quire_status session_keep_of(struct catalog *c, int64_t tenant, int64_t session,
                             struct arena *keep, struct session_keep *out,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *out = (struct session_keep){.holder = "", .reason = ""};
    if (!catalog_has(c, SCHEMA_KEEPING))
        return QUIRE_OK;
    st = use(c, SQL_KEEP_OF, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, session);
    stmt_bind_int(s, 2, tenant);
    st = sql_row(s, err);
    if (!st)
        st = read_keep(s, keep, out, err);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status session_keep_set(struct catalog *c, int64_t tenant,
                              int64_t session, const struct session_keep *k,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_KEEP_SET, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, session);
    stmt_bind_int(s, 2, tenant);
    stmt_bind_int(s, 3, k->pinned_us);
    stmt_bind_int(s, 4, k->held_us);
    stmt_bind_text(s, 5, bytes_str(k->holder));
    stmt_bind_text(s, 6, bytes_str(k->reason));
    return stmt_post(s, err);
}

quire_status session_keeps(struct catalog *c, int64_t tenant,
                           struct arena *keep, session_keep_fn each, void *ctx,
                           quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!catalog_has(c, SCHEMA_KEEPING))
        return QUIRE_OK;
    st = use(c, SQL_KEEPS, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    while (!st && !(st = sql_row(s, err))) {
        const char *key = arena_text(keep, stmt_column_bytes(s, 4));
        struct session_keep k;

        st = key ? read_keep(s, keep, &k, err) : err_memory(err);
        if (!st)
            st = each(ctx, key, &k, err);
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status session_keep_check(struct catalog *c, int64_t tenant,
                                int64_t session, const char *key,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    char since[TIMESTAMP_SIZE];
    struct session_keep k;
    quire_status st = session_keep_of(c, tenant, session, &tmp, &k, err);

    if (!st && k.held_us) {
        timestamp_format(k.held_us, since);
        st = err_fail(err, QUIRE_EXISTS,
                      HINT_SHELL "`quire session release` ends the hold",
                      "session %.40s is held by %.40s since %.10s: %.100s", key,
                      k.holder, since, k.reason);
    }
    arena_release(&tmp);
    return st;
}

quire_status session_keeps_held(struct catalog *c, int64_t tenant, uint64_t *n,
                                quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *n = 0;
    if (!catalog_has(c, SCHEMA_KEEPING))
        return QUIRE_OK;
    st = use(c, SQL_KEEPS_HELD, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    st = sql_row(s, err);
    if (!st)
        *n = (uint64_t)stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}
