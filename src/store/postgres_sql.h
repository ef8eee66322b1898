/*
 * postgres_sql.h - SQL as db.h has it, as PostgreSQL takes it
 *
 * Parameters ?1 become $1, DB_NEXT_ID() a nextval(). In CREATE and ALTER the names of
 * SQLite's types become PostgreSQL's: INTEGER bigint, BLOB bytea, TEXT text in the
 * order of bytes; an id that is never used again is an identity column. All else is
 * the same in both: tools/check-sql.
 */
#ifndef STORE_POSTGRES_SQL_H
#define STORE_POSTGRES_SQL_H

#include <stdbool.h>

#include "base/buf.h"
#include "quire.h"

/* Add the statement to `out`; the number of the highest parameter, -1: there is one
 * above 64 or without a number. */
int postgres_translate(const char *sql, struct buf *out);

/* Whether it may change rows: anything but SELECT, VALUES and the like. */
bool postgres_changes_rows(const char *sql);

#endif
