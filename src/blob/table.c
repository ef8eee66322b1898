/*
 * table.c - blobs as rows of quire.db
 *
 * Two tables. `blob` has a short row for every blob, including those stored in
 * files: listing, finding and collecting use only this one. `body` has the
 * bytes, in the order they were stored. They are separate because marking a
 * blob as seen must not rewrite its bytes, and because rows of 60 and of a
 * thousand bytes share pages badly.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/priv.h"
#include "store/sql.h"
#include "store/sqlite_ddl.h"

enum {
    FIND,
    HAS,
    BODY,
    ADD,
    AGAIN,
    ADD_BODY,
    ADD_BODY_AGAIN,
    DROP_BODY,
    SEEN,
    LIST,
    COUNT,
    COUNT_ODD,
    NAMES,
    NAMES_SINCE,
    LAST,
    REMOVE,
    WEIGH,
    WALK,
    WALK_BRIEF,
    OWNED,
    OWN,
    N_STATEMENTS
};

#define COLUMNS                                                           \
    "blob.id, size, stored, codec, in_file, seen, length(bytes), sha256 " \
    "FROM blob LEFT JOIN body ON body.id = blob.id "

static const char *const sql[N_STATEMENTS] = {
    [FIND] = "SELECT " COLUMNS "WHERE sha256 = ?1",
    [HAS] = "SELECT 1 FROM blob WHERE sha256 = ?1",
    [BODY] = "SELECT bytes FROM body JOIN blob USING(id) WHERE sha256 = ?1",
    [ADD] = "INSERT INTO blob(size, stored, codec, in_file, seen, sha256)"
            " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    [AGAIN] = "UPDATE blob SET size = ?1, stored = ?2, codec = ?3,"
              " in_file = ?4, seen = ?5 WHERE sha256 = ?6",
    /* Of the row that was just added: its id is the largest. As values, because
     * SQLite prepares to undo the insert of a query's rows. */
    [ADD_BODY] = "INSERT INTO body(id, bytes)"
                 " VALUES((SELECT max(id) FROM blob), ?1)",
    [ADD_BODY_AGAIN] = "INSERT INTO body(id, bytes)"
                       " VALUES((SELECT id FROM blob WHERE sha256 = ?2), ?1)",
    [DROP_BODY] = "DELETE FROM body WHERE id ="
                  " (SELECT id FROM blob WHERE sha256 = ?1)",
    [SEEN] = "UPDATE blob SET seen = ?2 WHERE sha256 = ?1",
    [LIST] = "SELECT " COLUMNS "WHERE sha256 BETWEEN ?1 AND ?2"
             " ORDER BY sha256",
    [COUNT] = "SELECT count(*) FROM blob",
    [NAMES] = "SELECT sha256 FROM blob WHERE sha256 BETWEEN ?1 AND ?2"
              " ORDER BY sha256",
    [NAMES_SINCE] = "SELECT sha256 FROM blob WHERE id > ?1",
    [LAST] = "SELECT coalesce(max(id), 0) FROM blob",
    [REMOVE] = "DELETE FROM blob WHERE sha256 = ?1 AND seen <= ?2"
               " RETURNING stored, in_file",
    [COUNT_ODD] = "SELECT count(*) FROM blob WHERE NOT " SQL_IS_BYTES(
        "sha256") " OR length(sha256) <> 32",
    [WALK] = "SELECT blob.id, size, stored, codec, in_file, seen,"
             " length(bytes), sha256, bytes FROM blob LEFT JOIN body"
             " ON body.id = blob.id WHERE blob.id BETWEEN ?1 AND ?2"
             " ORDER BY blob.id",
    [WALK_BRIEF] = "SELECT id, size, stored, codec, in_file, seen, stored,"
                   " sha256 FROM blob WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    [OWNED] = "SELECT 1 FROM blob_tenant WHERE sha256 = ?1 AND tenant = ?2",
    [OWN] = "INSERT INTO blob_tenant(sha256, tenant) VALUES(?1, ?2)"
            " ON CONFLICT DO NOTHING",
    [WEIGH] = "SELECT count(*), coalesce(sum(CASE WHEN stored > 0 THEN stored"
              " ELSE 0 END), 0) FROM blob",
};

