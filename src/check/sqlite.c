/*
 * sqlite.c - SQLite's integrity check of quire.db
 *
 * SQLite's integrity_check looks up each row in each index. The index of blob
 * digests is in random order; with a million blobs its part takes longer than
 * the rest of a check. So that index is compared here, in one pass over it and
 * one over its table, and SQLite checks the other tables. If any of these finds
 * a fault, the whole integrity_check runs, and only its result is reported.
 *
 * A large catalogue is checked in a thread with a connection of its own while
 * the caller goes on; report.c holds other findings back meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/parallel.h"
#include "check/check.h"
#include "api/verify.h"

#define CATALOGUE "quire.db"

/* More lines than these say the same again. */
#define LINES     "100"
#define LINES_MAX 100

/* From this size on a thread is worth it. */
#define MUCH ((off_t)4 << 20)

/* Each row is looked for in each index, which lie in another order: with
 * SQLite's small cache most of the time goes into fetching the same pages
 * again. */
#define MUCH_MEMORY  "PRAGMA cache_size=-131072"
#define USUAL_MEMORY "PRAGMA cache_size=-16384" /* as store/sqlite.c has it */

struct sqlite_look {
    struct db *db;
    bool full;
    uint64_t seed[2];
    char lines[LINES_MAX][200];
    size_t n;
    quire_status st; /* it could not be looked at */
    quire_error why;

    pthread_t thread;
    atomic_bool stop; /* the caller has stopped */
};

/* ---- the index of digests ----------------------------------------------- */

/* All entries of a table or an index, in whatever order: the same sum, the same
 * entries. */
struct sum {
    uint64_t n, hash;
    bool odd; /* a digest that is none, or out of order */
};

static void add_entry(const struct sqlite_look *l, struct stmt *s,
                      unsigned char last[32], bool ordered, struct sum *sum)
{
    struct {
        int64_t id;
        unsigned char digest[32];
    } e = {.id = stmt_column_int(s, 0)};
    quire_bytes digest = stmt_column_bytes(s, 1);

    if (digest.len != sizeof e.digest || !stmt_column_int(s, 2)) {
        sum->odd = true;
        return;
    }
    memcpy(e.digest, digest.data, sizeof e.digest);
    if (ordered && sum->n > 0 && memcmp(last, e.digest, sizeof e.digest) >= 0)
        sum->odd = true;
    memcpy(last, e.digest, sizeof e.digest);
    sum->hash += map_hash(l->seed, bytes_of(&e, sizeof e));
    sum->n++;
}

static quire_status sum_up(struct sqlite_look *l, const char *sql, bool ordered,
                           struct sum *sum, quire_error *err)
{
    unsigned char last[32] = {0};
    struct stmt *s;
    bool row = true;
    quire_status st = db_prepare(l->db, sql, &s, err);

    if (st)
        return st;
    while (!st && row && !sum->odd && !atomic_load(&l->stop)) {
        st = stmt_step(s, &row, err);
        if (!st && row)
            add_entry(l, s, last, ordered, sum);
    }
    stmt_finalize(s);
    return st;
}

/* Whether the index has the rows of the table, each once, and in order. */
static bool digests_sound(struct sqlite_look *l)
{
    static const char rows[] =
        "SELECT id, sha256, typeof(sha256) = 'blob' FROM blob NOT INDEXED";
    static const char index[] =
        "SELECT id, sha256, typeof(sha256) = 'blob' FROM blob INDEXED BY"
        " sqlite_autoindex_blob_1 ORDER BY sha256";
    struct db *db = l->db;
    struct sum a = {.n = 0}, b = {.n = 0};
    quire_status st = db_begin(db, DB_LOOK, DB_ALL_TENANTS, NULL);

    if (st)
        return false;
    st = sum_up(l, rows, false, &a, NULL);
    if (!st && !a.odd)
        st = sum_up(l, index, true, &b, NULL);
    db_rollback(db);
    return !st && !a.odd && !b.odd && a.n == b.n && a.hash == b.hash;
}

/* ---- SQLite's own test -------------------------------------------------- */

static void keep_line(struct sqlite_look *l, struct stmt *s)
{
    quire_bytes text = stmt_column_bytes(s, 0);
    size_t len = text.len < sizeof *l->lines ? text.len : sizeof *l->lines - 1;
    char *line;

    if (bytes_equal(text, bytes_str("ok")) || l->n >= LINES_MAX)
        return;
    line = l->lines[l->n];
    if (len)
        memcpy(line, text.data, len);
    line[len] = '\0';
    l->n++;
}

static quire_status run_check(struct sqlite_look *l, const char *sql,
                              quire_error *err)
{
    struct stmt *s;
    bool row = true;
    quire_status st = db_prepare(l->db, sql, &s, err);

    if (st)
        return st;
    while (!st && row) {
        st = stmt_step(s, &row, err);
        if (!st && row)
            keep_line(l, s);
    }
    stmt_finalize(s);
    return st;
}

/* One table; its name was made by us, or it is no name that we could ask for. */
static quire_status check_table(struct sqlite_look *l, quire_bytes name,
                                bool *sound)
{
    char sql[200];

    *sound = name.len < 128 && !memchr(name.data, '\'', name.len);
    if (!*sound)
        return QUIRE_OK;
    snprintf(sql, sizeof sql, "PRAGMA integrity_check('%.*s')", (int)name.len,
             (const char *)name.data);
    return run_check(l, sql, NULL);
}

/* All tables but those of blobs, if these have no other index: a table without
 * one is looked at as closely by a quick check. */
