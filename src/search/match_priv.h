/* match_priv.h - shared by the files that match a plan against a segment */
#ifndef SEARCH_MATCH_PRIV_H
#define SEARCH_MATCH_PRIV_H

#include "base/buf.h"
#include "search/plan.h"
#include "search/segment.h"

#define BM25_K1 1.2
#define BM25_B  0.75

/* A term of the segment that a token matches. */
struct found_term {
    struct term term;
    uint8_t field;
};

struct term_set {
    struct found_term *list;
    size_t n, cap;
    uint64_t n_docs; /* sum */
};

struct matching {
    const struct plan *p;
    const struct plan_stats *stats;
    struct segment *s;
    struct arena *keep;
    bool exact;
    float *norms; /* by length, of BM25 */
};

static inline float match_score_of(const struct matching *m, uint32_t doc,
                                   float tf, float weight)
{
    return weight * tf * (float)(BM25_K1 + 1) /
           (tf + m->norms[m->s->lengths[doc]]);
}

/* ---- match_terms.c --------------------------------------------------------- */

extern const float match_field_weights[N_FIELDS];

/* Add a term. */
quire_status term_set_add(struct term_set *set, const struct term *t,
                          uint8_t field, struct arena *keep, quire_error *err);

/* The field of a term, by its first byte. */
uint8_t match_term_field(quire_bytes name);

/* The name of a term in a field. */
quire_bytes match_term_name(char out[SEGMENT_TERM_MAX], uint8_t field,
                            quire_bytes text);

/* All terms of a segment that a token matches. */
quire_status match_find_terms(const struct plan *p, const struct plan_token *t,
                              struct segment *s, struct arena *keep,
                              struct term_set *set, quire_error *err);

/* The part of a score that depends on the length of a text. */
quire_status match_make_norms(struct matching *m, quire_error *err);

/* ---- match_lists.c --------------------------------------------------------- */

/* A list with room for `n` texts. */
quire_status match_new_list(struct matching *m, size_t n, struct matches *out,
                            quire_error *err);

/* The texts that have any of the terms, with the sum of weighted tf. */
quire_status match_read_set(struct matching *m, const struct term_set *set,
                            struct matches *out, quire_error *err);

/* Turn weighted tf into scores. */
void match_score_list(struct matching *m, struct matches *list, float weight);

/* All scores are 0. */
void match_clear_scores(struct matches *list);

/* Both: scores are added. `out` is `a`. */
void match_intersect(struct matches *a, const struct matches *b);

/* Leave those of `a` that are not in `b`. */
void match_subtract(struct matches *a, const struct matches *b);

/* Those of either; scores are added. `out` is `a`. */
quire_status match_unite(struct matching *m, struct matches *a,
                         const struct matches *b, quire_error *err);

/* ---- match_phrase.c -------------------------------------------------------- */

/* Occurrences in candidate texts: index of the candidate in the high half, position
 * in the low one; ascending. */
struct places {
    struct buf list; /* uint64_t */
    uint32_t shift;  /* what is subtracted from positions */
};

static inline uint64_t *places_list(const struct places *p)
{
    return (uint64_t *)(void *)p->list.data;
}

static inline size_t places_count(const struct places *p)
{
    return p->list.len / sizeof(uint64_t);
}

/* Where the phrase of a leaf begins in the candidates, in one field. */
quire_status match_phrase_places(struct matching *m, const struct plan_leaf *l,
                                 const struct term_set *sets, uint8_t field,
                                 const struct matches *candidates,
                                 struct places *out, quire_error *err);

/* The texts that have all tokens of a leaf, wherever. */
quire_status match_phrase_candidates(struct matching *m,
                                     const struct plan_leaf *l,
                                     struct term_set *sets, struct matches *out,
                                     quire_error *err);

/* Texts that have the phrase; the number of its occurrences as scores. */
quire_status match_phrase(struct matching *m, const struct plan_leaf *l,
                          struct matches *out, quire_error *err);

#endif
