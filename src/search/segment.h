/*
 * segment.h - an immutable part of the search index
 *
 * A segment has the words of some texts, and where these texts are. It is written
 * once, from texts in memory (segment_build.c) or from other segments
 * (segment_merge.c), and read by queries until a merge replaces it.
 *
 *     text    a piece of content that was indexed, with a number that is never used
 *             again. A segment has consecutive numbers from `first_text` on; those
 *             of removed texts are missing (their length is 0, and they have no
 *             words). Two texts with the same digest are one text.
 *     place   where a text is: source, offset, kind, role, time. Every text has one
 *             place of its own, which has the text's number in the columns, and any
 *             number of further places. These are in the segment that was written
 *             when they were found, which may be a later one.
 *     field   what part of a text a word is in: 0 is the body, others are for texts
 *             with a path or a title (enum segment_field). A word of a field is a
 *             term of its own.
 *
 * Two objects (store/object.h), named after the segment's number, in the byte order
 * of the machine that is usual today (little-endian):
 *
 *     <n>.postings   for each term, in order: documents, then positions
 *     <n>.index      terms in blocks, index of blocks, columns, places, digests,
 *                    names, footer
 *
 * Postings of a term with up to BLOCK_DOCS documents: the first document as a
 * varint, then a block. With more: a table with twelve bytes for each block (first
 * document, offset of the block, offset of its positions), then the blocks. A block
 * has a varint for each document, the distance from the one before (0 for the first)
 * times two, plus one if the term occurs once; else the number of occurrences
 * minus two follows. Positions are the distances within one document.
 *
 * A block of terms: u16 number of terms, u16 length of the text, the terms each
 * followed by a newline, then for each term three varints: number of documents,
 * bytes of documents, bytes of positions. Terms are sorted as bytes; those of field
 * f > 0 begin with the byte f.
 *
 * Every byte of these files is untrusted: a reader checks what it follows, and
 * reports QUIRE_DAMAGED. The footer has a checksum of each object, which only
 * segment_verify.c compares. The index is derived, and can be rebuilt.
 */
#ifndef SEARCH_SEGMENT_H
#define SEARCH_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"
#include "store/object.h"

enum {
    SEGMENT_VERSION = 2,
    BLOCK_DOCS = 128,        /* documents a block of postings */
    TERM_BLOCK_BYTES = 4096, /* text of terms a block, about  */
    SEGMENT_TERM_MAX = 80,   /* bytes of a term               */
    SEGMENT_TEXTS_MAX = 1 << 28,
    DIGEST_BYTES = 12,
};

enum segment_field {
    FIELD_BODY,
    FIELD_PATH,
    FIELD_TITLE,
    FIELD_TAGS,
    FIELD_NOTE,   /* purpose of an artifact     */
    FIELD_SOURCE, /* of a memory entry          */
    N_FIELDS
};

/* A term that every text has with words that were cut or left out. */
#define TERM_LEFT_OUT "\x0f"

/* Flags of a place; the lowest bits of its meta column are kind and role. */
enum {
    PLACE_KIND_BITS = 4,
    PLACE_ROLE_BITS = 3,
    PLACE_ERROR = 1 << 7,
    PLACE_IMAGE = 1 << 8,
    PLACE_OLDER =
        1 << 9, /* an older version of an artifact; a memory entry that is
                           * not valid any more */
    PLACE_CODE = 1 << 10, /* has a block of code */
    PLACE_LINK = 1 << 11, /* has a web address   */
};

#define PLACE_KIND(meta) ((meta)&15u)
#define PLACE_ROLE(meta) ((meta) >> PLACE_KIND_BITS & 7u)

/* A place as callers see it. */
struct place {
    uint64_t text;   /* number of the text                              */
    uint64_t offset; /* in the source                                   */
    int64_t time_us; /* 0: unknown                                      */
    uint32_t source; /* number of the source                            */
    uint32_t length; /* of the bytes at `offset`                        */
    uint16_t part;   /* which text of these bytes                       */
    uint16_t meta;   /* kind, role, flags                               */
    uint16_t tool;   /* name in the segment; 0: none                    */
    uint16_t model;  /* likewise                                        */
    uint32_t group;  /* hits with the same number belong together       */
    uint32_t added;  /* of a further place: lowest bits of the last number of a
                      * text that the segment had which was written for it */
};

struct segment_stats {
    uint64_t n_texts; /* with words, not removed        */
    uint64_t n_words; /* places of words in these       */
};

/* ---- writing ------------------------------------------------------------ */

struct segment_writer;

/* Begin a segment `number` whose first text is `first_text`. */
quire_status segment_writer_new(struct object_store *store, uint64_t number,
                                uint64_t first_text,
                                struct segment_writer **out, quire_error *err);

