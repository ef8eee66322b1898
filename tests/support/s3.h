/*
 * s3.h - an S3 store for tests, where QUIRE_TEST_S3 has its URL
 *
 * Credentials and endpoint are in the AWS_… variables. Every test has a prefix
 * of its own.
 */
#ifndef TESTS_SUPPORT_S3_H
#define TESTS_SUPPORT_S3_H

#include <stdbool.h>

#include "store/s3.h"

/* Whether there is one; and whether it is tests/s3/server.py, which misbehaves
 * when a key asks for that. */
bool test_has_s3(void);
bool test_has_s3_faults(void);

/* A client that gives up soon. Below `fault` ("GET.cut.2", see the stand-in), or
 * "". */
struct s3_client *test_s3_client(const char *fault);

/* Objects under a prefix that no other test has. */
struct object_store *test_s3_objects(void);

/* The same with faults; the client is lent. */
struct object_store *test_s3_failing(const char *fault,
                                     struct s3_client **client);

#endif
