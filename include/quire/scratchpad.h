/* quire/scratchpad.h - text an agent appends to */
#ifndef QUIRE_SCRATCHPAD_H
#define QUIRE_SCRATCHPAD_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * A scratchpad is text that only grows: the notes an agent makes for itself,
 * under its name, or those that all agents of the tenant share, under "". A
 * name is UTF-8 of at most 200 bytes. Homes of Quire's own kind have them.
 */

/* Add text, UTF-8, at the end: a comment with the local time on a line of its
 * own, the text, and an empty line. *size (may be NULL) is what the pad has
 * then, in bytes. Lasting when it returns QUIRE_OK; else nothing has changed.
 *
 * QUIRE_INVALID  there is no text, or it is not UTF-8; the name cannot be
 * QUIRE_QUOTA    the pad would have more than 4 MiB */
quire_status quire_pad_append(quire *q, const char *name, quire_bytes text,
                              uint64_t *size, quire_error *err);

/* All of it, in pieces, from the beginning. QUIRE_NOT_FOUND: nothing was ever
 * added, or it was cleared. */
quire_status quire_pad_read(quire *q, const char *name, quire_write_fn write,
                            void *ctx, quire_error *err);

typedef struct quire_pad {
    const char *name;   /* "": the one that all share     */
    uint64_t size;      /* bytes                          */
    int64_t updated_us; /* when something was last added  */
} quire_pad;

typedef quire_status (*quire_pad_fn)(void *ctx, const quire_pad *pad,
                                     quire_error *err);

/* Each scratchpad of the tenant that has something in it, by name. What `each`
 * is given is good until it returns. */
quire_status quire_pad_list(quire *q, quire_pad_fn each, void *ctx,
                            quire_error *err);

/* Delete all of it, for good. One that is not there is as good. */
quire_status quire_pad_clear(quire *q, const char *name, quire_error *err);

QUIRE_DECLS_END

#endif
