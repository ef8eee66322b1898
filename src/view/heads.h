/*
 * heads.h - the heads of a session in columns
 *
 * An object of rows repeats its keys; columns of numbers are small and compress well:
 * 40,000 entries in some 60 bytes each.
 */
#ifndef VIEW_HEADS_H
#define VIEW_HEADS_H

#include "base/json.h"
#include "quire.h"

/* Write the members: "generation", "from", "n", "leaf", the lists of names that
 * columns refer to by index, and the columns. */
quire_status view_heads(quire_session *s, size_t from, struct json_writer *w,
                        quire_error *err);

#endif