struct blob_table {
    struct sql sql;
    unsigned asked; /* statements that were asked for the next two, as bits */
    quire_digest asked_digest;
    int64_t asked_tenant;
};

quire_status blob_table_new(struct db *db, struct blob_table **out,
                            quire_error *err)
{
    struct blob_table *r = calloc(1, sizeof *r);
    quire_status st;

    if (!r)
        return err_memory(err);
    st = sql_init(&r->sql, db, sql, N_STATEMENTS, err);
    if (st)
        free(r);
    else
        *out = r;
    return st;
}

void blob_table_free(struct blob_table *r)
{
    if (!r)
        return;
    sql_release(&r->sql);
    free(r);
}

static quire_status use_stmt(struct blob_table *r, int which, struct stmt **out,
                             quire_error *err)
{
    return sql_use(&r->sql, which, out, err);
}

static void bind_digest(struct stmt *s, int at, const quire_digest *d)
{
    stmt_bind_bytes(s, at, bytes_of(d->byte, sizeof d->byte));
}

/* A row is untrusted: invalid values are marked, and reported as damage when
 * the content is read. */
static void read_columns(struct stmt *s, int at, struct blob_location *p)
{
    int64_t size = stmt_column_int(s, at), stored = stmt_column_int(s, at + 1);
    int64_t codec = stmt_column_int(s, at + 2);
    int64_t in_file = stmt_column_int(s, at + 3);

    *p = (struct blob_location){
        .has_row = true,
        .where = in_file ? IN_FILE : IN_ROW,
        .size = (uint64_t)size,
        .stored = (uint64_t)stored,
        .codec = codec ? CODEC_GZIP : CODEC_PLAIN,
        .seen_s = stmt_column_int(s, at + 4),
        .odd = size < 0 || stored < 0 || codec < 0 || codec > 1 ||
               in_file < 0 || in_file > 1 ||
               (!in_file && size > (int64_t)SMALL_BYTES),
    };
    p->size_known = !p->odd;
}

static void read_location(struct stmt *s, struct blob_location *p)
{
    read_columns(s, 1, p);
    p->whole = p->where == IN_FILE ||
               (!stmt_column_null(s, 6) &&
                stmt_column_int(s, 6) == (int64_t)p->stored);
}

void blob_table_read_joined(struct stmt *s, int at, struct blob_location *p)
{
    read_columns(s, at, p);
    p->body = stmt_column_bytes(s, at + 5);
    p->whole = !stmt_column_null(s, at + 5) && p->body.len == p->stored;
    /* Empty bytes have no address, which would mean that they were not read. */
    if (p->whole && !p->body.data)
        p->body = bytes_of("", 0);
}

static quire_status ask_digest(struct blob_table *r, int which, int64_t tenant,
                               quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, which, &s, err);

    if (st)
        return st;
    bind_digest(s, 1, &r->asked_digest);
    if (which == OWNED)
        stmt_bind_int(s, 2, tenant);
    stmt_ask(s);
    r->asked |= 1u << which;
    return QUIRE_OK;
}

quire_status blob_table_ask(struct blob_table *r, const quire_digest *d,
                            int64_t tenant, quire_error *err)
{
    quire_status st;

    r->asked = 0;
    r->asked_digest = *d;
    r->asked_tenant = tenant;
    st = ask_digest(r, FIND, tenant, err);
    if (!st && tenant)
        st = ask_digest(r, HAS, tenant, err);
    if (!st && tenant)
        st = ask_digest(r, OWNED, tenant, err);
    return st;
}

void blob_table_drop_asked(struct blob_table *r)
{
    r->asked = 0;
}

/* A statement for a digest: bound, or asked before. */
static quire_status use_digest(struct blob_table *r, int which,
                               const quire_digest *d, int64_t tenant,
                               struct stmt **s, quire_error *err)
{
    bool asked = r->asked & 1u << which && r->asked_tenant == tenant &&
                 digest_equal(&r->asked_digest, d);
    quire_status st;

