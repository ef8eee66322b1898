/*
 * schema.h - the tables of quire.db
 *
 * user_version in the file's header counts the steps taken. A released step is
 * never edited; a change is a new step. docs/format.md describes the tables.
 */
#ifndef CATALOG_SCHEMA_H
#define CATALOG_SCHEMA_H

#include <stdbool.h>

#include "quire.h"
#include "store/db.h"

/* The step that created each group of tables. A read-only handle may open an
 * older file: compare with the number of steps taken before using a table. */
enum schema_step {
    SCHEMA_BLOBS = 1,
    SCHEMA_SESSION_LIST = 2,
    SCHEMA_ARTIFACTS = 3, /* and tenants, and sessions */
    SCHEMA_SETTINGS = 4,
    SCHEMA_REMOVALS = 5,
    SCHEMA_MEMORY = 6,
    SCHEMA_SCRATCHPADS = 7,
    SCHEMA_READ_COUNTS = 8,
    SCHEMA_SESSION_USAGE = 9,
    SCHEMA_REF_INDEX = 10,
    SCHEMA_BASELINE = 11,
    SCHEMA_RUN_LOG = 12,
    SCHEMA_IDEMPOTENCY = 13,
    SCHEMA_FULLTEXT_DUE = 14, /* dropped by SCHEMA_CHANGE_LOG */
    SCHEMA_AUDIT_LOG = 15,
    SCHEMA_FOLDERS = 16,
    SCHEMA_BLOB_TENANTS = 17,
    SCHEMA_AGENTS = 18,      /* and positions of folders, and links of memory */
    SCHEMA_TENANT_KEYS = 19, /* tables below artifacts, sessions, … have it */
    SCHEMA_CHANGE_LOG = 20,  /* instead of full-text tables */
    SCHEMA_IMPORTS = 21,
    SCHEMA_PART_FORMS = 22, /* a column of import_part */
    SCHEMA_TOKENS = 23,
    SCHEMA_ACTIVITY = 24,
    SCHEMA_ANSWERS = 25, /* import_answer */
    SCHEMA_CONTINUATIONS = 26,
    SCHEMA_KEEPING = 27,  /* pins, holds and the trash */
    SCHEMA_EXPORTED = 28, /* sessions that were placed for agents */
    SCHEMA_SYNC = 29,     /* what two homes compare */
    SCHEMA_STEPS = SCHEMA_SYNC,
};

/* Create the tables, or bring them up to date. *steps is how many steps the
 * file has taken.
 *
 * QUIRE_NOT_FOUND  read_only, and the file has no tables yet
 * QUIRE_INVALID    a newer version wrote it
 * QUIRE_DAMAGED    it is not a catalogue */
quire_status schema_prepare(struct db *db, bool read_only, int *steps,
                            quire_error *err);

/* Create the tables of the first `n` steps in an empty database. */
quire_status schema_create(struct db *db, int n, quire_error *err);

/* The tables of SCHEMA_REF_INDEX alone, for a database of their own. */
quire_status schema_create_ref_index(struct db *db, quire_error *err);

#endif
