/*
 * varint.h - unsigned integers of seven bits a byte, the lowest first
 *
 * The last byte has its high bit clear. A number has at most ten bytes. Reading
 * is bounded: malformed bytes give a failure, never a read past the end.
 */
#ifndef SEARCH_VARINT_H
#define SEARCH_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VARINT_MAX = 10 };

/* Write a number; returns how many bytes it took. */
static inline size_t varint_put(uint8_t *out, uint64_t value)
{
    size_t n = 0;

    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}

/* Bytes being read. After a failure `failed` is set and every number is 0. */
struct varint_reader {
    const uint8_t *at, *end;
    bool failed;
};

static inline uint64_t varint_get_long(struct varint_reader *r)
{
    uint64_t value = 0;
    unsigned shift;

    for (shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    r->failed = true;
    r->at = r->end;
    return 0;
}

static inline uint64_t varint_get(struct varint_reader *r)
{
    if (r->at < r->end && *r->at < 0x80)
        return *r->at++;
    return varint_get_long(r);
}

/* Pass over `n` numbers. */
static inline void varint_skip(struct varint_reader *r, uint64_t n)
{
    while (n > 0 && r->at < r->end)
        n -= *r->at++ < 0x80;
    if (n > 0)
        r->failed = true;
}

#endif