    r->asked &= ~(1u << which);
    if (asked) {
        *s = r->sql.stmts[which];
        return QUIRE_OK;
    }
    st = use_stmt(r, which, s, err);
    if (!st)
        bind_digest(*s, 1, d);
    if (!st && which == OWNED)
        stmt_bind_int(*s, 2, tenant);
    return st;
}

quire_status blob_table_find(struct blob_table *r, const quire_digest *d,
                             int64_t tenant, struct blob_location *out,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = use_digest(r, FIND, d, tenant, &s, err);
    bool row;

    if (st)
        return st;
    st = stmt_step(s, &row, err);
    if (!st && row)
        read_location(s, out);
    else if (!st)
        st = QUIRE_NOT_FOUND;
    stmt_reset(s);
    return st;
}

quire_status blob_table_has(struct blob_table *r, const quire_digest *d,
                            int64_t tenant, bool *has, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_digest(r, HAS, d, tenant, &s, err);

    if (st)
        return st;
    st = stmt_step(s, has, err);
    stmt_reset(s);
    return st;
}

quire_status blob_table_body(struct blob_table *r, const quire_digest *d,
                             quire_bytes *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, BODY, &s, err);
    bool row;

    if (st)
        return st;
    bind_digest(s, 1, d);
    st = stmt_step(s, &row, err);
    if (!st && row) {
        *out = stmt_column_bytes(s, 0);
        return QUIRE_OK;
    }
    stmt_reset(s);
    return st ? st : QUIRE_NOT_FOUND;
}

void blob_table_done(struct blob_table *r)
{
    sql_reset(&r->sql, BODY);
}

static quire_status drop_body(struct blob_table *r, const quire_digest *d,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, DROP_BODY, &s, err);

    if (st)
        return st;
    bind_digest(s, 1, d);
    return stmt_post(s, err);
}

static quire_status add_body(struct blob_table *r, const quire_digest *d,
                             bool exists, quire_bytes body, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, exists ? ADD_BODY_AGAIN : ADD_BODY, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, body);
    if (exists)
        bind_digest(s, 2, d);
    return stmt_post(s, err);
}

static quire_status bind_location(struct blob_table *r, int which,
                                  const quire_digest *d,
                                  const struct blob_location *p,
                                  struct stmt **out, quire_error *err)
{
    quire_status st = use_stmt(r, which, out, err);
    struct stmt *s = *out;

    if (st)
        return st;
    stmt_bind_int(s, 1, (int64_t)p->size);
    stmt_bind_int(s, 2, (int64_t)p->stored);
    stmt_bind_int(s, 3, p->codec);
    stmt_bind_int(s, 4, p->where == IN_FILE);
    stmt_bind_int(s, 5, p->seen_s);
    bind_digest(s, 6, d);
    return QUIRE_OK;
}

/* Plain inserts for a new row: "on conflict …" makes SQLite copy every page it
 * touches in case it has to undo the insert. */
quire_status blob_table_add(struct blob_table *r, const quire_digest *d,
                            const struct blob_location *p, bool exists,
                            const quire_bytes *body, quire_error *err)
{
    struct stmt *s;
    quire_status st = bind_location(r, exists ? AGAIN : ADD, d, p, &s, err);

    if (!st)
        st = stmt_post(s, err);
    if (!st && exists)
        st = drop_body(r, d, err);
    return st || !body ? st : add_body(r, d, exists, *body, err);
}

quire_status blob_table_seen(struct blob_table *r, const quire_digest *d,
                             int64_t now_s, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, SEEN, &s, err);

    if (st)
        return st;
    bind_digest(s, 1, d);
    stmt_bind_int(s, 2, now_s);
    st = sql_run(s, err);
    if (!st && db_changes(r->sql.db) == 0)
        st = QUIRE_NOT_FOUND;
    return st;
}

