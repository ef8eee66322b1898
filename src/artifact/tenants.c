/*
 * tenants.c - who there is
 *
 * Of a token its SHA-256 is kept, and it is looked up by that. Whoever reads
 * the database cannot act for anybody then. Nor does it matter how long the
 * comparison of two hashes takes: to learn from it one would have to choose
 * the hash, and a token with a chosen hash is what nobody can make. A slow hash
 * as for passwords would add nothing: a token has 256 random bits, and there is
 * nothing to guess.
 */
#include "artifact/priv.h"
#include "base/bytes.h"
#include "base/err.h"

static quire_status read_row(struct stmt *s, struct arena *keep,
                             quire_tenant *out, quire_error *err)
{
    *out = (quire_tenant){
        .id = stmt_column_int(s, 0),
        .name = arena_text(keep, stmt_column_bytes(s, 1)),
        .disabled = stmt_column_int(s, 2) != 0,
        .has_token = stmt_column_int(s, 3) != 0,
        .created_us = stmt_column_int(s, 4),
        .used = (uint64_t)stmt_column_int(s, 5),
        .artifacts = (uint64_t)stmt_column_int(s, 6),
    };
    return out->name ? QUIRE_OK : err_memory(err);
}

/* The first row of a statement that is bound. */
static quire_status read_one(struct stmt *s, struct arena *keep,
                             quire_tenant *out, quire_error *err)
{
    quire_status st = sql_row(s, err);

    if (!st)
        st = read_row(s, keep, out, err);
    stmt_reset(s);
    return st;
}

quire_status tenant_by_id(struct artifacts *a, int64_t id, struct arena *keep,
                          quire_tenant *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_TENANT_BY_ID, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    return read_one(s, keep, out, err);
}

quire_status tenant_by_token(struct artifacts *a, const quire_digest *token,
                             struct arena *keep, quire_tenant *out,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_TENANT_BY_TOKEN, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_of(token->byte, sizeof token->byte));
    return read_one(s, keep, out, err);
}

quire_status tenant_by_name(struct artifacts *a, const char *name,
                            struct arena *keep, quire_tenant *out,
                            int64_t *another, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_TENANT_BY_NAME, &s, err);

    *another = 0;
    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    st = sql_row(s, err);
    if (!st)
        st = read_row(s, keep, out, err);
    if (!st) {
        st = sql_row(s, err);
        if (!st)
            *another = stmt_column_int(s, 0);
        else if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    stmt_reset(s);
    return st;
}

quire_status tenant_list(struct artifacts *a, quire_tenant_fn each, void *ctx,
                         quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_TENANTS, &s, err);
    quire_status said = QUIRE_OK; /* whatever it is, it is passed on */

    if (st)
        return st;
    while (!st && !said && !(st = sql_row(s, err))) {
        quire_tenant one;

        arena_reset(&tmp);
        st = read_row(s, &tmp, &one, err);
        if (!st)
            said = each(ctx, &one, err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return said ? said : st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- changes ------------------------------------------------------------ */

quire_status tenant_add(struct artifacts *a, const char *name,
                        const quire_digest *token, int64_t *id,
                        quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_TENANT_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    stmt_bind_bytes(s, 2, bytes_of(token->byte, sizeof token->byte));
    stmt_bind_int(s, 3, clock_us(a->c.clock));
    st = sql_run(s, err);
    *id = db_last_id(a->c.db);
    return st;
}

quire_status tenant_set_token(struct artifacts *a, int64_t id,
                              const quire_digest *token, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_TENANT_TOKEN, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_bytes(s, 2, bytes_of(token->byte, sizeof token->byte));
    return sql_run(s, err);
}

quire_status tenant_set_disabled(struct artifacts *a, int64_t id, bool disabled,
                                 quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_TENANT_DISABLE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_int(s, 2, disabled);
    return sql_run(s, err);
}

/* ---- the end ------------------------------------------------------------ */

quire_status tenant_count(struct artifacts *a, int64_t id, uint64_t *n,
                          uint64_t *bytes, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_TENANT_HOLDS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    st = sql_row(s, err);
    if (!st) {
        *n = (uint64_t)stmt_column_int(s, 0);
        *bytes = (uint64_t)stmt_column_int(s, 1);
    }
    stmt_reset(s);
    return st;
}

quire_status tenant_drop(struct artifacts *a, int64_t id, const char *dir,
                         quire_error *err)
{
    struct removal tree = {.name = dir, .size = REMOVAL_TREE};
    struct stmt *s = NULL;
    quire_status st = artifact_fulltext_drop_tenant(a, id, err);

    if (!st)
        st = sql_use(&a->sql, SQL_TENANT_DROP, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, id);
        st = sql_run(s, err);
    }
    return st ? st : owner_note(a, &tree, err);
}
