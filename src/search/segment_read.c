/*
 * segment_read.c - open a segment, look up terms and places
 *
 * Kept in memory: the index of blocks, and from the first query on the columns, some
 * twenty bytes for each text. Everything else is read when it is needed. Nothing is mapped: a disk that
 * fails gives an error, not a signal.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/segment_priv.h"
#include "search/varint.h"

quire_status segment_damaged(const struct segment *s, const char *what,
                             quire_error *err)
{
    return err_fail(err, QUIRE_DAMAGED, HINT_SHELL "run quire reindex",
                    "the search index is damaged: segment %llx: %s",
                    (unsigned long long)s->number, what);
}

quire_status segment_read_exactly(const struct segment *s, struct object *o,
                                  uint64_t at, void *out, size_t len,
                                  quire_error *err)
{
    size_t n = 0;
    quire_status st = len ? object_read(o, at, out, len, &n, err) : QUIRE_OK;

    return st || n == len ? st : segment_damaged(s, "it ends too early", err);
}

/* The same into the segment's own memory. */
static quire_status load(struct segment *s, uint64_t at, uint64_t len,
                         void **out, quire_error *err)
{
    if (len > SIZE_MAX / 2)
        return segment_damaged(s, "a table is too long", err);
    *out = arena_alloc(&s->memory, (size_t)len + 1);
    if (!*out)
        return err_memory(err);
    return segment_read_exactly(s, s->index, at, *out, (size_t)len, err);
}

/* ---- opening ---------------------------------------------------------------- */

static quire_status check_footer(struct segment *s,
                                 const struct segment_footer *f,
                                 uint64_t index_len, uint64_t postings_len,
                                 quire_error *err)
{
    uint64_t end = index_len - sizeof *f;

    if (memcmp(f->magic, SEGMENT_MAGIC, sizeof f->magic) ||
        f->version != SEGMENT_VERSION || f->number != s->number ||
        f->checksum !=
            segment_checksum(f, offsetof(struct segment_footer, checksum)))
        return segment_damaged(s, "its footer does not match", err);
    if (f->blocks_at > f->columns_at || f->columns_at > f->cold_at ||
        f->cold_at > f->extra_at || f->extra_at > f->digests_at ||
        f->digests_at > f->names_at || f->names_at > end ||
        f->n_texts > SEGMENT_TEXTS_MAX || f->n_live > f->n_texts ||
        f->first_text > UINT64_MAX / 4 || f->postings_len != postings_len ||
        f->cold_at - f->columns_at != segment_columns_size(f->n_texts) ||
        f->extra_at - f->cold_at !=
            (uint64_t)f->n_texts * sizeof(struct cold_place) ||
        f->digests_at - f->extra_at !=
            (uint64_t)f->n_extra * sizeof(struct place) ||
        f->names_at - f->digests_at != f->n_live * sizeof(struct digest_slot))
        return segment_damaged(s, "its tables do not fit", err);
    s->first_text = f->first_text;
    s->n_texts = f->n_texts;
    s->n_extra = f->n_extra;
    s->n_blocks = f->n_blocks;
    s->n_names = f->n_names;
    s->fields = f->fields;
    s->stats.n_texts = f->n_live;
    s->stats.n_words = f->n_words;
    s->bytes = index_len + postings_len;
    s->index_len = end;
    s->postings_len = postings_len;
    s->index_sum = f->index_sum;
    s->postings_sum = f->postings_sum;
    s->cold_at = f->cold_at;
    s->extra_at = f->extra_at;
    s->digests_at = f->digests_at;
    return QUIRE_OK;
}

