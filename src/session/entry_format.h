/*
 * entry_format.h - read an entry, write it as a line
 *
 * The caller passes a JSON object with a type. A line has type, id, parentId
 * and timestamp in front, in this order, because readers that look for them can
 * stop there; the members given follow, byte for byte.
 */
#ifndef SESSION_ENTRY_FORMAT_H
#define SESSION_ENTRY_FORMAT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"

/* Fields of an entry. Slices are JSON values in the entry. */
struct entry_fields {
    quire_bytes type, id, parent, timestamp; /* .data NULL: not given       */
    quire_bytes message; /* an object                                       */
    quire_bytes role;    /* of the message                                  */
    bool plain; /* `type` comes first, and the other three are absent */
    bool refs;  /* a string in it is a reference to a blob                */
    bool heavy; /* may need persist_entry(): persist.h */
};

/* QUIRE_INVALID, with a message, if it is not an object or has no type. */
quire_status entry_fields_read(quire_bytes entry, struct entry_fields *v,
                               quire_error *err);

/* The fields to fill in: JSON values; `op` may be empty. */
struct entry_defaults {
    quire_bytes id, parent, timestamp, op;
};

/* Add the entry as a line, without its break. *body is where the value of
 * `message` begins in what was added, 0 if it is not the last member. */
void entry_format_line(quire_bytes entry, const struct entry_fields *v,
                       const struct entry_defaults *f, struct buf *out,
                       size_t *body);

#endif
