/*
 * history.c - the prompt history
 *
 * The file may have been created by us, by oh-my-pi 13, or by oh-my-pi 18.
 *
 *     history(id, prompt, created_at, cwd)                   13: a prompt may
 *                                                            have many rows
 *     history(id, prompt UNIQUE, created_at, cwd, session_id)    18, and ours
 *     history_fts                             full text over `prompt`, filled
 *                                             by a trigger on insert
 *
 * Invariants:
 *
 *   (1) Existing tables stay: no table of a file that has any is created,
 *       altered or dropped, and no setting of it is touched.
 *   (2) Rows are inserted by plain SQL, so that the trigger of the file's
 *       creator maintains its index.
 *   (3) Rows are deleted by plain SQL, too, and the index is rebuilt from the
 *       table afterwards: the files of either program have no trigger for it.
 *   (4) The schema is read again whenever it has changed. A newer oh-my-pi
 *       that starts while we have the file open rebuilds it.
 *
 * The full-text table is for the other program: our own searches are in
 * api/history.c.
 */
#include "memory/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "memory/history_rows.h"
#include "memory/normalize.h"
#include "store/sql.h"

struct shape {
    bool any;     /* it has tables at all        */
    bool table;   /* a history table we can use */
    bool unique;  /* one row a prompt            */
    bool session; /* there is a column for it    */
    bool fts;     /* a full-text index */
    bool derived; /* which reads its text from the table */
};

struct history {
    struct history_rows *rows; /* owned; NULL: it is in a file, as follows */
    struct db *db;             /* owned */
    char *path;                /* owned */
    struct shape shape;
    int64_t version;      /* of the schema that `shape` describes */
    struct stmt *looking; /* reads the current version */
    struct stmt *last, *insert;
    bool insert_earlier;           /* `insert` is of an earlier one */
    struct buf text, cwd, session; /* of one prompt */
};

/* In the shape of oh-my-pi 18, including the version by which it recognizes
 * that a file needs no conversion. */
static const char new_tables[] =
    "CREATE TABLE history(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " prompt TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL"
    " DEFAULT (CAST(strftime('%s','now') AS INTEGER)), cwd TEXT,"
    " session_id TEXT);"
    "CREATE INDEX idx_history_created_at ON history(created_at DESC);"
    "CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history',"
    " content_rowid='id');"
    "CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN"
    " INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);"
    " END;"
    "PRAGMA user_version=1";

/* ---- schema ------------------------------------------------------------- */

static void drop_statement(struct stmt **s)
{
    if (*s)
        (*s)->ops->finalize(*s);
    *s = NULL;
}

static quire_status prepare_one(struct history *h, struct stmt **s,
                                const char *sql, quire_error *err)
{
    return *s ? QUIRE_OK : db_prepare(h->db, sql, s, err);
}

static quire_status read_shape(struct history *h, quire_error *err)
{
    static const char sql[] =
        "SELECT (SELECT count(*) FROM sqlite_schema),"
        " (SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
        "   AND name = 'history' AND sql LIKE 'CREATE TABLE%'),"
        " (SELECT count(*) FROM pragma_table_info('history')"
        "   WHERE name IN ('id', 'prompt', 'created_at', 'cwd')),"
        " (SELECT count(*) FROM pragma_index_list('history') AS l"
        "   WHERE l.\"unique\" AND NOT l.partial AND 'prompt' ="
        "   (SELECT group_concat(name) FROM pragma_index_info(l.name))),"
        " (SELECT count(*) FROM pragma_table_info('history')"
        "   WHERE name = 'session_id'),"
        " (SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
        "   AND name = 'history_fts' AND sql LIKE 'CREATE VIRTUAL%fts5%'),"
        " (SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
        "   AND name = 'history_fts' AND sql LIKE '%content=%history%')";
    struct stmt *s = NULL;
    quire_status st = prepare_one(h, &s, sql, err);
    bool row = false;

    if (st)
        return st;
    st = stmt_step(s, &row, err);
    if (!st && row)
        h->shape = (struct shape){
            .any = stmt_column_int(s, 0) > 0,
            .table = stmt_column_int(s, 1) == 1 && stmt_column_int(s, 2) == 4,
            .unique = stmt_column_int(s, 3) > 0,
            .session = stmt_column_int(s, 4) > 0,
            .fts = stmt_column_int(s, 5) > 0,
            .derived = stmt_column_int(s, 6) > 0,
        };
    drop_statement(&s);
    return st;
}

/* Read the shape, inside a transaction. Almost free while the schema is
 * unchanged. */
