/*
 * segment_write.c - write the objects of a segment
 *
 * Postings and blocks of terms are written as they come, to two drafts; so a
 * merge needs no memory for them. What describes texts is collected, some fifty
 * bytes for each, and written at the end.
 *
 * A list of postings is collected in memory until its term is complete: its table
 * of blocks comes first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "search/segment_priv.h"
#include "search/varint.h"

enum { WRITE_AT_ONCE = 256 * 1024, NAMES_MAX = 0xfffe };

/* An object being written. */
struct output {
    struct draft *draft;
    struct buf pending;
    uint64_t len; /* pending bytes included */
    uint64_t sum; /* without these */
};

struct segment_writer {
    struct object_store *store; /* borrowed */
    struct segment_footer footer;
    struct output index, postings;

    /* The list of the current term. */
    char term[SEGMENT_TERM_MAX];
    size_t term_len;
    struct buf docs, positions, table;
    uint32_t n_docs, last_doc, first_doc;

    /* The current block of terms. */
    struct buf names_of_block, metas_of_block;
    uint32_t n_terms;
    uint64_t block_postings;
    char block_first[SEGMENT_TERM_MAX];
    size_t block_first_len;
    struct buf blocks; /* the index of blocks */

    /* Texts. */
    struct buf times, sources, groups, metas, tools, models, lengths, cold,
        digests;
    struct buf extra;
    uint64_t last_extra;

    struct map name_map;
    struct arena name_memory;
    struct buf names;
};

void segment_object_name(char out[32], uint64_t number, const char *suffix)
{
    snprintf(out, 32, "%016llx.%s", (unsigned long long)number, suffix);
}

/* ---- objects ------------------------------------------------------------- */

static quire_status flush_output(struct output *o, quire_error *err)
{
    quire_status st = buf_status(&o->pending, "the search index", err);

    if (!st && o->pending.len > 0)
        st = object_write(o->draft, buf_bytes(&o->pending), err);
    if (!st)
        o->sum = segment_sum(o->sum, o->pending.data, o->pending.len);
    buf_clear(&o->pending);
    return st;
}

static quire_status add_bytes(struct output *o, const void *data, size_t len,
                              quire_error *err)
{
    if (len > 0)
        buf_add(&o->pending, data, len);
    o->len += len;
    if (o->pending.failed || o->pending.len >= WRITE_AT_ONCE)
        return flush_output(o, err);
    return QUIRE_OK;
}

static quire_status add_buf(struct output *o, const struct buf *b,
                            quire_error *err)
{
    quire_status st = buf_status(b, "the search index", err);

    return st ? st : add_bytes(o, b->data, b->len, err);
}

/* ---- life ---------------------------------------------------------------- */

static void init_bufs(struct segment_writer *w)
{
    struct buf *bufs[] = {
        &w->index.pending,  &w->postings.pending,
        &w->docs,           &w->positions,
        &w->table,          &w->names_of_block,
        &w->metas_of_block, &w->blocks,
        &w->times,          &w->sources,
        &w->metas,          &w->groups,
        &w->tools,          &w->models,
        &w->lengths,        &w->cold,
        &w->digests,        &w->extra,
        &w->names,
    };
    size_t i;

    for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
        *bufs[i] = (struct buf)BUF_INIT(SIZE_MAX);
}

static void release_bufs(struct segment_writer *w)
{
    buf_release(&w->index.pending);
    buf_release(&w->postings.pending);
    buf_release(&w->docs);
    buf_release(&w->positions);
    buf_release(&w->table);
    buf_release(&w->names_of_block);
    buf_release(&w->metas_of_block);
    buf_release(&w->blocks);
    buf_release(&w->times);
    buf_release(&w->sources);
    buf_release(&w->groups);
    buf_release(&w->metas);
    buf_release(&w->tools);
    buf_release(&w->models);
    buf_release(&w->lengths);
    buf_release(&w->cold);
    buf_release(&w->digests);
    buf_release(&w->extra);
    buf_release(&w->names);
}

void segment_writer_discard(struct segment_writer *w)
{
    if (!w)
        return;
    if (w->index.draft)
        object_discard(w->index.draft);
    if (w->postings.draft)
        object_discard(w->postings.draft);
    release_bufs(w);
    map_release(&w->name_map);
    arena_release(&w->name_memory);
    free(w);
}

