/* rows.c - statements of a sync, and fields of records */
#include <string.h>

#include "api/sync/home.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "catalog/change_log.h"

#define ARTIFACT                                                           \
    "SELECT a.id, s.key, a.path, a.version, a.sha256, a.size, a.mime,"     \
    " a.purpose, a.source, a.agent, a.tags, a.meta, a.created, a.updated," \
    " a.deleted, a.session FROM artifact a JOIN session s ON s.id = a.session "

#define MEMORY                                                              \
    "SELECT m.id, u.uid, m.type, m.title, m.content, m.source, m.tags,"     \
    " m.created, m.updated, m.valid_from, m.valid_to, coalesce(s.key, '')," \
    " coalesce(t.key, ''), coalesce(a.path, '') FROM memory m"              \
    " LEFT JOIN memory_uid u ON u.memory = m.id AND u.tenant = m.tenant"    \
    " LEFT JOIN session s ON s.id = m.session"                              \
    " LEFT JOIN artifact a ON a.id = m.artifact AND a.tenant = m.tenant"    \
    " AND a.deleted = 0 LEFT JOIN session t ON t.id = a.session "

const char *const moving_sql[N_MOVING_SQL] = {
    [MOVE_FILES] = "SELECT name, inode, size, modified, changed, data"
                   " FROM sync_file WHERE tenant = ?1",
    [MOVE_FILE_PUT] =
        "INSERT INTO sync_file(tenant, name, inode, size, modified, changed,"
        " data) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(tenant, name)"
        " DO UPDATE SET inode = excluded.inode, size = excluded.size,"
        " modified = excluded.modified, changed = excluded.changed,"
        " data = excluded.data",
    [MOVE_FILE_DROP] = "DELETE FROM sync_file WHERE tenant = ?1 AND name = ?2",
    /* Those of sessions in the trash have a negative `deleted`. Of several with one
     * path the live one comes first, then the last deleted. */
    [MOVE_ARTIFACTS] = ARTIFACT
    "WHERE a.tenant = ?1 AND a.deleted >= 0 AND s.key <> 'temp'"
    " ORDER BY s.key, a.path, a.deleted <> 0, a.deleted DESC, a.id DESC",
    [MOVE_ARTIFACT_FIND] = ARTIFACT
    "WHERE s.tenant = ?1 AND s.key = ?2 AND a.path = ?3 AND a.deleted >= 0"
    " ORDER BY a.deleted <> 0, a.deleted DESC, a.id DESC LIMIT 1",
    [MOVE_ARTIFACT_CLASH] =
        "SELECT 1 FROM session s JOIN artifact a ON a.session = s.id WHERE"
        " s.tenant = ?1 AND s.key = ?2 AND a.deleted = 0 AND"
        " (substr(?3, 1, length(a.path) + 1) = a.path || '/'"
        " OR substr(a.path, 1, length(?3) + 1) = ?3 || '/') LIMIT 1",
    [MOVE_ARTIFACT_ID] = DB_NEXT_ID("artifact"),
    [MOVE_ARTIFACT_ADD] =
        "INSERT INTO artifact(id, tenant, session, path, version, sha256, size,"
        " mime, purpose, source, agent, tags, meta, created, updated, deleted)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
        " ?15, ?16)",
    [MOVE_ARTIFACT_CHANGE] =
        "UPDATE artifact SET session = ?3, path = ?4, version = ?5, sha256 = ?6, size = ?7, mime = ?8,"
        " purpose = ?9, source = ?10, agent = ?11, tags = ?12, meta = ?13,"
        " created = ?14, updated = ?15, deleted = ?16 WHERE id = ?1"
        " AND tenant = ?2",
    [MOVE_VERSIONS] = "SELECT version, sha256, size, mime, created"
                      " FROM artifact_version WHERE artifact = ?1"
                      " AND tenant = ?2 ORDER BY created, sha256",
    [MOVE_VERSION_ADD] =
        "INSERT INTO artifact_version(artifact, version, tenant, sha256, size,"
        " mime, created) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [MOVE_MEMORY] = MEMORY "WHERE m.tenant = ?1",
    [MOVE_MEMORY_ONE] = MEMORY "WHERE m.tenant = ?1 AND m.id = ?2",
    [MOVE_MEMORY_ID] = DB_NEXT_ID("memory"),
    [MOVE_MEMORY_ADD] =
        "INSERT INTO memory(id, tenant, type, title, content, source, tags,"
        " created, updated, valid_from, valid_to) VALUES(?1, ?2, ?3, ?4, ?5,"
        " ?6, ?7, ?8, ?9, ?10, ?11)",
    [MOVE_MEMORY_CHANGE] =
        "UPDATE memory SET type = ?3, title = ?4, content = ?5, source = ?6,"
        " tags = ?7, created = ?8, updated = ?9, valid_from = ?10,"
        " valid_to = ?11 WHERE id = ?1 AND tenant = ?2",
    [MOVE_MEMORY_UID] = "INSERT INTO memory_uid(memory, tenant, uid)"
                        " VALUES(?1, ?2, ?3)",
    /* The session and the artifact, as far as they are here. */
    [MOVE_MEMORY_SESSION] =
        "UPDATE memory SET session = coalesce((SELECT s.id FROM session s"
        " WHERE s.tenant = ?2 AND s.key = ?3), session),"
        " artifact = coalesce((SELECT a.id FROM artifact a JOIN session t"
        " ON t.id = a.session WHERE t.tenant = ?2 AND t.key = ?4"
        " AND a.path = ?5 AND a.deleted = 0), artifact)"
        " WHERE id = ?1 AND tenant = ?2",
    [MOVE_RELATIONS] = "SELECT source, target, kind, created FROM relation"
                       " WHERE tenant = ?1",
    [MOVE_RELATIONS_FROM] =
        "SELECT t.id, u.uid, t.created, r.kind, r.created FROM relation r"
        " JOIN memory t ON t.id = r.target LEFT JOIN memory_uid u ON"
        " u.memory = t.id AND u.tenant = t.tenant WHERE r.tenant = ?1 AND"
        " r.source = ?2",
    [MOVE_RELATION_ADD] =
        "INSERT INTO relation(tenant, source, target, kind, created)"
        " VALUES(?1, ?2, ?3, ?4, ?5)"
        " ON CONFLICT(source, target, kind) DO NOTHING",
    [MOVE_LOCALS] = "SELECT kind, value FROM sync_local WHERE tenant = ?1"
                    " ORDER BY kind, value",
    [MOVE_LOCAL_ADD] = "INSERT INTO sync_local(tenant, kind, value)"
                       " VALUES(?1, ?2, ?3)"
                       " ON CONFLICT(tenant, kind, value) DO NOTHING",
    [MOVE_LOCAL_DROP] = "DELETE FROM sync_local WHERE tenant = ?1"
                        " AND kind = ?2 AND value = ?3",
    [MOVE_TRASHED] = "SELECT key FROM trash WHERE tenant = ?1",
    [MOVE_FILED] = "SELECT s.key FROM filed f JOIN session s ON s.id ="
                   " f.session JOIN folder o ON o.id = f.folder WHERE"
                   " f.tenant = ?1 AND o.name = ?2",
    [MOVE_LOG_CHANGE] = CHANGE_LOG_ADD,
};

