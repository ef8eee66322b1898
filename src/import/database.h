/*
 * database.h - sessions that are rows of a SQLite database
 *
 * Such a session is found as "<file>#<id>". What is imported, and kept as its
 * original, are its rows as lines of JSON, in the order of their keys
 * (docs/decisions/037-originals-of-databases.md); import/sqlite_reader.h has how a
 * row is spelled. When it has changed is read from counts and times of the rows.
 */
#ifndef IMPORT_DATABASE_H
#define IMPORT_DATABASE_H

#include "base/buf.h"
#include "import/sqlite_reader.h"
#include "import/places.h"

/* ---- finding ------------------------------------------------------------ */

/* A session, as its database has it. Text may be empty, but for the id. */
struct database_session {
    quire_bytes id, parent, title, cwd;
    size_t prefix; /* bytes of ids that are no part of an id of ours     */
    int64_t
        modified_ms; /* of the row that was changed last                   */
    uint64_t state;  /* another number when rows have come or gone         */
    uint64_t n_rows; /* about                                              */
    const char
        *replaces; /* as import_found has it                            */
};

/* Whether an id can be part of a path: letters, digits, "-" and "_". */
bool database_is_id(quire_bytes id);

/* Add it. One whose id is none is reported when it is imported. */
quire_status database_add(struct import_place *at, const char *file,
                          const struct database_session *s,
                          import_extract_fn extract, quire_error *err);

/* Open a database, and if it is ours let `list` add its sessions. One that cannot
 * be read is added as a file that cannot. */
typedef bool (*database_is_fn)(struct sqlite_reader *r);
typedef quire_status (*database_list_fn)(struct sqlite_reader *r, void *ctx,
                                         quire_error *err);
quire_status database_find(struct import_place *at, const char *file,
                           database_is_fn is_ours, database_list_fn list,
                           void *ctx, quire_error *err);

/* Whether a file is a database, and ours. */
struct import_candidate;
bool database_is(const struct import_candidate *f, database_is_fn is_ours);

/* A list that one query makes, of columns in this order: id, parent, title, cwd,
 * number of rows, time of the last change (seconds or milliseconds); all that
 * follow are compared. */
quire_status database_add_listed(struct sqlite_reader *r,
                                 struct import_place *at, const char *file,
                                 const char *sql, import_extract_fn extract,
                                 quire_error *err);

/* "name", or "NULL" if the table has no such column. */
const char *database_column(struct sqlite_reader *r, const char *table,
                            const char *name);

/* The id behind the "#" of its path. */
const char *database_id(const struct import_found *f);

/* ---- extracting --------------------------------------------------------- */

/* Lines on their way to a file. */
struct database_lines {
    struct sqlite_reader *r;
    const char *id; /* of the session */
    int fd;
    struct buf text;
};

void database_lines_init(struct database_lines *l, int fd);

/* Write what was collected: if it is much, or all of it. */
quire_status database_write(struct database_lines *l, bool all,
                            quire_error *err);

typedef quire_status (*database_write_fn)(struct database_lines *l,
                                          quire_error *err);

/* Open f->from, and let `write` write the lines of the session; again if its program
 * writes meanwhile. */
quire_status database_extract(const struct import_found *f, int fd,
                              database_write_fn write, quire_error *err);

/* {"table": table, "row": row}, for each row of a query with the session's id. */
quire_status database_add_table(struct database_lines *l, const char *table,
                                const char *sql, quire_error *err);

/* {"<name>": row}, for the one row of a query with the session's id. */
quire_status database_add_row(struct database_lines *l, const char *name,
                              const char *sql, quire_error *err);

#endif