quire_status segment_writer_new(struct object_store *store, uint64_t number,
                                uint64_t first_text,
                                struct segment_writer **out, quire_error *err)
{
    struct segment_writer *w = calloc(1, sizeof *w);
    quire_status st;

    *out = NULL;
    if (!w)
        return err_memory(err);
    w->store = store;
    memcpy(w->footer.magic, SEGMENT_MAGIC, sizeof w->footer.magic);
    w->footer.version = SEGMENT_VERSION;
    w->footer.number = number;
    w->footer.first_text = first_text;
    init_bufs(w);
    map_init(&w->name_map, number, first_text);
    st = object_create(store, &w->index.draft, err);
    if (!st)
        st = object_create(store, &w->postings.draft, err);
    if (st)
        segment_writer_discard(w);
    else
        *out = w;
    return st;
}

/* ---- terms ---------------------------------------------------------------- */

static void add_varint(struct buf *b, uint64_t value)
{
    uint8_t *at = buf_room(b, VARINT_MAX);

    if (at)
        buf_grow(b, varint_put(at, value));
}

static quire_status end_block(struct segment_writer *w, quire_error *err)
{
    struct block_entry e = {
        .at = w->index.len,
        .postings = w->block_postings,
        .first_len = (uint32_t)w->block_first_len,
    };
    uint16_t head[2] = {(uint16_t)w->n_terms, (uint16_t)w->names_of_block.len};
    quire_status st;

    if (w->n_terms == 0)
        return QUIRE_OK;
    st = add_bytes(&w->index, head, sizeof head, err);
    if (!st)
        st = add_buf(&w->index, &w->names_of_block, err);
    if (!st)
        st = add_buf(&w->index, &w->metas_of_block, err);
    e.len = (uint32_t)(w->index.len - e.at);
    buf_add(&w->blocks, &e, sizeof e);
    buf_add(&w->blocks, w->block_first, w->block_first_len);
    w->footer.n_blocks++;
    buf_clear(&w->names_of_block);
    buf_clear(&w->metas_of_block);
    w->n_terms = 0;
    return st;
}

/* Add the complete list of the current term to the postings. */
static quire_status write_list(struct segment_writer *w, quire_error *err)
{
    uint8_t first[VARINT_MAX];
    size_t n = 0;
    quire_status st;

    if (w->n_docs <= BLOCK_DOCS)
        n = varint_put(first, w->first_doc);
    else
        n = 0;
    st = add_bytes(&w->postings, first, n, err);
    if (!st && w->n_docs > BLOCK_DOCS)
        st = add_buf(&w->postings, &w->table, err);
    if (!st)
        st = add_buf(&w->postings, &w->docs, err);
    if (!st)
        st = add_buf(&w->postings, &w->positions, err);
    if (w->n_docs > BLOCK_DOCS)
        n = w->table.len;
    add_varint(&w->metas_of_block, w->n_docs);
    add_varint(&w->metas_of_block, n + w->docs.len);
    add_varint(&w->metas_of_block, w->positions.len);
    return st;
}

/* The term goes into the current block with its list; one without documents is
 * dropped. */
static quire_status end_term(struct segment_writer *w, quire_error *err)
{
    quire_status st;

    if (w->n_docs == 0)
        return QUIRE_OK;
    if (w->n_terms == 0) {
        w->block_postings = w->postings.len;
        memcpy(w->block_first, w->term, w->term_len);
        w->block_first_len = w->term_len;
    }
    w->footer.fields |= 1u << (w->term_len > 0 && w->term[0] < N_FIELDS &&
                                       w->term[0] > 0
                                   ? w->term[0]
                                   : 0);
    st = write_list(w, err);
    buf_add(&w->names_of_block, w->term, w->term_len);
    buf_add_char(&w->names_of_block, '\n');
    w->n_terms++;
    w->n_docs = 0;
    if (!st && w->names_of_block.len >= TERM_BLOCK_BYTES)
        st = end_block(w, err);
    return st;
}

quire_status segment_writer_term(struct segment_writer *w, quire_bytes term,
                                 quire_error *err)
{
    quire_status st = end_term(w, err);

    if (st)
        return st;
    w->term_len = term.len < SEGMENT_TERM_MAX ? term.len : SEGMENT_TERM_MAX;
    memcpy(w->term, term.data, w->term_len);
    buf_clear(&w->docs);
    buf_clear(&w->positions);
    buf_clear(&w->table);
    return QUIRE_OK;
}

