/*
 * regex.h - is an expression found in a line?
 *
 * Both come from others: the expression from a model, the line from a tool.
 * Neither may keep us busy for long, or take memory without end. So there are
 * ceilings on the length of an expression, on the steps, the depth and the
 * memory of a search, and on the time that one line takes; past them the
 * answer is QUIRE_INVALID, the expression is too costly.
 */
#ifndef OUTPUT_REGEX_H
#define OUTPUT_REGEX_H

#include <stdbool.h>

#include "quire.h"

#define MATCH_EXPRESSION_MAX 4096

struct regex;

/* Read an expression of PCRE2. The text is not copied.
 *
 * QUIRE_INVALID  it cannot be read, and where; or it is too long */
quire_status regex_new(const char *expression, bool ignore_case,
                       struct regex **out, quire_error *err);

/* NULL is fine. */
void regex_free(struct regex *m);

/* Look in `line`, which has no newline, is any bytes at all, and ends there
 * only if `whole`: in the beginning of a line "$" finds no end. */
quire_status regex_find(struct regex *m, quire_bytes line, bool whole,
                        bool *found, quire_error *err);

/* "pcre2 10.42", the version that is running. */
void regex_version(char *out, size_t cap);

#endif
