/*
 * plan.h - a query prepared for matching
 *
 * A plan is a tree (search/query.h) whose leaves are split into tokens, pieces and
 * literals. It is matched in two ways that agree:
 *
 *   - against a segment (match_segment.c): which texts match, and how well. For
 *     leaves that words cannot answer (substrings, regular expressions, signs such
 *     as those of C++) the result has every text that matches and perhaps others;
 *   - against one text (match_text.c): whether it matches, and where. This settles
 *     the rest, marks matches in snippets, and searches what is not indexed yet.
 *
 * A query that finds little is relaxed by steps (enum relax): the same tree, but
 * words match more.
 */
#ifndef SEARCH_PLAN_H
#define SEARCH_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "quire.h"
#include "search/query.h"

struct regex_code;

/* How much a word of the query matches. */
enum relax {
    RELAX_NONE,      /* the word itself, or a part of an identifier      */
    RELAX_STEM,      /* other forms of it: deployment, Deployments       */
    RELAX_PREFIX,    /* words that begin with it                         */
    RELAX_SUBSTRING, /* words that contain it, from three letters on     */
    N_RELAX
};

struct plan_token {
    quire_bytes text;
    uint32_t place; /* in the phrase, from 0 */
    uint32_t stem;  /* length of the stem */
    bool prefix;    /* a longer word matches, too */
};

struct plan_piece {
    quire_bytes text;
    bool cjk, open_left, open_right;
};

enum leaf_kind { LEAF_WORDS, LEAF_SUBSTRING, LEAF_REGEX, LEAF_EVERY };

struct plan_leaf {
    enum leaf_kind kind;
    quire_bytes text;          /* as the user has it              */
    struct plan_token *tokens; /* WORDS                           */
    size_t n_tokens;
    quire_bytes literal; /* WORDS: must occur like this; .len 0: need not */
    quire_bytes folded;  /* SUBSTRING                       */
    struct plan_piece *pieces; /* SUBSTRING                       */
    size_t n_pieces;
    struct regex_code *regex; /* REGEX; owned by the plan        */
    struct plan *literals;    /* REGEX: what a match must have; NULL: nothing */
    bool wanted;              /* not below a NOT: counts for score and marks */
};

struct plan_node {
    enum query_op op; /* QUERY_WORDS for every leaf */
    uint32_t leaf;
    int reach;
    struct plan_node **kids;
    size_t n_kids;
};

struct plan {
    struct plan_node *root;
    struct plan_leaf *leaves;
    size_t n_leaves;
    enum relax relax;
    bool exact; /* the words of a segment decide: no text need be read */
};

/* Prepare a tree; memory of `keep`, but search_plan_release() is needed for regular
 * expressions. A leaf without a word is left out, as query.h says; *out is NULL if
 * nothing is left.
 *
 * QUIRE_INVALID  a regular expression cannot be read
 * QUIRE_NO_MEMORY */
quire_status search_plan_new(const struct query *tree, enum relax relax,
                             struct arena *keep, struct plan **out,
                             quire_error *err);
void search_plan_release(struct plan *p);

/* Whether a token of a text is the i-th of a leaf. */
bool plan_token_matches(const struct plan *p, const struct plan_token *t,
                        quire_bytes token);

/* ---- match_text.c ---------------------------------------------------------- */

/* Where a leaf matches in a text. */
struct text_span {
    uint32_t from, to;
    uint32_t leaf;
};

struct text_matcher;

quire_status text_matcher_new(const struct plan *p, struct text_matcher **out,
                              quire_error *err);
void text_matcher_free(struct text_matcher *m);

/* Whether the text matches. With `spans` (may be NULL): the first of its matches, in
 * order, at most `max`; *n_spans. Only those of wanted leaves. Fields of a text are
 * matched together; spans are those of field 0. */
quire_status text_matches(struct text_matcher *m, const quire_bytes *fields,
                          size_t n_fields, bool *yes, struct text_span *spans,
                          size_t max, size_t *n_spans, quire_error *err);

/* ---- match_segment.c ------------------------------------------------------- */

struct segment;

/* Texts that match, ascending, with scores. Memory of an arena. */
struct matches {
    uint32_t *docs;
    float *scores;
    size_t n;
};

/* What scores depend on: the number of texts, their mean length, and for each leaf
 * the weight of its words. A page that continues another uses the same. */
struct plan_stats {
    double n_texts, mean_words;
    float *weights; /* by leaf, in `keep` */
};

/* Read what is needed of the segments. */
quire_status plan_stats_read(const struct plan *p,
                             struct segment *const *segments, size_t n,
                             struct arena *keep, struct plan_stats *out,
                             quire_error *err);

/* Match a segment. *exact: false if texts have to be read to be sure. */
quire_status plan_match(const struct plan *p, const struct plan_stats *stats,
                        struct segment *s, struct arena *keep,
                        struct matches *out, bool *exact, quire_error *err);

#endif
