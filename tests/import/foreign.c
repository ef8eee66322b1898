/* foreign.c - see foreign.h */
#include "foreign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "import/find.h"
#include "sound.h"
#include "support/catalog.h"

void foreign_exec(sqlite3 *db, const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why))
        SAME_TEXT("", why ? why : "out of memory");
}

sqlite3 *foreign_open(const char *path, const char *journal, const char *sql)
{
    char pragma[64];
    sqlite3 *db;

    foreign_dirs(path);
    EQ(SQLITE_OK, sqlite3_open(path, &db));
    if (journal) {
        snprintf(pragma, sizeof pragma, "PRAGMA journal_mode=%s", journal);
        foreign_exec(db, pragma);
    }
    foreign_exec(db, sql);
    return db;
}

void foreign_sql(const char *path, const char *journal, const char *sql)
{
    EQ(SQLITE_OK, sqlite3_close(foreign_open(path, journal, sql)));
}

void foreign_dirs(const char *path)
{
    char copy[512], *at;

    snprintf(copy, sizeof copy, "%s", path);
    for (at = copy + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        YES(mkdir(copy, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
}

void foreign_write(const char *path, const char *text)
{
    foreign_dirs(path);
    test_write_file(path, bytes_str(quoted(text)));
}

/* ---- imports ------------------------------------------------------------ */

static quire_status take_line(void *ctx, const struct import_line *line,
                              quire_error *err)
{
    struct foreign_import *got = ctx;

    (void)err;
    got->states[line->state]++;
    got->entries = line->entries;
    got->problems = line->problems;
    snprintf(got->session, sizeof got->session, "%s", line->session);
    return QUIRE_OK;
}

static void take_problem(void *ctx, const char *path, uint64_t line,
                         uint64_t byte, const char *message)
{
    struct foreign_import *got = ctx;

    (void)path, (void)line, (void)byte;
    snprintf(got->problem, sizeof got->problem, "%s", message);
}

struct foreign_import foreign_import(quire *q, const char *from)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};
    struct foreign_import got = {.states = {0}};
    struct import_run run = {.q = q,
                             .line = take_line,
                             .problem = take_problem,
                             .ctx = &got};

    if (from)
        OK(import_find_from(&places, from, NULL, &test_err));
    else
        OK(import_find_default(&places, NULL, &test_err));
    OK(import_run(&run, &places, &got.sum, &test_err));
    arena_release(&keep);
    return got;
}

quire *foreign_home(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    OK(quire_open(&o, &q, &test_err));
    return q;
}

const char *foreign_original(quire *q, const char *path)
{
    struct buf got = BUF_INIT((size_t)1 << 30);
    char *copy;

    OK(quire_import_original(q, path, buf_write, &got, &test_err));
    copy = test_alloc(got.len + 1);
    memcpy(copy, got.data, got.len);
    copy[got.len] = '\0';
    buf_release(&got);
    return copy;
}

uint64_t foreign_state(const char *path)
{
    static const uint64_t seed[2] = {1, 2};

    return test_exists(path) ? map_hash(seed, test_read_file(path)) : 0;
}

/* ---- failing calls ------------------------------------------------------ */

static bool import_failing(const char *path, long n)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};
    struct foreign_import got = {.states = {0}};
    struct import_run run = {.line = take_line, .ctx = &got};
    quire *q = foreign_home();
    bool failed;

    run.q = q;
    fault_arm(n, n % 2 ? ENOMEM : EIO, false);
    if (!import_find_from(&places, path, NULL, &test_err))
        import_run(&run, &places, &got.sum, &test_err);
    failed = fault_disarm();
    arena_release(&keep);
    quire_close(q);
    return failed;
}

void foreign_faults(const char *name, const char *ledger_path)
{
    char *path = test_alloc(512);
    struct foreign_import got;
    const char *original;
    quire *q;
    long n = 1;

    snprintf(path, 512, "%s", test_path(name));
    YES(mkdir(test_path("empty"), 0700) == 0);
    q = foreign_home();
    EQ(0, foreign_import(q, path).sum.problems);
    original = foreign_original(q, ledger_path);
    quire_close(q);
    for (;; n++) {
        catalogue_copy(test_path("empty"), test_path("home"));
        if (!import_failing(path, n))
            break;
        q = foreign_home();
        got = foreign_import(q, path);
        EQ(0, got.sum.problems);
        SAME_TEXT(original, foreign_original(q, ledger_path));
        quire_close(q);
    }
    YES(n > 50);
}
