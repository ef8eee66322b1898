/* sessions.c - sessions as rows, and files to be removed */
#include <string.h>

#include "catalog/change_log.h"
#include "catalog/import_ledger.h"
#include "catalog/priv.h"
#include "catalog/session_keep.h"
#include "base/bytes.h"
#include "base/err.h"

/* ---- looking up --------------------------------------------------------- */

quire_status session_row_ask(struct catalog *c, int64_t tenant, const char *key,
                             struct session_asked *asked, quire_error *err)
{
    quire_status st = use(c, SQL_SESSION_FIND, &asked->find, err);

    if (!st)
        st = use(c, SQL_SESSION_NEXT_ID, &asked->next_id, err);
    if (st)
        return st;
    asked->tenant = tenant;
    asked->key = key;
    stmt_bind_int(asked->find, 1, tenant);
    stmt_bind_text(asked->find, 2, bytes_str(key));
    stmt_ask(asked->find);
    stmt_ask(asked->next_id);
    return QUIRE_OK;
}

static quire_status report_tenant_gone(int64_t tenant, quire_error *err)
{
    return err_fail(err, QUIRE_NOT_FOUND,
                    HINT_SHELL "`quire tenant ls` lists the tenants",
                    "tenant #%lld has been removed", (long long)tenant);
}

quire_status session_row_take(struct session_asked *asked,
                              struct session_row *out, quire_error *err)
{
    struct stmt *s = asked->find;
    quire_status st = sql_row(s, err);

    *out = (struct session_row){.tenant = asked->tenant};
    if (!st) {
        out->session = stmt_column_int(s, 0);
        out->session_used = (uint64_t)stmt_column_int(s, 1);
        out->tenant_used = (uint64_t)stmt_column_int(s, 2);
        out->disabled = stmt_column_int(s, 3) != 0;
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? report_tenant_gone(asked->tenant, err) : st;
}

quire_status session_row_find(struct catalog *c, int64_t tenant,
                              const char *key, struct session_row *out,
                              quire_error *err)
{
    struct session_asked asked;
    quire_error why;
    quire_status st = session_row_ask(c, tenant, key, &asked, err);

    if (st)
        return st;
    st = session_row_take(&asked, out, &why);
    if (st && st != QUIRE_NOT_FOUND && err)
        *err = why;
    return st ? st : out->session ? QUIRE_OK : QUIRE_NOT_FOUND;
}

bool session_key_is_reserved(const char *key)
{
    return !strcmp(key, "user") || !strcmp(key, "temp") ||
           !strncmp(key, "trash:", 6);
}

/* ---- adding, counting --------------------------------------------------- */

/* The id of a built-in session; 0: not built in. */
static int64_t built_in_id(int64_t tenant, const char *key)
{
    return !strcmp(key, "user")   ? 1 - 2 * tenant
           : !strcmp(key, "temp") ? -2 * tenant
                                  : 0;
}

quire_status session_row_add(struct catalog *c, struct session_asked *asked,
                             struct session_row *row, quire_error *err)
{
    int64_t id = built_in_id(asked->tenant, asked->key);
    struct stmt *s;
    quire_status st = id ? QUIRE_OK : sql_take_number(asked->next_id, &id, err);

    if (!st)
        st = use(c, SQL_SESSION_ADD, &s, err);
    if (st)
        return st;
    row->session = id;
    stmt_bind_int(s, 1, asked->tenant);
    stmt_bind_text(s, 2, bytes_str(asked->key));
    stmt_bind_int(s, 3, clock_us(c->clock));
    stmt_bind_int(s, 4, id);
    return stmt_post(s, err);
}

quire_status session_row_ensure(struct catalog *c, int64_t tenant,
                                const char *key, struct session_row *out,
                                quire_error *err)
{
    struct session_asked asked;
    quire_status st = session_row_ask(c, tenant, key, &asked, err);

    if (!st)
        st = session_row_take(&asked, out, err);
    return st || out->session ? st : session_row_add(c, &asked, out, err);
}

static quire_status count_tenant(struct catalog *c, int64_t tenant,
                                 int64_t bytes, int64_t n, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TENANT_COUNT, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, bytes);
    stmt_bind_int(s, 3, n);
    return stmt_post(s, err);
}

quire_status session_row_count(struct catalog *c, const struct session_row *row,
                               int64_t bytes, int64_t n, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_SESSION_COUNT, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, row->session);
    stmt_bind_int(s, 2, bytes);
    stmt_bind_int(s, 3, n);
    stmt_bind_int(s, 4, row->tenant);
    st = stmt_post(s, err);
    return st ? st : count_tenant(c, row->tenant, bytes, n, err);
}

/* ---- removing ----------------------------------------------------------- */

/* Record that the rows of a session change: artifacts go, memory entries stay, and belong
 * to none. */