static quire_status load_shape(struct history *h, quire_error *err)
{
    quire_status st = prepare_one(h, &h->looking, "PRAGMA schema_version", err);
    int64_t version = -1;
    bool row = false;

    if (st)
        return st;
    st = stmt_step(h->looking, &row, err);
    if (!st && row)
        version = stmt_column_int(h->looking, 0);
    stmt_reset(h->looking);
    if (st || version == h->version)
        return st;
    drop_statement(&h->last);
    drop_statement(&h->insert);
    h->version = -1;
    st = read_shape(h, err);
    if (!st)
        h->version = version;
    return st;
}

static quire_status fail_not_history(const struct history *h, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_DAMAGED,
                               "move it away, and a new one will be created",
                               "%s is a database without a prompt history",
                               h->path);
    return st;
}

bool history_is_damaged(const struct history *h)
{
    return h && !h->rows && db_is_damaged(h->db);
}

static quire_status make_tables(struct history *h, quire_error *err)
{
    struct db *db = h->db;
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);

    if (st)
        return st;
    /* Again, with the write lock: two processes may have seen the same need. */
    st = load_shape(h, err);
    if (!st && !h->shape.any)
        st = db_exec(db, new_tables, err);
    return sql_end(db, st, err);
}

quire_status history_open(struct db *db, const char *path, bool read_only,
                          struct history **out, quire_error *err)
{
    struct history *h = calloc(1, sizeof *h);
    quire_status st;

    if (!h)
        return err_memory(err);
    *h = (struct history){
        .db = db,
        .path = strdup(path),
        .version = -1,
        .text = BUF_INIT(HISTORY_PROMPT_MAX),
        .cwd = BUF_INIT(1 << 20),
        .session = BUF_INIT(1 << 20),
    };
    st = h->path ? load_shape(h, err) : err_memory(err);
    if (!st && !h->shape.any && !read_only)
        st = make_tables(h, err);
    if (st) {
        h->db = NULL;
        history_close(h);
    } else {
        *out = h;
    }
    return st;
}

quire_status history_open_shared(struct db *db, int64_t tenant, bool read_only,
                                 struct history **out, quire_error *err)
{
    struct history *h = calloc(1, sizeof *h);
    quire_status st;

    if (!h)
        return err_memory(err);
    h->text = (struct buf)BUF_INIT(HISTORY_PROMPT_MAX);
    st = history_rows_open(db, tenant, read_only, &h->rows, err);
    if (st)
        free(h);
    else
        *out = h;
    return st;
}

void history_close(struct history *h)
{
    if (!h)
        return;
    history_rows_close(h->rows);
    drop_statement(&h->looking);
    drop_statement(&h->last);
    drop_statement(&h->insert);
    buf_release(&h->text);
    buf_release(&h->cwd);
    buf_release(&h->session);
    if (h->db)
        db_close(h->db);
    free(h->path);
    free(h);
}

/* ---- adding ------------------------------------------------------------- */

/* Where a prompt may have several rows: the last one, if it has the same text.
 */
static quire_status find_last(struct history *h, int64_t *id, quire_error *err)
{
    bool row = false;
    quire_status st =
        prepare_one(h, &h->last,
                    "SELECT id, prompt FROM history ORDER BY id DESC LIMIT 1",
                    err);

    if (st)
        return st;
    st = stmt_step(h->last, &row, err);
    if (!st && row &&
        bytes_equal(stmt_column_bytes(h->last, 1), buf_bytes(&h->text)))
        *id = stmt_column_int(h->last, 0);
    stmt_reset(h->last);
    return st;
}

/* The same: the row of this text and time. */
static quire_status find_same(struct history *h, int64_t at_s, int64_t *id,
                              quire_error *err)
{
    struct stmt *s = NULL;
    bool row = false;
    quire_status st = prepare_one(h, &s,
                                  "SELECT id FROM history WHERE prompt = ?1"
                                  " AND created_at = ?2 LIMIT 1",
                                  err);

    if (st)
        return st;
    stmt_bind_text(s, 1, buf_bytes(&h->text));
    stmt_bind_int(s, 2, at_s);
    st = stmt_step(s, &row, err);
    if (!st && row)
        *id = stmt_column_int(s, 0);
    drop_statement(&s);
    return st;
}

static quire_status prepare_insert(struct history *h, bool earlier,
                                   quire_error *err)
{
    bool session = h->shape.session;
    struct buf sql = BUF_INIT(1024);
    quire_status st = QUIRE_OK;

    if (h->insert && h->insert_earlier == earlier)
        return QUIRE_OK;
    drop_statement(&h->insert);
    h->insert_earlier = earlier;
    buf_addf(&sql,
             "INSERT INTO history(prompt, created_at, cwd%s)"
             " VALUES(?1, ?2, ?3%s)",
             session ? ", session_id" : "", session ? ", ?4" : "");
    if (h->shape.unique)
        buf_addf(&sql,
                 " ON CONFLICT(prompt) DO UPDATE SET"
                 " created_at = excluded.created_at, cwd = excluded.cwd%s",
                 session ? ", session_id = excluded.session_id" : "");
    if (h->shape.unique && earlier)
        buf_add_str(&sql, " WHERE excluded.created_at > history.created_at");
    buf_add_str(&sql, " RETURNING id");
    st = buf_text(&sql) ? prepare_one(h, &h->insert, buf_text(&sql), err)
                        : err_memory(err);
    buf_release(&sql);
    return st;
}

