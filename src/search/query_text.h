/*
 * query_text.h - the characters of a query's text
 *
 * White space is what Unicode calls so, and NUL, which no expression can hold.
 * Malformed bytes separate words as white space does.
 */
#ifndef SEARCH_QUERY_TEXT_H
#define SEARCH_QUERY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

/* More is not a query but a document. Each term is a walk through the index. */
#define QUERY_MAX_TERMS 64
#define QUERY_MAX_BYTES ((size_t)8 * 1024)

/* Read the character at `at`, which is within the text, and return the number
 * of its bytes. *cp is ' ' for white space, NUL and malformed bytes. */
size_t query_next_char(quire_bytes text, size_t at, uint32_t *cp);

/* Whether the text has a letter or digit. Only SQLite knows which characters
 * are letters, so base/letters.h lists just the ranges that certainly are not.
 * For other non-letters (rare signs) this is true. */
bool query_has_letter(quire_bytes text);

/* The first QUERY_MAX_BYTES of the text. Half a word matches nothing, so the
 * cut is made at white space, if there is any. */
quire_bytes query_shorten(quire_bytes text);

#endif
