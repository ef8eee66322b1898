/*
 * page.h - lists in answers, whole or by page
 *
 *     {"<key>": [row, ...], "count": n, "tenant_id": id, ..., "next_cursor": "<time>.<id>"}
 *
 * A page queries one row more than its limit. If that row comes there are more; it
 * is left out, and the next page begins with it.
 */
#ifndef SERVER_PAGE_H
#define SERVER_PAGE_H

#include "server/response_json.h"

struct page {
    struct request *c;
    uint64_t limit; /* 0: no limit            */
    uint64_t n;
    bool more;
    int64_t last_us, last_id; /* of the last row of the page */
};

/* Begin the object, and in it the array. */
void page_begin(struct page *p, const char *key);

/* For each row: QUIRE_OK to write it, QUIRE_STOPPED if it is the extra one. Its sort
 * key is for the cursor. */
quire_status page_take(struct page *p, int64_t us, int64_t id);

/* End the array, and write its count and the tenant's id. */
void page_end_rows(struct page *p);

/* "next_cursor": of the last row; null unless there are more. */
void page_put_cursor(struct page *p);

/* End the object, or answer the failure `st`; QUIRE_STOPPED is none. */
void page_end(struct page *p, quire_status st, const quire_error *err);

#endif
