/*
 * quire/du.h - what uses the space of a home
 */
#ifndef QUIRE_DU_H
#define QUIRE_DU_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A part of the home. Bytes are those that the file system has allocated, for files and
 * directories, hard links once: the parts add up to what `du` says of the home. Text is
 * "" where it is not known. */
typedef struct quire_du_row {
    const char *kind; /* "session": its file, outputs, originals of a repair and
                          workspace; "trash": the same of one in the trash;
                          "workspace": of a built-in session; "blobs",
                          "catalogue", "search", "history", "reserve",
                          "other"                                            */
    const char *name; /* of a session its id; else a path below the home    */
    uint64_t bytes;
    uint64_t
        reclaimable_bytes; /* what is free afterwards: of a session, unless it
                                   is held, when it is removed for good; of blobs
                                   by a collection now; of the catalogue the
                                   pages without content                      */
    int64_t modified_us;   /* the last change of a file of it            */
    uint64_t reserved[4];
} quire_du_row;

typedef quire_status (*quire_du_fn)(void *ctx, const quire_du_row *row,
                                    quire_error *err);

/* Measure the home of all tenants, a row for each part, in no order. Nothing is
 * locked: what changes meanwhile is counted as it was or as it is.
 *
 * Owns: *row is lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID  the handle is not the default tenant's
 * Durable: reads only. */
quire_status quire_du(quire *q, quire_du_fn each, void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
