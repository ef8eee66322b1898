/*
 * sqlite.c - database driver over SQLite
 *
 * Write-ahead log, so readers never wait for a writer. With synchronous=NORMAL
 * a commit is in the log without waiting for the disk; for a durable one we
 * sync the log after the commit. SQLite's own way, FULL, syncs while it holds
 * the write lock: then sixteen writers wait for the disk one after the other.
 * Here they wait together, whether they are threads or processes, because the
 * kernel merges their flushes.
 *
 * Syncing after the lock is released loses nothing. Frames are on the disk in
 * the order of commits or behind a checksum that fails; before the log restarts
 * its frames were synced, copied and synced again. Other connections may see a
 * row before it is durable, but what they write on its basis comes later in the
 * log.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/sqlite_priv.h"

struct sqlite_stmt_of {
    struct stmt base;
    struct sqlite_db *db;
    sqlite3_stmt *handle;
    int bind_rc;    /* the first bind that failed */
    uint64_t bound; /* parameters bound since the last reset, as bits */
    uint64_t all;   /* all of them                                    */
};

/* A failed system call. Always an error: "no such file" must not be returned as
 * NOT_FOUND here, or a reader would take an unreadable catalogue for an absent
 * one. */
quire_status sqlite_fail_sys(const struct sqlite_db *d, const char *verb,
                             int number, quire_error *err)
{
    err_sys(err, number, "cannot %s %s", verb, d->path);
    if (err && !*err->next)
        err_next(err,
                 "it must be a regular file in a directory you can access");
    if (err)
        err->status = QUIRE_IO;
    return QUIRE_IO;
}

int sqlite_closed_beside(const char *path)
{
    char dir[PATH_MAX], *slash;

    if ((size_t)snprintf(dir, sizeof dir, "%s", path) >= sizeof dir)
        return ENAMETOOLONG;
    slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = '\0';
    return access(slash ? dir : ".", W_OK) ? errno : 0;
}

/* SQLite does not report which of its files it could not open. Beside the
 * database it creates two more. */
static quire_status fail_open(const struct sqlite_db *d, quire_error *err)
{
    int number = d->handle ? sqlite3_system_errno(d->handle) : 0;
    int beside = access(d->path, R_OK) ? 0 : sqlite_closed_beside(d->path);

    if (beside)
        return sqlite_fail_sys(d, "make the files beside", beside, err);
    if (number)
        return sqlite_fail_sys(d, "open", number, err);
    return err_fail(err, QUIRE_IO,
                    "it must be a regular file in a directory you can access",
                    "cannot open %s: %s", d->path,
                    d->handle ? sqlite3_errmsg(d->handle) : "out of memory");
}

/* Whether memory or disk failed, rather than the caller's statement. */
static bool is_accident(int rc)
{
    rc &= 0xff;
    return rc != SQLITE_CONSTRAINT && rc != SQLITE_BUSY &&
           rc != SQLITE_LOCKED && rc != SQLITE_ERROR;
}

quire_status sqlite_fail(struct sqlite_db *d, int rc, quire_error *err)
{
    const char *why = d->handle ? sqlite3_errmsg(d->handle) : "";
    quire_status st;

    /* FTS5 may then have lost changes of earlier parts. */
    if (d->group && is_accident(rc))
        d->spoiled = true;
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        st = err_fail(err, QUIRE_BUSY, "try again when it has finished",
                      "another process holds the write lock of %s", d->path);
        return st;
    case SQLITE_NOMEM: d->forgetful = true; return err_memory(err);
    case SQLITE_CONSTRAINT:
        return err_set(err, QUIRE_EXISTS, "%s: %s", d->path, why);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        d->damaged = true;
        st = err_set(err, QUIRE_DAMAGED, "%s is damaged: %s", d->path, why);
        if (d->foreign)
            err_next(err, "move it away, and a new one will be created");
        else
            err_next(err, HINT_SHELL
                     "restore it from a copy of the home; larger blobs can "
                     "still be read with `--store HOME/blobs --layout loose`");
        return st;
    case SQLITE_FULL:
        d->full = true;
        return sqlite_fail_sys(d, "write", ENOSPC, err);
    case SQLITE_READONLY:
        return sqlite_fail_sys(d, "write",
                               access(d->path, W_OK) ? errno : EROFS, err);
    case SQLITE_CANTOPEN: return fail_open(d, err);
    case SQLITE_IOERR:
        if (sqlite3_system_errno(d->handle))
            return sqlite_fail_sys(d, "use", sqlite3_system_errno(d->handle),
                                   err);
        /* fall through */
    default:
        st = err_fail(err, QUIRE_IO,
                      "look for disk errors or a full file system", "%s: %s",
                      d->path, why);
        return st;
    }
}

/* Whether the open group cannot be kept. A failure may have ended its
 * transaction: later changes would commit on their own. */
