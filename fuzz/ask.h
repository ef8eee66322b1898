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

    HOLDS(!db->ops->prepare(db, sql, &s, NULL));
    if (value.data)
        s->ops->bind_text(s, 1, value);
    if (s->ops->step(s, &row, &err))
        fprintf(stderr, "%s\n", err.what);
    HOLDS(err.status == QUIRE_OK);
    n = row ? s->ops->column_int(s, 0) : 0;
    s->ops->finalize(s);
    return n;
}

#endif
