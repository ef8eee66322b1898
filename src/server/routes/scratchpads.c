/* scratchpads.c - read scratchpads; agents write them with slash commands */
#include "base/bytes.h"
#include "server/page.h"
#include "server/routes/handlers.h"

/* A pad that was never written is empty, not an error. */
static void answer_pad(struct request *c, const char *name)
{
    struct buf text = BUF_INIT((size_t)64 << 20);
    quire_error err;
    quire_status st = quire_pad_read(c->q, name, buf_write, &text, &err);

    if (st && st != QUIRE_NOT_FOUND) {
        request_fail(c, st, &err);
    } else {
        json_object(&c->w);
        put_text(c, "agent_id", name);
        put_text(c, "kind", *name ? "agent" : "shared");
        put_flag(c, "exists", !st);
        put_number(c, "size", (int64_t)text.len);
        put_bytes(c, "content", buf_bytes(&text));
        json_object_end(&c->w);
    }
    buf_release(&text);
}

static quire_status give_pad(void *ctx, const quire_pad *pad, quire_error *err)
{
    struct request *c = ctx;

    (void)err;
    json_object(&c->w);
    put_text(c, "agent_id", pad->name);
    put_text(c, "kind", *pad->name ? "agent" : "shared");
    put_number(c, "size", (int64_t)pad->size);
    put_time(c, "updated_at", pad->updated_us);
    put_time(c, "modified_at", pad->updated_us);
    json_object_end(&c->w);
    return QUIRE_OK;
}

static quire_status give_row(void *ctx, const quire_pad *pad, quire_error *err)
{
    struct page *p = ctx;
    quire_status st = page_take(p, 0, 0);

    return st ? st : give_pad(p->c, pad, err);
}

/* Under two names: `entries` is arbiter's. */
void route_scratchpads_list(struct request *c)
{
    struct page p = {.c = c};
    quire_error err;
    quire_status st;

    page_begin(&p, "scratchpads");
    st = quire_pad_list(c->q, give_pad, c, &err);
    json_array_end(&c->w);
    json_key(&c->w, "entries");
    json_array(&c->w);
    if (!st)
        st = quire_pad_list(c->q, give_row, &p, &err);
    page_end_rows(&p);
    page_end(&p, st, &err);
}

void route_scratchpads_shared(struct request *c)
{
    answer_pad(c, "");
}

void route_scratchpads_get(struct request *c)
{
    answer_pad(c, c->match.params[0]);
}
