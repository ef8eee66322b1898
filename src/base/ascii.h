/*
 * ascii.h - ASCII comparison that ignores case
 *
 * Not strcasecmp(): the host program may have set a locale, and a name must
 * compare the same under each.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "quire.h"

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Blanks, tabs and line ends only, or empty. */
static inline bool ascii_is_blank(quire_bytes text)
{
    const char *c = text.data;
    size_t i;

    for (i = 0; i < text.len; i++) {
        if (!c[i] || !strchr(" \t\r\n\v\f", c[i]))
            return false;
    }
    return true;
}

/* Whether `text` begins with `lower`, which is in lower case. */
static inline bool ascii_starts(quire_bytes text, const char *lower)
{
    const char *c = text.data;
    size_t i;

    for (i = 0; lower[i]; i++) {
        if (i == text.len || ascii_lower(c[i]) != lower[i])
            return false;
    }
    return true;
}

static inline bool ascii_is(quire_bytes text, const char *lower)
{
    return text.len == strlen(lower) && ascii_starts(text, lower);
}

#endif
