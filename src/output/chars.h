/* chars.h - characters of names and numbers, independent of the locale */
#ifndef OUTPUT_CHARS_H
#define OUTPUT_CHARS_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

static inline bool is_digit_char(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           is_digit_char(c) || c == '_' || c == '-';
}

/* Whether all characters are of that kind, and it is not empty. */
static inline bool all_chars(quire_bytes text, bool (*kind)(char c))
{
    const char *c = text.data;
    size_t i = 0;

    while (i < text.len && kind(c[i]))
        i++;
    return i == text.len && i > 0;
}

#endif
