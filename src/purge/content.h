/*
 * content.h - find values in the bytes of a file or a blob, and mask them
 *
 * Bytes that gzip or zstd has compressed are searched as they are and decompressed. A value
 * that is found only inside cannot be masked in place: the content is replaced as a whole,
 * by as many bytes that say so.
 */
#ifndef PURGE_CONTENT_H
#define PURGE_CONTENT_H

#include <zlib.h>

#include "purge/mask.h"

struct content {
    const struct values *values;
    struct masker bytes;  /* as they are                                     */
    struct masker inside; /* decompressed                                    */
    int form;             /* of the compression; see content.c               */
    char head[4];         /* the first bytes, until the form is known        */
    size_t n_head;
    z_stream z;
    struct buf out; /* a piece of what is inside */
    int fd;         /* zstd: all of it, in memory; -1: none */
};

/* `write` is as for masker_init(). */
void content_init(struct content *c, const struct values *values,
                  quire_write_fn write, void *ctx);
void content_release(struct content *c);

/* A quire_write_fn over a struct content. Then content_end(): *found, and *whole if it has
 * to be replaced as a whole. */
quire_status content_add(void *c, quire_bytes bytes, quire_error *err);
quire_status content_end(struct content *c, struct mask_counts *found,
                         bool *whole, quire_error *err);

/* Write `size` bytes that take the place of content. */
quire_status content_replace(uint64_t size, quire_write_fn write, void *ctx,
                             quire_error *err);

#endif