static quire_status load_blocks(struct segment *s, uint64_t at, uint64_t to,
                                quire_error *err)
{
    void *data;
    const uint8_t *from, *end;
    struct block_entry e;
    uint64_t end_before = 0, postings_before = 0;
    uint32_t i;
    quire_status st;

    if (s->n_blocks > (to - at) / sizeof e)
        return segment_damaged(s, "its block index is too short", err);
    st = load(s, at, to - at, &data, err);

    if (st)
        return st;
    from = data;
    end = from + (to - at);
    s->blocks = arena_array(&s->memory, (size_t)s->n_blocks + 1,
                            sizeof *s->blocks);
    if (!s->blocks)
        return err_memory(err);
    for (i = 0; i < s->n_blocks; i++) {
        if ((size_t)(end - from) < sizeof e)
            return segment_damaged(s, "its block index is too short", err);
        memcpy(&e, from, sizeof e);
        from += sizeof e;
        /* They are in order and apart, so that reading all of them takes as long
         * as reading the file. */
        if ((size_t)(end - from) < e.first_len || e.at < end_before ||
            e.at > at || e.len > at - e.at || e.len < 4 ||
            e.postings < postings_before || e.postings > s->postings_len)
            return segment_damaged(s, "its block index does not fit", err);
        s->blocks[i] = (struct term_block){
            .first = bytes_of(from, e.first_len),
            .at = e.at,
            .postings = e.postings,
            .len = e.len,
        };
        end_before = e.at + e.len;
        postings_before = e.postings;
        from += e.first_len;
    }
    return QUIRE_OK;
}

quire_status segment_load_columns(struct segment *s, quire_error *err)
{
    uint64_t n = (s->n_texts + 3) & ~(uint64_t)3;
    uint64_t size = segment_columns_size(s->n_texts);
    void *data;
    const uint8_t *from;
    quire_status st = QUIRE_OK;

    if (s->lengths)
        return QUIRE_OK;
    st = load(s, s->cold_at - size, size, &data, err);
    if (st)
        return st;
    from = data;
    s->times = (const uint32_t *)(const void *)from;
    s->sources = (const uint32_t *)(const void *)(from + 4 * n);
    s->groups = (const uint32_t *)(const void *)(from + 8 * n);
    s->metas = (const uint16_t *)(const void *)(from + 12 * n);
    s->tools = (const uint16_t *)(const void *)(from + 14 * n);
    s->models = (const uint16_t *)(const void *)(from + 16 * n);
    s->lengths = from + 18 * n;
    return QUIRE_OK;
}

static quire_status load_names(struct segment *s, uint64_t at, uint64_t to,
                               quire_error *err)
{
    void *data;
    const uint8_t *from, *end;
    uint32_t i;
    uint16_t len;
    quire_status st;

    if (s->n_names > (to - at) / sizeof len)
        return segment_damaged(s, "its names are too short", err);
    st = load(s, at, to - at, &data, err);
    if (st)
        return st;
    from = data;
    end = from + (to - at);
    s->names = arena_array(&s->memory, (size_t)s->n_names + 1,
                           sizeof *s->names);
    if (!s->names)
        return err_memory(err);
    for (i = 0; i < s->n_names; i++) {
        if (end - from < 2)
            return segment_damaged(s, "its names are too short", err);
        memcpy(&len, from, sizeof len);
        from += sizeof len;
        if (end - from < len)
            return segment_damaged(s, "its names are too short", err);
        s->names[i] = bytes_of(from, len);
        from += len;
    }
    return QUIRE_OK;
}

static quire_status load_extra(struct segment *s, uint64_t at, quire_error *err)
{
    void *data;
    uint32_t i;
    quire_status st = load(s, at, (uint64_t)s->n_extra * sizeof(struct place),
                           &data, err);

    s->extra = data;
    for (i = 1; !st && i < s->n_extra; i++)
        if (s->extra[i - 1].text > s->extra[i].text)
            st = segment_damaged(s, "its places are not in order", err);
    return st;
}

