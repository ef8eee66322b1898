/*
 * rows.h - objects, logs, leases and directories as rows of a database
 *
 * The backend of a home that several machines share: all interfaces of store.h over
 * db.h. It runs over PostgreSQL in use, over SQLite in tests.
 *
 *     named    a name (directory, base) and the content it stands for
 *     content  size, time, fences; an object's bytes, or a generation of a log
 *     piece    bytes of a content from an offset on: one for each append
 *     lease    leases by name, locks, the generation of the store
 *
 * Invariants:
 *  1. The pieces of a content that has a name cover [0, size) without gap or overlap.
 *     Every change of a content and of its size is one transaction.
 *  2. An append is kept only if the content still has the size that its writer expects
 *     and no later epoch: compared by the database in the statement that changes it.
 *  3. Content without a name belongs to a draft, or to handles that opened it before
 *     the name went. It stays for ROWS_KEEP_S after it was last changed: store_rows_reap().
 *  4. A held log is leased for ROWS_HOLD_MS and fenced by hold_epoch: a holder that
 *     was too slow cannot append after another one holds the log.
 *
 * No call takes the lock of a tenant: it may run while another handle of the same
 * thread has a transaction open.
 *
 * An append is one wait for the database; a read of up to a mebibyte is one.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "store/db.h"
#include "store/store.h"

/* How long a hold lasts without a sign of life. */
#define ROWS_HOLD_MS 30000

/* How long content without a name can still be read, or written on. */
#define ROWS_KEEP_S 3600

struct rows_config {
    struct db *db;       /* taken over, also on failure                      */
    const char *root;    /* what all names begin with in the database: "", or
                          * "tenants/<id>"                                   */
    const char *place;   /* for messages: no password in it                  */
    const char *process; /* a line that no other process uses, the holder in
                          * messages of QUIRE_BUSY                                  */
    const struct clock *clock; /* borrowed                                   */
    bool read_only;
};

/* Create the tables, unless they are there. */
quire_status store_rows_prepare(struct db *db, quire_error *err);

/* A number that no other database has, since its tables were created. */
quire_status store_rows_identity(struct db *db, int64_t *id, quire_error *err);

quire_status store_rows_open(const struct rows_config *config,
                             struct store **out, quire_error *err);

/* Remove what has had no name for ROWS_KEEP_S; *n contents. */
quire_status store_rows_reap(struct db *db, const struct clock *clock,
                             int64_t *n, quire_error *err);

#endif
