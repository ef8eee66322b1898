/*
 * opts.h - option structs of the public interface
 *
 * Such a struct begins with its size, as the caller's header had it. A caller
 * built against an older header passes a shorter one: what it lacks keeps the
 * default.
 */
#ifndef BASE_OPTS_H
#define BASE_OPTS_H

#include <string.h>

/* Copy *from, which may be NULL, over the defaults in `to`. */
#define OPTIONS_READ(to, from)                                             \
    do {                                                                   \
        if (from)                                                          \
            memcpy(&(to), (from),                                          \
                   (from)->size < sizeof(to) ? (from)->size : sizeof(to)); \
    } while (0)

#endif