static bool others_sound(struct sqlite_look *l)
{
    static const char sql[] =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN"
        " ('blob', 'body') AND (SELECT count(*) FROM sqlite_schema WHERE type ="
        " 'index' AND tbl_name IN ('blob', 'body')) = 1";
    struct stmt *s;
    bool row = true, any = false, sound = true;

    if (db_prepare(l->db, sql, &s, NULL))
        return false;
    while (sound && row && !atomic_load(&l->stop)) {
        sound = !stmt_step(s, &row, NULL);
        if (!sound || !row)
            break;
        any = true;
        if (check_table(l, stmt_column_bytes(s, 0), &sound) || l->n)
            sound = false;
    }
    stmt_finalize(s);
    return sound && any;
}

static bool sound_in_parts(struct sqlite_look *l)
{
    return !run_check(l, "PRAGMA quick_check(1)", NULL) && l->n == 0 &&
           others_sound(l) && digests_sound(l);
}

static void check_database(struct sqlite_look *l)
{
    struct db *db = l->db;

    db_exec(db, MUCH_MEMORY, NULL); /* a wish */
    if (!l->full || !sound_in_parts(l)) {
        l->n = 0;
        if (!atomic_load(&l->stop))
            l->st = run_check(l,
                              l->full ? "PRAGMA integrity_check(" LINES ")"
                                      : "PRAGMA quick_check(" LINES ")",
                              &l->why);
    }
    db_exec(db, USUAL_MEMORY, NULL);
}

static void *check_in_thread(void *ctx)
{
    check_database(ctx);
    return NULL;
}

/* ---- reporting ---------------------------------------------------------- */

/* Faults of indexes, not of tables: the indexes can be rebuilt. */
static bool is_index_line(const char *line)
{
    return strstr(line, "missing from index") ||
           strstr(line, "entries in index") ||
           strstr(line, "non-unique entry in index");
}

static quire_status report_line(struct checks *c, const char *line,
                                quire_error *err)
{
    quire_problem p = {.where = CATALOGUE, .kind = "database"};
    struct mending m = {.how = MEND_NONE};

    problem_what(&p, "the database is damaged: %s", line);
    problem_next(&p, "keep a copy of it; what `quire repair` cannot mend comes "
                     "back only from a backup");
    if (is_index_line(line)) {
        p.kind = "index";
        m.how = MEND_INDEX;
        problem_next(&p, "`quire repair` rebuilds the index");
    }
    return checks_found(c, &p, &m, err);
}

static quire_status report_result(struct checks *c, struct sqlite_look *l,
                                  quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < l->n && !st; i++)
        st = report_line(c, l->lines[i], err);
    return st ? st : checks_report_failure(c, CATALOGUE, l->st, &l->why, err);
}

/* ---- beside the rest ---------------------------------------------------- */

/* A connection and a thread for it, if it is worth that and they can be had. */
static bool start_thread(struct checks *c, struct sqlite_look *l)
{
    struct db_config config = {.path = c->q->db_path,
                               .access = DB_READ,
                               .busy_ms = c->q->busy_ms};
    struct stat s;

    if (!verify_can_share(c->q) || parallel_n_threads() < 2 || !config.path ||
        stat(config.path, &s) < 0 || s.st_size < MUCH ||
        db_sqlite_open(&config, &l->db, NULL))
        return false;
    if (parallel_thread_start(&l->thread, check_in_thread, l))
        return true;
    db_close(l->db);
    return false;
}

/* Wait for the thread. The result is the caller's. */
static struct sqlite_look *join_thread(struct checks *c)
{
    struct sqlite_look *l = c->sqlite;

    c->sqlite = NULL;
    pthread_join(l->thread, NULL);
    db_close(l->db);
    return l;
}

static quire_status wait_and_report(struct checks *c, quire_error *err)
{
    struct sqlite_look *l = join_thread(c);
    quire_status st = report_result(c, l, err);

    free(l);
    return st;
}

quire_status check_sqlite(struct checks *c, quire_error *err)
{
    struct sqlite_look *l = calloc(1, sizeof *l);
    quire_status st;

    if (!l)
        return err_memory(err);
    l->full = c->flags & QUIRE_CHECK_FULL;
    memcpy(l->seed, c->seen.seed, sizeof l->seed);
    if (start_thread(c, l)) {
        c->sqlite = l;
        c->report_first = wait_and_report;
        return QUIRE_OK;
    }
    l->db = c->q->catalog.db;
    check_database(l);
    st = report_result(c, l, err);
    free(l);
    return st;
}

void check_sqlite_stop(struct checks *c)
{
    if (!c->sqlite)
        return;
    atomic_store(&c->sqlite->stop, true);
    free(join_thread(c));
}

/* ---- another database --------------------------------------------------- */

quire_status sqlite_first_fault(struct db *db, char fault[SQLITE_FAULT_SIZE],
                                quire_error *err)
{
    bool row = false;
    struct stmt *s;
    quire_bytes line;
    quire_status st = db_prepare(db, "PRAGMA integrity_check(1)", &s, err);

    *fault = '\0';
    if (st)
        return st;
    st = stmt_step(s, &row, err);
    if (!st && row) {
        line = stmt_column_bytes(s, 0);
        if (line.len > 0 && !bytes_is(line, "ok"))
            snprintf(fault, SQLITE_FAULT_SIZE, "%.*s", (int)line.len,
                     (const char *)line.data);
    }
    stmt_finalize(s);
    return st;
}
