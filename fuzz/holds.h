/*
 * holds.h - what a fuzz target claims
 *
 * Not assert(): a build without it would find nothing.
 */
#ifndef FUZZ_HOLDS_H
#define FUZZ_HOLDS_H

#include <stdio.h>
#include <stdlib.h>

#define HOLDS(cond)                                                    \
    do {                                                               \
        if (!(cond)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
            abort();                                                   \
        }                                                              \
    } while (0)

#endif
