/*
 * gunzip.h - the content of a gzip file that somebody else wrote, as a stream
 *
 * Of any number of members, as gzip and its like write them. codec.h is for our
 * own: one member, of a size that is known.
 */
#ifndef BLOB_GUNZIP_H
#define BLOB_GUNZIP_H

#include "store/object.h"

struct gunzip;

/* `file` is borrowed. */
quire_status gunzip_new(struct object *file, struct gunzip **out,
                        quire_error *err);
void gunzip_free(struct gunzip *g);

/* A quire_read_fn over a struct gunzip. QUIRE_DAMAGED, bare: it ends too early,
 * or is no gzip file. */
quire_status gunzip_read(void *ctx, void *buf, size_t cap, size_t *n,
                         quire_error *err);

/* How many bytes of the file were read. */
uint64_t gunzip_at(const struct gunzip *g);

#endif
