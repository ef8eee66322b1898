/*
 * tenants.c - the tenant of rows below others
 *
 * Versions of artifacts, totals of sessions and their like repeat the tenant of
 * the row above them, so that every statement can name it. A row with another
 * tenant is found by neither of them: its owner reads no versions or no folder, and
 * the next write may add a second row with the same key.
 *
 * The row above is right. A wrong row gets its tenant, unless a right one exists
 * with the same key: then the wrong one is out of use, and stays.
 */
#include <stdio.h>

#include "check/check.h"
#include "store/sql.h"

/* c is a row of `table`, o the row above it, d another row of `table`. */
static const struct below {
    const char *table, *above;
    const char *on;    /* how c names o */
    const char *same;  /* d has the key of c, but for the tenant */
    const char *where; /* the finding is about this */
    const char *row, *owner;
    enum mend mend;
} tables[] = {
    {"artifact_version", "artifact", "o.id = c.artifact",
     "d.artifact = c.artifact AND d.version = c.version",
     "'artifact #' || o.id", "a version", "artifact", MEND_TENANTS},
    {"artifact_access", "artifact", "o.id = c.artifact",
     "d.artifact = c.artifact", "'artifact #' || o.id", "its read count",
     "artifact", MEND_TENANTS},
    {"tally", "session", "o.id = c.session", "d.session = c.session",
     "'session ' || o.key", "its usage", "session", MEND_SESSIONS},
    {"filed", "session", "o.id = c.session", "d.session = c.session",
     "'session ' || o.key", "its place in a folder", "session", MEND_TENANTS},
    {"session_agent", "session", "o.id = c.session", "d.session = c.session",
     "'session ' || o.key", "its agent", "session", MEND_TENANTS},
    {"folder_place", "folder", "o.id = c.folder", "d.folder = c.folder",
     "'folder ' || o.name", "its position", "folder", MEND_TENANTS},
    {"memory_link", "memory", "o.id = c.memory", "d.memory = c.memory",
     "'mem:' || o.id", "its link", "entry", MEND_TENANTS},
    {"pad_block", "pad", "o.id = c.pad", "d.id = c.id",
     "'scratchpad ' || o.name", "a block", "scratchpad", MEND_TENANTS},
};

enum { N_TABLES = sizeof tables / sizeof *tables, SQL_SIZE = 640 };

static quire_status report_row(struct checks *c, struct stmt *s, void *ctx,
                               quire_error *err)
{
    const struct below *b = ctx;
    bool unused = b->mend == MEND_TENANTS && stmt_column_int(s, 1);
    struct mending m = {.how = unused ? MEND_NONE : b->mend};
    char where[512];
    quire_problem p = {.where = where, .kind = "row"};

    sql_copy_text(s, 0, where, sizeof where);
    problem_what(&p, "%s belongs to tenant #%lld, the %s to tenant #%lld",
                 b->row, (long long)stmt_column_int(s, 2), b->owner,
                 (long long)stmt_column_int(s, 3));
    problem_next(&p, "%s",
                 unused ? "another row has taken its place; it takes room and "
                          "does no harm"
                        : "`quire repair` corrects it");
    return checks_found(c, &p, &m, err);
}

quire_status check_row_tenants(struct checks *c, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    /* Before, these tables had no tenant. */
    if (c->q->catalog.schema < SCHEMA_TENANT_KEYS)
        return QUIRE_OK;
    for (i = 0; i < N_TABLES && !st; i++) {
        struct below b = tables[i];
        char sql[SQL_SIZE];

        snprintf(sql, sizeof sql,
                 "SELECT DISTINCT %s, CASE WHEN EXISTS (SELECT 1 FROM %s d"
                 " WHERE %s AND d.tenant = o.tenant) THEN 1 ELSE 0 END,"
                 " c.tenant, o.tenant FROM %s c JOIN %s o ON %s"
                 " WHERE c.tenant <> o.tenant",
                 b.where, b.table, b.same, b.table, b.above, b.on);
        st = checks_each_row(c, sql, report_row, &b, err);
    }
    return st;
}

static quire_status correct_table(struct db *db, const struct below *b,
                                  quire_error *err)
{
    char sql[SQL_SIZE];

    snprintf(sql, sizeof sql,
             "UPDATE %s AS c SET tenant = (SELECT o.tenant FROM %s o WHERE %s)"
             " WHERE EXISTS (SELECT 1 FROM %s o WHERE %s AND"
             " o.tenant <> c.tenant AND NOT EXISTS (SELECT 1 FROM %s d WHERE %s"
             " AND d.tenant = o.tenant))",
             b->table, b->above, b->on, b->above, b->on, b->table, b->same);
    return db_exec(db, sql, err);
}

quire_status repair_row_tenants(struct db *db, quire_error *err)
{
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);
    size_t i;

    if (st)
        return st;
    for (i = 0; i < N_TABLES && !st; i++)
        if (tables[i].mend == MEND_TENANTS)
            st = correct_table(db, &tables[i], err);
    return sql_end(db, st, err);
}
