/*
 * session_agents.c - the agent that a client names for a session
 *
 * Clients of arbiter send an agent and its definition when they create a
 * conversation, and read them back. Quire stores both and uses neither.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/priv.h"

/* A column as text in `keep`; NULL where it is NULL. */
static bool read_text(struct stmt *s, int at, struct arena *keep,
                      const char **out)
{
    *out = NULL;
    if (stmt_column_null(s, at))
        return true;
    *out = arena_text(keep, stmt_column_bytes(s, at));
    return *out;
}

quire_status session_agent_of(struct catalog *c, int64_t tenant,
                              int64_t session, struct arena *keep,
                              const char **agent, const char **definition,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *agent = *definition = NULL;
    if (!catalog_has(c, SCHEMA_AGENTS))
        return QUIRE_OK;
    st = use(c, SQL_AGENT_OF, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, session);
    stmt_bind_int(s, 2, tenant);
    st = sql_row(s, err);
    if (!st &&
        (!read_text(s, 0, keep, agent) || !read_text(s, 1, keep, definition)))
        st = err_memory(err);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status session_agent_set(struct catalog *c, int64_t tenant,
                               int64_t session, const char *agent,
                               const char *definition, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_AGENT_SET, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, session);
    stmt_bind_text(s, 2, bytes_str(agent));
    if (definition)
        stmt_bind_text(s, 3, bytes_str(definition));
    else
        stmt_bind_null(s, 3);
    stmt_bind_int(s, 4, tenant);
    return sql_commit(c->db, DB_DURABLE, tenant, s, err);
}
