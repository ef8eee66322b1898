/*
 * schema.c - the tables of the memory room, and all of its SQL
 *
 * Types and kinds are words in the file, so that a person who opens it with
 * another program reads what it says. The columns that lists and rankings look
 * at come first, the long text last: what is passed over is not read.
 *
 * An index for each foreign key: without one, to purge an artifact or to forget
 * a session looks at every entry there is. Triggers are not needed, and there
 * are none in quire.db.
 */
#include "memory/priv.h"

const char memory_schema[] =
    "CREATE TABLE memory("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " session INTEGER REFERENCES session(id) ON DELETE SET NULL,"
    " artifact INTEGER REFERENCES artifact(id) ON DELETE SET NULL,"
    " type TEXT NOT NULL,"
    " created INTEGER NOT NULL,"
    " updated INTEGER NOT NULL,"
    " valid_from INTEGER NOT NULL,"
    " valid_to INTEGER NOT NULL DEFAULT 0," /* 0: it is valid             */
    " title TEXT NOT NULL,"
    " tags TEXT NOT NULL," /* JSON                                        */
    " source TEXT NOT NULL,"
    " content TEXT NOT NULL);"
    "CREATE INDEX memory_valid ON memory(tenant, updated, id)"
    " WHERE valid_to = 0;"
    "CREATE INDEX memory_all ON memory(tenant, updated, id);"
    "CREATE INDEX memory_session ON memory(session)"
    " WHERE session IS NOT NULL;"
    "CREATE INDEX memory_artifact ON memory(artifact)"
    " WHERE artifact IS NOT NULL;"
    "CREATE TABLE relation("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " source INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,"
    " target INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,"
    " kind TEXT NOT NULL,"
    " created INTEGER NOT NULL,"
    " UNIQUE(source, target, kind)," /* both are of the one tenant        */
    " CHECK(source <> target));"
    "CREATE INDEX relation_target ON relation(target);"
    "CREATE INDEX relation_tenant ON relation(tenant);";

/* An artifact that was put away is no artifact while it is. */
#define ENTRY                                                             \
    "SELECT m.id, m.type, m.title, m.content, m.source, m.tags,"          \
    " coalesce(a.id, 0), coalesce(m.session, 0), coalesce(s.key, ''),"    \
    " m.created, m.updated, m.valid_from, m.valid_to FROM memory m"       \
    " LEFT JOIN session s ON s.id = m.session"                            \
    " LEFT JOIN artifact a ON a.id = m.artifact AND a.tenant = m.tenant " \
    "AND a.deleted = 0 "

/* As it was at ?3. */
#define THEN(at) \
    "m.valid_from <= " at " AND (m.valid_to = 0 OR m.valid_to > " at ") "

/* From a place in the list on. What is not wanted for its type or tags is
 * passed over by whoever walks, so there is no limit here. */
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
    [SQL_EACH] = ENTRY "WHERE m.tenant = ?1",
    [SQL_ADD] = "INSERT INTO memory(tenant, session, artifact, type, title,"
                " content, source, tags, created, updated, valid_from)"
                " VALUES(?1, nullif(?2, 0), nullif(?3, 0), ?4, ?5, ?6, ?7, ?8,"
                " ?9, ?9, ?9)",
    /* ?3 is a new link; 0 takes it away; less leaves it, also that to an
     * artifact which is away. */
    [SQL_CHANGE] = "UPDATE memory SET updated = ?2, artifact = CASE WHEN ?3 < 0"
                   " THEN artifact ELSE nullif(?3, 0) END, type = ?4,"
                   " title = ?5, content = ?6, source = ?7, tags = ?8"
                   " WHERE id = ?1",
    [SQL_END] = "UPDATE memory SET valid_to = ?2 WHERE id = ?1",
    [SQL_REMOVE] = "DELETE FROM memory WHERE id = ?1",
    [SQL_LINKABLE] = LIVING,
    [SQL_LINKABLE_IN] = LIVING
    "AND (a.session = ?3 OR EXISTS(SELECT 1 FROM memory m WHERE"
    " m.artifact = a.id AND m.tenant = ?2 AND m.valid_to = 0))",
    [SQL_RELATION_FIND] = RELATION
    "WHERE source = ?1 AND target = ?2 AND kind = ?3",
    [SQL_RELATION_ADD] = "INSERT INTO relation(tenant, source, target, kind,"
                         " created) VALUES(?1, ?2, ?3, ?4, ?5)",
    [SQL_RELATION_REMOVE] = "DELETE FROM relation WHERE id = ?1 AND tenant = ?2"
                            " RETURNING id",
    /* One condition each that an index answers. */
    [SQL_RELATIONS] = RELATION "WHERE 1" RELATION_RANGE,
    [SQL_RELATIONS_FROM] = RELATION "WHERE source = ?3" RELATION_RANGE,
    [SQL_RELATIONS_TO] = RELATION "WHERE target = ?4" RELATION_RANGE,
    [SQL_RELATIONS_AT] = RELATION
    "WHERE (source = ?5 OR target = ?5)" RELATION_RANGE,
};
