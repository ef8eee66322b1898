/* catalog.c - opening the catalogue, and every statement of this module */
#include "catalog/priv.h"

#define TENANT                                                       \
    "SELECT id, name, disabled, token IS NOT NULL, created, used, n" \
    " FROM tenant "

#define FOLDER_OF(place, from)                                               \
    "SELECT id, name, created, updated, (SELECT count(*) FROM filed d WHERE" \
    " d.folder = f.id AND d.tenant = ?1), " place " FROM folder f " from     \
    "WHERE f.tenant = ?1 "
#define FOLDER                                                  \
    FOLDER_OF("coalesce(p.position, 0)",                        \
              "LEFT JOIN folder_place p ON p.folder = f.id AND" \
              " p.tenant = f.tenant ")

/* Of a catalogue before SCHEMA_AGENTS. */
#define FOLDER_BEFORE FOLDER_OF("0", "")

/* Rows of a table that belong to the session ?3. */
#define CHANGE_SESSION(table)                                           \
    "INSERT INTO change_log(tenant, seq, kind, item, at) SELECT ?1,"    \
    " (SELECT coalesce(max(seq), 0) FROM change_log WHERE tenant = ?1)" \
    " + row_number() OVER (ORDER BY id), ?2, id, ?4 FROM " table        \
    " WHERE session = ?3 AND tenant = ?1"

/* In the order of import_ledger.c. */
#define IMPORT_COLUMNS                                                     \
    "path, agent, session, main, cwd, title, inode, size, modified, mark," \
    " version, settled, written, entries, settled_entries, problems, imported"

#define TRASH                                                               \
    "SELECT id, tenant, key, session, folder, name, title, removed, bytes," \
    " state FROM trash "

