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
#include "search/match_priv.h"

/* So many texts are read rather than searched for in the index. */
enum { FEW_CANDIDATES = 64 };

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
        st = match_find_terms(m->p, &l->tokens[0], m->s, m->keep, &set, err);
        if (!st)
            st = match_read_set(m, &set, out, err);
    }
    if (!st)
        match_score_list(m, out, m->stats->weights[leaf]);
    m->exact &= l->literal.len == 0;
    return st;
}

static quire_status match_every(struct matching *m, struct matches *out,
                                quire_error *err)
{
    quire_status st = match_new_list(m, m->s->n_texts, out, err);
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
    uint8_t field = match_term_field(name);
    quire_bytes word = bytes_sub(name, field > 0, name.len);

    (void)more;
    if (word.len < p->text.len ||
        (!p->open_left && !bytes_starts(word, p->text)) ||
        (!p->open_right &&
         !bytes_equal(bytes_sub(word, word.len - p->text.len, word.len),
                      p->text)))
        return QUIRE_OK;
    return term_set_add(k->set, t, field, k->keep, err);
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
        st = segment_find_term(m->s, match_term_name(name, f, word), &found,
                               &term, err);
        if (!st && found)
            st = term_set_add(&set, &term, f, m->keep, err);
    }
    return st ? st : match_read_set(m, &set, out, err);
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
    return st ? st : match_read_set(m, &set, out, err);
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
            match_intersect(out, &pair);
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

    return st ? st : match_unite(m, out, &rest, err);
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
            match_intersect(out, &one);
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
        match_clear_scores(out);
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
        match_clear_scores(out);
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

        st = match_phrase_places(m, l, sets[k], field, candidates, &places,
                                 err);
        count = places_count(&places);
        for (i = 0; i < count && !st; i++) {
            struct near_place one = {places_list(&places)[i], (uint32_t)k,
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
        st = sets[k] ? match_phrase_candidates(m, l, sets[k],
                                               k ? &one : &candidates, err)
                     : err_memory(err);
        if (!st && k > 0)
            match_intersect(&candidates, &one);
    }
    counts = arena_array(m->keep, candidates.n + 1, sizeof *counts);
    if (!st && !counts)
        st = err_memory(err);
    if (!st)
        st = match_new_list(m, candidates.n, out, err);
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
            out->scores[out->n++] = match_score_of(m, candidates.docs[k],
                                                   counts[k], weight);
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
            match_intersect(out, &one);
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
            st = match_unite(m, out, &one, err);
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
        match_subtract(out, &without);
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
    quire_status st = segment_load_columns(s, err);

    if (!st)
        st = match_make_norms(&m, err);
    if (!st)
        st = match_node(&m, p->root, out, err);
    *exact = m.exact;
    return st;
}
