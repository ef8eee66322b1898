/*
 * s3_answers.h - what the documents say that S3 answers with
 *
 * They come from outside: sizes, times and names are checked, and what is not
 * such a document is refused.
 */
#ifndef STORE_S3_ANSWERS_H
#define STORE_S3_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum {
    S3_PAGE_MAX = 1000, /* keys of a page of a list */
    S3_KEY_MAX = 1024,  /* bytes of a key */
    S3_CODE_SIZE = 64,  /* of an error, such as "NoSuchKey" */
};

struct s3_listed {
    struct s3_listed *next;
    const char *key;
    uint64_t size;
    int64_t modified_ms;
};

/* A page of ListObjectsV2, in the order of the answer. */
struct s3_page {
    struct s3_listed *first;
    size_t n;
    const char *next; /* the token of the next page; NULL: this is the last */
};

/* Memory is from `keep`. False: not such an answer, or out of memory. */
bool s3_read_page(quire_bytes xml, struct arena *keep, struct s3_page *out);

/* The id of a multipart upload; NULL as above. */
const char *s3_read_upload_id(quire_bytes xml, struct arena *keep);

/* Whether an upload was completed: the status 200 does not say so. */
bool s3_read_completed(quire_bytes xml);

/* The code of an error: letters, digits and dots; "" without one. What else the
 * document says may repeat what was signed, and is left out. */
void s3_read_error(quire_bytes xml, char code[S3_CODE_SIZE]);

#endif
