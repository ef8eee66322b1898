/*
 * segment_merge.c - one segment from several
 *
 * Texts keep their numbers, so a document's number in the new segment is the old
 * one plus a constant: lists are copied one behind the other. Texts without a live
 * place leave a gap and none of their words: this is how removed content leaves the
 * index.
 *
 * In memory: the postings of one term, and what segment_write.c collects.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/segment_priv.h"
#include "search/varint.h"

/* A segment without texts takes a number, and its neighbours may be merged without
 * it. */
enum { GAP_MAX = 1 << 20 };

struct input {
    struct segment *s;
    struct term_cursor *terms;
    quire_bytes name; /* the current term */
    struct term term;
    bool more;
    uint32_t base; /* its first document in the new segment */
    uint8_t (*digests)[DIGEST_BYTES]; /* owned, by document */
    bool *kept;                       /* owned, by document */
};

struct merge {
    struct input *inputs; /* owned */
    size_t n;
    struct segment_writer *w;
    const struct merge_filter *filter;
    uint64_t first_text;
    struct buf docs, tfs, positions;
};

/* ---- inputs -------------------------------------------------------------------- */

static quire_status advance(struct input *in, quire_error *err)
{
    return term_cursor_next(in->terms, &in->name, &in->term, &in->more, err);
}

/* The digests by document. */
static quire_status read_digests(struct input *in, quire_error *err)
{
    const struct segment *s = in->s;
    quire_status st = segment_read_ahead(in->s, err);
    uint64_t i;

    if (!st)
        st = segment_load_digests(in->s, err);
    in->digests = calloc(s->n_texts + 1, DIGEST_BYTES);
    if (!st && !in->digests)
        st = err_memory(err);
    for (i = 0; i < s->stats.n_texts && !st; i++)
        memcpy(in->digests[s->digests[i].doc], s->digests[i].digest,
               DIGEST_BYTES);
    return st;
}

/* Which texts remain. */
static quire_status choose_texts(struct merge *m, struct input *in,
                                 quire_error *err)
{
    const struct merge_filter *f = m->filter;
    const struct segment *s = in->s;
    uint32_t i;

    in->kept = calloc(s->n_texts + 1, sizeof *in->kept);
    if (!in->kept)
        return err_memory(err);
    for (i = 0; i < s->n_texts; i++)
        in->kept[i] = s->lengths[i] > 0 &&
                      (f->is_live(f->ctx, s->sources[i]) ||
                       f->has_extra(f->ctx, s->first_text + i));
    return QUIRE_OK;
}

static quire_status open_input(struct merge *m, struct input *in,
                               struct segment *s, quire_error *err)
{
    quire_status st;

    *in = (struct input){.s = s,
                         .base = (uint32_t)(s->first_text - m->first_text)};
    st = segment_load_columns(s, err);
    if (!st)
        st = term_cursor_open(s, bytes_of("", 0), &in->terms, err);
    if (!st)
        st = read_digests(in, err);
    if (!st)
        st = choose_texts(m, in, err);
    return st ? st : advance(in, err);
}

static void close_input(struct input *in)
{
    term_cursor_close(in->terms);
    free(in->digests);
    free(in->kept);
}

/* ---- terms ---------------------------------------------------------------------- */

static quire_status room_for(struct merge *m, const struct term *t,
                             quire_error *err)
{
    buf_clear(&m->docs);
    buf_clear(&m->tfs);
    buf_clear(&m->positions);
    return buf_room(&m->docs, t->n_docs * sizeof(uint32_t)) &&
                   buf_room(&m->tfs, t->n_docs * sizeof(uint32_t)) &&
                   buf_room(&m->positions, (size_t)t->pos_len + 1)
               ? QUIRE_OK
               : err_memory(err);
}

/* Copy the postings of the current term of an input. */
static quire_status copy_postings(struct merge *m, struct input *in,
                                  quire_error *err)
{
    const struct term *t = &in->term;
    quire_status st = room_for(m, t, err);
    uint32_t *docs = (uint32_t *)(void *)m->docs.data;
    uint32_t *tfs = (uint32_t *)(void *)m->tfs.data, i;
    struct varint_reader at;

    if (!st)
        st = segment_read_docs(in->s, t, docs, tfs, err);
    if (!st)
        st = segment_read_postings(in->s, t->at + t->docs_len,
                                   m->positions.data, (size_t)t->pos_len, err);
    at = (struct varint_reader){(uint8_t *)m->positions.data,
                                (uint8_t *)m->positions.data + t->pos_len,
                                false};
    for (i = 0; i < t->n_docs && !st; i++) {
        const uint8_t *from = at.at;

        varint_skip(&at, tfs[i]);
        if (at.failed)
            return err_set(
                err, QUIRE_DAMAGED,
                "the search index is damaged: positions are missing");
        if (in->kept[docs[i]])
            st = segment_writer_posting(m->w, in->base + docs[i], tfs[i], from,
                                        (size_t)(at.at - from), err);
    }
    return st;
}

