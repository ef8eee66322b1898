/* hold.c - see hold.h */
#include "import/hold.h"

#include <stdlib.h>

#include "import/entry.h"
#include "import/priv.h"

/* Memory that an item keeps for the next use. */
#define KEEP_BYTES ((size_t)64 << 10)

enum { RING = HOLD_ITEMS + 1 };

quire_status hold_init(struct hold *h, quire_error *err)
{
    unsigned i;

    *h = (struct hold){.items = calloc(RING, sizeof *h->items)};
    if (!h->items)
        return err_memory(err);
    for (i = 0; i < RING; i++)
        h->items[i].json.max = IMPORT_CEILING;
    return QUIRE_OK;
}

void hold_release(struct hold *h)
{
    unsigned i;

    for (i = 0; h->items && i < RING; i++)
        buf_release(&h->items[i].json);
    free(h->items);
    *h = (struct hold){.items = NULL};
}

static struct held *item_at(const struct hold *h, unsigned i)
{
    return &h->items[(h->first + i) % RING];
}

/* ---- emitting ----------------------------------------------------------- */

static quire_status emit(struct import_converter *c, struct held *i,
                         quire_error *err)
{
    quire_status st;

    if (i->json.failed)
        return err_memory(err);
    if (i->is_answer) {
        st = entry_answer(c, i->node, &i->answer, buf_bytes(&i->json), err);
        if (st)
            return st;
    } else {
        buf_clear(&c->out);
        add_bytes(&c->out, buf_bytes(&i->json));
    }
    return entry_emit(c, i->node, &i->flags, err);
}

static void drop_first(struct hold *h)
{
    struct held *i = item_at(h, 0);

    h->bytes -= i->json.len;
    if (i->json.cap > KEEP_BYTES) {
        buf_release(&i->json);
        i->json = (struct buf)BUF_INIT(IMPORT_CEILING);
    }
    buf_clear(&i->json);
    h->first = (h->first + 1) % RING;
    h->n--;
}

/* Emit the closed items at the front. */
static quire_status flush(struct import_converter *c, quire_error *err)
{
    struct hold *h = &c->hold;
    quire_status st = QUIRE_OK;

    while (!st && h->n && !item_at(h, 0)->is_open) {
        st = emit(c, item_at(h, 0), err);
        drop_first(h);
    }
    return st;
}

quire_status hold_close(struct import_converter *c, struct held *item,
                        quire_error *err)
{
    item->is_open = false;
    c->hold.n_open--;
    return flush(c, err);
}

static quire_status keep_limits(struct import_converter *c, quire_error *err)
{
    struct hold *h = &c->hold;
    quire_status st = QUIRE_OK;

    while (!st && (h->n > HOLD_ITEMS - 1 || h->n_open > HOLD_OPEN ||
                   (h->bytes > HOLD_BYTES && h->n > 1)))
        st = hold_close(c, item_at(h, 0), err);
    return st;
}

quire_status hold_close_above(struct import_converter *c, uint32_t tail,
                              quire_error *err)
{
    struct hold *h = &c->hold;
    unsigned i;

    for (i = 0; i < h->n; i++) {
        struct held *item = item_at(h, i);

        if (item->is_open && tree_tail(&c->tree, item->node) == tail) {
            item->is_open = false;
            h->n_open--;
        }
    }
    return flush(c, err);
}

quire_status hold_close_all(struct import_converter *c, quire_error *err)
{
    unsigned i;

    for (i = 0; i < c->hold.n; i++)
        item_at(&c->hold, i)->is_open = false;
    c->hold.n_open = 0;
    return flush(c, err);
}

/* ---- the queue ---------------------------------------------------------- */

static struct held *push(struct import_converter *c, uint32_t node,
                         bool is_message)
{
    struct hold *h = &c->hold;
    struct held *i = item_at(h, h->n++);

    i->node = node;
    i->is_answer = i->is_open = false;
    i->flags = entry_flags(c, is_message);
    return i;
}

quire_status hold_open(struct import_converter *c, uint32_t node,
                       struct held **out, quire_error *err)
{
    struct held *i = push(c, node, true);

