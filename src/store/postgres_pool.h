/* postgres_pool.h - connections lent to handles; see postgres.h */
#ifndef STORE_POSTGRES_POOL_H
#define STORE_POSTGRES_POOL_H

#include "store/postgres.h"
#include "store/postgres_conn.h"

/* Borrow a connection: an idle one, else a new one, else wait for one.
 *
 * QUIRE_BUSY  all are in use for too long
 * QUIRE_IO    the server cannot be reached */
quire_status pg_pool_borrow(struct postgres_pool *p, struct pg_conn **out,
                            quire_error *err);

/* Give it back; a broken one is closed. */
void pg_pool_return(struct postgres_pool *p, struct pg_conn *c);

const struct libpq *pg_pool_lib(const struct postgres_pool *p);

/* "host:port/database", for messages. */
const char *pg_pool_what(const struct postgres_pool *p);

#endif
