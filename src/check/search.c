/*
 * search.c - check the search indexes of a home
 *
 * A tenant without an index has nothing to check: the next search builds it. An index
 * of another version counts as none.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "base/err.h"
#include "check/check.h"
#include "search/engine_dir.h"
#include "search/engine_verify.h"

/* An index being checked. */
struct checking {
    struct checks *c;
    const char *name; /* of its directory, below the home */
    int64_t tenant;
};

static quire_status report_damage(void *ctx, const char *what, quire_error *err)
{
    const struct checking *k = ctx;
    quire_problem p = {.where = k->name, .kind = "search"};
    struct mending m = {.how = MEND_SEARCH, .tenant = k->tenant};

    problem_what(&p, "%s", what);
    problem_next(&p, "`quire repair`, or `quire reindex`, builds it again");
    return checks_found(k->c, &p, &m, err);
}

/* ---- checking -------------------------------------------------------------- */

/* The list of segments and sources. QUIRE_NOT_FOUND: there is none. */
static quire_status check_database(struct checking *k, const char *dir,
                                   struct arena *tmp, quire_error *err)
{
    struct db_config config = {.path = engine_dir_database(dir, tmp),
                               .access = DB_READ,
                               .busy_ms = k->c->q->busy_ms,
                               .cache_kib = 1024};
    char fault[SQLITE_FAULT_SIZE], what[SQLITE_FAULT_SIZE + 16];
    struct db *db = NULL;
    quire_status st = config.path ? QUIRE_OK : err_memory(err);

    if (!st)
        st = db_sqlite_open(&config, &db, err);
    if (!st)
        st = sqlite_first_fault(db, fault, err);
    db_close(db);
    snprintf(what, sizeof what, "search.db: %s", st ? "" : fault);
    return st || !*fault ? st : report_damage(k, what, err);
}

static quire_status check_parts(struct checking *k, struct arena *tmp,
                                struct engine **e, quire_error *err)
{
    bool quick = k->c->flags & QUIRE_CHECK_QUICK;
    char *dir = arena_printf(tmp, "%s/%s", k->c->q->home, k->name);
    quire_status st = dir ? QUIRE_OK : err_memory(err);

    if (!st && !quick)
        st = check_database(k, dir, tmp, err);
    if (!st)
        st = engine_dir_open(dir, k->c->q->busy_ms, e, err);
    return st || quick ? st : engine_verify(*e, report_damage, k, err);
}

static quire_status check_index(struct checking *k, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct engine *e = NULL;
    quire_error why = {.what = ""};
    quire_status st = check_parts(k, &tmp, &e, &why);

    engine_close(e);
    arena_release(&tmp);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (st == QUIRE_DAMAGED && !k->c->said)
        return report_damage(k, why.what, err);
    return checks_report_failure(k->c, k->name, st, &why, err);
}

static quire_status check_tenant(struct checks *c, int64_t tenant,
                                 quire_error *err)
{
    char name[64], parent[40] = "";
    quire_status st = QUIRE_OK;
    size_t i;

    if (tenant != TENANT_DEFAULT)
        snprintf(parent, sizeof parent, "tenants/%lld/", (long long)tenant);
    for (i = 0; engine_dirs[i] && !st; i++) {
        struct checking k = {c, name, tenant};

        snprintf(name, sizeof name, "%s%s", parent, engine_dirs[i]);
        st = check_index(&k, err);
    }
    return st;
}

quire_status check_search(struct checks *c, quire_error *err)
{
    if (c->q->kind != QUIRE_KIND_NATIVE)
        return QUIRE_OK;
    return c->rows ? checks_tenants(c, check_tenant, err)
                   : check_tenant(c, TENANT_DEFAULT, err);
}
