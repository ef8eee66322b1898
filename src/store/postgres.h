/*
 * postgres.h - PostgreSQL behind db.h
 *
 * A pool holds the connections of a process to one database; any number of handles
 * share it. A handle borrows a connection for a transaction, or for one statement
 * outside of one, so a thousand idle handles cost the server nothing.
 *
 * What db.h says of a database a network away holds here: begin(), ask() and post()
 * only send, and a failure is reported by the first call that waits. A failure ends
 * the transaction: every later call of it returns the same, and commit() keeps
 * nothing.
 *
 * The write lock of a tenant is its row, that of the whole database the row of the
 * table quire_meta, which the driver keeps for its own: version of the schema. A
 * transaction that locks a tenant shares that row.
 */
#ifndef STORE_POSTGRES_H
#define STORE_POSTGRES_H

#include "store/db.h"

struct postgres_pool;

struct postgres_pool_config {
    /* postgres://user@host1,host2/database?options, as libpq has it; one option more,
     * prepare=off, is for poolers that give each transaction another connection. */
    const char *url;
    int busy_ms;         /* how long to wait for a lock or a connection */
    int connections_max; /* 0: 8 */
};

/* The first connection is opened at once.
 *
 * QUIRE_NOT_FOUND  libpq is not installed, or there is no such database
 * QUIRE_IO         the server cannot be reached, or refuses */
quire_status postgres_pool_open(const struct postgres_pool_config *config,
                                struct postgres_pool **out, quire_error *err);

/* All its handles are closed. NULL is fine. */
void postgres_pool_close(struct postgres_pool *p);

struct postgres_config {
    struct postgres_pool *pool; /* borrowed */
    enum db_access access;
    /* A query that locks the tenant ?1: SELECT ... FOR UPDATE. Borrowed; NULL: every scope is the
     * whole database. */
    const char *lock_tenant;
};

/* QUIRE_NOT_FOUND when opened for reading and the database has no quire_meta. */
quire_status db_postgres_open(const struct postgres_config *config,
                              struct db **out, quire_error *err);

#endif
