/*
 * sqlite_reader.h - the SQLite database of another program, for reading
 *
 * Nothing is written: not the file, nor its log, nor the index of the log, and no
 * file is made beside them. How it is opened follows from what is there:
 *
 *     file                     read with
 *     no write-ahead log       immutable: its bytes alone. If they change
 *                              meanwhile, or a log appears, that is reported
 *     log and its index        as any reader of the log, its index not written to
 *     log without an index     the log, indexed in memory, as above
 *     rollback journal mode    a shared lock, as any reader
 *
 * The file is hostile: its size, schema and content are anybody's. Functions in its
 * schema are not trusted, only tables are read (no view, no virtual table), and
 * values, SQL and the work of a query are bounded.
 */
#ifndef BASE_SQLITE_READER_H
#define BASE_SQLITE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

/* The longest value; a row that has a longer one ends the query. */
#define SQLITE_READER_VALUE_MAX ((size_t)256 << 20)

struct sqlite_reader;

/* Owns: *out is the caller's until sqlite_reader_close(); NULL on failure.
 * QUIRE_NOT_FOUND  there is no file
 * QUIRE_DAMAGED    it is not a database
 * QUIRE_BUSY       its program writes to it
 * QUIRE_IO, QUIRE_NO_MEMORY */
quire_status sqlite_reader_open(const char *path, struct sqlite_reader **out,
                                quire_error *err);

/* Close it; NULL does nothing. */
void sqlite_reader_close(struct sqlite_reader *r);

/* QUIRE_OK, or QUIRE_BUSY: its program has written to it since it was opened, in a
 * way that what was read may not be of one moment. Call it behind all queries. */
quire_status sqlite_reader_settle(struct sqlite_reader *r, quire_error *err);

/* Whether it has a table with such a column; of all that is asked. */
bool sqlite_reader_has(struct sqlite_reader *r, const char *table,
                       const char *column);

/* A row, lent until the callback returns. */
struct sqlite_row;

typedef quire_status (*sqlite_row_fn)(void *ctx, const struct sqlite_row *row,
                                      quire_error *err);

/* Run a query over tables that sqlite_reader_has(), with up to two texts for its
 * parameters (NULL: none). Another status than QUIRE_OK ends it and is returned.
 *
 * QUIRE_DAMAGED  the database is damaged, a value too long, or there is too much
 *                work
 * QUIRE_BUSY, QUIRE_IO, QUIRE_NO_MEMORY */
quire_status sqlite_reader_query(struct sqlite_reader *r, const char *sql,
                                 const char *first, const char *second,
                                 sqlite_row_fn each, void *ctx,
                                 quire_error *err);

/* A column from 0. Text is as it is stored; of another kind of value it is empty,
 * of a number 0. */
quire_bytes sqlite_row_text(const struct sqlite_row *row, int column);
int64_t sqlite_row_int(const struct sqlite_row *row, int column);

int sqlite_row_columns(const struct sqlite_row *row);

/* The column of that name, -1: none. */
int sqlite_row_column(const struct sqlite_row *row, const char *name);

/* Add the row as a JSON object, a member a column, in their order, from which the
 * row can be made again:
 *
 *     null; an integer; a real, with 17 digits (an infinite one {"$real": "inf"})
 *     text       a string; text that is itself an object or a list of JSON, on one
 *                line, stands as that value, as it is spelled
 *     other text {"$text": base64}, if it is not UTF-8
 *     a blob     {"$blob": base64} */
void sqlite_row_json(const struct sqlite_row *row, struct buf *out);

/* A text as it is written there. */
struct json_writer;
void sqlite_text_json(struct json_writer *w, quire_bytes text);

#endif
