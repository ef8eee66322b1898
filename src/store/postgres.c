/*
 * postgres.c - database driver over PostgreSQL: handles and transactions
 *
 *     begin        BEGIN, the lock of the scope; sent, not waited for
 *     ask, post    sent behind it
 *     step         sync, and the results of all of it: one wait
 *     post, commit sent, sync: the second wait
 *
 * A commit waits for the disk unless synchronous_commit is off, which DB_SOON asks
 * for: such a commit is complete or absent after a power cut, and a later one that
 * waits is durable only with it.
 *
 * When the connection breaks while a commit is under way, it cannot be known whether
 * it was kept: commit() then returns QUIRE_IO and says so.
 */
#include "store/postgres_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "store/postgres_sql.h"

static const struct db_ops postgres_ops;

#define LOCK_ALL   "SELECT 1 FROM quire_meta WHERE one = 1 FOR UPDATE"
#define LOCK_SHARE "SELECT 1 FROM quire_meta WHERE one = 1 FOR KEY SHARE"
#define NOWAIT     " NOWAIT"

static struct pg_db *db_of(struct db *base)
{
    return (struct pg_db *)base;
}

/* ---- transactions ------------------------------------------------------- */

static void send_lock(struct pg_db *d, int64_t scope, bool now)
{
    bool one = scope != DB_ALL_TENANTS && d->lock_tenant;

    if (scope == DB_NO_TENANT)
        return;
    if (one) {
        pg_db_send(d, now ? LOCK_SHARE NOWAIT : LOCK_SHARE, NULL, NULL);
        pg_db_send(d, d->lock_tenant, &scope, NULL);
    } else {
        pg_db_send(d, now ? LOCK_ALL NOWAIT : LOCK_ALL, NULL, NULL);
    }
}

static void send_durability(struct pg_db *d, bool durable)
{
    durable = durable && !d->relaxed;
    if (durable == d->synced)
        return;
    pg_db_send(d,
               durable ? "SET LOCAL synchronous_commit TO on"
                       : "SET LOCAL synchronous_commit TO off",
               NULL, NULL);
    d->synced = durable;
}

static void clear_transaction(struct pg_db *d)
{
    d->open = d->writes = d->group = d->part = d->changed = d->spoiled = false;
    d->failed = QUIRE_OK;
}

static void undo(struct pg_db *d)
{
    if (d->open && d->conn) {
        pg_db_send(d, "ROLLBACK", NULL, NULL);
        clear_transaction(d);
        (void)pg_db_wait(d, NULL);
    }
    clear_transaction(d);
    pg_db_release(d);
}

static quire_status open_transaction(struct pg_db *d, enum db_begin mode,
                                     quire_error *err)
{
    quire_status st;

    if (d->open)
        return err_set(err, QUIRE_IO, "%s already has an open transaction",
                       pg_pool_what(d->pool));
    if (mode != DB_LOOK && d->access == DB_READ)
        return err_set(err, QUIRE_IO, "%s is open for reading only",
                       pg_pool_what(d->pool));
    st = pg_db_connect(d, err);
    if (st)
        return st;
    d->open = d->synced = true;
    d->writes = mode != DB_LOOK;
    pg_db_send(d,
               d->writes ? "BEGIN"
                         : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
               NULL, NULL);
    return QUIRE_OK;
}

static quire_status begin_part(struct pg_db *d, enum db_begin mode,
                               int64_t scope, quire_error *err)
{
    quire_status st = pg_db_check(d, err);

    if (st)
        return st;
    if (d->part)
        return err_set(err, QUIRE_IO, "%s already has an open transaction",
                       pg_pool_what(d->pool));
    d->part = true;
    d->changed = false;
    if (mode == DB_LOOK)
        return QUIRE_OK;
    if (mode == DB_DURABLE)
        send_durability(d, true);
    send_lock(d, scope, false);
    return QUIRE_OK;
}

static quire_status pg_begin(struct db *base, enum db_begin mode, int64_t scope,
                             quire_error *err)
{
    struct pg_db *d = db_of(base);
    quire_status st;

    if (d->group)
        return begin_part(d, mode, scope, err);
    st = open_transaction(d, mode, err);
    if (st || mode == DB_LOOK)
        return st;
    send_durability(d, mode == DB_DURABLE);
    send_lock(d, scope, mode == DB_IF_FREE);
    if (mode == DB_IF_FREE) {
        st = pg_db_wait(d, err);
        if (st)
            undo(d);
    }
    return st;
}

static void pg_rollback(struct db *base)
{
    struct pg_db *d = db_of(base);

    if (!d->group) {
        undo(d);
        return;
    }
    d->spoiled |= d->part && d->changed;
    d->part = false;
}

static quire_status fail_unknown(const struct pg_db *d, quire_error *err)
{
    return err_fail(err, QUIRE_IO,
                    "look whether the change is there before "
                    "you repeat it",
                    "the connection to %s was lost during a commit: it is "
                    "unknown whether the change was kept",
                    pg_pool_what(d->pool));
}

static quire_status commit_now(struct pg_db *d, quire_error *err)
{
    quire_status st;

    if (d->writes)
        pg_info_note_own(d);
    pg_db_send(d, "COMMIT", NULL, NULL);
    st = pg_conn_wait(d->conn, err);
    if (st && d->conn->broken)
        st = fail_unknown(d, err);
    else if (st) /* something before it failed: it was skipped */
        undo(d);
    clear_transaction(d);
    pg_db_release(d);
    return st;
}

