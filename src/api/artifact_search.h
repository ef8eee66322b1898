/* artifact_search.h - search artifacts: see artifact_search.c */
#ifndef API_ARTIFACT_SEARCH_H
#define API_ARTIFACT_SEARCH_H

#include "api/core/handle.h"

struct artifact_query {
    const char *key; /* the id of the session; NULL: the whole tenant */
    const char *text;
    const char *tag;            /* NULL: any                          */
    const char *mime;           /* prefix of the type; NULL: any      */
    int64_t since_us, until_us; /* 0: any time                        */
    uint64_t limit;
};

/* Hits, the best first; *n of them. QUIRE_INVALID: the query has nothing to search for;
 * QUIRE_NOT_FOUND with a message: a filter of it names no session. */
quire_status artifact_search(struct quire *q, const struct artifact_query *a,
                             quire_hit_fn each, void *ctx, uint64_t *n,
                             quire_error *err);

#endif
