/* sql.c - every statement of the artifact module */
#include "artifact/priv.h"
#include "catalog/change_log.h"
#include "search/lot.h"

#define FIELDS                                                            \
    "SELECT a.id, a.session, s.key, a.path, a.version, a.size, a.sha256," \
    " a.mime, a.purpose, a.source, a.agent, a.tags, a.meta, a.created,"   \
    " a.updated, a.deleted"
#define COLUMNS FIELDS " FROM artifact a JOIN session s ON s.id = a.session "
#define CONTENT                                                  \
    FIELDS ", x.n, x.last, " BLOB_COLUMNS                        \
           " FROM artifact a JOIN session s ON s.id = a.session" \
           " LEFT JOIN artifact_access x ON x.artifact = a.id"   \
           " AND x.tenant = a.tenant " BLOB_JOIN("a.sha256")
#define BY_PATH \
    "WHERE s.tenant = ?1 AND s.key = ?2 AND a.path = ?3 AND a.deleted = 0"

/* Of a session, by its key. */
#define PATHS                                                                \
    "SELECT a.path FROM session s JOIN artifact a ON a.session = s.id WHERE" \
    " s.tenant = ?1 AND s.key = ?2 AND a.deleted = 0 "

/* Sessions whose content is never removed. */
#define HELD "(SELECT session FROM session_keep WHERE held <> 0)"

/* The first condition is that of the index. */
#define EXPIRED(before)                                  \
    "deleted <> 0 AND deleted > 0 AND deleted < " before \
    " AND session NOT IN " HELD

/* Before a position in the list, or from the start. */
#define RANGE                                      \
    "AND (?2 = 0 OR (a.updated, a.id) < (?2, ?3))" \
    " ORDER BY a.updated DESC, a.id DESC LIMIT ?4"

