/*
 * regex_literals.h - literals that every match of a pattern contains
 *
 * An index finds the few texts that have the literals; only these are searched
 * for the pattern. The idea is that of Russ Cox's Code Search, with literals
 * instead of trigrams: /foo(bar|baz)+.*qux/ needs foo, and bar or baz, and qux.
 */
#ifndef SEARCH_REGEX_LITERALS_H
#define SEARCH_REGEX_LITERALS_H

#include "base/arena.h"
#include "quire.h"
#include "search/query.h"

enum { REGEX_LITERALS_MAX = 64 }; /* leaves of a tree */

/* A tree of QUERY_AND, QUERY_OR and QUERY_SUBSTRING that each text with a match
 * satisfies, whether or not case matters to the match. NULL: nothing is
 * required, so each text must be searched.
 *
 * A literal has at least three characters, or two of Chinese, Japanese or
 * Korean. It is in a text if it is a part of it under Unicode's simple case
 * folding, by which "k" is also the Kelvin sign and "s" the long s. A coarser
 * folding, without accents, may be used as well.
 *
 * The pattern is one of PCRE2 in UTF mode, without PCRE2_EXTENDED. Constructs
 * that are not understood require nothing, and so does a malformed pattern.
 * Only QUIRE_NO_MEMORY. */
quire_status regex_literals(quire_bytes pattern, struct arena *keep,
                            struct query **out, quire_error *err);

#endif
