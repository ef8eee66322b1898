/*
 * relation.c - relations between entries
 *
 * A relation leads from one entry to another and has a kind. Foreign keys
 * delete it with either end.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "memory/priv.h"

static const char *const kinds[N_KINDS] = {
    [QUIRE_RELATES_TO] = "relates_to",   [QUIRE_REFINES] = "refines",
    [QUIRE_CONTRADICTS] = "contradicts", [QUIRE_SUPERSEDES] = "supersedes",
    [QUIRE_SUPPORTS] = "supports",
};

const char *relation_kind_name(int kind)
{
    return kind >= 0 && kind < N_KINDS ? kinds[kind] : NULL;
}

int relation_kind_of(quire_bytes name)
{
    int i;

    for (i = 0; i < N_KINDS; i++) {
        if (bytes_is(name, kinds[i]))
            return i;
    }
    return -1;
}

/* ---- rows --------------------------------------------------------------- */

static quire_status read_row(struct stmt *s, quire_relation *out,
                             quire_error *err)
{
    int kind = relation_kind_of(stmt_column_bytes(s, 3));

    *out = (quire_relation){
        .id = stmt_column_int(s, 0),
        .source = stmt_column_int(s, 1),
        .target = stmt_column_int(s, 2),
        .kind = (quire_relation_kind)(kind < 0 ? 0 : kind),
        .created_us = stmt_column_int(s, 4),
    };
    if (kind >= 0)
        return QUIRE_OK;
    return err_fail(err, QUIRE_DAMAGED,
                    "another program has written to quire.db",
                    "relation #%lld has an unknown kind", (long long)out->id);
}

static quire_status find_relation(struct memories *m, int64_t tenant,
                                  const quire_relation *want,
                                  quire_relation *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_RELATION_FIND, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, want->source);
    stmt_bind_int(s, 2, want->target);
    stmt_bind_text(s, 3, bytes_str(kinds[want->kind]));
    stmt_bind_int(s, 4, tenant);
    st = sql_row(s, err);
    if (!st)
        st = read_row(s, out, err);
    stmt_reset(s);
    return st;
}

/* ---- add, remove -------------------------------------------------------- */

static quire_status insert_relation(struct memories *m, int64_t tenant,
                                    quire_relation *now, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_RELATION_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, now->source);
    stmt_bind_int(s, 3, now->target);
    stmt_bind_text(s, 4, bytes_str(kinds[now->kind]));
    stmt_bind_int(s, 5, now->created_us);
    return sql_take_number(s, &now->id, err);
}

quire_status relation_add(struct memories *m, int64_t tenant,
                          const quire_relation *want, quire_relation *out,
                          quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_memory end;
    quire_status st = memory_get(m, tenant, want->source, 0, &tmp, &end, err);

    if (!st)
        st = memory_get(m, tenant, want->target, 0, &tmp, &end, err);
    arena_release(&tmp);
    if (st)
        return st;
    st = find_relation(m, tenant, want, out, err);
    if (st != QUIRE_NOT_FOUND)
        return st ? st : QUIRE_EXISTS;
    *out = *want;
    out->created_us = clock_us(m->clock);
    return insert_relation(m, tenant, out, err);
}

quire_status relation_remove(struct memories *m, int64_t tenant, int64_t id,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_RELATION_REMOVE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_int(s, 2, tenant);
    st = sql_row(s, err);
    stmt_reset(s);
    return st;
}

/* ---- list --------------------------------------------------------------- */

quire_status relation_list(struct memories *m, const struct relation_range *r,
                           quire_relation_fn each, void *ctx, quire_error *err)
{
    int which = r->source   ? SQL_RELATIONS_FROM
                : r->target ? SQL_RELATIONS_TO
                : r->either ? SQL_RELATIONS_AT
                            : SQL_RELATIONS;
    const char *kind = relation_kind_name(r->kind);
    struct stmt *s;
    quire_status st = sql_use(&m->sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, r->tenant);
    stmt_bind_int(s, 2, r->before_id ? r->before_id : INT64_MAX);
    stmt_bind_int(s, 3, r->source);
    stmt_bind_int(s, 4, r->target);
    stmt_bind_int(s, 5, r->either);
    stmt_bind_text(s, 6, bytes_str(kind ? kind : ""));
    stmt_bind_int(s, 7,
                  r->limit && r->limit < INT64_MAX ? (int64_t)r->limit
                                                   : INT64_MAX);
    while (!st) {
        quire_relation one;
        bool row;

        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        st = read_row(s, &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    stmt_reset(s);
    return st;
}
