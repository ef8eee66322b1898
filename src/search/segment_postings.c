/*
 * segment_postings.c - read the postings of a term
 *
 * segment.h describes the bytes. A list is read as a whole, some two bytes for
 * each document; positions only for the blocks that have a document in question.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/segment_priv.h"
#include "search/varint.h"

enum { TABLE_ENTRY = 12 };

/* The documents of a term, in memory. */
struct list {
    struct segment *s;
    const struct term *t;
    uint8_t *bytes; /* owned */
    const uint8_t *table;
    uint32_t n_blocks;
};

/* One block of it. */
struct block {
    uint32_t first, n;
    uint64_t pos_from, pos_to; /* in the positions of the term */
    struct varint_reader docs;
};

static quire_status fail_list(const struct segment *s, quire_error *err)
{
    return err_fail(err, QUIRE_DAMAGED, HINT_SHELL "run quire reindex",
                    "the search index is damaged: segment %llx: a list of "
                    "documents does not fit",
                    (unsigned long long)s->number);
}

static quire_status list_open(struct list *l, struct segment *s,
                              const struct term *t, quire_error *err)
{
    quire_status st;

    *l = (struct list){.s = s, .t = t};
    l->bytes = malloc((size_t)t->docs_len + 1);
    if (!l->bytes)
        return err_memory(err);
    st = segment_read_postings(s, t->at, l->bytes, t->docs_len, err);
    l->table = l->bytes;
    l->n_blocks = (t->n_docs + BLOCK_DOCS - 1) / BLOCK_DOCS;
    if (!st && l->n_blocks > 1 &&
        (uint64_t)l->n_blocks * TABLE_ENTRY > t->docs_len)
        st = fail_list(s, err);
    return st;
}

static void list_close(struct list *l)
{
    free(l->bytes);
}

static uint32_t table_value(const struct list *l, uint32_t block, int which)
{
    return load_u32(l->table + (size_t)block * TABLE_ENTRY + 4 * which);
}

static quire_status open_block(const struct list *l, uint32_t i,
                               struct block *b, quire_error *err)
{
    const uint8_t *end = l->bytes + l->t->docs_len, *blocks;
    bool last = i + 1 == l->n_blocks;

    *b = (struct block){.n = last ? l->t->n_docs - i * BLOCK_DOCS : BLOCK_DOCS};
    if (l->n_blocks == 1) {
        b->docs = (struct varint_reader){l->bytes, end, false};
        b->first = (uint32_t)varint_get(&b->docs);
        b->pos_to = l->t->pos_len;
    } else {
        uint64_t from = table_value(l, i, 1), to;

        blocks = l->bytes + (size_t)l->n_blocks * TABLE_ENTRY;
        to = last ? (uint64_t)(end - blocks) : table_value(l, i + 1, 1);
        b->first = table_value(l, i, 0);
        b->pos_from = table_value(l, i, 2);
        b->pos_to = last ? l->t->pos_len : table_value(l, i + 1, 2);
        if (from > to || to > (uint64_t)(end - blocks))
            return fail_list(l->s, err);
        b->docs = (struct varint_reader){blocks + from, blocks + to, false};
    }
    if (b->docs.failed || b->pos_from > b->pos_to || b->pos_to > l->t->pos_len)
        return fail_list(l->s, err);
    return QUIRE_OK;
}

/* Decode a block; arrays of BLOCK_DOCS. Documents ascend, and are in the
 * segment. */
static quire_status decode_block(const struct list *l, struct block *b,
                                 uint32_t *docs, uint32_t *tfs,
                                 quire_error *err)
{
    uint64_t doc = b->first;
    bool wrong = false;
    uint32_t i;

    for (i = 0; i < b->n; i++) {
        uint64_t step = varint_get(&b->docs);
        uint64_t more = step & 1 ? 0 : varint_get(&b->docs);

        wrong |= i > 0 && step < 2;
        doc += step >> 1;
        wrong |= doc >= l->s->n_texts || more > UINT32_MAX - 2;
        if (wrong)
            break;
        docs[i] = (uint32_t)doc;
        tfs[i] = step & 1 ? 1 : (uint32_t)more + 2;
    }
    return wrong || b->docs.failed ? fail_list(l->s, err) : QUIRE_OK;
}

quire_status segment_read_docs(struct segment *s, const struct term *t,
                               uint32_t *docs, uint32_t *tfs, quire_error *err)
{
    uint32_t own[BLOCK_DOCS] = {0}, i, at = 0;
    struct list l;
    struct block b;
    quire_status st = list_open(&l, s, t, err);

    for (i = 0; i < l.n_blocks && !st; i++) {
        st = open_block(&l, i, &b, err);
        if (!st)
            st = decode_block(&l, &b, docs + at, tfs ? tfs + at : own, err);
        if (!st && at > 0 && docs[at - 1] >= docs[at])
            st = fail_list(s, err);
        at += b.n;
    }
    list_close(&l);
    return st;
}

