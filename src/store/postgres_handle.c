/* postgres_handle.c - a connection for a handle: sending, waiting, failures */
#include "base/err.h"
#include "store/postgres_priv.h"
#include "store/postgres_value.h"

quire_status pg_db_connect(struct pg_db *d, quire_error *err)
{
    return d->conn ? QUIRE_OK : pg_pool_borrow(d->pool, &d->conn, err);
}

void pg_db_release(struct pg_db *d)
{
    if (!d->conn || d->open || d->conn->waiting)
        return;
    pg_pool_return(d->pool, d->conn);
    d->conn = NULL;
}

bool pg_db_send(struct pg_db *d, const char *sql, const int64_t *param,
                struct pg_receiver *to)
{
    struct pg_param p = {.type = POSTGRES_INT8};
    struct pg_call call = {sql, &p, param ? 1 : 0};

    if (param)
        postgres_put_int8(p.number, *param);
    p.data = p.number;
    p.len = sizeof p.number;
    return pg_conn_send(d->conn, &call, to);
}

quire_status pg_db_check(const struct pg_db *d, quire_error *err)
{
    if (!d->failed && !d->spoiled)
        return QUIRE_OK;
    if (d->group)
        return err_fail(err, QUIRE_IO, "repeat the changes one by one",
                        "changes grouped in %s were rolled back: one of them "
                        "failed",
                        pg_pool_what(d->pool));
    if (err)
        *err = d->failure;
    return d->failed;
}

quire_status pg_db_wait(struct pg_db *d, quire_error *err)
{
    quire_error own = {0};
    quire_status st = pg_conn_wait(d->conn, &own);

    d->damaged |= st == QUIRE_DAMAGED;
    if (st && d->open && !d->failed) {
        d->failed = st;
        d->failure = own;
    }
    if (st && err)
        *err = own;
    pg_db_release(d);
    return st;
}
