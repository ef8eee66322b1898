/*
 * s3_config.h - which bucket, on which server, with which credentials
 *
 *     s3://bucket[/prefix][?option=value[&…]]
 *
 *     endpoint     http://host[:port] or https://…; else AWS_ENDPOINT_URL_S3,
 *                  AWS_ENDPOINT_URL, or AWS itself
 *     region       else AWS_REGION, AWS_DEFAULT_REGION, us-east-1
 *     addressing   path: host/bucket/key; virtual: bucket.host/key. Default:
 *                  virtual at AWS, unless the bucket has dots; else path
 *
 * Credentials are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for those that
 * expire, AWS_SESSION_TOKEN; without them the profile AWS_PROFILE ("default") of
 * the file AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials), which only its
 * owner and its group may read. They are read once. They are in no message, and
 * refused in a URL, which process lists show.
 */
#ifndef STORE_S3_CONFIG_H
#define STORE_S3_CONFIG_H

#include <stdbool.h>

#include "base/arena.h"

/* The environment; tests have their own. */
struct s3_env {
    const char *(*get)(void *ctx, const char *name); /* NULL: not set */
    void *ctx;
};

extern const struct s3_env s3_env_process;

struct s3_credentials {
    char *id, *secret;
    char *token; /* NULL: they do not expire */
};

struct s3_config {
    struct arena keep; /* has all texts */
    const char *place; /* "s3://bucket/prefix", for messages */
    const char *bucket;
    const char *prefix; /* "" or "a/b": without a slash at either end */
    const char *region;
    const char *base; /* "https://host[:port]", of the bucket if virtual */
    const char *host; /* of base, with its port */
    bool in_path;     /* the bucket is in the path */
    const char
        *ca; /* AWS_CA_BUNDLE: certificates to trust; NULL: the system's */
    struct s3_credentials credentials;

    /* Bounds. A call takes at most patience_ms and one request. */
    long connect_ms;  /* to connect, TLS included */
    long request_ms;  /* a request, whose body is at most a part of an upload */
    long patience_ms; /* after which no request is repeated */
    unsigned n_connections;
};

/* QUIRE_INVALID: the URL, an option or the credentials are wrong. QUIRE_IO: the
 * file cannot be read. On success the config is to be released. */
quire_status s3_config_read(const char *url, const struct s3_env *env,
                            struct s3_config *out, quire_error *err);

/* Overwrites the credentials. All zero is fine. */
void s3_config_release(struct s3_config *c);

/* For the fuzz target: credentials of a profile in the text of a file; parts that
 * are missing stay NULL. */
void s3_read_profile(quire_bytes text, const char *profile, struct arena *keep,
                     struct s3_credentials *out);

#endif
