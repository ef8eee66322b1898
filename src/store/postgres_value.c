/* postgres_value.c - see postgres_value.h */
#include "store/postgres_value.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Big-endian, signed. */
static int64_t read_int(quire_bytes v)
{
    const unsigned char *at = v.data;
    uint64_t n = v.len && at[0] & 0x80 ? UINT64_MAX : 0;
    size_t i;

    for (i = 0; i < v.len; i++)
        n = n << 8 | at[i];
    return (int64_t)n;
}

static uint16_t read_u16(const unsigned char *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

/* A numeric: number of digits (each to the base 10,000), the weight of the first, the
 * sign, the scale, then the digits, all of 16 bits. */
static int64_t read_numeric(quire_bytes v)
{
    const unsigned char *at = v.data;
    int n, weight, i;
    bool negative;
    int64_t sum = 0;

    if (v.len < 8)
        return 0;
    n = read_u16(at);
    weight = (int16_t)read_u16(at + 2);
    negative = read_u16(at + 4) == 0x4000;
    if (read_u16(at + 4) & 0x8000 ||
        v.len < 8 + 2 * (size_t)n) /* not a number */
        return 0;
    for (i = 0; i <= weight; i++) {
        int digit = i < n ? read_u16(at + 8 + 2 * i) : 0;

        if (__builtin_mul_overflow(sum, 10000, &sum) ||
            __builtin_sub_overflow(sum, digit, &sum))
            return negative ? INT64_MIN : INT64_MAX;
    }
    if (!negative && sum == INT64_MIN)
        return INT64_MAX;
    return negative ? sum : -sum;
}

static int64_t read_text(quire_bytes v)
{
    char digits[32];
    size_t len = v.len < sizeof digits ? v.len : sizeof digits - 1;

    memcpy(digits, v.data, len);
    digits[len] = '\0';
    return strtoll(digits, NULL, 10);
}

int64_t postgres_number(uint32_t type, quire_bytes value)
{
    switch (type) {
    case POSTGRES_BOOL:
    case POSTGRES_INT2:
    case POSTGRES_INT4:
    case POSTGRES_INT8: return value.len <= 8 ? read_int(value) : 0;
    case POSTGRES_NUMERIC: return read_numeric(value);
    case POSTGRES_TEXT: return read_text(value);
    default: return 0;
    }
}

void postgres_put_int8(char to[8], int64_t value)
{
    uint64_t n = (uint64_t)value;
    int i;

    for (i = 7; i >= 0; i--, n >>= 8)
        to[i] = (char)(n & 0xff);
}
