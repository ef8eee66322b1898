/*
 * schema.c - the tables of quire.db
 *
 * user_version in the file's header counts the steps that were taken. A step
 * is never edited once it was released; a change is a new step.
 */
#include <stdio.h>

#include "artifact/artifact.h"
#include "base/err.h"
#include "blob/blob.h"
#include "gc/ref_index.h"
#include "memory/memory.h"
#include "memory/scratchpad.h"
#include "api/audit_log.h"
#include "api/idempotency.h"
#include "api/folder.h"
#include "api/run.h"
#include "session/list.h"
#include "session/usage.h"
#include "workspace/workspace.h"

static const char *const steps[] = {
    blob_schema,          session_schema,   artifact_schema,   config_schema,
    removal_schema,       memory_schema,    scratchpad_schema, access_schema,
    session_usage_schema, ref_index_schema, baseline_schema,   run_schema,
    idempotency_schema,   due_schema,       audit_log_schema,  folder_schema,
    blob_tenant_schema,
};

enum { N_STEPS = sizeof steps / sizeof *steps };

static quire_status read_version(struct db *db, int64_t *version,
                                 quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(db, "PRAGMA user_version", &s, err);
    bool row;

    if (st)
        return st;
    st = stmt_step(s, &row, err);
    *version = !st && row ? stmt_column_int(s, 0) : 0;
    stmt_finalize(s);
    return st;
}

quire_status schema_make(struct db *db, int n, quire_error *err)
{
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < n && i < N_STEPS && !st; i++)
        st = db_exec(db, steps[i], err);
    return st;
}

static quire_status take_steps(struct db *db, quire_error *err)
{
    int64_t version;
    quire_status st = read_version(db, &version, err);

    /* Again, now that nobody else can: two may have seen the same need. */
    for (; !st && version < N_STEPS; version++)
        st = db_exec(db, steps[version], err);
    if (!st) {
        char sql[64];

        snprintf(sql, sizeof sql, "PRAGMA user_version=%d", (int)N_STEPS);
        st = db_exec(db, sql, err);
    }
    return st;
}

/* A stranger's database may bear our marks. A view in the place of a table can
 * run for ever, a trigger can do what it likes: there are none in ours. */
static quire_status check_tables(struct db *db, quire_error *err)
{
    static const char sql[] =
        "SELECT count(*) FILTER (WHERE type = 'table' AND name IN ('blob',"
        " 'body')), count(*) FILTER (WHERE type IN ('view', 'trigger'))"
        " FROM sqlite_schema";
    struct stmt *s;
    quire_status st = db_prepare(db, sql, &s, err);
    bool row, ours;

    if (st)
        return st;
    st = stmt_step(s, &row, err);
    ours = !st && row && stmt_column_int(s, 0) == 2 &&
           stmt_column_int(s, 1) == 0;
    stmt_finalize(s);
    if (st || ours)
        return st;
    return err_fail(err, QUIRE_DAMAGED,
                    "move it away, or name another home with --home",
                    "quire.db does not have Quire's tables");
}

quire_status schema_prepare(struct db *db, bool read_only, int *steps_taken,
                            quire_error *err)
{
    int64_t version;
    quire_status st = read_version(db, &version, err);

    *steps_taken = 0;
    if (st)
        return st;
    *steps_taken = version > N_STEPS || !read_only ? N_STEPS : (int)version;
    if (version == N_STEPS)
        return check_tables(db, err);
    if (version > N_STEPS) {
        st = err_fail(err, QUIRE_INVALID, "use that version, or a newer one",
                      "quire.db was written by a newer Quire (format %lld, "
                      "this one knows %d)",
                      (long long)version, (int)N_STEPS);
        return st;
    }
    if (read_only)
        return version == 0 ? QUIRE_NOT_FOUND : QUIRE_OK;
    st = db_begin(db, DB_DURABLE, err);
    if (st)
        return st;
    st = take_steps(db, err);
    return sql_end(db, st, err);
}
