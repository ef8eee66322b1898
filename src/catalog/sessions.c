/* sessions.c - sessions as rows, and files to be removed */
#include <string.h>

#include "catalog/priv.h"
#include "base/bytes.h"
#include "base/err.h"

quire_status session_row_find(struct catalog *c, int64_t tenant,
                              const char *key, struct session_row *out,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_SESSION_FIND, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(key));
    st = sql_row(s, err);
    if (!st)
        *out = (struct session_row){
            .tenant = tenant,
            .session = stmt_column_int(s, 0),
            .session_used = (uint64_t)stmt_column_int(s, 1),
            .tenant_used = (uint64_t)stmt_column_int(s, 2),
            .disabled = stmt_column_int(s, 3) != 0,
        };
    stmt_reset(s);
    return st;
}

static quire_status report_tenant_gone(int64_t tenant, quire_error *err)
{
    return err_fail(err, QUIRE_NOT_FOUND,
                    HINT_SHELL "`quire tenant ls` lists the tenants",
                    "tenant #%lld has been removed", (long long)tenant);
}

quire_status session_row_stat(struct catalog *c, int64_t tenant,
                              const char *key, struct session_row *out,
                              quire_error *err)
{
    quire_status st = session_row_find(c, tenant, key, out, err);
    struct stmt *s;

    if (st != QUIRE_NOT_FOUND)
        return st;
    *out = (struct session_row){.tenant = tenant};
    st = use(c, SQL_TENANT_USED, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    st = sql_row(s, err);
    if (!st) {
        out->tenant_used = (uint64_t)stmt_column_int(s, 0);
        out->disabled = stmt_column_int(s, 1) != 0;
    } else if (st == QUIRE_NOT_FOUND) {
        st = report_tenant_gone(tenant, err);
    }
    stmt_reset(s);
    return st;
}

/* The id of a built-in session; 0: not built in. */
static int64_t built_in_id(int64_t tenant, const char *key)
{
    return !strcmp(key, "user")   ? 1 - 2 * tenant
           : !strcmp(key, "temp") ? -2 * tenant
                                  : 0;
}

quire_status session_row_ensure(struct catalog *c, int64_t tenant,
                                const char *key, struct session_row *out,
                                quire_error *err)
{
    int64_t id = built_in_id(tenant, key);
    quire_status st = session_row_find(c, tenant, key, out, err);
    struct stmt *s;

    if (st != QUIRE_NOT_FOUND)
        return st;
    st = use(c, id ? SQL_SESSION_ADD_BUILT_IN : SQL_SESSION_ADD, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(key));
    stmt_bind_int(s, 3, clock_us(c->clock));
    if (id)
        stmt_bind_int(s, 4, id);
    st = sql_run(s, err);
    /* The session had no row, so the foreign key failed: the tenant is gone. */
    if (st == QUIRE_EXISTS)
        st = report_tenant_gone(tenant, err);
    return st ? st : session_row_find(c, tenant, key, out, err);
}

quire_status session_row_count(struct catalog *c, const struct session_row *row,
                               int64_t bytes, int64_t n, quire_error *err)
{
    const enum catalog_sql which[] = {SQL_SESSION_COUNT, SQL_TENANT_COUNT};
    const int64_t id[] = {row->session, row->tenant};
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < 2 && !st; i++) {
        struct stmt *s;

        st = use(c, which[i], &s, err);
        if (st)
            break;
        stmt_bind_int(s, 1, id[i]);
        stmt_bind_int(s, 2, bytes);
        stmt_bind_int(s, 3, n);
        st = sql_run(s, err);
    }
    return st;
}

/* ---- removing ----------------------------------------------------------- */

/* Foreign keys delete its artifacts and versions; the tenant's counters are
 * ours to change. */
