/*
 * query.h - full-text queries as trees
 *
 * The query language (search/language.h) and questions to memory (memory/query.c)
 * make trees; search/plan.h runs them. Leaves are texts, which are split into words as
 * the texts of the index are (search/tokenizer.h).
 */
#ifndef SEARCH_QUERY_H
#define SEARCH_QUERY_H

#include <stdbool.h>

#include "base/arena.h"
#include "quire.h"

/* ---- trees -------------------------------------------------------------- */

enum query_op {
    QUERY_WORDS, /* the words of `text`, one after the other: a phrase, if
                  * there are several                                      */
    QUERY_NEAR,  /* phrases with at most `reach` words between the first and
                  * the last; all operands are QUERY_WORDS                 */
    QUERY_AND,   /* every operand                                          */
    QUERY_OR,    /* any operand                                            */
    QUERY_NOT,   /* the first operand, but not the second                  */

    QUERY_SUBSTRING, /* `text` as part of words, case and accents ignored */
    QUERY_REGEX,     /* `text` is a pattern of PCRE2                      */
    QUERY_EVERY,     /* every document; the first operand of QUERY_NOT    */
};

/* A leaf whose text has no word is left out of NEAR, of OR, and of AND among
 * leaves; it excludes nothing in NOT. Alone, or in AND with an operand that is
 * not a leaf, it matches nothing. */
struct query {
    enum query_op op;
    quire_bytes text; /* of a leaf: UTF-8 without NUL; of QUERY_WORDS without
                       * double quotes, too                                */
    bool prefix;      /* QUERY_WORDS: the last word may go on: "conf" matches
                       * "configuration"                                   */
    bool sensitive;   /* QUERY_REGEX: case matters                         */
    int reach;        /* QUERY_NEAR */
    struct query *first, *last; /* operands, in order */
    struct query *next;         /* among its siblings */
};

/* Nodes of a tree. All memory is the arena's; NULL when it is out. */
struct query *query_new(enum query_op op, struct arena *keep);

/* A leaf of terms joined by blanks. Malformed bytes become blanks. */
struct query *query_words(const quire_bytes *terms, size_t n, bool prefix,
                          struct arena *keep);

/* Append an operand. False if either is NULL, which is out of memory. */
bool query_add(struct query *to, struct query *operand);

/* AND or OR without a need: its only operand; NULL, if it has none. Else `q`. */
struct query *query_unwrap(struct query *q);

/* ---- text of a user ----------------------------------------------------- */

/* Whether the text has any term. */
bool query_has_terms(quire_bytes text);

/* The terms of a text, one after the other, for trees of another shape. Up to
 * 64 are returned, and each has a letter or a digit. They are slices of the
 * text, and may hold anything but a double quote. */
struct query_terms {
    quire_bytes text;
    size_t at, n;
    bool quoted;    /* the next one is in quotes */
    bool in_quotes; /* the last one was          */
};

void query_terms_init(struct query_terms *t, quire_bytes text);
bool query_next_term(struct query_terms *t, quire_bytes *term);

#endif
