/*
 * segment_verify.c - see segment_verify.h
 *
 * segment_read.c and segment_postings.c check what they follow, and are called for
 * everything there is. Here is what one look-up does not see: that lists lie one
 * behind the other without a gap, that tables agree with each other, and the
 * checksums. These come last: a damage that has a place is reported with it.
 */
#include "search/segment_verify.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/segment_priv.h"

enum { PIECE_BYTES = 256 * 1024, NO_NAME = 0xffff };

static quire_status fail_at(const struct segment *s, const char *suffix,
                            uint64_t at, quire_error *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

static quire_status fail_at(const struct segment *s, const char *suffix,
                            uint64_t at, quire_error *err, const char *fmt, ...)
{
    char name[32], what[120];
    va_list ap;

    segment_object_name(name, s->number, suffix);
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return err_fail(err, QUIRE_DAMAGED, HINT_SHELL "run quire reindex",
                    "the search index is damaged: %s, byte %llu: %s", name,
                    (unsigned long long)at, what);
}

/* ---- terms and their lists ----------------------------------------------- */

struct verifying {
    struct segment *s;
    char last[SEGMENT_TERM_MAX]; /* the term before */
    size_t last_len;
    uint32_t block;    /* the next block of terms */
    uint64_t postings; /* end of the lists so far */
    struct buf docs;   /* uint32_t */
};

/* Blocks lie one behind the other, and their index behind them. */
static quire_status verify_blocks(struct segment *s, quire_error *err)
{
    uint64_t at = 0, index = 0,
             columns_at = s->cold_at - segment_columns_size(s->n_texts);
    uint32_t i;

    for (i = 0; i < s->n_blocks; i++) {
        if (s->blocks[i].at != at)
            return fail_at(s, "index", at, err,
                           "no block of terms begins here");
        at += s->blocks[i].len;
        index += sizeof(struct block_entry) + s->blocks[i].first.len;
    }
    return at + index == columns_at
               ? QUIRE_OK
               : fail_at(s, "index", at, err,
                         "the index of blocks does not fit");
}

static quire_status verify_positions(void *ctx, size_t i,
                                     const uint32_t *positions, size_t n,
                                     quire_error *err)
{
    size_t k;

    (void)ctx;
    (void)i;
    (void)err;
    for (k = 1; k < n; k++)
        if (positions[k - 1] >= positions[k])
            return QUIRE_DAMAGED;
    return QUIRE_OK;
}

/* Documents and positions ascend, and each document has words. */
static quire_status verify_list(struct verifying *v, const struct term *t,
                                quire_error *err)
{
    struct segment *s = v->s;
    uint32_t *docs, i;
    quire_status st;

    buf_clear(&v->docs);
    docs = buf_room(&v->docs, (size_t)t->n_docs * sizeof *docs);
    if (!docs)
        return err_memory(err);
    st = segment_read_docs(s, t, docs, NULL, err);
    for (i = 0; i < t->n_docs && !st; i++)
        if (s->lengths[docs[i]] == 0)
            st = QUIRE_DAMAGED; /* words of a text that was removed */
    if (!st)
        st = segment_positions(s, t, docs, t->n_docs, verify_positions, NULL,
                               err);
    return st == QUIRE_DAMAGED
               ? fail_at(s, "postings", t->at, err, "a list does not fit")
               : st;
}

static int compare_to_last(const struct verifying *v, quire_bytes name)
{
    size_t len = name.len < v->last_len ? name.len : v->last_len;
    int order = len ? memcmp(name.data, v->last, len) : 0;

    return order ? order : (name.len > v->last_len) - (name.len < v->last_len);
}

/* A list is known by where it begins: the first one of a block, too. */
static quire_status verify_name(struct verifying *v, quire_bytes name,
                                const struct term *t, quire_error *err)
{
    struct segment *s = v->s;
    const struct term_block *b = &s->blocks[v->block];
    bool first = v->block < s->n_blocks && b->postings == t->at;
    uint8_t field = name.len ? *(const uint8_t *)name.data : 0;

    v->block += first;
    if (t->at != v->postings)
        return fail_at(s, "postings", v->postings, err, "no list begins here");
    if (first && !bytes_equal(b->first, name))
        return fail_at(s, "index", b->at, err,
                       "a block begins with another term");
    if (compare_to_last(v, name) <= 0)
        return fail_at(s, "index", s->blocks[v->block - 1].at, err,
                       "terms are not in order");
    if (!(s->fields & 1u << (field < N_FIELDS ? field : 0)))
        return fail_at(s, "index", s->blocks[v->block - 1].at, err,
                       "a term is of an unknown field");
    return QUIRE_OK;
}

static quire_status verify_term(void *ctx, quire_bytes name,
                                const struct term *t, bool *more,
                                quire_error *err)
{
    struct verifying *v = ctx;
    quire_status st;

    (void)more;
    assert(name.len <= sizeof v->last);
    st = verify_name(v, name, t, err);
    if (!st)
        st = verify_list(v, t, err);
    memcpy(v->last, name.data, name.len);
    v->last_len = name.len;
    v->postings = t->at + t->docs_len + t->pos_len;
    return st;
}

static quire_status verify_terms(struct segment *s, quire_error *err)
{
    struct verifying v = {.s = s, .docs = BUF_INIT(SIZE_MAX)};
    quire_status st = verify_blocks(s, err);

    if (!st)
        st = segment_terms(s, bytes_of("", 0), verify_term, &v, err);
    if (!st && v.block != s->n_blocks)
        st = fail_at(s, "index", s->blocks[v.block].at, err,
                     "a block has no terms");
    if (!st && v.postings != s->postings_len)
        st = fail_at(s, "postings", v.postings, err, "a list has no term");
    buf_release(&v.docs);
    return st;
}

/* ---- texts and places ---------------------------------------------------- */

static bool is_name(const struct segment *s, uint16_t name)
{
    return name == NO_NAME || name <= s->n_names;
}

static quire_status verify_texts(const struct segment *s, quire_error *err)
{
    uint64_t n_live = 0, n_words = 0,
             columns_at = s->cold_at - segment_columns_size(s->n_texts);
    uint32_t i;

    for (i = 0; i < s->n_texts; i++) {
        n_live += s->lengths[i] > 0;
        n_words += segment_length_words(s->lengths[i]);
        if (!is_name(s, s->tools[i]) || !is_name(s, s->models[i]))
            return fail_at(s, "index", columns_at, err,
                           "text %lu has an unknown name", (unsigned long)i);
    }
    return n_live == s->stats.n_texts && n_words == s->stats.n_words
               ? QUIRE_OK
               : fail_at(s, "index", columns_at, err,
                         "the number of texts or words is wrong");
}

/* Further places are of texts of this segment or an earlier one. */
static quire_status verify_extra(const struct segment *s, quire_error *err)
{
    uint64_t end = s->first_text + (s->n_texts ? s->n_texts : 1);
    uint32_t i;

    for (i = 0; i < s->n_extra; i++) {
        const struct place *p = &s->extra[i];

        if (p->text >= end || p->source == 0 || !is_name(s, p->tool) ||
            !is_name(s, p->model))
            return fail_at(s, "index", s->extra_at + (uint64_t)i * sizeof *p,
                           err, "a place does not fit");
    }
    return QUIRE_OK;
}

/* Each text with words has one digest. */
static quire_status verify_digests(struct segment *s, quire_error *err)
{
    quire_status st = segment_load_digests(s, err);
    uint8_t *seen = st ? NULL : calloc((size_t)s->n_texts / 8 + 1, 1);
    uint64_t i;

    if (!st && !seen)
        st = err_memory(err);
    for (i = 0; i < s->stats.n_texts && !st; i++) {
        const struct digest_slot *d = &s->digests[i];
        uint8_t bit = (uint8_t)(1u << d->doc % 8);

        if (seen[d->doc / 8] & bit || s->lengths[d->doc] == 0 ||
            (i > 0 && memcmp(d[-1].digest, d->digest, DIGEST_BYTES) >= 0))
            st = fail_at(s, "index", s->digests_at + i * sizeof *d, err,
                         "a digest does not fit");
        seen[d->doc / 8] |= bit;
    }
    free(seen);
    return st;
}

static quire_status verify_names(const struct segment *s, quire_error *err)
{
    uint64_t at = s->digests_at + s->stats.n_texts * sizeof(struct digest_slot);
    uint32_t i;

    for (i = 0; i < s->n_names; i++) {
        if (s->names[i].len == 0)
            return fail_at(s, "index", at, err, "a name is empty");
        at += sizeof(uint16_t) + s->names[i].len;
    }
    return at == s->index_len
               ? QUIRE_OK
               : fail_at(s, "index", at, err, "there is more than names");
}

/* ---- checksums ----------------------------------------------------------- */

static quire_status verify_sum(const struct segment *s, struct object *o,
                               const char *suffix, uint64_t len, uint64_t sum,
                               quire_error *err)
{
    uint8_t *piece = malloc(PIECE_BYTES);
    uint64_t at = 0, found = 0;
    size_t n = 1, want;
    quire_status st = piece ? QUIRE_OK : err_memory(err);

    while (!st && at < len && n > 0) {
        want = len - at < PIECE_BYTES ? (size_t)(len - at) : PIECE_BYTES;
        st = object_read(o, at, piece, want, &n, err);
        if (!st)
            found = segment_sum(found, piece, n);
        at += n;
    }
    free(piece);
    if (!st && at != len)
        st = fail_at(s, suffix, at, err, "it ends here");
    if (!st && found != sum)
        st = fail_at(s, suffix, 0, err,
                     "its %llu bytes are not those that were written",
                     (unsigned long long)len);
    return st;
}

static quire_status verify_sums(const struct segment *s, quire_error *err)
{
    quire_status st = verify_sum(s, s->index, "index", s->index_len,
                                 s->index_sum, err);

    return st ? st
              : verify_sum(s, s->postings, "postings", s->postings_len,
                           s->postings_sum, err);
}

quire_status segment_verify(struct segment *s, quire_error *err)
{
    quire_status st = segment_load_columns(s, err);

    if (!st)
        st = segment_read_ahead(s, err);
    if (!st)
        st = verify_texts(s, err);
    if (!st)
        st = verify_terms(s, err);
    if (!st)
        st = verify_extra(s, err);
    if (!st)
        st = verify_digests(s, err);
    if (!st)
        st = verify_names(s, err);
    if (!st)
        st = verify_sums(s, err);
    free(s->window.bytes);
    s->window = (struct read_window){.bytes = NULL};
    return st;
}
