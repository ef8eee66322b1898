/*
 * catalog.h - the catalogue of the test's home, looked at from behind
 *
 * With a connection of its own: what is asked here has not passed through the
 * code that is tested.
 */
#ifndef TESTS_SUPPORT_CATALOG_H
#define TESTS_SUPPORT_CATALOG_H

#include "store/db.h"
#include "support/test.h"

/* A connection of its own to the catalogue of a home, "home" or another of the
 * test's directory. Every test that looks into the catalogue opens it here, so that
 * all of them can run over another database. */
struct db *catalogue_open(void);
struct db *catalogue_open_in(const char *home);

/* Its file, and files beside it ("-wal"): for tests of damaged, missing and older
 * files, which only the embedded database has. */
const char *catalogue_file(void);
const char *catalogue_file_beside(const char *end);

/* Nothing contradicts itself: SQLite's own checks, the totals, and that rows,
 * versions, blobs and words belong together. */
void catalogue_sound(void);
void catalogue_sound_in(const char *name); /* of that name, not "home" */

/* Everything that is known, a line a row, but for the files that are still to
 * go; until the test ends. Two that are the same are the same in every word of
 * every index. */
const char *catalogue_dump(void);
const char *catalogue_dump_of(const char *name);

/* The number that a statement gives. */
int64_t catalogue_number(const char *sql);

/* Copy the whole home to `to`, or back. */
void catalogue_copy(const char *from, const char *to);

/* Put a fault into both seams of a handle before it has looked at anything. */
struct fault;
void catalogue_tap(quire *q, struct fault *f);

/* An environment variable asks for the long form of a test. */
bool catalogue_long(void);

#endif
