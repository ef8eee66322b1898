/*
 * gunzip.h - content of a foreign gzip file, as a stream
 *
 * Reads any number of members, as gzip writes them. codec.h reads our own
 * files: one member of known size.
 */
#ifndef BLOB_GUNZIP_H
#define BLOB_GUNZIP_H

#include "store/object.h"

struct gunzip;

/* `file` is borrowed. */
quire_status gunzip_new(struct object *file, struct gunzip **out,
                        quire_error *err);
void gunzip_free(struct gunzip *g);

/* A quire_read_fn over a struct gunzip. QUIRE_DAMAGED without a message: it is
 * truncated, or not a gzip file. */
quire_status gunzip_read(void *ctx, void *buf, size_t cap, size_t *n,
                         quire_error *err);

/* How many bytes of the file were read. */
uint64_t gunzip_at(const struct gunzip *g);

#endif