quire_status segment_writer_posting(struct segment_writer *w, uint32_t doc,
                                    uint32_t tf, const uint8_t *positions,
                                    size_t len, quire_error *err)
{
    bool first = w->n_docs % BLOCK_DOCS == 0;
    uint32_t entry[3] = {doc, (uint32_t)w->docs.len,
                         (uint32_t)w->positions.len};
    uint8_t *at = buf_room(&w->docs, 2 * VARINT_MAX);
    size_t n = 0;

    if (first)
        buf_add(&w->table, entry, sizeof entry);
    if (w->n_docs == 0)
        w->first_doc = doc;
    if (at) {
        n = varint_put(at, (uint64_t)(first ? 0 : doc - w->last_doc) << 1 |
                               (tf == 1));
        if (tf != 1)
            n += varint_put(at + n, tf - 2);
        buf_grow(&w->docs, n);
    }
    buf_add(&w->positions, positions, len);
    w->last_doc = doc;
    w->n_docs++;
    if (w->docs.len > UINT32_MAX - 64 || w->positions.len > UINT32_MAX - 64)
        return err_set(err, QUIRE_TOO_LARGE,
                       "a word occurs too often for one index segment");
    return QUIRE_OK;
}

/* ---- texts ---------------------------------------------------------------- */

uint8_t segment_length_of(uint32_t n_words)
{
    uint32_t e = 0;

    /* Exact up to 15, then sixteen steps for each power of two. */
    if (n_words < 16)
        return (uint8_t)n_words;
    while (e < 15 && n_words >> (e + 5))
        e++;
    return (uint8_t)(16 + 16 * e + ((n_words >> e) - 16) > 255
                         ? 255
                         : 16 + 16 * e + ((n_words >> e) - 16));
}

uint32_t segment_length_words(uint8_t length)
{
    uint32_t e;

    if (length < 16)
        return length;
    e = (uint32_t)(length - 16) / 16;
    return (16u + (uint32_t)(length - 16) % 16) << e;
}

static uint32_t seconds_of(int64_t us)
{
    int64_t s = us / 1000000;

    return s < 0 ? 0 : s > UINT32_MAX ? UINT32_MAX : (uint32_t)s;
}

quire_status segment_writer_text(struct segment_writer *w, uint32_t n_words,
                                 const uint8_t digest[DIGEST_BYTES],
                                 const struct place *place, quire_error *err)
{
    uint32_t seconds = seconds_of(place->time_us), source = place->source;
    struct cold_place cold = {.offset_low = (uint32_t)place->offset,
                              .offset_high = (uint16_t)(place->offset >> 32),
                              .time_ms = (uint16_t)(place->time_us < 0
                                                        ? 0
                                                        : place->time_us /
                                                              1000 % 1000),
                              .length = place->length,
                              .part = place->part};
    struct digest_slot slot = {.doc = w->footer.n_texts};
    uint8_t length = segment_length_of(n_words);

    if (w->footer.n_texts >= SEGMENT_TEXTS_MAX)
        return err_set(err, QUIRE_TOO_LARGE,
                       "too many texts for one index segment");
    buf_add(&w->times, &seconds, sizeof seconds);
    buf_add(&w->sources, &source, sizeof source);
    buf_add(&w->groups, &place->group, sizeof place->group);
    buf_add(&w->metas, &place->meta, sizeof place->meta);
    buf_add(&w->tools, &place->tool, sizeof place->tool);
    buf_add(&w->models, &place->model, sizeof place->model);
    buf_add(&w->lengths, &length, 1);
    buf_add(&w->cold, &cold, sizeof cold);
    if (digest) {
        memcpy(slot.digest, digest, DIGEST_BYTES);
        buf_add(&w->digests, &slot, sizeof slot);
        w->footer.n_live++;
        w->footer.n_words += segment_length_words(length);
    }
    w->footer.n_texts++;
    return w->cold.failed || w->lengths.failed ? err_memory(err) : QUIRE_OK;
}

quire_status segment_writer_extra(struct segment_writer *w,
                                  const struct place *place, quire_error *err)
{
    buf_add(&w->extra, place, sizeof *place);
    w->footer.n_extra++;
    return w->extra.failed ? err_memory(err) : QUIRE_OK;
}

