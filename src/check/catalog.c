/*
 * catalog.c - check the rows of quire.db
 *
 * Each rule below selects rows that must not exist. A statement that fails is
 * itself a finding: the rules after it run all the same.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/sqlite_ddl.h"
#include "base/map.h"
#include "blob/hash.h"
#include "check/check.h"
#include "store/sql.h"

#define CATALOGUE "quire.db"

/* ---- asking ------------------------------------------------------------- */

quire_status checks_each_row(struct checks *c, const char *sql,
                             checks_row_fn each, void *ctx, quire_error *err)
{
    struct db *db = c->q->catalog.db;
    quire_error why = {.what = ""};
    struct stmt *s;
    bool row = true;
    quire_status st = db_prepare(db, sql, &s, &why);

    if (st)
        return checks_report_failure(c, CATALOGUE, st, &why, err);
    while (!st && row) {
        st = stmt_step(s, &row, &why);
        if (!st && row)
            st = each(c, s, ctx, &why);
    }
    stmt_finalize(s);
    return checks_report_failure(c, CATALOGUE, st, &why, err);
}

/* ---- rules -------------------------------------------------------------- */

/* A row that such a statement gives is wrong: where, and what about it. */
static const struct rule {
    const char *kind;
    const char *sql;
    const char *next;
    int schema; /* from which step on there are such rows */
    enum mend mend;
} rules[] = {
    {"counter",
     "SELECT 'session ' || key, 'it counts ' || n || ' artifacts and ' || used"
     " || ' bytes, which is not what it has' FROM session o WHERE (used, n) <>"
     " (SELECT coalesce(sum(size), 0), count(*) FROM artifact WHERE session ="
     " o.id AND deleted = 0)",
     "`quire repair` counts again", SCHEMA_ARTIFACTS, MEND_COUNTERS},
    {"counter",
     "SELECT 'tenant #' || id, 'it counts ' || n || ' artifacts and ' || used"
     " || ' bytes, which is not what it has' FROM tenant o WHERE (used, n) <>"
     " (SELECT coalesce(sum(size), 0), count(*) FROM artifact WHERE tenant ="
     " o.id AND deleted = 0)",
     "`quire repair` counts again", SCHEMA_ARTIFACTS, MEND_COUNTERS},
    {"counter",
     "SELECT 'scratchpad ' || name, 'it counts ' || used || ' bytes, which is"
     " not what it has' FROM pad p WHERE used <> (SELECT coalesce(sum(" SQL_BYTES_OF(
         "text") "), 0) FROM pad_block WHERE pad = p.id)",
     "`quire repair` counts again", SCHEMA_SCRATCHPADS, MEND_COUNTERS},
    {"version",
     "SELECT 'artifact #' || a.id, 'its current version, ' || a.version || ','"
     " || ' is not among its versions' FROM artifact a LEFT JOIN"
     " artifact_version v ON v.artifact = a.id AND v.version = a.version WHERE"
     " v.sha256 IS DISTINCT FROM a.sha256 OR v.size IS DISTINCT FROM a.size",
     "look with `quire artifact versions`, and put it again", SCHEMA_ARTIFACTS,
     MEND_NONE},
    {"version",
     "SELECT 'artifact #' || a.id, 'it has a version ' || v.version || ' that"
     " is newer than the current one' FROM artifact_version v JOIN artifact a"
     " ON a.id = v.artifact WHERE v.version > a.version",
     "look with `quire artifact versions`, and put it again", SCHEMA_ARTIFACTS,
     MEND_NONE},
    {"row",
     "SELECT 'quire.db', 'row ' || id || ' of body has content of no blob'"
     " FROM body WHERE id NOT IN (SELECT id FROM blob)",
     "nothing finds it; it takes room and does no harm", 1, MEND_NONE},
    {"row",
     "SELECT 'artifact #' || a.id, 'it belongs to tenant #' || a.tenant || '"
     " and to a session of tenant #' || s.tenant FROM artifact a JOIN session s"
     " ON s.id = a.session WHERE a.tenant <> s.tenant",
     "put it again where it belongs, and remove this one", SCHEMA_ARTIFACTS,
     MEND_NONE},
    {"row",
     "SELECT 'artifact #' || max(id), 'the path ' || path || ' is taken by ' ||"
     " count(*) || ' artifacts' FROM artifact WHERE deleted = 0 GROUP BY"
     " session, path HAVING count(*) > 1",
     "remove all but one of them by their ids", SCHEMA_ARTIFACTS, MEND_NONE},
    {"row",
     "SELECT 'session ' || key, 'a built-in session has the number ' || id"
     " FROM session WHERE key IN ('user', 'temp') AND id <> CASE key WHEN"
     " 'user' THEN 1 - 2 * tenant ELSE -2 * tenant END",
     "keep a copy of quire.db; bring it back from a backup", SCHEMA_ARTIFACTS,
     MEND_NONE},
    {"row",
     "SELECT 'mem:' || m.id, 'it links or is pinned to something of another"
     " tenant' FROM memory m LEFT JOIN artifact a ON a.id = m.artifact LEFT"
     " JOIN session s ON s.id = m.session WHERE a.tenant <> m.tenant OR"
     " s.tenant <> m.tenant",
     "`quire memory edit` gives it another link", SCHEMA_MEMORY, MEND_NONE},
    {"row",
     "SELECT 'session ' || s.key, 'it is in a folder of another tenant' FROM"
     " filed f JOIN session s ON s.id = f.session JOIN folder d ON d.id ="
     " f.folder WHERE d.tenant <> s.tenant",
     "put it into a folder of its own tenant", SCHEMA_FOLDERS, MEND_NONE},
    {"row",
     "SELECT 'mem:' || m.id, 'another entry supersedes it and it is still"
     " valid' FROM relation r JOIN memory m ON m.id = r.target WHERE r.kind ="
     " 'supersedes' AND m.valid_to = 0",
     "`quire memory invalidate` ends it", SCHEMA_MEMORY, MEND_NONE},
};