static const char *const texts[N_CATALOG_SQL] = {
    [SQL_TENANT_BY_ID] = TENANT "WHERE id = ?1",
    [SQL_TENANT_BY_NAME] = TENANT "WHERE name = ?1 ORDER BY id LIMIT 2",
    [SQL_TENANT_BY_TOKEN] =
        "SELECT id, name, disabled, token IS NOT NULL, created, used, n, 0, 0 FROM tenant"
        " WHERE token = ?1 UNION ALL"
        " SELECT t.id, t.name, t.disabled, t.token IS NOT NULL, t.created,"
        " t.used, t.n, a.flags, a.expires FROM access_token a JOIN tenant t"
        " ON t.id = a.tenant WHERE a.token = ?1",
    /* Of a catalogue before SCHEMA_TOKENS. */
    [SQL_TENANT_BY_TOKEN_BEFORE] =
        "SELECT id, name, disabled, token IS NOT NULL, created, used, n, 0, 0 FROM tenant"
        " WHERE token = ?1",
    [SQL_TENANTS] = TENANT "ORDER BY id",
    [SQL_TENANT_ADD] = "INSERT INTO tenant(name, token, created)"
                       " VALUES(?1, ?2, ?3) RETURNING id",
    [SQL_TENANT_SET_TOKEN] = "UPDATE tenant SET token = ?2 WHERE id = ?1",
    [SQL_TENANT_SET_DISABLED] = "UPDATE tenant SET disabled = ?2 WHERE id = ?1",
    [SQL_TENANT_DROP] = "DELETE FROM tenant WHERE id = ?1",
    [SQL_TENANT_ARTIFACTS] = "SELECT count(*), coalesce(sum(size), 0)"
                             " FROM artifact WHERE tenant = ?1",
    [SQL_TENANT_COUNT] = "UPDATE tenant SET used = used + ?2, n = n + ?3"
                         " WHERE id = ?1",
    [SQL_TENANT_WRONG] =
        "SELECT count(*) FROM tenant o WHERE (used, n) <> (SELECT "
        "coalesce(sum(size), 0), count(*) FROM artifact WHERE tenant = o.id "
        "AND deleted = 0)",
    [SQL_TENANT_RECOUNT] =
        "UPDATE tenant SET (used, n) = (SELECT coalesce(sum(size), 0), "
        "count(*) FROM artifact WHERE tenant = tenant.id AND deleted = 0)",

    [SQL_TOKEN_ADD] = "INSERT INTO access_token(tenant, token, label, flags,"
                      " created, expires) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
                      " RETURNING id",
    [SQL_TOKENS] = "SELECT id, label, flags, created, expires FROM"
                   " access_token WHERE tenant = ?1 ORDER BY id",
    [SQL_TOKEN_REMOVE] = "DELETE FROM access_token WHERE tenant = ?1 AND"
                         " id = ?2 RETURNING id",
    [SQL_TOKEN_EXPIRE] = "DELETE FROM access_token WHERE tenant = ?1 AND"
                         " expires > 0 AND expires <= ?2",

    /* A tenant without the session has a row, too. */
    [SQL_SESSION_FIND] = "SELECT s.id, s.used, t.used, t.disabled FROM tenant t"
                         " LEFT JOIN session s ON s.tenant = t.id AND"
                         " s.key = ?2 WHERE t.id = ?1",
    [SQL_SESSION_NEXT_ID] = DB_NEXT_ID("session"),
    [SQL_SESSION_ADD] = "INSERT INTO session(id, tenant, key, created)"
                        " VALUES(?4, ?1, ?2, ?3)",
    [SQL_SESSION_COUNT] = "UPDATE session SET used = used + ?2, n = n + ?3"
                          " WHERE id = ?1 AND tenant = ?4",
    [SQL_SESSION_WRONG] =
        "SELECT count(*) FROM session o WHERE (used, n) <> (SELECT "
        "coalesce(sum(size), 0), count(*) FROM artifact WHERE session = o.id "
        "AND deleted = 0)",
    [SQL_SESSION_RECOUNT] =
        "UPDATE session SET (used, n) = (SELECT coalesce(sum(size), 0), "
        "count(*) FROM artifact WHERE session = session.id AND deleted = 0)",
    [SQL_SESSION_DROP] = "DELETE FROM session WHERE id = ?1 AND tenant = ?2"
                         " RETURNING used, n",
    [SQL_KEEP_OF] = "SELECT pinned, held, holder, reason FROM session_keep"
                    " WHERE session = ?1 AND tenant = ?2",
    [SQL_KEEP_SET] =
        "INSERT INTO session_keep(session, tenant, pinned, held, holder,"
        " reason) VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(tenant, session)"
        " DO UPDATE SET pinned = excluded.pinned, held = excluded.held,"
        " holder = excluded.holder, reason = excluded.reason",
    [SQL_KEEPS] = "SELECT k.pinned, k.held, k.holder, k.reason, s.key"
                  " FROM session_keep k JOIN session s ON s.id = k.session"
                  " AND s.tenant = k.tenant WHERE k.tenant = ?1",
    [SQL_KEEPS_HELD] = "SELECT count(*) FROM session_keep WHERE tenant = ?1"
                       " AND held <> 0",
    [SQL_TRASH_ADD] =
        "INSERT INTO trash(tenant, key, session, folder, name, title, removed,"
        " bytes, state) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        " RETURNING id",
    [SQL_TRASH_FIND] = TRASH "WHERE tenant = ?1 AND (session = ?3 OR"
                             " substr(key, 1, length(?2)) = ?2)"
                             " ORDER BY removed DESC, id DESC",
    [SQL_TRASH_BY_ID] = TRASH "WHERE id = ?1 AND tenant = ?2",
    [SQL_TRASH_LIST] = TRASH "WHERE tenant = ?1 ORDER BY removed DESC, id DESC",
    [SQL_TRASH_DUE] = TRASH "WHERE removed < ?1 ORDER BY removed, id",
    [SQL_TRASH_MOVING] = TRASH "WHERE state <> 2 ORDER BY id",
    [SQL_TRASH_STATE] = "UPDATE trash SET state = ?4 WHERE id = ?1"
                        " AND tenant = ?2 AND state = ?3",
    [SQL_TRASH_DROP] = "DELETE FROM trash WHERE id = ?1 AND tenant = ?2"
                       " AND state = ?3",
    [SQL_TRASH_ARTIFACTS] =
        "SELECT id, path, size FROM artifact WHERE session = ?1"
        " AND tenant = ?2 ORDER BY deleted <> -1, updated DESC, id DESC",
    [SQL_SESSION_RENAME] = "UPDATE session SET key = ?3 WHERE id = ?1"
                           " AND tenant = ?2",
    /* Its own inverse: 0 and times become negative. */
    [SQL_SESSION_FLIP] = "UPDATE artifact SET deleted = -1 - deleted"
                         " WHERE session = ?1 AND tenant = ?2",
    [SQL_SESSION_LIVE] = "SELECT coalesce(sum(size), 0), count(*)"
                         " FROM artifact WHERE session = ?1 AND tenant = ?2"
                         " AND deleted = 0",
    [SQL_CHANGE_LAST] = "SELECT seq, at FROM change_log WHERE tenant = ?1"
                        " ORDER BY seq DESC LIMIT 1",
    [SQL_CHANGES] = "SELECT seq, kind, item, at FROM change_log WHERE"
                    " tenant = ?1"
                    " AND seq >= ?2 ORDER BY seq",
    [SQL_CHANGES_TRIM] =
        "DELETE FROM change_log WHERE tenant = ?1 AND seq <= (SELECT"
        " CASE WHEN max(seq) - min(seq) > 2 * ?2 THEN max(seq) - ?2 ELSE 0 END"
        " FROM change_log WHERE tenant = ?1)",
    /* One for each artifact of a session, and one for each memory entry. */
    [SQL_CHANGE_ARTIFACTS] = CHANGE_SESSION("artifact"),
    [SQL_CHANGE_MEMORY] = CHANGE_SESSION("memory"),
    [SQL_SESSION_KEY] = "SELECT key FROM session WHERE id = ?1 AND tenant = ?2",
    [SQL_TOTALS_FIND] =
        "SELECT s.id, s.created, s.n, s.used, t.session, t.name, t.title,"
        " t.state, t.parent, t.inode, t.size, t.modified, t.changed, t.damaged,"
        " t.scanned, t.tail, t.entries, t.messages, t.input, t.output,"
        " t.cache_read, t.cache_write, t.total, t.cost FROM session s"
        " LEFT JOIN tally t ON t.session = s.id AND t.tenant = s.tenant"
        " WHERE s.tenant = ?1 AND s.key = ?2",
    [SQL_TOTALS_STORE] =
        "INSERT INTO tally(session, name, title, state, parent, inode, size,"
        " modified, changed, damaged, scanned, tail, entries, messages, input,"
        " output, cache_read, cache_write, total, cost, tenant) VALUES(?1, ?2,"
        " ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,"
        " ?18, ?19, ?20, ?21) ON CONFLICT(tenant, session) DO UPDATE SET"
        " name = excluded.name,"
        " title = excluded.title, state = excluded.state,"
        " parent = excluded.parent, inode = excluded.inode,"
        " size = excluded.size, modified = excluded.modified,"
        " changed = excluded.changed, damaged = excluded.damaged,"
        " scanned = excluded.scanned, tail = excluded.tail,"
        " entries = excluded.entries, messages = excluded.messages,"
        " input = excluded.input, output = excluded.output,"
        " cache_read = excluded.cache_read,"
        " cache_write = excluded.cache_write, total = excluded.total,"
        " cost = excluded.cost",
    [SQL_ACTIVITY_FIND] =
        "SELECT inode, size, modified, changed, data FROM activity"
        " WHERE tenant = ?1 AND session = ?2",
    /* The session may have been removed meanwhile. */
    [SQL_ACTIVITY_STORE] =
        "INSERT INTO activity(tenant, session, inode, size, modified, changed,"
        " data) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 FROM session WHERE"
        " tenant = ?1 AND id = ?2 ON CONFLICT(tenant, session) DO UPDATE SET"
        " inode = excluded.inode, size = excluded.size,"
        " modified = excluded.modified, changed = excluded.changed,"
        " data = excluded.data",
    [SQL_REMOVAL_ADD] = "INSERT INTO removal(name, size, modified)"
                        " VALUES(?1, ?2, ?3) ON CONFLICT(name) DO UPDATE SET"
                        " size = excluded.size, modified = excluded.modified",
    [SQL_REMOVAL_DROP] = "DELETE FROM removal WHERE name = ?1",
    /* Of a session on its way into the trash or out of it, too. */
    [SQL_REMOVAL_HAS] = "SELECT 1 FROM removal WHERE name = ?1 UNION ALL"
                        " SELECT 1 FROM trash WHERE name = ?1"
                        " AND state <> 2",
    [SQL_FILE_GONE] =
        "SELECT 1 FROM removal WHERE name = ?1 UNION ALL"
        " SELECT 1 FROM trash WHERE name = ?1 AND state <> 2 UNION ALL"
        " SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM named WHERE dir = ?2"
        " AND base = ?3)",
    [SQL_REMOVALS] = "SELECT name, size, modified FROM removal",

    [SQL_SETTING_GET] = "SELECT value FROM setting WHERE key = ?1",
    [SQL_SETTING_SET] = "INSERT INTO setting(key, value) VALUES(?1, ?2)"
                        " ON CONFLICT(key) DO UPDATE SET value = ?2",
    [SQL_SETTING_UNSET] = "DELETE FROM setting WHERE key = ?1",

    [SQL_AUDIT_ADD] = "INSERT INTO journal(at, actor, action, tenant, name,"
                      " before, after) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [SQL_AUDIT_LIST] = "SELECT id, at, actor, action, tenant, name, before,"
                       " after FROM journal WHERE ?1 = 0 OR id < ?1"
                       " ORDER BY id DESC LIMIT ?2",
    [SQL_RUN_START] = "INSERT INTO run(tenant, session, command, unconfined,"
                      " started) VALUES(?1, ?2, ?3, ?4, ?5) RETURNING id",
    [SQL_RUN_END] = "UPDATE run SET duration = ?2, exit = ?3, signal = ?4,"
                    " out_bytes = ?5, err_bytes = ?6, hit = ?7, confined = ?8"
                    " WHERE id = ?1 AND tenant = ?9",
    [SQL_RUN_LIST] = "SELECT id, session, command, unconfined, started,"
                     " duration, exit, signal, out_bytes, err_bytes, hit,"
                     " confined FROM run WHERE tenant = ?1 AND (?2 = ''"
                     " OR session = ?2) ORDER BY id DESC LIMIT ?3",
    [SQL_RUN_CLEAR] = "DELETE FROM run WHERE tenant = ?1 AND (?2 = ''"
                      " OR session = ?2)",

    [SQL_KEY_EXPIRE] = "DELETE FROM claim WHERE (tenant, key) IN (SELECT"
                       " tenant, key FROM claim WHERE created < ?1"
                       " ORDER BY created LIMIT ?2)",
    [SQL_KEY_GET] = "SELECT request, status, answer FROM claim WHERE"
                    " tenant = ?1 AND key = ?2 AND created >= ?3",
    [SQL_KEY_ADD] = "INSERT INTO claim(tenant, key, request, created)"
                    " VALUES(?1, ?2, ?3, ?4) ON CONFLICT(tenant, key) DO UPDATE"
                    " SET request = excluded.request, created ="
                    " excluded.created, status = NULL, answer = NULL",
    [SQL_KEY_RESPONSE] = "UPDATE claim SET status = ?3, answer = ?4 WHERE"
                         " tenant = ?1 AND key = ?2",
    [SQL_KEY_DROP] = "DELETE FROM claim WHERE tenant = ?1 AND key = ?2",

    [SQL_FOLDER_LIST] = FOLDER "ORDER BY coalesce(p.position, 0), name",
    [SQL_FOLDER_LIST_BEFORE] = FOLDER_BEFORE "ORDER BY name",
    [SQL_FOLDER_GET] = FOLDER "AND id = ?2",
    [SQL_FOLDER_GET_BEFORE] = FOLDER_BEFORE "AND id = ?2",
    [SQL_FOLDER_PLACE] =
        "INSERT INTO folder_place(folder, position, tenant) SELECT id, ?3,"
        " tenant FROM folder WHERE tenant = ?1 AND id = ?2"
        " ON CONFLICT(tenant, folder) DO UPDATE SET position = excluded.position",
    [SQL_FOLDER_ADD] = "INSERT INTO folder(tenant, name, created, updated)"
                       " VALUES(?1, ?2, ?3, ?3) ON CONFLICT DO NOTHING"
                       " RETURNING id",
    [SQL_FOLDER_RENAME] =
        "UPDATE folder SET name = ?3, updated = ?4 WHERE tenant = ?1 AND"
        " id = ?2 AND NOT EXISTS(SELECT 1 FROM folder o WHERE o.tenant = ?1"
        " AND o.name = ?3 AND o.id <> ?2)",
    [SQL_FOLDER_REMOVE] = "DELETE FROM folder WHERE tenant = ?1 AND id = ?2",
    [SQL_FOLDER_PUT_SESSION] =
        "INSERT INTO filed(session, folder, tenant) SELECT s.id, f.id, s.tenant"
        " FROM session s JOIN folder f ON f.tenant = s.tenant"
        " WHERE s.tenant = ?1 AND f.id = ?2 AND s.id = ?3"
        " ON CONFLICT(tenant, session) DO UPDATE SET folder = excluded.folder",
    [SQL_FOLDER_TAKE_SESSION] = "DELETE FROM filed WHERE session = ?1"
                                " AND tenant = ?2",
    [SQL_FOLDER_OF_SESSION] = "SELECT folder FROM filed WHERE session = ?1"
                              " AND tenant = ?2",
    [SQL_FOLDER_SESSIONS] =
        "SELECT s.key FROM filed f JOIN session s ON s.id = f.session"
        " AND s.tenant = f.tenant WHERE s.tenant = ?1 AND (?2 < 0 OR f.folder = ?2)",

    [SQL_AGENT_OF] =
        "SELECT agent, definition FROM session_agent WHERE session = ?1"
        " AND tenant = ?2",
    [SQL_AGENT_SET] =
        "INSERT INTO session_agent(session, agent, definition, tenant)"
        " VALUES(?1, ?2, ?3, ?4) ON CONFLICT(tenant, session) DO UPDATE"
        " SET agent = excluded.agent, definition = excluded.definition",
    [SQL_IMPORT_FIND] = "SELECT " IMPORT_COLUMNS
                        " FROM import_file WHERE tenant = ?1 AND path = ?2",
    [SQL_IMPORT_LIST] = "SELECT " IMPORT_COLUMNS
                        " FROM import_file WHERE tenant = ?1 ORDER BY path",
    [SQL_IMPORT_SCAN] =
        "SELECT path, agent, session, cwd, inode, size, modified, entries,"
        " problems FROM import_file WHERE tenant = ?1 AND written != -1",
    [SQL_IMPORT_SESSION] = "SELECT " IMPORT_COLUMNS
                           " FROM import_file WHERE tenant = ?1"
                           " AND session = ?2 ORDER BY main DESC, path",
    [SQL_IMPORT_STATE] =
        "SELECT state FROM import_state WHERE tenant = ?1 AND path = ?2",
    [SQL_IMPORT_PUT] =
        "INSERT INTO import_file(path, agent, session, main, cwd, title, inode,"
        " size, modified, mark, version, settled, written, entries,"
        " settled_entries, problems, imported, tenant) VALUES(?2, ?3, ?4, ?5,"
        " ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?1)"
        " ON CONFLICT(tenant, path) DO UPDATE SET agent = excluded.agent,"
        " session = excluded.session, main = excluded.main, cwd = excluded.cwd,"
        " title = excluded.title, inode = excluded.inode, size = excluded.size,"
        " modified = excluded.modified, mark = excluded.mark,"
        " version = excluded.version, settled = excluded.settled,"
        " written = excluded.written, entries = excluded.entries,"
        " settled_entries = excluded.settled_entries,"
        " problems = excluded.problems, imported = excluded.imported",
    [SQL_IMPORT_PUT_STATE] =
        "INSERT INTO import_state(tenant, path, state) VALUES(?1, ?2, ?3)"
        " ON CONFLICT(tenant, path) DO UPDATE SET state = excluded.state",
    [SQL_IMPORT_WRITING] =
        "UPDATE import_file SET written = -1, settled = ?3 WHERE tenant = ?1"
        " AND path = ?2",
    [SQL_IMPORT_COPY] =
        "INSERT INTO import_file(tenant, " IMPORT_COLUMNS
        ") SELECT tenant, ?3, agent, session, main, cwd, title, inode, size,"
        " modified, mark, version, settled, written, entries, settled_entries,"
        " problems, imported FROM import_file WHERE tenant = ?1 AND path = ?2",
    [SQL_IMPORT_MOVE_STATE] =
        "UPDATE import_state SET path = ?3 WHERE tenant = ?1 AND path = ?2",
    [SQL_IMPORT_MOVE_PARTS] =
        "UPDATE import_part SET path = ?3 WHERE tenant = ?1 AND path = ?2",
    [SQL_IMPORT_DROP_FILE] = "DELETE FROM import_file WHERE tenant = ?1"
                             " AND path = ?2 AND path <> ?3",
    [SQL_IMPORT_DROP] =
        "DELETE FROM import_part WHERE tenant = ?1 AND path IN"
        " (SELECT path FROM import_file WHERE tenant = ?1 AND session = ?2)"
        " AND NOT EXISTS (SELECT 1 FROM import_file WHERE tenant = ?1"
        " AND session = ?2 AND main = 1 AND imported > ?3)",
    [SQL_IMPORT_AGAIN] =
        "UPDATE import_file SET modified = -1, mark = ?3 WHERE tenant = ?1"
        " AND session = ?2 AND main = 0 AND size > 0 AND NOT EXISTS"
        " (SELECT 1 FROM import_part p WHERE p.tenant = import_file.tenant"
        " AND p.path = import_file.path)",
    [SQL_IMPORT_PARTS] =
        "SELECT at, size, sha256, form FROM import_part WHERE tenant = ?1"
        " AND path = ?2 ORDER BY at",
    [SQL_IMPORT_ADD_PART] =
        "INSERT INTO import_part(tenant, path, at, size, sha256, form)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    [SQL_IMPORT_CUT_PARTS] =
        "DELETE FROM import_part WHERE tenant = ?1 AND path = ?2 AND at >= ?3",
    [SQL_CONTINUATION_FIND] =
        "SELECT c.child FROM continuation c JOIN import_file f"
        " ON f.tenant = c.tenant AND f.session = c.session AND f.main = 1"
        " WHERE c.tenant = ?1 AND c.session = ?2 AND c.imported = f.imported",
    [SQL_CONTINUATION_PUT] =
        "INSERT INTO continuation(tenant, session, child, imported)"
        " SELECT tenant, session, ?3, imported FROM import_file"
        " WHERE tenant = ?1 AND session = ?2 AND main = 1"
        " ON CONFLICT(tenant, session) DO UPDATE SET child = excluded.child,"
        " imported = excluded.imported",
    [SQL_EXPORTED_FIND] =
        "SELECT session, path, inode, size, modified, exported FROM exported"
        " WHERE tenant = ?1 AND agent = ?2 AND id = ?3",
    [SQL_EXPORTED_PUT] =
        "INSERT INTO exported(tenant, agent, id, session, path, inode, size,"
        " modified, exported) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        " ON CONFLICT(tenant, agent, id) DO UPDATE SET"
        " session = excluded.session, path = excluded.path,"
        " inode = excluded.inode, size = excluded.size,"
        " modified = excluded.modified, exported = excluded.exported",
    [SQL_IMPORT_DIGESTS] = "SELECT DISTINCT sha256 FROM import_part",
    [SQL_IMPORT_ANSWER] = "SELECT session FROM import_answer WHERE tenant = ?1"
                          " AND answer = ?2",
    [SQL_IMPORT_ADD_ANSWER] =
        "INSERT INTO import_answer(tenant, answer, session) VALUES(?1, ?2, ?3)"
        " ON CONFLICT(tenant, answer) DO NOTHING",
};

quire_status catalog_open(struct catalog *c, struct db *db, bool read_only,
                          quire_error *err)
{
    quire_status st;

    c->db = db;
    st = schema_prepare(db, read_only, &c->schema, err);
    if (!st)
        st = sql_init(&c->sql, db, texts, N_CATALOG_SQL, err);
    if (st) {
        catalog_close(c);
        return st;
    }
    c->relaxed = !read_only && settings_is(c, "durability", "flush");
    if (c->relaxed)
        db_relax(db, true);
    return QUIRE_OK;
}

void catalog_close(struct catalog *c)
{
    sql_release(&c->sql);
    db_close(c->db);
    c->db = NULL;
    c->schema = 0;
    c->relaxed = false;
}
