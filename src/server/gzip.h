/*
 * gzip.h - bytes made shorter for whoever asked for gzip
 *
 * For answers that leave at once: the fastest manner there is that still halves
 * JSON (isa-l, level 1). What is to be kept is packed by blob/codec.h, which
 * promises more of its bytes.
 */
#ifndef SERVER_GZIP_H
#define SERVER_GZIP_H

#include <stdbool.h>

#include "base/buf.h"
#include "quire.h"

/* What packing needs, some hundred KiB, to be used again and again by one thread
 * at a time. */
struct gzip;

struct gzip *gzip_new(void); /* NULL: no memory */
void gzip_free(struct gzip *g);

/* Add one gzip member with all of `plain` to `out`. False, and `out` as it was:
 * it would not be shorter, or there is no memory. */
bool gzip_pack(struct gzip *g, quire_bytes plain, struct buf *out);

#endif
