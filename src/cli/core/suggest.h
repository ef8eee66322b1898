/*
 * suggest.h - did you mean
 */
#ifndef CLI_CORE_SUGGEST_H
#define CLI_CORE_SUGGEST_H

#include <stddef.h>

/* Offer candidates for a mistyped word, then take the nearest; NULL when none
 * is near enough to be a help. */
struct guess {
    const char *word;
    const char *best;
    size_t distance;
};

void guess_offer(struct guess *g, const char *candidate);
const char *guess_take(const struct guess *g);

#endif
