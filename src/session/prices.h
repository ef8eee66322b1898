/*
 * prices.h - what tokens cost, by model
 *
 * A price table gives the dollars of a million tokens: input, output, read from a
 * cache, written to one. It computes the cost of answers for which the agent has
 * recorded none. The built-in table has list prices, each with the month in which it
 * was known; a file of the user's comes before it.
 *
 *   - A model is priced by the longest name that it begins with; a name that ends in
 *     "$" is the whole model. Of equal names that of the file counts. Names of
 *     gateways are skipped: "anthropic/", "us.anthropic.", "models/".
 *   - Better none than a wrong one: versions that were not known when the table was made
 *     do not begin with a name of it.
 *   - Numbers are integers: millionths of a dollar for a million tokens. Sums saturate.
 *   - Prices of long contexts, of batches and of regions are not known here.
 */
#ifndef SESSION_PRICES_H
#define SESSION_PRICES_H

#include "base/arena.h"
#include "quire.h"
#include "session/activity.h"

struct price {
    const char *model;
    uint64_t micro[N_TOKENS]; /* dollars of a million tokens, in millionths */
    const char *date;         /* "2025-11"; ""                              */
};

/* A table of the user's. */
struct prices {
    struct price *list;
    size_t n;
};

enum { PRICES_MAX = 10000, PRICES_BYTES_MAX = 4 << 20 };

/* Read {"prices":[{"model":…,"input":…,"output":…,"cache_read":…,"cache_write":…,
 * "date":…}]}; text is in `keep`. Without a price for a cache it is that of input.
 *
 * QUIRE_INVALID  it is not such a table; the message says where */
quire_status prices_read(quire_bytes json, struct arena *keep,
                         struct prices *out, quire_error *err);

/* The price of a model; NULL: unknown. `own` is a table of the user's. */
const struct price *prices_find(const struct prices *own, const char *model);

/* Of so many tokens, in billionths of a dollar. */
uint64_t price_nano(const struct price *p, const uint64_t tokens[N_TOKENS]);

/* The built-in table, sorted by nothing, ended by a NULL model. */
extern const struct price prices_known[];

#endif
