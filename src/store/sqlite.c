/*
 * sqlite.c - the catalogue's driver over SQLite
 *
 * Write-ahead log, so readers never wait for a writer. With synchronous=NORMAL
 * a commit is in the log and nobody has waited for the disk; what must survive
 * a power cut has its log synced by us, after the commit. SQLite's own way,
 * FULL, syncs while it holds the right to write: then sixteen writers wait for
 * the disk one after the other. So they wait together, whether they are threads
 * or processes, because the kernel makes one flush of many.
 *
 * That the sync comes after the lock is let go loses nothing. Frames are on the
 * disk in the order of commits or behind a checksum that fails; before the log
 * is begun anew its frames were synced, copied and synced again. Others may
 * see a row before it lasts, but what they make of it comes later in the log.
 */
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
    int bind_rc; /* the first bind that failed */
};

/* What the system said. An accident, whatever it was: "no such file" is not
 * the answer to a question here, and a reader who took it for one would take a
 * catalogue that cannot be read for one that is not there. */
quire_status sqlite_fail_sys(const struct sqlite_db *d, const char *verb,
                             int number, quire_error *err)
{
    err_sys(err, number, "cannot %s %s", verb, d->path);
    if (err && !*err->next)
        err_next(err, "it must be a regular file in a directory you may use");
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

/* SQLite does not tell which of its files it could not open. Beside the one
 * it was asked for it makes two, and needs to. */
static quire_status fail_open(const struct sqlite_db *d, quire_error *err)
{
    int number = d->handle ? sqlite3_system_errno(d->handle) : 0;
    int beside = access(d->path, R_OK) ? 0 : sqlite_closed_beside(d->path);

    if (beside)
        return sqlite_fail_sys(d, "make the files beside", beside, err);
    if (number)
        return sqlite_fail_sys(d, "open", number, err);
    return err_fail(err, QUIRE_IO,
                    "it must be a regular file in a directory you may use",
                    "cannot open %s: %s", d->path,
                    d->handle ? sqlite3_errmsg(d->handle) : "out of memory");
}

/* Whether memory or disk have failed it, rather than whoever asks. */
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

    /* FTS5 may then have lost what the parts before this one gave it. */
    if (d->group && is_accident(rc))
        d->spoiled = true;
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        st = err_fail(err, QUIRE_BUSY, "try again when it has finished",
                      "another process is writing to %s and does not let go",
                      d->path);
        return st;
    case SQLITE_NOMEM: d->forgetful = true; return err_memory(err);
    case SQLITE_CONSTRAINT:
        return err_set(err, QUIRE_EXISTS, "%s: %s", d->path, why);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        st = err_set(err, QUIRE_DAMAGED, "%s is damaged: %s", d->path, why);
        if (d->foreign)
            err_next(err, "move it away, and a new one will be made");
        else
            err_next(err, HINT_SHELL
                     "keep a copy of the file; its larger blobs can still be "
                     "read with `--store HOME/blobs --layout loose`");
        return st;
    case SQLITE_FULL: return sqlite_fail_sys(d, "write", ENOSPC, err);
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

/* Whether the group that is open cannot be kept. A failure may have ended its
 * transaction: what is done after that would be kept by itself. */
static bool is_spoiled(const struct sqlite_db *d)
{
    return d->spoiled || sqlite3_get_autocommit(d->handle);
}

static quire_status fail_group(const struct sqlite_db *d, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_IO, "do it again, one by one",
                               "what was changed together in %s is not kept: "
                               "something in it failed",
                               d->path);
    return st;
}

static bool is_open(const struct sqlite_db *d)
{
    return !sqlite3_get_autocommit(d->handle);
}

static void undo(struct sqlite_db *d)
{
    if (is_open(d) && d->undo) {
        sqlite3_step(d->undo);
        sqlite3_reset(d->undo);
    }
    if (is_open(d))
        sqlite3_exec(d->handle, "ROLLBACK", NULL, NULL, NULL);
    d->stuck = is_open(d);
}

