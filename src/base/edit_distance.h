/* edit_distance.h - how many typing mistakes are between two words */
#ifndef BASE_EDIT_DISTANCE_H
#define BASE_EDIT_DISTANCE_H

#include <stddef.h>

/* Damerau-Levenshtein distance in bytes: insertions, deletions, substitutions and
 * swaps of neighbours. SIZE_MAX if a word is longer than 64 bytes. */
size_t edit_distance(const char *a, const char *b);

#endif
