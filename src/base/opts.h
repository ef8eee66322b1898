/*
 * opts.h - option structs of the public interface
 *
 * An option struct begins with its size, as the caller's header had it. A
 * caller built against an older header passes a shorter one: the missing fields
 * keep their defaults.
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
