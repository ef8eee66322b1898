/*
 * fulltext.c - check the full-text indexes
 *
 * Full-text indexes keep no text. Their set of rows is checked at once; their
 * terms are checked, in a full check, by building a second index in memory and
 * comparing the two.
 */
#include <stdio.h>

#include "base/err.h"
#include "artifact/artifact.h"
#include "memory/memory.h"
#include "search/index.h"
#include "check/check.h"

/* The indexes of a tenant, and the rows that are in them. Terms of deleted
 * artifacts may have stayed (artifact/fulltext.c). */
static const struct index {
    const struct fulltext_kind *kind;
    const char *living;
    int schema;
    bool exact;
    const char
        *but; /* those that need not be in it, since SCHEMA_FULLTEXT_DUE */
} indexes[] = {
    {&artifact_fulltext_kind, "artifact WHERE deleted = 0", SCHEMA_ARTIFACTS,
     false,
     " AND NOT EXISTS (SELECT 1 FROM artifact_due d WHERE d.tenant ="
     " artifact.tenant AND d.artifact = artifact.id)"},
    {&memory_fulltext_kinds[FULLTEXT_NOW], "memory WHERE valid_to = 0",
     SCHEMA_MEMORY, true, ""},
    {&memory_fulltext_kinds[FULLTEXT_PAST], "memory WHERE valid_to <> 0",
     SCHEMA_MEMORY, true, ""},
};

enum { N_INDEXES = sizeof indexes / sizeof *indexes };

static quire_status report_difference(struct checks *c, const char *name,
                                      int64_t tenant, const char *what,
                                      quire_error *err)
{
    quire_problem p = {.where = "quire.db", .kind = "words"};
    struct mending m = {.how = MEND_WORDS, .tenant = tenant};

    problem_what(&p, "the index %s %s", name, what);
    problem_next(&p, "`quire repair`, or `quire reindex`, makes it again");
    return checks_found(c, &p, &m, err);
}

/* Two ascending lists of ids beside each other: of rows, and of an index. */
struct merging {
    struct stmt *rows;
    bool row;          /* `rows` is at one */
    bool lacks, extra; /* the index lacks ids, or has others */
};

/* The next id of the index. */
static quire_status merge_id(void *ctx, int64_t id, quire_error *err)
{
    struct merging *m = ctx;
    quire_status st = QUIRE_OK;

    while (!st && m->row && stmt_column_int(m->rows, 0) < id) {
        m->lacks = true;
        st = stmt_step(m->rows, &m->row, err);
    }
    if (!st && m->row && stmt_column_int(m->rows, 0) == id)
        return stmt_step(m->rows, &m->row, err);
    m->extra = true;
    return st;
}

/* `living` selects the ids that belong in the index. */
static quire_status compare_ids(struct db *db, const char *living,
                                struct fulltext *index, bool *there,
                                struct merging *m, quire_error *err)
{
    quire_status st = fulltext_exists(index, there, err);

    if (!st)
        st = db_prepare(db, living, &m->rows, err);
    if (!st)
        st = stmt_step(m->rows, &m->row, err);
    if (!st && *there)
        st = fulltext_each_id(index, merge_id, m, err);
    m->lacks |= m->row;
    if (m->rows)
        stmt_finalize(m->rows);
    return st;
}

static quire_status check_set(struct checks *c, const struct index *x,
                              int64_t tenant, bool *there, quire_error *err)
{
    struct db *db = c->q->catalog.db;
    struct merging m = {.rows = NULL};
    struct fulltext *index = NULL;
    char name[64], living[320];
    quire_status st = fulltext_open(db, x->kind, tenant, &index, err);

    snprintf(name, sizeof name, "%s_%lld", x->kind->name, (long long)tenant);
    snprintf(living, sizeof living,
             "SELECT id FROM %s AND tenant = %lld%s ORDER BY id", x->living,
             (long long)tenant,
             c->q->catalog.schema < SCHEMA_FULLTEXT_DUE ? "" : x->but);
    if (!st)
        st = compare_ids(db, living, index, there, &m, err);
    fulltext_close(index);
    if (st)
        return st;
    if (m.lacks)
        return report_difference(c, name, tenant,
                                 *there ? "lacks some rows" : "is not there",
                                 err);
    return m.extra && x->exact
               ? report_difference(c, name, tenant, "has rows too many", err)
               : QUIRE_OK;
}

/* ---- the words themselves ----------------------------------------------- */

static quire_status need_aside(struct checks *c, quire_error *err)
{
    struct db_config config = {.path = c->q->db_path,
                               .access = DB_READ,
                               .busy_ms = c->q->busy_ms};

    return c->aside ? QUIRE_OK : db_sqlite_open(&config, &c->aside, err);
}

static quire_status compare_artifacts(struct checks *c, int64_t tenant,
                                      quire_error *err)
{
    bool sound = true;
    quire_status st = need_aside(c, err);

    if (!st)
        st = artifacts_fulltext_equal(c->q->artifacts, tenant, c->aside, &sound,
                                      err);
    return st || sound
               ? st
               : report_difference(c, "of artifacts", tenant,
                                   "holds other words than the artifacts do",
                                   err);
}

static quire_status compare_memory(struct checks *c, int64_t tenant,
                                   quire_error *err)
{
    bool sound = true;
    quire_status st = need_aside(c, err);

    if (!st)
        st = memories_open(c->q, err);
    if (!st)
        st = memory_fulltext_equal(c->q->memories, tenant, c->aside, &sound,
                                   err);
    return st || sound
               ? st
               : report_difference(c, "of memory", tenant,
                                   "holds other words than the entries do",
                                   err);
}

/* An index that cannot be asked is as wrong as one that answers wrongly. */
static quire_status report_failure(struct checks *c, int64_t tenant,
                                   const char *name, quire_status st,
                                   const quire_error *why, quire_error *err)
{
    char what[200];

    if (!st || c->said || st == QUIRE_NO_MEMORY || st == QUIRE_BUSY) {
        if (st && err)
            *err = *why;
        return st;
    }
    snprintf(what, sizeof what, "cannot be asked: %.150s", why->what);
    return report_difference(c, name, tenant, what, err);
}

static quire_status check_tenant(struct checks *c, int64_t tenant,
                                 quire_error *err)
{
    bool there[N_INDEXES] = {false};
    quire_error why = {.what = ""};
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < N_INDEXES && !st; i++) {
        if (c->q->catalog.schema < indexes[i].schema)
            continue;
        st = check_set(c, &indexes[i], tenant, &there[i], &why);
        st = report_failure(c, tenant, indexes[i].kind->name, st, &why, err);
    }
    if (st || !(c->flags & QUIRE_CHECK_FULL))
        return st;
    if (there[0])
        st = report_failure(c, tenant, "of artifacts",
                            compare_artifacts(c, tenant, &why), &why, err);
    if (!st && there[1] && there[2])
        st = report_failure(c, tenant, "of memory",
                            compare_memory(c, tenant, &why), &why, err);
    return st;
}

quire_status check_fulltext(struct checks *c, quire_error *err)
{
    return checks_tenants(c, check_tenant, err);
}
