/*
 * regex_code.h - a regular expression over whole texts
 *
 * PCRE2 with ceilings on steps, memory and time, as output/regex.h has them for
 * lines: expression and text are untrusted. "^" and "$" match at line breaks, "."
 * does not cross them.
 */
#ifndef SEARCH_REGEX_CODE_H
#define SEARCH_REGEX_CODE_H

#include <stdbool.h>

#include "quire.h"

struct regex_code;

/* QUIRE_INVALID: a syntax error, and where; or it is too long. */
quire_status regex_code_new(quire_bytes pattern, bool ignore_case,
                            struct regex_code **out, quire_error *err);
void regex_code_free(struct regex_code *r);

/* The next match from `at` on: *found, *from, *to. A match that is empty does not
 * count. QUIRE_INVALID: the expression is too costly for this text. */
struct regex_match;
quire_status regex_match_new(const struct regex_code *r,
                             struct regex_match **out, quire_error *err);
void regex_match_free(struct regex_match *m);
quire_status regex_match_next(struct regex_match *m, quire_bytes text,
                              size_t at, bool *found, size_t *from, size_t *to,
                              quire_error *err);

#endif
