/*
 * page.h - a list that is answered: all of it, or one page
 *
 *     {"<key>": [row, ...], "count": n, ..., "next_cursor": "<time>.<id>"}
 *
 * A page is asked for with one row more than its limit. That the row comes says
 * that there are more; it is not quote_text, and the next page begins with it.
 */
#ifndef SERVER_PAGE_H
#define SERVER_PAGE_H

#include "server/response_json.h"

struct page {
    struct request *c;
    uint64_t limit; /* 0: none, all there are */
    uint64_t n;
    bool more;
    int64_t last_us, last_id; /* of the last row that is quote_text */
};

/* Begin the object, and in it the array. */
void page_begin(struct page *p, const char *key);

/* A row has come: QUIRE_OK if it is to be quote_text, QUIRE_STOPPED if it is the one
 * too many. What it is put in order by is for the cursor. */
quire_status page_take(struct page *p, int64_t us, int64_t id);

/* All rows have come: end the array, and count them. */
void page_end_rows(struct page *p);

/* "next_cursor": of the last row; null unless there are more. */
void page_put_cursor(struct page *p);

/* End the object; or tell how the list failed, which it has not if the row too
 * many ended it. */
void page_end(struct page *p, quire_status st, const quire_error *err);

#endif
