/*
 * fields.h - the members of an object, by a table of names
 *
 * One pass: what a format knows goes to its slot, what it does not know is
 * listed. A member that is an object itself can be read in the same pass.
 */
#ifndef IMPORT_FIELDS_H
#define IMPORT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "quire.h"

struct field_name {
    const char *name;
    size_t len;
};

/* clang-format off */
#define FIELD(literal) {(literal), sizeof(literal) - 1}
/* clang-format on */

enum { FIELDS_UNKNOWN = 16 };

struct fields {
    const struct field_name *names;
    size_t n;
    quire_bytes *of;      /* n slots; .data NULL: absent. Of a repeated member
                            the last counts                                 */
    size_t nested;        /* this member is read into `inner`, if an object  */
    struct fields *inner; /* NULL: no member is                             */
    quire_bytes unknown[FIELDS_UNKNOWN]; /* keys: JSON strings              */
    size_t n_unknown;
    quire_bytes whole; /* after reading: the object */
};

/* Read the object that has just been opened, to its end. False: damaged. */
bool fields_read(struct json_scan *s, struct fields *f);

/* Read a text that is one object. False, with *bad, if it is not. */
bool fields_parse(quire_bytes text, struct fields *f, struct json_error *bad);

/* Copy the members of `object`, a valid one, whose keys are not in the list, in
 * braces. */
struct buf;
void fields_copy_others(quire_bytes object, const struct field_name *names,
                        size_t n, struct buf *out);

#endif
