/* ask.h - a question to a database that must have an answer */
#ifndef FUZZ_ASK_H
#define FUZZ_ASK_H

#include <stdio.h>

#include "holds.h"
#include "store/db.h"

/* The first column of the first row, of a statement with one value. */
static inline int64_t ask(struct db *db, const char *sql, quire_bytes value)
{
    quire_error err = {0};
    struct stmt *s;
    int64_t n;
    bool row;

    HOLDS(!db_prepare(db, sql, &s, NULL));
    if (value.data)
        stmt_bind_text(s, 1, value);
    if (stmt_step(s, &row, &err))
        fprintf(stderr, "%s\n", err.what);
    HOLDS(err.status == QUIRE_OK);
    n = row ? stmt_column_int(s, 0) : 0;
    stmt_finalize(s);
    return n;
}

#endif
