/* catalog.c - the catalogue of the test's home, looked at from behind */
#include "support/catalog.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "api/core/handle.h"
#include "store/db.h"

const char *catalogue_file(void)
{
    return test_path("home/quire.db");
}

const char *catalogue_file_beside(const char *end)
{
    char name[64];

    snprintf(name, sizeof name, "home/quire.db%s", end);
    return test_path(name);
}

struct db *catalogue_open_in(const char *home)
{
    struct db_config config = {.access = DB_WRITE, .busy_ms = 20000};
    char file[64];
    struct db *db;

    snprintf(file, sizeof file, "%s/quire.db", home);
    config.path = test_path(file);
    OK(db_sqlite_open(&config, &db, &test_err));
    return db;
}

struct db *catalogue_open(void)
{
    return catalogue_open_in("home");
}

/* Each row of a statement as a line. */
static void add_rows(struct db *db, const char *sql, int columns,
                     struct buf *out)
{
    struct stmt *s;
    bool row;
    int i;

    OK(db_prepare(db, sql, &s, &test_err));
    for (;;) {
        OK(stmt_step(s, &row, &test_err));
        if (!row)
            break;
        for (i = 0; i < columns; i++) {
            quire_bytes text = stmt_column_bytes(s, i);

            buf_add(out, text.data, text.len);
            buf_add_char(out, i + 1 < columns ? '|' : '\n');
        }
    }
    stmt_finalize(s);
}

static const char *rows(struct db *db, const char *sql, int columns)
{
    struct buf got = BUF_INIT((size_t)1 << 26);
    char *text;

    add_rows(db, sql, columns, &got);
    text = test_alloc(got.len);
    if (got.len)
        memcpy(text, got.data, got.len);
    buf_release(&got);
    return text;
}

int64_t catalogue_number(const char *sql)
{
    struct db *db = catalogue_open_in("home");
    int64_t n = strtoll(rows(db, sql, 1), NULL, 10);

    db_close(db);
    return n;
}

/* ---- all of it ---------------------------------------------------------- */

/* Each finds what cannot be. */
static const char *const contradictions[] = {
    "SELECT * FROM pragma_foreign_key_check",
    /* full-text tables of older versions */
    "SELECT 'table', name FROM sqlite_schema WHERE name GLOB 'artifact_words_*' OR"
    " name GLOB 'memory_words_*' OR name GLOB 'memory_past_*'",
    /* changes are numbered without a gap */
    "SELECT 'changes', tenant FROM change_log GROUP BY tenant"
    " HAVING count(*) <> max(seq) - min(seq) + 1",
    /* totals */
    "SELECT 'session', id FROM session s WHERE used <> (SELECT coalesce(sum("
    "size), 0) FROM artifact WHERE session = s.id AND deleted = 0) OR n <> "
    "(SELECT count(*) FROM artifact WHERE session = s.id AND deleted = 0)",
    "SELECT 'tenant', id FROM tenant t WHERE used <> (SELECT coalesce(sum("
    "size), 0) FROM artifact WHERE tenant = t.id AND deleted = 0) OR n <> "
    "(SELECT count(*) FROM artifact WHERE tenant = t.id AND deleted = 0)",
    "SELECT 'pad', id FROM pad p WHERE used <> (SELECT coalesce(sum(length("
    "CAST(text AS BLOB))), 0) FROM pad_block WHERE pad = p.id)",
    /* the current version is one of its versions, and the newest */
    "SELECT 'version', a.id FROM artifact a LEFT JOIN artifact_version v ON "
    "v.artifact = a.id AND v.version = a.version WHERE v.sha256 IS NOT "
    "a.sha256 OR v.size IS NOT a.size",
    "SELECT 'newer', artifact FROM artifact_version v JOIN artifact a ON "
    "a.id = v.artifact WHERE v.version > a.version",
    /* content */
    "SELECT 'blob', artifact FROM artifact_version v LEFT JOIN blob b ON "
    "b.sha256 = v.sha256 WHERE b.size IS NOT v.size",
    "SELECT 'body', b.id FROM blob b LEFT JOIN body y ON y.id = b.id WHERE "
    "in_file = 0 AND length(y.bytes) IS NOT stored",
    "SELECT 'no blob', id FROM body WHERE id NOT IN (SELECT id FROM blob)",
    /* whose */
    "SELECT 'tenant of', a.id FROM artifact a JOIN session s ON s.id = "
    "a.session WHERE a.tenant <> s.tenant",
    "SELECT 'twice', id FROM artifact WHERE deleted = 0 GROUP BY session, path "
    "HAVING count(*) > 1",
    /* a superseded entry has ended */
    "SELECT 'superseded', m.id FROM relation r JOIN memory m ON m.id = "
    "r.target WHERE r.kind = 'supersedes' AND m.valid_to = 0",
};