/* The last block, from `from` on, whose first document is not above `doc`. */
static uint32_t block_of(const struct list *l, uint32_t from, uint32_t doc)
{
    uint32_t step = 1, to;

    if (l->n_blocks == 1)
        return 0;
    while (from + step < l->n_blocks && table_value(l, from + step, 0) <= doc) {
        from += step;
        step *= 2;
    }
    to = from + step < l->n_blocks ? from + step : l->n_blocks;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;

        if (table_value(l, middle, 0) <= doc)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* A block that was decoded. */
struct decoded {
    struct block b;
    uint32_t docs[BLOCK_DOCS], tfs[BLOCK_DOCS];
    uint32_t at; /* the next to compare */
};

/* Find ascending documents; found() gets each that is there. */
typedef quire_status (*found_fn)(void *ctx, size_t i, struct decoded *d,
                                 quire_error *err);

static quire_status find_docs(struct list *l, const uint32_t *docs, size_t n,
                              found_fn found, void *ctx, quire_error *err)
{
    struct decoded *d = malloc(sizeof *d);
    uint32_t block = 0, known = UINT32_MAX;
    quire_status st = d ? QUIRE_OK : err_memory(err);
    size_t i;

    for (i = 0; i < n && !st; i++) {
        block = block_of(l, block, docs[i]);
        if (block != known) {
            st = open_block(l, block, &d->b, err);
            if (!st)
                st = decode_block(l, &d->b, d->docs, d->tfs, err);
            d->at = 0;
            known = block;
        }
        while (!st && d->at < d->b.n && d->docs[d->at] < docs[i])
            d->at++;
        if (!st && d->at < d->b.n && d->docs[d->at] == docs[i])
            st = found(ctx, i, d, err);
    }
    free(d);
    return st;
}

struct intersecting {
    uint32_t *docs, *tfs;
    size_t n;
};

static quire_status keep_doc(void *ctx, size_t i, struct decoded *d,
                             quire_error *err)
{
    struct intersecting *k = ctx;

    (void)err;
    k->docs[k->n] = k->docs[i];
    k->tfs[k->n++] = d->tfs[d->at];
    return QUIRE_OK;
}

quire_status segment_intersect(struct segment *s, const struct term *t,
                               uint32_t *docs, uint32_t *tfs, size_t *n,
                               quire_error *err)
{
    struct intersecting k = {docs, tfs, 0};
    struct list l;
    quire_status st = list_open(&l, s, t, err);

    if (!st)
        st = find_docs(&l, docs, *n, keep_doc, &k, err);
    list_close(&l);
    *n = k.n;
    return st;
}

/* ---- positions ----------------------------------------------------------------- */

struct positioning {
    struct list *l;
    struct buf bytes; /* of the current block */
    uint64_t from;    /* that block's; UINT64_MAX: none */
    struct varint_reader at;
    uint32_t doc; /* whose positions come next, in the block */
    struct buf numbers;
    positions_fn each;
    void *ctx;
};

static quire_status load_positions(struct positioning *k, const struct block *b,
                                   quire_error *err)
{
    size_t len = (size_t)(b->pos_to - b->pos_from);
    const struct term *t = k->l->t;
    quire_status st;

    buf_clear(&k->bytes);
    if (!buf_room(&k->bytes, len + 1))
        return err_memory(err);
    st = segment_read_postings(k->l->s, t->at + t->docs_len + b->pos_from,
                               k->bytes.data, len, err);
    k->from = b->pos_from;
    k->at = (struct varint_reader){(uint8_t *)k->bytes.data,
                                   (uint8_t *)k->bytes.data + len, false};
    k->doc = 0;
    return st;
}

static quire_status emit_positions(void *ctx, size_t i, struct decoded *d,
                                   quire_error *err)
{
    struct positioning *k = ctx;
    uint32_t *numbers, tf = d->tfs[d->at], n;
    uint64_t position = 0;
    quire_status st = QUIRE_OK;

    if (k->from != d->b.pos_from || k->doc > d->at)
        st = load_positions(k, &d->b, err);
    if (st)
        return st;
    for (; k->doc < d->at; k->doc++)
        varint_skip(&k->at, d->tfs[k->doc]);
    k->doc++;
    if (tf > (size_t)(k->at.end - k->at.at))
        return fail_list(k->l->s, err);
    buf_clear(&k->numbers);
    numbers = buf_room(&k->numbers, tf * sizeof *numbers);
    if (!numbers)
        return err_memory(err);
    for (n = 0; n < tf; n++) {
        position += varint_get(&k->at);
        numbers[n] = (uint32_t)position;
    }
    if (k->at.failed || position > UINT32_MAX)
        return fail_list(k->l->s, err);
    return k->each(k->ctx, i, numbers, tf, err);
}

quire_status segment_positions(struct segment *s, const struct term *t,
                               const uint32_t *docs, size_t n,
                               positions_fn each, void *ctx, quire_error *err)
{
    struct list l;
    struct positioning k = {
        .l = &l,
        .bytes = BUF_INIT(SIZE_MAX),
        .from = UINT64_MAX,
        .numbers = BUF_INIT(SIZE_MAX),
        .each = each,
        .ctx = ctx,
    };
    quire_status st = list_open(&l, s, t, err);

    if (!st)
        st = find_docs(&l, docs, n, emit_positions, &k, err);
    list_close(&l);
    buf_release(&k.bytes);
    buf_release(&k.numbers);
    return st;
}
