/* sqlite_priv.h - a connection, shared by the files of the SQLite driver */
#ifndef STORE_SQLITE_PRIV_H
#define STORE_SQLITE_PRIV_H

#include <sqlite3.h>

#include "store/db.h"

struct sqlite_db {
    struct db base;
    sqlite3 *handle;
    sqlite3_stmt *undo; /* ROLLBACK, prepared: it must not allocate */
    bool stuck;         /* even the rollback failed, for want of memory */
    bool forgetful;     /* out of memory: see reload_schema() */
    bool foreign;       /* shared with another program */
    bool log;           /* it has a write-ahead log              */
    bool durable;       /* the transaction is to survive a power cut */
    bool relaxed;       /* commits do not wait for the disk */
    bool lost;          /* a sync of the log has failed          */
    bool group;         /* a group is open; the next three belong to it */
    bool part;          /* a transaction that is part of it is open */
    bool spoiled;       /* it cannot be kept */
    int64_t rows;       /* rows changed when the part began */
    unsigned settled;   /* the log is durable up to this version */
    int busy_ms;        /* how long to wait for another writer   */
    char *path;         /* owned, for messages                   */
};

extern const struct db_ops sqlite_ops;

/* The status and message for SQLite's result. */
quire_status sqlite_fail(struct sqlite_db *d, int rc, quire_error *err);

/* The status and message for a failed system call. */
quire_status sqlite_fail_sys(const struct sqlite_db *d, const char *verb,
                             int number, quire_error *err);

/* The errno why no file can be created beside `path`, or 0. */
int sqlite_closed_beside(const char *path);

#endif
