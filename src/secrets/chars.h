/* chars.h - sets of characters, and how random a value looks */
#ifndef SECRETS_CHARS_H
#define SECRETS_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "quire.h"

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool is_alpha(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z');
}

static inline bool is_alnum(char c)
{
    return is_digit(c) || is_alpha(c);
}

static inline bool is_word(char c)
{
    return is_alnum(c) || c == '_' || c == '-';
}

static inline bool is_upper_alnum(char c)
{
    return is_digit(c) || is_upper(c);
}

static inline bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static inline bool is_path(char c)
{
    return is_word(c) || c == '/';
}

/* Of base64, base64url and what RFC 6750 permits in a token. */
static inline bool is_token(char c)
{
    return is_word(c) || c == '.' || c == '~' || c == '+' || c == '/' ||
           c == '=';
}

static inline bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Of a value that is not quoted. */
static inline bool is_value(char c)
{
    return c && !is_space(c) && !strchr("\"'`<>,;&)(", c);
}

/* How many bytes from `at` on are in the set. */
static inline size_t run_of(quire_bytes t, size_t at, bool (*is)(char))
{
    const char *s = t.data;
    size_t from = at;

    while (at < t.len && is(s[at]))
        at++;
    return at - from;
}

static inline char char_at(quire_bytes t, size_t at)
{
    return at < t.len ? ((const char *)t.data)[at] : '\0';
}

/* Shannon entropy of the first 64 bytes, in tenths of a bit a character. */
unsigned secrets_entropy(quire_bytes value);

/* Whether there are a letter and a digit, and the entropy is that of something
 * that was drawn at random: no word, no row of the same character. */
bool secrets_looks_random(quire_bytes value);

#endif
