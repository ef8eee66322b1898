/*
 * find_many.h - search for several byte strings at once
 *
 * The algorithm of Wu and Manber: a table says, for the two bytes at the end of a window
 * as long as the shortest needle, how far the window can move. Texts without a match are
 * skipped through at a fraction of a step a byte.
 */
#ifndef BASE_FIND_MANY_H
#define BASE_FIND_MANY_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

/* The shortest needle. */
enum { FIND_MANY_LEAST = 2 };

struct find_many;

/* The needles are copied. NULL: out of memory, none given, or one is too short. */
struct find_many *find_many_new(const quire_bytes *needles, size_t n);

/* NULL is fine. */
void find_many_free(struct find_many *f);

/* Find the next match that begins at *at or later, *which of the needles: the leftmost,
 * and of several at one place the first given. Then search on from *at + 1. */
bool find_many_next(const struct find_many *f, quire_bytes text, size_t *at,
                    size_t *which);

#endif
