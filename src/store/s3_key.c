/* s3_key.c - names of objects and keys of a bucket */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/s3_priv.h"

size_t s3_prefix_len(const struct s3_store *s)
{
    size_t len = strlen(s3_client_config(s->client)->prefix);

    return len ? len + 1 : 0; /* with its slash */
}

quire_status s3_key_of(const struct s3_store *s, const char *name, char **out,
                       quire_error *err)
{
    const char *prefix = s3_client_config(s->client)->prefix;
    size_t len = s3_prefix_len(s), name_len = strlen(name);
    char *key;

    if (len + name_len > S3_KEY_MAX)
        return err_set(err, QUIRE_INVALID,
                       "the name %.60s… is too long for an object of S3", name);
    key = malloc(len + name_len + 1);
    if (!key)
        return err_memory(err);
    memcpy(key, prefix, len ? len - 1 : 0);
    if (len)
        key[len - 1] = '/';
    memcpy(key + len, name, name_len + 1);
    *out = key;
    return QUIRE_OK;
}

bool s3_is_name(const char *name)
{
    const char *part = name;
    size_t len;

    for (;; part += len + 1) {
        len = strcspn(part, "/");
        if (len == 0 || (len == 1 && *part == '.') ||
            (len == 2 && !strncmp(part, "..", 2)) || !strncmp(part, ".tmp-", 5))
            return false;
        if (!part[len])
            return true;
    }
}
