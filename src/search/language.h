/*
 * language.h - the query language of a search
 *
 * Any text is a query. What is malformed is searched as text; what has no
 * effect is reported with the reason, and nothing else is left out.
 *
 *     two words               both, in any order
 *     "a phrase"              words one after the other; also “a phrase”; a
 *                             missing last quote is added
 *     word*  "a phr"*         the last word may go on
 *     *part*  *part  *"a b"*  part of words, case and accents ignored
 *     -word  NOT word         without it; also -"a b", -(a b), -kind:x
 *     a OR b  a | b           either; binds less than words side by side
 *     a AND b  a && b         both
 *     (a OR b) c              nests to a depth of 32
 *     a near/5 b  NEAR(a b, 5)
 *                             at most 5 words between them; a chain of near/
 *                             is pairs, of which each must match
 *     /regex/  /regex/i       a pattern of PCRE2; language_regex.h distinguishes
 *                             patterns from paths
 *     key:value               a filter (search/filter.h): key:"a b",
 *                             key:a,b for alternatives
 *     \" \( \) \- \* \/ \: \\ the character itself; elsewhere a backslash is
 *                             text: C:\x
 *
 * Operators in words are in capitals, but near/. AND, OR and NOT without an
 * operand are words, and so are --flag and the characters of syntax within a
 * word: f(x), a-b, std::vector. Filters are taken out first: they apply to all
 * of the query, and operators beside them do not count.
 */
#ifndef SEARCH_LANGUAGE_H
#define SEARCH_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"
#include "search/filter.h"
#include "search/query.h"

struct search_ignored {
    quire_bytes text; /* a slice of the query */
    const char *why;  /* static */
    struct search_ignored *next;
};

/* What a text means. Memory of the arena, but for the texts of `ignored`. */
struct search_language {
    /* NULL: no condition on text. Its depth is bounded, as are its leaves. AND
     * has no operand AND, nor OR an OR. QUERY_EVERY is only the first operand of
     * QUERY_NOT. A pattern may be malformed: compiling it shows. */
    struct query *tree;
    struct search_filter *filters;  /* in the order of the text */
    struct search_ignored *ignored; /* in the order of the text */
    size_t n_terms;                 /* leaves of the tree */
    /* Words and phrases only, each of them required, without operators but
     * parentheses: the query may be relaxed if it finds too little. */
    bool plain;
};

/* Parse a query. `now_us` is for relative times. With `words_only` there is no
 * syntax but quotes. Only QUIRE_NO_MEMORY. */
quire_status search_language_parse(quire_bytes text, int64_t now_us,
                                   bool words_only, struct arena *keep,
                                   struct search_language *out,
                                   quire_error *err);

/* Add a tree as a query that parses to the same tree. */
void search_language_print(const struct query *tree, struct buf *out);

#endif
