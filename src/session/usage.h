/*
 * usage.h - how much there is in a session, and what it cost
 *
 * A tally is the sum over the whole lines of a session's file: entries,
 * messages, and what the `usage` of the assistant's messages says. A file that
 * has grown is counted on from where the last count ended; one pass over the
 * new bytes, in the memory of its longest line.
 *
 *   - The header, and a title slot before it, are no entries. What holds no
 *     object is passed over, and so is an assistant's message that is damaged.
 *     Of other lines it is believed that they are what they begin like, as when
 *     a session is opened, unless there is a line in the file that is no value:
 *     then everything is looked at closely.
 *   - A last line without its line break is not counted yet.
 *   - An id that is there twice is two entries: both were written, and paid for.
 *   - Tokens and money are numbers, however spelled (1e3, 12.0). A string, a
 *     negative number, anything else counts as nothing. Sums stop at the
 *     largest number there is.
 *   - `totalTokens` that is not there is the sum of the four; `cost.total` that
 *     is not there likewise. A `cost` that is a number is the total.
 */
#ifndef SESSION_USAGE_H
#define SESSION_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"
#include "store/object.h"

/* The table of what was counted, for the schema of quire.db. */

/* So many bytes before the place where a count ended tell whether that place is
 * still what it was: they hold the time of a message, or its id. */
enum { SESSION_USAGE_TAIL = 64 };

struct session_usage {
    uint64_t entries, messages;
    uint64_t input, output, cache_read, cache_write, total; /* tokens       */
    uint64_t cost; /* billionths of a dollar                                */

    bool damaged;     /* there is a line that is no value                   */
    uint64_t scanned; /* where to go on; 0: at the beginning, from nothing  */
    unsigned char
        tail[SESSION_USAGE_TAIL]; /* what is before that                  */
    uint32_t tail_len;
};

/* Count what `file` has behind t->scanned, if the tail is still before that;
 * else all of it. A tally of zeros is one of nothing. After a failure *t is what
 * it was. */
quire_status session_usage_read(struct object *file, struct session_usage *t,
                                quire_error *err);

/* The number as a multiple of 10 to the minus `places`, rounded to the nearest,
 * without a detour through binary fractions. 0 for what is no number or below
 * zero; INT64_MAX for what is too large. */
uint64_t session_usage_number(quire_bytes json, int places);

#endif
