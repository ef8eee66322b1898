/*
 * bytes.h - borrowed slices of memory
 *
 * quire_bytes is a pointer and a length. Nothing here allocates.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "quire.h"

static inline quire_bytes bytes_of(const void *data, size_t len)
{
    return (quire_bytes){data, len};
}

static inline quire_bytes bytes_str(const char *text)
{
    return bytes_of(text, strlen(text));
}

/* The bytes from `from` to before `to`, both within `b`. */
static inline quire_bytes bytes_sub(quire_bytes b, size_t from, size_t to)
{
    /* An empty slice may have a NULL address, to which C adds nothing. */
    return bytes_of(from ? (const char *)b.data + from : b.data, to - from);
}

static inline bool bytes_equal(quire_bytes a, quire_bytes b)
{
    return a.len == b.len && (a.len == 0 || !memcmp(a.data, b.data, a.len));
}

static inline bool bytes_is(quire_bytes b, const char *text)
{
    return bytes_equal(b, bytes_str(text));
}

static inline bool bytes_starts(quire_bytes b, quire_bytes prefix)
{
    return b.len >= prefix.len && !memcmp(b.data, prefix.data, prefix.len);
}

/* How often `c` occurs. */
size_t bytes_count(quire_bytes b, char c);

/* Write 2 * len lower-case hex digits and a NUL. */
static inline void hex_encode(const uint8_t *data, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    size_t i;

    for (i = 0; i < len; i++) {
        out[2 * i] = digits[data[i] >> 4];
        out[2 * i + 1] = digits[data[i] & 15];
    }
    out[2 * len] = '\0';
}

static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Read 2 * len hex digits of either case; false at the first other byte. */
static inline bool hex_decode(const char *text, size_t len, uint8_t *out)
{
    size_t i;

    for (i = 0; i < len; i++) {
        int hi = hex_digit(text[2 * i]);
        int lo = hi < 0 ? -1 : hex_digit(text[2 * i + 1]);

        if (lo < 0)
            return false;
        out[i] = (uint8_t)(hi << 4 | lo);
    }
    return true;
}

#endif