static bool is_spoiled(const struct sqlite_db *d)
{
    return d->spoiled || sqlite3_get_autocommit(d->handle);
}

static quire_status fail_group(const struct sqlite_db *d, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_IO, "repeat the changes one by one",
                               "changes grouped in %s were rolled back: "
                               "one of them failed",
                               d->path);
    return st;
}

static bool is_open(const struct sqlite_db *d)
{
    return !sqlite3_get_autocommit(d->handle);
}

static void run_undo(struct sqlite_db *d)
{
    if (is_open(d) && d->undo) {
        sqlite3_step(d->undo);
        sqlite3_reset(d->undo);
    }
    if (is_open(d))
        sqlite3_exec(d->handle, "ROLLBACK", NULL, NULL, NULL);
    d->stuck = is_open(d);
}

/* A transaction that could not be rolled back must not be read, and holds the
 * write lock: retry the rollback before anything else. */
static quire_status retry_undo(struct sqlite_db *d, quire_error *err)
{
    if (d->stuck)
        run_undo(d);
    return d->stuck ? err_memory(err) : QUIRE_OK;
}

static quire_status sqlite_exec(struct db *base, const char *sql,
                                quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    int rc;

    if (d->group && is_spoiled(d))
        return fail_group(d, err);
    if (retry_undo(d, err))
        return QUIRE_NO_MEMORY;
    rc = sqlite3_exec(d->handle, sql, NULL, NULL, NULL);
    return rc ? sqlite_fail(d, rc, err) : QUIRE_OK;
}

/* ---- statements --------------------------------------------------------- */

static struct sqlite_stmt_of *stmt_of(struct stmt *s)
{
    return (struct sqlite_stmt_of *)s;
}

/* SQLite keeps the highest id of a table with serial ids. It has no row before the
 * first one. */
static const char *expand_next_id(const char *sql, char *room, size_t cap)
{
    size_t len = strlen(DB_NEXT_ID(""));

    if (strncmp(sql, DB_NEXT_ID(""), len) != 0)
        return sql;
    snprintf(room, cap,
             "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence"
             " WHERE name = '%s'",
             sql + len);
    return room;
}

static quire_status sqlite_prepare(struct db *base, const char *sql,
                                   struct stmt **out, quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    struct sqlite_stmt_of *s = calloc(1, sizeof *s);
    char room[128];
    int rc, n;

    if (!s)
        return err_memory(err);
    sql = expand_next_id(sql, room, sizeof room);
    s->base.ops = &sqlite_ops;
    s->db = d;
    rc = sqlite3_prepare_v3(d->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
                            &s->handle, NULL);
    if (rc) {
        free(s);
        return sqlite_fail(d, rc, err);
    }
    n = sqlite3_bind_parameter_count(s->handle);
    s->all = n ? UINT64_MAX >> (64 - n) : 0;
    *out = &s->base;
    return QUIRE_OK;
}

static void record_bind(struct sqlite_stmt_of *s, int at, int rc)
{
    if (rc && !s->bind_rc)
        s->bind_rc = rc;
    if (at > 0 && at <= 64)
        s->bound |= UINT64_C(1) << (at - 1);
}

static void sqlite_bind_int(struct stmt *s, int at, int64_t value)
{
    record_bind(stmt_of(s), at,
                sqlite3_bind_int64(stmt_of(s)->handle, at, value));
}

/* A NULL pointer would bind NULL; empty bytes are not that. */
static void sqlite_bind_bytes(struct stmt *s, int at, quire_bytes value)
{
    record_bind(stmt_of(s), at,
                sqlite3_bind_blob64(stmt_of(s)->handle, at,
                                    value.data ? value.data : "", value.len,
                                    SQLITE_STATIC));
}

static void sqlite_bind_text(struct stmt *s, int at, quire_bytes value)
{
    record_bind(stmt_of(s), at,
                sqlite3_bind_text64(stmt_of(s)->handle, at,
                                    value.data ? value.data : "", value.len,
                                    SQLITE_STATIC, SQLITE_UTF8));
}

static void sqlite_bind_null(struct stmt *s, int at)
{
    record_bind(stmt_of(s), at, sqlite3_bind_null(stmt_of(s)->handle, at));
}

/* There is nothing to send. */
static void sqlite_ask(struct stmt *s)
{
    (void)s;
}

