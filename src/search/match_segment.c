/*
 * match_segment.c - which texts of a segment match a plan, and how well
 *
 * Each node of the tree gives an ascending list of texts. A list is decoded as a
 * whole: a million postings take a few milliseconds, and a segment has what a
 * hundred megabytes of text need. Only an AND with a long list reads the blocks that
 * it needs.
 *
 * Scores are BM25 (k1 = 1.2, b = 0.75) over the sum of fields, each with its
 * weight. A phrase weighs as much as its words together.
 *
 * Substrings and regular expressions give candidates: all texts that can match. A
 * text with words that are not in the index (TERM_LEFT_OUT) always is one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/logarithm.h"
#include "search/plan.h"
#include "search/segment.h"

/* More words for a prefix or a part than these are not distinguished: the texts that
 * have the first ones are returned. At 1 GB of text two letters have some 30,000. */
enum { EXPANSIONS_MAX = 200000 };

/* So many texts are read rather than searched for in the index. */
enum { FEW_CANDIDATES = 64 };

#define BM25_K1 1.2
#define BM25_B  0.75

static const float field_weights[N_FIELDS] = {
    [FIELD_BODY] = 1, [FIELD_PATH] = 4, [FIELD_TITLE] = 4,
    [FIELD_TAGS] = 3, [FIELD_NOTE] = 2, [FIELD_SOURCE] = 0.5f,
};

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

/* ---- terms ---------------------------------------------------------------------- */

struct expanding {
    const struct plan *p;
    const struct plan_token *token;
    quire_bytes begin; /* all terms that begin so, field included */
    uint8_t field;
    struct term_set *set;
    struct arena *keep;
};

static quire_status set_add(struct term_set *set, const struct term *t,
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
static uint8_t term_field(quire_bytes name)
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
    return set_add(k->set, t, k->field, k->keep, err);
}

/* The name of a term in a field. */
static quire_bytes term_name(char out[SEGMENT_TERM_MAX], uint8_t field,
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
        k.begin = term_name(name, field, bytes_sub(t->text, 0, t->stem));
    else
        k.begin = term_name(name, field, t->text);
    if (t->prefix || p->relax != RELAX_NONE)
        return segment_terms(s, k.begin, add_expansion, &k, err);
    st = segment_find_term(s, k.begin, &found, &term, err);
    return st || !found ? st : set_add(set, &term, field, keep, err);
}

static quire_status add_containing(void *ctx, quire_bytes name,
                                   const struct term *t, bool *more,
                                   quire_error *err)
{
    struct expanding *k = ctx;

    *more = k->set->n < EXPANSIONS_MAX;
    return set_add(k->set, t, term_field(name), k->keep, err);
}

/* All terms of a segment that a token matches. */
static quire_status find_terms(const struct plan *p, const struct plan_token *t,
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

/* ---- statistics ------------------------------------------------------------------ */

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
            st = find_terms(p, &l->tokens[i], segments[k], &tmp, &set, err);
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

static quire_status make_norms(struct matching *m, quire_error *err)
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

static float score_of(const struct matching *m, uint32_t doc, float tf,
                      float weight)
{
    return weight * tf * (float)(BM25_K1 + 1) /
           (tf + m->norms[m->s->lengths[doc]]);
}

/* ---- lists ------------------------------------------------------------------------ */

static quire_status new_matches(struct matching *m, size_t n,
                                struct matches *out, quire_error *err)
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
    quire_status st = new_matches(m, t->term.n_docs, out, err);
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
        out->scores[i] = field_weights[t->field] * (float)tfs[i];
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
            sums[docs[i]] += field_weights[t->field] * (float)tfs[i];
        }
    }
    if (!st)
        st = new_matches(m, n, out, err);
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

static quire_status read_set(struct matching *m, const struct term_set *set,
                             struct matches *out, quire_error *err)
{
    *out = (struct matches){.n = 0};
    if (set->n == 0)
        return QUIRE_OK;
    return set->n == 1 ? read_term(m, &set->list[0], out, err)
                       : read_union(m, set, out, err);
}

/* Turn weighted tf into scores. */
static void score_list(struct matching *m, struct matches *list, float weight)
{
    size_t i;

    for (i = 0; i < list->n; i++)
        list->scores[i] = score_of(m, list->docs[i], list->scores[i], weight);
}

static void clear_scores(struct matches *list)
{
    if (list->n)
        memset(list->scores, 0, list->n * sizeof *list->scores);
}

