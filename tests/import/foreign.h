/*
 * foreign.h - databases of other programs, and imports of them
 */
#ifndef TESTS_IMPORT_FOREIGN_H
#define TESTS_IMPORT_FOREIGN_H

#include <sqlite3.h>

#include "import/run.h"
#include "support/test.h"

/* Run SQL, with ' as it stands, on the database at a path, which is made; "wal" or
 * another journal mode first, unless NULL. */
void foreign_sql(const char *path, const char *journal, const char *sql);

/* The same connection stays open: its program runs. */
sqlite3 *foreign_open(const char *path, const char *journal, const char *sql);
void foreign_exec(sqlite3 *db, const char *sql);

/* A file with its text in ' for ", and the directories above it. */
void foreign_write(const char *path, const char *text);
void foreign_dirs(const char *path);

struct foreign_import {
    unsigned states[IMPORT_DAMAGED + 1];
    char session[80], parent[80]; /* of the last line */
    uint64_t entries, problems;
    char problem[512]; /* the last one */
    struct import_summary sum;
};

/* What is there, with the home test_path("home"); `from` NULL: in the places. */
struct foreign_import foreign_import(quire *q, const char *from);
quire *foreign_home(void);

/* The original of what was imported, by its path in the ledger; until the test
 * ends. */
const char *foreign_original(quire *q, const char *path);

/* The sum of all bytes of a file, and whether it is there. */
uint64_t foreign_state(const char *path);

/* Import test_path(name) again and again into an empty home, while the n-th call
 * fails, until none is left to fail; then what is imported is as if none had. */
void foreign_faults(const char *name, const char *ledger_path);

#endif
