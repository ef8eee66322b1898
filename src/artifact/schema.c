/*
 * schema.c - the tables of the artifact room, and all of its SQL
 *
 * Totals are columns, kept by whoever changes what they count: a sum over rows
 * costs more with every artifact there is.
 *
 * Built-in sessions have negative ids, so that the first session of a fresh
 * home is number 1: "user" of tenant t is 1 - 2t, "temp" is -2t.
 */
#include "artifact/priv.h"

const char artifact_schema[] =
    "CREATE TABLE tenant("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " name TEXT NOT NULL,"
    " token BLOB UNIQUE," /* SHA-256 of the token; NULL: it has none      */
    " disabled INTEGER NOT NULL DEFAULT 0,"
    " created INTEGER NOT NULL," /* microseconds, here and everywhere     */
    " used INTEGER NOT NULL DEFAULT 0," /* bytes of living artifacts      */
    " n INTEGER NOT NULL DEFAULT 0);"   /* how many                       */
    "INSERT INTO tenant(id, name, created) VALUES(1, 'default', 0);"
    "CREATE TABLE session("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " key TEXT NOT NULL," /* its own id, 'user' or 'temp'                 */
    " created INTEGER NOT NULL,"
    " used INTEGER NOT NULL DEFAULT 0,"
    " n INTEGER NOT NULL DEFAULT 0,"
    " UNIQUE(tenant, key));"
    "CREATE TABLE artifact("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,"
    " path TEXT NOT NULL,"
    " version INTEGER NOT NULL," /* the current one                       */
    " sha256 BLOB NOT NULL,"
    " size INTEGER NOT NULL,"
    " mime TEXT NOT NULL,"
    " purpose TEXT NOT NULL,"
    " source TEXT NOT NULL,"
    " agent TEXT NOT NULL,"
    " tags TEXT NOT NULL," /* JSON                                        */
    " meta TEXT NOT NULL," /* JSON                                        */
    " created INTEGER NOT NULL,"
    " updated INTEGER NOT NULL,"
    " deleted INTEGER NOT NULL DEFAULT 0);" /* 0: it is living            */
    "CREATE UNIQUE INDEX artifact_path ON artifact(session, path)"
    " WHERE deleted = 0;"
    "CREATE INDEX artifact_session ON artifact(session, updated, id);"
    "CREATE INDEX artifact_tenant ON artifact(tenant, updated, id);"
    "CREATE INDEX artifact_away ON artifact(deleted) WHERE deleted <> 0;"
    "CREATE TABLE artifact_version("
    " artifact INTEGER NOT NULL REFERENCES artifact(id) ON DELETE CASCADE,"
    " version INTEGER NOT NULL,"
    " sha256 BLOB NOT NULL,"
    " size INTEGER NOT NULL,"
    " mime TEXT NOT NULL,"
    " created INTEGER NOT NULL,"
    " PRIMARY KEY(artifact, version)) WITHOUT ROWID;";

/* Apart, so that reading changes no index of artifacts. */
const char access_schema[] =
    "CREATE TABLE artifact_access("
    " artifact INTEGER PRIMARY KEY REFERENCES artifact(id) ON DELETE CASCADE,"
    " n INTEGER NOT NULL,"
    " last INTEGER NOT NULL);";

/* Files of the home that are to go, as they were when that was noted. */
const char removal_schema[] =
    "CREATE TABLE removal("
    " name TEXT PRIMARY KEY,"
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL) WITHOUT ROWID;"; /* nanoseconds */

/* Artifacts that are in the index of words as they were, or not yet (words.c).
 * All but the first two are NULL for one that is not in it. */
const char due_schema[] =
    "CREATE TABLE artifact_due("
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " artifact INTEGER NOT NULL," /* which may be gone */
    " sha256 BLOB,"
    " session INTEGER,"
    " path TEXT,"
    " purpose TEXT,"
    " tags TEXT,"
    " mime TEXT,"
    " PRIMARY KEY(tenant, artifact)) WITHOUT ROWID;";

#define TENANT                                                       \
    "SELECT id, name, disabled, token IS NOT NULL, created, used, n" \
    " FROM tenant "

#define COLUMNS                                                           \
    "SELECT a.id, a.session, s.key, a.path, a.version, a.size, a.sha256," \
    " a.mime, a.purpose, a.source, a.agent, a.tags, a.meta, a.created,"   \
    " a.updated, a.deleted FROM artifact a JOIN session s ON s.id = "     \
    "a.session "

/* Before a place in the list, or from the start. */
#define RANGE                                      \
    "AND (?2 = 0 OR (a.updated, a.id) < (?2, ?3))" \
    " ORDER BY a.updated DESC, a.id DESC LIMIT ?4"

