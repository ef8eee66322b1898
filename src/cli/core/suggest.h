/*
 * suggest.h - the nearest known name for a mistyped one, or for the name that
 * another program has
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

/* The names that `word` stands for in other programs, the most likely first; NULL
 * past the end. Not all of them are names of every noun. */
const char *suggest_synonym(const char *word, size_t index);

/* A hint for a word whose task no single command does; NULL: none. */
const char *suggest_advice(const char *word);

#endif
