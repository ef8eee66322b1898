/*
 * postgres_conn.h - one connection to a PostgreSQL server
 *
 * libpq's pipeline mode all the time: what is sent waits for nothing, until
 * conn_wait() sends a sync and reads the results of all of it, in order. The first
 * failure ends a flight: the server skips the rest up to the sync, and conn_wait()
 * returns that failure.
 *
 * Statements are prepared on first use, and known by text and types of parameters:
 * the same text may be used with other types. A server behind a pooler that gives
 * each transaction another connection cannot keep them; then each is sent whole.
 *
 * One thread at a time.
 */
#ifndef STORE_POSTGRES_CONN_H
#define STORE_POSTGRES_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "quire.h"
#include "store/postgres_lib.h"

/* A parameter, as it is sent: binary. */
struct pg_param {
    Oid type;         /* 0: the server infers it: text or bytea */
    const char *data; /* NULL: null */
    int len;
    char number[8]; /* of an int8 */
};

struct pg_call {
    const char *sql; /* translated; must live as long as the connection */
    const struct pg_param *params;
    int n;
};

/* Where a result goes. It is the receiver's, who clears it; NULL: it was skipped,
 * because something before it failed. */
struct pg_receiver {
    void (*take)(struct pg_receiver *to, PGresult *result);
};

struct pg_conn {
    struct pg_conn *next; /* in the pool */
    const struct libpq *lib;
    PGconn *pq;
    const char *what; /* the server, for messages; borrowed */
    bool unprepared;  /* statements are sent whole */
    bool broken;      /* it cannot be used any more */
    bool waiting;     /* something was sent and not waited for */
    struct map prepared;
    struct arena texts; /* the keys of `prepared` */
    uint64_t n_prepared;
    struct pg_flight *first, *last; /* sent, in order */
    struct pg_flight *unused;
};

/* Connect to `url`. `set_up` is SQL for a new connection. */
quire_status pg_conn_open(const struct libpq *lib, const char *url,
                          const char *what, const char *set_up, bool unprepared,
                          struct pg_conn **out, quire_error *err);
void pg_conn_close(struct pg_conn *c);

/* Send a call. `to` NULL: the result is dropped; its failure still fails the
 * flight. False: out of memory, or the connection is broken. */
bool pg_conn_send(struct pg_conn *c, const struct pg_call *call,
                  struct pg_receiver *to);

/* Forget a receiver whose result has not come yet. */
void pg_conn_forget(struct pg_conn *c, const struct pg_receiver *to);

/* Wait for all that was sent. */
quire_status pg_conn_wait(struct pg_conn *c, quire_error *err);

/* Run statements without parameters, several at once; nothing may be under way. */
quire_status pg_conn_exec(struct pg_conn *c, const char *sql, quire_error *err);

#endif
