/*
 * entry_shape.h - whether an entry has what its type needs
 *
 * Asked of entries that a caller appends, so that a mistake is found where it is
 * made. Lines that are in a file already are read as they are.
 */
#ifndef SESSION_ENTRY_SHAPE_H
#define SESSION_ENTRY_SHAPE_H

#include "session/entry_format.h"

/* QUIRE_INVALID, with a message, if a field that the type of the entry needs is
 * missing or of another kind, or if the type is unknown and one typing mistake from a
 * known one. Any other unknown type is as it should be. */
quire_status entry_shape_check(quire_bytes entry, const struct entry_fields *v,
                               quire_error *err);

#endif
