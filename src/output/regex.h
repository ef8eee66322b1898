/*
 * regex.h - search a line for a regular expression
 *
 * Both are untrusted: the expression comes from a model, the line from a tool.
 * So there are ceilings on the length of an expression, on the steps, the depth
 * and the memory of a search, and on the time that one line takes; above them
 * the expression is too costly: QUIRE_INVALID.
 */
#ifndef OUTPUT_REGEX_H
#define OUTPUT_REGEX_H

#include <stdbool.h>

#include "quire.h"

#define MATCH_EXPRESSION_MAX 4096

struct regex;

/* Compile an expression of PCRE2. The text is not copied.
 *
 * QUIRE_INVALID  a syntax error, and where; or it is too long */
quire_status regex_new(const char *expression, bool ignore_case,
                       struct regex **out, quire_error *err);

/* NULL is fine. */
void regex_free(struct regex *m);

/* Search `line`, any bytes without a newline, which ends there only if `whole`:
 * in the beginning of a line "$" does not match. */
quire_status regex_find(struct regex *m, quire_bytes line, bool whole,
                        bool *found, quire_error *err);

/* "pcre2 10.42", the version that is running. */
void regex_version(char *out, size_t cap);

#endif
