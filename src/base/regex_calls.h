/* regex_calls.h - patterns of PCRE2 that call groups */
#ifndef BASE_REGEX_CALLS_H
#define BASE_REGEX_CALLS_H

#include <stdbool.h>

#include "quire.h"

/* Whether a pattern calls a group: (?R), (?1), (?&name), \g<name>. Code of PCRE2's
 * compiler for machines does not count the steps of calls, so that a limit on steps
 * does not end them: interpret such a pattern. May be true without a call. */
static inline bool regex_has_calls(quire_bytes pattern)
{
    const char *at = pattern.data;
    size_t i;

    for (i = 0; i + 2 < pattern.len; i++) {
        char c = at[i + 2];

        if (at[i] == '\\' && at[i + 1] == 'g' && (c == '<' || c == '\''))
            return true;
        if (at[i] == '(' && at[i + 1] == '?' &&
            (c == 'R' || c == '&' || c == '+' || c == '-' || c == 'P' ||
             (c >= '0' && c <= '9')))
            return true;
    }
    return false;
}

#endif
