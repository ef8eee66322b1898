/*
 * postgres_info.c - what the driver knows of its database
 *
 * The table quire_meta has one row: the version of the schema. It is the lock of the
 * whole database, too.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/postgres_priv.h"
#include "store/sql.h"

#define MAKE_META                                                       \
    "CREATE TABLE IF NOT EXISTS quire_meta("                            \
    "one bigint PRIMARY KEY CHECK (one = 1), version bigint NOT NULL);" \
    "INSERT INTO quire_meta(one, version) VALUES(1, 0)"                 \
    " ON CONFLICT (one) DO NOTHING"

#define IS_TABLE                                                      \
    "SELECT count(*) FROM pg_catalog.pg_class AS c"                   \
    " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"    \
    " WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')" \
    " AND c.relname = "

/* What could run statements of another author. */
#define N_HIDDEN                                                       \
    "SELECT (SELECT count(*) FROM pg_catalog.pg_class AS c"            \
    " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"     \
    " WHERE n.nspname = current_schema() AND c.relkind IN ('v', 'm'))" \
    " + (SELECT count(*) FROM pg_catalog.pg_trigger WHERE NOT tgisinternal)"

quire_status pg_info_open(struct pg_db *d, quire_error *err)
{
    bool has = false;
    quire_status st = pg_info_has_table(&d->base, "quire_meta", &has, err);

    if (st || has)
        return st;
    if (d->access == DB_READ)
        return err_fail(err, QUIRE_NOT_FOUND, "start a server on it once",
                        "%s holds no home of Quire", pg_pool_what(d->pool));
    return db_exec(&d->base, MAKE_META, err);
}

quire_status pg_info_schema_version(struct db *db, int64_t *version,
                                    quire_error *err)
{
    return sql_number(db, "SELECT version FROM quire_meta WHERE one = 1",
                      version, err);
}

quire_status pg_info_set_schema_version(struct db *db, int version,
                                        quire_error *err)
{
    struct stmt *s;
    quire_status st =
        db_prepare(db, "UPDATE quire_meta SET version = ?1 WHERE one = 1", &s,
                   err);

    if (st)
        return st;
    stmt_bind_int(s, 1, version);
    st = sql_run(s, err);
    stmt_finalize(s);
    return st;
}

/* ---- what others have committed ------------------------------------------- */

/* A receiver that adds the number of the transaction to those of this handle. */
struct own {
    struct pg_receiver to;
    struct pg_db *db;
};

static void take_own(struct pg_receiver *to, PGresult *r)
{
    struct own *o = (struct own *)(void *)to;
    struct pg_db *d = o->db;
    struct pg_snapshot one;
    quire_bytes text;

    if (r && d->lib->ntuples(r) == 1 && !d->lib->getisnull(r, 0, 0)) {
        text = bytes_of(d->lib->getvalue(r, 0, 0),
                        (size_t)d->lib->getlength(r, 0, 0));
        if (d->n_own < PG_OWN_MAX && pg_snapshot_read(text, &one))
            d->own[d->n_own++] = one.end;
        else
            d->seen.end = 0; /* then all is taken for changed */
    }
    d->lib->clear(r);
    free(o);
}

void pg_info_note_own(struct pg_db *d)
{
    struct own *o = d->versioned ? malloc(sizeof *o) : NULL;

    if (!o)
        return;
    *o = (struct own){{take_own}, d};
    /* In the form of a snapshot. */
    if (!pg_db_send(
            d, "SELECT '0:' || pg_current_xact_id_if_assigned()::text || ':'",
            NULL, &o->to))
        free(o);
}

quire_status pg_info_data_version(struct db *db, int64_t *version,
                                  quire_error *err)
{
    struct pg_db *d = (struct pg_db *)db;
    struct pg_snapshot now = {0};
    struct stmt *s;
    bool row;
    quire_status st = db_prepare(db, "SELECT pg_current_snapshot()::text", &s,
                                 err);

    if (st)
        return st;
    st = stmt_step(s, &row, err);
    if (!st)
        (void)pg_snapshot_read(stmt_column_bytes(s, 0), &now);
    stmt_finalize(s);
    if (st)
        return st;
    if (!pg_snapshot_same(&d->seen, &now, d->own, d->n_own))
        d->version++;
    d->seen = now;
    d->n_own = 0;
    d->versioned = true;
    *version = d->version;
    return QUIRE_OK;
}

/* ---- tables, space ---------------------------------------------------------- */

static quire_status count_of(struct db *db, const char *sql, const char *name,
                             int64_t *n, quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(db, sql, &s, err);

    if (st)
        return st;
    if (name)
        stmt_bind_text(s, 1, bytes_str(name));
    st = sql_take_number(s, n, err);
    stmt_finalize(s);
    return st;
}

quire_status pg_info_has_table(struct db *db, const char *name, bool *has,
                               quire_error *err)
{
    int64_t n = 0;
    quire_status st = count_of(db, IS_TABLE "?1", name, &n, err);

    *has = n > 0;
    return st;
}

quire_status pg_info_has_only_tables(struct db *db, const char *a,
                                     const char *b, bool *only,
                                     quire_error *err)
{
    int64_t hidden = 0;
    bool has_a = false, has_b = false;
    quire_status st = pg_info_has_table(db, a, &has_a, err);

    if (!st)
        st = pg_info_has_table(db, b, &has_b, err);
    if (!st)
        st = count_of(db, N_HIDDEN, NULL, &hidden, err);
    *only = !st && has_a && has_b && hidden == 0;
    return st;
}

/* The server's own upkeep returns space, and overwrites it. */
quire_status pg_info_space(struct db *db, int64_t *bytes, int64_t *unused,
                           quire_error *err)
{
    *unused = 0;
    return sql_number(db, "SELECT pg_database_size(current_database())", bytes,
                      err);
}

quire_status pg_info_release_space(struct db *db, int64_t max,
                                   int64_t *released, quire_error *err)
{
    (void)db, (void)max, (void)err;
    *released = 0;
    return QUIRE_OK;
}

quire_status pg_info_scrub(struct db *db, quire_error *err)
{
    (void)db, (void)err;
    return QUIRE_OK;
}
