/*
 * content.h - the bytes that are imported of what was found
 *
 * Those of the file, or what its agent makes of it: the text of a compressed file,
 * the rows that a database has of one session. These go to a temporary file
 * without a name, so that both are read the same way.
 */
#ifndef IMPORT_CONTENT_H
#define IMPORT_CONTENT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "import/places.h"

/* Open it for reading. *st is that of the file; of what was extracted the size is
 * that of the bytes, and inode and time are those of `f`. `dir` is where temporary
 * files go; NULL: the system's directory for them.
 *
 * Owns: *fd is the caller's, -1 on failure.
 * QUIRE_NOT_FOUND, QUIRE_IO, QUIRE_DAMAGED, QUIRE_BUSY: of this file alone */
quire_status content_open(const struct import_found *f, const char *dir,
                          int *fd, struct stat *st, quire_error *err);

/* Whether the session that was imported from `other` is the one in `f` now: that
 * file is gone, or `f` replaces it. */
bool content_was_moved(const char *other, const struct import_found *f);

#endif
