/* sqlite_info.c - what SQLite reports about a database: its versions, its
 * tables, its pages */
#include <stdio.h>

#include "base/err.h"
#include "base/bytes.h"
#include "store/sql.h"
#include "store/sqlite_priv.h"

quire_status sqlite_schema_version(struct db *db, int64_t *version,
                                   quire_error *err)
{
    return sql_number(db, "PRAGMA user_version", version, err);
}

quire_status sqlite_set_schema_version(struct db *db, int version,
                                       quire_error *err)
{
    char sql[64];

    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", version);
    return db_exec(db, sql, err);
}

/* Asked before every answer from a cache: the statement stays prepared. */
quire_status sqlite_data_version(struct db *db, int64_t *version,
                                 quire_error *err)
{
    struct sqlite_db *d = (struct sqlite_db *)db;
    quire_status st = QUIRE_OK;

    *version = 0;
    if (!d->data_version)
        st = db_prepare(db, "PRAGMA data_version", &d->data_version, err);
    if (st)
        return st;
    st = sql_row(d->data_version, err);
    if (!st)
        *version = stmt_column_int(d->data_version, 0);
    stmt_reset(d->data_version);
    return st;
}

quire_status sqlite_has_table(struct db *db, const char *name, bool *has,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(db,
                                 "SELECT 1 FROM sqlite_schema WHERE type"
                                 " = 'table' AND name = ?1",
                                 &s, err);

    *has = false;
    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    st = stmt_step(s, has, err);
    stmt_finalize(s);
    return st;
}

quire_status sqlite_has_only_tables(struct db *db, const char *a, const char *b,
                                    bool *only, quire_error *err)
{
    static const char sql[] =
        "SELECT count(*) FILTER (WHERE type = 'table' AND name IN (?1, ?2)),"
        " count(*) FILTER (WHERE type IN ('view', 'trigger'))"
        " FROM sqlite_schema";
    struct stmt *s;
    quire_status st = db_prepare(db, sql, &s, err);
    bool row;

    *only = false;
    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(a));
    stmt_bind_text(s, 2, bytes_str(b));
    st = stmt_step(s, &row, err);
    *only = !st && row && stmt_column_int(s, 0) == 2 &&
            stmt_column_int(s, 1) == 0;
    stmt_finalize(s);
    return st;
}

quire_status sqlite_space(struct db *db, int64_t *bytes, int64_t *unused,
                          quire_error *err)
{
    int64_t page = 0;
    quire_status st = sql_number(db, "PRAGMA page_size", &page, err);

    *bytes = *unused = 0;
    if (!st)
        st = sql_number(db, "PRAGMA page_count", bytes, err);
    if (!st)
        st = sql_number(db, "PRAGMA freelist_count", unused, err);
    *bytes *= page;
    *unused *= page;
    return st;
}

quire_status sqlite_release_space(struct db *db, int64_t max, int64_t *released,
                                  quire_error *err)
{
    int64_t page = 0, before = 0, after = 0;
    quire_status st = sql_number(db, "PRAGMA page_size", &page, err);
    char sql[64];

    *released = 0;
    if (!st)
        st = sql_number(db, "PRAGMA freelist_count", &before, err);
    if (st || before == 0)
        return st;
    snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%lld)",
             (long long)(max > page ? max / page : 1));
    st = db_exec(db, sql, err);
    if (!st)
        st = sql_number(db, "PRAGMA freelist_count", &after, err);
    if (!st && after < before)
        *released = (before - after) * page;
    return st;
}

/* Deleted rows are overwritten in the database when the log is copied to it; the log
 * still has what they were. */
quire_status sqlite_scrub(struct db *db, quire_error *err)
{
    int64_t busy = 0;
    quire_status st = sql_number(db, "PRAGMA wal_checkpoint(TRUNCATE)", &busy,
                                 err);

    return st || !busy ? st
                       : err_fail(err, QUIRE_BUSY, "try again later",
                                  "another process reads %s",
                                  ((struct sqlite_db *)db)->path);
}

bool sqlite_is_damaged(const struct db *db)
{
    return ((const struct sqlite_db *)db)->damaged;
}

/* Names of tables are ours: they need no quotes. */
quire_status db_sqlite_drop_fulltext(struct db *db, quire_error *err)
{
    static const char sql[] =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE"
        " 'CREATE VIRTUAL TABLE %' AND (name GLOB 'artifact_words_[0-9]*' OR"
        " name GLOB 'memory_words_[0-9]*' OR name GLOB 'memory_past_[0-9]*')"
        " LIMIT 1";
    quire_status st = QUIRE_OK;
    bool row = true;

    while (!st && row) {
        char name[64] = "", drop[96];
        struct stmt *s;

        st = db_prepare(db, sql, &s, err);
        if (st)
            return st;
        st = stmt_step(s, &row, err);
        if (!st && row)
            sql_copy_text(s, 0, name, sizeof name);
        stmt_finalize(s);
        snprintf(drop, sizeof drop, "DROP TABLE \"%s\"", name);
        if (!st && row && strchr(name, '"'))
            st = err_set(err, QUIRE_DAMAGED, "a table has an impossible name");
        else if (!st && row)
            st = db_exec(db, drop, err);
    }
    return st;
}