/* What could not be undone is not to be seen, and has the right to write: it is
 * tried again before anything else is done. */
static quire_status get_unstuck(struct sqlite_db *d, quire_error *err)
{
    if (d->stuck)
        undo(d);
    return d->stuck ? err_memory(err) : QUIRE_OK;
}

static quire_status sqlite_exec(struct db *base, const char *sql,
                                quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    int rc;

    if (d->group && is_spoiled(d))
        return fail_group(d, err);
    if (get_unstuck(d, err))
        return QUIRE_NO_MEMORY;
    rc = sqlite3_exec(d->handle, sql, NULL, NULL, NULL);
    return rc ? sqlite_fail(d, rc, err) : QUIRE_OK;
}

/* ---- statements --------------------------------------------------------- */

static struct sqlite_stmt_of *of(struct stmt *s)
{
    return (struct sqlite_stmt_of *)s;
}

static quire_status sqlite_prepare(struct db *base, const char *sql,
                                   struct stmt **out, quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    struct sqlite_stmt_of *s = calloc(1, sizeof *s);
    int rc;

    if (!s)
        return err_memory(err);
    s->base.ops = &sqlite_ops;
    s->db = d;
    rc = sqlite3_prepare_v3(d->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
                            &s->handle, NULL);
    if (rc) {
        free(s);
        return sqlite_fail(d, rc, err);
    }
    *out = &s->base;
    return QUIRE_OK;
}

static void note(struct sqlite_stmt_of *s, int rc)
{
    if (rc && !s->bind_rc)
        s->bind_rc = rc;
}

static void sqlite_bind_int(struct stmt *s, int at, int64_t value)
{
    note(of(s), sqlite3_bind_int64(of(s)->handle, at, value));
}

/* A NULL pointer would bind NULL; empty bytes are not that. */
static void sqlite_bind_bytes(struct stmt *s, int at, quire_bytes value)
{
    note(of(s),
         sqlite3_bind_blob64(of(s)->handle, at, value.data ? value.data : "",
                             value.len, SQLITE_STATIC));
}

static void sqlite_bind_text(struct stmt *s, int at, quire_bytes value)
{
    note(of(s),
         sqlite3_bind_text64(of(s)->handle, at, value.data ? value.data : "",
                             value.len, SQLITE_STATIC, SQLITE_UTF8));
}

static void sqlite_bind_null(struct stmt *s, int at)
{
    note(of(s), sqlite3_bind_null(of(s)->handle, at));
}

static quire_status sqlite_step(struct stmt *s, bool *row, quire_error *err)
{
    struct sqlite_db *d = of(s)->db;
    int rc;

    *row = false;
    if (d->group && is_spoiled(d))
        return fail_group(d, err);
    if (get_unstuck(d, err))
        return QUIRE_NO_MEMORY;
    rc = of(s)->bind_rc ? of(s)->bind_rc : sqlite3_step(of(s)->handle);
    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return QUIRE_OK;
    return sqlite_fail(d, rc, err);
}

static int64_t sqlite_column_int(struct stmt *s, int at)
{
    return sqlite3_column_int64(of(s)->handle, at);
}

static quire_bytes sqlite_column_bytes(struct stmt *s, int at)
{
    const void *data = sqlite3_column_blob(of(s)->handle, at);

    return (quire_bytes){data,
                         data ? (size_t)sqlite3_column_bytes(of(s)->handle, at)
                              : 0};
}

static bool sqlite_column_null(struct stmt *s, int at)
{
    return sqlite3_column_type(of(s)->handle, at) == SQLITE_NULL;
}

static void sqlite_reset(struct stmt *s)
{
    sqlite3_reset(of(s)->handle);
    of(s)->bind_rc = 0;
}

static void sqlite_finalize(struct stmt *s)
{
    sqlite3_finalize(of(s)->handle);
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
        undo(d);
        return;
    }
    if (d->part && sqlite3_total_changes64(d->handle) != d->rows)
        d->spoiled = true;
    d->part = false;
}

