/* trash.c - conversations in the trash */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/page.h"
#include "server/routes/handlers.h"
#include "server/server.h"

/* The session of the address, which is in the trash: ids have at least 8 characters,
 * numbers fewer. */
const char *request_trashed(struct request *c)
{
    const char *which = c->match.params[0];
    const char *number = NULL;

    if (strlen(which) < 8 && which[strspn(which, "0123456789")] == '\0')
        number = arena_printf(&c->keep, "#%s", which);
    return number ? number : which;
}

static quire_status write_trashed(void *ctx, const quire_trashed *t,
                                  quire_error *err)
{
    struct page *p = ctx;
    struct request *c = p->c;
    quire_status st = page_take(p, t->removed_us, t->number);

    (void)err;
    if (st)
        return st;
    json_object(&c->w);
    put_id(c, "id", t->number);
    put_text(c, "session", t->session);
    put_text(c, "title", t->title);
    put_text(c, "path", t->path);
    put_time(c, "removed_at", t->removed_us);
    put_time(c, "purge_at", t->purge_us);
    put_number(c, "bytes", (int64_t)t->bytes);
    json_object_end(&c->w);
    return QUIRE_OK;
}

void route_trash_list(struct request *c)
{
    struct page page = {.c = c, .limit = UINT64_MAX};
    quire_error err;
    quire_status st;

    page_begin(&page, "trash");
    st = quire_trash_list(c->q, write_trashed, &page, &err);
    page_end_rows(&page);
    page_end(&page, st, &err);
}

void route_trash_empty(struct request *c)
{
    quire_trash_empty_options o = QUIRE_TRASH_EMPTY_OPTIONS_INIT;
    uint64_t seconds = request_number(c, "older_than", 0), n = 0;
    quire_error err;
    quire_status st;

    o.older_s = seconds < INT64_MAX / 2000000 ? (int64_t)seconds
                                              : INT64_MAX / 2000000;
    st = quire_trash_empty(c->q, &o, &n, &err);
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    json_object(&c->w);
    put_number(c, "removed", (int64_t)n);
    json_object_end(&c->w);
}

void route_trash_remove(struct request *c)
{
    quire_trash_empty_options o = QUIRE_TRASH_EMPTY_OPTIONS_INIT;
    quire_error err;
    quire_status st;

    o.which = request_trashed(c);
    st = quire_trash_empty(c->q, &o, NULL, &err);
    answer_deleted(c, st, &err);
}
