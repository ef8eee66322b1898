/*
 * sql.h - prepared statement cache
 *
 * A module keeps its SQL in one table of texts and refers to each by index. A
 * statement is prepared on first use and kept until the end: a commit costs
 * some hundred microseconds, and preparing six statements as much again.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <stddef.h>

#include "quire.h"
#include "store/db.h"

struct sql {
    struct db *db;            /* borrowed */
    const char *const *texts; /* borrowed */
    size_t n;
    struct stmt **stmts; /* owned */
    char **made;         /* owned; the texts, if they were built for a name */
};

quire_status sql_init(struct sql *s, struct db *db, const char *const *texts,
                      size_t n, quire_error *err);

/* The same for a table with a name known only at run time: every %s of the
 * patterns is `name`, a valid identifier. */
quire_status sql_init_named(struct sql *s, struct db *db,
                            const char *const *patterns, size_t n,
                            const char *name, quire_error *err);
void sql_release(struct sql *s);

/* The statement, ready to be bound. On failure *out is NULL. */
quire_status sql_use(struct sql *s, int which, struct stmt **out,
                     quire_error *err);

/* Release the row it is at, if it was ever used. */
void sql_reset(struct sql *s, int which);

/* Step to the first row. Without one: QUIRE_NOT_FOUND, no message. The caller
 * resets it after reading. */
quire_status sql_row(struct stmt *s, quire_error *err);

/* Step a statement that returns no rows, and reset it: for statements whose
 * failure, or whose number of rows, decides what comes next. Others are posted. */
quire_status sql_run(struct stmt *s, quire_error *err);

/* Post a statement in a transaction of its own. */
quire_status sql_commit(struct db *db, enum db_begin mode, int64_t scope,
                        struct stmt *s, quire_error *err);

/* The number in the first column of the only row, of a statement that may have been
 * asked; resets it. QUIRE_NOT_FOUND without a message. */
quire_status sql_take_number(struct stmt *s, int64_t *out, quire_error *err);

/* End a transaction: commit if `st` is QUIRE_OK, else roll back and pass `st`
 * on. */
quire_status sql_end(struct db *db, quire_status st, quire_error *err);

/* The number that `text` selects, prepared for this call only. QUIRE_NOT_FOUND
 * without a message. */
quire_status sql_number(struct db *db, const char *text, int64_t *out,
                        quire_error *err);

/* A column's text, as far as it fits, as a string. */
void sql_copy_text(struct stmt *s, int column, char *out, size_t cap);

/* The digest in a column of the current row; false: it is malformed. */
bool sql_digest(struct stmt *s, int column, quire_digest *out);

/* Each digest in the first column of the remaining rows, then reset. Malformed
 * digests are skipped; `quire check` reports them. */
typedef quire_status (*sql_digest_fn)(void *ctx, const quire_digest *d,
                                      quire_error *err);
quire_status sql_digests(struct stmt *s, sql_digest_fn each, void *ctx,
                         quire_error *err);

#endif
