/* folders.c - folders that group the sessions of a tenant */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "catalog/priv.h"

enum { NAME_BYTES_MAX = 200 };

static quire_status report_unknown(int64_t id, quire_error *err)
{
    err_fail(err, QUIRE_NOT_FOUND, "list the folders", "no folder %" PRId64,
             id);
    return QUIRE_NOT_FOUND;
}

static quire_status report_taken(quire_bytes name, quire_error *err)
{
    return err_fail(err, QUIRE_EXISTS, "choose another name",
                    "folder %.*s already exists", (int)name.len,
                    (const char *)name.data);
}

/* The name without white space around it. */
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
                    "folder name is not UTF-8 of 1 to %d bytes",
                    NAME_BYTES_MAX);
}

/* ---- reading ------------------------------------------------------------ */

static bool read_folder(struct stmt *s, struct arena *keep, quire_folder *out)
{
    *out = (quire_folder){
        .id = stmt_column_int(s, 0),
        .name = arena_text(keep, stmt_column_bytes(s, 1)),
        .created_us = stmt_column_int(s, 2),
        .updated_us = stmt_column_int(s, 3),
        .sessions = (uint64_t)stmt_column_int(s, 4),
        .position = (uint64_t)stmt_column_int(s, 5),
    };
    return out->name;
}

quire_status folder_get(struct catalog *c, int64_t tenant, int64_t id,
                        struct arena *keep, quire_folder *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = catalog_has(c, SCHEMA_AGENTS)
                          ? use(c, SQL_FOLDER_GET, &s, err)
                      : catalog_has(c, SCHEMA_FOLDERS)
                          ? use(c, SQL_FOLDER_GET_BEFORE, &s, err)
                          : report_unknown(id, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, id);
    st = sql_row(s, err);
    if (!st && !read_folder(s, keep, out))
        st = err_memory(err);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? report_unknown(id, err) : st;
}

