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
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "store/db.h"
#include "store/sqlite_words.h"

/* Bodies of tens of kilobytes lie in chains of pages, each framed and summed in
 * the log: larger pages, fewer frames. But a small commit writes the whole of each
 * page it changes, a dozen for a put. With pages of 16 and 8 KiB bench/ has puts of
 * new 100 KiB texts at 0.69 and 0.74 of the libraries' own speed, one writer's puts
 * of 1 KiB at 0.60 and 0.86 of a bare commit, and a tool's write beyond its syncs at
 * 0.28 and 0.20 ms; with 4 KiB the texts are slower, the rest is no better. */
#define PAGE_BYTES 8192

/* Ours, in the file header, so that `file` and we can tell. "Quir". */
#define APPLICATION_ID 0x51756972

/* The longest path that SQLite takes: 512 bytes, with the ending of a journal
 * that we do not use. Longer ones it refuses without a reason. */
#define PATH_BYTES (512 - 8)

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
    unsigned settled;   /* the version up to which the disk has the log */
    int busy_ms;        /* how long to wait for another writer   */
    char *path;         /* owned, for messages                   */
};

struct sqlite_stmt_of {
    struct stmt base;
    struct sqlite_db *db;
    sqlite3_stmt *handle;
    int bind_rc; /* the first bind that failed */
};

static const struct db_ops sqlite_ops;

/* What the system said. An accident, whatever it was: "no such file" is not
 * the answer to a question here, and a reader who took it for one would take a
 * catalogue that cannot be read for one that is not there. */
static quire_status fail_sys(const struct sqlite_db *d, const char *verb,
                             int number, quire_error *err)
{
    err_sys(err, number, "cannot %s %s", verb, d->path);
    if (err && !*err->next)
        err_next(err, "it must be a regular file in a directory you may use");
    if (err)
        err->status = QUIRE_IO;
    return QUIRE_IO;
}

/* Why no file can be made beside `path`; 0 if one can. */
static int closed_beside(const char *path)
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
    int beside = access(d->path, R_OK) ? 0 : closed_beside(d->path);
    quire_status st;

    if (beside)
        return fail_sys(d, "make the files beside", beside, err);
    if (number)
        return fail_sys(d, "open", number, err);
    st = err_set(err, QUIRE_IO, "cannot open %s: %s", d->path,
                 d->handle ? sqlite3_errmsg(d->handle) : "out of memory");
    err_next(err, "it must be a regular file in a directory you may use");
    return st;
}

/* What SQLite's result means, in our words. */
static quire_status fail(struct sqlite_db *d, int rc, quire_error *err)
{
    const char *why = d->handle ? sqlite3_errmsg(d->handle) : "";
    quire_status st;

    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        st = err_set(err, QUIRE_BUSY,
                     "another process is writing to %s and does not let go",
                     d->path);
        err_next(err, "try again when it has finished");
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
            err_next(err,
                     "keep a copy of the file; its larger blobs can still be "
                     "read with `--store HOME/blobs --layout loose`");
        return st;
    case SQLITE_FULL: return fail_sys(d, "write", ENOSPC, err);
    case SQLITE_READONLY:
        return fail_sys(d, "write", access(d->path, W_OK) ? errno : EROFS, err);
    case SQLITE_CANTOPEN: return fail_open(d, err);
    case SQLITE_IOERR:
        if (sqlite3_system_errno(d->handle))
            return fail_sys(d, "use", sqlite3_system_errno(d->handle), err);
        /* fall through */
    default:
        st = err_set(err, QUIRE_IO, "%s: %s", d->path, why);
        err_next(err, "look for disk errors or a full file system");
        return st;
    }
}

static quire_status sqlite_exec(struct db *base, const char *sql,
                                quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    int rc = sqlite3_exec(d->handle, sql, NULL, NULL, NULL);

    return rc ? fail(d, rc, err) : QUIRE_OK;
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
        return fail(d, rc, err);
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
    int rc = of(s)->bind_rc ? of(s)->bind_rc : sqlite3_step(of(s)->handle);

    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return QUIRE_OK;
    return fail(of(s)->db, rc, err);
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
    return !sqlite3_get_autocommit(((struct sqlite_db *)base)->handle);
}

