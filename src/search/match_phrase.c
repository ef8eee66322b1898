/* match_phrase.c - words one after the other */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/match_priv.h"

static quire_status add_positions(void *ctx, size_t i,
                                  const uint32_t *positions, size_t n,
                                  quire_error *err)
{
    struct places *p = ctx;
    uint64_t *to = buf_room(&p->list, n * sizeof *to);
    size_t k, used = 0;

    if (!to)
        return err_memory(err);
    for (k = 0; k < n; k++) {
        if (positions[k] >= p->shift)
            to[used++] = (uint64_t)i << 32 | (positions[k] - p->shift);
    }
    buf_grow(&p->list, used * sizeof *to);
    return QUIRE_OK;
}

static int by_place(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Where a token is in the candidates, in one field. */
static quire_status read_places(struct matching *m, const struct term_set *set,
                                uint8_t field, const struct matches *candidates,
                                uint32_t shift, struct places *out,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i, n = 0;

    buf_clear(&out->list);
    out->shift = shift;
    for (i = 0; i < set->n && !st; i++) {
        if (set->list[i].field != field)
            continue;
        n++;
        st = segment_positions(m->s, &set->list[i].term, candidates->docs,
                               candidates->n, add_positions, out, err);
    }
    if (!st && n > 1 && places_count(out) > 1)
        qsort(places_list(out), places_count(out), sizeof(uint64_t), by_place);
    return st;
}

/* Keep the places of `a` that are in `b`. */
static void keep_common(struct places *a, const struct places *b)
{
    uint64_t *x = places_list(a), *y = places_list(b);
    size_t i = 0, k = 0, n = 0, n_a = places_count(a), n_b = places_count(b);

    while (i < n_a && k < n_b) {
        if (x[i] < y[k]) {
            i++;
        } else if (x[i] > y[k]) {
            k++;
        } else {
            x[n++] = x[i++];
            k++;
        }
    }
    a->list.len = n * sizeof *x;
}

static bool set_has_field(const struct term_set *set, uint8_t field)
{
    size_t i;

    for (i = 0; i < set->n; i++)
        if (set->list[i].field == field)
            return true;
    return false;
}

/* Where the phrase of a leaf begins in the candidates, in one field. */
quire_status match_phrase_places(struct matching *m, const struct plan_leaf *l,
                                 const struct term_set *sets, uint8_t field,
                                 const struct matches *candidates,
                                 struct places *out, quire_error *err)
{
    struct places next = {.list = BUF_INIT(SIZE_MAX)};
    quire_status st;
    size_t i;

    buf_clear(&out->list);
    for (i = 0; i < l->n_tokens; i++)
        if (!set_has_field(&sets[i], field))
            return QUIRE_OK;
    st = read_places(m, &sets[0], field, candidates, 0, out, err);
    for (i = 1; i < l->n_tokens && !st && out->list.len > 0; i++) {
        st = read_places(m, &sets[i], field, candidates, l->tokens[i].place,
                         &next, err);
        if (!st)
            keep_common(out, &next);
    }
    buf_release(&next.list);
    return st;
}

/* The texts that have all tokens of a leaf, wherever. */
quire_status match_phrase_candidates(struct matching *m,
                                     const struct plan_leaf *l,
                                     struct term_set *sets, struct matches *out,
                                     quire_error *err)
{
    size_t i, least = 0;
    quire_status st = QUIRE_OK;

    *out = (struct matches){.n = 0};
    for (i = 0; i < l->n_tokens && !st; i++) {
        st = match_find_terms(m->p, &l->tokens[i], m->s, m->keep, &sets[i],
                              err);
        if (st || sets[i].n == 0)
            return st;
        if (sets[i].n_docs < sets[least].n_docs)
            least = i;
    }
    if (!st)
        st = match_read_set(m, &sets[least], out, err);
    for (i = 0; i < l->n_tokens && !st && out->n > 0; i++) {
        struct matches other;

        if (i == least)
            continue;
        if (sets[i].n == 1 && sets[i].n_docs > 8 * out->n) {
            uint32_t *tfs = arena_alloc(m->keep, out->n * sizeof *tfs);

            st = tfs ? segment_intersect(m->s, &sets[i].list[0].term, out->docs,
                                         tfs, &out->n, err)
                     : err_memory(err);
            continue;
        }
        st = match_read_set(m, &sets[i], &other, err);
        if (!st)
            match_intersect(out, &other);
    }
    return st;
}

/* Texts that have the phrase; the number of its occurrences as scores. */
quire_status match_phrase(struct matching *m, const struct plan_leaf *l,
                          struct matches *out, quire_error *err)
{
    struct term_set *sets = arena_array(m->keep, l->n_tokens, sizeof *sets);
    struct places places = {.list = BUF_INIT(SIZE_MAX)};
    struct matches candidates;
    quire_status st;
    uint8_t f;
    size_t i, n;

    if (!sets)
        return err_memory(err);
    st = match_phrase_candidates(m, l, sets, &candidates, err);
    if (!st)
        st = match_new_list(m, candidates.n, out, err);
    if (st)
        return st;
    match_clear_scores(&candidates);
    for (f = 0; f < N_FIELDS && !st && candidates.n > 0; f++) {
        if (!(m->s->fields & 1u << f))
            continue;
        st = match_phrase_places(m, l, sets, f, &candidates, &places, err);
        n = places_count(&places);
        for (i = 0; i < n && !st; i++)
            candidates.scores[places_list(&places)[i] >> 32] +=
                match_field_weights[f];
    }
    for (i = 0; i < candidates.n && !st; i++) {
        if (candidates.scores[i] > 0) {
            out->docs[out->n] = candidates.docs[i];
            out->scores[out->n++] = candidates.scores[i];
        }
    }
    buf_release(&places.list);
    return st;
}
