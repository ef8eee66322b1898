/* match_lists.c - lists of texts with scores: read, united, intersected */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/match_priv.h"

quire_status match_new_list(struct matching *m, size_t n, struct matches *out,
                            quire_error *err)
{
    *out = (struct matches){.n = 0};
    out->docs = arena_alloc(m->keep, (n + 1) * sizeof *out->docs);
    out->scores = arena_alloc(m->keep, (n + 1) * sizeof *out->scores);
    return out->docs && out->scores ? QUIRE_OK : err_memory(err);
}

/* The texts of one term; tf as scores. */
static quire_status read_term(struct matching *m, const struct found_term *t,
                              struct matches *out, quire_error *err)
{
    quire_status st = match_new_list(m, t->term.n_docs, out, err);
    uint32_t *tfs;
    size_t i;

    if (st)
        return st;
    tfs = arena_alloc(m->keep, t->term.n_docs * sizeof *tfs + 1);
    if (!tfs)
        return err_memory(err);
    st = segment_read_docs(m->s, &t->term, out->docs, tfs, err);
    out->n = t->term.n_docs;
    for (i = 0; i < out->n && !st; i++)
        out->scores[i] = match_field_weights[t->field] * (float)tfs[i];
    return st;
}

/* The union of the texts of many terms, with the sum of weighted tf. */
static quire_status read_union(struct matching *m, const struct term_set *set,
                               struct matches *out, quire_error *err)
{
    float *sums = calloc(m->s->n_texts + 1, sizeof *sums);
    uint32_t *docs = NULL, *tfs = NULL, most = 0, i;
    quire_status st = sums ? QUIRE_OK : err_memory(err);
    size_t k, n = 0;

    for (k = 0; k < set->n; k++)
        most = set->list[k].term.n_docs > most ? set->list[k].term.n_docs
                                               : most;
    docs = malloc(((size_t)most + 1) * sizeof *docs);
    tfs = malloc(((size_t)most + 1) * sizeof *tfs);
    if (!st && (!docs || !tfs))
        st = err_memory(err);
    for (k = 0; k < set->n && !st; k++) {
        const struct found_term *t = &set->list[k];

        st = segment_read_docs(m->s, &t->term, docs, tfs, err);
        for (i = 0; i < t->term.n_docs && !st; i++) {
            n += sums[docs[i]] == 0;
            sums[docs[i]] += match_field_weights[t->field] * (float)tfs[i];
        }
    }
    if (!st)
        st = match_new_list(m, n, out, err);
    for (i = 0; i < m->s->n_texts && !st; i++) {
        if (sums[i] > 0) {
            out->docs[out->n] = i;
            out->scores[out->n++] = sums[i];
        }
    }
    free(tfs);
    free(docs);
    free(sums);
    return st;
}

quire_status match_read_set(struct matching *m, const struct term_set *set,
                            struct matches *out, quire_error *err)
{
    *out = (struct matches){.n = 0};
    if (set->n == 0)
        return QUIRE_OK;
    return set->n == 1 ? read_term(m, &set->list[0], out, err)
                       : read_union(m, set, out, err);
}

/* Turn weighted tf into scores. */
void match_score_list(struct matching *m, struct matches *list, float weight)
{
    size_t i;

    for (i = 0; i < list->n; i++)
        list->scores[i] = match_score_of(m, list->docs[i], list->scores[i],
                                         weight);
}

void match_clear_scores(struct matches *list)
{
    if (list->n)
        memset(list->scores, 0, list->n * sizeof *list->scores);
}

/* Both: scores are added. `out` is `a`. */
void match_intersect(struct matches *a, const struct matches *b)
{
    size_t i = 0, k = 0, n = 0;

    while (i < a->n && k < b->n) {
        if (a->docs[i] < b->docs[k]) {
            i++;
        } else if (a->docs[i] > b->docs[k]) {
            k++;
        } else {
            a->docs[n] = a->docs[i];
            a->scores[n++] = a->scores[i++] + b->scores[k++];
        }
    }
    a->n = n;
}

void match_subtract(struct matches *a, const struct matches *b)
{
    size_t i, k = 0, n = 0;

    for (i = 0; i < a->n; i++) {
        while (k < b->n && b->docs[k] < a->docs[i])
            k++;
        if (k < b->n && b->docs[k] == a->docs[i])
            continue;
        a->docs[n] = a->docs[i];
        a->scores[n++] = a->scores[i];
    }
    a->n = n;
}

quire_status match_unite(struct matching *m, struct matches *a,
                         const struct matches *b, quire_error *err)
{
    struct matches out;
    size_t i = 0, k = 0;
    quire_status st;

    if (a->n == 0 || b->n == 0) {
        if (a->n == 0)
            *a = *b;
        return QUIRE_OK;
    }
    st = match_new_list(m, a->n + b->n, &out, err);
    while (!st && (i < a->n || k < b->n)) {
        uint32_t x = i < a->n ? a->docs[i] : UINT32_MAX;
        uint32_t y = k < b->n ? b->docs[k] : UINT32_MAX;

        out.docs[out.n] = x < y ? x : y;
        out.scores[out.n] = 0;
        if (x <= y)
            out.scores[out.n] += a->scores[i++];
        if (y <= x)
            out.scores[out.n] += b->scores[k++];
        out.n++;
    }
    *a = out;
    return st;
}