static void sqlite_rollback(struct db *base)
{
    struct sqlite_db *d = (struct sqlite_db *)base;

    if (sqlite_inside(base) && d->undo) {
        sqlite3_step(d->undo);
        sqlite3_reset(d->undo);
    }
    if (sqlite_inside(base))
        sqlite3_exec(d->handle, "ROLLBACK", NULL, NULL, NULL);
    d->stuck = sqlite_inside(base);
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

static quire_status sqlite_begin(struct db *base, enum db_begin mode,
                                 quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    int busy_ms = d->busy_ms;
    quire_status st;

    if (d->stuck)
        sqlite_rollback(base);
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

static quire_status sqlite_commit(struct db *base, quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    bool was_settled = d->settled == seen_version(d);
    quire_status st = sqlite_exec(base, "COMMIT", err);

    if (st) {
        sqlite_rollback(base);
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

static void sqlite_relax(struct db *base, bool on)
{
    ((struct sqlite_db *)base)->relaxed = on;
}

static quire_status sqlite_settle(struct db *base, quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)base;
    unsigned version = seen_version(d);
    quire_status st = QUIRE_OK;

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

static const char *sqlite_snippet(const struct db *base, enum db_snippet which)
{
    (void)base;
    switch (which) {
    case DB_INT_KEY: return "INTEGER PRIMARY KEY";
    case DB_BYTES: return "BLOB";
    case DB_ON_TAKEN: return "ON CONFLICT DO NOTHING";
    }
    return "";
}

static void sqlite_close(struct db *base)
{
    struct sqlite_db *d = (struct sqlite_db *)base;

    sqlite3_finalize(d->undo);
    sqlite3_close(d->handle);
    free(d->path);
    free(d);
}

static const struct db_ops sqlite_ops = {
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
    .relax = sqlite_relax,
    .settle = sqlite_settle,
    .inside = sqlite_inside,
    .changes = sqlite_changes,
    .last_id = sqlite_last_id,
    .snippet = sqlite_snippet,
    .close = sqlite_close,
};

/* ---- opening ------------------------------------------------------------ */

/* A database in a directory we may not write cannot make the two files beside
 * it that a write-ahead log needs. If nobody is using it there are none, and
 * SQLite can read the file as one that does not change. */
static bool must_be_still(const char *path)
{
    char beside[PATH_MAX];

    if ((size_t)snprintf(beside, sizeof beside, "%s-wal", path) >=
        sizeof beside)
        return false;
    return access(beside, F_OK) != 0 && closed_beside(path);
}

/* The path with its directory's links resolved: those are the user's own
 * doing. A link in the place of the file itself is not, and is refused. NULL
 * and errno when there is no such directory. */
static char *resolve(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = dir ? realpath(dir, NULL) : NULL;
    char *out = NULL;

    if (real && asprintf(&out, "%s/%s", real, slash ? slash + 1 : path) < 0)
        out = NULL;
    free(real);
    free(dir);
    return out;
}

/* A file: URI, with what means something there escaped. */
static char *uri_of(const char *path, bool still)
{
    static const char tail[] = "?immutable=1";
    char *uri = malloc(5 + 3 * strlen(path) + sizeof tail), *at = uri;

    if (!uri)
        return NULL;
    at = stpcpy(at, "file:");
    for (; *path; path++) {
        if (*path == '%' || *path == '?' || *path == '#')
            at += sprintf(at, "%%%02X", (unsigned)*path);
        else
            *at++ = *path;
    }
    strcpy(at, still ? tail : "");
    return uri;
}

/* Whose file is it? One without tables is new, or somebody died while making
 * it: either way it is still to be set up. In one transaction, because another
 * process may be doing just that. */
static quire_status check_ours(struct sqlite_db *d, bool *fresh,
                               quire_error *err)
{
    quire_status st;
    struct stmt *s = NULL;
    bool row;
    int64_t id = 0, tables = 0;

    st = sqlite_begin(&d->base, DB_LOOK, err);
    if (!st)
        st = sqlite_prepare(&d->base,
                            "SELECT application_id, (SELECT count(*) FROM "
                            "sqlite_schema) FROM pragma_application_id",
                            &s, err);
    if (!st)
        st = sqlite_step(s, &row, err);
    if (!st && row) {
        id = sqlite_column_int(s, 0);
        tables = sqlite_column_int(s, 1);
    }
    if (s)
        sqlite_finalize(s);
    sqlite_rollback(&d->base);
    if (st)
        return st;
    *fresh = tables == 0;
    if (!d->foreign && id != APPLICATION_ID && (id != 0 || tables != 0)) {
        st = err_set(err, QUIRE_DAMAGED, "%s is a database, but not Quire's",
                     d->path);
        err_next(err, "move it away, or name another home with --home");
        return st;
    }
    return QUIRE_OK;
}

/* Make a new file ours. The switch to the write-ahead log does not wait for
 * others, so those who would all do it queue at a lock on the directory. */
static quire_status make_ours(struct sqlite_db *d, int busy_ms,
                              quire_error *err)
{
    const char *slash = strrchr(d->path, '/');
    size_t len = slash ? (size_t)(slash - d->path) + 1 : 2;
    char *dir = strndup(slash ? d->path : "./", len);
    bool fresh = true;
    quire_status st;
    int fd = -1;
    char sql[256];

    if (!dir)
        return err_memory(err);
    st = fs_open_dir(dir, false, &fd, err);
    if (!st)
        st = fs_lock(fd, FS_EXCLUSIVE, busy_ms, err);
    if (!st)
        st = check_ours(d, &fresh, err);
    if (!st && fresh && !d->foreign) {
        snprintf(sql, sizeof sql,
                 "PRAGMA page_size=%d; PRAGMA auto_vacuum=INCREMENTAL;"
                 "PRAGMA application_id=%d",
                 PAGE_BYTES, APPLICATION_ID);
        st = sqlite_exec(&d->base, sql, err);
    }
    if (!st && fresh)
        st = sqlite_exec(&d->base, "PRAGMA journal_mode=WAL", err);
    if (fd >= 0)
        close(fd);
    free(dir);
    return st;
}

/* A file system without shared memory refuses the log, and SQLite goes on with
 * a rollback journal. */
static quire_status look_for_log(struct sqlite_db *d, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = sqlite_prepare(&d->base, "PRAGMA journal_mode", &s, err);
    bool row;

    if (st)
        return st;
    st = sqlite_step(s, &row, err);
    d->log = !st && row && bytes_is(sqlite_column_bytes(s, 0), "wal");
    sqlite_finalize(s);
    return st;
}

/* Another writer has its turn. It will be short, some hundred microseconds, so
 * ask again soon; SQLite's own waiting begins at a millisecond and goes on to
 * a hundred. The n-th time: whether to try again. */
static int wait_turn(void *ctx, int n)
{
    struct sqlite_db *d = ctx;
    /* 50 us ten times, then longer; the sum of what went before is known. */
    long pause_us = n < 10 ? 50 : n < 100 ? 200 : 2000;
    long waited_us = n < 10    ? 50L * n
                     : n < 100 ? 500 + 200L * (n - 10)
                               : 18500 + 2000L * (n - 100);
    struct timespec pause = {.tv_nsec = pause_us * 1000};

    if (waited_us >= 1000L * d->busy_ms)
        return 0;
    nanosleep(&pause, NULL);
    return 1;
}

static quire_status set_up(struct sqlite_db *d, const struct db_config *c,
                           quire_error *err)
{
    bool fresh;
    quire_status st;
    int rc;

    d->busy_ms = c->busy_ms;
    sqlite3_busy_handler(d->handle, wait_turn, d);
    sqlite3_extended_result_codes(d->handle, 1);
    rc = sqlite_words_register(d->handle);
    if (rc)
        return fail(d, rc, err);
    st = check_ours(d, &fresh, err);
    if (st)
        return st;
    if (c->access == DB_READ)
        return sqlite_exec(&d->base,
                           "PRAGMA query_only=ON; PRAGMA trusted_schema=OFF;"
                           "PRAGMA cell_size_check=ON",
                           err);
    if (fresh && c->path)
        st = make_ours(d, c->busy_ms, err);
    if (!st)
        st = look_for_log(d, err);
    if (st)
        return st;
    /* Without the log, anything less than FULL could lose old rows too. */
    st = sqlite_exec(&d->base,
                     d->log ? "PRAGMA synchronous=NORMAL"
                            : "PRAGMA synchronous=FULL",
                     err);
    if (st)
        return st;
    st = sqlite_exec(&d->base,
                     "PRAGMA foreign_keys=ON;"
                     "PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY;"
                     "PRAGMA journal_size_limit=67108864",
                     err);
    /* Others fill a full-text table by a trigger, which needs the trust. */
    if (!st && !d->foreign)
        st = sqlite_exec(&d->base, "PRAGMA trusted_schema=OFF", err);
    return st;
}

/* SQLite makes files that everybody may read; ours are private, and the two
 * beside them inherit that. Only ever *make* it here: closing any descriptor
 * of a file that is a database already would drop the locks that this process
 * holds on it. A failure shows when SQLite tries. */
static void make_private(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);
}

static quire_status open_file(struct sqlite_db *d, const struct db_config *c,
                              quire_error *err)
{
    bool reading = c->access == DB_READ;
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW |
                SQLITE_OPEN_READWRITE | (reading ? 0 : SQLITE_OPEN_CREATE);
    quire_status st = QUIRE_OK;
    char *path = resolve(c->path), *uri;
    int rc;

    if (!path)
        return errno == ENOENT && reading ? QUIRE_NOT_FOUND
                                          : fail_sys(d, "open", errno, err);
    if (strlen(path) > PATH_BYTES) {
        free(path);
        return fail_sys(d, "open", ENAMETOOLONG, err);
    }
    if (reading && access(path, F_OK) != 0 && errno == ENOENT) {
        free(path);
        return QUIRE_NOT_FOUND;
    }
    /* Reading too opens for writing, if it may: only then can SQLite tidy up
     * after a process that died, instead of leaving its files about. */
    if (!reading)
        make_private(path);
    uri = uri_of(path, reading && must_be_still(path));
    if (uri) {
        rc = sqlite3_open_v2(uri, &d->handle, flags, NULL);
        st = rc ? fail(d, rc, err) : QUIRE_OK;
    } else {
        st = err_memory(err);
    }
    free(uri);
    free(path);
    return st;
}

/* The index of the log is a file, for which there is no room on a full disk. A
 * reader who keeps everybody else out can do without it. */
static quire_status open_alone(struct sqlite_db *d, const struct db_config *c,
                               quire_error *err)
{
    quire_status st;

    sqlite3_close(d->handle);
    d->handle = NULL;
    st = open_file(d, c, err);
    if (!st)
        st = sqlite_exec(&d->base, "PRAGMA locking_mode=EXCLUSIVE", err);
    return st ? st : set_up(d, c, err);
}

/* To roll back must not take memory: that it has run out may be the reason.
 * After all else, because a PRAGMA makes prepared statements worthless. */
static quire_status prepare_undo(struct sqlite_db *d, quire_error *err)
{
    int rc = sqlite3_prepare_v3(d->handle, "ROLLBACK", -1,
                                SQLITE_PREPARE_PERSISTENT, &d->undo, NULL);

    return rc ? fail(d, rc, err) : QUIRE_OK;
}

static quire_status open_any(const struct db_config *config, bool foreign,
                             struct db **out, quire_error *err)
{
    struct sqlite_db *d = calloc(1, sizeof *d);
    quire_status st;
    int rc;

    if (!d)
        return err_memory(err);
    d->base.ops = &sqlite_ops;
    d->foreign = foreign;
    d->path = strdup(config->path ? config->path : "memory");
    if (!d->path) {
        st = err_memory(err);
    } else if (config->path) {
        st = open_file(d, config, err);
    } else {
        rc = sqlite3_open_v2(":memory:", &d->handle,
                             SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE, NULL);
        st = rc ? fail(d, rc, err) : QUIRE_OK;
    }
    if (!st)
        st = set_up(d, config, err);
    if (st == QUIRE_IO && d->handle && config->path &&
        config->access == DB_READ && sqlite3_system_errno(d->handle) == ENOSPC)
        st = open_alone(d, config, err);
    if (!st)
        st = prepare_undo(d, err);
    if (st)
        sqlite_close(&d->base);
    else
        *out = &d->base;
    return st;
}

quire_status db_sqlite_open(const struct db_config *config, struct db **out,
                            quire_error *err)
{
    return open_any(config, false, out, err);
}

quire_status db_sqlite_open_foreign(const struct db_config *config,
                                    struct db **out, quire_error *err)
{
    return open_any(config, true, out, err);
}
