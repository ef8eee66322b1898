/*
 * db.h - the catalogue's driver
 *
 * The second of two seams: connect, prepare, bind, step, transaction. It
 * knows nothing of what is kept. A backend is done when tests/conform/ passes
 * over it.
 *
 * A connection is used by one thread at a time.
 */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"

struct db {
    const struct db_ops *ops;
};
struct stmt {
    const struct db_ops *ops;
};

enum db_access {
    DB_READ, /* nothing is written, the file is not made         */
    DB_WRITE /* made if absent                                   */
};

enum db_begin {
    DB_LOOK,    /* a transaction that reads: one state throughout         */
    DB_SOON,    /* writes; survives a crash of the process, and after a power
                   cut is there whole or not at all                       */
    DB_DURABLE, /* writes; survives a power cut when commit returns       */
    DB_IF_FREE, /* as DB_SOON; QUIRE_BUSY at once if another is writing   */
};

struct db_ops {
    /* Statements that return nothing, several at once if need be. */
    quire_status (*exec)(struct db *db, const char *sql, quire_error *err);

    /* A statement with parameters ?1, ?2 … It lives until finalize. */
    quire_status (*prepare)(struct db *db, const char *sql, struct stmt **out,
                            quire_error *err);

    /* Parameters count from 1. Bytes and text must stay where they are until
     * reset. A failure to bind is reported by the next step. */
    void (*bind_int)(struct stmt *s, int at, int64_t value);
    void (*bind_bytes)(struct stmt *s, int at, quire_bytes value);
    void (*bind_text)(struct stmt *s, int at, quire_bytes value);
    void (*bind_null)(struct stmt *s, int at);

    /* *row: a row is there to be looked at. Without one the statement has
     * ended. QUIRE_BUSY when another writer would not let go, QUIRE_EXISTS
     * for a constraint, QUIRE_DAMAGED, QUIRE_IO. */
    quire_status (*step)(struct stmt *s, bool *row, quire_error *err);

    /* Columns count from 0. Bytes and text are good until the next step or
     * reset; a NULL is zero or no bytes. */
    int64_t (*column_int)(struct stmt *s, int at);
    quire_bytes (*column_bytes)(struct stmt *s, int at);
    bool (*column_null)(struct stmt *s, int at);

    /* Ready to be bound and stepped again. */
    void (*reset)(struct stmt *s);
    void (*finalize)(struct stmt *s);

    /* Transactions do not nest. One that writes has the right to write from
     * its start: it cannot fail for that later. After a commit that failed
     * there is no transaction. */
    quire_status (*begin)(struct db *db, enum db_begin mode, quire_error *err);
    quire_status (*commit)(struct db *db, quire_error *err);
    void (*rollback)(struct db *db);

    /* From open_group() to close_group() transactions are parts of one, which
     * has the right to write throughout; it lasts, as the strictest of them asked
     * for, when close_group() returns. One that is rolled back after it changed
     * rows spoils it, and so does a failure that ends it early: then all that
     * is begun or asked for in it fails, and close_group() keeps nothing and
     * returns QUIRE_IO. *kept with a failure: all of it is committed and
     * visible, but the sync failed. `keep` false: undo all of it, QUIRE_OK. */
    quire_status (*open_group)(struct db *db, quire_error *err);
    quire_status (*close_group)(struct db *db, bool keep, bool *kept,
                                quire_error *err);

    /* From now on take DB_DURABLE for DB_SOON, or no longer. */
    void (*relax)(struct db *db, bool on);

    /* Wait until all that this connection has seen survives a power cut, but
     * for what was committed as DB_SOON. Others' commits can be seen before
     * they last: what is told to last because it was found must be settled.
     * Costs nothing when nothing was committed since the last time. */
    quire_status (*settle)(struct db *db, quire_error *err);

    /* Whether a transaction is open. A database may end one by itself when
     * memory or disk fail it, whatever it was doing. */
    bool (*inside)(struct db *db);

    /* Rows the last statement changed; the id the last insert gave. */
    int64_t (*changes)(struct db *db);
    int64_t (*last_id)(struct db *db);

    void (*close)(struct db *db);
};

struct db_config {
    const char *path; /* NULL: in memory, gone when closed */
    enum db_access access;
    int busy_ms;
    int cache_kib; /* of what was read and may be kept; 0: the usual */
};

/* QUIRE_NOT_FOUND when it is to be read and is not there; QUIRE_DAMAGED when
 * it is no database. */
quire_status db_sqlite_open(const struct db_config *config, struct db **out,
                            quire_error *err);

/* The same for a file that is another program's too: any database will do, and
 * it gets no mark of ours. A new one has a write-ahead log and is otherwise
 * what SQLite makes by itself. */
quire_status db_sqlite_open_foreign(const struct db_config *config,
                                    struct db **out, quire_error *err);

/* ---- calls -------------------------------------------------------------- */

static inline void stmt_bind_int(struct stmt *s, int at, int64_t value)
{
    s->ops->bind_int(s, at, value);
}

static inline void stmt_bind_bytes(struct stmt *s, int at, quire_bytes value)
{
    s->ops->bind_bytes(s, at, value);
}

static inline void stmt_bind_text(struct stmt *s, int at, quire_bytes value)
{
    s->ops->bind_text(s, at, value);
}

static inline void stmt_bind_null(struct stmt *s, int at)
{
    s->ops->bind_null(s, at);
}

static inline quire_status stmt_step(struct stmt *s, bool *row,
                                     quire_error *err)
{
    return s->ops->step(s, row, err);
}

static inline int64_t stmt_column_int(struct stmt *s, int at)
{
    return s->ops->column_int(s, at);
}

static inline quire_bytes stmt_column_bytes(struct stmt *s, int at)
{
    return s->ops->column_bytes(s, at);
}

static inline bool stmt_column_null(struct stmt *s, int at)
{
    return s->ops->column_null(s, at);
}

static inline void stmt_reset(struct stmt *s)
{
    s->ops->reset(s);
}

static inline void stmt_finalize(struct stmt *s)
{
    s->ops->finalize(s);
}

static inline quire_status db_exec(struct db *db, const char *sql,
                                   quire_error *err)
{
    return db->ops->exec(db, sql, err);
}

static inline quire_status db_prepare(struct db *db, const char *sql,
                                      struct stmt **out, quire_error *err)
{
    return db->ops->prepare(db, sql, out, err);
}

static inline quire_status db_begin(struct db *db, enum db_begin mode,
                                    quire_error *err)
{
    return db->ops->begin(db, mode, err);
}

static inline quire_status db_commit(struct db *db, quire_error *err)
{
    return db->ops->commit(db, err);
}

static inline void db_rollback(struct db *db)
{
    db->ops->rollback(db);
}

static inline quire_status db_open_group(struct db *db, quire_error *err)
{
    return db->ops->open_group(db, err);
}

static inline quire_status db_close_group(struct db *db, bool keep, bool *kept,
                                          quire_error *err)
{
    return db->ops->close_group(db, keep, kept, err);
}

static inline void db_relax(struct db *db, bool on)
{
    db->ops->relax(db, on);
}

static inline quire_status db_settle(struct db *db, quire_error *err)
{
    return db->ops->settle(db, err);
}

static inline bool db_inside(struct db *db)
{
    return db->ops->inside(db);
}

static inline int64_t db_changes(struct db *db)
{
    return db->ops->changes(db);
}

static inline int64_t db_last_id(struct db *db)
{
    return db->ops->last_id(db);
}

/* NULL is fine. */
static inline void db_close(struct db *db)
{
    if (db)
        db->ops->close(db);
}

#endif
