/*
 * sql.c - the SQL statements of the memory module
 *
 * Types and kinds are stored as words, so that another program can read the
 * file. Columns that lists and rankings read come first, long text last: SQLite
 * does not read what follows the last column it needs.
 */
#include "catalog/change_log.h"
#include "memory/priv.h"
#include "search/lot.h"

/* A soft-deleted artifact counts as absent, and a session in the trash. */
#define ENTRY                                                             \
    "SELECT m.id, m.type, m.title, m.content, m.source, m.tags,"          \
    " coalesce(a.id, 0), coalesce(s.id, 0), coalesce(s.key, ''),"         \
    " m.created, m.updated, m.valid_from, m.valid_to FROM memory m"       \
    " LEFT JOIN session s ON s.id = m.session"                            \
    " AND s.key NOT LIKE 'trash:%'"                                       \
    " LEFT JOIN artifact a ON a.id = m.artifact AND a.tenant = m.tenant " \
    "AND a.deleted = 0 "

/* As it was at ?3. */
#define THEN(at) \
    "m.valid_from <= " at " AND (m.valid_to = 0 OR m.valid_to > " at ") "

/* From a place in the list on. The caller filters by type and tags, so there is
 * no limit here. */
#define RANGE                                              \
    "AND (m.updated, m.id) < (?2, ?3) AND m.updated >= ?4" \
    " AND (?5 = 0 OR m.session IS NULL OR m.session = ?6)" \
    " ORDER BY m.updated DESC, m.id DESC"

#define LIVING                                                        \
    "SELECT 1 FROM artifact a WHERE a.id = ?1 AND a.tenant = ?2 AND " \
    "a.deleted = 0 "

#define RELATION "SELECT id, source, target, kind, created FROM relation "

#define RELATION_RANGE                                         \
    " AND tenant = ?1 AND id < ?2 AND (?3 = 0 OR source = ?3)" \
    " AND (?4 = 0 OR target = ?4)"                             \
    " AND (?5 = 0 OR source = ?5 OR target = ?5)"              \
    " AND (?6 = '' OR kind = ?6) ORDER BY id DESC LIMIT ?7"

const char *const memory_sql[N_MEMORY_SQL] = {
    [SQL_GET] = ENTRY "WHERE m.id = ?1 AND m.tenant = ?2 AND m.valid_to = 0",
    [SQL_GET_AS_OF] = ENTRY "WHERE m.id = ?1 AND m.tenant = ?2 AND " THEN("?3"),
    [SQL_GET_ANY] = ENTRY "WHERE m.id = ?1 AND m.tenant = ?2",
    [SQL_LIST] = ENTRY "WHERE m.tenant = ?1 AND m.valid_to = 0 " RANGE,
    [SQL_LIST_AS_OF] = ENTRY "WHERE m.tenant = ?1 AND " THEN("?7") RANGE,
    /* The sign keeps the index of tenants from being used: it has all entries. */
    [SQL_LOT] = ENTRY "WHERE m.id IN (" LOT_PARAMETERS ") AND +m.tenant = ?64",
    [SQL_LOT_FEW] = ENTRY "WHERE m.id IN (" LOT_FEW_PARAMETERS
                          ") AND +m.tenant = ?9",
    [SQL_EACH] = ENTRY "WHERE m.tenant = ?1",
    [SQL_NEXT_ID] = DB_NEXT_ID("memory"),
    [SQL_ADD] = "INSERT INTO memory(tenant, session, artifact, type, title,"
                " content, source, tags, created, updated, valid_from, id)"
                " VALUES(?1, nullif(?2, 0), nullif(?3, 0), ?4, ?5, ?6, ?7, ?8,"
                " ?9, ?9, ?9, ?10)",
    /* ?3 is a new link; 0 removes it; less leaves it, also one to a
     * soft-deleted artifact. */
    [SQL_CHANGE] = "UPDATE memory SET updated = ?2, artifact = CASE WHEN ?3 < 0"
                   " THEN artifact ELSE nullif(?3, 0) END, type = ?4,"
                   " title = ?5, content = ?6, source = ?7, tags = ?8"
                   " WHERE id = ?1 AND tenant = ?9",
    [SQL_END] = "UPDATE memory SET valid_to = ?2 WHERE id = ?1 AND tenant = ?3",
    [SQL_REMOVE] = "DELETE FROM memory WHERE id = ?1 AND tenant = ?2",
    [SQL_LINK_SET] = "INSERT INTO memory_link(memory, artifact, tenant)"
                     " VALUES(?1, ?3, ?2) ON CONFLICT(tenant, memory) DO UPDATE"
                     " SET artifact = excluded.artifact",
    [SQL_LINK_DROP] = "DELETE FROM memory_link WHERE memory = ?1"
                      " AND tenant = ?2",
    [SQL_LINK_GET] = "SELECT artifact FROM memory_link WHERE memory = ?1"
                     " AND tenant = ?2",
    [SQL_LINKABLE] = LIVING,
    [SQL_LINKABLE_IN] = LIVING
    "AND (a.session = ?3 OR EXISTS(SELECT 1 FROM memory m WHERE"
    " m.artifact = a.id AND m.tenant = ?2 AND m.valid_to = 0))",
    [SQL_RELATION_FIND] = RELATION
    "WHERE source = ?1 AND target = ?2 AND kind = ?3 AND tenant = ?4",
    [SQL_RELATION_ADD] = "INSERT INTO relation(tenant, source, target, kind,"
                         " created) VALUES(?1, ?2, ?3, ?4, ?5) RETURNING id",
    [SQL_RELATION_REMOVE] = "DELETE FROM relation WHERE id = ?1 AND tenant = ?2"
                            " RETURNING id",
    /* One condition each that an index answers. */
    [SQL_RELATIONS] = RELATION "WHERE true" RELATION_RANGE,
    [SQL_RELATIONS_FROM] = RELATION "WHERE source = ?3" RELATION_RANGE,
    [SQL_RELATIONS_TO] = RELATION "WHERE target = ?4" RELATION_RANGE,
    [SQL_RELATIONS_AT] = RELATION
    "WHERE (source = ?5 OR target = ?5)" RELATION_RANGE,
    [SQL_LOG_CHANGE] = CHANGE_LOG_ADD,
};
