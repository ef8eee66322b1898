/*
 * backends.h - every backend of the storage interfaces, for tests/conform
 *
 * A new backend is one line in backends.c; it is done when each suite of the
 * interfaces that it offers passes over it.
 */
#ifndef TESTS_BACKENDS_H
#define TESTS_BACKENDS_H

#include "store/db.h"
#include "store/intercept.h"

/* Run `body` over memory, files, files behind the wrapper, rows of SQLite, and those of
 * PostgreSQL where QUIRE_TEST_POSTGRES names one. */
void backend_each(void (*body)(struct store *s));

/* The same over the S3 store that QUIRE_TEST_S3 names, bare and behind the
 * wrapper with both hooks; skipped without one. Its store has objects only. */
void backend_each_s3(void (*body)(struct store *s));

/* Objects in the bucket: see store/s3.h for what they do in another way. */
bool backend_is_bucket(const struct store *s);

/* A store of files in the test's directory, "store". */
struct store *backend_files(void);

/* A store of rows over the database, which it takes; and one of SQLite in the test's
 * directory. */
struct store *backend_rows(struct db *db);
struct db *backend_database(void);

/* Publish an object, in two pieces, as streams come. */
quire_status backend_put(struct store *s, const char *name, const char *text,
                         bool replace);

/* An object has these bytes; there is no object. */
void backend_holds(struct store *s, const char *name, const char *text);
bool backend_lacks(struct store *s, const char *name);

#endif
