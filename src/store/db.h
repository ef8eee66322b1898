/*
 * db.h - database driver interface
 *
 * Connect, prepare, bind, step, transactions; no knowledge of tables. A backend
 * is done when tests/conform/ passes over it.
 *
 * A database may be a network away, so the interface separates sending from
 * waiting. A caller asks everything, decides, then changes everything:
 *
 *     begin, ask, ask, ask     sent together
 *     step, step, step         the first one waits for all of them
 *     post, post, commit       sent together; commit waits
 *
 * That is two waits, however many statements there are. SQLite executes a
 * statement when it is stepped or posted, and has nothing to wait for.
 *
 * SQL is the subset that SQLite and PostgreSQL both accept; tools/check-sql finds
 * most of the rest. A statement on a table that belongs to tenants names the
 * tenant.
 *
 * One thread uses a connection at a time.
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
    DB_READ, /* read only; the file is not created */
    DB_WRITE /* created if absent */
};

enum db_begin {
    DB_LOOK,    /* a read transaction: one state throughout */
    DB_SOON,    /* writes; survives a crash of the process, and after a power
                 * cut is complete or absent */
    DB_DURABLE, /* writes; survives a power cut when commit returns       */
    DB_IF_FREE, /* as DB_SOON; QUIRE_BUSY at once if the lock is taken. For
                 * what may be lost: a database a network away need not wait for
                 * the commit, nor report its failure */
};

/* The scope of a transaction that is not limited to one tenant. */
#define DB_ALL_TENANTS INT64_C(0)

/* The scope of a transaction that takes no lock: each of its statements compares what
 * it relies on. It may run while another handle of the thread holds a tenant. */
#define DB_NO_TENANT INT64_C(-1)

/* Instead of SQL for prepare(): a query with one row and one column, an id for a new
 * row of `table`, a string literal. The table's ids are serial (DDL_SERIAL_KEY): an
 * id is never returned again once a row had it. In a write transaction the id is
 * the caller's until its end. */
#define DB_NEXT_ID(table) "NEXT ID OF " table

struct db_ops {
    /* Statements that return nothing; several at once are allowed. */
    quire_status (*exec)(struct db *db, const char *sql, quire_error *err);

    /* A statement with parameters ?1, ?2 … It lives until finalize. */
    quire_status (*prepare)(struct db *db, const char *sql, struct stmt **out,
                            quire_error *err);

    /* Parameters count from 1; at most 64. Each is bound after prepare and after
     * each reset. Bytes and text must stay valid until reset. A failure to bind is
     * reported by the next step. */
    void (*bind_int)(struct stmt *s, int at, int64_t value);
    void (*bind_bytes)(struct stmt *s, int at, quire_bytes value);
    void (*bind_text)(struct stmt *s, int at, quire_bytes value);
    void (*bind_null)(struct stmt *s, int at);

    /* Send a bound query now, and read its rows later with step(). Its rows are
     * those of a moment between both; the caller changes none of them in
     * between. A failure is reported by step(). Several statements may have been
     * asked at a time. */
    void (*ask)(struct stmt *s);

    /* Execute a bound statement that returns no rows, and reset it. Its failure is
     * reported by this call, by any later call of the transaction that waits, or
     * by commit(): whichever comes first. Only for statements whose failure ends
     * the transaction. changes() is not known afterwards. */
    quire_status (*post)(struct stmt *s, quire_error *err);

    /* *row: a row is available. Without one the statement has ended. QUIRE_BUSY
     * when another writer held the lock too long, QUIRE_EXISTS for a
     * constraint, QUIRE_INVALID for a full-text expression that cannot be
     * parsed, QUIRE_DAMAGED, QUIRE_IO. */
    quire_status (*step)(struct stmt *s, bool *row, quire_error *err);

    /* Columns count from 0. Bytes and text are valid until the next step or
     * reset; a NULL is zero or no bytes. */
    int64_t (*column_int)(struct stmt *s, int at);
    quire_bytes (*column_bytes)(struct stmt *s, int at);
    bool (*column_null)(struct stmt *s, int at);

    /* Ready to be bound and stepped again. */
    void (*reset)(struct stmt *s);
    void (*finalize)(struct stmt *s);

    /* Transactions do not nest. A write transaction takes the write lock at its
     * start: it cannot fail for that later. The lock is that of the tenant `scope`,
     * whose rows alone the transaction then changes, or of the whole database
     * (DB_ALL_TENANTS); SQLite has only the latter. After a failed commit no
     * transaction is open. */
    quire_status (*begin)(struct db *db, enum db_begin mode, int64_t scope,
                          quire_error *err);
    quire_status (*commit)(struct db *db, quire_error *err);
    void (*rollback)(struct db *db);

    /* Group commit. From open_group() to close_group() transactions are parts
     * of one, which holds the write lock throughout; it is durable, as the
     * strictest of them asked for, when close_group() returns. A part that is
     * rolled back after it changed rows fails the group, and so does an error
     * that ends it early: then every later call in it fails, and close_group()
     * keeps nothing and returns QUIRE_IO. *kept with a failure: all of it is
     * committed and visible, but the sync failed. `keep` false: undo all of it,
     * QUIRE_OK. */
    quire_status (*open_group)(struct db *db, quire_error *err);
    quire_status (*close_group)(struct db *db, bool keep, bool *kept,
                                quire_error *err);

