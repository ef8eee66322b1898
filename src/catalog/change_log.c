/* change_log.c - see change_log.h */
#include "catalog/change_log.h"

#include "catalog/priv.h"

quire_status change_log_last(struct catalog *c, int64_t tenant, int64_t *last,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_CHANGE_LAST, &s, err);

    *last = 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    st = sql_take_number(s, last, err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status change_log_read(struct catalog *c, int64_t tenant, int64_t known,
                             change_fn each, void *ctx, int64_t *last,
                             bool *whole, quire_error *err)
{
    bool first = true;
    struct stmt *s;
    quire_status st = use(c, SQL_CHANGES, &s, err);

    *last = 0;
    *whole = known == 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, known);
    while (!st && !(st = sql_row(s, err))) {
        *last = stmt_column_int(s, 0);
        if (first)
            *whole = *last == (known ? known : 1);
        first = false;
        if (*whole && *last > known)
            st = each(ctx, (enum change_kind)stmt_column_int(s, 1),
                      stmt_column_int(s, 2), err);
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status change_log_trim(struct catalog *c, int64_t tenant,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_CHANGES_TRIM, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, CHANGE_LOG_KEPT);
    return sql_commit(c->db, DB_IF_FREE, tenant, s, err);
}
