/*
 * s3_upload.h - store an object of any size: one request, or parts
 *
 * Parts (multipart upload) are sent at once, over several connections; the
 * object appears when all have arrived. After a failure the parts are removed;
 * those of a process that was killed stay, invisible, until a rule of the
 * bucket removes them.
 */
#ifndef STORE_S3_UPLOAD_H
#define STORE_S3_UPLOAD_H

#include "store/s3_client.h"

/* What is larger is sent in parts. */
#define S3_WHOLE_MAX  ((uint64_t)16 << 20)
#define S3_PART_BYTES ((uint64_t)8 << 20)
#define S3_SIZE_MAX   ((uint64_t)5 << 40)

/* Durable on return; the SHA-256 of the body is kept with the object.
 * QUIRE_TOO_LARGE: above S3_SIZE_MAX; else the statuses of s3_client.h. */
quire_status s3_upload(struct s3_client *s, const char *key,
                       const struct s3_body *body, quire_error *err);

#endif
