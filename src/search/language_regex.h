/*
 * language_regex.h - /regex/ in a query, or a path
 *
 * Text between slashes at the start of a term is a pattern, unless it looks
 * like a path or a comment:
 *
 *   1. The last slash, or the "i" behind it, is followed by white space, the
 *      end, or a parenthesis that closes one of the query. A slash behind a
 *      backslash or in [...] belongs to the pattern. All is on one line, of
 *      at most LANGUAGE_REGEX_MAX bytes: each slash of a query is tried.
 *   2. The pattern does not begin with white space, a slash or * + ?: that is
 *      a comment of C, or a list.
 *   3. It has one of \ ^ $ * + ? | ( ) [ ] { }, or white space, or an "i"
 *      follows: /tmp/ is a path, /tmp/i and /to do/ are patterns.
 *   4. With a slash inside it has no white space, and one of \ ^ $ * + ? |:
 *      /app/[id]/ and /usr/bin/ are paths, /src\/.+\.c/ is a pattern.
 */
#ifndef SEARCH_LANGUAGE_REGEX_H
#define SEARCH_LANGUAGE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

enum { LANGUAGE_REGEX_MAX = 1024 };

struct language_regex {
    quire_bytes body; /* UTF-8 without NUL; may be malformed as a pattern */
    size_t len;       /* with the slashes and the "i" */
    /* Without "i", case matters if the pattern has an upper-case letter, apart
     * from escapes: /\S+Error/. Latin, Greek and Cyrillic are recognized. */
    bool sensitive;
};

/* Whether `text` begins with a pattern. `in_group`: ")" may follow it. */
bool language_regex_find(quire_bytes text, bool in_group,
                         struct language_regex *out);

/* Whether a pattern has an upper-case letter. */
bool language_regex_has_upper(quire_bytes body);

#endif
