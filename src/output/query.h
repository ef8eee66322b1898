/*
 * query.h - select one value of a JSON text
 *
 * The language is small: names after dots, and brackets.
 *
 *     .items[0].title     items.0.title     ['a key']     ["a key"]     [bare]
 *
 * A leading dot may be left out and dots may repeat. A name is letters, digits,
 * "_" and "-". [n] is an index, valid in an array only; a name that is a number
 * selects an element there, too, and `length` is the number of elements. In
 * quotes a backslash escapes a quote or another backslash. The first "]" ends a
 * bracket, so a key in brackets cannot contain one. Negative indexes, slices,
 * wildcards and pipes are not supported.
 */
#ifndef OUTPUT_QUERY_H
#define OUTPUT_QUERY_H

#include "base/arena.h"
#include "quire.h"

/* The value that `query` selects in `json`, a text json_check() accepts: a
 * slice of it, or allocated in `keep` (a length). .data is NULL when absent.
 * QUIRE_INVALID: the query is malformed; the message has the place. */
quire_status query_find(quire_bytes json, const char *query, struct arena *keep,
                        quire_bytes *out, quire_error *err);

/* Check the syntax of a query, without a text. */
quire_status query_check(const char *query, quire_error *err);

#endif