/* The next term, and its documents in ascending order: `tf` occurrences of which
 * `positions` has the bytes. */
quire_status segment_writer_term(struct segment_writer *w, quire_bytes term,
                                 quire_error *err);
quire_status segment_writer_posting(struct segment_writer *w, uint32_t doc,
                                    uint32_t tf, const uint8_t *positions,
                                    size_t len, quire_error *err);

/* After the terms: the texts in order, each with its place. Length 0: removed. */
quire_status segment_writer_text(struct segment_writer *w, uint32_t n_words,
                                 const uint8_t digest[DIGEST_BYTES],
                                 const struct place *place, quire_error *err);

/* And the further places, by ascending text. */
quire_status segment_writer_extra(struct segment_writer *w,
                                  const struct place *place, quire_error *err);

/* The number of a name for tool and model, from 1 on; 0 for an empty one, and
 * 0xffff if there are too many. */
quire_status segment_writer_name(struct segment_writer *w, quire_bytes name,
                                 uint16_t *out, quire_error *err);

/* Write the rest and publish both objects, or give up. Frees the writer. *bytes
 * (may be NULL) is the size of both. */
quire_status segment_writer_finish(struct segment_writer *w, uint64_t *bytes,
                                   quire_error *err);
void segment_writer_discard(struct segment_writer *w);

/* ---- building from texts ------------------------------------------------- */

struct segment_builder;

quire_status segment_builder_new(struct segment_builder **out,
                                 quire_error *err);
void segment_builder_free(struct segment_builder *b);

/* Bytes of memory in use. */
size_t segment_builder_memory(const struct segment_builder *b);
uint32_t segment_builder_texts(const struct segment_builder *b);
bool segment_builder_is_empty(const struct segment_builder *b);

/* The fields of one text, and its digest. */
struct segment_text {
    quire_bytes fields[N_FIELDS];
};
void segment_text_digest(const struct segment_text *t,
                         uint8_t digest[DIGEST_BYTES]);

/* Add a text, or a place of one: place->text is set to the number of the text in
 * this builder, counted from 0. `tool` and `model` are names; place->tool and
 * place->model are ignored. QUIRE_NO_MEMORY leaves the builder to be freed. */
quire_status segment_builder_add(struct segment_builder *b,
                                 const struct segment_text *t,
                                 const uint8_t digest[DIGEST_BYTES],
                                 struct place *place, quire_bytes tool,
                                 quire_bytes model, quire_error *err);

/* The text in this builder with a digest, -1: none. */
int64_t segment_builder_find(const struct segment_builder *b,
                             const uint8_t digest[DIGEST_BYTES]);

/* A further place of a text of another segment (place->text is its number there), or
 * of this builder (`own`, counted from 0). */
quire_status segment_builder_extra(struct segment_builder *b, bool own,
                                   const struct place *place, quire_bytes tool,
                                   quire_bytes model, quire_error *err);

/* Write everything as a segment and empty the builder. */
quire_status segment_builder_write(struct segment_builder *b,
                                   struct object_store *store, uint64_t number,
                                   uint64_t first_text, uint64_t *bytes,
                                   quire_error *err);

/* ---- reading ------------------------------------------------------------ */

struct term_block {
    quire_bytes first; /* its first term          */
    uint64_t at;       /* in the index object     */
    uint64_t postings; /* of the first term       */
    uint32_t len;
};

/* Bytes read ahead, where reads come one behind the other. */
struct read_window {
    uint8_t *bytes; /* owned; NULL: every read goes to the object */
    uint64_t at;
    size_t len;
};

struct digest_slot;

struct segment {
    uint64_t number, first_text;
    uint32_t n_texts; /* numbers, removed ones included */
    uint32_t n_extra;
    uint32_t n_blocks;
    uint32_t n_names;
    struct segment_stats stats;
    uint64_t bytes;  /* of both objects */
    unsigned fields; /* bit f: it has terms of field f */

    struct object *index, *postings;  /* owned */
    uint64_t index_len, postings_len; /* without the footer */
    uint64_t index_sum, postings_sum;
    uint64_t cold_at, digests_at, extra_at;
    struct digest_slot *digests; /* owned; NULL: not read yet */
    uint16_t *prints;  /* owned; two bytes of each digest; NULL: not read yet */
    uint32_t *buckets; /* owned; where those with the same first bits begin */
    unsigned bucket_bits;
    struct read_window window; /* of the postings, for merges */
    struct term_block *blocks; /* owned, in `memory` like the columns */
    /* Columns, by text; NULL until segment_load_columns(). */
    const uint8_t *lengths; /* logarithm of the number of words */
    const uint32_t *times;  /* seconds */
    const uint32_t *sources, *groups;
    const uint16_t *metas, *tools, *models;
    const struct place *extra; /* by text */
    quire_bytes *names;
    struct arena memory;
};

