/*
 * tokens.c - further tokens of a tenant: named, limited, one by one removable
 *
 * tenants.c says why only the hash of a token is stored.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/priv.h"

quire_status token_add(struct catalog *c, int64_t tenant,
                       const quire_digest *token, quire_token *t,
                       quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TOKEN_ADD, &s, err);

    if (st)
        return st;
    t->created_us = clock_us(c->clock);
    stmt_bind_int(s, 1, tenant);
    stmt_bind_bytes(s, 2, bytes_of(token->byte, sizeof token->byte));
    stmt_bind_text(s, 3, bytes_str(t->label));
    stmt_bind_int(s, 4, t->flags);
    stmt_bind_int(s, 5, t->created_us);
    stmt_bind_int(s, 6, t->expires_us);
    return sql_take_number(s, &t->id, err);
}

quire_status token_list(struct catalog *c, int64_t tenant, quire_token_fn each,
                        void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    quire_status st = use(c, SQL_TOKENS, &s, err);
    quire_status stop = QUIRE_OK; /* what `each` returned */

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    while (!st && !stop && !(st = sql_row(s, err))) {
        quire_token one = {
            .id = stmt_column_int(s, 0),
            .label = arena_text(&tmp, stmt_column_bytes(s, 1)),
            .flags = (unsigned)stmt_column_int(s, 2),
            .created_us = stmt_column_int(s, 3),
            .expires_us = stmt_column_int(s, 4),
        };

        stop = one.label ? each(ctx, &one, err) : err_memory(err);
        arena_reset(&tmp);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return stop ? stop : st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status token_remove(struct catalog *c, int64_t tenant, int64_t id,
                          quire_error *err)
{
    struct stmt *s;
    int64_t removed;
    quire_status st = use(c, SQL_TOKEN_REMOVE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, id);
    return sql_take_number(s, &removed, err);
}

quire_status token_remove_expired(struct catalog *c, int64_t tenant,
                                  quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TOKEN_EXPIRE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, clock_us(c->clock));
    return sql_run(s, err);
}