enum { N_RULES = sizeof rules / sizeof *rules };

static quire_status report_rule(struct checks *c, struct stmt *s, void *ctx,
                                quire_error *err)
{
    const struct rule *r = ctx;
    struct mending m = {.how = r->mend};
    char where[512], what[256];
    quire_problem p = {.where = where, .kind = r->kind};

    sql_copy_text(s, 0, where, sizeof where);
    sql_copy_text(s, 1, what, sizeof what);
    problem_what(&p, "%s", what);
    problem_next(&p, "%s", r->next);
    return checks_found(c, &p, &m, err);
}

static quire_status check_rules(struct checks *c, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < N_RULES && !st; i++) {
        struct rule r = rules[i];

        if (c->q->catalog.schema >= r.schema)
            st = checks_each_row(c, r.sql, report_rule, &r, err);
    }
    return st;
}

static quire_status check_setting(struct checks *c, struct stmt *s, void *ctx,
                                  quire_error *err)
{
    quire_problem p = {.where = CATALOGUE, .kind = "setting"};
    char key[64], value[128];

    (void)ctx;
    sql_copy_text(s, 0, key, sizeof key);
    sql_copy_text(s, 1, value, sizeof value);
    if (settings_is_valid(key, value))
        return QUIRE_OK;
    problem_what(&p, "the setting %s is %.100s, which this Quire does not know",
                 key, value);
    problem_next(&p,
                 "`quire config ls` lists the settings; `quire config set KEY` "
                 "without a value resets one");
    return checks_found(c, &p, NULL, err);
}

/* ---- removals ----------------------------------------------------------- */

/* A removal that a process is at work on is recorded for some milliseconds. One
 * that is still recorded after this time has been left by a crash, or fails. */
enum { REMOVAL_WAIT_MS = 1000, REMOVAL_STEP_MS = 50 };

struct pending_removals {
    struct arena names;
    struct map set;
    size_t n; /* of the set, still recorded */
};

static quire_status take_removal(struct checks *c, struct stmt *s, void *ctx,
                                 quire_error *err)
{
    struct pending_removals *r = ctx;
    quire_bytes name = arena_dup(&r->names, stmt_column_bytes(s, 0));

    (void)c;
    return name.data && map_put(&r->set, name, 1, NULL) ? QUIRE_OK
                                                        : err_memory(err);
}

static quire_status report_removal(struct checks *c, struct stmt *s, void *ctx,
                                   quire_error *err)
{
    struct pending_removals *first = ctx;
    struct mending m = {.how = MEND_REMOVAL};
    char where[512];
    quire_problem p = {.where = where, .kind = "removal"};

    if (!map_get(&first->set, stmt_column_bytes(s, 0)))
        return QUIRE_OK;
    sql_copy_text(s, 0, where, sizeof where);
    problem_what(&p, "it was being removed, and that is not finished");
    problem_next(&p, "the next write to the home tries again, as `quire "
                     "repair` does");
    return checks_found(c, &p, &m, err);
}

static quire_status count_removal(struct checks *c, struct stmt *s, void *ctx,
                                  quire_error *err)
{
    struct pending_removals *first = ctx;

    (void)c;
    (void)err;
    first->n += map_get(&first->set, stmt_column_bytes(s, 0)) != NULL;
    return QUIRE_OK;
}

