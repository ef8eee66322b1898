/*
 * filter.h - filters of a search: kind:message, before:2026-01-01
 *
 * A filter restricts all of a search, wherever it stands in the query. Filters
 * of one key are alternatives, of different keys all required; negated ones
 * exclude.
 */
#ifndef SEARCH_FILTER_H
#define SEARCH_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "quire.h"

enum filter_key {
    FILTER_KIND, /* message thinking tool_input tool_result summary title label
                  * output artifact memory history                         */
    FILTER_ROLE, /* user assistant tool system                             */
    FILTER_TOOL,
    FILTER_PROJECT,
    FILTER_MODEL,
    FILTER_AGENT,
    FILTER_SESSION,
    FILTER_TAG,
    FILTER_IS,     /* error active archived pinned                         */
    FILTER_HAS,    /* image code link                                      */
    FILTER_BEFORE, /* earlier than time_us                                 */
    FILTER_AFTER,  /* at time_us or later                                  */
    FILTER_PATH,
};

struct search_filter {
    enum filter_key key;
    /* UTF-8 without NUL, not empty. Of KIND, ROLE, IS and HAS one of the names
     * above, in lower case. */
    quire_bytes value;
    bool negated;
    int64_t time_us; /* BEFORE, AFTER */
    struct search_filter *next;
};

/* Whether the word begins with the key of a filter and a colon, in any case.
 * *value is the offset behind the colon. `since` is AFTER, `until` BEFORE. Not
 * in agent://x and path::x. */
bool filter_find_key(quire_bytes word, enum filter_key *key, size_t *value);

/* The name of a key, as users write it. */
const char *filter_key_name(enum filter_key key);

/* Set key, value and time_us of a filter. The value is borrowed. NULL, or why
 * the value cannot be used: a static text. */
const char *filter_set(struct search_filter *f, enum filter_key key,
                       quire_bytes value, int64_t now_us);

/* A point in time as users write it, in microseconds since 1970. False: it is
 * none. Letters of either case; UTC without a zone.
 *
 *     2026-02-16, 2026-02-16T10:20:30Z, 2026-02-16 10:20, 2026-02, 2026
 *     1771237230, 1771237230000         seconds (10 digits), milliseconds (13)
 *     7d, -7d, "7 days ago"             before now: s, m or min, h, d, w, mo, y
 *     last-week, "last month"           the same as 1w, 1mo
 *     now, today, yesterday             a day begins at 00:00
 *
 * Months and years are those of the calendar: 1mo before March 31st is the last
 * day of February. */
bool search_parse_time(quire_bytes text, int64_t now_us, int64_t *us);

#endif