quire_status folder_list(struct catalog *c, int64_t tenant,
                         quire_folder_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_folder one;
    struct stmt *s;
    bool row = true;
    quire_status st = use(c,
                          catalog_has(c, SCHEMA_AGENTS)
                              ? SQL_FOLDER_LIST
                              : SQL_FOLDER_LIST_BEFORE,
                          &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        arena_reset(&tmp);
        st = read_folder(s, &tmp, &one) ? each(ctx, &one, err)
                                        : err_memory(err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

/* ---- changing ----------------------------------------------------------- */

static quire_status add_row(struct catalog *c, int64_t tenant, quire_bytes name,
                            struct arena *keep, quire_folder *out,
                            quire_error *err)
{
    struct stmt *s;
    int64_t id;
    quire_status st = use(c, SQL_FOLDER_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, name);
    stmt_bind_int(s, 3, clock_us(c->clock));
    st = sql_take_number(s, &id, err);
    if (st == QUIRE_NOT_FOUND)
        st = report_taken(name, err);
    return st ? st : folder_get(c, tenant, id, keep, out, err);
}

quire_status folder_add(struct catalog *c, int64_t tenant, const char *name,
                        struct arena *keep, quire_folder *out, quire_error *err)
{
    quire_bytes clean;
    quire_status st = read_name(name, &clean, err);

    if (!st)
        st = db_begin(c->db, DB_DURABLE, tenant, err);
    return st ? st
              : sql_end(c->db, add_row(c, tenant, clean, keep, out, err), err);
}

static quire_status rename_row(struct catalog *c, int64_t tenant, int64_t id,
                               quire_bytes name, struct arena *keep,
                               quire_folder *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = folder_get(c, tenant, id, keep, out, err);

    if (!st)
        st = use(c, SQL_FOLDER_RENAME, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, id);
    stmt_bind_text(s, 3, name);
    stmt_bind_int(s, 4, clock_us(c->clock));
    st = sql_run(s, err);
    if (!st && db_changes(c->db) == 0)
        st = report_taken(name, err);
    return st ? st : folder_get(c, tenant, id, keep, out, err);
}

quire_status folder_rename(struct catalog *c, int64_t tenant, int64_t id,
                           const char *name, struct arena *keep,
                           quire_folder *out, quire_error *err)
{
    quire_bytes clean;
    quire_status st = read_name(name, &clean, err);

    if (!st)
        st = db_begin(c->db, DB_DURABLE, tenant, err);
    if (st)
        return st;
    st = rename_row(c, tenant, id, clean, keep, out, err);
    return sql_end(c->db, st, err);
}

static quire_status place_row(struct catalog *c, int64_t tenant, int64_t id,
                              uint64_t position, struct arena *keep,
                              quire_folder *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_FOLDER_PLACE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, id);
    stmt_bind_int(s, 3, (int64_t)position);
    st = sql_run(s, err);
    return st ? st : folder_get(c, tenant, id, keep, out, err);
}

quire_status folder_place(struct catalog *c, int64_t tenant, int64_t id,
                          uint64_t position, struct arena *keep,
                          quire_folder *out, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (position > INT32_MAX)
        st = err_fail(err, QUIRE_INVALID, "choose a smaller number",
                      "folder position %" PRIu64 " is above %d", position,
                      INT32_MAX);
    if (!st)
        st = db_begin(c->db, DB_DURABLE, tenant, err);
    if (st)
        return st;
    st = place_row(c, tenant, id, position, keep, out, err);
    return sql_end(c->db, st, err);
}

quire_status folder_remove(struct catalog *c, int64_t tenant, int64_t id,
                           quire_error *err)
{
    struct stmt *s;
    quire_status st = db_begin(c->db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    st = use(c, SQL_FOLDER_REMOVE, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, tenant);
        stmt_bind_int(s, 2, id);
        st = sql_run(s, err);
    }
    if (!st && db_changes(c->db) == 0)
        st = report_unknown(id, err);
    return sql_end(c->db, st, err);
}

/* ---- sessions in folders ------------------------------------------------ */

quire_status folder_set_session(struct catalog *c, int64_t tenant,
                                int64_t session, int64_t folder,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_folder found;
    struct stmt *s;
    quire_status st = folder ? folder_get(c, tenant, folder, &tmp, &found, err)
                             : QUIRE_OK;

    arena_release(&tmp);
    if (!st)
        st = use(c, folder ? SQL_FOLDER_PUT_SESSION : SQL_FOLDER_TAKE_SESSION,
                 &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, folder ? tenant : session);
    stmt_bind_int(s, 2, folder ? folder : tenant);
    if (folder)
        stmt_bind_int(s, 3, session);
    st = sql_run(s, err);
    if (!st && folder && db_changes(c->db) == 0)
        st = err_set(err, QUIRE_NOT_FOUND, "the session has been removed");
    return st;
}

quire_status folder_move_session(struct catalog *c, int64_t tenant,
                                 int64_t session, int64_t folder,
                                 quire_error *err)
{
    quire_status st = db_begin(c->db, DB_DURABLE, tenant, err);

    return st ? st
              : sql_end(c->db,
                        folder_set_session(c, tenant, session, folder, err),
                        err);
}

quire_status folder_of_session(struct catalog *c, int64_t tenant,
                               int64_t session, int64_t *folder,
                               quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *folder = 0;
    if (!catalog_has(c, SCHEMA_FOLDERS))
        return QUIRE_OK;
    st = use(c, SQL_FOLDER_OF_SESSION, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, session);
    stmt_bind_int(s, 2, tenant);
    st = sql_row(s, err);
    if (!st)
        *folder = stmt_column_int(s, 0);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status folder_sessions(struct catalog *c, int64_t tenant, int64_t folder,
                             struct map *keys, struct arena *keep,
                             quire_error *err)
{
    quire_folder found;
    quire_bytes key;
    struct stmt *s;
    bool row = true;
    quire_status st = folder > 0
                          ? folder_get(c, tenant, folder, keep, &found, err)
                          : QUIRE_OK;

    if (!st)
        st = use(c, SQL_FOLDER_SESSIONS, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, folder);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        key = arena_dup(keep, stmt_column_bytes(s, 0));
        if (!key.data || !map_put(keys, key, 1, NULL))
            st = err_memory(err);
    }
    stmt_reset(s);
    return st;
}