static quire_status drop_row(struct catalog *c, int64_t id, quire_error *err)
{
    int64_t tenant = 0, used = 0, n = 0;
    struct stmt *s;
    quire_status st = use(c, SQL_SESSION_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    st = sql_row(s, err);
    if (!st) {
        tenant = stmt_column_int(s, 0);
        used = stmt_column_int(s, 1);
        n = stmt_column_int(s, 2);
    }
    stmt_reset(s);
    if (!st)
        st = use(c, SQL_TENANT_COUNT, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, -used);
    stmt_bind_int(s, 3, -n);
    return sql_run(s, err);
}

quire_status removal_add(struct catalog *c, const struct removal *file,
                         quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_REMOVAL_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(file->name));
    stmt_bind_int(s, 2, (int64_t)file->size);
    stmt_bind_int(s, 3, file->modified_ns);
    return sql_run(s, err);
}

quire_status session_row_remove(struct catalog *c, int64_t tenant,
                                const char *key, const struct removal *file,
                                const char *tree, quire_error *err)
{
    struct removal dir = {.name = tree, .size = REMOVAL_TREE};
    struct db *db = c->db;
    struct session_row row;
    quire_status st = db_begin(db, DB_DURABLE, err);

    if (st)
        return st;
    st = session_row_find(c, tenant, key, &row, err);
    if (!st)
        st = drop_row(c, row.session, err);
    if (!st || st == QUIRE_NOT_FOUND)
        st = removal_add(c, file, err);
    if (!st && tree)
        st = removal_add(c, &dir, err);
    return sql_end(c->db, st, err);
}

quire_status removal_is_pending(struct catalog *c, const char *name,
                                bool *pending, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_REMOVAL_HAS, &s, err);

    *pending = false;
    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    st = sql_row(s, err);
    stmt_reset(s);
    *pending = !st;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status removal_done(struct catalog *c, const char *name, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_REMOVAL_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    return sql_run(s, err);
}

/* Collected first: the caller erases each one as it goes. */
quire_status removal_list(struct catalog *c, struct arena *keep,
                          struct removal **files, size_t *n, quire_error *err)
{
    size_t cap = 0;
    struct stmt *s;
    quire_status st = use(c, SQL_REMOVALS, &s, err);

    *files = NULL;
    *n = 0;
    if (st)
        return st;
    while (!st && !(st = sql_row(s, err))) {
        struct removal one = {
            .name = arena_text(keep, stmt_column_bytes(s, 0)),
            .size = (uint64_t)stmt_column_int(s, 1),
            .modified_ns = stmt_column_int(s, 2),
        };

        if (*n == cap) {
            struct removal *more;

            cap = 2 * cap + 8;
            more = arena_array(keep, cap, sizeof *more);
            if (more && *n)
                memcpy(more, *files, *n * sizeof *more);
            *files = more;
        }
        if (!*files || !one.name)
            st = err_memory(err);
        else
            (*files)[(*n)++] = one;
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- recount ------------------------------------------------------------ */

static quire_status count_wrong(struct catalog *c, enum catalog_sql which,
                                uint64_t *n, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, which, &s, err);

    if (st)
        return st;
    st = sql_row(s, err);
    if (!st)
        *n += (uint64_t)stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

quire_status catalog_recount(struct catalog *c, uint64_t *wrong,
                             quire_error *err)
{
    static const enum catalog_sql recounts[] = {SQL_SESSION_RECOUNT,
                                                SQL_TENANT_RECOUNT};
    struct db *db = c->db;
    quire_status st = db_begin(db, DB_DURABLE, err);
    struct stmt *s;
    int i;

    *wrong = 0;
    if (st)
        return st;
    st = count_wrong(c, SQL_SESSION_WRONG, wrong, err);
    if (!st)
        st = count_wrong(c, SQL_TENANT_WRONG, wrong, err);
    for (i = 0; i < 2 && !st && *wrong > 0; i++) {
        st = use(c, recounts[i], &s, err);
        if (!st)
            st = sql_run(s, err);
    }
    return sql_end(c->db, st, err);
}
