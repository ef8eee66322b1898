/* rows.h - the rows of opencode, or its older files, as lines; see opencode.c */
#ifndef IMPORT_OPENCODE_ROWS_H
#define IMPORT_OPENCODE_ROWS_H

#include "import/database.h"

/* Whether it is a database of opencode. */
bool opencode_is_database(struct sqlite_reader *r);

/* Add the sessions of a database, or report why it cannot be read. A session that is
 * in the files of `tree` too replaces that one, which is removed from `tree`; NULL:
 * there are none. */
quire_status opencode_add_database(struct import_place *at, const char *file,
                                   struct import_places *tree,
                                   quire_error *err);

/* Add a session by its older file, storage/session/<project>/ses_….json; another
 * file is passed over. */
quire_status opencode_add_file(struct import_place *at, const char *name,
                               const struct stat *st, quire_error *err);

#endif
