/* trash.c - see trash.h */
#include "catalog/trash.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "catalog/import_ledger.h"
#include "catalog/priv.h"
#include "catalog/session_keep.h"

/* ---- reading ------------------------------------------------------------- */

static quire_status read_entry(struct stmt *s, struct arena *keep,
                               struct trash_entry *e, quire_error *err)
{
    *e = (struct trash_entry){
        .id = stmt_column_int(s, 0),
        .tenant = stmt_column_int(s, 1),
        .key = arena_text(keep, stmt_column_bytes(s, 2)),
        .session = stmt_column_int(s, 3),
        .folder = stmt_column_int(s, 4),
        .name = arena_text(keep, stmt_column_bytes(s, 5)),
        .title = arena_text(keep, stmt_column_bytes(s, 6)),
        .removed_us = stmt_column_int(s, 7),
        .bytes = (uint64_t)stmt_column_int(s, 8),
        .state = (enum trash_state)stmt_column_int(s, 9),
    };
    return e->key && e->name && e->title ? QUIRE_OK : err_memory(err);
}

static quire_status add_entry(struct trash_list *out, struct stmt *s,
                              struct arena *keep, quire_error *err)
{
    if (out->n == out->cap) {
        size_t cap = out->cap ? 2 * out->cap : 16;
        struct trash_entry *more = arena_array(keep, cap, sizeof *more);

        if (!more)
            return err_memory(err);
        if (out->n)
            memcpy(more, out->entries, out->n * sizeof *more);
        out->entries = more;
        out->cap = cap;
    }
    return read_entry(s, keep, &out->entries[out->n++], err);
}

/* Read the rows of a bound statement. */
static quire_status read_list(struct stmt *s, struct arena *keep,
                              struct trash_list *out, quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (!st && !(st = sql_row(s, err)))
        st = add_entry(out, s, keep, err);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* A statement that lists; NULL without an error: there is no trash yet. */
static quire_status use_list(struct catalog *c, enum catalog_sql which,
                             struct trash_list *out, struct stmt **s,
                             quire_error *err)
{
    *out = (struct trash_list){NULL, 0, 0};
    *s = NULL;
    return catalog_has(c, SCHEMA_KEEPING) ? use(c, which, s, err) : QUIRE_OK;
}

quire_status trash_of_tenant(struct catalog *c, int64_t tenant,
                             struct arena *keep, struct trash_list *out,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = use_list(c, SQL_TRASH_LIST, out, &s, err);

    if (st || !s)
        return st;
    stmt_bind_int(s, 1, tenant);
    return read_list(s, keep, out, err);
}

quire_status trash_find(struct catalog *c, int64_t tenant, const char *id,
                        int64_t number, struct arena *keep,
                        struct trash_list *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_list(c, SQL_TRASH_FIND, out, &s, err);

    if (st || !s)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(id));
    stmt_bind_int(s, 3, number);
    return read_list(s, keep, out, err);
}

quire_status trash_due(struct catalog *c, int64_t before_us, struct arena *keep,
                       struct trash_list *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_list(c, SQL_TRASH_DUE, out, &s, err);

    if (st || !s)
        return st;
    stmt_bind_int(s, 1, before_us);
    return read_list(s, keep, out, err);
}

quire_status trash_moving(struct catalog *c, struct arena *keep,
                          struct trash_list *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_list(c, SQL_TRASH_MOVING, out, &s, err);

    return st || !s ? st : read_list(s, keep, out, err);
}

