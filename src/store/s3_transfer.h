/*
 * s3_transfer.h - one HTTP exchange with an S3 server, signed, over libcurl
 *
 * No pool and no repetition: see s3_client.h.
 */
#ifndef STORE_S3_TRANSFER_H
#define STORE_S3_TRANSFER_H

#include "store/libcurl.h"
#include "store/s3_answers.h"
#include "store/s3_config.h"
#include "store/sigv4.h"

/* Without a byte: the SHA-256 of nothing. */
#define S3_EMPTY_SHA256 \
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

enum { S3_QUERY_MAX = 6, S3_ETAG_SIZE = 160 };

/* What is sent: bytes, or a part of a file. */
struct s3_body {
    quire_bytes bytes;
    int fd; /* only with from_file; read at `offset`, its position stays */
    bool from_file;
    uint64_t offset, len; /* of the part; `len` also for bytes */
    const char *sha256;   /* in hexadecimal */
};

struct s3_request {
    const char *method;
    const char *key; /* NULL: the bucket itself */
    struct sigv4_pair query[S3_QUERY_MAX];
    size_t n_query;
    const struct s3_body *body; /* NULL: none */
    const char *content_sha256; /* kept with the object; NULL: nothing */

    /* GET: which bytes; range_len 0: all. */
    uint64_t range_from, range_len;

    /* What a success brings; its ceiling is what is expected at most. NULL:
     * nothing is. */
    struct buf *into;
};

struct s3_response {
    long status;        /* 0: there was no answer */
    int result;         /* LIBCURL_OK, or why there was none */
    int64_t length;     /* Content-Length; -1: not known */
    int64_t total;      /* of the object, from Content-Range; -1: not known */
    int64_t first;      /* byte of the range, likewise */
    int64_t modified_s; /* -1: not known */
    bool too_long;
    char etag[S3_ETAG_SIZE];
    char content_sha256[SIGV4_SHA256_SIZE]; /* as it was kept; "" */
    char code[S3_CODE_SIZE];                /* of an error */
};

/* A connection that stays open between exchanges; for one thread at a time.
 * `c` is borrowed. */
struct s3_connection;
struct s3_connection *s3_connection_new(const struct libcurl *curl,
                                        const struct s3_config *c);
void s3_connection_free(struct s3_connection *conn);

/* One exchange. What went wrong is in the response; QUIRE_NO_MEMORY. */
quire_status s3_exchange(struct s3_connection *conn,
                         const struct s3_request *request,
                         struct s3_response *out, quire_error *err);

#endif
