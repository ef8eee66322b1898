/*
 * query.h - one value out of a JSON text
 *
 * The language is small: names after dots, and brackets.
 *
 *     .items[0].title     items.0.title     ['a key']     ["a key"]     [bare]
 *
 * A leading dot may be left out and dots may repeat. A name is letters, digits,
 * "_" and "-". [n] is an index, and means something in an array alone; a name
 * that is a number means an element there, too, and `length` how many there
 * are. In quotes a backslash stands before a quote or another backslash. The
 * first "]" ends a bracket, so no key in brackets has one. There are no
 * negative indexes, slices, wildcards or pipes.
 */
#ifndef OUTPUT_QUERY_H
#define OUTPUT_QUERY_H

#include "base/arena.h"
#include "quire.h"

/* The value that `query` means in `json`, a text json_check() accepts: a slice
 * of it, or made in `keep` (a length). .data is NULL when there is no such
 * value. QUIRE_INVALID: the query cannot be read; the words say where. */
quire_status query_find(quire_bytes json, const char *query, struct arena *keep,
                        quire_bytes *out, quire_error *err);

/* Whether it can be read, without a text to look in. */
quire_status query_check(const char *query, quire_error *err);

#endif