static quire_status sqlite_step(struct stmt *s, bool *row, quire_error *err)
{
    struct sqlite_db *d = stmt_of(s)->db;
    int rc;

    *row = false;
    /* A parameter that is not bound would be NULL, and match nothing. */
    assert(stmt_of(s)->bind_rc ||
           (stmt_of(s)->bound & stmt_of(s)->all) == stmt_of(s)->all);
    if (d->group && is_spoiled(d))
        return fail_group(d, err);
    if (retry_undo(d, err))
        return QUIRE_NO_MEMORY;
    rc = stmt_of(s)->bind_rc ? stmt_of(s)->bind_rc
                             : sqlite3_step(stmt_of(s)->handle);
    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return QUIRE_OK;
    if (rc == SQLITE_ERROR) /* of a value: a full-text expression */
        return err_set(err, QUIRE_INVALID, "%s", sqlite3_errmsg(d->handle));
    return sqlite_fail(d, rc, err);
}

static int64_t sqlite_column_int(struct stmt *s, int at)
{
    return sqlite3_column_int64(stmt_of(s)->handle, at);
}

static quire_bytes sqlite_column_bytes(struct stmt *s, int at)
{
    const void *data = sqlite3_column_blob(stmt_of(s)->handle, at);

    return (
        quire_bytes){data,
                     data ? (size_t)sqlite3_column_bytes(stmt_of(s)->handle, at)
                          : 0};
}

static bool sqlite_column_null(struct stmt *s, int at)
{
    return sqlite3_column_type(stmt_of(s)->handle, at) == SQLITE_NULL;
}

static void sqlite_reset(struct stmt *s)
{
    sqlite3_reset(stmt_of(s)->handle);
    stmt_of(s)->bind_rc = 0;
    stmt_of(s)->bound = 0;
}

static quire_status sqlite_post(struct stmt *s, quire_error *err)
{
    bool row;
    quire_status st = sqlite_step(s, &row, err);

    sqlite_reset(s);
    return st;
}

static void sqlite_finalize(struct stmt *s)
{
    sqlite3_finalize(stmt_of(s)->handle);
    free(s);
}

/* ---- transactions ------------------------------------------------------- */

static bool sqlite_inside(struct db *base)
{
    const struct sqlite_db *d = (struct sqlite_db *)base;

    return d->group ? d->part && !is_spoiled(d) : is_open(d);
}

static void sqlite_rollback(struct db *base)
{
    struct sqlite_db *d = (struct sqlite_db *)base;

    if (!d->group) {
        run_undo(d);
        return;
    }
    if (d->part && sqlite3_total_changes64(d->handle) != d->rows)
        d->spoiled = true;
    d->part = false;
}

/* When memory fails, FTS5 may keep what was rolled back: then its next change
 * fails, or leaves its sums wrong. Reloading the schema discards its state. */
static void reload_schema(struct sqlite_db *d)
{
    if (!d->forgetful)
        return;
    d->forgetful = sqlite3_exec(d->handle, "PRAGMA writable_schema=RESET", NULL,
                                NULL, NULL) != SQLITE_OK;
}

/* When a transaction did not fit on the disk: copy the write-ahead log into the
 * database, where it takes no more space, and begin it anew. Then a smaller
 * transaction may fit. */
static void empty_log(struct sqlite_db *d)
{
    if (!d->full)
        return;
    d->full = false;
    (void)sqlite3_wal_checkpoint_v2(d->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE,
                                    NULL, NULL);
}

static quire_status begin_part(struct sqlite_db *d, enum db_begin mode,
                               quire_error *err)
{
    if (d->part)
        return err_set(err, QUIRE_IO, "%s already has an open transaction",
                       d->path);
    if (is_spoiled(d))
        return fail_group(d, err);
    d->part = true;
    d->durable = d->durable || mode == DB_DURABLE;
    d->rows = sqlite3_total_changes64(d->handle);
    return QUIRE_OK;
}

static quire_status sqlite_begin(struct db *base, enum db_begin mode,
                                 int64_t scope, quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    int busy_ms = d->busy_ms;
    quire_status st;

    (void)scope;
    if (d->group)
        return begin_part(d, mode, err);
    if (retry_undo(d, err))
        return QUIRE_NO_MEMORY;
    reload_schema(d);
    empty_log(d);
    d->began_rows = sqlite3_total_changes64(d->handle);
    d->durable = mode == DB_DURABLE;
    if (mode == DB_IF_FREE)
        d->busy_ms = 0;
    st = sqlite_exec(base, mode == DB_LOOK ? "BEGIN" : "BEGIN IMMEDIATE", err);
    d->busy_ms = busy_ms;
    return st;
}

/* The kernel reports a page that it could not write once, and then treats it as
 * written: a later successful sync proves nothing. */
static quire_status fail_lost_log(const struct sqlite_db *d, quire_error *err)
{
    quire_status st = err_sys(err, EIO, "cannot sync the log of %s", d->path);

    err_next(err, "the last writes may be lost after a "
                  "power cut; look for disk errors");
    return st;
}

