/* sql.c - prepared statement cache */
#include "store/sql.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

quire_status sql_init(struct sql *s, struct db *db, const char *const *texts,
                      size_t n, quire_error *err)
{
    *s = (struct sql){.db = db, .texts = texts, .n = n};
    s->stmts = calloc(n, sizeof(struct stmt *));
    return s->stmts ? QUIRE_OK : err_memory(err);
}

static char *expand_pattern(const char *pattern, const char *name)
{
    struct buf text = BUF_INIT(64 * 1024);
    char *filled;

    for (; *pattern; pattern++) {
        if (pattern[0] == '%' && pattern[1] == 's') {
            buf_add_str(&text, name);
            pattern++;
        } else {
            buf_add_char(&text, *pattern);
        }
    }
    filled = buf_text(&text);
    if (!filled)
        buf_release(&text);
    return filled;
}

quire_status sql_init_named(struct sql *s, struct db *db,
                            const char *const *patterns, size_t n,
                            const char *name, quire_error *err)
{
    char **made = calloc(n, sizeof *made);
    bool whole = made != NULL;
    quire_status st;
    size_t i;

    for (i = 0; i < n && whole; i++) {
        made[i] = expand_pattern(patterns[i], name);
        whole = made[i] != NULL;
    }
    st = sql_init(s, db, (const char *const *)made, n, err);
    s->made = made;
    if (st || !whole) {
        sql_release(s);
        return err_memory(err);
    }
    return QUIRE_OK;
}

void sql_release(struct sql *s)
{
    size_t i;

    for (i = 0; s->stmts && i < s->n; i++) {
        if (s->stmts[i])
            s->stmts[i]->ops->finalize(s->stmts[i]);
    }
    for (i = 0; s->made && i < s->n; i++)
        free(s->made[i]);
    free(s->made);
    free(s->stmts);
    s->made = NULL;
    s->stmts = NULL;
}

quire_status sql_use(struct sql *s, int which, struct stmt **out,
                     quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (!s->stmts[which])
        st = db_prepare(s->db, s->texts[which], &s->stmts[which], err);
    if (!st)
        s->stmts[which]->ops->reset(s->stmts[which]);
    *out = st ? NULL : s->stmts[which];
    return st;
}

void sql_reset(struct sql *s, int which)
{
    if (s->stmts[which])
        s->stmts[which]->ops->reset(s->stmts[which]);
}

quire_status sql_row(struct stmt *s, quire_error *err)
{
    bool row = false;
    quire_status st = stmt_step(s, &row, err);

    return st ? st : row ? QUIRE_OK : QUIRE_NOT_FOUND;
}

quire_status sql_run(struct stmt *s, quire_error *err)
{
    bool row;
    quire_status st = stmt_step(s, &row, err);

    stmt_reset(s);
    return st;
}

quire_status sql_end(struct db *db, quire_status st, quire_error *err)
{
    if (!st)
        return db_commit(db, err);
    db_rollback(db);
    return st;
}

quire_status sql_commit(struct db *db, enum db_begin mode, int64_t scope,
                        struct stmt *s, quire_error *err)
{
    quire_status st = db_begin(db, mode, scope, err);

    if (st)
        return st;
    return sql_end(db, stmt_post(s, err), err);
}

quire_status sql_take_number(struct stmt *s, int64_t *out, quire_error *err)
{
    quire_status st = sql_row(s, err);

    *out = st ? 0 : stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

quire_status sql_number(struct db *db, const char *text, int64_t *out,
                        quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(db, text, &s, err);

    *out = 0;
    if (st)
        return st;
    st = sql_take_number(s, out, err);
    stmt_finalize(s);
    return st;
}

void sql_copy_text(struct stmt *s, int column, char *out, size_t cap)
{
    quire_bytes text = stmt_column_bytes(s, column);
    size_t len = text.len < cap ? text.len : cap - 1;

    if (len)
        memcpy(out, text.data, len);
    out[len] = '\0';
}

bool sql_digest(struct stmt *s, int column, quire_digest *out)
{
    quire_bytes name = stmt_column_bytes(s, column);

    if (name.len != sizeof out->byte)
        return false;
    memcpy(out->byte, name.data, sizeof out->byte);
    return true;
}

quire_status sql_digests(struct stmt *s, sql_digest_fn each, void *ctx,
                         quire_error *err)
{
    quire_status st = QUIRE_OK;
    quire_digest d;
    bool row = true;

    while (!st && row) {
        st = stmt_step(s, &row, err);
        if (!st && row && sql_digest(s, 0, &d))
            st = each(ctx, &d, err);
    }
    stmt_reset(s);
    return st;
}
