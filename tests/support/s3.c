/* s3.c - see s3.h */
#include "support/s3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "support/test.h"

bool test_has_s3(void)
{
    return getenv("QUIRE_TEST_S3");
}

bool test_has_s3_faults(void)
{
    return getenv("QUIRE_TEST_S3_FAULTS");
}

struct s3_client *test_s3_client(const char *fault)
{
    struct s3_config c;
    struct s3_client *client;
    char *url = test_alloc(500);
    uint64_t random;

    OK(rand_bytes(&rand_system, &random, sizeof random, &test_err));
    snprintf(url, 500, "%s/%s%s%s%016llx", getenv("QUIRE_TEST_S3"),
             *fault ? "fault." : "t", fault, *fault ? "." : "",
             (unsigned long long)random);
    OK(s3_config_read(url, &s3_env_process, &c, &test_err));
    if (*fault) {
        c.request_ms = 700;
        c.patience_ms = 900;
    }
    OK(s3_client_new(&c, &client, &test_err));
    return client;
}

struct object_store *test_s3_failing(const char *fault,
                                     struct s3_client **client)
{
    struct object_store *s;

    *client = test_s3_client(fault);
    OK(s3_store_new(*client, NULL, &s, &test_err));
    return s;
}

struct object_store *test_s3_objects(void)
{
    struct s3_client *client;

    return test_s3_failing("", &client);
}
