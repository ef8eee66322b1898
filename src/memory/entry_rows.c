/*
 * entry_rows.c - read entries: by id, and in lists
 */
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "memory/priv.h"

/* ---- names -------------------------------------------------------------- */

static const char *const types[N_TYPES] = {
    [QUIRE_MEMORY_USER] = "user",
    [QUIRE_MEMORY_FEEDBACK] = "feedback",
    [QUIRE_MEMORY_PROJECT] = "project",
    [QUIRE_MEMORY_REFERENCE] = "reference",
    [QUIRE_MEMORY_LEARNING] = "learning",
    [QUIRE_MEMORY_CONTEXT] = "context",
};

const char *memory_type_name(int type)
{
    return type >= 0 && type < N_TYPES ? types[type] : NULL;
}

int memory_type_of(quire_bytes name)
{
    int i;

    for (i = 0; i < N_TYPES; i++) {
        if (bytes_is(name, types[i]))
            return i;
    }
    return -1;
}

/* ---- rows --------------------------------------------------------------- */

static quire_bytes bytes_at(struct stmt *s, int at, struct arena *keep)
{
    return arena_dup(keep, stmt_column_bytes(s, at));
}

static quire_status fail_type(struct stmt *s, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_DAMAGED,
                               "another program has written to quire.db",
                               "memory entry #%lld has an unknown type",
                               (long long)stmt_column_int(s, 0));
    return st;
}

quire_status entry_read(struct stmt *s, struct arena *keep, quire_memory *out,
                        quire_error *err)
{
    int type = memory_type_of(stmt_column_bytes(s, 1));

    if (type < 0)
        return fail_type(s, err);
    *out = (quire_memory){
        .id = stmt_column_int(s, 0),
        .type = (quire_memory_type)type,
        .title = bytes_at(s, 2, keep),
        .content = bytes_at(s, 3, keep),
        .source = bytes_at(s, 4, keep),
        .tags = arena_text(keep, stmt_column_bytes(s, 5)),
        .artifact = stmt_column_int(s, 6),
        .session_id = stmt_column_int(s, 7),
        .session = arena_text(keep, stmt_column_bytes(s, 8)),
        .created_us = stmt_column_int(s, 9),
        .updated_us = stmt_column_int(s, 10),
        .valid_from_us = stmt_column_int(s, 11),
        .valid_to_us = stmt_column_int(s, 12),
    };
    return out->title.data && out->content.data && out->source.data &&
                   out->tags && out->session
               ? QUIRE_OK
               : err_memory(err);
}

static quire_status get_by(struct memories *m, int which, int64_t tenant,
                           int64_t id, int64_t as_of_us, struct arena *keep,
                           quire_memory *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_int(s, 2, tenant);
    if (which == SQL_GET_AS_OF)
        stmt_bind_int(s, 3, as_of_us);
    st = sql_row(s, err);
    if (!st)
        st = entry_read(s, keep, out, err);
    stmt_reset(s);
    return st;
}

/* The artifact that an entry without a link has linked before. */
static quire_status read_expired_link(struct memories *m, int64_t tenant,
                                      quire_memory *one, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_LINK_GET, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, one->id);
    stmt_bind_int(s, 2, tenant);
    st = sql_row(s, err);
    if (!st)
        one->expired_artifact = stmt_column_int(s, 0);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status memory_get(struct memories *m, int64_t tenant, int64_t id,
                        int64_t as_of_us, struct arena *keep, quire_memory *out,
                        quire_error *err)
{
    quire_status st = get_by(m, as_of_us ? SQL_GET_AS_OF : SQL_GET, tenant, id,
                             as_of_us, keep, out, err);

    return !st && !out->artifact && m->has_links
               ? read_expired_link(m, tenant, out, err)
               : st;
}

quire_status memory_any(struct memories *m, int64_t tenant, int64_t id,
                        struct arena *keep, quire_memory *out, quire_error *err)
{
    return get_by(m, SQL_GET_ANY, tenant, id, 0, keep, out, err);
}

/* ---- list --------------------------------------------------------------- */

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal_tags(quire_bytes tag, quire_bytes wanted)
{
    const char *a = tag.data, *b = wanted.data;
    size_t i;

    for (i = 0; tag.len == wanted.len && i < tag.len; i++) {
        if (to_lower(a[i]) != to_lower(b[i]))
            return false;
    }
    return tag.len == wanted.len;
}

bool entry_has_tag(quire_bytes tags, const char *tag, struct arena *tmp)
{
    struct json_scan it;
    bool has = false;

    json_iter_init(&it, tags);
    while (!has && json_next(&it))
        has = equal_tags(json_text(it.value, tmp), bytes_str(tag));
    return has;
}

static bool is_wanted(const struct memory_range *r, struct stmt *s,
                      struct arena *tmp)
{
    int type = r->types ? memory_type_of(stmt_column_bytes(s, 1)) : 0;

    return (!r->types || (type >= 0 && (r->types & 1u << type))) &&
           (!r->tag || entry_has_tag(stmt_column_bytes(s, 5), r->tag, tmp));
}

/* Emit the rows of a bound statement, at most `left` of those selected; without
 * a range all of them. */
static quire_status emit_rows(struct stmt *s, const struct memory_range *r,
                              uint64_t left, quire_memory_fn each, void *ctx,
                              quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;
    quire_memory one;

    while (!st && left > 0) {
        bool row;

        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        arena_reset(&tmp);
        if (r && !is_wanted(r, s, &tmp))
            continue;
        st = entry_read(s, &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
        left--;
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

quire_status memory_list(struct memories *m, const struct memory_range *r,
                         quire_memory_fn each, void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, r->as_of_us ? SQL_LIST_AS_OF : SQL_LIST,
                              &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, r->tenant);
    stmt_bind_int(s, 2, r->before_us ? r->before_us : INT64_MAX);
    stmt_bind_int(s, 3, r->before_us ? r->before_id : INT64_MAX);
    stmt_bind_int(s, 4, r->since_us);
    stmt_bind_int(s, 5, r->in_session);
    stmt_bind_int(s, 6, r->session);
    if (r->as_of_us)
        stmt_bind_int(s, 7, r->as_of_us);
    return emit_rows(s, r, r->limit ? r->limit : UINT64_MAX, each, ctx, err);
}

quire_status memory_each(struct memories *m, int64_t tenant,
                         quire_memory_fn each, void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_EACH, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    return emit_rows(s, NULL, UINT64_MAX, each, ctx, err);
}
