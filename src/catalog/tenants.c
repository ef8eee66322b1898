/*
 * tenants.c - tenants and their tokens
 *
 * Only the SHA-256 of a token is stored, and a token is looked up by it: reading
 * the database does not grant access. Comparing hashes need not take constant time:
 * an attacker cannot choose the hash of a token. A slow password hash would add
 * nothing: a token has 256 random bits.
 */
#include "catalog/priv.h"
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

/* The first row of a bound statement. */
static quire_status read_one(struct stmt *s, struct arena *keep,
                             quire_tenant *out, quire_error *err)
{
    quire_status st = sql_row(s, err);

    if (!st)
        st = read_row(s, keep, out, err);
    stmt_reset(s);
    return st;
}

quire_status tenant_by_id(struct catalog *c, int64_t id, struct arena *keep,
                          quire_tenant *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TENANT_BY_ID, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    return read_one(s, keep, out, err);
}

quire_status tenant_by_token(struct catalog *c, const quire_digest *token,
                             struct arena *keep, quire_tenant *out,
                             quire_error *err)
{
    bool has_more = catalog_has(c, SCHEMA_TOKENS);
    struct stmt *s;
    int64_t expires_us;
    quire_status st = use(c,
                          has_more ? SQL_TENANT_BY_TOKEN
                                   : SQL_TENANT_BY_TOKEN_BEFORE,
                          &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_of(token->byte, sizeof token->byte));
    st = sql_row(s, err);
    if (!st)
        st = read_row(s, keep, out, err);
    if (!st) {
        out->token_flags = (unsigned)stmt_column_int(s, 7);
        expires_us = stmt_column_int(s, 8);
        if (expires_us)
            out->token_flags |= QUIRE_TOKEN_EXPIRES;
        if (expires_us && expires_us <= clock_us(c->clock))
            st = QUIRE_NOT_FOUND;
    }
    stmt_reset(s);
    return st;
}

quire_status tenant_by_name(struct catalog *c, const char *name,
                            struct arena *keep, quire_tenant *out,
                            int64_t *another, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TENANT_BY_NAME, &s, err);

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

quire_status tenant_list(struct catalog *c, quire_tenant_fn each, void *ctx,
                         quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    quire_status st = use(c, SQL_TENANTS, &s, err);
    quire_status stop = QUIRE_OK; /* what `each` returned */

    if (st)
        return st;
    while (!st && !stop && !(st = sql_row(s, err))) {
        quire_tenant one;

        arena_reset(&tmp);
        st = read_row(s, &tmp, &one, err);
        if (!st)
            stop = each(ctx, &one, err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return stop ? stop : st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- changes ------------------------------------------------------------ */

quire_status tenant_add(struct catalog *c, const char *name,
                        const quire_digest *token, int64_t *id,
                        quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TENANT_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    stmt_bind_bytes(s, 2, bytes_of(token->byte, sizeof token->byte));
    stmt_bind_int(s, 3, clock_us(c->clock));
    return sql_take_number(s, id, err);
}

quire_status tenant_set_token(struct catalog *c, int64_t id,
                              const quire_digest *token, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TENANT_SET_TOKEN, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_bytes(s, 2, bytes_of(token->byte, sizeof token->byte));
    return sql_run(s, err);
}

quire_status tenant_set_disabled(struct catalog *c, int64_t id, bool disabled,
                                 quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TENANT_SET_DISABLED, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_int(s, 2, disabled);
    return sql_run(s, err);
}

quire_status tenant_artifacts(struct catalog *c, int64_t id, uint64_t *n,
                              uint64_t *bytes, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TENANT_ARTIFACTS, &s, err);

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

quire_status tenant_drop(struct catalog *c, int64_t id, const char *dir,
                         quire_error *err)
{
    struct removal tree = {.name = dir, .size = REMOVAL_TREE};
    struct stmt *s;
    quire_status st = use(c, SQL_TENANT_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    st = sql_run(s, err);
    return st ? st : removal_add(c, &tree, err);
}
