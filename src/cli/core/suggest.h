/*
 * suggest.h - the nearest known name for a mistyped one
 */
#ifndef CLI_CORE_SUGGEST_H
#define CLI_CORE_SUGGEST_H

#include <stddef.h>

/* Offer candidates for a mistyped word, then take the nearest; NULL when none
 * is near. */
struct suggestion {
    const char *word;
    const char *best;
    size_t distance;
};

void suggest_offer(struct suggestion *g, const char *candidate);
const char *suggest_take(const struct suggestion *g);

#endif
