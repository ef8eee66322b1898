/*
 * prices.h - the price table of a home
 */
#ifndef API_PRICES_H
#define API_PRICES_H

#include "quire.h"
#include "session/prices.h"

/* The table that the setting prices.file names; empty without one. Text is in
 * `keep`.
 *
 * QUIRE_INVALID  the file cannot be read, or is no such table */
quire_status prices_load(struct quire *q, struct arena *keep,
                         struct prices *out, quire_error *err);

/* What an hour cost: *micro as reported, *computed from the table for answers without
 * a cost, and *unpriced tokens of those whose model has no price. In micro-dollars. */
struct hour_cost {
    uint64_t reported, computed, unpriced;
};
struct hour_cost prices_apply(const struct prices *own,
                              const struct activity_hour *h, const char *model);

/* "reported", "computed" (some of it at least), "partial" (some tokens have no
 * price), "unknown". */
const char *prices_source(uint64_t cost, uint64_t computed, uint64_t unpriced);

#endif
