/*
 * s3_config_fuzz.c - URLs of S3 stores and files of credentials
 *
 * Any bytes as a URL: what is accepted is made of the parts that it names, and
 * none of them could end a header or leave the prefix. Any bytes as a file: what
 * is read is in it, in the section asked for.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "holds.h"
#include "store/s3_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *get(void *ctx, const char *name)
{
    (void)ctx;
    return !strcmp(name, "AWS_ACCESS_KEY_ID")       ? "AKID"
           : !strcmp(name, "AWS_SECRET_ACCESS_KEY") ? "hush"
                                                    : NULL;
}

static void is_plain(const char *text)
{
    for (; *text; text++)
        HOLDS(*text > ' ' && *text != 127);
}

static void any_url(const char *url)
{
    struct s3_env env = {get, NULL};
    struct s3_config c;
    quire_error err = {.what = ""};
    size_t len;

    if (s3_config_read(url, &env, &c, &err)) {
        HOLDS(err.status == QUIRE_INVALID && *err.what && *err.next);
        return;
    }
    HOLDS(!strncmp(url, c.place, strlen(c.place)));
    len = strlen(c.bucket);
    HOLDS(len >= 3 && len <= 63 && !strpbrk(c.bucket, "/?@:"));
    HOLDS(!strncmp(c.base, "http", 4) && !strpbrk(c.host, "/?@"));
    HOLDS(strlen(c.prefix) <= 512 && !strstr(c.prefix, "//"));
    HOLDS(strcmp(c.prefix, "..") != 0 && !strstr(c.prefix, "/../"));
    for (len = 0; c.prefix[len]; len++)
        HOLDS((unsigned char)c.prefix[len] > ' ' && c.prefix[len] != 127);
    is_plain(c.host);
    is_plain(c.region);
    s3_config_release(&c);
}

static void is_within(const char *text, quire_bytes file)
{
    HOLDS(!text || !*text || memmem(file.data, file.len, text, strlen(text)));
    HOLDS(!text || !strchr(text, '\n'));
}

static void any_file(quire_bytes file)
{
    struct arena keep = ARENA_INIT;
    struct s3_credentials c;

    s3_read_profile(file, "default", &keep, &c);
    is_within(c.id, file);
    is_within(c.secret, file);
    is_within(c.token, file);
    HOLDS((!c.id && !c.secret && !c.token) ||
          memmem(file.data, file.len, "default", 7));
    arena_release(&keep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *url = malloc(size + 1);

    HOLDS(url);
    if (size > 0)
        memcpy(url, data, size);
    url[size] = '\0';
    any_url(url);
    any_file(bytes_of(data, size));
    free(url);
    return 0;
}
