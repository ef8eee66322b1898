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

#endif
