/*
 * usage.h - entry counts, tokens and cost of a session
 *
 * A tally is the sum over the complete lines of a session's file: entries,
 * messages, and the `usage` of the assistant's messages. A file that has grown
 * is counted on from where the last count ended; one pass over the new bytes,
 * in the memory of its longest line.
 *
 *   - The header, and a title slot before it, do not count as entries. Lines
 *     without an object are skipped, and so is an assistant's message that is
 *     damaged. Other lines get a quick scan, as when a session is opened,
 *     unless a line in the file is not a value: then everything is parsed in
 *     full.
 *   - A last line without its line break is not counted yet.
 *   - A repeated id is two entries: both were written, and paid for.
 *   - Tokens and money are numbers, however spelled (1e3, 12.0). A string, a
 *     negative number, anything else counts as zero. Sums saturate.
 *   - A missing `totalTokens` is the sum of the four; a missing `cost.total`
 *     likewise. A `cost` that is a number is the total.
 */
#ifndef SESSION_USAGE_H
#define SESSION_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"
#include "store/log.h"

/* The bytes before the place where a count ended, to detect whether the file
 * has changed there: they hold the time of a message, or its id. */
enum { SESSION_USAGE_TAIL = 64 };

struct session_usage {
    uint64_t entries, messages;
    uint64_t input, output, cache_read, cache_write, total; /* tokens       */
    uint64_t cost; /* billionths of a dollar                                */

    bool damaged;     /* a line is not a value */
    uint64_t scanned; /* where to continue; 0: at the beginning, from nothing */
    unsigned char tail[SESSION_USAGE_TAIL]; /* the bytes before that */
    uint32_t tail_len;
};

/* Sees what is counted. `restart`: all of the file is counted again, what was seen so
 * far does not count. */
struct session_usage_observer {
    void (*restart)(void *ctx);
    void (*header)(void *ctx, quire_bytes line);
    void (*entry)(void *ctx, quire_bytes line);
    void *ctx;
};

/* Count what `file` has behind t->scanned, if the tail still precedes it; else
 * all of it. Start with a tally of zeros. After a failure *t is unchanged.
 * `observer` may be NULL. */
quire_status session_usage_read(struct log *file, struct session_usage *t,
                                const struct session_usage_observer *observer,
                                quire_error *err);

/* The number as a multiple of 10 to the minus `places`, rounded to the nearest,
 * without binary fractions. 0 for anything but a positive number; INT64_MAX for
 * what is too large. */
uint64_t session_usage_number(quire_bytes json, int places);

#endif
