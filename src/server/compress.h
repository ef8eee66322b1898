/*
 * compress.h - gzip of answers, for clients that accept it
 *
 * For answers that leave at once: the fastest level that still halves JSON (isa-l,
 * level 1). Stored content is compressed by blob/codec.h.
 */
#ifndef SERVER_COMPRESS_H
#define SERVER_COMPRESS_H

#include <stdbool.h>

#include "base/buf.h"
#include "quire.h"

struct request;

/* Buffers of a compressor, some hundred KiB, reused by one thread at a time. */
struct gzip;

struct gzip *gzip_new(void); /* NULL: no memory */
void gzip_free(struct gzip *g);

/* Append one gzip member with all of `plain` to `out`. False, and `out` unchanged:
 * it would not be shorter, or there is no memory. */
bool gzip_pack(struct gzip *g, quire_bytes plain, struct buf *out);

/* Whether an Accept-Encoding header prefers gzip to identity. */
bool compress_wants_gzip(quire_bytes header);

/* Compress the body if that is worth it and accepted. True: the answer varies with
 * Accept-Encoding. */
bool compress_response(struct request *c);

#endif
