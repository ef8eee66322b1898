/*
 * s3_calls.h - what is asked of an S3 store: objects and lists
 *
 * Keys are whole: the prefix of a store is in them already. Statuses are those
 * of s3_client.h.
 */
#ifndef STORE_S3_CALLS_H
#define STORE_S3_CALLS_H

#include "store/s3_client.h"

/* Store an object in one request, durably on return; the store compares what
 * arrives with its SHA-256, which is kept with the object. */
quire_status s3_put(struct s3_client *s, const char *key,
                    const struct s3_body *body, quire_error *err);

/* Size and time. A negative size or time in `out` is an error of the store. */
quire_status s3_head(struct s3_client *s, const char *key,
                     struct s3_response *out, quire_error *err);

/* Bytes from `from` on, as many as the ceiling of `into` allows, which is above
 * zero; fewer only at the end. They replace what was in it, also on failure.
 * out->total is the size of the object. */
quire_status s3_get(struct s3_client *s, const char *key, uint64_t from,
                    struct buf *into, struct s3_response *out,
                    quire_error *err);

/* Absent is success. */
quire_status s3_delete(struct s3_client *s, const char *key, quire_error *err);

/* A page of the keys that begin with `prefix`, in ascending order; `token` is
 * that of the page before, or NULL. */
quire_status s3_list(struct s3_client *s, const char *prefix, const char *token,
                     struct arena *keep, struct s3_page *out, quire_error *err);

#endif
