/* finder.h - a search index of memory entries, for tests of that module alone */
#ifndef SUPPORT_FINDER_H
#define SUPPORT_FINDER_H

#include "memory/memory.h"

/* Finds among the entries of a tenant as they are, in an index in memory; pinned ones by
 * the row of their session. */
struct test_finder {
    struct memory_finder finder; /* for memory_search() */
    struct memories *m;
    int64_t tenant, session;
};

void test_finder_init(struct test_finder *f, struct memories *m, int64_t tenant,
                      int64_t session);

#endif