quire_status trash_artifacts(struct catalog *c, const struct trash_entry *e,
                             trash_artifact_fn each, void *ctx,
                             quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    quire_status st = use(c, SQL_TRASH_ARTIFACTS, &s, err);

    if (st || !e->session)
        return st;
    stmt_bind_int(s, 1, e->session);
    stmt_bind_int(s, 2, e->tenant);
    while (!st && !(st = sql_row(s, err))) {
        const char *path;

        arena_reset(&tmp);
        path = arena_text(&tmp, stmt_column_bytes(s, 1));
        st = path ? each(ctx, stmt_column_int(s, 0), path,
                         (uint64_t)stmt_column_int(s, 2), err)
                  : err_memory(err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- rows of a session ---------------------------------------------------- */

/* The key of a session's row in the trash. */
enum { HIDDEN_SIZE = 32 };
static void hidden_key(const struct trash_entry *e, char out[HIDDEN_SIZE])
{
    snprintf(out, HIDDEN_SIZE, "trash:%lld", (long long)e->id);
}

/* Bind session and tenant. */
static quire_status use_session(struct catalog *c, enum catalog_sql which,
                                const struct trash_entry *e, struct stmt **s,
                                quire_error *err)
{
    quire_status st = use(c, which, s, err);

    if (st)
        return st;
    stmt_bind_int(*s, 1, e->session);
    stmt_bind_int(*s, 2, e->tenant);
    return QUIRE_OK;
}

/* Count its live artifacts in, or out: sign is 1 or -1. */
static quire_status count_live(struct catalog *c, const struct trash_entry *e,
                               int64_t sign, quire_error *err)
{
    struct session_row row = {.tenant = e->tenant, .session = e->session};
    int64_t bytes = 0, n = 0;
    struct stmt *s;
    quire_status st = use_session(c, SQL_SESSION_LIVE, e, &s, err);

    if (!st)
        st = sql_row(s, err);
    if (!st) {
        bytes = stmt_column_int(s, 0);
        n = stmt_column_int(s, 1);
    }
    if (s)
        stmt_reset(s);
    return st ? st : session_row_count(c, &row, sign * bytes, sign * n, err);
}

static quire_status
flip_artifacts(struct catalog *c, const struct trash_entry *e, quire_error *err)
{
    struct session_row row = {.tenant = e->tenant, .session = e->session};
    struct stmt *s;
    quire_status st = use_session(c, SQL_SESSION_FLIP, e, &s, err);

    if (!st)
        st = sql_run(s, err);
    return st ? st : session_row_log(c, &row, err);
}

static quire_status rename_row(struct catalog *c, const struct trash_entry *e,
                               const char *key, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_session(c, SQL_SESSION_RENAME, e, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 3, bytes_str(key));
    return sql_run(s, err);
}

static quire_status hide_rows(struct catalog *c, const struct trash_entry *e,
                              quire_error *err)
{
    char key[HIDDEN_SIZE];
    quire_status st = e->folder
                          ? folder_set_session(c, e->tenant, e->session, 0, err)
                          : QUIRE_OK;

    hidden_key(e, key);
    if (!st)
        st = count_live(c, e, -1, err);
    if (!st)
        st = flip_artifacts(c, e, err);
    return st ? st : rename_row(c, e, key, err);
}

/* The folder may be gone. */
static quire_status put_in_folder(struct catalog *c,
                                  const struct trash_entry *e, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_folder folder;
    quire_error why = {0};
    quire_status st = folder_get(c, e->tenant, e->folder, &tmp, &folder, &why);

    arena_release(&tmp);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (st && err)
        *err = why;
    return st ? st
              : folder_set_session(c, e->tenant, e->session, e->folder, err);
}

static quire_status show_rows(struct catalog *c, const struct trash_entry *e,
                              quire_error *err)
{
    quire_status st = rename_row(c, e, e->key, err);

    if (!st)
        st = flip_artifacts(c, e, err);
    if (!st)
        st = count_live(c, e, 1, err);
    return st || !e->folder ? st : put_in_folder(c, e, err);
}

/* ---- entries -------------------------------------------------------------- */

static void bind_or_null(struct stmt *s, int at, int64_t n)
{
    if (n)
        stmt_bind_int(s, at, n);
    else
        stmt_bind_null(s, at);
}

static quire_status insert_entry(struct catalog *c, struct trash_entry *e,
                                 quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TRASH_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, e->tenant);
    stmt_bind_text(s, 2, bytes_str(e->key));
    bind_or_null(s, 3, e->session);
    bind_or_null(s, 4, e->folder);
    stmt_bind_text(s, 5, bytes_str(e->name));
    stmt_bind_text(s, 6, bytes_str(e->title));
    stmt_bind_int(s, 7, e->removed_us);
    stmt_bind_int(s, 8, (int64_t)e->bytes);
    stmt_bind_int(s, 9, TRASH_GOING);
    return sql_take_number(s, &e->id, err);
}

quire_status trash_add(struct catalog *c, struct trash_entry *e, bool rows,
                       quire_error *err)
{
    struct session_row row = {.session = 0};
    quire_status st = rows ? session_row_ensure(c, e->tenant, e->key, &row, err)
                           : QUIRE_OK;

    if (st)
        return st;
    e->session = row.session;
    e->removed_us = clock_us(c->clock);
    e->state = TRASH_GOING;
    if (e->session) {
        st = session_keep_check(c, e->tenant, e->session, e->key, err);
        if (!st)
            st = folder_of_session(c, e->tenant, e->session, &e->folder, err);
    }
    if (!st)
        st = insert_entry(c, e, err);
    return st || !e->session ? st : hide_rows(c, e, err);
}

/* Read the entry again: another process may have changed it. */
static quire_status check_here(struct catalog *c, const struct trash_entry *e,
                               quire_error *err)
{
    struct stmt *s;
    enum trash_state state = TRASH_HERE;
    quire_status st = use(c, SQL_TRASH_BY_ID, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, e->id);
    stmt_bind_int(s, 2, e->tenant);
    st = sql_row(s, err);
    if (!st)
        state = (enum trash_state)stmt_column_int(s, 9);
    stmt_reset(s);
    if (st == QUIRE_NOT_FOUND)
        return err_fail(err, st, HINT_SHELL "`quire trash ls` lists the trash",
                        "session %.60s is in the trash no more", e->key);
    if (!st && state != TRASH_HERE)
        st = err_fail(err, QUIRE_BUSY, "try again when it has finished",
                      "session %.60s is being moved by another process",
                      e->key);
    return st;
}

/* Change the state of an entry that has this one; another process may have changed it
 * already. */
static quire_status set_state(struct catalog *c, const struct trash_entry *e,
                              enum trash_state from, enum trash_state to,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TRASH_STATE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, e->id);
    stmt_bind_int(s, 2, e->tenant);
    stmt_bind_int(s, 3, from);
    stmt_bind_int(s, 4, to);
    return sql_run(s, err);
}

static quire_status drop_entry(struct catalog *c, const struct trash_entry *e,
                               enum trash_state state, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TRASH_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, e->id);
    stmt_bind_int(s, 2, e->tenant);
    stmt_bind_int(s, 3, state);
    return sql_run(s, err);
}

