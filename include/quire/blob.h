/*
 * quire/blob.h - immutable bytes, stored once under their SHA-256
 *
 * Content is stored once for all tenants. A tenant reads only blobs that it
 * has stored itself, alone, in artifacts or as images of sessions; for others
 * every call returns QUIRE_NOT_FOUND. The default tenant reads all blobs, and
 * it alone lists them. quire_blob_check() is in quire/check.h, pins are in
 * quire/gc.h.
 */
#ifndef QUIRE_BLOB_H
#define QUIRE_BLOB_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* The SHA-256 of a blob's bytes, which is its name. */
typedef struct quire_digest {
    uint8_t byte[32];
} quire_digest;

enum { QUIRE_REF_SIZE = 12 + 64 + 1 }; /* "blob:sha256:", hex, NUL          */

/* Write the reference "blob:sha256:<64 hex>" of a digest.
 *
 * Owns: `ref` is the caller's.
 * Fails: never.
 * Durable: reads only. */
void quire_ref_format(const quire_digest *digest, char ref[QUIRE_REF_SIZE]);

/* Parse a reference: "blob:sha256:<hex>", "sha256:<hex>" or 64 hex digits, in
 * either case.
 *
 * Owns: *out is the caller's.
 * Fails:
 *   QUIRE_INVALID  not a reference; *out is undefined
 * Durable: reads only. */
quire_status quire_ref_parse(const char *text, quire_digest *out,
                             quire_error *err);

typedef struct quire_blob_info {
    quire_digest digest;
    uint64_t size;   /* bytes of content; in a list UINT64_MAX when only
                        unpacking would reveal it                           */
    uint64_t stored; /* bytes it takes in the store, compressed             */
    int existed;     /* put: the tenant had this content before             */
    int in_file;     /* it has a file of its own, not a row in quire.db     */
    int64_t seen_s;  /* when it was last put, Unix seconds                  */
    uint64_t reserved[4]; /* zero                                           */
} quire_blob_info;

enum {
    /* Read an existing copy whole before trusting it, and replace it if it is
     * damaged. Without this its size and first bytes are compared, which finds
     * a truncated file but not a flipped bit. */
    QUIRE_PUT_VERIFY = 1 << 0,

    /* The caller gives up its own copy: the same, but a copy that this handle
     * has verified or written is not read again. */
    QUIRE_PUT_MOVE = 1 << 1,
};

/* Store content under its digest: from memory, from a stream of any length in
 * constant memory, or from the start of the file open at `fd`. Content that
 * exists already is not written again but marked as seen now, which keeps a
 * concurrent collection from removing it; a copy of the wrong size, or one that
 * this handle has found damaged, is replaced.
 * `info` may be NULL.
 *
 * Owns: content is copied; `fd` stays open, at its offset.
 * Fails: common. No partial blob remains; in a packed store a complete file may
 *   remain without its row, until the content is put again.
 *   any status  what `read` returned
 * Durable: on return, also when another process wrote the content first; inside
 *   a transaction when that ends. */
quire_status quire_blob_put(quire *q, quire_bytes content, unsigned flags,
                            quire_blob_info *info, quire_error *err);
quire_status quire_blob_put_stream(quire *q, quire_read_fn read, void *ctx,
                                   unsigned flags, quire_blob_info *info,
                                   quire_error *err);
quire_status quire_blob_put_fd(quire *q, int fd, unsigned flags,
                               quire_blob_info *info, quire_error *err);

/* Find the digest that `text` means: any form of quire_ref_parse(), or the
 * first six or more hex digits of exactly one blob in the store. A whole
 * digest is not looked up.
 *
 * Owns: *out is the caller's.
 * Fails: common
 *   QUIRE_INVALID    not a reference; several blobs begin so; a prefix, and
 *                    the handle is not the default tenant's
 *   QUIRE_NOT_FOUND  no blob begins so
 * Durable: reads only. */
quire_status quire_blob_resolve(quire *q, const char *text, quire_digest *out,
                                quire_error *err);

/* Describe a blob without reading its content.
 *
 * Owns: *info is the caller's.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such blob
 * Durable: reads only. */
quire_status quire_blob_stat(quire *q, const quire_digest *digest,
                             quire_blob_info *info, quire_error *err);

/* Return the path of the file that a blob has if `in_file` is set.
 *
 * Owns: *path is lent until the next call with `q`.
 * Fails: common
 * Durable: reads only. */
quire_status quire_blob_path(quire *q, const quire_digest *digest,
                             const char **path, quire_error *err);

/* Return the whole content, verified against its digest.
 *
 * Owns: *out is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such blob
 *   QUIRE_DAMAGED    the stored bytes do not match the digest
 *   QUIRE_NO_MEMORY  more than 1 GiB: read it as a stream
 * Durable: reads only. */
quire_status quire_blob_get(quire *q, const quire_digest *digest,
                            quire_bytes *out, quire_error *err);

/* Stream the content from byte `from` to before byte `to` (UINT64_MAX: the
 * end) to `write`, in order and in constant memory. A blob of up to 1 MiB is
 * verified before its first byte is passed on. A larger one read whole is
 * verified after its last byte: on QUIRE_DAMAGED discard what came. A part of
 * a larger one is not verified against the digest, only against its
 * compression format.
 *
 * Owns: bytes are lent until `write` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such blob
 *   QUIRE_INVALID    `from` is past the end, or after `to`
 *   QUIRE_DAMAGED    the stored bytes do not match the digest
 * Durable: reads only. */
quire_status quire_blob_read(quire *q, const quire_digest *digest,
                             uint64_t from, uint64_t to, quire_write_fn write,
                             void *ctx, quire_error *err);

typedef quire_status (*quire_blob_fn)(void *ctx, const quire_blob_info *info,
                                      quire_error *err);

/* List every blob by ascending digest.
 *
 * Owns: *info is lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID  the handle is not the default tenant's
 * Durable: reads only. */
quire_status quire_blob_list(quire *q, quire_blob_fn each, void *ctx,
                             quire_error *err);

QUIRE_DECLS_END

#endif