static void bind_or_null(struct stmt *s, int at, const char *text)
{
    if (text)
        stmt_bind_text(s, at, bytes_str(text));
    else
        stmt_bind_null(s, at);
}

static quire_status insert_prompt(struct history *h,
                                  const struct history_new *prompt, int64_t *id,
                                  quire_error *err)
{
    quire_status st = prepare_insert(h, prompt->earlier, err);
    struct stmt *s = h->insert;
    bool row = false;

    if (st)
        return st;
    stmt_bind_text(s, 1, buf_bytes(&h->text));
    stmt_bind_int(s, 2, prompt->at_s);
    bind_or_null(s, 3, prompt->cwd);
    if (h->shape.session)
        bind_or_null(s, 4, prompt->session);
    st = stmt_step(s, &row, err);
    if (!st && row)
        *id = stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

quire_status history_add(struct history *h, const struct history_new *prompt,
                         int64_t *id, quire_error *err)
{
    struct db *db = h->db;
    quire_status st;

    *id = 0;
    buf_clear(&h->text);
    if (prompt->prompt.len <= HISTORY_PROMPT_MAX)
        normalize_stored(&h->text, prompt->prompt);
    if (prompt->prompt.len > HISTORY_PROMPT_MAX) {
        st = err_fail(err, QUIRE_INVALID, "keep it as an artifact or a blob",
                      "the prompt is larger than 16 MiB");
        return st;
    }
    if (h->text.failed)
        return err_memory(err);
    if (h->text.len == 0)
        return QUIRE_OK;
    if (h->rows)
        return history_rows_add(h->rows, prompt, buf_bytes(&h->text), id, err);
    st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    if (st)
        return st;
    st = load_shape(h, err);
    if (!st && !h->shape.table)
        st = fail_not_history(h, err);
    if (!st && !h->shape.unique)
        st = prompt->earlier ? find_same(h, prompt->at_s, id, err)
                             : find_last(h, id, err);
    if (!st && *id == 0)
        st = insert_prompt(h, prompt, id, err);
    return sql_end(db, st, err);
}

/* ---- removing ----------------------------------------------------------- */

static quire_status delete_row(struct stmt *s, int64_t id, quire_error *err)
{
    bool row = false;
    quire_status st;

    stmt_bind_int(s, 1, id);
    st = stmt_step(s, &row, err);
    stmt_reset(s);
    if (!st && !row)
        st = err_fail(err, QUIRE_NOT_FOUND,
                      HINT_SHELL "`quire history ls --json` lists the ids",
                      "no prompt %lld in the history", (long long)id);
    return st;
}

static quire_status delete_rows(struct history *h, const int64_t *ids, size_t n,
                                quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st =
        prepare_one(h, &s, "DELETE FROM history WHERE id = ?1 RETURNING id",
                    err);
    size_t i;

    for (i = 0; i < n && !st; i++)
        st = delete_row(s, ids[i], err);
    drop_statement(&s);
    return st;
}

quire_status history_remove(struct history *h, const int64_t *ids, size_t n,
                            quire_error *err)
{
    quire_status st;

    if (h->rows)
        return history_rows_remove(h->rows, ids, n, err);
    /* Of this connection: free pages are overwritten. */
    st = db_exec(h->db, "PRAGMA secure_delete=ON", err);
    if (!st)
        st = db_begin(h->db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (st)
        return st;
    st = load_shape(h, err);
    if (!st && h->shape.any && !h->shape.table)
        st = fail_not_history(h, err);
    if (!st)
        st = delete_rows(h, ids, n, err);
    if (!st && h->shape.fts && h->shape.derived)
        st = db_exec(h->db,
                     "INSERT INTO history_fts(history_fts) VALUES('rebuild')",
                     err);
    return sql_end(h->db, st, err);
}

/* ---- listing ------------------------------------------------------------ */

static quire_status prepare_rows(struct history *h, struct stmt **rows,
                                 quire_error *err)
{
    struct buf sql = BUF_INIT(1024);
    quire_status st;

    buf_addf(&sql,
             "SELECT id, prompt, created_at, cwd, %s FROM history"
             " WHERE (?1 IS NULL OR cwd = ?1) AND created_at >= ?2"
             " ORDER BY created_at DESC, id DESC",
             h->shape.session ? "session_id" : "NULL");
    st = buf_text(&sql) ? prepare_one(h, rows, buf_text(&sql), err)
                        : err_memory(err);
    buf_release(&sql);
    return st;
}

static const char *text_or_null(struct stmt *s, int at, struct buf *keep)
{
    quire_bytes value = stmt_column_bytes(s, at);

    buf_clear(keep);
    buf_add(keep, value.data, value.len);
    return stmt_column_null(s, at) ? NULL : buf_text(keep);
}

static quire_status emit_row(struct history *h, struct stmt *s,
                             quire_prompt_fn each, void *ctx, quire_error *err)
{
    quire_prompt p = {
        .id = stmt_column_int(s, 0),
        .created_at_s = stmt_column_int(s, 2),
        .cwd = text_or_null(s, 3, &h->cwd),
        .session = text_or_null(s, 4, &h->session),
        .prompt = stmt_column_bytes(s, 1),
    };

    if (h->cwd.failed || h->session.failed)
        return err_memory(err);
    return each(ctx, &p, err);
}

static quire_status emit_rows(struct history *h,
                              const struct history_find *find, uint64_t limit,
                              quire_prompt_fn each, void *ctx, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = prepare_rows(h, &s, err);
    bool row = true;

    if (st)
        return st;
    bind_or_null(s, 1, find->cwd);
    stmt_bind_int(s, 2, find->since_s ? find->since_s : INT64_MIN);
    for (; limit > 0 && !st; limit--) {
        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        st = emit_row(h, s, each, ctx, err);
    }
    drop_statement(&s);
    return st;
}

quire_status history_find(struct history *h, const struct history_find *find,
                          quire_prompt_fn each, void *ctx, quire_error *err)
{
    uint64_t limit = find->limit ? find->limit : HISTORY_LIMIT;
    quire_status st;

    if (!h)
        return QUIRE_OK;
    if (limit > HISTORY_LIMIT_MAX && limit != UINT64_MAX)
        limit = HISTORY_LIMIT_MAX;
    if (h->rows)
        return history_rows_find(h->rows, find, limit, each, ctx, err);
    st = db_begin(h->db, DB_LOOK, DB_ALL_TENANTS, err);
    if (!st)
        st = load_shape(h, err);
    if (!st && h->shape.any && !h->shape.table)
        st = fail_not_history(h, err);
    if (!st && h->shape.table)
        st = emit_rows(h, find, limit, each, ctx, err);
    db_rollback(h->db);
    return st;
}

/* ---- one prompt, and the state of all ------------------------------------------ */

static quire_status get_row(struct history *h, int64_t id, quire_prompt_fn each,
                            void *ctx, quire_error *err)
{
    struct buf sql = BUF_INIT(1024);
    struct stmt *s = NULL;
    bool row = false;
    quire_status st;

    buf_addf(
        &sql,
        "SELECT id, prompt, created_at, cwd, %s FROM history WHERE id = ?1",
        h->shape.session ? "session_id" : "NULL");
    st = buf_text(&sql) ? prepare_one(h, &s, buf_text(&sql), err)
                        : err_memory(err);
    if (!st) {
        stmt_bind_int(s, 1, id);
        st = stmt_step(s, &row, err);
    }
    if (!st)
        st = row ? emit_row(h, s, each, ctx, err) : QUIRE_NOT_FOUND;
    drop_statement(&s);
    buf_release(&sql);
    return st;
}

quire_status history_get(struct history *h, int64_t id, quire_prompt_fn each,
                         void *ctx, quire_error *err)
{
    quire_status st;

    if (h->rows)
        return history_rows_get(h->rows, id, each, ctx, err);
    st = db_begin(h->db, DB_LOOK, DB_ALL_TENANTS, err);
    if (!st)
        st = load_shape(h, err);
    if (!st)
        st = h->shape.table ? get_row(h, id, each, ctx, err) : QUIRE_NOT_FOUND;
    db_rollback(h->db);
    return st;
}

static quire_status read_state(struct history *h, struct history_state *state,
                               quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st =
        prepare_one(h, &s,
                    "SELECT count(*), coalesce(max(created_at), 0),"
                    " coalesce(max(id), 0) FROM history",
                    err);

    if (!st)
        st = sql_row(s, err);
    if (!st)
        *state = (struct history_state){.n = stmt_column_int(s, 0),
                                        .newest_s = stmt_column_int(s, 1),
                                        .last_id = stmt_column_int(s, 2)};
    drop_statement(&s);
    return st;
}

quire_status history_state(struct history *h, struct history_state *state,
                           quire_error *err)
{
    quire_status st;

    if (h->rows)
        return history_rows_state(h->rows, state, err);
    st = db_begin(h->db, DB_LOOK, DB_ALL_TENANTS, err);
    *state = (struct history_state){.n = 0};
    if (!st)
        st = load_shape(h, err);
    if (!st && h->shape.table)
        st = read_state(h, state, err);
    db_rollback(h->db);
    return st;
}
