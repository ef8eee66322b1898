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
#include "search/engine_verify.h"
#include "store/store.h"

/* Directories of the indexes of a tenant, below its own. */
static const char *const places[] = {"search"};

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

/* ---- opening --------------------------------------------------------------- */

static quire_status check_database(struct checking *k, struct db *db,
                                   quire_error *err)
{
    char fault[SQLITE_FAULT_SIZE], what[SQLITE_FAULT_SIZE + 16];
    quire_status st = sqlite_first_fault(db, fault, err);

    snprintf(what, sizeof what, "search.db: %s", fault);
    return st || !*fault ? st : report_damage(k, what, err);
}

/* QUIRE_NOT_FOUND: there is none. */
static quire_status open_index(struct checking *k, struct engine **out,
                               struct arena *tmp, quire_error *err)
{
    const char *home = k->c->q->home;
    char *path = arena_printf(tmp, "%s/%s/search.db", home, k->name);
    char *segments = arena_printf(tmp, "%s/%s/segments", home, k->name);
    struct db_config config = {.path = path,
                               .access = DB_READ,
                               .busy_ms = k->c->q->busy_ms,
                               .cache_kib = 1024};
    struct engine_config ec = {.read_only = true};
    struct store *store = NULL;
    quire_status st = path && segments ? QUIRE_OK : err_memory(err);

    if (!st)
        st = db_sqlite_open(&config, &ec.db, err);
    if (!st && !(k->c->flags & QUIRE_CHECK_QUICK))
        st = check_database(k, ec.db, err);
    if (!st)
        st = store_files_open(segments, true, &store, err);
    if (st) {
        db_close(ec.db);
        return st;
    }
    ec.store = store->objects;
    store->objects = NULL;
    store_free(store);
    return engine_open(&ec, out, err);
}

/* ---- checking -------------------------------------------------------------- */

static quire_status check_engine(struct checking *k, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct engine *e = NULL;
    quire_error why = {.what = ""};
    quire_status st = open_index(k, &e, &tmp, &why);

    if (!st && !(k->c->flags & QUIRE_CHECK_QUICK))
        st = engine_verify(e, report_damage, k, &why);
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
    for (i = 0; i < sizeof places / sizeof *places && !st; i++) {
        struct checking k = {c, name, tenant};

        snprintf(name, sizeof name, "%s%s", parent, places[i]);
        st = check_engine(&k, err);
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