const char *const artifact_sql[N_ARTIFACT_SQL] = {
    [SQL_OWNER_FIND] = "SELECT s.id, s.used, t.used, t.disabled FROM session s"
                       " JOIN tenant t ON t.id = s.tenant"
                       " WHERE s.tenant = ?1 AND s.key = ?2",
    [SQL_TENANT_USED] = "SELECT used, disabled FROM tenant WHERE id = ?1",
    [SQL_OWNER_ADD] = "INSERT INTO session(tenant, key, created)"
                      " VALUES(?1, ?2, ?3)",
    [SQL_OWNER_BUILT_IN] = "INSERT INTO session(id, tenant, key, created)"
                           " VALUES(?4, ?1, ?2, ?3)",
    [SQL_SESSION_COUNT] = "UPDATE session SET used = used + ?2, n = n + ?3"
                          " WHERE id = ?1",
    [SQL_TENANT_COUNT] = "UPDATE tenant SET used = used + ?2, n = n + ?3"
                         " WHERE id = ?1",

    [SQL_SESSION_WRONG] =
        "SELECT count(*) FROM session o WHERE (used, n) <> (SELECT "
        "coalesce(sum(size), 0), count(*) FROM artifact WHERE session = o.id "
        "AND deleted = 0)",
    [SQL_TENANT_WRONG] =
        "SELECT count(*) FROM tenant o WHERE (used, n) <> (SELECT "
        "coalesce(sum(size), 0), count(*) FROM artifact WHERE tenant = o.id "
        "AND deleted = 0)",
    [SQL_SESSION_RECOUNT] =
        "UPDATE session SET (used, n) = (SELECT coalesce(sum(size), 0), "
        "count(*) FROM artifact WHERE session = session.id AND deleted = 0)",
    [SQL_TENANT_RECOUNT] =
        "UPDATE tenant SET (used, n) = (SELECT coalesce(sum(size), 0), "
        "count(*) FROM artifact WHERE tenant = tenant.id AND deleted = 0)",

    [SQL_OWNER_DROP] = "DELETE FROM session WHERE id = ?1"
                       " RETURNING tenant, used, n",
    [SQL_REMOVAL_ADD] = "INSERT OR REPLACE INTO removal(name, size, modified)"
                        " VALUES(?1, ?2, ?3)",
    [SQL_REMOVAL_DROP] = "DELETE FROM removal WHERE name = ?1",
    [SQL_REMOVAL_NOTED] = "SELECT 1 FROM removal WHERE name = ?1",
    [SQL_REMOVALS] = "SELECT name, size, modified FROM removal",

    [SQL_TENANT_BY_ID] = TENANT "WHERE id = ?1",
    [SQL_TENANT_BY_NAME] = TENANT "WHERE name = ?1 ORDER BY id LIMIT 2",
    [SQL_TENANT_BY_TOKEN] = TENANT "WHERE token = ?1",
    [SQL_TENANTS] = TENANT "ORDER BY id",
    [SQL_TENANT_ADD] = "INSERT INTO tenant(name, token, created)"
                       " VALUES(?1, ?2, ?3)",
    [SQL_TENANT_TOKEN] = "UPDATE tenant SET token = ?2 WHERE id = ?1",
    [SQL_TENANT_DISABLE] = "UPDATE tenant SET disabled = ?2 WHERE id = ?1",
    [SQL_TENANT_DROP] = "DELETE FROM tenant WHERE id = ?1",
    [SQL_TENANT_HOLDS] = "SELECT count(*), coalesce(sum(size), 0)"
                         " FROM artifact WHERE tenant = ?1",

    [SQL_BY_PATH] = COLUMNS "WHERE a.session = ?1 AND a.path = ?2"
                            " AND a.deleted = 0",
    /* Between two paths: from "a/" to "a0" is all that is below "a". */
    [SQL_BETWEEN] = "SELECT path FROM artifact WHERE session = ?1"
                    " AND path >= ?2 AND path < ?3 AND deleted = 0 LIMIT 1",
    [SQL_BY_ID] = COLUMNS "WHERE a.id = ?1 AND a.tenant = ?2",
    [SQL_PUT_AWAY_LAST] = COLUMNS
    "WHERE a.session = ?1 AND a.path = ?2 AND a.deleted <> 0"
    " ORDER BY a.deleted DESC, a.id DESC LIMIT 1",
    [SQL_ADD] = "INSERT INTO artifact(tenant, session, path, version, sha256,"
                " size, mime, purpose, source, agent, tags, meta, created,"
                " updated) VALUES(?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
                " ?11, ?12, ?12)",
    [SQL_CHANGE] = "UPDATE artifact SET version = ?2, sha256 = ?3, size = ?4,"
                   " mime = ?5, purpose = ?6, source = ?7, agent = ?8,"
                   " tags = ?9, meta = ?10, updated = ?11 WHERE id = ?1",
    [SQL_VERSION_ADD] = "INSERT INTO artifact_version(artifact, version,"
                        " sha256, size, mime, created)"
                        " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    [SQL_VERSION_DROP] = "DELETE FROM artifact_version WHERE artifact = ?1"
                         " AND version <= ?2",
    [SQL_VERSION_GET] = "SELECT version, sha256, size, mime, created"
                        " FROM artifact_version WHERE artifact = ?1"
                        " AND version = ?2",
    [SQL_VERSIONS] = "SELECT version, sha256, size, mime, created"
                     " FROM artifact_version WHERE artifact = ?1"
                     " ORDER BY version DESC",
    [SQL_WALK_SESSION] = COLUMNS "WHERE a.session = ?1 AND a.deleted = 0"
                                 " ORDER BY a.id",
    [SQL_WALK_TENANT] = COLUMNS "WHERE a.tenant = ?1 AND a.deleted = 0"
                                " ORDER BY a.id",
    [SQL_LIST_SESSION] = COLUMNS
    "WHERE a.session = ?1 AND a.deleted = 0 " RANGE,
    [SQL_LIST_TENANT] = COLUMNS "WHERE a.tenant = ?1 AND a.deleted = 0 " RANGE,
    [SQL_LIST_SESSION_AWAY] = COLUMNS
    "WHERE a.session = ?1 AND a.deleted <> 0 " RANGE,
    [SQL_LIST_TENANT_AWAY] = COLUMNS
    "WHERE a.tenant = ?1 AND a.deleted <> 0 " RANGE,
    /* Both give the size, and whether it was living: 0. */
    [SQL_PUT_AWAY] = "UPDATE artifact SET deleted = ?2 WHERE id = ?1"
                     " AND deleted = 0 RETURNING size, 0",
    [SQL_BRING_BACK] = "UPDATE artifact SET deleted = 0, updated = ?2"
                       " WHERE id = ?1",
    [SQL_READ_COUNT] = "INSERT INTO artifact_access(artifact, n, last)"
                       " SELECT id, ?4, ?3 FROM artifact"
                       " WHERE id = ?1 AND tenant = ?2"
                       " ON CONFLICT(artifact) DO UPDATE SET n = n + ?4,"
                       " last = max(last, ?3)",
    [SQL_READS] = "SELECT n, last FROM artifact_access WHERE artifact = ?1",
    [SQL_PURGE] = "DELETE FROM artifact WHERE id = ?1"
                  " RETURNING size, deleted",

    /* ?1: a version is kept if fewer than so many are newer; 0: all are.
     * ?2: what was put away before that is gone. */
    [SQL_EXPIRED] = "SELECT a.id, a.version - ?1 FROM artifact a WHERE"
                    " a.id > ?3 AND a.version > ?1 AND EXISTS(SELECT 1 FROM"
                    " artifact_version v WHERE v.artifact = a.id AND"
                    " v.version <= a.version - ?1) ORDER BY a.id LIMIT 64",
    [SQL_EXPIRED_COUNT] =
        "SELECT (SELECT count(*) FROM artifact_version v JOIN artifact a"
        " ON a.id = v.artifact WHERE ?1 > 0 AND v.version <= a.version - ?1"
        " AND (a.deleted = 0 OR a.deleted >= ?2)), (SELECT count(*)"
        " FROM artifact WHERE deleted <> 0 AND deleted < ?2)",
    [SQL_EXPIRE_AWAY] = "DELETE FROM artifact WHERE id IN (SELECT id"
                        " FROM artifact WHERE deleted <> 0 AND deleted < ?2"
                        " LIMIT 64)",
    [SQL_DIGESTS] =
        "SELECT sha256 FROM artifact WHERE deleted = 0 OR deleted >= ?2"
        " UNION ALL SELECT v.sha256 FROM artifact_version v JOIN artifact a"
        " ON a.id = v.artifact WHERE (a.deleted = 0 OR a.deleted >= ?2)"
        " AND (?1 = 0 OR v.version > a.version - ?1)",

    /* What is noted already is what the index has. */
    [SQL_DUE_ADD] = "INSERT OR IGNORE INTO artifact_due(tenant, artifact,"
                    " sha256, session, path, purpose, tags, mime)"
                    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [SQL_DUE_COUNT] = "SELECT count(*) FROM artifact_due WHERE tenant = ?1",
    [SQL_DUE] = "SELECT artifact, sha256, session, path, purpose, tags, mime"
                " FROM artifact_due WHERE tenant = ?1 ORDER BY artifact"
                " LIMIT ?2",
    [SQL_DUE_HAS] = "SELECT 1 FROM artifact_due WHERE tenant = ?1"
                    " AND artifact = ?2",
    [SQL_DUE_DROP] = "DELETE FROM artifact_due WHERE tenant = ?1"
                     " AND artifact <= ?2",
    [SQL_DUE_TENANT] = "SELECT tenant FROM artifact_due LIMIT 1",
};
