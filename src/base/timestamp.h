/*
 * timestamp.h - points in time as text
 *
 * The text is ISO 8601 as JavaScript writes and reads it, since session files
 * hold that. No locale, no time zone files, no static state.
 */
#ifndef BASE_TIMESTAMP_H
#define BASE_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"

enum { TIMESTAMP_SIZE = 32 }; /* the longest text, its NUL, and some */

/* Read a text as Date.parse() does, in milliseconds since 1970:
 *
 *     date   YYYY, YYYY-MM, YYYY-MM-DD; a year may be +YYYYYY or -YYYYYY
 *     time   THH:MM, THH:MM:SS, THH:MM:SS.fraction; digits of the fraction
 *            past the third are dropped; T24:00:00 is the end of the day
 *     zone   Z, +HH:MM or -HH:MM, behind a time only
 *
 * A time without a zone is local time in JavaScript. Here it is UTC: a file
 * must mean the same on every machine that reads it.
 *
 * False for everything else, for the 30th of February, and beyond 100,000,000
 * days from 1970. */
bool timestamp_parse(quire_bytes text, int64_t *ms);

/* Write "2026-02-16T10:20:30.000Z", milliseconds, UTC, with a NUL. Parts of a
 * millisecond are dropped towards the past. Years outside 0000-9999 get a
 * sign and six digits. */
void timestamp_format(int64_t us, char out[TIMESTAMP_SIZE]);

#endif