static quire_status open_objects(struct segment *s, struct object_store *store,
                                 uint64_t *index_len, uint64_t *postings_len,
                                 quire_error *err)
{
    struct object_info info = {.size = 0};
    char name[32];
    quire_status st;

    segment_object_name(name, s->number, "index");
    st = object_open(store, name, &s->index, &info, err);
    *index_len = info.size;
    if (st)
        return st;
    segment_object_name(name, s->number, "postings");
    st = object_open(store, name, &s->postings, &info, err);
    *postings_len = info.size;
    return st;
}

quire_status segment_open(struct object_store *store, uint64_t number,
                          struct segment **out, quire_error *err)
{
    struct segment *s = calloc(1, sizeof *s);
    struct segment_footer f = {.version = 0};
    uint64_t index_len = 0, postings_len = 0;
    quire_status st;

    *out = NULL;
    if (!s)
        return err_memory(err);
    s->number = number;
    st = open_objects(s, store, &index_len, &postings_len, err);
    if (!st && index_len < sizeof f)
        st = segment_damaged(s, "it is too short", err);
    if (!st)
        st = segment_read_exactly(s, s->index, index_len - sizeof f, &f,
                                  sizeof f, err);
    if (!st)
        st = check_footer(s, &f, index_len, postings_len, err);
    if (!st)
        st = load_blocks(s, f.blocks_at, f.columns_at, err);
    if (!st)
        st = load_extra(s, f.extra_at, err);
    if (!st)
        st = load_names(s, f.names_at, index_len - sizeof f, err);
    if (st)
        segment_close(s);
    else
        *out = s;
    return st;
}

void segment_close(struct segment *s)
{
    if (!s)
        return;
    if (s->index)
        object_close(s->index);
    if (s->postings)
        object_close(s->postings);
    arena_release(&s->memory);
    free(s->digests);
    free(s->prints);
    free(s->buckets);
    free(s->window.bytes);
    free(s);
}