static int compare_terms(quire_bytes a, quire_bytes b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.data, b.data, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static struct input *first_input(struct merge *m)
{
    struct input *first = NULL;
    size_t i;

    for (i = 0; i < m->n; i++) {
        if (m->inputs[i].more &&
            (!first || compare_terms(m->inputs[i].name, first->name) < 0))
            first = &m->inputs[i];
    }
    return first;
}

static quire_status merge_terms(struct merge *m, quire_error *err)
{
    char name[SEGMENT_TERM_MAX];
    struct input *first;
    quire_bytes term;
    quire_status st = QUIRE_OK;
    size_t i;

    while (!st && (first = first_input(m))) {
        term = bytes_of(name, first->name.len < sizeof name ? first->name.len
                                                            : sizeof name);
        memcpy(name, first->name.data, term.len);
        st = segment_writer_term(m->w, term, err);
        for (i = 0; i < m->n && !st; i++) {
            struct input *in = &m->inputs[i];

            if (!in->more || !bytes_equal(in->name, term))
                continue;
            st = copy_postings(m, in, err);
            if (!st)
                st = advance(in, err);
        }
    }
    return st;
}

/* ---- texts ---------------------------------------------------------------------- */

static quire_status copy_names(struct merge *m, const struct segment *s,
                               struct place *p, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (p->tool != 0xffff)
        st = segment_writer_name(m->w, segment_name(s, p->tool), &p->tool, err);
    if (!st && p->model != 0xffff)
        st = segment_writer_name(m->w, segment_name(s, p->model), &p->model,
                                 err);
    return st;
}

/* A text that was removed, so that the ones behind it keep their numbers. */
static quire_status add_gap(struct merge *m, quire_error *err)
{
    static const struct place none;

    return segment_writer_text(m->w, 0, NULL, &none, err);
}

static quire_status copy_texts(struct merge *m, struct input *in,
                               quire_error *err)
{
    const struct merge_filter *f = m->filter;
    quire_status st = QUIRE_OK;
    struct place place;
    uint32_t i;

    for (i = 0; i < in->s->n_texts && !st; i++) {
        if (!in->kept[i]) {
            st = add_gap(m, err);
            continue;
        }
        st = segment_place(in->s, i, &place, err);
        if (!st && !f->is_live(f->ctx, place.source))
            place = (struct place){.source = 0};
        if (!st)
            st = copy_names(m, in->s, &place, err);
        if (!st)
            st = segment_writer_text(m->w,
                                     segment_length_words(in->s->lengths[i]),
                                     in->digests[i], &place, err);
    }
    return st;
}

static quire_status merge_texts(struct merge *m, quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint32_t n = 0;
    size_t i;

    for (i = 0; i < m->n && !st; i++) {
        for (; n < m->inputs[i].base && !st; n++)
            st = add_gap(m, err);
        if (!st)
            st = copy_texts(m, &m->inputs[i], err);
        n += m->inputs[i].s->n_texts;
    }
    return st;
}

/* The further places of all inputs, by text. */
static quire_status merge_extra(struct merge *m, quire_error *err)
{
    const struct merge_filter *f = m->filter;
    size_t *at = calloc(m->n + 1, sizeof *at), i, least;
    quire_status st = at ? QUIRE_OK : err_memory(err);
    struct place place;

    while (!st) {
        const struct segment *s;

        for (least = m->n, i = 0; i < m->n; i++) {
            s = m->inputs[i].s;
            if (at[i] < s->n_extra &&
                (least == m->n ||
                 s->extra[at[i]].text <
                     m->inputs[least].s->extra[at[least]].text))
                least = i;
        }
        if (least == m->n)
            break;
        s = m->inputs[least].s;
        place = s->extra[at[least]++];
        if (!f->is_live(f->ctx, place.source))
            continue;
        st = copy_names(m, s, &place, err);
        if (!st)
            st = segment_writer_extra(m->w, &place, err);
    }
    free(at);
    return st;
}

/* ---- the merge ------------------------------------------------------------------ */

static quire_status open_inputs(struct merge *m, struct segment *const *from,
                                size_t n, quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint64_t end = m->first_text;

    m->inputs = calloc(n + 1, sizeof *m->inputs);
    if (!m->inputs)
        return err_memory(err);
    for (; m->n < n && !st; m->n++) {
        struct segment *s = from[m->n];

        if (s->first_text < end || s->first_text - end > GAP_MAX ||
            s->first_text + s->n_texts - m->first_text > SEGMENT_TEXTS_MAX)
            return err_set(err, QUIRE_DAMAGED,
                           "the search index is damaged: segments overlap, or "
                           "are far apart");
        st = open_input(m, &m->inputs[m->n], s, err);
        end = s->first_text + s->n_texts;
    }
    return st;
}

quire_status segment_merge(struct object_store *store,
                           struct segment *const *from, size_t n,
                           uint64_t number, const struct merge_filter *filter,
                           uint64_t *bytes, quire_error *err)
{
    struct merge m = {
        .filter = filter,
        .first_text = from[0]->first_text,
        .docs = BUF_INIT(SIZE_MAX),
        .tfs = BUF_INIT(SIZE_MAX),
        .positions = BUF_INIT(SIZE_MAX),
    };
    quire_status st = open_inputs(&m, from, n, err);
    size_t i;

    if (!st)
        st = segment_writer_new(store, number, m.first_text, &m.w, err);
    if (!st)
        st = merge_terms(&m, err);
    if (!st)
        st = merge_texts(&m, err);
    if (!st)
        st = merge_extra(&m, err);
    if (st)
        segment_writer_discard(m.w);
    else
        st = segment_writer_finish(m.w, bytes, err);
    for (i = 0; i < m.n; i++)
        close_input(&m.inputs[i]);
    free(m.inputs);
    buf_release(&m.docs);
    buf_release(&m.tfs);
    buf_release(&m.positions);
    return st;
}
