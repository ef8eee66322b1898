/* activity.c - rows of what happened in sessions, derived from their files */
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/priv.h"

quire_status activity_find(struct catalog *c, int64_t tenant, int64_t session,
                           struct arena *keep, struct activity_record *out,
                           quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_ACTIVITY_FIND, &s, err);

    *out = (struct activity_record){.session = session};
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, session);
    st = sql_row(s, err);
    if (!st) {
        out->inode = (uint64_t)stmt_column_int(s, 0);
        out->size = (uint64_t)stmt_column_int(s, 1);
        out->modified_ns = stmt_column_int(s, 2);
        out->changed_ns = stmt_column_int(s, 3);
        out->data = arena_dup(keep, stmt_column_bytes(s, 4));
        if (!out->data.data)
            st = err_memory(err);
    }
    stmt_reset(s);
    return st;
}

quire_status activity_store(struct catalog *c, int64_t tenant,
                            const struct activity_record *r, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_ACTIVITY_STORE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, r->session);
    stmt_bind_int(s, 3, (int64_t)r->inode);
    stmt_bind_int(s, 4, (int64_t)r->size);
    stmt_bind_int(s, 5, r->modified_ns);
    stmt_bind_int(s, 6, r->changed_ns);
    stmt_bind_bytes(s, 7, r->data);
    return stmt_post(s, err);
}