quire_status segment_remove(struct object_store *store, uint64_t number,
                            quire_error *err)
{
    static const char *const suffixes[] = {"index", "postings"};
    quire_status st = QUIRE_OK;
    char name[32];
    int i;

    for (i = 0; i < 2 && !st; i++) {
        segment_object_name(name, number, suffixes[i]);
        st = object_remove(store, name, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    return st;
}

/* ---- places ------------------------------------------------------------------ */

quire_status segment_place(struct segment *s, uint32_t doc, struct place *out,
                           quire_error *err)
{
    struct cold_place cold;
    quire_status st = segment_load_columns(s, err);

    if (!st)
        st = segment_read_exactly(s, s->index,
                                  s->cold_at + (uint64_t)doc * sizeof cold,
                                  &cold, sizeof cold, err);

    *out = (struct place){.text = s->first_text + doc};
    if (st)
        return st;
    out->offset = (uint64_t)cold.offset_high << 32 | cold.offset_low;
    out->time_us = ((int64_t)s->times[doc] * 1000 + cold.time_ms) *
                   (int64_t)1000;
    out->length = cold.length;
    out->part = cold.part;
    out->source = s->sources[doc];
    out->group = s->groups[doc];
    out->meta = s->metas[doc];
    out->tool = s->tools[doc];
    out->model = s->models[doc];
    return QUIRE_OK;
}

quire_bytes segment_name(const struct segment *s, uint16_t name)
{
    return name > 0 && name <= s->n_names ? s->names[name - 1]
                                          : bytes_of("", 0);
}

/* ---- postings -------------------------------------------------------------------- */

enum { WINDOW_BYTES = 256 * 1024 };

quire_status segment_read_ahead(struct segment *s, quire_error *err)
{
    if (!s->window.bytes)
        s->window.bytes = malloc(WINDOW_BYTES);
    s->window.len = 0;
    return s->window.bytes ? QUIRE_OK : err_memory(err);
}

quire_status segment_read_postings(struct segment *s, uint64_t at, void *out,
                                   size_t len, quire_error *err)
{
    struct read_window *w = &s->window;
    quire_status st;

    if (!w->bytes || len > WINDOW_BYTES / 2)
        return segment_read_exactly(s, s->postings, at, out, len, err);
    if (at < w->at || at + len > w->at + w->len) {
        w->at = at;
        w->len = 0;
        st = object_read(s->postings, at, w->bytes, WINDOW_BYTES, &w->len, err);
        if (st)
            return st;
    }
    if (at + len > w->at + w->len)
        return segment_damaged(s, "it ends too early", err);
    memcpy(out, w->bytes + (at - w->at), len);
    return QUIRE_OK;
}

/* The first further place whose text is not below `text`. */
static size_t extra_from(const struct segment *s, uint64_t text)
{
    size_t from = 0, to = s->n_extra;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (s->extra[middle].text < text)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void segment_extra_of(const struct segment *s, uint64_t text, size_t *from,
                      size_t *to)
{
    *from = *to = extra_from(s, text);
    while (*to < s->n_extra && s->extra[*to].text == text)
        ++*to;
}

/* ---- terms -------------------------------------------------------------------- */

static int compare_names(quire_bytes a, quire_bytes b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.data, b.data, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* The last block whose first term is not above `name`; 0 if all are. */
static uint32_t find_block(const struct segment *s, quire_bytes name)
{
    uint32_t from = 0, to = s->n_blocks;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (compare_names(s->blocks[middle].first, name) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from ? from - 1 : 0;
}

/* A block being read. */
struct block_walk {
    const char *name, *names_end;
    struct varint_reader metas;
    uint64_t at, end; /* in the postings */
    uint32_t left;
};

static quire_status begin_block(const struct segment *s, uint32_t block,
                                struct buf *bytes, struct block_walk *w,
                                quire_error *err)
{
    const struct term_block *b = &s->blocks[block];
    uint16_t head[2];
    quire_status st;

    buf_clear(bytes);
    if (!buf_room(bytes, b->len))
        return err_memory(err);
    st = segment_read_exactly(s, s->index, b->at, bytes->data, b->len, err);
    if (st)
        return st;
    buf_grow(bytes, b->len);
    memcpy(head, bytes->data, sizeof head);
    if (sizeof head + head[1] > b->len)
        return segment_damaged(s, "a block of terms does not fit", err);
    w->name = bytes->data + sizeof head;
    w->names_end = w->name + head[1];
    w->metas = (struct varint_reader){(const uint8_t *)w->names_end,
                                      (const uint8_t *)bytes->data + b->len,
                                      false};
    w->at = b->postings;
    w->end = block + 1 < s->n_blocks ? b[1].postings : s->postings_len;
    w->left = head[0];
    return QUIRE_OK;
}

/* The next term of a block. *more: there was one. */
static quire_status next_term(const struct segment *s, struct block_walk *w,
                              quire_bytes *name, struct term *t, bool *more,
                              quire_error *err)
{
    const char *end;
    uint64_t n_docs, docs_len;

    *more = w->left > 0;
    if (!*more)
        return QUIRE_OK;
    end = w->name < w->names_end
              ? memchr(w->name, '\n', (size_t)(w->names_end - w->name))
              : NULL;
    n_docs = varint_get(&w->metas);
    docs_len = varint_get(&w->metas);
    t->pos_len = varint_get(&w->metas);
    if (!end || (size_t)(end - w->name) > SEGMENT_TERM_MAX || w->metas.failed ||
        n_docs == 0 || n_docs > s->n_texts || docs_len < n_docs ||
        docs_len > UINT32_MAX || docs_len > w->end - w->at ||
        t->pos_len > w->end - w->at - docs_len)
        return segment_damaged(s, "a block of terms does not fit", err);
    *name = bytes_of(w->name, (size_t)(end - w->name));
    w->name = end + 1;
    w->left--;
    t->n_docs = (uint32_t)n_docs;
    t->docs_len = (uint32_t)docs_len;
    t->at = w->at;
    w->at += docs_len + t->pos_len;
    return QUIRE_OK;
}

quire_status segment_find_term(struct segment *s, quire_bytes name, bool *found,
                               struct term *out, quire_error *err)
{
    struct buf bytes = BUF_INIT(SIZE_MAX);
    struct block_walk w;
    bool more = true;
    quire_bytes one;
    quire_status st;
    int order = -1;

    *found = false;
    if (s->n_blocks == 0)
        return QUIRE_OK;
    st = begin_block(s, find_block(s, name), &bytes, &w, err);
    while (!st && more && order < 0) {
        st = next_term(s, &w, &one, out, &more, err);
        if (!st && more)
            order = compare_names(one, name);
    }
    *found = !st && more && order == 0;
    buf_release(&bytes);
    return st;
}

/* ---- terms in order ------------------------------------------------------------ */

struct term_cursor {
    struct segment *s;
    uint32_t block; /* the next one */
    struct buf bytes;
    struct block_walk walk;
};

quire_status term_cursor_open(struct segment *s, quire_bytes from,
                              struct term_cursor **out, quire_error *err)
{
    struct term_cursor *c = calloc(1, sizeof *c);

    *out = c;
    if (!c)
        return err_memory(err);
    c->s = s;
    c->block = find_block(s, from);
    c->bytes = (struct buf)BUF_INIT(SIZE_MAX);
    return QUIRE_OK;
}

quire_status term_cursor_next(struct term_cursor *c, quire_bytes *name,
                              struct term *t, bool *more, quire_error *err)
{
    quire_status st = QUIRE_OK;

    *more = false;
    while (!st && !*more) {
        if (c->walk.left == 0) {
            if (c->block == c->s->n_blocks)
                return QUIRE_OK;
            st = begin_block(c->s, c->block++, &c->bytes, &c->walk, err);
        }
        if (!st)
            st = next_term(c->s, &c->walk, name, t, more, err);
    }
    return st;
}

void term_cursor_close(struct term_cursor *c)
{
    if (c)
        buf_release(&c->bytes);
    free(c);
}

quire_status segment_terms(struct segment *s, quire_bytes from, term_fn each,
                           void *ctx, quire_error *err)
{
    struct term_cursor *c = NULL;
    struct term t;
    bool more = true, go = true;
    quire_bytes name;
    quire_status st = term_cursor_open(s, from, &c, err);

    while (!st && more && go) {
        st = term_cursor_next(c, &name, &t, &more, err);
        if (!st && more && compare_names(name, from) >= 0)
            st = each(ctx, name, &t, &go, err);
    }
    term_cursor_close(c);
    return st;
}

/* Call each() for the terms of a block that contain `part`. Most blocks have
 * none: these cost one search of their text. */
static quire_status search_block(struct segment *s, struct block_walk *w,
                                 quire_bytes part, term_fn each, void *ctx,
                                 bool *go, quire_error *err)
{
    const char *hit = memmem(w->name, (size_t)(w->names_end - w->name),
                             part.data, part.len);
    struct term t;
    quire_bytes name;
    bool more = true;
    quire_status st = QUIRE_OK;

    while (hit && more && *go && !st) {
        st = next_term(s, w, &name, &t, &more, err);
        if (st || !more || hit >= w->name)
            continue;
        /* The hit is in this term. */
        st = each(ctx, name, &t, go, err);
        hit = memmem(w->name, (size_t)(w->names_end - w->name), part.data,
                     part.len);
    }
    return st;
}

quire_status segment_terms_with(struct segment *s, quire_bytes part,
                                term_fn each, void *ctx, quire_error *err)
{
    struct buf bytes = BUF_INIT(SIZE_MAX);
    struct block_walk w;
    bool go = true;
    uint32_t b;
    quire_status st = QUIRE_OK;

    for (b = 0; b < s->n_blocks && go && !st; b++) {
        st = begin_block(s, b, &bytes, &w, err);
        if (!st)
            st = search_block(s, &w, part, each, ctx, &go, err);
    }
    buf_release(&bytes);
    return st;
}
