/*
 * folder.c - where people file their sessions
 *
 * A folder is a name that a tenant gives to some of its sessions. It is a label
 * and no directory: a session is in one folder or in none, its file stays where
 * it is, and a folder that goes leaves its sessions behind. Filing changes
 * nothing in a session, not even when it was last changed.
 */
#include "api/folder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "store/sql.h"

const char folder_schema[] =
    "CREATE TABLE folder("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL,"
    " created INTEGER NOT NULL," /* microseconds */
    " updated INTEGER NOT NULL," /* when it got its name */
    " UNIQUE(tenant, name));"
    "CREATE TABLE filed("
    " session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,"
    " folder INTEGER NOT NULL REFERENCES folder(id) ON DELETE CASCADE);"
    "CREATE INDEX filed_folder ON filed(folder);";

enum { NAME_BYTES_MAX = 200 };

enum {
    SQL_LIST,
    SQL_GET,
    SQL_ADD,
    SQL_RENAME,
    SQL_REMOVE,
    SQL_FILE,
    SQL_UNFILE,
    SQL_OF,
    SQL_KEYS,
    N_SQL
};

#define COLUMNS                                                            \
    "SELECT id, name, created, updated, (SELECT count(*) FROM filed WHERE" \
    " folder = f.id) FROM folder f WHERE tenant = ?1 "

static const char *const texts[N_SQL] = {
    [SQL_LIST] = COLUMNS "ORDER BY name",
    [SQL_GET] = COLUMNS "AND id = ?2",
    [SQL_ADD] = ("INSERT INTO folder(tenant, name, created, updated)"
                 " VALUES(?1, ?2, ?3, ?3) ON CONFLICT DO NOTHING"),
    [SQL_RENAME] = ("UPDATE OR IGNORE folder SET name = ?3, updated = ?4"
                    " WHERE tenant = ?1 AND id = ?2"),
    [SQL_REMOVE] = "DELETE FROM folder WHERE tenant = ?1 AND id = ?2",
    [SQL_FILE] = ("INSERT OR REPLACE INTO filed(session, folder) SELECT s.id,"
                  " f.id FROM session s JOIN folder f ON f.tenant = s.tenant"
                  " WHERE s.tenant = ?1 AND f.id = ?2 AND s.id = ?3"),
    [SQL_UNFILE] = "DELETE FROM filed WHERE session = ?1",
    [SQL_OF] = "SELECT folder FROM filed WHERE session = ?1",
    [SQL_KEYS] = ("SELECT s.key FROM filed f JOIN session s ON s.id ="
                  " f.session WHERE s.tenant = ?1 AND (?2 < 0 OR f.folder ="
                  " ?2)"),
};

/* ---- the room ----------------------------------------------------------- */

/* *any: there are tables to look at. */
static quire_status open_statements(struct quire *q, bool *any,
                                    quire_error *err)
{
    quire_status st = QUIRE_OK;

    *any = false;
    if (!q->db || q->kind != QUIRE_KIND_NATIVE || q->schema < SCHEMA_FOLDERS)
        return QUIRE_OK;
    if (!q->folders.stmts)
        st = sql_init(&q->folders, q->db, texts, N_SQL, err);
    *any = !st;
    return st;
}

static quire_status need_folders(struct quire *q, bool write, bool *any,
                                 quire_error *err)
{
    quire_status st = need_artifacts(q, write, err);

    *any = false;
    if (st == QUIRE_NOT_FOUND && !write)
        return QUIRE_OK;
    return st ? st : open_statements(q, any, err);
}

static quire_status unknown(int64_t id, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_NOT_FOUND, "list those there are",
                               "there is no folder %" PRId64, id);
    return st;
}

static quire_status taken(quire_bytes name, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_EXISTS, "choose another name",
                               "there is a folder %.*s", (int)name.len,
                               (const char *)name.data);
    return st;
}

/* The name without blanks at its ends. */
static quire_status read_name(const char *text, quire_bytes *out,
                              quire_error *err)
{
    static const char blanks[] = " \t\r\n";
    const char *from = text + strspn(text, blanks);
    size_t len = strlen(from);

    while (len > 0 && strchr(blanks, from[len - 1]))
        len--;
    *out = bytes_of(from, len);
    if (len > 0 && len <= NAME_BYTES_MAX && utf8_check(*out))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "choose another name",
                    "the name of a folder is UTF-8 of 1 to %d bytes",
                    NAME_BYTES_MAX);
}

static quire_status begin(struct quire *q, quire_error *err)
{
    bool any;
    quire_status st = need_folders(q, true, &any, err);

    return st ? st : db_begin(q->db, DB_DURABLE, err);
}

/* ---- looking ------------------------------------------------------------ */

static bool read_folder(struct stmt *s, struct arena *keep, quire_folder *out)
{
    *out = (quire_folder){
        .id = stmt_column_int(s, 0),
        .name = arena_text(keep, stmt_column_bytes(s, 1)),
        .created_us = stmt_column_int(s, 2),
        .updated_us = stmt_column_int(s, 3),
        .sessions = (uint64_t)stmt_column_int(s, 4),
    };
    return out->name;
}

/* Words without a folder, also for one of another tenant. */
static quire_status get(struct quire *q, int64_t id, quire_folder *out,
                        quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&q->folders, SQL_GET, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, q->tenant);
    stmt_bind_int(s, 2, id);
    st = sql_row(s, err);
    if (!st && !read_folder(s, &q->loan, out))
        st = err_memory(err);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? unknown(id, err) : st;
}

