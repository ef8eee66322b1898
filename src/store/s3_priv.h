/* s3_priv.h - shared by the files of the S3 backend */
#ifndef STORE_S3_PRIV_H
#define STORE_S3_PRIV_H

#include "store/s3.h"

/* A name published in the open batch. */
struct s3_published {
    struct s3_published *next;
    char key[];
};

struct s3_store {
    struct object_store base;
    struct s3_client *client;
    char *spool;
    bool batch;
    struct s3_published *published; /* newest first */
};

/* ---- s3_key.c -------------------------------------------------------------- */

/* The key of a name, to be freed. QUIRE_INVALID: it is too long. */
quire_status s3_key_of(const struct s3_store *s, const char *name, char **out,
                       quire_error *err);

/* The bytes of a key before the name. */
size_t s3_prefix_len(const struct s3_store *s);

/* Others may keep what they like in the bucket. What a store never names, such
 * as the "directories" that some programs make, is none of its objects. */
bool s3_is_name(const char *name);

/* ---- s3_object.c: reading --------------------------------------------------- */

/* The caller sets the operations of what it gets. */
quire_status s3_object_open(struct s3_store *s, const char *name,
                            struct object **out, struct object_info *info,
                            quire_error *err);
quire_status s3_object_read(struct object *o, uint64_t offset, void *buf,
                            size_t cap, size_t *n, quire_error *err);
void s3_object_close(struct object *o);

/* What stat and open report. */
void s3_fill_info(const struct s3_response *a, int64_t size,
                  struct object_info *info);

/* ---- s3_draft.c: writing ---------------------------------------------------- */

quire_status s3_draft_create(struct s3_store *s, struct draft **out,
                             quire_error *err);
quire_status s3_draft_write(struct draft *d, quire_bytes bytes,
                            quire_error *err);
quire_status s3_draft_publish(struct draft *d, const char *name, bool replace,
                              quire_error *err);
void s3_draft_discard(struct draft *d);

#endif
