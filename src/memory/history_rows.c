/* history_rows.c - see history_rows.h */
#include "memory/history_rows.h"

#include <stdlib.h>

#include <nettle/sha2.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "store/sql.h"
#include "store/sqlite_ddl.h"

/* Text is bytes: it may hold what a text column refuses. */
static const char table[] =
    "CREATE TABLE prompt("
    " id " DDL_SERIAL_KEY ","
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " digest BLOB NOT NULL,"
    " prompt BLOB NOT NULL,"
    " created INTEGER NOT NULL," /* Unix seconds */
    " cwd BLOB,"
    " session TEXT,"
    " UNIQUE(tenant, digest));"
    "CREATE INDEX prompt_created ON prompt(tenant, created, id);";

enum { ADD, ADD_EARLIER, REMOVE, FIND, FIND_OF_CWD, GET, STATE, N_SQL };

#define ADD_PROMPT                                                          \
    "INSERT INTO prompt(tenant, digest, prompt, created, cwd, session)"     \
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(tenant, digest) DO UPDATE" \
    " SET created = excluded.created, cwd = excluded.cwd, session ="        \
    " excluded.session"
#define PROMPT \
    "SELECT id, prompt, created, cwd, session FROM prompt WHERE tenant = ?1"

static const char *const texts[N_SQL] = {
    [ADD] = ADD_PROMPT " RETURNING id",
    [ADD_EARLIER] = ADD_PROMPT " WHERE excluded.created > prompt.created"
                               " RETURNING id",
    [REMOVE] = "DELETE FROM prompt WHERE tenant = ?1 AND id = ?2 RETURNING id",
    [FIND] = PROMPT
    " AND created >= ?2 ORDER BY created DESC, id DESC LIMIT ?3",
    [FIND_OF_CWD] = PROMPT " AND created >= ?2 AND cwd = ?4"
                           " ORDER BY created DESC, id DESC LIMIT ?3",
    [GET] = PROMPT " AND id = ?2",
    [STATE] = "SELECT count(*), coalesce(max(created), 0), coalesce(max(id), 0)"
              " FROM prompt WHERE tenant = ?1",
};

struct history_rows {
    struct db *db; /* owned */
    struct sql sql;
    int64_t tenant;
    bool absent; /* a reader found no table */
};

/* ---- life --------------------------------------------------------------- */

static quire_status make_table(struct db *db, quire_error *err)
{
    bool has = false;
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (st)
        return st;
    /* Another process may have been first. */
    st = db_has_table(db, "prompt", &has, err);
    if (!st && !has)
        st = db_exec(db, table, err);
    return sql_end(db, st, err);
}

quire_status history_rows_open(struct db *db, int64_t tenant, bool read_only,
                               struct history_rows **out, quire_error *err)
{
    struct history_rows *h = calloc(1, sizeof *h);
    bool has = false;
    quire_status st;

    *out = NULL;
    if (!h)
        return err_memory(err);
    h->db = db;
    h->tenant = tenant;
    st = db_has_table(db, "prompt", &has, err);
    h->absent = !has && read_only;
    if (!st && !has && !read_only)
        st = make_table(db, err);
    if (!st)
        st = sql_init(&h->sql, db, texts, N_SQL, err);
    if (st)
        free(h);
    else
        *out = h;
    return st;
}

void history_rows_close(struct history_rows *h)
{
    if (!h)
        return;
    sql_release(&h->sql);
    db_close(h->db);
    free(h);
}

/* ---- changing ------------------------------------------------------------- */

static void bind_or_null(struct stmt *s, int at, const char *text, bool bytes)
{
    if (!text)
        stmt_bind_null(s, at);
    else if (bytes)
        stmt_bind_bytes(s, at, bytes_str(text));
    else
        stmt_bind_text(s, at, bytes_str(text));
}

