/*
 * address.h - parse addresses of outputs
 *
 *     artifact://3                   an output of a tool, by its number
 *     agent://0-Scout                the report of a sub-agent
 *     agent://0-Scout/items/0        a value in it, if it is JSON
 *     agent://0-Scout?q=.items[0]    the same
 *     blob:sha256:<64 hex>           bytes by their name
 *
 * An address comes from a model and is untrusted. Parsing accesses no file. A
 * valid id is one component of a path, never "." or "..", without a slash, a
 * NUL or a control character, and does not begin with a dot; so it can name
 * only something in the directory it is looked up in.
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
                         * blob: all behind "blob:" */
    const char *nested; /* agent with a path: "A.b.c" of agent://A/b/c, the
                         * report to return if it exists; else NULL */
    const char *query;  /* agent: the value to return, as query.h reads it;
                         * NULL: all of it. A path is spelled as a query */
    bool by_path;       /* `query` was a path                                */
};

/* Parse an address; its parts are in `keep`. QUIRE_INVALID, with a message that
 * shows what an address looks like. */
quire_status address_parse(const char *text, struct arena *keep,
                           struct address *out, quire_error *err);

/* The address of a report, or of a log, in `keep`: special characters are
 * percent-encoded. NULL when out of memory. */
const char *address_spell(enum address_kind kind, const char *id,
                          struct arena *keep);

/* Whether `id` is valid: see above. */
bool address_id_is_safe(quire_bytes id);

#endif
