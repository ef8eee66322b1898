/* match_terms.c - the terms of a segment that a word of a plan means, and their weight */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/logarithm.h"
#include "search/match_priv.h"

/* More words for a prefix or a part than these are not distinguished: the texts that
 * have the first ones are returned. At 1 GB of text two letters have some 30,000. */
enum { EXPANSIONS_MAX = 200000 };

const float match_field_weights[N_FIELDS] = {
    [FIELD_BODY] = 1, [FIELD_PATH] = 4, [FIELD_TITLE] = 4,
    [FIELD_TAGS] = 3, [FIELD_NOTE] = 2, [FIELD_SOURCE] = 0.5f,
};

struct expanding {
    const struct plan *p;
    const struct plan_token *token;
    quire_bytes begin; /* all terms that begin so, field included */
    uint8_t field;
    struct term_set *set;
    struct arena *keep;
};

quire_status term_set_add(struct term_set *set, const struct term *t,
                          uint8_t field, struct arena *keep, quire_error *err)
{
    struct found_term *more;

    if (set->n == set->cap) {
        size_t cap = set->cap ? 2 * set->cap : 4;

        more = arena_array(keep, cap, sizeof *more);
        if (!more)
            return err_memory(err);
        if (set->n)
            memcpy(more, set->list, set->n * sizeof *more);
        set->list = more;
        set->cap = cap;
    }
    set->list[set->n++] = (struct found_term){*t, field};
    set->n_docs += t->n_docs;
    return QUIRE_OK;
}

/* The field of a term, by its first byte. */
uint8_t match_term_field(quire_bytes name)
{
    uint8_t first = name.len ? *(const uint8_t *)name.data : 0;

    return first < N_FIELDS ? first : 0;
}

static quire_status add_expansion(void *ctx, quire_bytes name,
                                  const struct term *t, bool *more,
                                  quire_error *err)
{
    struct expanding *k = ctx;
    quire_bytes token = name;
    size_t skip = k->field > 0;

    if (!bytes_starts(name, k->begin) || k->set->n >= EXPANSIONS_MAX) {
        *more = false;
        return QUIRE_OK;
    }
    token = bytes_sub(name, skip, name.len);
    if (!plan_token_matches(k->p, k->token, token))
        return QUIRE_OK;
    return term_set_add(k->set, t, k->field, k->keep, err);
}

/* The name of a term in a field. */
quire_bytes match_term_name(char out[SEGMENT_TERM_MAX], uint8_t field,
                            quire_bytes text)
{
    size_t skip = field > 0;

    if (text.len > SEGMENT_TERM_MAX - 1)
        text.len = SEGMENT_TERM_MAX - 1;
    out[0] = (char)field;
    memcpy(out + skip, text.data, text.len);
    return bytes_of(out, text.len + skip);
}

/* The terms of one field that begin with `text`, or are it. */
static quire_status find_in_field(const struct plan *p,
                                  const struct plan_token *t, uint8_t field,
                                  struct segment *s, struct arena *keep,
                                  struct term_set *set, quire_error *err)
{
    struct expanding k = {p, t, {NULL, 0}, field, set, keep};
    char name[SEGMENT_TERM_MAX];
    struct term term;
    bool found;
    quire_status st;

    if (p->relax == RELAX_STEM && t->stem > 2)
        k.begin = match_term_name(name, field, bytes_sub(t->text, 0, t->stem));
    else
        k.begin = match_term_name(name, field, t->text);
    if (t->prefix || p->relax != RELAX_NONE)
        return segment_terms(s, k.begin, add_expansion, &k, err);
    st = segment_find_term(s, k.begin, &found, &term, err);
    return st || !found ? st : term_set_add(set, &term, field, keep, err);
}

static quire_status add_containing(void *ctx, quire_bytes name,
                                   const struct term *t, bool *more,
                                   quire_error *err)
{
    struct expanding *k = ctx;

    *more = k->set->n < EXPANSIONS_MAX;
    return term_set_add(k->set, t, match_term_field(name), k->keep, err);
}

/* All terms of a segment that a token matches. */
quire_status match_find_terms(const struct plan *p, const struct plan_token *t,
                              struct segment *s, struct arena *keep,
                              struct term_set *set, quire_error *err)
{
    struct expanding k = {p, t, t->text, 0, set, keep};
    quire_status st = QUIRE_OK;
    uint8_t f;

    *set = (struct term_set){.n = 0};
    if (p->relax == RELAX_SUBSTRING && t->text.len >= 3)
        return segment_terms_with(s, t->text, add_containing, &k, err);
    for (f = 0; f < N_FIELDS && !st; f++) {
        if (s->fields & 1u << f)
            st = find_in_field(p, t, f, s, keep, set, err);
    }
    return st;
}

static double idf(double n_texts, double n_docs)
{
    if (n_docs > n_texts)
        n_docs = n_texts;
    return natural_log(1 + (n_texts - n_docs + 0.5) / (n_docs + 0.5));
}

static quire_status leaf_weight(const struct plan *p, const struct plan_leaf *l,
                                struct segment *const *segments, size_t n,
                                double n_texts, float *out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct term_set set = {.n = 0};
    quire_status st = QUIRE_OK;
    double sum = 0;
    size_t i, k;

    for (i = 0; i < l->n_tokens && !st; i++) {
        double n_docs = 0;

        for (k = 0; k < n && !st; k++) {
            arena_reset(&tmp);
            st = match_find_terms(p, &l->tokens[i], segments[k], &tmp, &set,
                                  err);
            n_docs += (double)set.n_docs;
        }
        sum += idf(n_texts, n_docs);
    }
    arena_release(&tmp);
    *out = (float)sum;
    return st;
}

quire_status plan_stats_read(const struct plan *p,
                             struct segment *const *segments, size_t n,
                             struct arena *keep, struct plan_stats *out,
                             quire_error *err)
{
    double words = 0;
    quire_status st = QUIRE_OK;
    size_t i;

    *out = (struct plan_stats){.n_texts = 0};
    out->weights = arena_array(keep, p->n_leaves + 1, sizeof *out->weights);
    if (!out->weights)
        return err_memory(err);
    for (i = 0; i < n; i++) {
        out->n_texts += (double)segments[i]->stats.n_texts;
        words += (double)segments[i]->stats.n_words;
    }
    out->mean_words = out->n_texts > 0 ? words / out->n_texts : 1;
    for (i = 0; i < p->n_leaves && !st; i++) {
        if (p->leaves[i].kind == LEAF_WORDS)
            st = leaf_weight(p, &p->leaves[i], segments, n, out->n_texts,
                             &out->weights[i], err);
    }
    return st;
}

quire_status match_make_norms(struct matching *m, quire_error *err)
{
    int i;

    m->norms = arena_array(m->keep, 256, sizeof *m->norms);
    if (!m->norms)
        return err_memory(err);
    for (i = 0; i < 256; i++)
        m->norms[i] = (float)(BM25_K1 *
                              (1 - BM25_B +
                               BM25_B * segment_length_words((uint8_t)i) /
                                   (m->stats->mean_words > 0
                                        ? m->stats->mean_words
                                        : 1)));
    return QUIRE_OK;
}