/* ---- fields --------------------------------------------------------------- */

bool field_text(quire_bytes record, const char *key, struct arena *keep,
                quire_bytes *out)
{
    quire_bytes value = json_get(record, key);

    *out = bytes_of(NULL, 0);
    if (json_kind(value) != JSON_STRING)
        return false;
    *out = json_text(value, keep);
    return out->data != NULL;
}

bool field_string(quire_bytes record, const char *key, struct arena *keep,
                  const char **out)
{
    quire_bytes text;

    *out = NULL;
    if (!field_text(record, key, keep, &text) ||
        memchr(text.data, '\0', text.len))
        return false;
    *out = arena_text(keep, text);
    return *out != NULL;
}

bool field_number(quire_bytes record, const char *key, int64_t *out)
{
    quire_bytes value = json_get(record, key);

    return json_kind(value) == JSON_NUMBER && json_read_int(value, out);
}

bool field_hex(quire_bytes record, const char *key, uint8_t *out, size_t len)
{
    quire_bytes value = json_get(record, key);

    return json_kind(value) == JSON_STRING && value.len == 2 * len + 2 &&
           hex_decode((const char *)value.data + 1, len, out);
}

void put_hex(struct json_writer *w, const char *key, const uint8_t *bytes,
             size_t len)
{
    char hex[65];

    hex_encode(bytes, len, hex);
    json_put_str(w, key, hex);
}

quire_status bad_record(const char *what, quire_error *err)
{
    return err_fail(err, QUIRE_INVALID,
                    "the other side may run another version of Quire",
                    "the other side sent a record that is no %s", what);
}