void catalogue_sound(void)
{
    catalogue_sound_in("home");
}

void catalogue_sound_in(const char *name)
{
    struct db *db = catalogue_open_in(name);
    size_t i;

    SAME_TEXT("ok\n", rows(db, "PRAGMA integrity_check", 1));
    for (i = 0; i < sizeof contradictions / sizeof *contradictions; i++)
        SAME_TEXT("", rows(db, contradictions[i], 2));
    db_close(db);
}

static const struct {
    const char *sql;
    int columns;
} tables[] = {
    {"SELECT id, name, hex(token), disabled, created, used, n FROM tenant", 7},
    {"SELECT id, tenant, key, created, used, n FROM session ORDER BY id", 6},
    {"SELECT id, session, path, version, hex(sha256), size, mime, purpose, "
     "tags, meta, created, updated, deleted FROM artifact",
     13},
    {"SELECT artifact, version, hex(sha256), size, created FROM "
     "artifact_version",
     5},
    {"SELECT hex(sha256), size, in_file FROM blob ORDER BY 1", 3},
    {"SELECT id, tenant, session, artifact, type, updated, valid_from, "
     "valid_to, title, tags, source, content FROM memory",
     12},
    {"SELECT id, source, target, kind FROM relation", 4},
    {"SELECT id, tenant, name, used, updated FROM pad", 5},
    {"SELECT id, pad, text FROM pad_block", 3},
    {"SELECT key, value FROM setting", 2},
};

const char *catalogue_dump(void)
{
    return catalogue_dump_of("home");
}

const char *catalogue_dump_of(const char *name)
{
    struct buf out = BUF_INIT((size_t)1 << 26);
    struct db *db = catalogue_open_in(name);
    char *text;
    size_t i;

    for (i = 0; i < sizeof tables / sizeof *tables; i++) {
        buf_add_str(&out, "--\n");
        add_rows(db, tables[i].sql, tables[i].columns, &out);
    }
    db_close(db);
    text = test_alloc(out.len);
    memcpy(text, out.data, out.len);
    buf_release(&out);
    return text;
}

/* ---- copies ------------------------------------------------------------- */

static const char *copy_to; /* nftw() has no context */
static size_t copy_from_len;

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int copy_file(const char *from, const char *to, const struct stat *st)
{
    struct timespec times[2] = {st->st_atim, st->st_mtim};
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st->st_mode);
    int rc = in < 0 || out < 0 ? -1 : 0;
    ssize_t n = 1;

    while (!rc && n > 0) {
        n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0);
        rc = n < 0 ? -1 : 0;
    }
    if (!rc)
        rc = futimens(out, times);
    close(in);
    close(out);
    return rc;
}

static int copy_one(const char *path, const struct stat *st, int type,
                    struct FTW *ftw)
{
    char to[1024];

    (void)ftw;
    snprintf(to, sizeof to, "%s%s", copy_to, path + copy_from_len);
    return type == FTW_D ? mkdir(to, st->st_mode) : copy_file(path, to, st);
}

void catalogue_copy(const char *from, const char *to)
{
    nftw(to, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    copy_to = to;
    copy_from_len = strlen(from);
    EQ(0, nftw(from, copy_one, 16, FTW_PHYS));
}

void catalogue_tap(quire *q, struct fault *f)
{
    struct db *db;

    OK(need_catalog(q, true, &test_err));
    OK(db_intercept(q->catalog.db, fault_hook(f), &db, &test_err));
    q->catalog.db = db;
    OK(store_files_open(q->blob_path, false, &q->files, &test_err));
    OK(store_intercept(q->files, fault_hook(f), &test_err));
}

bool catalogue_long(void)
{
    return getenv("QUIRE_LONG") || getenv("QUIRE_TEST_LONG");
}
