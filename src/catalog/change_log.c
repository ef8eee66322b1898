/* change_log.c - see change_log.h */
#include "catalog/change_log.h"

#include "catalog/priv.h"

quire_status change_log_last(struct catalog *c, int64_t tenant,
                             struct change_mark *last, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_CHANGE_LAST, &s, err);

    *last = (struct change_mark){.seq = 0};
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    st = sql_row(s, err);
    if (!st)
        *last = (struct change_mark){stmt_column_int(s, 0),
                                     stmt_column_int(s, 1)};
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status change_log_read(struct catalog *c, int64_t tenant,
                             struct change_mark known, change_fn each,
                             void *ctx, struct change_mark *last, bool *whole,
                             quire_error *err)
{
    bool first = true;
    struct stmt *s;
    quire_status st = use(c, SQL_CHANGES, &s, err);

    *last = known;
    *whole = known.seq == 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, known.seq);
    while (!st && !(st = sql_row(s, err))) {
        *last = (struct change_mark){stmt_column_int(s, 0),
                                     stmt_column_int(s, 3)};
        if (first)
            *whole = known.seq == 0
                         ? last->seq == 1
                         : last->seq == known.seq && last->at_us == known.at_us;
        first = false;
        if (!*whole)
            break;
        if (last->seq > known.seq)
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
