#include "base/units.h"

#include "support/test.h"

static void is(const char *text, const struct unit *units, uint64_t want)
{
    uint64_t got = 0;

    YES(units_parse(text, units, &got));
    EQ(want, got);
}

static void is_not(const char *text, const struct unit *units)
{
    uint64_t got;

    NO(units_parse(text, units, &got));
}

TEST(sizes_have_powers_of_1024_and_of_1000)
{
    is("0", units_bytes, 0);
    is("4096B", units_bytes, 4096);
    is("10m", units_bytes, 10 << 20);
    is("64K", units_bytes, 64 << 10);
    is("2GiB", units_bytes, UINT64_C(2) << 30);
    is("5kB", units_bytes, 5000);
    is("5MB", units_bytes, 5000000);
    is("18446744073709551615", units_bytes, UINT64_MAX);
}

TEST(times_are_seconds_without_a_unit)
{
    is("3", units_ms, 3000);
    is("500ms", units_ms, 500);
    is("7d", units_ms, UINT64_C(7) * 24 * 3600 * 1000);
}

TEST(a_number_that_is_too_large_or_has_another_unit_is_refused)
{
    static const char *const bad[] = {"",         "m",
                                      "-1",       "+1",
                                      " 1",       "1 ",
                                      "1.5M",     "10X",
                                      "1mm",      "18446744073709551616",
                                      "17000000T"};
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        is_not(bad[i], units_bytes);
    is_not("5m", units_none);
    is_not("5K", units_ms);
}
