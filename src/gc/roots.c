/* roots.c - see roots.h */
#include "gc/roots.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/sql.h"

/* One statement, used once. */
static quire_status prepare_once(struct db *db, const char *text,
                                 const char *path, struct stmt **out,
                                 quire_error *err)
{
    quire_status st = db_prepare(db, text, out, err);

    if (!st && path)
        (*out)->ops->bind_text(*out, 1, bytes_str(path));
    return st;
}

static quire_status add_path(struct roots *r, size_t *cap, struct stmt *s,
                             struct arena *keep, quire_error *err)
{
    struct root *list;

    if (r->n == *cap) {
        *cap = *cap ? *cap * 2 : 8;
        list = arena_array(keep, *cap, sizeof *list);
        if (!list)
            return err_memory(err);
        if (r->n)
            memcpy(list, r->list, r->n * sizeof *list);
        r->list = list;
    }
    list = &r->list[r->n++];
    list->path = arena_text(keep, stmt_column_bytes(s, 0));
    list->is_dir = stmt_column_int(s, 1) != 0;
    return list->path ? QUIRE_OK : err_memory(err);
}

quire_status roots_load(struct db *db, struct arena *keep, struct roots *out,
                        quire_error *err)
{
    size_t cap = 0;
    bool row = true;
    quire_status st;
    struct stmt *s;

    *out = (struct roots){NULL, 0};
    if (!db)
        return QUIRE_OK;
    st = prepare_once(db, "SELECT path, is_dir FROM root ORDER BY path", NULL,
                      &s, err);
    if (st)
        return st;
    while (!st && row) {
        st = stmt_step(s, &row, err);
        if (!st && row)
            st = add_path(out, &cap, s, keep, err);
    }
    stmt_finalize(s);
    return st;
}

static quire_status change_root(struct db *db, const char *text,
                                const struct root *root, int64_t now_s,
                                quire_error *err)
{
    struct stmt *s;
    quire_status st = prepare_once(db, text, root->path, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 2, root->is_dir);
    stmt_bind_int(s, 3, now_s);
    st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (!st) {
        st = sql_run(s, err);
        if (!st && db_changes(db) == 0)
            st = QUIRE_NOT_FOUND;
        st = sql_end(db, st, err);
    }
    stmt_finalize(s);
    return st;
}

quire_status roots_add(struct db *db, const struct root *root, int64_t now_s,
                       quire_error *err)
{
    quire_status st;

    st =
        change_root(db,
                    "INSERT INTO root(path, is_dir, created) VALUES(?1, ?2, ?3)"
                    " ON CONFLICT DO NOTHING",
                    root, now_s, err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status roots_drop(struct db *db, const char *path, quire_error *err)
{
    struct root root = {.path = path};

    return change_root(db, "DELETE FROM root WHERE path = ?1 AND ?2 + ?3 = 0",
                       &root, 0, err);
}

/* '0' comes after '/'. */
quire_status roots_had_files(struct db *db, const struct root *root, bool *had,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *had = false;
    if (!db)
        return QUIRE_OK;
    st = prepare_once(db,
                      "SELECT 1 FROM source WHERE label >= ?1 || '/'"
                      " AND label < ?1 || '0' LIMIT 1",
                      root->path, &s, err);
    if (st)
        return st;
    st = stmt_step(s, had, err);
    stmt_finalize(s);
    return st;
}
