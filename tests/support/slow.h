/*
 * slow.h - what there is to show of a text, the slow way
 *
 * Looks at the whole text at once: what window.c and sink.c are measured by.
 */
#ifndef TESTS_SLOW_H
#define TESTS_SLOW_H

#include "quire.h"

/* Everything of a result but the file; `output` lives until the test ends. */
quire_sink_result slow_shown(quire_bytes text, size_t threshold, size_t head,
                             size_t columns);

/* Every field of `got` but the file's is what `want` has. */
void slow_same(const quire_sink_result *want, const quire_sink_result *got);

/* Random text without control characters: plain, with characters of several
 * bytes, with lines that are long, short or none. Until the test ends. */
quire_bytes slow_text(uint64_t *seed, size_t max);

uint64_t slow_random(uint64_t *seed, uint64_t below);

#endif
