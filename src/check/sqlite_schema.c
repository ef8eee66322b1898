/* sqlite_schema.c - the tables, foreign keys and sequences of quire.db, as SQLite
 * keeps them */
#include <string.h>

#include "base/bytes.h"
#include "check/check.h"
#include "store/sql.h"

#define CATALOGUE "quire.db"

/* ---- keys ---------------------------------------------------------------- */

static quire_status report_key(struct checks *c, struct stmt *s, void *ctx,
                               quire_error *err)
{
    quire_problem p = {.where = CATALOGUE, .kind = "foreign_key"};
    char table[64], parent[64];

    (void)ctx;
    sql_copy_text(s, 0, table, sizeof table);
    sql_copy_text(s, 2, parent, sizeof parent);
    problem_what(&p, "row %lld of %s names a row of %s that is not there",
                 (long long)stmt_column_int(s, 1), table, parent);
    problem_next(&p,
                 "nothing finds that row any more; bring %s back from a "
                 "backup if it held something",
                 CATALOGUE);
    return checks_found(c, &p, NULL, err);
}

/* ---- the tables --------------------------------------------------------- */

/* Indexes of words are made for each tenant, and looked at elsewhere. */
#define TABLES                                                            \
    "SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT "   \
    "LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT GLOB 'artifact_words_*' " \
    "AND name NOT GLOB 'memory_words_*' AND name NOT GLOB "               \
    "'memory_past_*' ORDER BY name"

static quire_status report_table(struct checks *c, const char *name,
                                 const char *how, quire_error *err)
{
    quire_problem p = {.where = CATALOGUE, .kind = "schema"};

    problem_what(&p, "the table or index %.100s %s", name, how);
    problem_next(&p,
                 "keep a copy of %s; bring it back from a backup, or use "
                 "the version of Quire that wrote it",
                 CATALOGUE);
    return checks_found(c, &p, NULL, err);
}

/* Two lists in the order of names, side by side. */
static quire_status compare_tables(struct checks *c, struct stmt *ours,
                                   struct stmt *theirs, quire_error *err)
{
    bool a = true, b = true, step_a = true, step_b = true;
    char x[128] = "", y[128] = "";
    quire_status st = QUIRE_OK;

    while (!st) {
        int order;

        if (step_a)
            st = stmt_step(ours, &a, err);
        if (!st && step_b)
            st = stmt_step(theirs, &b, err);
        if (st || (!a && !b))
            break;
        if (a)
            sql_copy_text(ours, 0, x, sizeof x);
        if (b)
            sql_copy_text(theirs, 0, y, sizeof y);
        order = !a ? 1 : !b ? -1 : strcmp(x, y);
        step_a = order <= 0;
        step_b = order >= 0;
        if (order < 0)
            st = report_table(c, x, "is missing", err);
        else if (order > 0)
            st = report_table(c, y, "is not Quire's", err);
        else if (!bytes_equal(stmt_column_bytes(ours, 1),
                              stmt_column_bytes(theirs, 1)))
            st = report_table(c, x, "is not as Quire makes it", err);
    }
    return st;
}

/* Compare the tables with those of a database that was just made. */
static quire_status check_schema(struct checks *c, quire_error *err)
{
    struct db_config config = {.access = DB_WRITE};
    struct stmt *ours = NULL, *theirs = NULL;
    quire_error why = {.what = ""};
    struct db *fresh = NULL;
    quire_status st = db_sqlite_open(&config, &fresh, &why);

    if (!st)
        st = schema_create(fresh, c->q->catalog.schema, &why);
    if (!st)
        st = db_prepare(fresh, TABLES, &ours, &why);
    if (!st)
        st = db_prepare(c->q->catalog.db, TABLES, &theirs, &why);
    if (!st)
        st = compare_tables(c, ours, theirs, &why);
    if (ours)
        stmt_finalize(ours);
    if (theirs)
        stmt_finalize(theirs);
    if (fresh)
        fresh->ops->close(fresh);
    return checks_report_failure(c, CATALOGUE, st, &why, err);
}

/* ---- sequences ---------------------------------------------------------- */

#define SEQUENCES                                                             \
    "SELECT name FROM sqlite_sequence WHERE seq < CASE name WHEN 'tenant'"    \
    " THEN (SELECT max(id) FROM tenant) WHEN 'session' THEN (SELECT max(id)"  \
    " FROM session) WHEN 'artifact' THEN (SELECT max(id) FROM artifact) WHEN" \
    " 'memory' THEN (SELECT max(id) FROM memory) ELSE seq END"

static quire_status report_sequence(struct checks *c, struct stmt *s, void *ctx,
                                    quire_error *err)
{
    quire_problem p = {.where = CATALOGUE, .kind = "sequence"};
    char table[64];

    (void)ctx;
    sql_copy_text(s, 0, table, sizeof table);
    problem_what(&p, "the next number of %s has been given before", table);
    problem_next(&p, "keep a copy of quire.db; bring it back from a backup");
    return checks_found(c, &p, NULL, err);
}

quire_status check_sqlite_schema(struct checks *c, quire_error *err)
{
    quire_status st = checks_each_row(c, "PRAGMA foreign_key_check", report_key,
                                      NULL, err);

    if (!st)
        st = check_schema(c, err);
    if (!st && c->q->catalog.schema >= SCHEMA_MEMORY)
        st = checks_each_row(c, SEQUENCES, report_sequence, NULL, err);
    return st;
}
