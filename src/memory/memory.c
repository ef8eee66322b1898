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
    memory_fulltext_close(&m->words);
    sql_release(&m->sql);
    free(m);
}

quire_status memory_begin(struct memories *m, int64_t tenant, quire_error *err)
{
    return db_begin(m->db, DB_DURABLE, tenant, err);
}

quire_status memory_end(struct memories *m, quire_status st, quire_error *err)
{
    st = sql_end(m->db, st, err);
    /* An index created in the transaction was rolled back with it. */
    if (st)
        memory_fulltext_close(&m->words);
    return st;
}

quire_status memory_reindex(struct memories *m, int64_t tenant,
                            quire_error *err)
{
    quire_status st = memory_begin(m, tenant, err);

    if (st)
        return st;
    st = memory_fulltext_drop(m->db, m, tenant, err);
    if (!st)
        st = memory_fulltext_open(m, tenant, true, err);
    return memory_end(m, st, err);
}
