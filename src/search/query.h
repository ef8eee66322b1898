/*
 * query.h - full-text queries as trees
 *
 * An index splits text with our own tokenizer, "quire" (store/fts_tokenizer.c):
 *
 *   - Letters and digits of any script form words; case and accents are
 *     ignored. "_" belongs to a word.
 *   - An identifier is found whole and by its parts: parseHTTPHeader,
 *     snake_case, utf8, report-2024.csv.
 *   - Chinese, Japanese and Korean are found by any piece of a sentence: they
 *     are indexed as overlapping pairs.
 *
 * A query is a tree, so that no backend has to parse the syntax of another. Its
 * leaves are texts, which the backend splits as it splits documents. Any text
 * of a user makes a valid tree, and none can reach columns of the index. Of its
 * operators there are AND, OR and AND NOT, in capitals between two terms.
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

    /* Of the query language only (search/language.h). A full-text index has
     * words, and finds nothing for these. */
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

enum query_mode {
    QUERY_ALL,       /* every word, as a word or as part of an identifier */
    QUERY_BEGINNING, /* the same, and each word may go on: "conf" finds
                      * "configuration"                                   */
    QUERY_ANY,       /* any of the words                                  */
};

/* The tree for `text`. Words are separated by white space; text in double
 * quotes is a phrase (a missing last quote is added). AND joins more closely
 * than OR. With QUERY_ANY there are no operators. *n is the number of terms;
 * with none, *out is NULL: there is nothing to search for. QUIRE_NO_MEMORY. */
quire_status query_parse(quire_bytes text, enum query_mode mode,
                         struct arena *keep, struct query **out, size_t *n,
                         quire_error *err);

/* Whether the text has any term. */
bool query_has_terms(quire_bytes text);

/* Whether the text has OR or AND NOT as an operator: then a match need not have
 * all of its terms. */
bool query_has_alternatives(quire_bytes text);

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
