/* opencode.h - a message of opencode as its rows have it */
#ifndef IMPORT_OPENCODE_H
#define IMPORT_OPENCODE_H

#include "import/calls.h"
#include "import/priv.h"
#include "import/short_json.h"

struct opencode {
    struct calls calls;
    struct short_json
        revert; /* the message that was taken back, and all behind */
    struct short_json
        kept_from;        /* of the compaction under way                     */
    uint32_t before;      /* node before that message                        */
    uint8_t reverted;     /* it has come                                     */
    uint32_t n_parts;     /* entries that the record has by its place        */
    struct arena scratch; /* of the record                                   */
};

/* What a part says, and its members that most kinds have. */
struct part {
    quire_bytes data, type, text;
};

struct message {
    quire_bytes id, info;
    struct part *parts;
    size_t n;
};

static inline struct opencode *opencode_of(const struct import_converter *c)
{
    return c->state;
}

/* An object: the value, or the text in a string. Absent: it is neither. */
quire_status opencode_object(struct import_converter *c, quire_bytes value,
                             quire_bytes *out, quire_error *err);

/* What a row says: its column `data`, or, of an export, itself. */
quire_status opencode_row(struct import_converter *c, quire_bytes row,
                          quire_bytes *out, quire_error *err);

/* The parts of a message, in the scratch of the record; those that are not JSON are
 * reported. */
quire_status opencode_parts(struct import_converter *c, quire_bytes list,
                            struct message *m, quire_error *err);

/* Line breaks between the tokens of what a file says become blanks: an entry is on
 * one line. Absent: no memory. */
quire_bytes opencode_one_line(struct import_converter *c, quire_bytes json);

#endif
