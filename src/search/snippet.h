/*
 * snippet.h - the part of a text that shows why it matches
 *
 * About 160 bytes around the place where matches of the most different leaves are
 * near each other, cut at words and characters, on one line. Matches are offsets in
 * the snippet.
 */
#ifndef SEARCH_SNIPPET_H
#define SEARCH_SNIPPET_H

#include "base/arena.h"
#include "quire.h"
#include "search/plan.h"

enum { SNIPPET_BYTES = 160, SNIPPET_MATCHES = 32 };

struct snippet {
    const char *text;
    quire_search_match *matches;
    size_t n;
};

/* `spans` are those of text_matches(). Memory of `keep`. */
quire_status snippet_make(quire_bytes text, const struct text_span *spans,
                          size_t n, struct arena *keep, struct snippet *out,
                          quire_error *err);

#endif
