/*
 * sqlite_open.c - open a SQLite database
 *
 * A new file is set up: page size, write-ahead log, an application id that
 * marks it as ours. An existing one is checked before it is written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "store/sqlite_priv.h"

/* Bodies of tens of kilobytes are chains of pages, each framed and checksummed
 * in the log: larger pages, fewer frames. But a small commit writes the whole
 * of each page it changes, a dozen for a put. With pages of 16 and 8 KiB bench/
 * has puts of new 100 KiB texts at 0.69 and 0.74 of the libraries' own speed,
 * one writer's puts of 1 KiB at 0.60 and 0.86 of a bare commit, and a tool's
 * write beyond its syncs at 0.28 and 0.20 ms; with 4 KiB the texts are slower
 * and the rest no better. */
#define PAGE_BYTES 8192

/* In the file header, for `file` and for us: "Quir". */
#define APPLICATION_ID 0x51756972

/* The longest path that SQLite accepts: 512 bytes, with the suffix of a journal
 * that we do not use. Longer ones it refuses without a reason. */
#define PATH_BYTES (512 - 8)

/* ---- full-text tables of older files ------------------------------------- */

/* A tokenizer without words. Files of older versions have full-text tables that name
 * it; without it they cannot even be dropped. */
static int no_words_create(void *ctx, const char **args, int n_args,
                           Fts5Tokenizer **out)
{
    (void)args;
    (void)n_args;
    *out = ctx;
    return SQLITE_OK;
}

static void no_words_delete(Fts5Tokenizer *t)
{
    (void)t;
}

static int no_words(Fts5Tokenizer *t, void *ctx, int flags, const char *text,
                    int len,
                    int (*token)(void *, int, const char *, int, int, int))
{
    (void)t, (void)ctx, (void)flags, (void)text, (void)len, (void)token;
    return SQLITE_OK;
}

static int register_tokenizer(sqlite3 *handle)
{
    fts5_tokenizer methods = {no_words_create, no_words_delete, no_words};
    fts5_api *api = NULL;
    sqlite3_stmt *s = NULL;
    int done, rc = sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &s, NULL);

    if (!rc)
        rc = sqlite3_bind_pointer(s, 1, (void *)&api, "fts5_api_ptr", NULL);
    if (!rc)
        sqlite3_step(s);
    /* After a failed step this returns the error code. */
    done = sqlite3_finalize(s);
    if (rc || done)
        return rc ? rc : done;
    return api ? api->xCreateTokenizer(api, "quire", api, &methods, NULL)
               : SQLITE_ERROR;
}

/* ---- files ----------------------------------------------------------------- */

/* A database in a read-only directory cannot create the two files beside it
 * that a write-ahead log needs. If they are absent the database is not in use,
 * and SQLite can read the file as immutable. */
static bool is_immutable(const char *path)
{
    char beside[PATH_MAX];

    if ((size_t)snprintf(beside, sizeof beside, "%s-wal", path) >=
        sizeof beside)
        return false;
    return access(beside, F_OK) != 0 && sqlite_closed_beside(path);
}

/* The path with its directory's links resolved: those are the user's own
 * choice. A link in the place of the file itself is refused. NULL and errno
 * when the directory does not exist. */
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

/* A file: URI, with special characters escaped. */
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

/* Check whether the file is ours. One without tables is new, or its creator
 * died half way: either way it is still to be set up. In one transaction,
 * because another process may be doing just that. */
static quire_status check_ours(struct sqlite_db *d, bool *fresh,
                               quire_error *err)
{
    quire_status st;
    struct stmt *s = NULL;
    bool row;
    int64_t id = 0, tables = 0;

    st = sqlite_ops.begin(&d->base, DB_LOOK, DB_ALL_TENANTS, err);
    if (!st)
        st = sqlite_ops.prepare(&d->base,
                                "SELECT application_id, (SELECT count(*) FROM "
                                "sqlite_schema) FROM pragma_application_id",
                                &s, err);
    if (!st)
        st = sqlite_ops.step(s, &row, err);
    if (!st && row) {
        id = sqlite_ops.column_int(s, 0);
        tables = sqlite_ops.column_int(s, 1);
    }
    if (s)
        sqlite_ops.finalize(s);
    sqlite_ops.rollback(&d->base);
    if (st)
        return st;
    *fresh = tables == 0;
    if (!d->foreign && id != APPLICATION_ID && (id != 0 || tables != 0)) {
        st = err_fail(err, QUIRE_DAMAGED,
                      HINT_SHELL
                      "move it away, or name another home with --home",
                      "%s is a database of another program", d->path);
        return st;
    }
    return QUIRE_OK;
}

/* Set up a new file. The switch to the write-ahead log does not wait for
 * others, so processes that do it at the same time queue at a lock on the
 * directory. */
static quire_status set_up_new(struct sqlite_db *d, int busy_ms,
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
        st = sqlite_ops.exec(&d->base, sql, err);
    }
    if (!st && fresh)
        st = sqlite_ops.exec(&d->base, "PRAGMA journal_mode=WAL", err);
    if (fd >= 0)
        close(fd);
    free(dir);
    return st;
}

/* A file system without shared memory refuses the log, and SQLite uses a
 * rollback journal instead. */
static quire_status detect_log(struct sqlite_db *d, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = sqlite_ops.prepare(&d->base, "PRAGMA journal_mode", &s,
                                         err);
    bool row;

    if (st)
        return st;
    st = sqlite_ops.step(s, &row, err);
    d->log = !st && row && bytes_is(sqlite_ops.column_bytes(s, 0), "wal");
    sqlite_ops.finalize(s);
    return st;
}