    /* From now on treat DB_DURABLE as DB_SOON, or stop doing so. */
    void (*relax)(struct db *db, bool on);

    /* Wait until everything this connection has seen is durable, except commits
     * made as DB_SOON. Commits of other connections are visible before they are
     * durable: call this before reporting something found as durable. Costs
     * nothing when nothing was committed since the last call. */
    quire_status (*settle)(struct db *db, quire_error *err);

    /* Whether a transaction is open. The database may end one by itself when
     * memory or disk fail, whatever it was doing. */
    bool (*inside)(struct db *db);

    /* Rows the last statement changed. */
    int64_t (*changes)(struct db *db);

    /* A number that the schema's owner keeps with the tables; 0 at first. It is
     * part of the transaction that sets it. */
    quire_status (*schema_version)(struct db *db, int64_t *version,
                                   quire_error *err);
    quire_status (*set_schema_version)(struct db *db, int version,
                                       quire_error *err);

    /* A number that changes when another connection has committed, and that
     * the changes of this one leave alone. It does not wait: a database a network
     * away reports it with every answer, and a change is then noticed one call
     * later. */
    quire_status (*data_version)(struct db *db, int64_t *version,
                                 quire_error *err);

    quire_status (*has_table)(struct db *db, const char *name, bool *has,
                              quire_error *err);

    /* *only: the tables `a` and `b` exist, and neither views nor triggers do,
     * which could run statements of a hostile file's author. */
    quire_status (*has_only_tables)(struct db *db, const char *a, const char *b,
                                    bool *only, quire_error *err);

    /* The size of the database in bytes, and how many of these are unused. */
    quire_status (*space)(struct db *db, int64_t *bytes, int64_t *unused,
                          quire_error *err);

    /* Return about `max` unused bytes to the file system, at least a page;
     * other writers wait meanwhile. *released 0: there are none left. */
    quire_status (*release_space)(struct db *db, int64_t max, int64_t *released,
                                  quire_error *err);

    /* Leave no bytes of rows that were deleted, if the database was opened with
     * `scrub`. QUIRE_BUSY: a reader still needs some. */
    quire_status (*scrub)(struct db *db, quire_error *err);

    /* Whether a call of this connection has returned QUIRE_DAMAGED. */
    bool (*is_damaged)(const struct db *db);

    void (*close)(struct db *db);
};

struct db_config {
    const char *path; /* NULL: in memory, dropped when closed */
    enum db_access access;
    int busy_ms;
    int cache_kib; /* page cache; 0: the default */
    bool scrub;    /* overwrite what is deleted: see the slot scrub() */
};

/* QUIRE_NOT_FOUND when opened for reading and absent; QUIRE_DAMAGED when it is
 * not a database. */
quire_status db_sqlite_open(const struct db_config *config, struct db **out,
                            quire_error *err);

/* The same for a file shared with another program: any database is accepted,
 * and it gets no application id. A new one has a write-ahead log and otherwise
 * SQLite's defaults. */
quire_status db_sqlite_open_foreign(const struct db_config *config,
                                    struct db **out, quire_error *err);

/* Whether the write-ahead log of the database at `path` was lost with commits that
 * had not been copied yet; *at_s: when the last of them was made. */
bool db_sqlite_log_lost(const char *path, int64_t *at_s);

/* Drop the full-text tables that older versions of Quire have made. Inside a write
 * transaction. */
quire_status db_sqlite_drop_fulltext(struct db *db, quire_error *err);

/* Forget that it was. */
quire_status db_sqlite_accept_loss(const char *path, quire_error *err);

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

static inline void stmt_ask(struct stmt *s)
{
    s->ops->ask(s);
}

static inline quire_status stmt_post(struct stmt *s, quire_error *err)
{
    return s->ops->post(s, err);
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
                                    int64_t scope, quire_error *err)
{
    return db->ops->begin(db, mode, scope, err);
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

static inline quire_status db_schema_version(struct db *db, int64_t *version,
                                             quire_error *err)
{
    return db->ops->schema_version(db, version, err);
}

static inline quire_status db_set_schema_version(struct db *db, int version,
                                                 quire_error *err)
{
    return db->ops->set_schema_version(db, version, err);
}

static inline quire_status db_data_version(struct db *db, int64_t *version,
                                           quire_error *err)
{
    return db->ops->data_version(db, version, err);
}

static inline quire_status db_has_table(struct db *db, const char *name,
                                        bool *has, quire_error *err)
{
    return db->ops->has_table(db, name, has, err);
}

static inline quire_status db_has_only_tables(struct db *db, const char *a,
                                              const char *b, bool *only,
                                              quire_error *err)
{
    return db->ops->has_only_tables(db, a, b, only, err);
}

static inline quire_status db_space(struct db *db, int64_t *bytes,
                                    int64_t *unused, quire_error *err)
{
    return db->ops->space(db, bytes, unused, err);
}

static inline quire_status db_release_space(struct db *db, int64_t max,
                                            int64_t *released, quire_error *err)
{
    return db->ops->release_space(db, max, released, err);
}

static inline quire_status db_scrub(struct db *db, quire_error *err)
{
    return db->ops->scrub(db, err);
}

/* NULL is fine. */
static inline bool db_is_damaged(const struct db *db)
{
    return db && db->ops->is_damaged(db);
}

/* NULL is fine. */
static inline void db_close(struct db *db)
{
    if (db)
        db->ops->close(db);
}

#endif