    i->is_answer = i->is_open = true;
    i->answer = (struct answer){.stamp = c->stamp};
    c->hold.n_open++;
    c->last = node;
    *out = i;
    return keep_limits(c, err);
}

quire_status hold_entry(struct import_converter *c, uint32_t node,
                        bool is_message, quire_error *err)
{
    struct entry_flags flags = entry_flags(c, is_message);
    struct held *i;

    c->last = node;
    if (!c->hold.n)
        return entry_emit(c, node, &flags, err);
    i = push(c, node, is_message);
    add_bytes(&i->json, buf_bytes(&c->out));
    i->json.failed |= c->out.failed;
    return hold_grown(c, i->json.len, err);
}

quire_status hold_grown(struct import_converter *c, size_t bytes,
                        quire_error *err)
{
    c->hold.bytes += bytes;
    return keep_limits(c, err);
}

struct held *hold_find(struct hold *h, quire_bytes id)
{
    unsigned i;

    for (i = h->n; h->n_open && i-- > 0;) {
        struct held *item = item_at(h, i);

        if (item->is_open && id.len &&
            bytes_equal(short_json_get(&item->answer.id), id))
            return item;
    }
    return NULL;
}

struct held *hold_last(struct hold *h)
{
    unsigned i;

    for (i = h->n; h->n_open && i-- > 0;)
        if (item_at(h, i)->is_open)
            return item_at(h, i);
    return NULL;
}

/* ---- state -------------------------------------------------------------- */

void hold_save(const struct hold *h, struct buf *out)
{
    unsigned i;

    state_put(out, &h->n, sizeof h->n);
    for (i = 0; i < h->n; i++) {
        const struct held *item = item_at(h, i);
        uint8_t flags[5] = {item->is_answer, item->is_open,
                            item->flags.is_message, item->flags.inherited,
                            item->flags.sidechain};

        state_put(out, &item->node, sizeof item->node);
        state_put(out, &item->flags.at, sizeof item->flags.at);
        state_put(out, flags, sizeof flags);
        if (item->is_answer)
            state_put(out, &item->answer, sizeof item->answer);
        state_put_bytes(out, buf_bytes(&item->json));
    }
}

static bool valid_short(const struct short_json *s)
{
    return s->len <= sizeof s->text;
}

static bool valid_answer(const struct answer *a, uint32_t n_nodes)
{
    return (a->parent == UINT32_MAX || a->parent < n_nodes) &&
           (unsigned)a->stop <= STOP_ABORTED &&
           (unsigned)a->api <= API_GOOGLE && valid_short(&a->id) &&
           valid_short(&a->request) && valid_short(&a->model) &&
           valid_short(&a->provider) && valid_short(&a->error) &&
           memchr(a->stamp.text, 0, sizeof a->stamp.text);
}

static bool restore_item(struct hold *h, uint32_t n_nodes,
                         struct state_reader *r)
{
    struct held *item = item_at(h, h->n++);
    uint8_t flags[5];
    quire_bytes json;

    state_get(r, &item->node, sizeof item->node);
    state_get(r, &item->flags.at, sizeof item->flags.at);
    state_get(r, flags, sizeof flags);
    item->is_answer = flags[0];
    item->is_open = flags[1];
    item->flags.is_message = flags[2];
    item->flags.inherited = flags[3];
    item->flags.sidechain = flags[4];
    if (item->is_answer)
        state_get(r, &item->answer, sizeof item->answer);
    json = state_get_bytes(r);
    add_bytes(&item->json, json);
    h->bytes += json.len;
    h->n_open += item->is_open;
    return !r->bad && item->node < n_nodes &&
           (item->is_answer ? valid_answer(&item->answer, n_nodes)
                            : !item->is_open);
}

bool hold_restore(struct hold *h, uint32_t n_nodes, struct state_reader *r)
{
    unsigned n;

    state_get(r, &n, sizeof n);
    if (n >= HOLD_ITEMS)
        return false;
    while (h->n < n)
        if (!restore_item(h, n_nodes, r))
            return false;
    return !h->n || item_at(h, 0)->is_open;
}
