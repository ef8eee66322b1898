/* match.h - a value as a row of units, and the match of these in a text */
#ifndef PURGE_MATCH_H
#define PURGE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

enum unit_kind {
    UNIT_PLAIN,     /* JSON need not escape it                          */
    UNIT_QUOTE,     /* " or /: escaped by a backslash                   */
    UNIT_BACKSLASH, /* each run of them is one unit                     */
    UNIT_CONTROL,
};

struct unit {
    uint32_t cp; /* UINT32_MAX: a byte that is no character */
    uint32_t at; /* of its bytes in the value                */
    uint8_t len;
    uint8_t kind;
    char letter; /* of \n and so on; 0: none */
};

struct value {
    quire_bytes bytes;  /* owned by `values` */
    struct unit *units; /* owned             */
    size_t n_units;
    size_t anchor, n_anchor; /* units of the anchor */
};

/* Split the value into units; false: out of memory. */
bool value_read_units(struct value *one);

/* The longest run of units that JSON leaves as they are; all, if there is none. */
void value_choose_anchor(struct value *one);
quire_bytes value_anchor(const struct value *one);

/* Match all units around unit `at`, which begins at `p`: the match is [*from, *to). */
bool value_match(const struct value *one, quire_bytes text, size_t at, size_t p,
                 size_t *from, size_t *to);

/* How many backslashes there are at `p`; the character that backslashes and numbers spell
 * there, and where it ends. */
size_t match_backslashes(quire_bytes text, size_t p);
bool match_escaped(quire_bytes text, size_t p, uint32_t *cp, size_t *end);

#endif