/* Open a segment. QUIRE_NOT_FOUND without a message, QUIRE_DAMAGED. */
quire_status segment_open(struct object_store *store, uint64_t number,
                          struct segment **out, quire_error *err);
void segment_close(struct segment *s);

/* Remove the objects of a segment; absent ones are fine. */
quire_status segment_remove(struct object_store *store, uint64_t number,
                            quire_error *err);

/* Read the columns, if they are not in memory yet. */
quire_status segment_load_columns(struct segment *s, quire_error *err);

/* The number of words that a length stands for. */
uint32_t segment_length_words(uint8_t length);
uint8_t segment_length_of(uint32_t n_words);

/* Read postings: `len` bytes, or QUIRE_DAMAGED. */
quire_status segment_read_postings(struct segment *s, uint64_t at, void *out,
                                   size_t len, quire_error *err);

/* Read ahead from now on; for merges. */
quire_status segment_read_ahead(struct segment *s, quire_error *err);

/* The place of a text, by its number in the segment from 0. */
quire_status segment_place(struct segment *s, uint32_t doc, struct place *out,
                           quire_error *err);
quire_bytes segment_name(const struct segment *s, uint16_t name);

/* The text with a digest, by its number in the segment; -1: none. Keeps two or three
 * bytes of each digest in memory. */
quire_status segment_find_digest(struct segment *s,
                                 const uint8_t digest[DIGEST_BYTES],
                                 int64_t *doc, quire_error *err);

/* The further places of a text, by the number of the text: [*from, *to) of
 * s->extra. */
void segment_extra_of(const struct segment *s, uint64_t text, size_t *from,
                      size_t *to);

/* A term that was found. */
struct term {
    uint32_t n_docs;
    uint32_t docs_len;
    uint64_t at;      /* in the postings          */
    uint64_t pos_len; /* positions follow the documents */
};

/* Look a term up; *found. */
quire_status segment_find_term(struct segment *s, quire_bytes name, bool *found,
                               struct term *out, quire_error *err);

/* Terms in order, from `from` on, as long as each() returns QUIRE_OK and *more. */
typedef quire_status (*term_fn)(void *ctx, quire_bytes name,
                                const struct term *t, bool *more,
                                quire_error *err);
quire_status segment_terms(struct segment *s, quire_bytes from, term_fn each,
                           void *ctx, quire_error *err);

/* Terms that contain `part`, which has no newline; in order. */
quire_status segment_terms_with(struct segment *s, quire_bytes part,
                                term_fn each, void *ctx, quire_error *err);

/* All documents of a term, in `docs` and `tfs`, arrays with room for
 * t->n_docs (tfs may be NULL). */
quire_status segment_read_docs(struct segment *s, const struct term *t,
                               uint32_t *docs, uint32_t *tfs, quire_error *err);

/* Of the ascending `docs` keep those that have the term, with their number of
 * occurrences in tfs. *n is the number. Reads only the blocks that it needs. */
quire_status segment_intersect(struct segment *s, const struct term *t,
                               uint32_t *docs, uint32_t *tfs, size_t *n,
                               quire_error *err);

/* The positions of the term in each of the ascending `docs` that has it. */
typedef quire_status (*positions_fn)(void *ctx, size_t i,
                                     const uint32_t *positions, size_t n,
                                     quire_error *err);
quire_status segment_positions(struct segment *s, const struct term *t,
                               const uint32_t *docs, size_t n,
                               positions_fn each, void *ctx, quire_error *err);

/* The same one by one, beginning at most a block before `from`; for merges. */
struct term_cursor;
quire_status term_cursor_open(struct segment *s, quire_bytes from,
                              struct term_cursor **out, quire_error *err);
quire_status term_cursor_next(struct term_cursor *c, quire_bytes *name,
                              struct term *t, bool *more, quire_error *err);
void term_cursor_close(struct term_cursor *c);

/* ---- merging ------------------------------------------------------------ */

/* What remains. A place remains if its source is live, a text if any of its places
 * is. */
struct merge_filter {
    bool (*is_live)(void *ctx, uint32_t source);
    /* Whether a text has a further place that is live, in any segment. */
    bool (*has_extra)(void *ctx, uint64_t text);
    void *ctx;
};

/* Write one segment from adjacent ones, the lowest texts first. */
quire_status segment_merge(struct object_store *store,
                           struct segment *const *from, size_t n,
                           uint64_t number, const struct merge_filter *filter,
                           uint64_t *bytes, quire_error *err);

#endif
