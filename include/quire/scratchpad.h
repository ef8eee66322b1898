/*
 * quire/scratchpad.h - scratchpads: text that an agent appends to
 *
 * A pad holds the notes an agent makes for itself, under its name, or those all
 * agents of the tenant share, under "". A name is UTF-8 of at most 200 bytes.
 * Only homes of Quire's own kind have scratchpads.
 */
#ifndef QUIRE_SCRATCHPAD_H
#define QUIRE_SCRATCHPAD_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* Append text: a comment with the local time on a line of its own, the text,
 * and an empty line. *size (may be NULL) is the size of the pad in bytes.
 *
 * Owns: text is copied.
 * Fails: common
 *   QUIRE_INVALID  the text is empty or not UTF-8; the name is not valid
 *   QUIRE_QUOTA    the pad would exceed 4 MiB
 * Durable: on return. */
quire_status quire_pad_append(quire *q, const char *name, quire_bytes text,
                              uint64_t *size, quire_error *err);

/* Read a whole pad, in pieces.
 *
 * Owns: bytes are lent until `write` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  the pad is empty
 *   QUIRE_INVALID    the name is not valid
 * Durable: reads only. */
quire_status quire_pad_read(quire *q, const char *name, quire_write_fn write,
                            void *ctx, quire_error *err);

typedef struct quire_pad {
    const char *name;   /* "": the shared one       */
    uint64_t size;      /* bytes                    */
    int64_t updated_us; /* of the last append       */
} quire_pad;

typedef quire_status (*quire_pad_fn)(void *ctx, const quire_pad *pad,
                                     quire_error *err);

/* List the tenant's pads that are not empty, by name.
 *
 * Owns: *pad is lent until `each` returns.
 * Fails: common
 * Durable: reads only. */
quire_status quire_pad_list(quire *q, quire_pad_fn each, void *ctx,
                            quire_error *err);

/* Delete the content of a pad for good; an empty one is fine.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_INVALID  the name is not valid
 * Durable: on return. */
quire_status quire_pad_clear(quire *q, const char *name, quire_error *err);

QUIRE_DECLS_END

#endif