/* Both: scores are added. `out` is `a`. */
static void intersect(struct matches *a, const struct matches *b)
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

static void subtract(struct matches *a, const struct matches *b)
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

static quire_status unite(struct matching *m, struct matches *a,
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
    st = new_matches(m, a->n + b->n, &out, err);
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

/* ---- phrases ----------------------------------------------------------------------- */

/* Occurrences in candidate texts: index of the candidate in the high half, position
 * in the low one; ascending. */
struct places {
    struct buf list; /* uint64_t */
    uint32_t shift;  /* what is subtracted from positions */
};

static uint64_t *place_list(const struct places *p)
{
    return (uint64_t *)(void *)p->list.data;
}

static size_t n_places(const struct places *p)
{
    return p->list.len / sizeof(uint64_t);
}

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
    if (!st && n > 1 && n_places(out) > 1)
        qsort(place_list(out), n_places(out), sizeof(uint64_t), by_place);
    return st;
}

/* Keep the places of `a` that are in `b`. */
static void keep_common(struct places *a, const struct places *b)
{
    uint64_t *x = place_list(a), *y = place_list(b);
    size_t i = 0, k = 0, n = 0, n_a = n_places(a), n_b = n_places(b);

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
static quire_status phrase_places(struct matching *m, const struct plan_leaf *l,
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
static quire_status phrase_candidates(struct matching *m,
                                      const struct plan_leaf *l,
                                      struct term_set *sets,
                                      struct matches *out, quire_error *err)
{
    size_t i, least = 0;
    quire_status st = QUIRE_OK;

    *out = (struct matches){.n = 0};
    for (i = 0; i < l->n_tokens && !st; i++) {
        st = find_terms(m->p, &l->tokens[i], m->s, m->keep, &sets[i], err);
        if (st || sets[i].n == 0)
            return st;
        if (sets[i].n_docs < sets[least].n_docs)
            least = i;
    }
    if (!st)
        st = read_set(m, &sets[least], out, err);
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
        st = read_set(m, &sets[i], &other, err);
        if (!st)
            intersect(out, &other);
    }
    return st;
}

/* Texts that have the phrase; the number of its occurrences as scores. */
static quire_status match_phrase(struct matching *m, const struct plan_leaf *l,
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
    st = phrase_candidates(m, l, sets, &candidates, err);
    if (!st)
        st = new_matches(m, candidates.n, out, err);
    if (st)
        return st;
    clear_scores(&candidates);
    for (f = 0; f < N_FIELDS && !st && candidates.n > 0; f++) {
        if (!(m->s->fields & 1u << f))
            continue;
        st = phrase_places(m, l, sets, f, &candidates, &places, err);
        n = n_places(&places);
        for (i = 0; i < n && !st; i++)
            candidates.scores[place_list(&places)[i] >> 32] += field_weights[f];
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

/* ---- leaves ------------------------------------------------------------------------- */

static quire_status match_words(struct matching *m, uint32_t leaf,
                                struct matches *out, quire_error *err)
{
    const struct plan_leaf *l = &m->p->leaves[leaf];
    struct term_set set = {.n = 0};
    quire_status st;

    if (l->n_tokens > 1) {
        st = match_phrase(m, l, out, err);
    } else {
        st = find_terms(m->p, &l->tokens[0], m->s, m->keep, &set, err);
        if (!st)
            st = read_set(m, &set, out, err);
    }
    if (!st)
        score_list(m, out, m->stats->weights[leaf]);
    m->exact &= l->literal.len == 0;
    return st;
}

static quire_status match_every(struct matching *m, struct matches *out,
                                quire_error *err)
{
    quire_status st = new_matches(m, m->s->n_texts, out, err);
    uint32_t i;

    for (i = 0; i < m->s->n_texts && !st; i++) {
        if (m->s->lengths[i] > 0) {
            out->docs[out->n] = i;
            out->scores[out->n++] = 0;
        }
    }
    return st;
}

/* The terms of a piece of a substring. */
struct piecing {
    const struct plan_piece *piece;
    struct term_set *set;
    struct arena *keep;
};

static quire_status add_piece_term(void *ctx, quire_bytes name,
                                   const struct term *t, bool *more,
                                   quire_error *err)
{
    struct piecing *k = ctx;
    const struct plan_piece *p = k->piece;
    uint8_t field = term_field(name);
    quire_bytes word = bytes_sub(name, field > 0, name.len);

    (void)more;
    if (word.len < p->text.len ||
        (!p->open_left && !bytes_starts(word, p->text)) ||
        (!p->open_right &&
         !bytes_equal(bytes_sub(word, word.len - p->text.len, word.len),
                      p->text)))
        return QUIRE_OK;
    return set_add(k->set, t, field, k->keep, err);
}

/* The texts that have a word, in any field. */
static quire_status match_term(struct matching *m, quire_bytes word,
                               struct matches *out, quire_error *err)
{
    struct term_set set = {.n = 0};
    char name[SEGMENT_TERM_MAX];
    struct term term;
    bool found;
    quire_status st = QUIRE_OK;
    uint8_t f;

    for (f = 0; f < N_FIELDS && !st; f++) {
        if (!(m->s->fields & 1u << f))
            continue;
        st = segment_find_term(m->s, term_name(name, f, word), &found, &term,
                               err);
        if (!st && found)
            st = set_add(&set, &term, f, m->keep, err);
    }
    return st ? st : read_set(m, &set, out, err);
}

/* The texts with a piece that is not CJK. */
static quire_status match_piece(struct matching *m, const struct plan_piece *p,
                                struct matches *out, quire_error *err)
{
    struct term_set set = {.n = 0};
    struct piecing k = {p, &set, m->keep};
    quire_status st;

    if (!p->open_left && !p->open_right)
        return match_term(m, p->text, out, err);
    st = segment_terms_with(m->s, p->text, add_piece_term, &k, err);
    return st ? st : read_set(m, &set, out, err);
}

/* The length of the first character. */
static size_t char_len(quire_bytes text)
{
    const uint8_t *at = text.data;
    size_t n = 1;

    while (n < text.len && (at[n] & 0xc0) == 0x80)
        n++;
    return n;
}

/* The texts with every pair of characters of a CJK piece. */
static quire_status match_cjk(struct matching *m, const struct plan_piece *p,
                              struct matches *out, quire_error *err)
{
    quire_bytes text = p->text;
    size_t first = char_len(text), second;
    struct matches pair;
    quire_status st = QUIRE_OK;
    bool any = false;

    if (first == text.len)
        return match_term(m, text, out, err);
    while (first < text.len && !st) {
        second = char_len(bytes_sub(text, first, text.len));
        st = match_term(m, bytes_sub(text, 0, first + second),
                        any ? &pair : out, err);
        if (!st && any)
            intersect(out, &pair);
        any = true;
        text = bytes_sub(text, first, text.len);
        first = second;
    }
    return st;
}

static quire_status add_left_out(struct matching *m, struct matches *out,
                                 quire_error *err)
{
    struct matches rest;
    quire_status st = match_term(m, bytes_str(TERM_LEFT_OUT), &rest, err);

    return st ? st : unite(m, out, &rest, err);
}

static quire_status match_substring(struct matching *m,
                                    const struct plan_leaf *l,
                                    struct matches *out, quire_error *err)
{
    struct matches one;
    quire_status st = QUIRE_OK;
    size_t i;

    m->exact = false;
    if (l->n_pieces == 0)
        return match_every(m, out, err);
    for (i = 0; i < l->n_pieces && !st; i++) {
        const struct plan_piece *p = &l->pieces[i];

        if (i > 0 && out->n <= FEW_CANDIDATES)
            break;
        st = p->cjk ? match_cjk(m, p, i ? &one : out, err)
                    : match_piece(m, p, i ? &one : out, err);
        if (!st && i > 0)
            intersect(out, &one);
    }
    return st ? st : add_left_out(m, out, err);
}

static quire_status match_node(struct matching *m, const struct plan_node *n,
                               struct matches *out, quire_error *err);

static quire_status match_regex(struct matching *m, const struct plan_leaf *l,
                                struct matches *out, quire_error *err)
{
    struct matching inner = *m;
    quire_status st;

    m->exact = false;
    if (!l->literals)
        return match_every(m, out, err);
    inner.p = l->literals;
    st = match_node(&inner, l->literals->root, out, err);
    if (!st)
        clear_scores(out);
    return st;
}

static quire_status match_leaf(struct matching *m, uint32_t leaf,
                               struct matches *out, quire_error *err)
{
    const struct plan_leaf *l = &m->p->leaves[leaf];
    quire_status st = QUIRE_OK;

    switch (l->kind) {
    case LEAF_WORDS: return match_words(m, leaf, out, err);
    case LEAF_EVERY: return match_every(m, out, err);
    case LEAF_REGEX: return match_regex(m, l, out, err);
    case LEAF_SUBSTRING: break;
    }
    st = match_substring(m, l, out, err);
    if (!st)
        clear_scores(out);
    return st;
}

/* ---- near ---------------------------------------------------------------------------- */

/* An occurrence of one of the operands. */
struct near_place {
    uint64_t at; /* candidate and position */
    uint32_t kid, len;
};

static int by_near(const void *a, const void *b)
{
    const struct near_place *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static uint32_t leaf_len(const struct plan_leaf *l)
{
    return l->tokens[l->n_tokens - 1].place + 1;
}

/* Count windows that have every operand with at most `reach` words between the
 * first and the last: from each occurrence, to the next ones of the others. `list`
 * is sorted. */
static void count_near(const struct plan_node *n, const struct near_place *list,
                       size_t n_list, float *counts)
{
    size_t next[64], i, k, kids = n->n_kids < 64 ? n->n_kids : 64;

    for (k = 0; k < kids; k++)
        next[k] = SIZE_MAX;
    for (i = n_list; i-- > 0;) {
        uint64_t end = 0, words = 0;
        bool all = true;

        next[list[i].kid] = i;
        for (k = 0; k < kids && all; k++) {
            const struct near_place *one = next[k] < n_list ? &list[next[k]]
                                                            : NULL;

            all = one && one->at >> 32 == list[i].at >> 32;
            if (all && one->at + one->len > end)
                end = one->at + one->len;
            words += all ? one->len : 0;
        }
        if (all &&
            end - list[i].at <= words + (uint64_t)(n->reach > 0 ? n->reach : 0))
            counts[list[i].at >> 32] += 1;
    }
}

/* Occurrences of all operands in the candidates, in one field. */
static quire_status near_places(struct matching *m, const struct plan_node *n,
                                struct term_set *const *sets, uint8_t field,
                                const struct matches *candidates,
                                struct buf *list, quire_error *err)
{
    struct places places = {.list = BUF_INIT(SIZE_MAX)};
    quire_status st = QUIRE_OK;
    size_t i, k, count;

    for (k = 0; k < n->n_kids && k < 64 && !st; k++) {
        const struct plan_leaf *l = &m->p->leaves[n->kids[k]->leaf];

        st = phrase_places(m, l, sets[k], field, candidates, &places, err);
        count = n_places(&places);
        for (i = 0; i < count && !st; i++) {
            struct near_place one = {place_list(&places)[i], (uint32_t)k,
                                     leaf_len(l)};

            buf_add(list, &one, sizeof one);
        }
    }
    buf_release(&places.list);
    return list->failed ? err_memory(err) : st;
}

static quire_status match_near(struct matching *m, const struct plan_node *n,
                               struct matches *out, quire_error *err)
{
    struct term_set **sets = arena_array(m->keep, n->n_kids, sizeof *sets);
    struct buf list = BUF_INIT(SIZE_MAX);
    struct matches candidates = {.n = 0}, one;
    float weight = 0, *counts;
    quire_status st = sets ? QUIRE_OK : err_memory(err);
    uint8_t f;
    size_t k;

    for (k = 0; k < n->n_kids && k < 64 && !st; k++) {
        uint32_t leaf = n->kids[k]->leaf;
        const struct plan_leaf *l = &m->p->leaves[leaf];

        sets[k] = arena_array(m->keep, l->n_tokens, sizeof **sets);
        weight += m->stats->weights[leaf];
        m->exact &= l->literal.len == 0;
        st = sets[k]
                 ? phrase_candidates(m, l, sets[k], k ? &one : &candidates, err)
                 : err_memory(err);
        if (!st && k > 0)
            intersect(&candidates, &one);
    }
    counts = arena_array(m->keep, candidates.n + 1, sizeof *counts);
    if (!st && !counts)
        st = err_memory(err);
    if (!st)
        st = new_matches(m, candidates.n, out, err);
    for (f = 0; f < N_FIELDS && !st && candidates.n > 0; f++) {
        if (!(m->s->fields & 1u << f))
            continue;
        buf_clear(&list);
        st = near_places(m, n, sets, f, &candidates, &list, err);
        if (!st && list.len > 0) {
            qsort(list.data, list.len / sizeof(struct near_place),
                  sizeof(struct near_place), by_near);
            count_near(n, (struct near_place *)(void *)list.data,
                       list.len / sizeof(struct near_place), counts);
        }
    }
    for (k = 0; k < candidates.n && !st; k++) {
        if (counts[k] > 0) {
            out->docs[out->n] = candidates.docs[k];
            out->scores[out->n++] = score_of(m, candidates.docs[k], counts[k],
                                             weight);
        }
    }
    buf_release(&list);
    return st;
}

/* ---- operators ------------------------------------------------------------------------ */

/* The length of a substring that a node is; 0: it is something else. */
static size_t substring_len(const struct matching *m, const struct plan_node *n)
{
    const struct plan_leaf *l;

    if (n->op != QUERY_WORDS)
        return 0;
    l = &m->p->leaves[n->leaf];
    return l->kind == LEAF_SUBSTRING ? l->folded.len : 0;
}

/* Words first, then substrings, the longest first: it is likely to be the rarest. */
static const struct plan_node *next_operand(const struct matching *m,
                                            const struct plan_node *n,
                                            uint64_t *done)
{
    size_t i, best = n->n_kids;

    for (i = 0; i < n->n_kids; i++) {
        size_t len = substring_len(m, n->kids[i]);

        if (i < 64 && *done >> i & 1)
            continue;
        if (best == n->n_kids ||
            (substring_len(m, n->kids[best]) > 0 &&
             (len == 0 || len > substring_len(m, n->kids[best]))))
            best = i;
    }
    if (best < 64)
        *done |= (uint64_t)1 << best;
    return best < n->n_kids ? n->kids[best] : NULL;
}

static quire_status match_and(struct matching *m, const struct plan_node *n,
                              struct matches *out, quire_error *err)
{
    const struct plan_node *kid;
    struct matches one;
    uint64_t done = 0;
    bool any = false;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < n->n_kids && !st && (!any || out->n > 0); i++) {
        kid = n->n_kids <= 64 ? next_operand(m, n, &done) : n->kids[i];
        /* Few candidates are cheaper to read than a part of a word to find. */
        if (any && out->n <= FEW_CANDIDATES && substring_len(m, kid) > 0) {
            m->exact = false;
            continue;
        }
        st = match_node(m, kid, any ? &one : out, err);
        if (!st && any)
            intersect(out, &one);
        any = true;
    }
    return st;
}

static quire_status match_or(struct matching *m, const struct plan_node *n,
                             struct matches *out, quire_error *err)
{
    struct matches one;
    quire_status st = match_node(m, n->kids[0], out, err);
    size_t i;

    for (i = 1; i < n->n_kids && !st; i++) {
        st = match_node(m, n->kids[i], &one, err);
        if (!st)
            st = unite(m, out, &one, err);
    }
    return st;
}

/* What may not match excludes nothing here: the text decides. */
static quire_status match_not(struct matching *m, const struct plan_node *n,
                              struct matches *out, quire_error *err)
{
    struct matches without;
    quire_status st = match_node(m, n->kids[0], out, err);
    bool before = m->exact;

    m->exact = true;
    if (!st)
        st = match_node(m, n->kids[1], &without, err);
    if (!st && m->exact)
        subtract(out, &without);
    m->exact &= before;
    return st;
}

static quire_status match_node(struct matching *m, const struct plan_node *n,
                               struct matches *out, quire_error *err)
{
    *out = (struct matches){.n = 0};
    switch (n->op) {
    case QUERY_AND: return match_and(m, n, out, err);
    case QUERY_OR: return match_or(m, n, out, err);
    case QUERY_NOT: return match_not(m, n, out, err);
    case QUERY_NEAR: return match_near(m, n, out, err);
    case QUERY_WORDS:
    case QUERY_SUBSTRING:
    case QUERY_REGEX:
    case QUERY_EVERY: break;
    }
    return match_leaf(m, n->leaf, out, err);
}

quire_status plan_match(const struct plan *p, const struct plan_stats *stats,
                        struct segment *s, struct arena *keep,
                        struct matches *out, bool *exact, quire_error *err)
{
    struct matching m = {.p = p,
                         .stats = stats,
                         .s = s,
                         .keep = keep,
                         .exact = true};
    quire_status st = make_norms(&m, err);

    if (!st)
        st = match_node(&m, p->root, out, err);
    *exact = m.exact;
    return st;
}
