/*
 * filter_time.c - points in time as users write them
 */
#include <stdio.h>

#include "base/bytes.h"
#include "base/timestamp.h"
#include "search/filter.h"

#define SECOND_US ((int64_t)1000000)
#define DAY_US    (86400 * SECOND_US)

/* The longest text that is a time, and its NUL. */
enum { TIME_SIZE = 40 };

struct time_unit {
    const char *name;
    int64_t us; /* 0: by the calendar */
    int months;
};

/* Names also with a final s, but the single letters. */
static const struct time_unit units[] = {
    {"s", SECOND_US, 0},
    {"sec", SECOND_US, 0},
    {"second", SECOND_US, 0},
    {"m", 60 * SECOND_US, 0},
    {"min", 60 * SECOND_US, 0},
    {"minute", 60 * SECOND_US, 0},
    {"h", 3600 * SECOND_US, 0},
    {"hr", 3600 * SECOND_US, 0},
    {"hour", 3600 * SECOND_US, 0},
    {"d", DAY_US, 0},
    {"day", DAY_US, 0},
    {"w", 7 * DAY_US, 0},
    {"week", 7 * DAY_US, 0},
    {"mo", 0, 1},
    {"month", 0, 1},
    {"y", 0, 12},
    {"yr", 0, 12},
    {"year", 0, 12},
};

/* A number of at most `max_digits` digits. *at is moved behind all digits. */
static bool read_number(const char **at, size_t max_digits, int64_t *out,
                        size_t *n_digits)
{
    const char *from = *at;

    for (*out = 0; **at >= '0' && **at <= '9'; (*at)++)
        if ((size_t)(*at - from) < max_digits)
            *out = *out * 10 + (**at - '0');
    *n_digits = (size_t)(*at - from);
    return *n_digits > 0 && *n_digits <= max_digits;
}

/* ---- arithmetic --------------------------------------------------------- */

static int64_t day_start(int64_t us)
{
    int64_t rest = us % DAY_US;

    return us - rest - (rest < 0 ? DAY_US : 0);
}

/* The same day and time `months` earlier; the last day of a shorter month. */
static bool subtract_months(int64_t now_us, int64_t months, int64_t *us)
{
    char now[TIMESTAMP_SIZE], text[64];
    const char *at = now;
    int64_t year, month, day, date_ms;
    size_t n;

    timestamp_format(now_us, now);
    if (!read_number(&at, 4, &year, &n))
        return false; /* a year with a sign */
    at++;
    read_number(&at, 2, &month, &n);
    at++;
    read_number(&at, 2, &day, &n);
    months = year * 12 + month - 1 - months;
    if (months < 0)
        return false;
    for (; day > 0; day--) {
        snprintf(text, sizeof text, "%04d-%02d-%02d", (int)(months / 12),
                 (int)(months % 12) + 1, (int)day);
        if (timestamp_parse(bytes_str(text), &date_ms)) {
            *us = date_ms * 1000 + (now_us - day_start(now_us));
            return true;
        }
    }
    return false;
}

static bool subtract(int64_t now_us, int64_t n, const struct time_unit *unit,
                     int64_t *us)
{
    int64_t span;

    if (!unit->us)
        return subtract_months(now_us, n * unit->months, us);
    return !__builtin_mul_overflow(n, unit->us, &span) &&
           !__builtin_sub_overflow(now_us, span, us);
}

/* ---- reading ------------------------------------------------------------ */

/* A copy in lower case, with blanks for "-" and "_". */
static bool copy_words(quire_bytes text, char out[TIME_SIZE])
{
    const char *from = text.data;
    size_t i;

    if (text.len == 0 || text.len >= TIME_SIZE)
        return false;
    for (i = 0; i < text.len; i++) {
        out[i] = from[i];
        if (from[i] >= 'A' && from[i] <= 'Z')
            out[i] = (char)(from[i] - 'A' + 'a');
        else if (from[i] == '-' || from[i] == '_')
            out[i] = ' ';
    }
    out[i] = '\0';
    return strlen(out) == text.len;
}

/* As in RFC 3339, which allows a blank for T, and small letters. */
static bool parse_date(quire_bytes text, int64_t *us)
{
    char copy[TIME_SIZE];
    int64_t ms;
    size_t i;

    if (text.len == 0 || text.len >= TIME_SIZE)
        return false;
    memcpy(copy, text.data, text.len);
    for (i = 0; i < text.len; i++) {
        if (copy[i] == 't' || (copy[i] == ' ' && i == 10))
            copy[i] = 'T';
        else if (copy[i] == 'z')
            copy[i] = 'Z';
    }
    if (!timestamp_parse(bytes_of(copy, text.len), &ms))
        return false;
    *us = ms * 1000;
    return true;
}

static bool parse_epoch(const char *at, int64_t *us)
{
    int64_t n;
    size_t digits;

    if (!read_number(&at, 13, &n, &digits) || *at)
        return false;
    *us = digits == 13 ? n * 1000 : n * SECOND_US;
    return digits == 10 || digits == 13;
}

static const struct time_unit *find_unit(const char *name, size_t len)
{
    size_t i;

    for (i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].name);

        if (len >= n && !memcmp(name, units[i].name, n) &&
            (len == n || (n > 1 && len == n + 1 && name[n] == 's')))
            return &units[i];
    }
    return NULL;
}

/* "7d", "7 days", "7 days ago", also behind a blank, which was a minus. */
static bool parse_relative(const char *at, int64_t now_us, int64_t *us)
{
    const struct time_unit *unit;
    int64_t n;
    size_t digits, len;

    at += *at == ' ';
    if (!read_number(&at, 9, &n, &digits))
        return false;
    at += *at == ' ';
    len = strcspn(at, " ");
    unit = find_unit(at, len);
    at += len;
    return unit && (!*at || !strcmp(at, " ago")) &&
           subtract(now_us, n, unit, us);
}

static bool parse_name(const char *at, int64_t now_us, int64_t *us)
{
    const struct time_unit *unit;

    if (!strcmp(at, "now"))
        *us = now_us;
    else if (!strcmp(at, "today"))
        *us = day_start(now_us);
    else if (!strcmp(at, "yesterday"))
        return !__builtin_sub_overflow(day_start(now_us), DAY_US, us);
    else if (!strncmp(at, "last ", 5)) {
        unit = strlen(at) > 7 ? find_unit(at + 5, strlen(at + 5)) : NULL;
        return unit && subtract(now_us, 1, unit, us);
    } else
        return false;
    return true;
}

bool search_parse_time(quire_bytes text, int64_t now_us, int64_t *us)
{
    char words[TIME_SIZE];

    return copy_words(text, words) &&
           (parse_epoch(words, us) || parse_date(text, us) ||
            parse_relative(words, now_us, us) || parse_name(words, now_us, us));
}
