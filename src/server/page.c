/* page.c - see page.h */
#include "server/page.h"

#include <stdio.h>

void page_begin(struct page *p, const char *key)
{
    json_object(&p->c->w);
    json_key(&p->c->w, key);
    json_array(&p->c->w);
}

quire_status page_take(struct page *p, int64_t us, int64_t id)
{
    if (p->limit && p->n == p->limit) {
        p->more = true;
        return QUIRE_STOPPED;
    }
    p->last_us = us;
    p->last_id = id;
    p->n++;
    return QUIRE_OK;
}

void page_end_rows(struct page *p)
{
    json_array_end(&p->c->w);
    put_number(p->c, "count", (int64_t)p->n);
    if (p->c->tenant.id)
        put_number(p->c, "tenant_id", p->c->tenant.id);
}

void page_put_cursor(struct page *p)
{
    char cursor[48];

    snprintf(cursor, sizeof cursor, "%lld.%lld", (long long)p->last_us,
             (long long)p->last_id);
    put_text(p->c, "next_cursor", p->more ? cursor : NULL);
}

void page_end(struct page *p, quire_status st, const quire_error *err)
{
    json_object_end(&p->c->w);
    if (st && st != QUIRE_STOPPED)
        request_fail(p->c, st, err);
}
