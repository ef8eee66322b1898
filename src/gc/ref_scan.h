/*
 * ref_scan.h - find references to blobs in any text
 *
 * A collection has to find the references of sessions and conversations in
 * files of other programs, that may be damaged, cut off, or of a later format.
 * So it does not parse them. Each of these is a reference, wherever it is:
 *
 *     blob:sha256:<64 hex digits>      as sessions write it
 *     "<64 hex digits>"                a string that is a digest, as in
 *                                      {"$blob": "…"}
 *
 * in capitals or not, with characters spelled as \u00.. or not, in an intact
 * line or a torn one. A false reference keeps a blob too long; every reference
 * that a parser of the format would find is found.
 */
#ifndef GC_REF_SCAN_H
#define GC_REF_SCAN_H

#include "quire.h"
#include "store/object.h"

/* `at` is where the digest begins. Any other status than QUIRE_OK ends the
 * search and is returned. */
typedef quire_status (*ref_scan_fn)(void *ctx, const quire_digest *digest,
                                    uint64_t at, quire_error *err);

/* No reference is longer than this: a search that continues another begins so
 * many bytes earlier. */
enum { REF_BYTES_MAX = 512 };

/* Every reference in `text`, as often as it occurs, in order. */
quire_status ref_scan_text(quire_bytes text, ref_scan_fn each, void *ctx,
                           quire_error *err);

/* Every reference in an object from byte `from` to its end, which is *end.
 * Those that cross `from` are found too. `buf` has REF_SCAN_PIECE bytes. */
enum { REF_SCAN_PIECE = 256 * 1024 };
quire_status ref_scan_object(struct object *file, uint64_t from, char *buf,
                             ref_scan_fn each, void *ctx, uint64_t *end,
                             quire_error *err);

/* The same in a stream that begins at byte `base`. */
quire_status ref_scan_stream(quire_read_fn read, void *read_ctx, uint64_t base,
                             char *buf, ref_scan_fn each, void *ctx,
                             uint64_t *end, quire_error *err);

#endif
