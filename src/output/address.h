/*
 * address.h - what an address means
 *
 *     artifact://3                   an output of a tool, by its number
 *     agent://0-Scout                the report of a sub-agent
 *     agent://0-Scout/items/0        a value in it, if it is JSON
 *     agent://0-Scout?q=.items[0]    the same
 *     blob:sha256:<64 hex>           bytes by their name
 *
 * An address comes from a model, and a model says anything. What is read here
 * is text alone: no file is looked at. An id that has passed is one component
 * of a path, never "." or "..", without a slash, a NUL or a control character,
 * and does not begin with a dot; so it names something in the directory it is
 * looked for in, or nothing.
 */
#ifndef OUTPUT_ADDRESS_H
#define OUTPUT_ADDRESS_H

#include <stdbool.h>

#include "base/arena.h"
#include "quire.h"

/* Eighteen nines fit in 64 bits. */
#define ADDRESS_DIGITS_MAX 18

enum address_kind { ADDRESS_ARTIFACT, ADDRESS_AGENT, ADDRESS_BLOB };

struct address {
    enum address_kind kind;
    const char *id;     /* the host, decoded; digits only of an artifact. Of a
                        blob: all that follows "blob:"                       */
    const char *nested; /* agent with a path: "A.b.c" of agent://A/b/c, the
                           report that is meant if there is one; else NULL   */
    const char *query;  /* agent: the value that is meant, as query.h reads
                           it; NULL: all of it. A path is spelled as a query */
    bool by_path;       /* `query` was a path                                */
};

/* Read an address; what it points to is in `keep`. QUIRE_INVALID, with words
 * that say what an address looks like. */
quire_status address_parse(const char *text, struct arena *keep,
                           struct address *out, quire_error *err);

/* The address of a report, or of a log, in `keep`: what the parser would take
 * for something else is percent-encoded. NULL when there is no memory. */
const char *address_spell(enum address_kind kind, const char *id,
                          struct arena *keep);

/* Whether `id` can be the name of something of ours: see above. */
bool address_id_is_safe(quire_bytes id);

#endif
