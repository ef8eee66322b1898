/* rows_store.c - the tables of the backend in rows; opening a store: see rows.h */
#include "store/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/rows_priv.h"
#include "store/sqlite_ddl.h"

static const char tables[] =
    "CREATE TABLE content("
    " id INTEGER PRIMARY KEY,"
    " size INTEGER NOT NULL,"
    " modified INTEGER NOT NULL," /* microseconds */
    " epoch INTEGER NOT NULL,"    /* the highest that has appended */
    " hold_epoch INTEGER NOT NULL,"
    " until INTEGER NOT NULL," /* of the hold, milliseconds; 0: none */
    " holder TEXT NOT NULL);"
    "CREATE TABLE content_block(id " DDL_SERIAL_KEY ", made INTEGER NOT NULL);"
    "CREATE TABLE named("
    " dir BLOB NOT NULL,"
    " base BLOB NOT NULL,"
    " content INTEGER NOT NULL REFERENCES content(id),"
    " PRIMARY KEY(dir, base))" DDL_CLUSTERED ";"
    "CREATE INDEX named_content ON named(content);"
    "CREATE TABLE piece("
    " content INTEGER NOT NULL REFERENCES content(id) ON DELETE CASCADE,"
    " at INTEGER NOT NULL,"
    " bytes BLOB NOT NULL,"
    " PRIMARY KEY(content, at))" DDL_CLUSTERED ";"
    "CREATE TABLE lease("
    " name BLOB PRIMARY KEY,"
    " epoch INTEGER NOT NULL,"
    " until INTEGER NOT NULL,"
    " holder TEXT NOT NULL)" DDL_CLUSTERED ";"
    "CREATE TABLE store_lock("
    " root BLOB NOT NULL,"
    " holder TEXT NOT NULL,"
    " exclusive INTEGER NOT NULL,"
    " until INTEGER NOT NULL,"
    " PRIMARY KEY(root, holder))" DDL_CLUSTERED ";";

#define IDENTITY "identity" /* a lease without takers, for its number */

/* In the transaction that creates the tables. */
static quire_status make_identity(struct db *db, quire_error *err)
{
    uint64_t random;
    struct stmt *s;
    quire_status st = rand_bytes(&rand_system, &random, sizeof random, err);

    if (!st)
        st = db_prepare(db,
                        "INSERT INTO lease(name, epoch, until, holder)"
                        " VALUES(?1, ?2, 0, '')",
                        &s, err);
    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_str(IDENTITY));
    stmt_bind_int(s, 2, (int64_t)(random >> 1) | 1);
    st = stmt_post(s, err);
    stmt_finalize(s);
    return st;
}

quire_status store_rows_identity(struct db *db, int64_t *id, quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(db, "SELECT epoch FROM lease WHERE name = ?1",
                                 &s, err);

    *id = 0;
    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_str(IDENTITY));
    st = sql_take_number(s, id, err);
    stmt_finalize(s);
    return st;
}

quire_status store_rows_prepare(struct db *db, quire_error *err)
{
    bool has = false;
    quire_status st = db_has_table(db, "store_lock", &has, err);

    if (st || has)
        return st;
    st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (st)
        return st;
    /* Another process may have been first. */
    st = db_has_table(db, "store_lock", &has, err);
    if (!st && !has)
        st = db_exec(db, tables, err);
    if (!st && !has)
        st = make_identity(db, err);
    return sql_end(db, st, err);
}

quire_status store_rows_reap(struct db *db, const struct clock *clock,
                             int64_t *n, quire_error *err)
{
    static const char text[] =
        "DELETE FROM content WHERE modified < ?1 AND NOT EXISTS"
        " (SELECT 1 FROM named WHERE named.content = content.id)";
    struct stmt *s;
    quire_status st = db_prepare(db, text, &s, err);

    *n = 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, clock_us(clock) - ROWS_KEEP_S * INT64_C(1000000));
    st = sql_run(s, err);
    if (!st)
        *n = db_changes(db);
    stmt_finalize(s);
    return st;
}

static void free_store(struct store *s)
{
    rows_drop_part(rows_of_store(s));
}

/* A line that no other store uses, of this process or another. */
static quire_status name_holder(struct rows *r, const char *process,
                                quire_error *err)
{
    uint64_t random;
    quire_status st = rand_bytes(&rand_system, &random, sizeof random, err);

    if (!st)
        snprintf(r->me, sizeof r->me, "%.64s %016llx", process,
                 (unsigned long long)random);
    return st;
}

quire_status store_rows_open(const struct rows_config *config,
                             struct store **out, quire_error *err)
{
    struct rows *r = calloc(1, sizeof *r);
    quire_status st;

    *out = NULL;
    if (!r) {
        db_close(config->db);
        return err_memory(err);
    }
    r->objects.ops = &rows_object_ops;
    r->logs.ops = &rows_log_ops;
    r->leases.ops = &rows_lease_ops;
    r->dirs.ops = &rows_directory_ops;
    r->store = (struct store){.objects = &r->objects,
                              .logs = &r->logs,
                              .leases = &r->leases,
                              .dirs = &r->dirs,
                              .free = free_store};
    r->n_parts = 5; /* the struct itself is one */
    r->clock = config->clock;
    r->read_only = config->read_only;
    r->root = strdup(config->root);
    r->place = strdup(config->place);
    st = rows_init(r, config->db, err);
    if (!st && (!r->root || !r->place))
        st = err_memory(err);
    if (!st)
        st = name_holder(r, config->process, err);
    if (st)
        store_free(&r->store);
    else
        *out = &r->store;
    return st;
}