/* Call `each` for every row of a statement. */
static quire_status emit_locations(struct stmt *s, bool bodies,
                                   blob_table_each_fn each, void *ctx,
                                   quire_error *err)
{
    quire_status st = QUIRE_OK;
    bool row = true;

    while (!st && row) {
        struct blob_location p;
        quire_digest d;

        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        read_location(s, &p);
        if (!sql_digest(s, 7, &d))
            continue; /* not a blob; the check reports it */
        if (bodies && p.where == IN_ROW && p.whole)
            p.body = stmt_column_bytes(s, 8);
        st = each(ctx, &d, &p, err);
    }
    stmt_reset(s);
    return st;
}

quire_status blob_table_list(struct blob_table *r, const quire_digest *from,
                             const quire_digest *to, blob_table_each_fn each,
                             void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, LIST, &s, err);

    if (st)
        return st;
    bind_digest(s, 1, from);
    bind_digest(s, 2, to);
    return emit_locations(s, false, each, ctx, err);
}

quire_status blob_table_walk(struct blob_table *r, int64_t from, int64_t to,
                             bool bodies, blob_table_each_fn each, void *ctx,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, bodies ? WALK : WALK_BRIEF, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, from);
    stmt_bind_int(s, 2, to);
    return emit_locations(s, bodies, each, ctx, err);
}

quire_status blob_table_count(struct blob_table *r, bool odd, uint64_t *n,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, odd ? COUNT_ODD : COUNT, &s, err);
    bool row;

    if (st)
        return st;
    st = stmt_step(s, &row, err);
    if (!st && row)
        *n = (uint64_t)stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

/* ---- access of tenants -------------------------------------------------- */

quire_status blob_table_owned(struct blob_table *r, const quire_digest *d,
                              int64_t tenant, bool *owned, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_digest(r, OWNED, d, tenant, &s, err);

    if (st)
        return st;
    st = stmt_step(s, owned, err);
    stmt_reset(s);
    return st;
}

quire_status blob_table_own(struct blob_table *r, const quire_digest *d,
                            int64_t tenant, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, OWN, &s, err);

    if (st)
        return st;
    bind_digest(s, 1, d);
    stmt_bind_int(s, 2, tenant);
    return stmt_post(s, err);
}

/* ---- for a collection --------------------------------------------------- */

quire_status blob_table_names(struct blob_table *r, const quire_digest *from,
                              const quire_digest *to, sql_digest_fn each,
                              void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, NAMES, &s, err);

    if (st)
        return st;
    bind_digest(s, 1, from);
    bind_digest(s, 2, to);
    return sql_digests(s, each, ctx, err);
}

quire_status blob_table_names_since(struct blob_table *r, int64_t id,
                                    sql_digest_fn each, void *ctx,
                                    quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, NAMES_SINCE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    return sql_digests(s, each, ctx, err);
}

quire_status blob_table_last(struct blob_table *r, int64_t *id,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, LAST, &s, err);

    if (st)
        return st;
    st = sql_row(s, err);
    if (!st)
        *id = stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

quire_status blob_table_remove(struct blob_table *r, const quire_digest *d,
                               int64_t seen_s, bool *in_file, uint64_t *stored,
                               quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, REMOVE, &s, err);
    bool row;

    if (st)
        return st;
    bind_digest(s, 1, d);
    stmt_bind_int(s, 2, seen_s);
    st = sql_row(s, err);
    if (!st) {
        *stored = (uint64_t)stmt_column_int(s, 0);
        *in_file = stmt_column_int(s, 1) != 0;
        st = stmt_step(s, &row, err);
    }
    stmt_reset(s);
    return st;
}

quire_status blob_table_weigh(struct blob_table *r, uint64_t *n,
                              uint64_t *bytes, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_stmt(r, WEIGH, &s, err);
    bool row;

    if (st)
        return st;
    st = stmt_step(s, &row, err);
    if (!st && row) {
        *n = (uint64_t)stmt_column_int(s, 0);
        *bytes = (uint64_t)stmt_column_int(s, 1);
    }
    stmt_reset(s);
    return st;
}
