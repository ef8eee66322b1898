#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/timestamp.h"
#include "support/test.h"

struct spelling {
    const char *text;
    int64_t ms;
};

static int64_t read_ms(const char *text)
{
    int64_t ms = INT64_MIN;

    if (!timestamp_parse(bytes_str(text), &ms))
        SAME_TEXT("a time", text);
    return ms;
}

TEST(a_time_is_read_in_every_form_javascript_writes)
{
    /* The numbers are what Date.parse() gives with TZ=UTC. */
    static const struct spelling all[] = {
        {"1970-01-01T00:00:00.000Z", 0},
        {"2026-02-16T10:20:30.000Z", 1771237230000},
        {"2026-02-16T10:20:30.123Z", 1771237230123},
        {"2026-02-16T10:20:30Z", 1771237230000},
        {"2026-02-16T10:20Z", 1771237200000},
        {"2026-02-16T10:20", 1771237200000},
        {"2026-02-16", 1771200000000},
        {"2026-02", 1769904000000},
        {"2026", 1767225600000},
        {"2026T12:00Z", 1767268800000},
        {"2026-02-16T12:20:30+02:00", 1771237230000},
        {"2026-02-16T04:50:30.5-05:30", 1771237230500},
        {"1969-12-31T23:59:59.999Z", -1},
        {"2000-02-29", 951782400000},
        {"2015-01-01T00:00:00Z", 1420070400000},
        {"0000-01-01T00:00:00Z", -62167219200000},
        {"9999-12-31T23:59:59.999Z", 253402300799999},
        {"+002026-02-16", 1771200000000},
        {"-000001-01-01T00:00:00Z", -62198755200000},
        {"+000000-01-01", -62167219200000},
        {"+275760-09-13T00:00:00.000Z", 8640000000000000},
        {"-271821-04-20T00:00:00.000Z", -8640000000000000},
    };
    size_t i;

    for (i = 0; i < sizeof all / sizeof *all; i++)
        EQ(all[i].ms, read_ms(all[i].text));
}

TEST(a_fraction_counts_to_its_third_digit)
{
    EQ(100, read_ms("1970-01-01T00:00:00.1Z"));
    EQ(120, read_ms("1970-01-01T00:00:00.12Z"));
    EQ(123, read_ms("1970-01-01T00:00:00.123999999999999999999999Z"));
    EQ(1, read_ms("1970-01-01T00:00:00.001"));
}

TEST(midnight_may_end_a_day_and_nothing_comes_after_it)
{
    int64_t ms;

    EQ(86400000, read_ms("1970-01-01T24:00:00.000Z"));
    EQ(86400000, read_ms("1970-01-01T24:00Z"));
    EQ(read_ms("2021-01-01"), read_ms("2020-12-31T24:00:00Z"));
    NO(timestamp_parse(bytes_str("1970-01-01T24:00:00.001Z"), &ms));
    NO(timestamp_parse(bytes_str("1970-01-01T24:00:01Z"), &ms));
    NO(timestamp_parse(bytes_str("1970-01-01T24:01Z"), &ms));
    NO(timestamp_parse(bytes_str("1970-01-01T25:00Z"), &ms));
}

TEST(what_is_no_time_is_refused)
{
    static const char *const wrong[] = {
        "",
        " 2026-02-16",
        "2026-02-16 ",
        "2026-02-16T",
        "2026-02-16t10:20:30Z",
        "2026-02-16 10:20:30Z",
        "2026-02-16T10:20:30z",
        "2026-02-16T10:20:30.Z",
        "2026-02-16T10:20:30,5Z",
        "2026-02-16T10Z",
        "2026-02-16T1:20Z",
        "2026-02-16T10:60Z",
        "2026-02-16T10:20:60Z",
        "2026-02-16T10:20:30.000ZZ",
        "2026-02-16T10:20:30+0200",
        "2026-02-16T10:20:30+02",
        "2026-02-16T10:20:30+24:00",
        "2026-02-16T10:20:30+02:60",
        "2026-02-16T10:20:30-",
        "2026-02-16Z",
        "2026-02-16+02:00",
        "2026-00-01",
        "2026-13-01",
        "2026-01-00",
        "2026-01-32",
        "2026-04-31",
        "2026-02-29",
        "1900-02-29",
        "2100-02-29",
        "2026-2-16",
        "2026-",
        "2026-02-",
        "026-02-16",
        "20260216",
        "12026-02-16",
        "+2026-02-16",
        "+02026-02-16",
        "-000000-01-01",
        "-2026-01-01",
        "+275760-09-13T00:00:00.001Z",
        "-271821-04-19T23:59:59.999Z",
        "+999999-12-31T23:59:59Z",
        "1771237230000",
        "Mon, 16 Feb 2026 10:20:30 GMT",
        "null",
    };
    int64_t ms = 7;
    size_t i;

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (timestamp_parse(bytes_str(wrong[i]), &ms))
            SAME_TEXT("no time", wrong[i]);
    NO(timestamp_parse(bytes_of("2026\0", 5), &ms));
    NO(timestamp_parse(bytes_of(NULL, 0), &ms));
    EQ(7, ms);
}

/* Memory of just its size, for a sanitizer to see the end. */
TEST(a_time_that_is_cut_anywhere_is_read_no_further)
{
    const char whole[] = "2026-02-16T10:20:30.123+02:00";
    size_t n;
    int64_t ms;

    for (n = 0; n < sizeof whole; n++)
        timestamp_parse(bytes_of(memcpy(test_alloc(n), whole, n), n), &ms);
}

static const char *written(int64_t us)
{
    static char out[TIMESTAMP_SIZE];

    memset(out, '!', sizeof out);
    timestamp_format(us, out);
    return out;
}

TEST(a_time_is_written_in_milliseconds_of_utc)
{
    SAME_TEXT("2026-02-16T10:20:30.000Z", written(1771237230000000));
    SAME_TEXT("2026-02-16T10:20:30.123Z", written(1771237230123999));
    SAME_TEXT("1970-01-01T00:00:00.000Z", written(0));
    SAME_TEXT("1969-12-31T23:59:59.999Z", written(-1));
    SAME_TEXT("1969-12-31T23:59:59.998Z", written(-1001));
    SAME_TEXT("0000-01-01T00:00:00.000Z", written(-62167219200000000));
    SAME_TEXT("-000001-12-31T23:59:59.999Z", written(-62167219200000001));
    SAME_TEXT("+010000-01-01T00:00:00.000Z", written(253402300800000000));
    SAME_TEXT("+294247-01-10T04:00:54.775Z", written(INT64_MAX));
    SAME_TEXT("-290308-12-21T19:59:05.224Z", written(INT64_MIN));
}

/* Every day of eight centuries, against the C library's calendar. */
TEST(days_agree_with_another_calendar)
{
    int64_t day;

    for (day = -200000; day < 200000; day++) {
        time_t s = (time_t)day * 86400 + 45296;
        char want[64];
        struct tm tm;
        int64_t ms;

        gmtime_r(&s, &tm);
        snprintf(want, sizeof want, "%04d-%02d-%02dT12:34:56.000Z",
                 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
        if (strcmp(want, written(s * 1000000)) != 0)
            SAME_TEXT(want, written(s * 1000000));
        if (!timestamp_parse(bytes_str(want), &ms) || ms != s * 1000)
            EQ(s * 1000, ms);
    }
}
