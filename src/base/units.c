#include "base/units.h"

#include <string.h>

static bool read_digits(const char **text, uint64_t *out)
{
    const char *at = *text;
    uint64_t n = 0;

    for (; *at >= '0' && *at <= '9'; at++) {
        if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
            return false;
    }
    if (at == *text)
        return false;
    *text = at;
    *out = n;
    return true;
}

const struct unit units_none[] = {{"", 1}, {0}};
/* clang-format off */
const struct unit units_bytes[] = {
    {"", 1},          {"B", 1},
    {"k", 1 << 10},   {"K", 1 << 10},    {"KiB", 1 << 10},   {"kB", 1000},
    {"m", 1 << 20},   {"M", 1 << 20},    {"MiB", 1 << 20},   {"MB", 1000000},
    {"g", 1 << 30},   {"G", 1 << 30},    {"GiB", 1 << 30},   {"GB", 1000000000},
    {"T", 1ULL << 40}, {"TiB", 1ULL << 40},
    {0},
};
const struct unit units_ms[] = {
    {"", 1000},       {"ms", 1},          {"s", 1000},
    {"m", 60 * 1000}, {"h", 3600 * 1000}, {"d", 24 * 3600 * 1000},
    {0},
};
/* clang-format on */

bool units_parse(const char *text, const struct unit *units, uint64_t *out)
{
    uint64_t n;

    if (!read_digits(&text, &n))
        return false;
    for (; units->name; units++) {
        if (!strcmp(units->name, text))
            return !__builtin_mul_overflow(n, units->factor, out);
    }
    return false;
}
