/* sqlite_reader.c - see sqlite_reader.h */
#include "import/sqlite_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/utf8.h"

enum {
    BUSY_MS = 2000,
    HEADER = 20, /* bytes, up to the version of the format */
    SQL_MAX = 4096,
    OPS_STEP = 1 << 20, /* of its virtual machine, between two checks */
    OPS_STEPS = 4096,   /* so many of them for all queries            */
    DEPTH_MAX = JSON_MAX_DEPTH / 2,
};

/* What a file was when it was opened. */
struct seen {
    bool there;
    ino_t inode;
    off_t size;
    struct timespec modified;
};

struct sqlite_reader {
    sqlite3 *handle;
    char *path;    /* owned */
    char *log;     /* owned: of its write-ahead log */
    bool unlocked; /* nothing keeps its program from writing */
    struct seen file, log_seen;
    int ops;
};

struct sqlite_row {
    sqlite3_stmt *stmt;
    bool *failed; /* out of memory for a value */
};

/* ---- errors ------------------------------------------------------------- */

static quire_status fail(const struct sqlite_reader *r, int rc,
                         quire_error *err)
{
    const char *why = r->handle ? sqlite3_errmsg(r->handle)
                                : sqlite3_errstr(rc);

    switch (rc & 0xff) {
    case SQLITE_NOMEM: return err_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return err_set(err, QUIRE_BUSY, "%s is in use by its program", r->path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_FULL:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return err_set(err, QUIRE_IO, "cannot read %s: %.200s", r->path, why);
    case SQLITE_INTERRUPT:
        return err_set(err, QUIRE_DAMAGED, "%s takes too long to read",
                       r->path);
    default:
        return err_set(err, QUIRE_DAMAGED, "%s cannot be read: %.200s", r->path,
                       why);
    }
}

/* ---- opening ------------------------------------------------------------ */

static struct seen look(const char *path)
{
    struct seen s = {.there = false};
    struct stat st;

    if (stat(path, &st) != 0)
        return s;
    s.there = true;
    s.inode = st.st_ino;
    s.size = st.st_size;
    s.modified = st.st_mtim;
    return s;
}

static bool is_same(const struct seen *a, const struct seen *b)
{
    return a->there == b->there && a->inode == b->inode && a->size == b->size &&
           a->modified.tv_sec == b->modified.tv_sec &&
           a->modified.tv_nsec == b->modified.tv_nsec;
}

static char *joined(const char *path, const char *end)
{
    size_t n = strlen(path), more = strlen(end) + 1;
    char *out = malloc(n + more);

    if (!out)
        return NULL;
    memcpy(out, path, n);
    memcpy(out + n, end, more);
    return out;
}

/* Whether the database is one with a write-ahead log: *log. */
static quire_status read_header(const char *path, bool *log, quire_error *err)
{
    static const char magic[16] = "SQLite format 3";
    char head[HEADER] = {0};
    struct stat st;
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    quire_status status = QUIRE_OK;

    *log = false;
    if (fd < 0)
        return err_sys(err, errno, "cannot read %s", path);
    if (fstat(fd, &st) != 0 || (n = fs_read_at(fd, head, HEADER, 0)) < 0)
        status = err_sys(err, errno, "cannot read %s", path);
    else if (!S_ISREG(st.st_mode) || n < HEADER ||
             memcmp(head, magic, sizeof magic) != 0)
        status = err_set(err, QUIRE_DAMAGED, "%s is not a SQLite database",
                         path);
    *log = head[18] == 2 || head[19] == 2;
    close(fd);
    return status;
}

/* "file:/a%3fb?…" */
static void add_uri(struct buf *out, const char *path, const char *options)
{
    const char *at;

    buf_add_str(out, "file:");
    for (at = path; *at; at++)
        if (*at == '%' || *at == '?' || *at == '#')
            buf_addf(out, "%%%02x", (unsigned char)*at);
        else
            buf_add_char(out, *at);
    buf_add_str(out, options);
}

static int count_ops(void *ctx)
{
    struct sqlite_reader *r = ctx;

    return ++r->ops > OPS_STEPS;
}

static void set_limits(struct sqlite_reader *r)
{
    static const struct {
        int id, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, (int)SQLITE_READER_VALUE_MAX},
        {SQLITE_LIMIT_SQL_LENGTH, SQL_MAX * 16}, /* of its schema too */
        {SQLITE_LIMIT_COLUMN, 200},
        {SQLITE_LIMIT_EXPR_DEPTH, 50},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    size_t i;

    for (i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(r->handle, limits[i].id, limits[i].value);
    sqlite3_progress_handler(r->handle, OPS_STEP, count_ops, r);
    sqlite3_busy_timeout(r->handle, BUSY_MS);
}

/* What its schema says is not trusted, and nothing is written on closing. */
static int harden(struct sqlite_reader *r)
{
    static const struct {
        int id, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
    };
    int rc = SQLITE_OK;
    size_t i;

    for (i = 0; i < sizeof settings / sizeof *settings && !rc; i++)
        rc = sqlite3_db_config(r->handle, settings[i].id, settings[i].value,
                               NULL);
    return rc;
}

static int begin(struct sqlite_reader *r)
{
    int rc = sqlite3_exec(r->handle, "PRAGMA mmap_size=0", NULL, NULL, NULL);

    if (!rc && r->unlocked)
        rc = sqlite3_exec(r->handle, "PRAGMA locking_mode=EXCLUSIVE", NULL,
                          NULL, NULL);
    if (!rc)
        rc = sqlite3_exec(r->handle, "PRAGMA cell_size_check=ON", NULL, NULL,
                          NULL);
    if (!rc)
        rc = sqlite3_exec(r->handle, "BEGIN", NULL, NULL, NULL);
    return rc ? rc
              : sqlite3_exec(r->handle, "SELECT count(*) FROM sqlite_schema",
                             NULL, NULL, NULL);
}

/* How to open it without writing: see the header. */
static const char *uri_options(struct sqlite_reader *r, bool has_log,
                               const char *index)
{
    struct stat st;

    if (!has_log)
        return "?mode=ro";
    if (!r->log_seen.there || r->log_seen.size == 0) {
        r->unlocked = true;
        return "?mode=ro&immutable=1";
    }
    if (stat(index, &st) == 0)
        return "?mode=ro&readonly_shm=1";
    r->unlocked = true;
    return "?mode=ro&vfs=unix-none";
}

static quire_status open_handle(struct sqlite_reader *r, const char *index,
                                quire_error *err)
{
    struct buf uri = BUF_INIT(16384);
    bool has_log;
    quire_status st = read_header(r->path, &has_log, err);
    int rc;

    if (st)
        return st;
    r->file = look(r->path);
    r->log_seen = look(r->log);
    add_uri(&uri, r->path, uri_options(r, has_log, index));
    if (!buf_text(&uri)) {
        buf_release(&uri);
        return err_memory(err);
    }
    rc = sqlite3_open_v2(buf_text(&uri), &r->handle,
                         SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    buf_release(&uri);
    if (!rc) {
        set_limits(r);
        rc = harden(r);
    }
    if (!rc)
        rc = begin(r);
    return rc ? fail(r, rc, err) : QUIRE_OK;
}

quire_status sqlite_reader_open(const char *path, struct sqlite_reader **out,
                                quire_error *err)
{
    struct sqlite_reader *r = calloc(1, sizeof *r);
    char *index = joined(path, "-shm");
    quire_status st;

    *out = NULL;
    if (r) {
        r->path = joined(path, "");
        r->log = joined(path, "-wal");
    }
    st = r && index && r->path && r->log ? open_handle(r, index, err)
                                         : err_memory(err);
    free(index);
    if (st)
        sqlite_reader_close(r);
    else
        *out = r;
    return st;
}

void sqlite_reader_close(struct sqlite_reader *r)
{
    if (!r)
        return;
    sqlite3_close_v2(r->handle);
    free(r->path);
    free(r->log);
    free(r);
}

quire_status sqlite_reader_settle(struct sqlite_reader *r, quire_error *err)
{
    struct seen file, log;

    if (!r->unlocked)
        return QUIRE_OK;
    file = look(r->path);
    log = look(r->log);
    if (is_same(&file, &r->file) && is_same(&log, &r->log_seen))
        return QUIRE_OK;
    return err_set(err, QUIRE_BUSY, "%s was written to while it was read",
                   r->path);
}

/* ---- queries ------------------------------------------------------------ */

static int prepare(struct sqlite_reader *r, const char *sql, const char *first,
                   const char *second, sqlite3_stmt **out)
{
    int rc = sqlite3_prepare_v2(r->handle, sql, -1, out, NULL);

    if (!rc && first)
        rc = sqlite3_bind_text(*out, 1, first, -1, SQLITE_STATIC);
    if (!rc && second)
        rc = sqlite3_bind_text(*out, 2, second, -1, SQLITE_STATIC);
    return rc;
}

/* A virtual table has no root page. */
bool sqlite_reader_has(struct sqlite_reader *r, const char *table,
                       const char *column)
{
    static const char sql[] =
        "SELECT 1 FROM sqlite_schema s, pragma_table_info(s.name) c WHERE "
        "s.type = 'table' AND s.rootpage > 0 AND s.name = ?1 AND c.name = ?2";
    sqlite3_stmt *stmt = NULL;
    bool has = !prepare(r, sql, table, column, &stmt) &&
               sqlite3_step(stmt) == SQLITE_ROW;

    sqlite3_finalize(stmt);
    return has;
}

quire_status sqlite_reader_query(struct sqlite_reader *r, const char *sql,
                                 const char *first, const char *second,
                                 sqlite_row_fn each, void *ctx,
                                 quire_error *err)
{
    bool failed = false;
    struct sqlite_row row = {NULL, &failed};
    quire_status st = QUIRE_OK;
    int rc = prepare(r, sql, first, second, &row.stmt);

    while (!rc && !st && (rc = sqlite3_step(row.stmt)) == SQLITE_ROW) {
        rc = SQLITE_OK;
        st = each(ctx, &row, err);
        if (!st && failed)
            st = err_memory(err);
    }
    if (!st && rc != SQLITE_DONE)
        st = fail(r, rc, err);
    sqlite3_finalize(row.stmt);
    return st;
}

/* ---- rows --------------------------------------------------------------- */

static quire_bytes bytes_at(const struct sqlite_row *row, int column)
{
    const void *data = sqlite3_column_blob(row->stmt, column);
    int len = sqlite3_column_bytes(row->stmt, column);

    if (!data && sqlite3_errcode(sqlite3_db_handle(row->stmt)) == SQLITE_NOMEM)
        *row->failed = true;
    return bytes_of(data ? data : "", data ? (size_t)len : 0);
}

quire_bytes sqlite_row_text(const struct sqlite_row *row, int column)
{
    return sqlite3_column_type(row->stmt, column) == SQLITE_TEXT
               ? bytes_at(row, column)
               : bytes_of("", 0);
}

int64_t sqlite_row_int(const struct sqlite_row *row, int column)
{
    int type = sqlite3_column_type(row->stmt, column);

    return type == SQLITE_INTEGER || type == SQLITE_FLOAT
               ? sqlite3_column_int64(row->stmt, column)
               : 0;
}

int sqlite_row_columns(const struct sqlite_row *row)
{
    return sqlite3_column_count(row->stmt);
}

int sqlite_row_column(const struct sqlite_row *row, const char *name)
{
    int i, n = sqlite3_column_count(row->stmt);

    for (i = 0; i < n; i++) {
        const char *column = sqlite3_column_name(row->stmt, i);

        if (!column)
            *row->failed = true;
        else if (!strcmp(column, name))
            return i;
    }
    return -1;
}

/* {"$…": as put_encoded() writes it. */
static bool is_marked(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;

    for (at++; at < end && (*at == ' ' || *at == '\t'); at++)
        ;
    return end - at > 1 && at[0] == '"' && at[1] == '$';
}

/* One object or list of JSON, on one line, that is not mistaken for another
 * value. */
static bool is_value(quire_bytes text)
{
    enum json_kind kind = json_kind(text);
    const char *at = text.data;
    enum json_step step;
    struct json_scan s;

    if ((kind != JSON_OBJECT && kind != JSON_ARRAY) ||
        (at[text.len - 1] != '}' && at[text.len - 1] != ']') ||
        is_marked(text) || memchr(at, '\n', text.len) ||
        memchr(at, '\r', text.len))
        return false;
    json_scan_init(&s, text);
    do
        step = json_scan_next(&s);
    while (step != JSON_STEP_BAD && step != JSON_STEP_END &&
           s.depth <= DEPTH_MAX);
    return step == JSON_STEP_END;
}

static void put_encoded(struct json_writer *w, const char *kind,
                        quire_bytes bytes)
{
    json_object(w);
    json_key(w, kind);
    json_base64(w, bytes);
    json_object_end(w);
}

void sqlite_text_json(struct json_writer *w, quire_bytes text)
{
    if (utf8_find_bad(text) < text.len)
        put_encoded(w, "$text", text);
    else if (text.len && is_value(text))
        json_raw(w, text);
    else
        json_bytes(w, text);
}

static void put_real(struct json_writer *w, double number)
{
    char text[64];
    int n;

    if (!isfinite(number)) {
        json_object(w);
        json_put_str(w, "$real", number > 0 ? "inf" : "-inf");
        json_object_end(w);
        return;
    }
    n = snprintf(text, sizeof text, "%.17g", number);
    if (!strpbrk(text, ".e"))
        snprintf(text + n, sizeof text - (size_t)n, ".0");
    json_raw(w, bytes_str(text));
}

static void put_column(struct json_writer *w, const struct sqlite_row *row,
                       int i)
{
    switch (sqlite3_column_type(row->stmt, i)) {
    case SQLITE_INTEGER: json_int(w, sqlite3_column_int64(row->stmt, i)); break;
    case SQLITE_FLOAT: put_real(w, sqlite3_column_double(row->stmt, i)); break;
    case SQLITE_TEXT: sqlite_text_json(w, bytes_at(row, i)); break;
    case SQLITE_BLOB: put_encoded(w, "$blob", bytes_at(row, i)); break;
    default: json_null(w);
    }
}

void sqlite_row_json(const struct sqlite_row *row, struct buf *out)
{
    int i, n = sqlite3_column_count(row->stmt);
    struct json_writer w;
    const char *name;

    json_begin(&w, out);
    json_object(&w);
    for (i = 0; i < n; i++) {
        name = sqlite3_column_name(row->stmt, i);
        if (!name) {
            out->failed = true;
            return;
        }
        json_key(&w, name);
        put_column(&w, row, i);
    }
    json_object_end(&w);
}
