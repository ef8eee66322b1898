/* sqlite_priv.h - a connection, shared by the files of the SQLite driver */
#ifndef STORE_SQLITE_PRIV_H
#define STORE_SQLITE_PRIV_H

#include <sqlite3.h>
#include <time.h>

#include "store/db.h"

struct sqlite_db {
    struct db base;
    sqlite3 *handle;
    sqlite3_stmt *undo; /* ROLLBACK, prepared: it must not allocate */
    bool stuck;         /* even the rollback failed, for want of memory */
    bool forgetful;     /* out of memory: see reload_schema() */
    bool full;          /* no space left: see empty_log() */
    bool foreign;       /* shared with another program */
    bool log;           /* it has a write-ahead log              */
    bool durable;       /* the transaction is to survive a power cut */
    bool relaxed;       /* commits do not wait for the disk */
    bool lost;          /* a sync of the log has failed          */
    bool marked;        /* see sqlite_mark.c                     */
    bool group;         /* a group is open; the next three belong to it */
    bool part;          /* a transaction that is part of it is open */
    bool spoiled;       /* it cannot be kept */
    bool damaged;       /* a call has found damage */
    int64_t rows;       /* rows changed when the part began */
    int64_t began_rows; /* the same when the transaction began */
    unsigned settled;   /* the log is durable up to this version */
    int busy_ms;        /* how long to wait for another writer   */
    char *path;         /* owned, for messages                   */
    struct stmt *data_version; /* see sqlite_info.c */
};

extern const struct db_ops sqlite_ops;

/* The status and message for SQLite's result. */
quire_status sqlite_fail(struct sqlite_db *d, int rc, quire_error *err);

/* The status and message for a failed system call. */
quire_status sqlite_fail_sys(const struct sqlite_db *d, const char *verb,
                             int number, quire_error *err);

/* The errno why no file can be created beside `path`, or 0. */
int sqlite_closed_beside(const char *path);

/* ---- sqlite_mark.c ------------------------------------------------------ */

/* Before the database is opened. False: its log was lost, which could not be
 * recorded; then sqlite_mark_close() must not be called. */
bool sqlite_mark_open(const char *path, bool write);

/* After a durable commit, with the time before it by the clock of files,
 * CLOCK_REALTIME_COARSE; and after the database was closed. */
void sqlite_mark_commit(const char *path, struct timespec before);
void sqlite_mark_close(const char *path);

/* ---- sqlite_info.c ------------------------------------------------------ */

quire_status sqlite_schema_version(struct db *db, int64_t *version,
                                   quire_error *err);
quire_status sqlite_set_schema_version(struct db *db, int version,
                                       quire_error *err);
quire_status sqlite_data_version(struct db *db, int64_t *version,
                                 quire_error *err);
quire_status sqlite_has_table(struct db *db, const char *name, bool *has,
                              quire_error *err);
quire_status sqlite_has_only_tables(struct db *db, const char *a, const char *b,
                                    bool *only, quire_error *err);
quire_status sqlite_space(struct db *db, int64_t *bytes, int64_t *unused,
                          quire_error *err);
quire_status sqlite_release_space(struct db *db, int64_t max, int64_t *released,
                                  quire_error *err);
quire_status sqlite_scrub(struct db *db, quire_error *err);
bool sqlite_is_damaged(const struct db *db);

#endif
