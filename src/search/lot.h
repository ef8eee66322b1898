/*
 * lot.h - rows of hits, many by one statement
 *
 * A statement for each hit costs a round trip where the database is remote, and
 * as much as the row itself where it is not. So the rows of LOT_MAX hits are
 * read at once: SELECT … WHERE id IN (LOT_PARAMETERS). Most queries have a hit
 * or two, for which a set of 63 would be the larger part of the work: a second
 * statement has room for LOT_FEW.
 */
#ifndef SEARCH_LOT_H
#define SEARCH_LOT_H

#include "store/db.h"

enum { LOT_FEW = 8, LOT_MAX = 63 };

#define LOT_FEW_PARAMETERS "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8"

#define LOT_PARAMETERS                                                       \
    "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16," \
    " ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30," \
    " ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44," \
    " ?45, ?46, ?47, ?48, ?49, ?50, ?51, ?52, ?53, ?54, ?55, ?56, ?57, ?58," \
    " ?59, ?60, ?61, ?62, ?63"

/* Bind `n` ids, 1 <= n <= LOT_MAX, to the statement with room for them. The last
 * one takes the places that are left: a set has each id once. */
static inline void lot_bind(struct stmt *s, const int64_t *ids, size_t n)
{
    int64_t id = 0;
    size_t i, room = n <= LOT_FEW ? LOT_FEW : LOT_MAX;

    for (i = 0; i < room; i++) {
        if (i < n)
            id = ids[i];
        stmt_bind_int(s, (int)i + 1, id);
    }
}

#endif