quire_status history_rows_add(struct history_rows *h,
                              const struct history_new *prompt,
                              quire_bytes text, int64_t *id, quire_error *err)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx hash;
    struct stmt *s = NULL;
    quire_status st = sql_use(&h->sql, prompt->earlier ? ADD_EARLIER : ADD, &s,
                              err);

    if (st)
        return st;
    sha256_init(&hash);
    sha256_update(&hash, text.len, text.data);
    sha256_digest(&hash, sizeof digest, digest);
    stmt_bind_int(s, 1, h->tenant);
    stmt_bind_bytes(s, 2, bytes_of(digest, sizeof digest));
    stmt_bind_bytes(s, 3, text);
    stmt_bind_int(s, 4, prompt->at_s);
    bind_or_null(s, 5, prompt->cwd, true);
    bind_or_null(s, 6, prompt->session, false);
    st = sql_take_number(s, id, err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st; /* a later one stays */
}

static quire_status remove_one(struct history_rows *h, int64_t id,
                               quire_error *err)
{
    struct stmt *s = NULL;
    int64_t got;
    quire_status st = sql_use(&h->sql, REMOVE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, h->tenant);
    stmt_bind_int(s, 2, id);
    st = sql_take_number(s, &got, err);
    if (st == QUIRE_NOT_FOUND)
        err_fail(err, st, HINT_SHELL "`quire history ls --json` lists the ids",
                 "no prompt %lld in the history", (long long)id);
    return st;
}

quire_status history_rows_remove(struct history_rows *h, const int64_t *ids,
                                 size_t n, quire_error *err)
{
    quire_status st = db_begin(h->db, DB_DURABLE, DB_NO_TENANT, err);
    size_t i;

    if (st)
        return st;
    for (i = 0; i < n && !st; i++)
        st = remove_one(h, ids[i], err);
    return sql_end(h->db, st, err);
}

/* ---- reading ---------------------------------------------------------------- */

static quire_status emit(struct stmt *s, struct arena *tmp,
                         quire_prompt_fn each, void *ctx, quire_error *err)
{
    quire_prompt p = {.id = stmt_column_int(s, 0),
                      .prompt = stmt_column_bytes(s, 1),
                      .created_at_s = stmt_column_int(s, 2)};
    char *cwd = NULL, *session = NULL;

    arena_reset(tmp);
    if (!stmt_column_null(s, 3))
        p.cwd = cwd = arena_text(tmp, stmt_column_bytes(s, 3));
    if (!stmt_column_null(s, 4))
        p.session = session = arena_text(tmp, stmt_column_bytes(s, 4));
    if ((!stmt_column_null(s, 3) && !cwd) ||
        (!stmt_column_null(s, 4) && !session))
        return err_memory(err);
    return each(ctx, &p, err);
}

quire_status history_rows_find(struct history_rows *h,
                               const struct history_find *find, uint64_t limit,
                               quire_prompt_fn each, void *ctx,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s = NULL;
    bool row = false;
    quire_status st;

    if (h->absent)
        return QUIRE_OK;
    st = sql_use(&h->sql, find->cwd ? FIND_OF_CWD : FIND, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, h->tenant);
    stmt_bind_int(s, 2, find->since_s ? find->since_s : INT64_MIN);
    stmt_bind_int(s, 3, limit < INT64_MAX ? (int64_t)limit : INT64_MAX);
    if (find->cwd)
        stmt_bind_bytes(s, 4, bytes_str(find->cwd));
    while (!st && !(st = stmt_step(s, &row, err)) && row)
        st = emit(s, &tmp, each, ctx, err);
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

quire_status history_rows_get(struct history_rows *h, int64_t id,
                              quire_prompt_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s = NULL;
    quire_status st = h->absent ? QUIRE_NOT_FOUND
                                : sql_use(&h->sql, GET, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, h->tenant);
    stmt_bind_int(s, 2, id);
    st = sql_row(s, err);
    if (!st)
        st = emit(s, &tmp, each, ctx, err);
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

quire_status history_rows_state(struct history_rows *h,
                                struct history_state *state, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = QUIRE_OK;

    *state = (struct history_state){.n = 0};
    if (!h->absent)
        st = sql_use(&h->sql, STATE, &s, err);
    if (st || h->absent)
        return st;
    stmt_bind_int(s, 1, h->tenant);
    st = sql_row(s, err);
    if (!st)
        *state = (struct history_state){.n = stmt_column_int(s, 0),
                                        .newest_s = stmt_column_int(s, 1),
                                        .last_id = stmt_column_int(s, 2)};
    stmt_reset(s);
    return st;
}
