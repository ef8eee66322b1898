/*
 * ref_scan.h - the blobs that a text speaks of
 *
 * A collection has to know what sessions and conversations refer to, in files
 * that others wrote, that may be damaged, cut off, or of a later form. So it
 * does not parse them. Wherever these stand, a blob is mentioned:
 *
 *     blob:sha256:<64 hex digits>      as sessions write it
 *     "<64 hex digits>"                a string that is a digest, as in
 *                                      {"$blob": "…"}
 *
 * in capitals or not, with characters spelled as \u00.. or not, in a sound line
 * or a torn one. What is mentioned too much is a blob kept too long; what a
 * reader of the format would find is always among it.
 */
#ifndef GC_REF_SCAN_H
#define GC_REF_SCAN_H

#include "quire.h"
#include "store/object.h"

/* `at` is where the digest begins. Any other status than QUIRE_OK ends the
 * search and is returned. */
typedef quire_status (*mention_fn)(void *ctx, const quire_digest *digest,
                                   uint64_t at, quire_error *err);

/* No mention is longer than this: a search that goes on where another ended
 * begins so many bytes before. */
enum { MENTION_BYTES = 512 };

/* Every mention in `text`, as often as it occurs, in order. */
quire_status ref_scan_text(quire_bytes text, mention_fn each, void *ctx,
                           quire_error *err);

/* Every mention in an object from byte `from` to its end, which is *end.
 * Those that cross `from` are found too. `buf` has MENTION_PIECE bytes. */
enum { MENTION_PIECE = 256 * 1024 };
quire_status ref_scan_object(struct object *file, uint64_t from, char *buf,
                             mention_fn each, void *ctx, uint64_t *end,
                             quire_error *err);

/* The same in a stream, whose first byte is byte `base`. */
quire_status ref_scan_stream(quire_read_fn read, void *read_ctx, uint64_t base,
                             char *buf, mention_fn each, void *ctx,
                             uint64_t *end, quire_error *err);

#endif
