/*
 * sessions.c - whose artifacts they are
 *
 * A session has a row, with its number; its file has the truth about all else.
 * The row is made when the first artifact is put, or when somebody asks for the
 * number.
 */
#include <string.h>

#include "artifact/priv.h"
#include "base/bytes.h"
#include "base/err.h"

quire_status owner_find(struct artifacts *a, int64_t tenant, const char *key,
                        struct owner *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_OWNER_FIND, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(key));
    st = sql_row(s, err);
    if (!st)
        *out = (struct owner){
            .tenant = tenant,
            .session = stmt_column_int(s, 0),
            .session_used = (uint64_t)stmt_column_int(s, 1),
            .tenant_used = (uint64_t)stmt_column_int(s, 2),
            .disabled = stmt_column_int(s, 3) != 0,
        };
    stmt_reset(s);
    return st;
}

static quire_status owner_gone(int64_t tenant, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_NOT_FOUND,
                               "`quire tenant ls` lists those there are",
                               "tenant #%lld has been removed",
                               (long long)tenant);
    return st;
}

quire_status owner_look(struct artifacts *a, int64_t tenant, const char *key,
                        struct owner *out, quire_error *err)
{
    quire_status st = owner_find(a, tenant, key, out, err);
    struct stmt *s;

    if (st != QUIRE_NOT_FOUND)
        return st;
    *out = (struct owner){.tenant = tenant};
    st = sql_use(&a->sql, SQL_TENANT_USED, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    st = sql_row(s, err);
    if (!st) {
        out->tenant_used = (uint64_t)stmt_column_int(s, 0);
        out->disabled = stmt_column_int(s, 1) != 0;
    } else if (st == QUIRE_NOT_FOUND) {
        st = owner_gone(tenant, err);
    }
    stmt_reset(s);
    return st;
}

/* The id of a built-in session; 0: it is none. */
static int64_t built_in(int64_t tenant, const char *key)
{
    return !strcmp(key, "user")   ? 1 - 2 * tenant
           : !strcmp(key, "temp") ? -2 * tenant
                                  : 0;
}

quire_status owner_ensure(struct artifacts *a, int64_t tenant, const char *key,
                          struct owner *out, quire_error *err)
{
    int64_t id = built_in(tenant, key);
    quire_status st = owner_find(a, tenant, key, out, err);
    struct stmt *s;

    if (st != QUIRE_NOT_FOUND)
        return st;
    st = sql_use(&a->sql, id ? SQL_OWNER_BUILT_IN : SQL_OWNER_ADD, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(key));
    stmt_bind_int(s, 3, clock_us(a->c.clock));
    if (id)
        stmt_bind_int(s, 4, id);
    st = sql_run(s, err);
    /* The session was not there, so what clashes is the tenant that is not. */
    if (st == QUIRE_EXISTS)
        st = owner_gone(tenant, err);
    return st ? st : owner_find(a, tenant, key, out, err);
}

quire_status owner_count(struct artifacts *a, const struct owner *owner,
                         int64_t bytes, int64_t n, quire_error *err)
{
    const int which[] = {SQL_SESSION_COUNT, SQL_TENANT_COUNT};
    const int64_t id[] = {owner->session, owner->tenant};
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < 2 && !st; i++) {
        struct stmt *s;

        st = sql_use(&a->sql, which[i], &s, err);
        if (st)
            break;
        stmt_bind_int(s, 1, id[i]);
        stmt_bind_int(s, 2, bytes);
        stmt_bind_int(s, 3, n);
        st = sql_run(s, err);
    }
    return st;
}

/* ---- sessions that go --------------------------------------------------- */

/* Its artifacts and their versions go by themselves; what they used does not. */
static quire_status drop(struct artifacts *a, int64_t id, quire_error *err)
{
    int64_t tenant = 0, used = 0, n = 0;
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_OWNER_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    st = sql_row(s, err);
    if (!st) {
        tenant = stmt_column_int(s, 0);
        used = stmt_column_int(s, 1);
        n = stmt_column_int(s, 2);
    }
    stmt_reset(s);
    if (!st)
        st = sql_use(&a->sql, SQL_TENANT_COUNT, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, -used);
    stmt_bind_int(s, 3, -n);
    return sql_run(s, err);
}

quire_status owner_note(struct artifacts *a, const struct removal *file,
                        quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_REMOVAL_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(file->name));
    stmt_bind_int(s, 2, (int64_t)file->size);
    stmt_bind_int(s, 3, file->modified_ns);
    return sql_run(s, err);
}

quire_status owner_forget(struct artifacts *a, int64_t tenant, const char *key,
                          const struct removal *file, const char *tree,
                          quire_error *err)
{
    struct removal dir = {.name = tree, .size = REMOVAL_TREE};
    struct db *db = a->c.db;
    struct owner owner;
    quire_status st = db_begin(db, DB_DURABLE, err);

    if (st)
        return st;
    st = owner_find(a, tenant, key, &owner, err);
    if (!st)
        st = drop(a, owner.session, err);
    if (!st || st == QUIRE_NOT_FOUND)
        st = owner_note(a, file, err);
    if (!st && tree)
        st = owner_note(a, &dir, err);
    return artifacts_end(a, st, err);
}

quire_status owner_removed(struct artifacts *a, const char *name,
                           quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_REMOVAL_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    return sql_run(s, err);
}

/* All at once: each is taken off the list while it is walked. */
quire_status owner_removals(struct artifacts *a, struct arena *keep,
                            struct removal **files, size_t *n, quire_error *err)
{
    size_t cap = 0;
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_REMOVALS, &s, err);

    *files = NULL;
    *n = 0;
    if (st)
        return st;
    while (!st && !(st = sql_row(s, err))) {
        struct removal one = {
            .name = arena_text(keep, stmt_column_bytes(s, 0)),
            .size = (uint64_t)stmt_column_int(s, 1),
            .modified_ns = stmt_column_int(s, 2),
        };

        if (*n == cap) {
            struct removal *more;

            cap = 2 * cap + 8;
            more = arena_array(keep, cap, sizeof *more);
            if (more && *n)
                memcpy(more, *files, *n * sizeof *more);
            *files = more;
        }
        if (!*files || !one.name)
            st = err_memory(err);
        else
            (*files)[(*n)++] = one;
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- counting anew ------------------------------------------------------ */

static quire_status count_wrong(struct artifacts *a, int which, uint64_t *n,
                                quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, which, &s, err);

    if (st)
        return st;
    st = sql_row(s, err);
    if (!st)
        *n += (uint64_t)stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

quire_status artifacts_recount(struct artifacts *a, uint64_t *wrong,
                               quire_error *err)
{
    static const int recounts[] = {SQL_SESSION_RECOUNT, SQL_TENANT_RECOUNT};
    struct db *db = a->c.db;
    quire_status st = db_begin(db, DB_DURABLE, err);
    struct stmt *s;
    int i;

    *wrong = 0;
    if (st)
        return st;
    st = count_wrong(a, SQL_SESSION_WRONG, wrong, err);
    if (!st)
        st = count_wrong(a, SQL_TENANT_WRONG, wrong, err);
    for (i = 0; i < 2 && !st && *wrong > 0; i++) {
        st = sql_use(&a->sql, recounts[i], &s, err);
        if (!st)
            st = sql_run(s, err);
    }
    return artifacts_end(a, st, err);
}
