/*
 * sigv4.h - AWS Signature Version 4: the Authorization header of a request
 *
 * Functions of bytes: no clock, no environment, no network. As S3 has it, the
 * path is percent-encoded once and not normalized.
 *
 *     canonical request   method, path, query and headers in one spelling
 *     string to sign      time, scope and the SHA-256 of that
 *     signature           HMAC-SHA256 by a key derived from day, region and
 *                         service
 */
#ifndef STORE_SIGV4_H
#define STORE_SIGV4_H

#include "base/buf.h"

enum {
    SIGV4_PAIRS_MAX = 16,   /* headers or parameters of a request */
    SIGV4_TIME_SIZE = 17,   /* "20130524T000000Z" */
    SIGV4_SHA256_SIZE = 65, /* hexadecimal */
};

struct sigv4_pair {
    const char *name, *value;
};

struct sigv4_key {
    const char *id, *secret;
    const char *region, *service;
};

/* Names and values are not encoded yet. Pairs are in any order. */
struct sigv4_request {
    const char *method;
    const char *path; /* "/bucket/key" */
    const struct sigv4_pair *query;
    size_t n_query;
    const struct sigv4_pair *headers; /* those to sign, names in lower case */
    size_t n_headers;
    const char *payload; /* SHA-256 of the body in hexadecimal */
    const char *time;    /* as sigv4_time() writes it */
};

/* Seconds since 1970 as "20130524T000000Z". */
void sigv4_time(int64_t now_s, char out[SIGV4_TIME_SIZE]);

/* The SHA-256 of `bytes` in hexadecimal. */
void sigv4_sha256(quire_bytes bytes, char out[SIGV4_SHA256_SIZE]);

/* Percent-encode all but A-Z, a-z, 0-9, "-._~" and, unless `slash`, "/". */
void sigv4_encode(const char *text, bool slash, struct buf *out);

/* "/bucket/key?a=1&b=2": what is signed is also what is sent. */
void sigv4_target(const struct sigv4_request *r, struct buf *out);

/* The first two steps, for tests. A failure is in `out`. */
void sigv4_canonical_request(const struct sigv4_request *r, struct buf *out);
void sigv4_string_to_sign(const struct sigv4_key *key,
                          const struct sigv4_request *r, struct buf *out);

/* Add "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…". */
void sigv4_authorization(const struct sigv4_key *key,
                         const struct sigv4_request *r, struct buf *out);

#endif
