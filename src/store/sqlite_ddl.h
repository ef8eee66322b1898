/*
 * sqlite_ddl.h - what CREATE TABLE says in SQLite's dialect only
 *
 * The schema takes these from here, so that another driver can put its own text
 * in their place. They are part of the text that quire.db keeps and `quire
 * check` compares: changing one changes the format.
 */
#ifndef STORE_SQLITE_DDL_H
#define STORE_SQLITE_DDL_H

/* An id that no later row gets again, even after the row was deleted. */
#define DDL_SERIAL_KEY "INTEGER PRIMARY KEY AUTOINCREMENT"

/* After the columns: rows are stored in the order of the primary key. */
#define DDL_CLUSTERED " WITHOUT ROWID"

/* Whether a value has the type of its column: SQLite stores any in any. */
#define SQL_IS_BYTES(column) "typeof(" column ") = 'blob'"

/* How many bytes a text has; length() counts characters. */
#define SQL_BYTES_OF(column) "length(CAST(" column " AS BLOB))"

/* A view of this connection alone, in place of a table; also while the connection
 * may only read. */
#define DDL_TEMP_VIEW(name, select)                                   \
    "PRAGMA query_only=OFF; CREATE TEMP VIEW " name " AS " select ";" \
    "PRAGMA query_only=ON;"

#endif