quire_status trash_show(struct catalog *c, const struct trash_entry *e,
                        quire_error *err)
{
    struct session_row row;
    quire_status st = check_here(c, e, err);

    if (!st && e->session) {
        st = session_row_find(c, e->tenant, e->key, &row, err);
        if (!st)
            return err_fail(err, QUIRE_EXISTS,
                            HINT_SHELL "remove that one, or fork it and then "
                                       "remove it",
                            "there is a session %.60s again", e->key);
        st = st == QUIRE_NOT_FOUND ? show_rows(c, e, err) : st;
    }
    return st ? st : set_state(c, e, TRASH_HERE, TRASH_LEAVING, err);
}

/* Delete the rows; of the ledger of imports unless the session is there again. */
static quire_status purge_rows(struct catalog *c, const struct trash_entry *e,
                               quire_error *err)
{
    struct session_row row = {.tenant = e->tenant, .session = e->session},
                       other;
    quire_status st = e->session ? session_row_log(c, &row, err) : QUIRE_OK;

    if (!st && e->session)
        st = session_row_drop(c, &row, err);
    if (st && st != QUIRE_NOT_FOUND)
        return st;
    st = session_row_find(c, e->tenant, e->key, &other, err);
    return st == QUIRE_NOT_FOUND
               ? import_forget(c, e->tenant, e->key, e->removed_us, err)
               : st;
}

quire_status trash_purge(struct catalog *c, const struct trash_entry *e,
                         const char *dir, quire_error *err)
{
    const struct removal tree = {.name = dir, .size = REMOVAL_TREE};
    quire_status st = db_begin(c->db, DB_DURABLE, e->tenant, err);

    if (st)
        return st;
    st = check_here(c, e, err);
    if (!st)
        st = purge_rows(c, e, err);
    if (!st)
        st = drop_entry(c, e, TRASH_HERE, err);
    if (!st)
        st = removal_add(c, &tree, err);
    return sql_end(c->db, st, err);
}

quire_status trash_settle(struct catalog *c, const struct trash_entry *e,
                          quire_error *err)
{
    quire_status st = db_begin(c->db, DB_DURABLE, e->tenant, err);

    if (st)
        return st;
    st = e->state == TRASH_GOING ? set_state(c, e, TRASH_GOING, TRASH_HERE, err)
                                 : drop_entry(c, e, TRASH_LEAVING, err);
    return sql_end(c->db, st, err);
}
