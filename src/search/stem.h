/* stem.h - the beginning that the forms of an English word share */
#ifndef SEARCH_STEM_H
#define SEARCH_STEM_H

#include <stddef.h>

/* The length of the stem of a word in lower-case letters: deployments, deploying
 * and deploy all give 6. */
size_t stem_length(const char *word);

#endif