static quire_status check_removals(struct checks *c, quire_error *err)
{
    static const char sql[] = "SELECT name FROM removal";
    const struct timespec step = {0, REMOVAL_STEP_MS * 1000000L};
    struct pending_removals first = {.names = ARENA_INIT};
    quire_status st;
    int ms;

    map_init(&first.set, 1, 2);
    st = checks_each_row(c, sql, take_removal, &first, err);
    first.n = first.set.n;
    for (ms = 0; !st && first.n > 0 && ms < REMOVAL_WAIT_MS;
         ms += REMOVAL_STEP_MS) {
        nanosleep(&step, NULL);
        first.n = 0;
        st = checks_each_row(c, sql, count_removal, &first, err);
    }
    if (!st && first.n > 0)
        st = checks_each_row(c, sql, report_removal, &first, err);
    map_release(&first.set);
    arena_release(&first.names);
    return st;
}

quire_status check_catalog(struct checks *c, quire_error *err)
{
    quire_status st = check_rules(c, err);

    if (!st && c->q->catalog.schema >= SCHEMA_ARTIFACTS)
        st = check_removals(c, err);

    if (!st && c->q->catalog.schema >= SCHEMA_SETTINGS)
        st = checks_each_row(c, "SELECT key, value FROM setting", check_setting,
                             NULL, err);
    return st;
}

/* ---- content of artifacts ----------------------------------------------- */

static quire_status check_content(struct checks *c, struct stmt *s, void *ctx,
                                  quire_error *err)
{
    int64_t size = stmt_column_int(s, 3);
    char where[64];
    quire_problem p = {.where = where, .kind = "missing_blob"};
    const struct known *k;
    quire_digest d;

    (void)ctx;
    snprintf(where, sizeof where, "artifact #%lld",
             (long long)stmt_column_int(s, 0));
    problem_next(&p, "put the artifact again, or remove it");
    if (!sql_digest(s, 2, &d)) {
        p.kind = "row";
        problem_what(&p, "version %lld has no digest",
                     (long long)stmt_column_int(s, 1));
        return checks_found(c, &p, NULL, err);
    }
    k = blob_index_refer(c, &d);
    c->sum.references++;
    if (c->blind || (k && (k->size == UINT64_MAX || k->size == (uint64_t)size)))
        return QUIRE_OK;
    if (k) {
        p.kind = "size";
        problem_what(&p, "version %lld says %lld bytes, its blob has %llu",
                     (long long)stmt_column_int(s, 1), (long long)size,
                     (unsigned long long)k->size);
    } else {
        problem_what(&p, "the content of version %lld, blob %s, is not there",
                     (long long)stmt_column_int(s, 1), digest_short(&d).s);
    }
    return checks_found(c, &p, NULL, err);
}

/* Each version; a missing current one was reported before. */
quire_status check_contents(struct checks *c, quire_error *err)
{
    return checks_each_row(c,
                           "SELECT artifact, version, sha256, size FROM"
                           " artifact_version",
                           check_content, NULL, err);
}

/* A part of the original of an imported file. */
static quire_status check_part(struct checks *c, struct stmt *s, void *ctx,
                               quire_error *err)
{
    char where[512];
    quire_problem p = {.where = where, .kind = "missing_blob"};
    quire_digest d;

    (void)ctx;
    if (!sql_digest(s, 2, &d) || blob_index_refer(c, &d))
        return QUIRE_OK;
    sql_copy_text(s, 0, where, sizeof where);
    problem_what(&p, "the original from byte %lld on, blob %s, is not there",
                 (long long)stmt_column_int(s, 1), digest_short(&d).s);
    return checks_found(c, &p, NULL, err);
}

quire_status check_originals(struct checks *c, quire_error *err)
{
    if (!catalog_has(&c->q->catalog, SCHEMA_IMPORTS))
        return QUIRE_OK;
    return checks_each_row(c,
                           "SELECT path, at, sha256 FROM import_part"
                           " ORDER BY tenant, path, at",
                           check_part, NULL, err);
}

/* ---- tenants ------------------------------------------------------------ */

struct each_tenant {
    quire_status (*each)(struct checks *c, int64_t tenant, quire_error *err);
};

static quire_status emit_tenant(struct checks *c, struct stmt *s, void *ctx,
                                quire_error *err)
{
    const struct each_tenant *e = ctx;

    return e->each(c, stmt_column_int(s, 0), err);
}

quire_status checks_tenants(struct checks *c,
                            quire_status (*each)(struct checks *c,
                                                 int64_t tenant,
                                                 quire_error *err),
                            quire_error *err)
{
    struct each_tenant e = {each};

    return checks_each_row(c, "SELECT id FROM tenant ORDER BY id", emit_tenant,
                           &e, err);
}
