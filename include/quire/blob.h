/* quire/blob.h - bytes stored under their SHA-256 */
#ifndef QUIRE_BLOB_H
#define QUIRE_BLOB_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* The SHA-256 of a blob's bytes, which is its name. */
typedef struct quire_digest {
    uint8_t byte[32];
} quire_digest;

enum { QUIRE_REF_SIZE = 12 + 64 + 1 }; /* "blob:sha256:", hex, NUL          */

/* Write the reference "blob:sha256:<64 hex>" of a digest. */
void quire_ref_format(const quire_digest *digest, char ref[QUIRE_REF_SIZE]);

/* Read a reference: "blob:sha256:<hex>", "sha256:<hex>" or 64 hex digits, in
 * either case. QUIRE_INVALID if `text` is none of these; *out is worthless
 * then. */
quire_status quire_ref_parse(const char *text, quire_digest *out,
                             quire_error *err);

typedef struct quire_blob_info {
    quire_digest digest;
    uint64_t size;   /* bytes of content; in a list UINT64_MAX when it cannot
                        be told without unpacking                           */
    uint64_t stored; /* bytes it takes in the store, compressed             */
    int existed;     /* put: the content was there before                   */
    int in_file;     /* it has a file of its own, not a row in quire.db     */
    int64_t seen_s;  /* when it was last put or found again, Unix seconds   */
    uint64_t reserved[4]; /* zero, for later                                */
} quire_blob_info;

enum {
    /* Read a copy that is there already, whole, before trusting it, and
     * write it again if it is damaged. Without this only its size is
     * compared, which finds a file that was cut but no flipped bit. */
    QUIRE_PUT_VERIFY = 1 << 0,
};

/* Store `content` under its digest. Content that is there already is marked
 * as seen now, so that a collection running meanwhile spares it, and nothing
 * is written; a copy of the wrong size is replaced. `info` may be NULL.
 *
 * After QUIRE_OK the blob survives a power cut (inside a batch: after the
 * commit), whoever wrote it first. On failure nothing half is left behind; in
 * a packed store a complete file may be, without its row, until the content is
 * put again. */
quire_status quire_blob_put(quire *q, quire_bytes content, unsigned flags,
                            quire_blob_info *info, quire_error *err);

/* The same for a stream of any length, in constant memory. `read` is called
 * until it gives zero bytes. */
quire_status quire_blob_put_stream(quire *q, quire_read_fn read, void *ctx,
                                   unsigned flags, quire_blob_info *info,
                                   quire_error *err);

/* The same for the file open at `fd`, from its start. Content that is there
 * already costs reading and hashing, no writing. */
quire_status quire_blob_put_fd(quire *q, int fd, unsigned flags,
                               quire_blob_info *info, quire_error *err);

/* Find the digest that `text` means: any form of quire_ref_parse(), or the
 * first six or more hex digits of exactly one blob in the store.
 *
 * QUIRE_INVALID    not a reference, or several blobs begin so
 * QUIRE_NOT_FOUND  no blob begins so */
quire_status quire_blob_resolve(quire *q, const char *text, quire_digest *out,
                                quire_error *err);

/* What is known of a blob without reading its content. */
quire_status quire_blob_stat(quire *q, const quire_digest *digest,
                             quire_blob_info *info, quire_error *err);

/* The whole content, checked against its name, on loan. For blobs one is
 * willing to hold in memory: QUIRE_NO_MEMORY above 1 GiB.
 *
 * QUIRE_NOT_FOUND  no such blob
 * QUIRE_DAMAGED    what is stored is not what the name says */
quire_status quire_blob_get(quire *q, const quire_digest *digest,
                            quire_bytes *out, quire_error *err);

/* The content from byte `from` to before byte `to` (UINT64_MAX: the end), in
 * order, to `write`, in constant memory. A blob recorded as having up to 1 MiB
 * is checked before its first byte is given. A larger one read whole is checked when its
 * last byte has been given: on QUIRE_DAMAGED, throw away what came. A part of
 * a larger one is not checked against the name (a compressed one still
 * against its own structure).
 *
 * QUIRE_INVALID  `from` is past the end, or after `to` */
quire_status quire_blob_read(quire *q, const quire_digest *digest,
                             uint64_t from, uint64_t to, quire_write_fn write,
                             void *ctx, quire_error *err);

/* Each blob in the store, by ascending digest. Stops when `each` returns
 * anything but QUIRE_OK, and returns that. `each` may not write to `q`. */
typedef quire_status (*quire_blob_fn)(void *ctx, const quire_blob_info *info,
                                      quire_error *err);
quire_status quire_blob_list(quire *q, quire_blob_fn each, void *ctx,
                             quire_error *err);

QUIRE_DECLS_END

#endif
