/* sqlite_priv.h - a connection to SQLite, for the files that are the driver */
#ifndef STORE_SQLITE_PRIV_H
#define STORE_SQLITE_PRIV_H

#include <sqlite3.h>

#include "store/db.h"

struct sqlite_db {
    struct db base;
    sqlite3 *handle;
    sqlite3_stmt *undo; /* ROLLBACK, ready: there may be no memory then */
    bool stuck;         /* it could not even roll back, for want of memory */
    bool forgetful;     /* memory failed it: see renew() */
    bool foreign;       /* another program's too                 */
    bool log;           /* it has a write-ahead log              */
    bool lasting;       /* the transaction is to survive a power cut */
    bool relaxed;       /* nothing is waited for                 */
    bool lost;          /* a sync of the log has failed          */
    bool group;         /* one is open, and the next three are its: */
    bool part;          /* a transaction that is part of it is open */
    bool spoiled;       /* it is not to be kept                  */
    int64_t rows;       /* that were changed when the part began */
    unsigned settled;   /* the version up to which the disk has the log */
    int busy_ms;        /* how long to wait for another writer   */
    char *path;         /* owned, for messages                   */
};

extern const struct db_ops sqlite_ops;

/* What SQLite's result means, in our words. */
quire_status sqlite_fail(struct sqlite_db *d, int rc, quire_error *err);

/* What the system said. */
quire_status sqlite_fail_sys(const struct sqlite_db *d, const char *verb,
                             int number, quire_error *err);

/* Why no file can be made beside `path`; 0 if one can. */
int sqlite_closed_beside(const char *path);

#endif