quire_status segment_writer_name(struct segment_writer *w, quire_bytes name,
                                 uint16_t *out, quire_error *err)
{
    uint64_t *known;
    quire_bytes kept;
    uint16_t len;

    *out = 0;
    if (name.len == 0)
        return QUIRE_OK;
    if (name.len > 255)
        name.len = 255;
    known = map_get(&w->name_map, name);
    if (known) {
        *out = (uint16_t)*known;
        return QUIRE_OK;
    }
    *out = 0xffff;
    if (w->footer.n_names >= NAMES_MAX)
        return QUIRE_OK;
    kept = arena_dup(&w->name_memory, name);
    if (!kept.data || !map_put(&w->name_map, kept, w->footer.n_names + 1, NULL))
        return err_memory(err);
    len = (uint16_t)name.len;
    buf_add(&w->names, &len, sizeof len);
    buf_add(&w->names, name.data, name.len);
    *out = (uint16_t)++w->footer.n_names;
    return w->names.failed ? err_memory(err) : QUIRE_OK;
}

/* ---- the end --------------------------------------------------------------- */

static int by_digest(const void *a, const void *b)
{
    return memcmp(a, b, DIGEST_BYTES);
}

/* One column, with zeros behind it so that all have the same length. */
static quire_status write_column(struct segment_writer *w, struct buf *b,
                                 size_t width, quire_error *err)
{
    static const uint8_t zeros[16];
    size_t missing = (4 - w->footer.n_texts % 4) % 4 * width;

    buf_add(b, zeros, missing);
    return add_buf(&w->index, b, err);
}

static quire_status write_columns(struct segment_writer *w, quire_error *err)
{
    quire_status st = write_column(w, &w->times, 4, err);

    if (!st)
        st = write_column(w, &w->sources, 4, err);
    if (!st)
        st = write_column(w, &w->groups, 4, err);
    if (!st)
        st = write_column(w, &w->metas, 2, err);
    if (!st)
        st = write_column(w, &w->tools, 2, err);
    if (!st)
        st = write_column(w, &w->models, 2, err);
    return st ? st : write_column(w, &w->lengths, 1, err);
}

static quire_status write_tables(struct segment_writer *w, quire_error *err)
{
    struct segment_footer *f = &w->footer;
    quire_status st;

    f->blocks_at = w->index.len;
    st = add_buf(&w->index, &w->blocks, err);
    f->columns_at = w->index.len;
    if (!st)
        st = write_columns(w, err);
    f->cold_at = w->index.len;
    if (!st)
        st = add_buf(&w->index, &w->cold, err);
    f->extra_at = w->index.len;
    if (!st)
        st = add_buf(&w->index, &w->extra, err);
    f->digests_at = w->index.len;
    if (!st && w->digests.len > 0 && !w->digests.failed)
        qsort(w->digests.data, w->digests.len / sizeof(struct digest_slot),
              sizeof(struct digest_slot), by_digest);
    if (!st)
        st = add_buf(&w->index, &w->digests, err);
    f->names_at = w->index.len;
    if (!st)
        st = add_buf(&w->index, &w->names, err);
    if (!st)
        st = flush_output(&w->postings, err);
    if (!st)
        st = flush_output(&w->index, err);
    f->postings_len = w->postings.len;
    f->postings_sum = w->postings.sum;
    f->index_sum = w->index.sum;
    f->checksum = segment_checksum(f,
                                   offsetof(struct segment_footer, checksum));
    return st ? st : add_bytes(&w->index, f, sizeof *f, err);
}

/* The index object is published last: without it there is no segment. */
quire_status segment_writer_finish(struct segment_writer *w, uint64_t *bytes,
                                   quire_error *err)
{
    char name[32];
    quire_status st = end_term(w, err);

    if (!st)
        st = end_block(w, err);
    if (!st)
        st = write_tables(w, err);
    if (!st)
        st = flush_output(&w->index, err);
    if (!st) {
        segment_object_name(name, w->footer.number, "postings");
        st = object_publish(w->postings.draft, name, true, err);
        w->postings.draft = NULL;
    }
    if (!st) {
        segment_object_name(name, w->footer.number, "index");
        st = object_publish(w->index.draft, name, true, err);
        w->index.draft = NULL;
    }
    if (!st && bytes)
        *bytes = w->index.len + w->postings.len;
    segment_writer_discard(w);
    return st;
}