/* When memory fails it, FTS5 may keep what was rolled back: then its next
 * change goes wrong, or leaves its sums wrong. What it knows is forgotten with
 * the schema. */
static void renew(struct sqlite_db *d)
{
    if (!d->forgetful)
        return;
    d->forgetful = sqlite3_exec(d->handle, "PRAGMA writable_schema=RESET", NULL,
                                NULL, NULL) != SQLITE_OK;
}

static quire_status begin_part(struct sqlite_db *d, enum db_begin mode,
                               quire_error *err)
{
    if (d->part)
        return err_set(err, QUIRE_IO, "%s is in a transaction already",
                       d->path);
    if (is_spoiled(d))
        return fail_group(d, err);
    d->part = true;
    d->lasting = d->lasting || mode == DB_DURABLE;
    d->rows = sqlite3_total_changes64(d->handle);
    return QUIRE_OK;
}

static quire_status sqlite_begin(struct db *base, enum db_begin mode,
                                 quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    int busy_ms = d->busy_ms;
    quire_status st;

    if (d->group)
        return begin_part(d, mode, err);
    if (get_unstuck(d, err))
        return QUIRE_NO_MEMORY;
    renew(d);
    d->lasting = mode == DB_DURABLE;
    if (mode == DB_IF_FREE)
        d->busy_ms = 0;
    st = sqlite_exec(base, mode == DB_LOOK ? "BEGIN" : "BEGIN IMMEDIATE", err);
    d->busy_ms = busy_ms;
    return st;
}

/* The kernel tells of a page that it could not write once, and then takes it for
 * written: a later sync that succeeds says nothing. */
static quire_status lost_log(const struct sqlite_db *d, quire_error *err)
{
    quire_status st = err_sys(err, EIO, "cannot sync the log of %s", d->path);

    err_next(err, "what was being written may or may not be there after a "
                  "power cut; look for disk errors");
    return st;
}

/* Wait until the disk has the log. Without a log SQLite has waited. */
static quire_status sync_log(struct sqlite_db *d, quire_error *err)
{
    sqlite3_file *log = NULL;

    if (!d->log)
        return QUIRE_OK;
    if (d->lost)
        return lost_log(d, err);
    if (sqlite3_file_control(d->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER,
                             &log) ||
        !log || !log->pMethods)
        return err_set(err, QUIRE_IO, "%s has lost its log", d->path);
    if (!log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY))
        return QUIRE_OK;
    d->lost = true;
    return lost_log(d, err);
}

/* A number that changes with every commit, ours or others', that is seen. */
static unsigned seen_version(struct sqlite_db *d)
{
    unsigned version = 0;

    sqlite3_file_control(d->handle, "main", SQLITE_FCNTL_DATA_VERSION,
                         &version);
    return version;
}

/* *kept: it is there, even if the disk did not say that it lasts. */
static quire_status commit_group(struct sqlite_db *d, bool *kept,
                                 quire_error *err)
{
    bool was_settled = d->settled == seen_version(d);
    quire_status st = sqlite_exec(&d->base, "COMMIT", err);

    *kept = !st;
    if (st) {
        undo(d);
        return st;
    }
    if (d->lasting && d->relaxed)
        return QUIRE_OK;
    if (d->lasting)
        st = sync_log(d, err);
    if (!st && (d->lasting || was_settled))
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
                                    "%s has an open group already", d->path)
                          : sqlite_begin(base, DB_SOON, err);

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
    undo(d);
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

    /* Its end will wait for what was there before, too. */
    if (d->group) {
        d->lasting = true;
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

static int64_t sqlite_last_id(struct db *base)
{
    return sqlite3_last_insert_rowid(((struct sqlite_db *)base)->handle);
}

static void sqlite_close(struct db *base)
{
    struct sqlite_db *d = (struct sqlite_db *)base;

    sqlite3_finalize(d->undo);
    sqlite3_close(d->handle);
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
    .last_id = sqlite_last_id,
    .close = sqlite_close,
};
