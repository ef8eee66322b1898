/*
 * memory.c - the module's handle and its transactions
 */
#include "memory/memory.h"

#include <stdlib.h>

#include "base/err.h"
#include "memory/priv.h"

quire_status memories_new(struct db *db, const struct clock *clock,
                          bool has_links, struct memories **out,
                          quire_error *err)
{
    struct memories *m = calloc(1, sizeof *m);
    quire_status st;

    *out = NULL;
    if (!m)
        return err_memory(err);
    m->db = db;
    m->clock = clock;
    m->has_links = has_links;
    st = sql_init(&m->sql, db, memory_sql, N_MEMORY_SQL, err);
    if (st)
        free(m);
    else
        *out = m;
    return st;
}

void memories_free(struct memories *m)
{
    if (!m)
        return;
    sql_release(&m->sql);
    free(m);
}

quire_status memory_begin(struct memories *m, int64_t tenant, quire_error *err)
{
    return db_begin(m->db, DB_DURABLE, tenant, err);
}

quire_status memory_end(struct memories *m, quire_status st, quire_error *err)
{
    return sql_end(m->db, st, err);
}

quire_status memory_count(struct db *db, int64_t tenant, uint64_t *n,
                          quire_error *err)
{
    struct stmt *s;
    quire_status st =
        db_prepare(db,
                   "SELECT (SELECT count(*) FROM memory WHERE tenant = ?1) +"
                   " (SELECT count(*) FROM pad WHERE tenant = ?1)",
                   &s, err);

    *n = 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    st = sql_row(s, err);
    if (!st)
        *n = (uint64_t)stmt_column_int(s, 0);
    stmt_finalize(s);
    return st;
}
