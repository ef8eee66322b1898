/*
 * timestamp.c - calendar arithmetic
 *
 * The calendar is the proleptic Gregorian one: today's rules, extended in both
 * directions. It repeats every 400 years, which are 146,097 days. Years are
 * counted from March, so that the day a leap year adds is its last and the
 * lengths of months are a straight line with rounding: 153 days in every five
 * months.
 */
#include "base/timestamp.h"

#define DAY_MS   ((int64_t)86400000)
#define ERA_DAYS 146097

/* From 0000-03-01, where counting is easy, to 1970-01-01. */
#define EPOCH_DAYS 719468

/* The range of a JavaScript Date, both ways. */
#define LIMIT_MS (100000000 * DAY_MS)

struct civil {
    int64_t year;
    int month, day; /* from 1 */
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Days from 1970-01-01. */
static int64_t days_of(struct civil c)
{
    int64_t year = c.year - (c.month <= 2);
    int64_t era = floor_div(year, 400), of_era = year - era * 400;
    int64_t of_year = (153 * ((c.month + 9) % 12) + 2) / 5 + c.day - 1;

    return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           EPOCH_DAYS;
}

static struct civil civil_of(int64_t days)
{
    int64_t era, of_era, year, of_year, month;

    days += EPOCH_DAYS;
    era = floor_div(days, ERA_DAYS);
    of_era = days - era * ERA_DAYS;
    /* Remove the leap days before this one; then all years are alike. */
    year = (of_era - of_era / 1460 + of_era / 36524 - of_era / (ERA_DAYS - 1)) /
           365;
    of_year = of_era - (365 * year + year / 4 - year / 100);
    month = (5 * of_year + 2) / 153;
    return (struct civil){
        .year = year + era * 400 + (month >= 10),
        .month = (int)(month + 2) % 12 + 1,
        .day = (int)(of_year - (153 * month + 2) / 5 + 1),
    };
}

static int month_days(int64_t year, int month)
{
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    if (month == 2)
        return leap ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* ---- reading ------------------------------------------------------------ */

/* The unread part of a text. Each function below consumes what it names from
 * the front, or leaves all of it and returns false. */
struct rest {
    const char *at, *end;
};

static bool take_char(struct rest *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* Exactly `n` digits, for a number from `min` to `max`. */
static bool take_digits(struct rest *r, int n, int min, int max, int *out)
{
    int v = 0, i;

    if (r->end - r->at < n)
        return false;
    for (i = 0; i < n; i++) {
        if (r->at[i] < '0' || r->at[i] > '9')
            return false;
        v = v * 10 + (r->at[i] - '0');
    }
    if (v < min || v > max)
        return false;
    r->at += n;
    *out = v;
    return true;
}

static bool take_date(struct rest *r, struct civil *c)
{
    bool minus = take_char(r, '-'), sign = minus || take_char(r, '+');
    int year, most;

    *c = (struct civil){.month = 1, .day = 1};
    if (!take_digits(r, sign ? 6 : 4, 0, 999999, &year))
        return false;
    if (minus && year == 0)
        return false; /* ECMA-262: there is one year zero */
    c->year = minus ? -year : year;
    if (!take_char(r, '-'))
        return true;
    if (!take_digits(r, 2, 1, 12, &c->month))
        return false;
    most = month_days(c->year, c->month);
    return !take_char(r, '-') || take_digits(r, 2, 1, most, &c->day);
}

/* Behind the point: milliseconds, and further digits, which are ignored. */
static bool take_fraction(struct rest *r, int *ms)
{
    int n = 0, digit;

    *ms = 0;
    for (; take_digits(r, 1, 0, 9, &digit); n++)
        if (n < 3)
            *ms = *ms * 10 + digit;
    if (!n)
        return false;
    for (; n < 3; n++)
        *ms *= 10;
    return true;
}

/* Behind the T: milliseconds of the day. */
static bool take_time(struct rest *r, int64_t *of_day)
{
    int hour, minute, second = 0, ms = 0;

    if (!take_digits(r, 2, 0, 24, &hour) || !take_char(r, ':') ||
        !take_digits(r, 2, 0, 59, &minute))
        return false;
    if (take_char(r, ':')) {
        if (!take_digits(r, 2, 0, 59, &second))
            return false;
        if (take_char(r, '.') && !take_fraction(r, &ms))
            return false;
    }
    *of_day = ((hour * 60 + minute) * 60 + second) * (int64_t)1000 + ms;
    return *of_day <= DAY_MS;
}

/* How far local time is ahead of UTC, in milliseconds; without a zone 0. */
static bool take_zone(struct rest *r, int64_t *ahead)
{
    bool minus;
    int hours, minutes;

    *ahead = 0;
    if (r->at == r->end || take_char(r, 'Z'))
        return true;
    minus = take_char(r, '-');
    if (!minus && !take_char(r, '+'))
        return false;
    if (!take_digits(r, 2, 0, 23, &hours) || !take_char(r, ':') ||
        !take_digits(r, 2, 0, 59, &minutes))
        return false;
    *ahead = (hours * 60 + minutes) * (int64_t)(minus ? -60000 : 60000);
    return true;
}

bool timestamp_parse(quire_bytes text, int64_t *ms)
{
    struct rest r = {text.data, NULL};
    int64_t of_day = 0, ahead = 0, at;
    struct civil date;

    if (!text.len)
        return false;
    r.end = r.at + text.len;
    if (!take_date(&r, &date))
        return false;
    if (take_char(&r, 'T') &&
        (!take_time(&r, &of_day) || !take_zone(&r, &ahead)))
        return false;
    at = days_of(date) * DAY_MS + of_day - ahead;
    if (r.at < r.end || at < -LIMIT_MS || at > LIMIT_MS)
        return false;
    *ms = at;
    return true;
}

/* ---- writing ------------------------------------------------------------ */

/* Write `n` digits and the character behind them; returns where to continue. */
static char *put_digits(char *at, int n, int64_t v, char then)
{
    int i;

    for (i = n; i-- > 0; v /= 10)
        at[i] = (char)('0' + v % 10);
    at[n] = then;
    return at + n + 1;
}

void timestamp_format(int64_t us, char out[TIMESTAMP_SIZE])
{
    int64_t ms = floor_div(us, 1000), days = floor_div(ms, DAY_MS);
    int64_t of_day = ms - days * DAY_MS, seconds = of_day / 1000;
    struct civil c = civil_of(days);
    bool wide = c.year < 0 || c.year > 9999;
    char *at = out;

    if (wide)
        *at++ = c.year < 0 ? '-' : '+';
    at = put_digits(at, wide ? 6 : 4, c.year < 0 ? -c.year : c.year, '-');
    at = put_digits(at, 2, c.month, '-');
    at = put_digits(at, 2, c.day, 'T');
    at = put_digits(at, 2, seconds / 3600, ':');
    at = put_digits(at, 2, seconds / 60 % 60, ':');
    at = put_digits(at, 2, seconds % 60, '.');
    at = put_digits(at, 3, of_day % 1000, 'Z');
    *at = '\0';
}
