/* local.c - marks of what stays in this home, as quire/sync.h has them */
#include <string.h>

#include "api/sync/home.h"
#include "base/bytes.h"
#include "base/err.h"

static const char *const kinds[] = {
    [QUIRE_LOCAL_SESSION] = "session",
    [QUIRE_LOCAL_PROJECT] = "project",
    [QUIRE_LOCAL_FOLDER] = "folder",
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

static quire_status open_rows(struct quire *q, bool write, struct sql *sql,
                              quire_error *err)
{
    quire_status st = need_own_rows(q, write, err);

    *sql = (struct sql){.db = NULL};
    if (st)
        return st;
    return catalog_has(&q->catalog, SCHEMA_SYNC)
               ? sql_init(sql, q->catalog.db, moving_sql, N_MOVING_SQL, err)
               : QUIRE_NOT_FOUND;
}

/* The value that is stored: an id, an absolute path, a name. */
static quire_status spell(struct quire *q, quire_sync_local kind,
                          const char *value, struct arena *keep,
                          const char **out, quire_error *err)
{
    const char *id;
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (kind == QUIRE_LOCAL_SESSION) {
        st = quire_session_id(q, value, &id, err);
        if (!st)
            *out = arena_text(keep, bytes_str(id));
    } else if (kind == QUIRE_LOCAL_PROJECT) {
        *out = absolute_cwd(value, keep);
    } else {
        *out = arena_text(keep, bytes_str(value));
    }
    return st || *out ? st : err_memory(err);
}

quire_status quire_sync_set_local(quire *q, quire_sync_local kind,
                                  const char *value, int on, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct sql sql = {.db = NULL};
    struct stmt *s;
    const char *text;
    quire_status st = spell(q, kind, value, &tmp, &text, err);

    if (!st)
        st = open_rows(q, true, &sql, err);
    if (!st)
        st = sql_use(&sql, on ? MOVE_LOCAL_ADD : MOVE_LOCAL_DROP, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, q->tenant);
        stmt_bind_text(s, 2, bytes_str(kinds[kind]));
        stmt_bind_text(s, 3, bytes_str(text));
        st = sql_commit(q->catalog.db, DB_DURABLE, q->tenant, s, err);
    }
    if (sql.db)
        sql_release(&sql);
    arena_release(&tmp);
    return st;
}

quire_status quire_sync_locals(quire *q, quire_sync_local_fn each, void *ctx,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct sql sql;
    struct stmt *s;
    bool row = true;
    int kind;
    quire_status st = open_rows(q, false, &sql, err);

    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (!st)
        st = sql_use(&sql, MOVE_LOCALS, &s, err);
    if (!st)
        stmt_bind_int(s, 1, q->tenant);
    q->in_callback = !st;
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        const char *value;

        arena_reset(&tmp);
        value = arena_text(&tmp, stmt_column_bytes(s, 1));
        for (kind = 0; kind < N_KINDS; kind++)
            if (bytes_is(stmt_column_bytes(s, 0), kinds[kind]))
                break;
        if (!value)
            st = err_memory(err);
        else if (kind < N_KINDS)
            st = each(ctx, (quire_sync_local)kind, value, err);
    }
    q->in_callback = false;
    if (sql.db)
        sql_release(&sql);
    arena_release(&tmp);
    return st;
}