/* Wait until the log is on the disk. Without a log SQLite has waited. */
static quire_status sync_log(struct sqlite_db *d, quire_error *err)
{
    sqlite3_file *log = NULL;

    if (!d->log)
        return QUIRE_OK;
    if (d->lost)
        return fail_lost_log(d, err);
    if (sqlite3_file_control(d->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER,
                             &log) ||
        !log || !log->pMethods)
        return err_set(err, QUIRE_IO, "%s has lost its log", d->path);
    if (!log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY))
        return QUIRE_OK;
    d->lost = true;
    return fail_lost_log(d, err);
}

/* A number that changes with every commit, ours or others', that is seen. */
static unsigned seen_version(struct sqlite_db *d)
{
    unsigned version = 0;

    sqlite3_file_control(d->handle, "main", SQLITE_FCNTL_DATA_VERSION,
                         &version);
    return version;
}

/* *kept: it is committed, even if the sync failed. */
static quire_status commit_group(struct sqlite_db *d, bool *kept,
                                 quire_error *err)
{
    bool was_settled = d->settled == seen_version(d);
    struct timespec before;
    quire_status st;

    clock_gettime(CLOCK_REALTIME_COARSE, &before);
    st = sqlite_exec(&d->base, "COMMIT", err);
    *kept = !st;
    if (st) {
        run_undo(d);
        return st;
    }
    if (d->durable && d->relaxed)
        return QUIRE_OK;
    if (d->durable)
        st = sync_log(d, err);
    /* A transaction that changed nothing wrote no log. */
    if (!st && d->durable && d->log && d->marked &&
        sqlite3_total_changes64(d->handle) != d->began_rows)
        sqlite_mark_commit(d->path, before);
    if (!st && (d->durable || was_settled))
        d->settled = seen_version(d);
    return st;
}

static quire_status sqlite_commit(struct db *base, quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    bool kept;

    if (!d->group)
        return commit_group(d, &kept, err);
    d->part = false;
    return is_spoiled(d) ? fail_group(d, err) : QUIRE_OK;
}

static quire_status sqlite_open_group(struct db *base, quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    quire_status st = d->group
                          ? err_set(err, QUIRE_INVALID,
                                    "%s already has an open group", d->path)
                          : sqlite_begin(base, DB_SOON, DB_ALL_TENANTS, err);

    if (st)
        return st;
    d->group = true;
    d->part = d->spoiled = false;
    return QUIRE_OK;
}

static quire_status sqlite_close_group(struct db *base, bool keep, bool *kept,
                                       quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    bool fine = d->group && keep && !is_spoiled(d);

    d->group = false;
    if (fine)
        return commit_group(d, kept, err);
    *kept = false;
    run_undo(d);
    return keep ? fail_group(d, err) : QUIRE_OK;
}

static void sqlite_relax(struct db *base, bool on)
{
    ((struct sqlite_db *)base)->relaxed = on;
}

static quire_status sqlite_settle(struct db *base, quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    unsigned version = seen_version(d);
    quire_status st = QUIRE_OK;

    /* The end of the group will wait for earlier commits, too. */
    if (d->group) {
        d->durable = true;
        return QUIRE_OK;
    }
    if (version != d->settled)
        st = sync_log(d, err);
    if (!st)
        d->settled = version;
    return st;
}

static int64_t sqlite_changes(struct db *base)
{
    return sqlite3_changes64(((struct sqlite_db *)base)->handle);
}

static void sqlite_close(struct db *base)
{
    struct sqlite_db *d = (struct sqlite_db *)base;

    if (d->data_version)
        stmt_finalize(d->data_version);
    sqlite3_finalize(d->undo);
    sqlite3_close(d->handle);
    if (d->marked)
        sqlite_mark_close(d->path);
    free(d->path);
    free(d);
}

const struct db_ops sqlite_ops = {
    .exec = sqlite_exec,
    .prepare = sqlite_prepare,
    .bind_int = sqlite_bind_int,
    .bind_bytes = sqlite_bind_bytes,
    .bind_text = sqlite_bind_text,
    .bind_null = sqlite_bind_null,
    .ask = sqlite_ask,
    .post = sqlite_post,
    .step = sqlite_step,
    .column_int = sqlite_column_int,
    .column_bytes = sqlite_column_bytes,
    .column_null = sqlite_column_null,
    .reset = sqlite_reset,
    .finalize = sqlite_finalize,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .open_group = sqlite_open_group,
    .close_group = sqlite_close_group,
    .relax = sqlite_relax,
    .settle = sqlite_settle,
    .inside = sqlite_inside,
    .changes = sqlite_changes,
    .schema_version = sqlite_schema_version,
    .set_schema_version = sqlite_set_schema_version,
    .data_version = sqlite_data_version,
    .has_table = sqlite_has_table,
    .has_only_tables = sqlite_has_only_tables,
    .space = sqlite_space,
    .release_space = sqlite_release_space,
    .scrub = sqlite_scrub,
    .is_damaged = sqlite_is_damaged,
    .close = sqlite_close,
};