const char *const artifact_sql[N_ARTIFACT_SQL] = {
    [SQL_BY_PATH] = COLUMNS BY_PATH,
    [SQL_CONTENT_BY_PATH] = CONTENT BY_PATH,
    /* Unused places are empty: no path is. */
    [SQL_ANCESTORS] = PATHS "AND a.path IN (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
                            " LIMIT 1",
    /* From "a/" to "a0" is all that is below "a". */
    [SQL_BELOW] = PATHS "AND a.path >= ?3 AND a.path < ?4 LIMIT 1",
    /* Negative: its session is in the trash (catalog/trash.h). */
    [SQL_BY_ID] = COLUMNS "WHERE a.id = ?1 AND a.tenant = ?2"
                          " AND a.deleted >= 0",
    /* The sign keeps the index of tenants from being used: it has all artifacts. */
    [SQL_LOT] = CONTENT "WHERE a.id IN (" LOT_PARAMETERS
                        ") AND +a.tenant = ?64",
    [SQL_LOT_FEW] = CONTENT "WHERE a.id IN (" LOT_FEW_PARAMETERS
                            ") AND +a.tenant = ?9",
    [SQL_LAST_DELETED] = COLUMNS
    "WHERE s.tenant = ?1 AND s.key = ?2 AND a.path = ?3 AND a.deleted <> 0"
    " ORDER BY a.deleted DESC, a.id DESC LIMIT 1",
    [SQL_NEXT_ID] = DB_NEXT_ID("artifact"),
    [SQL_ADD] = "INSERT INTO artifact(tenant, session, path, version, sha256,"
                " size, mime, purpose, source, agent, tags, meta, created,"
                " updated, id) VALUES(?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9,"
                " ?10, ?11, ?12, ?12, ?13)",
    [SQL_CHANGE] = "UPDATE artifact SET version = ?2, sha256 = ?3, size = ?4,"
                   " mime = ?5, purpose = ?6, source = ?7, agent = ?8,"
                   " tags = ?9, meta = ?10, updated = ?11 WHERE id = ?1"
                   " AND tenant = ?12",
    [SQL_VERSION_ADD] = "INSERT INTO artifact_version(artifact, version,"
                        " sha256, size, mime, created, tenant)"
                        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [SQL_VERSION_DROP] = "DELETE FROM artifact_version WHERE artifact = ?1"
                         " AND version <= ?2 AND tenant = ?3",
    [SQL_VERSION_GET] = "SELECT version, sha256, size, mime, created"
                        " FROM artifact_version WHERE artifact = ?1"
                        " AND version = ?2 AND tenant = ?3",
    [SQL_VERSIONS] = "SELECT version, sha256, size, mime, created"
                     " FROM artifact_version WHERE artifact = ?1"
                     " AND tenant = ?2 ORDER BY version DESC",
    [SQL_WALK_SESSION] = COLUMNS "WHERE a.session = ?1 AND a.tenant = ?2 AND"
                                 " a.deleted = 0 ORDER BY a.id",
    [SQL_WALK_TENANT] = COLUMNS "WHERE a.tenant = ?1 AND a.deleted = 0"
                                " ORDER BY a.id",
    [SQL_LIST_SESSION] = COLUMNS
    "WHERE a.session = ?1 AND a.tenant = ?5 AND a.deleted = 0 " RANGE,
    [SQL_LIST_TENANT] = COLUMNS "WHERE a.tenant = ?1 AND a.deleted = 0 " RANGE,
    [SQL_LIST_SESSION_DELETED] = COLUMNS
    "WHERE a.session = ?1 AND a.tenant = ?5 AND a.deleted > 0 " RANGE,
    [SQL_LIST_TENANT_DELETED] = COLUMNS
    "WHERE a.tenant = ?1 AND a.deleted > 0 " RANGE,
    /* Both return the size, and 0 if it was live. */
    [SQL_SOFT_DELETE] = "UPDATE artifact SET deleted = ?3 WHERE id = ?1"
                        " AND tenant = ?2 AND deleted = 0 RETURNING size, 0",
    [SQL_RESTORE] = "UPDATE artifact SET deleted = 0, updated = ?3"
                    " WHERE id = ?1 AND tenant = ?2",
    [SQL_READ_COUNT] = "INSERT INTO artifact_access(artifact, n, last, tenant)"
                       " SELECT id, ?4, ?3, tenant FROM artifact"
                       " WHERE id = ?1 AND tenant = ?2"
                       " ON CONFLICT(tenant, artifact) DO UPDATE SET"
                       " n = artifact_access.n + excluded.n,"
                       " last = CASE WHEN excluded.last > artifact_access.last"
                       " THEN excluded.last ELSE artifact_access.last END",
    [SQL_READS] = "SELECT n, last FROM artifact_access WHERE artifact = ?1"
                  " AND tenant = ?2",
    [SQL_PURGE] = "DELETE FROM artifact WHERE id = ?1 AND tenant = ?2"
                  " RETURNING size, deleted",

    /* Of SQL_EXPIRED_COUNT and SQL_DIGESTS: ?1: a version is kept if fewer than
     * this many are newer; 0: all are. ?2: purge what was deleted before this
     * time. */
    [SQL_EXPIRED] = "SELECT a.id, a.version - ?1, a.tenant FROM artifact a"
                    " WHERE a.id > ?2 AND a.version > ?1 AND a.deleted >= 0"
                    " AND a.session NOT IN " HELD " AND EXISTS(SELECT 1"
                    " FROM artifact_version v WHERE v.artifact = a.id AND"
                    " v.tenant = a.tenant AND v.version <= a.version - ?1)"
                    " ORDER BY a.id LIMIT 64",
    [SQL_EXPIRED_COUNT] =
        "SELECT (SELECT count(*) FROM artifact_version v JOIN artifact a"
        " ON a.id = v.artifact AND a.tenant = v.tenant WHERE ?1 > 0 AND v.version <= a.version - ?1"
        " AND (a.deleted = 0 OR a.deleted >= ?2) AND a.session NOT IN " HELD
        "), (SELECT count(*) FROM artifact WHERE " EXPIRED("?2") ")",
    [SQL_EXPIRE_DELETED] = "DELETE FROM artifact WHERE id IN (SELECT id"
                           " FROM artifact WHERE " EXPIRED("?1") " LIMIT 64)",
    /* Without the tenant: a row that names a wrong one must not cost content. */
    [SQL_DIGESTS] = "SELECT sha256 FROM artifact WHERE NOT (" EXPIRED(
        "?2") ")"
              " UNION ALL SELECT v.sha256 FROM artifact_version v JOIN artifact a"
              " ON a.id = v.artifact WHERE a.deleted < 0 OR a.session IN " HELD
              " OR ((a.deleted = 0 OR a.deleted >= ?2)"
              " AND (?1 = 0 OR v.version > a.version - ?1))",

    [SQL_LOG_CHANGE] = CHANGE_LOG_ADD,
};
