/* postgres_priv.h - a handle, shared by the files of the PostgreSQL driver */
#ifndef STORE_POSTGRES_PRIV_H
#define STORE_POSTGRES_PRIV_H

#include "store/postgres.h"
#include "store/postgres_pool.h"
#include "store/postgres_snapshot.h"

enum { PG_OWN_MAX = 64 };

struct pg_db {
    struct db base;
    struct postgres_pool *pool; /* borrowed */
    const struct libpq *lib;
    struct pg_conn *conn; /* borrowed of the pool; NULL: none is needed now */
    char *lock_tenant;    /* owned, translated; NULL: no tenants */
    enum db_access access;
    bool open;    /* a transaction is open on the server */
    bool writes;  /* it may write */
    bool relaxed; /* commits do not wait for the disk */
    bool synced;  /* this one does, as begun so far */
    bool group;   /* it is a group; the next three belong to it */
    bool part;
    bool changed; /* the part has changed rows */
    bool spoiled; /* it cannot be kept */
    bool damaged;
    quire_status failed; /* what has ended the transaction; QUIRE_OK: nothing */
    quire_error failure;
    int64_t changes;
    int64_t version; /* counts what others have committed, as far as seen */
    struct pg_snapshot seen;
    bool versioned; /* data_version() is called: own transactions are noted */
    uint64_t own[PG_OWN_MAX];
    size_t n_own;
};

/* A statement, or a command of the driver's own. */
struct pg_stmt {
    struct stmt base;
    struct pg_db *db;
    char *sql; /* owned, translated */
    int n_params;
    bool changes_rows;
    bool sent, arrived;
    bool misbound;
    uint64_t bound; /* parameters bound since the last reset, as bits */
    PGresult *result;
    int row;
    struct pg_receiver to;
    struct pg_param params[];
};

/* ---- postgres_handle.c ------- ---------------------------------- */

/* Have a connection; give it back if no transaction is open and nothing is under
 * way. */
quire_status pg_db_connect(struct pg_db *d, quire_error *err);
void pg_db_release(struct pg_db *d);

/* Send a command without parameters or with one number. False: `to` gets nothing; the
 * connection is broken, which the next wait reports. */
bool pg_db_send(struct pg_db *d, const char *sql, const int64_t *param,
                struct pg_receiver *to);

/* Wait for all that was sent; a failure ends an open transaction. */
quire_status pg_db_wait(struct pg_db *d, quire_error *err);

/* The failure that has ended the transaction, if one has. */
quire_status pg_db_check(const struct pg_db *d, quire_error *err);

/* ---- postgres_stmt.c -------------------------------------------------------- */

quire_status pg_stmt_prepare(struct db *db, const char *sql, struct stmt **out,
                             quire_error *err);
void pg_bind_int(struct stmt *s, int at, int64_t value);
void pg_bind_bytes(struct stmt *s, int at, quire_bytes value);
void pg_bind_null(struct stmt *s, int at);
void pg_stmt_ask(struct stmt *base);
quire_status pg_stmt_post(struct stmt *base, quire_error *err);
quire_status pg_stmt_step(struct stmt *base, bool *row, quire_error *err);
void pg_stmt_reset(struct stmt *base);
void pg_stmt_finalize(struct stmt *base);
quire_bytes pg_column_bytes(struct stmt *base, int at);
int64_t pg_column_int(struct stmt *base, int at);
bool pg_column_null(struct stmt *base, int at);

/* ---- postgres_info.c -------------------------------------------------------- */

/* Make quire_meta, or look whether it is there. */
quire_status pg_info_open(struct pg_db *d, quire_error *err);

/* Before a commit: note the number of the transaction. */
void pg_info_note_own(struct pg_db *d);

quire_status pg_info_schema_version(struct db *db, int64_t *version,
                                    quire_error *err);
quire_status pg_info_set_schema_version(struct db *db, int version,
                                        quire_error *err);
quire_status pg_info_data_version(struct db *db, int64_t *version,
                                  quire_error *err);
quire_status pg_info_has_table(struct db *db, const char *name, bool *has,
                               quire_error *err);
quire_status pg_info_has_only_tables(struct db *db, const char *a,
                                     const char *b, bool *only,
                                     quire_error *err);
quire_status pg_info_space(struct db *db, int64_t *bytes, int64_t *unused,
                           quire_error *err);
quire_status pg_info_release_space(struct db *db, int64_t max,
                                   int64_t *released, quire_error *err);
quire_status pg_info_scrub(struct db *db, quire_error *err);

#endif
