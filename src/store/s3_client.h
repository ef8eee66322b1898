/*
 * s3_client.h - requests to an S3 store: a pool of connections, repetition
 *
 * For any number of threads. A request takes a connection of the pool, or waits
 * for one. It is repeated, with exponential backoff and full jitter, when the
 * server could not be reached, broke off, timed out, or answered 429 or 5xx; all
 * requests here have the same effect when they are repeated. A call ends after
 * at most patience_ms and one request (s3_config.h).
 *
 * Only plain verbs: no request is conditional, none copies. Stores disagree on
 * If-Match and If-None-Match (decision 039).
 *
 * Statuses of all calls:
 *
 *   QUIRE_NOT_FOUND  an answer: there is no such object
 *   QUIRE_IO         the store was not reached, refused, or has failed for
 *                    longer than patience_ms; or other bytes arrived than were
 *                    sent, more than once
 *   QUIRE_NO_MEMORY
 *
 * A message names the object, the status and the code of the error: never what
 * the server wrote besides, which can repeat the signature.
 */
#ifndef STORE_S3_CLIENT_H
#define STORE_S3_CLIENT_H

#include "store/s3_transfer.h"

struct s3_client;

/* Takes `c` over, also on failure. QUIRE_NOT_FOUND: libcurl is not installed.
 * Connects to nothing. */
quire_status s3_client_new(struct s3_config *c, struct s3_client **out,
                           quire_error *err);
void s3_client_free(struct s3_client *s);

const struct s3_config *s3_client_config(const struct s3_client *s);

/* Send a request until it succeeds, is answered, or time is up. Success is a
 * status of 2xx; of a range also 416: there is no such range. */
quire_status s3_send(struct s3_client *s, const struct s3_request *request,
                     struct s3_response *out, quire_error *err);

/* How many requests were sent, and how many of them were repetitions. */
struct s3_counts {
    uint64_t requests, repeated;
};
struct s3_counts s3_client_counts(struct s3_client *s);

#endif