quire_status quire_folder_get(quire *q, int64_t id, quire_folder *out,
                              quire_error *err)
{
    bool any;
    quire_status st = need_folders(q, false, &any, err);

    return st ? st : any ? get(q, id, out, err) : unknown(id, err);
}

quire_status quire_folder_list(quire *q, quire_folder_fn each, void *ctx,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_folder one;
    struct stmt *s;
    bool any, row = true;
    quire_status st = need_folders(q, false, &any, err);

    if (st || !any)
        return st;
    st = sql_use(&q->folders, SQL_LIST, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, q->tenant);
    q->in_callback = true;
    while (!st) {
        arena_reset(&tmp);
        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        st = read_folder(s, &tmp, &one) ? each(ctx, &one, err)
                                        : err_memory(err);
    }
    q->in_callback = false;
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

/* ---- changing ----------------------------------------------------------- */

static quire_status add(struct quire *q, quire_bytes name, quire_folder *out,
                        quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&q->folders, SQL_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, q->tenant);
    stmt_bind_text(s, 2, name);
    stmt_bind_int(s, 3, clock_us(&q->clock));
    st = sql_run(s, err);
    if (!st && db_changes(q->db) == 0)
        st = taken(name, err);
    return st ? st : get(q, db_last_id(q->db), out, err);
}

quire_status quire_folder_add(quire *q, const char *name, quire_folder *out,
                              quire_error *err)
{
    quire_bytes clean;
    quire_status st = read_name(name, &clean, err);

    if (!st)
        st = begin(q, err);
    return st ? st : sql_end(q->db, add(q, clean, out, err), err);
}

static quire_status rename_it(struct quire *q, int64_t id, quire_bytes name,
                              quire_folder *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = get(q, id, out, err);

    if (!st)
        st = sql_use(&q->folders, SQL_RENAME, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, q->tenant);
    stmt_bind_int(s, 2, id);
    stmt_bind_text(s, 3, name);
    stmt_bind_int(s, 4, clock_us(&q->clock));
    st = sql_run(s, err);
    if (!st && db_changes(q->db) == 0)
        st = taken(name, err);
    return st ? st : get(q, id, out, err);
}

quire_status quire_folder_rename(quire *q, int64_t id, const char *name,
                                 quire_folder *out, quire_error *err)
{
    quire_bytes clean;
    quire_status st = read_name(name, &clean, err);

    if (!st)
        st = begin(q, err);
    return st ? st : sql_end(q->db, rename_it(q, id, clean, out, err), err);
}

static quire_status take_away(struct quire *q, int64_t id, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&q->folders, SQL_REMOVE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, q->tenant);
    stmt_bind_int(s, 2, id);
    st = sql_run(s, err);
    return !st && db_changes(q->db) == 0 ? unknown(id, err) : st;
}

quire_status quire_folder_remove(quire *q, int64_t id, quire_error *err)
{
    quire_status st = begin(q, err);

    return st ? st : sql_end(q->db, take_away(q, id, err), err);
}

/* ---- filing ------------------------------------------------------------- */

static quire_status file_it(struct quire *q, int64_t number, int64_t folder,
                            quire_error *err)
{
    quire_folder found;
    struct stmt *s;
    quire_status st = folder ? get(q, folder, &found, err) : QUIRE_OK;

    if (!st)
        st = sql_use(&q->folders, folder ? SQL_FILE : SQL_UNFILE, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, folder ? q->tenant : number);
    if (folder) {
        stmt_bind_int(s, 2, folder);
        stmt_bind_int(s, 3, number);
    }
    st = sql_run(s, err);
    if (!st && folder && db_changes(q->db) == 0)
        st = err_set(err, QUIRE_NOT_FOUND, "the session has gone meanwhile");
    return st;
}

quire_status quire_session_file(quire *q, const char *which, int64_t folder,
                                quire_error *err)
{
    quire_session_row row;
    quire_status st = quire_session_row_of(q, which, &row, err);

    if (!st && !row.number) {
        st = err_fail(err, QUIRE_INVALID, "name a session of this home",
                      "%.60s is in no home that has folders", which);
    }
    if (!st)
        st = begin(q, err);
    return st ? st : sql_end(q->db, file_it(q, row.number, folder, err), err);
}

quire_status folders_find(struct quire *q, int64_t number, int64_t *folder,
                          quire_error *err)
{
    struct stmt *s;
    bool any;
    quire_status st = open_statements(q, &any, err);

    *folder = 0;
    if (st || !any)
        return st;
    st = sql_use(&q->folders, SQL_OF, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, number);
    st = sql_row(s, err);
    if (!st)
        *folder = stmt_column_int(s, 0);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status folders_keys(struct quire *q, int64_t folder, struct map *keys,
                          struct arena *keep, quire_error *err)
{
    struct stmt *s;
    bool any, row = true;
    quire_bytes key;
    quire_folder found;
    quire_status st = need_folders(q, false, &any, err);

    if (!st && folder > 0)
        st = any ? get(q, folder, &found, err) : unknown(folder, err);
    if (st || !any)
        return st;
    st = sql_use(&q->folders, SQL_KEYS, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, q->tenant);
    stmt_bind_int(s, 2, folder);
    while (!st) {
        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        key = arena_dup(keep, stmt_column_bytes(s, 0));
        if (!key.data || !map_put(keys, key, 1, NULL))
            st = err_memory(err);
    }
    stmt_reset(s);
    return st;
}