static quire_status log_rows(struct catalog *c, const struct session_row *row,
                             enum catalog_sql which, enum change_kind kind,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, row->tenant);
    stmt_bind_int(s, 2, kind);
    stmt_bind_int(s, 3, row->session);
    stmt_bind_int(s, 4, clock_us(c->clock));
    return stmt_post(s, err);
}

quire_status session_row_log(struct catalog *c, const struct session_row *row,
                             quire_error *err)
{
    quire_status st = log_rows(c, row, SQL_CHANGE_ARTIFACTS, CHANGE_ARTIFACT,
                               err);

    return st ? st : log_rows(c, row, SQL_CHANGE_MEMORY, CHANGE_MEMORY, err);
}

/* Foreign keys delete its artifacts and versions; the tenant's counters are
 * ours to change. */
quire_status session_row_drop(struct catalog *c, const struct session_row *row,
                              quire_error *err)
{
    int64_t used = 0, n = 0;
    struct stmt *s;
    quire_status st = use(c, SQL_SESSION_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, row->session);
    stmt_bind_int(s, 2, row->tenant);
    st = sql_row(s, err);
    if (!st) {
        used = stmt_column_int(s, 0);
        n = stmt_column_int(s, 1);
    }
    stmt_reset(s);
    return st ? st : count_tenant(c, row->tenant, -used, -n, err);
}

quire_status removal_add(struct catalog *c, const struct removal *file,
                         quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_REMOVAL_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(file->name));
    stmt_bind_int(s, 2, (int64_t)file->size);
    stmt_bind_int(s, 3, file->modified_ns);
    return sql_run(s, err);
}

quire_status session_row_remove(struct catalog *c, int64_t tenant,
                                const char *key, const struct removal *file,
                                const char *tree, quire_error *err)
{
    struct removal dir = {.name = tree, .size = REMOVAL_TREE};
    struct db *db = c->db;
    struct session_row row;
    quire_status st = db_begin(db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    st = session_row_find(c, tenant, key, &row, err);
    if (!st)
        st = session_keep_check(c, tenant, row.session, key, err);
    if (!st)
        st = session_row_log(c, &row, err);
    if (!st)
        st = session_row_drop(c, &row, err);
    if (!st || st == QUIRE_NOT_FOUND)
        st = removal_add(c, file, err);
    if (!st && tree)
        st = removal_add(c, &dir, err);
    if (!st)
        st = import_forget(c, tenant, key, INT64_MAX, err);
    return sql_end(c->db, st, err);
}

quire_status removal_ask(struct catalog *c, const char *name, struct stmt **s,
                         quire_error *err)
{
    const char *slash = strrchr(name, '/');
    quire_status st = use(c, c->has_files ? SQL_FILE_GONE : SQL_REMOVAL_HAS, s,
                          err);

    if (st)
        return st;
    stmt_bind_text(*s, 1, bytes_str(name));
    if (c->has_files) {
        stmt_bind_bytes(*s, 2,
                        bytes_of(name, slash ? (size_t)(slash - name) : 0));
        stmt_bind_bytes(*s, 3, bytes_str(slash ? slash + 1 : name));
    }
    stmt_ask(*s);
    return QUIRE_OK;
}

quire_status removal_is_pending(struct catalog *c, const char *name,
                                bool *pending, quire_error *err)
{
    struct stmt *s;
    quire_status st = removal_ask(c, name, &s, err);

    *pending = false;
    if (st)
        return st;
    st = stmt_step(s, pending, err);
    stmt_reset(s);
    return st;
}

quire_status removal_done(struct catalog *c, const char *name, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_REMOVAL_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    return sql_run(s, err);
}

/* Collected first: the caller erases each one as it goes. */
quire_status removal_list(struct catalog *c, struct arena *keep,
                          struct removal **files, size_t *n, quire_error *err)
{
    size_t cap = 0;
    struct stmt *s;
    quire_status st = use(c, SQL_REMOVALS, &s, err);

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

/* ---- recount ------------------------------------------------------------ */

static quire_status count_wrong(struct catalog *c, enum catalog_sql which,
                                uint64_t *n, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, which, &s, err);

    if (st)
        return st;
    st = sql_row(s, err);
    if (!st)
        *n += (uint64_t)stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

quire_status catalog_recount(struct catalog *c, uint64_t *wrong,
                             quire_error *err)
{
    static const enum catalog_sql recounts[] = {SQL_SESSION_RECOUNT,
                                                SQL_TENANT_RECOUNT};
    struct db *db = c->db;
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);
    struct stmt *s;
    int i;

    *wrong = 0;
    if (st)
        return st;
    st = count_wrong(c, SQL_SESSION_WRONG, wrong, err);
    if (!st)
        st = count_wrong(c, SQL_TENANT_WRONG, wrong, err);
    for (i = 0; i < 2 && !st && *wrong > 0; i++) {
        st = use(c, recounts[i], &s, err);
        if (!st)
            st = sql_run(s, err);
    }
    return sql_end(c->db, st, err);
}