/* Another writer holds the lock. It will be short, some hundred microseconds,
 * so retry soon; SQLite's own waiting begins at a millisecond and goes up to a
 * hundred. The n-th time: whether to try again. */
static int wait_for_writer(void *ctx, int n)
{
    struct sqlite_db *d = ctx;
    /* 50 us ten times, then longer; the sum so far follows from n. */
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

/* For a process that works alone. */
enum { CACHE_KIB = 16384 };

static quire_status set_up(struct sqlite_db *d, const struct db_config *c,
                           quire_error *err)
{
    char sql[160];
    bool fresh;
    quire_status st;
    int rc;

    d->busy_ms = c->busy_ms;
    sqlite3_busy_handler(d->handle, wait_for_writer, d);
    sqlite3_extended_result_codes(d->handle, 1);
    rc = register_tokenizer(d->handle);
    if (rc)
        return sqlite_fail(d, rc, err);
    st = check_ours(d, &fresh, err);
    if (st)
        return st;
    if (c->access == DB_READ)
        return sqlite_ops
            .exec(&d->base,
                  "PRAGMA query_only=ON; PRAGMA trusted_schema=OFF;"
                  "PRAGMA cell_size_check=ON",
                  err);
    if (fresh && c->path)
        st = set_up_new(d, c->busy_ms, err);
    if (!st)
        st = detect_log(d, err);
    if (st)
        return st;
    /* Without the log, anything less than FULL could lose old rows too. */
    st = sqlite_ops.exec(&d->base,
                         d->log ? "PRAGMA synchronous=NORMAL"
                                : "PRAGMA synchronous=FULL",
                         err);
    if (st)
        return st;
    snprintf(sql, sizeof sql,
             "PRAGMA foreign_keys=ON; PRAGMA cache_size=-%d;"
             "PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=67108864",
             c->cache_kib > 0 ? c->cache_kib : CACHE_KIB);
    st = sqlite_ops.exec(&d->base, sql, err);
    if (!st && c->scrub)
        st = sqlite_ops.exec(&d->base, "PRAGMA secure_delete=ON", err);
    /* Other programs fill a full-text table by a trigger, which needs the
     * trust. */
    if (!st && !d->foreign)
        st = sqlite_ops.exec(&d->base, "PRAGMA trusted_schema=OFF", err);
    return st;
}

/* SQLite creates world-readable files; ours are private, and the two beside
 * them inherit that. Only ever *create* the file here: closing any descriptor
 * of a file that is already a database would drop the locks that this process
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
        return errno == ENOENT && reading
                   ? QUIRE_NOT_FOUND
                   : sqlite_fail_sys(d, "open", errno, err);
    if (strlen(path) > PATH_BYTES) {
        free(path);
        return sqlite_fail_sys(d, "open", ENAMETOOLONG, err);
    }
    if (reading && access(path, F_OK) != 0 && errno == ENOENT) {
        free(path);
        return QUIRE_NOT_FOUND;
    }
    /* Readers open for writing too, if they may: only then can SQLite clean up
     * after a process that died. */
    if (!reading)
        make_private(path);
    uri = uri_of(path, reading && is_immutable(path));
    if (uri) {
        rc = sqlite3_open_v2(uri, &d->handle, flags, NULL);
        st = rc ? sqlite_fail(d, rc, err) : QUIRE_OK;
    } else {
        st = err_memory(err);
    }
    free(uri);
    free(path);
    return st;
}

/* The index of the log is a file, which cannot be created on a full disk. A
 * reader with exclusive access does without it. */
static quire_status open_alone(struct sqlite_db *d, const struct db_config *c,
                               quire_error *err)
{
    quire_status st;

    sqlite3_close(d->handle);
    d->handle = NULL;
    st = open_file(d, c, err);
    if (!st)
        st = sqlite_ops.exec(&d->base, "PRAGMA locking_mode=EXCLUSIVE", err);
    return st ? st : set_up(d, c, err);
}

/* Rolling back must not allocate: lack of memory may be the reason for it.
 * Prepared last, because a PRAGMA invalidates prepared statements. */
static quire_status prepare_undo(struct sqlite_db *d, quire_error *err)
{
    int rc = sqlite3_prepare_v3(d->handle, "ROLLBACK", -1,
                                SQLITE_PREPARE_PERSISTENT, &d->undo, NULL);

    return rc ? sqlite_fail(d, rc, err) : QUIRE_OK;
}

static quire_status open_database(const struct db_config *config, bool foreign,
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
        d->marked = !foreign &&
                    sqlite_mark_open(d->path, config->access == DB_WRITE);
        st = open_file(d, config, err);
        d->marked = d->marked && !st;
    } else {
        rc = sqlite3_open_v2(":memory:", &d->handle,
                             SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE, NULL);
        st = rc ? sqlite_fail(d, rc, err) : QUIRE_OK;
    }
    if (!st)
        st = set_up(d, config, err);
    if (st == QUIRE_IO && d->handle && config->path &&
        config->access == DB_READ && sqlite3_system_errno(d->handle) == ENOSPC)
        st = open_alone(d, config, err);
    if (!st)
        st = prepare_undo(d, err);
    if (st)
        sqlite_ops.close(&d->base);
    else
        *out = &d->base;
    return st;
}

quire_status db_sqlite_open(const struct db_config *config, struct db **out,
                            quire_error *err)
{
    return open_database(config, false, out, err);
}

quire_status db_sqlite_open_foreign(const struct db_config *config,
                                    struct db **out, quire_error *err)
{
    return open_database(config, true, out, err);
}