static quire_status pg_commit(struct db *base, quire_error *err)
{
    struct pg_db *d = db_of(base);
    quire_status st = pg_db_check(d, err);

    if (d->group) {
        d->part = false;
        return st;
    }
    if (st) {
        undo(d);
        return st;
    }
    return d->open ? commit_now(d, err) : QUIRE_OK;
}

/* ---- groups ------------------------------------------------------------- */

static quire_status pg_open_group(struct db *base, quire_error *err)
{
    struct pg_db *d = db_of(base);
    quire_status st = d->group ? err_set(err, QUIRE_INVALID,
                                         "%s already has an open group",
                                         pg_pool_what(d->pool))
                               : open_transaction(d, DB_SOON, err);

    if (st)
        return st;
    d->group = true;
    send_durability(d, false);
    return QUIRE_OK;
}

static quire_status pg_close_group(struct db *base, bool keep, bool *kept,
                                   quire_error *err)
{
    struct pg_db *d = db_of(base);
    quire_status st = keep && d->group ? pg_db_check(d, err) : QUIRE_OK;

    *kept = false;
    if (keep && d->group && !st) {
        st = commit_now(d, err);
        *kept = !st;
        return st;
    }
    undo(d);
    return st;
}

static void pg_relax(struct db *base, bool on)
{
    db_of(base)->relaxed = on;
}

/* What a connection sees of others was durable, or is lost with all that follows. */
static quire_status pg_settle(struct db *base, quire_error *err)
{
    struct pg_db *d = db_of(base);

    (void)err;
    if (d->group)
        send_durability(d, true);
    return QUIRE_OK;
}

static bool pg_inside(struct db *base)
{
    const struct pg_db *d = db_of(base);

    return d->group ? d->part && !d->spoiled && !d->failed : d->open;
}

static int64_t pg_changes(struct db *base)
{
    return db_of(base)->changes;
}

/* ---- statements without results ------------------------------------------ */

/* Not for what is frequent: the pipeline is left and entered again. */
static quire_status pg_exec(struct db *base, const char *sql, quire_error *err)
{
    struct pg_db *d = db_of(base);
    struct buf text = BUF_INIT(1 << 20);
    quire_status st = pg_db_check(d, err);

    if (!st && d->access == DB_READ && postgres_changes_rows(sql))
        st = err_set(err, QUIRE_IO, "%s is open for reading only",
                     pg_pool_what(d->pool));
    if (!st && postgres_translate(sql, &text) != 0)
        st = err_set(err, QUIRE_INVALID, "a statement has parameters: %s", sql);
    if (!st && !buf_text(&text))
        st = err_memory(err);
    if (!st)
        st = pg_db_connect(d, err);
    if (!st && d->conn->waiting)
        st = pg_conn_wait(d->conn, err);
    if (!st)
        st = pg_conn_exec(d->conn, text.data, err);
    if (d->open && d->conn) {
        if (st && !d->failed) {
            d->failed = st;
            d->failure = err ? *err : (quire_error){.status = st};
        }
        d->spoiled |= d->lib->transactionStatus(d->conn->pq) == PQTRANS_IDLE;
    }
    d->changed = true;
    pg_db_release(d);
    buf_release(&text);
    return st;
}

/* ---- life --------------------------------------------------------------- */

static bool pg_is_damaged(const struct db *base)
{
    return ((const struct pg_db *)base)->damaged;
}

static void pg_close(struct db *base)
{
    struct pg_db *d = db_of(base);

    undo(d);
    if (d->conn) { /* something was asked, and never read */
        (void)pg_conn_wait(d->conn, NULL);
        pg_db_release(d);
    }
    free(d->lock_tenant);
    free(d);
}

quire_status db_postgres_open(const struct postgres_config *config,
                              struct db **out, quire_error *err)
{
    struct pg_db *d = calloc(1, sizeof *d);
    struct buf lock = BUF_INIT(1 << 16);
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!d)
        return err_memory(err);
    d->base.ops = &postgres_ops;
    d->pool = config->pool;
    d->lib = pg_pool_lib(config->pool);
    d->access = config->access;
    if (config->lock_tenant) {
        (void)postgres_translate(config->lock_tenant, &lock);
        d->lock_tenant = buf_text(&lock);
        st = d->lock_tenant ? QUIRE_OK : err_memory(err);
    }
    if (!st)
        st = pg_info_open(d, err);
    if (st)
        pg_close(&d->base);
    else
        *out = &d->base;
    return st;
}

static const struct db_ops postgres_ops = {
    .exec = pg_exec,
    .prepare = pg_stmt_prepare,
    .bind_int = pg_bind_int,
    .bind_bytes = pg_bind_bytes,
    .bind_text = pg_bind_bytes,
    .bind_null = pg_bind_null,
    .ask = pg_stmt_ask,
    .post = pg_stmt_post,
    .step = pg_stmt_step,
    .column_int = pg_column_int,
    .column_bytes = pg_column_bytes,
    .column_null = pg_column_null,
    .reset = pg_stmt_reset,
    .finalize = pg_stmt_finalize,
    .begin = pg_begin,
    .commit = pg_commit,
    .rollback = pg_rollback,
    .open_group = pg_open_group,
    .close_group = pg_close_group,
    .relax = pg_relax,
    .settle = pg_settle,
    .inside = pg_inside,
    .changes = pg_changes,
    .schema_version = pg_info_schema_version,
    .set_schema_version = pg_info_set_schema_version,
    .data_version = pg_info_data_version,
    .has_table = pg_info_has_table,
    .has_only_tables = pg_info_has_only_tables,
    .space = pg_info_space,
    .release_space = pg_info_release_space,
    .scrub = pg_info_scrub,
    .is_damaged = pg_is_damaged,
    .close = pg_close,
};
