/* s3_config.c - see s3_config.h */
#include "store/s3_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"

enum {
    FILE_MAX = 64 * 1024,
    PREFIX_MAX = 512, /* of the 1,024 bytes of a key */
    HOST_MAX = 255,
    CREDENTIAL_MAX = 8192, /* tokens have about 1,000 */
};

static const char *process_get(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

const struct s3_env s3_env_process = {process_get, NULL};

/* What is set to nothing counts as not set. */
static const char *env_get(const struct s3_env *env, const char *name)
{
    const char *value = env->get(env->ctx, name);

    return value && *value ? value : NULL;
}

/* `len` bytes, all of them letters, digits or in `more`. */
static bool has_only(const char *text, size_t len, const char *more)
{
    size_t i;

    for (i = 0; i < len; i++) {
        char c = ascii_lower(text[i]);

        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
            (!c || !strchr(more, c)))
            return false;
    }
    return true;
}

/* ---- credentials ---------------------------------------------------------- */

static quire_bytes trim(quire_bytes line)
{
    const char *at = line.data, *end = at + line.len;

    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && strchr(" \t\r", end[-1]) && end[-1])
        end--;
    return bytes_of(at, (size_t)(end - at));
}

static bool is_section(quire_bytes line, const char *name)
{
    return bytes_is(trim(bytes_sub(line, 1, line.len - 1)), name);
}

static void read_setting(quire_bytes line, struct arena *keep,
                         struct s3_credentials *out)
{
    const char *equals = memchr(line.data, '=', line.len);
    size_t at = equals ? (size_t)(equals - (const char *)line.data) : 0;
    quire_bytes name, value;

    if (!equals)
        return;
    name = trim(bytes_sub(line, 0, at));
    value = trim(bytes_sub(line, at + 1, line.len));
    if (bytes_is(name, "aws_access_key_id"))
        out->id = arena_text(keep, value);
    else if (bytes_is(name, "aws_secret_access_key"))
        out->secret = arena_text(keep, value);
    else if (bytes_is(name, "aws_session_token"))
        out->token = arena_text(keep, value);
}

void s3_read_profile(quire_bytes text, const char *profile, struct arena *keep,
                     struct s3_credentials *out)
{
    const char *at = text.data, *end = text.len ? at + text.len : at;
    bool inside = false;

    *out = (struct s3_credentials){.id = NULL};
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        quire_bytes line = trim(
            bytes_of(at, (size_t)((stop ? stop : end) - at)));
        char first = line.len ? *(const char *)line.data : '#';

        if (first == '[' && line.len > 1 &&
            ((const char *)line.data)[line.len - 1] == ']')
            inside = is_section(line, profile);
        else if (inside && first != '#' && first != ';')
            read_setting(line, keep, out);
        at = stop ? stop + 1 : end;
    }
}

/* Only the owner may read a secret, and a group made for that. */
static quire_status open_secret(const char *path, int *fd, quire_error *err)
{
    struct stat st;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 && errno == ENOENT)
        return err_fail(err, QUIRE_INVALID,
                        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
                        "AWS_SHARED_CREDENTIALS_FILE",
                        "no credentials for S3: %.120s does not "
                        "exist",
                        path);
    if (*fd < 0 || fstat(*fd, &st) < 0)
        return err_sys(err, errno, "cannot read the S3 credentials %.120s",
                       path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, QUIRE_INVALID,
                       "the S3 credentials %.120s are not a regular file",
                       path);
    if (st.st_mode & 037)
        return err_fail(err, QUIRE_INVALID,
                        "set its mode to 600, and replace the key if others "
                        "may have read it",
                        "the S3 credentials %.120s can be read by others",
                        path);
    return QUIRE_OK;
}

static quire_status read_file(const char *path, const char *profile,
                              struct s3_config *c, quire_error *err)
{
    char *text = arena_alloc(&c->keep, FILE_MAX);
    ssize_t n;
    int fd = -1;
    quire_status st = text ? open_secret(path, &fd, err) : err_memory(err);

    if (!st) {
        n = fs_read_full(fd, text, FILE_MAX);
        if (n < 0)
            st = err_sys(err, errno, "cannot read the S3 credentials %.120s",
                         path);
        else if (n == FILE_MAX)
            st = err_set(err, QUIRE_TOO_LARGE,
                         "the S3 credentials %.120s are larger than 64 KiB",
                         path);
        else
            s3_read_profile(bytes_of(text, (size_t)n), profile, &c->keep,
                            &c->credentials);
        explicit_bzero(text, FILE_MAX);
    }
    if (fd >= 0)
        close(fd);
    if (!st && (!c->credentials.id || !c->credentials.secret))
        st = err_fail(err, QUIRE_INVALID,
                      "it needs aws_access_key_id and aws_secret_access_key",
                      "the S3 credentials %.120s have no profile %.60s", path,
                      profile);
    return st;
}

static quire_status read_default_file(const struct s3_env *env,
                                      struct s3_config *c, quire_error *err)
{
    const char *path = env_get(env, "AWS_SHARED_CREDENTIALS_FILE");
    const char *profile = env_get(env, "AWS_PROFILE");
    const char *home = env_get(env, "HOME");

    if (!path && home) {
        path = arena_printf(&c->keep, "%s/.aws/credentials", home);
        if (!path)
            return err_memory(err);
    }
    if (!path)
        return err_fail(err, QUIRE_INVALID,
                        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                        "no credentials for S3");
    return read_file(path, profile ? profile : "default", c, err);
}

/* They become parts of a header. */
static bool is_credential(const char *text)
{
    size_t len = strlen(text), i;

    for (i = 0; i < len; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return len > 0 && len <= CREDENTIAL_MAX;
}

static char *copy_text(struct s3_config *c, const char *text)
{
    return arena_text(&c->keep, bytes_str(text));
}

static quire_status copy_from_env(const struct s3_env *env, const char *id,
                                  struct s3_config *c, quire_error *err)
{
    const char *secret = env_get(env, "AWS_SECRET_ACCESS_KEY");
    const char *token = env_get(env, "AWS_SESSION_TOKEN");
    struct s3_credentials *out = &c->credentials;

    if (!secret)
        return err_fail(err, QUIRE_INVALID, "set both, or neither",
                        "AWS_ACCESS_KEY_ID is set without "
                        "AWS_SECRET_ACCESS_KEY");
    out->id = copy_text(c, id);
    out->secret = copy_text(c, secret);
    if (token)
        out->token = copy_text(c, token);
    return out->id && out->secret && (out->token || !token) ? QUIRE_OK
                                                            : err_memory(err);
}

static quire_status read_credentials(const struct s3_env *env,
                                     struct s3_config *c, quire_error *err)
{
    const char *id = env_get(env, "AWS_ACCESS_KEY_ID");
    const struct s3_credentials *got = &c->credentials;
    quire_status st = id ? copy_from_env(env, id, c, err)
                         : read_default_file(env, c, err);

    if (!st && (!is_credential(got->id) || strchr(got->id, '/') ||
                !is_credential(got->secret) ||
                (got->token && !is_credential(got->token))))
        st = err_set(err, QUIRE_INVALID,
                     "the credentials for S3 are empty, too long, or have "
                     "blanks or other bytes that keys do not have");
    return st;
}

/* ---- URL ------------------------------------------------------------------ */

struct options {
    const char *endpoint, *region, *addressing;
};

static quire_status bad_url(quire_error *err, const char *why)
{
    return err_fail(err, QUIRE_INVALID,
                    "write s3://bucket/prefix, where the bucket has 3 to 63 "
                    "letters, digits, dots and hyphens",
                    "the URL of the S3 store is wrong: %s", why);
}

/* Components that a name below can follow. */
static bool is_prefix(const char *prefix)
{
    const char *part = prefix;
    size_t i, len;

    for (i = 0; prefix[i]; i++) {
        if ((unsigned char)prefix[i] <= ' ' || prefix[i] == 127)
            return false;
    }
    while (*part) {
        len = strcspn(part, "/");
        if (len == 0 || (len == 1 && part[0] == '.') ||
            (len == 2 && !strncmp(part, "..", 2)))
            return false;
        part += len;
        if (*part && !*++part)
            return false;
    }
    return i <= PREFIX_MAX;
}

static quire_status read_option(char *text, struct options *out,
                                quire_error *err)
{
    char *value = strchr(text, '=');

    if (!value || !value[1])
        return bad_url(err, "an option has no value");
    *value++ = '\0';
    if (!strcmp(text, "endpoint"))
        out->endpoint = value;
    else if (!strcmp(text, "region"))
        out->region = value;
    else if (!strcmp(text, "addressing"))
        out->addressing = value;
    else
        return bad_url(err, "the options are endpoint, region and addressing");
    return QUIRE_OK;
}

/* `text` is cut up. */
static quire_status split_url(char *text, struct s3_config *c,
                              struct options *o, quire_error *err)
{
    char *query = strchr(text, '?'), *next, *slash;
    size_t len;
    quire_status st = QUIRE_OK;

    if (query)
        *query++ = '\0';
    for (; query && !st; query = next) {
        next = strchr(query, '&');
        if (next)
            *next++ = '\0';
        st = read_option(query, o, err);
    }
    if (st)
        return st;
    if (strchr(text, '@'))
        return err_fail(err, QUIRE_INVALID,
                        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; a "
                        "URL appears in process lists",
                        "the URL of the S3 store contains '@': it may not "
                        "have credentials");
    slash = strchr(text, '/');
    if (slash)
        *slash++ = '\0';
    len = strlen(text);
    if (len < 3 || len > 63 || !has_only(text, len, "-._") || *text == '.' ||
        strstr(text, ".."))
        return bad_url(err, "the name of the bucket is not valid");
    len = slash ? strlen(slash) : 0;
    if (len > 0 && slash[len - 1] == '/')
        slash[len - 1] = '\0';
    c->bucket = text;
    c->prefix = slash ? slash : "";
    return is_prefix(c->prefix) ? QUIRE_OK
                                : bad_url(err, "the prefix is not valid");
}

/* "http[s]://host[:port][/]"; the slash is cut off. */
static quire_status check_endpoint(char *endpoint, quire_error *err)
{
    static const char http[] = "http://", https[] = "https://";
    size_t begin = !strncmp(endpoint, http, strlen(http))     ? strlen(http)
                   : !strncmp(endpoint, https, strlen(https)) ? strlen(https)
                                                              : 0;
    char *host = endpoint + begin;
    size_t len = strlen(host);

    if (begin && len > 0 && host[len - 1] == '/')
        host[--len] = '\0';
    if (begin && len > 0 && len <= HOST_MAX && has_only(host, len, "-._:[]"))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "write http://host:port or https://host:port, without a "
                    "path or credentials",
                    "the endpoint of the S3 store is not a URL of a server");
}

static quire_status choose_addressing(const char *wanted, bool is_aws,
                                      struct s3_config *c, quire_error *err)
{
    c->in_path = !is_aws || strchr(c->bucket, '.');
    if (!wanted)
        return QUIRE_OK;
    c->in_path = !strcmp(wanted, "path");
    return c->in_path || !strcmp(wanted, "virtual")
               ? QUIRE_OK
               : bad_url(err, "addressing is path or virtual");
}

static quire_status find_server(const struct options *o, struct s3_config *c,
                                quire_error *err)
{
    char *endpoint = o->endpoint
                         ? copy_text(c, o->endpoint)
                         : arena_printf(&c->keep, "https://s3.%s.amazonaws.com",
                                        c->region);
    const char *host;
    quire_status st;

    if (!endpoint)
        return err_memory(err);
    st = check_endpoint(endpoint, err);
    if (!st)
        st = choose_addressing(o->addressing, !o->endpoint, c, err);
    if (st)
        return st;
    host = strstr(endpoint, "://") + 3;
    c->base = c->in_path
                  ? endpoint
                  : arena_printf(&c->keep, "%.*s%s.%s", (int)(host - endpoint),
                                 endpoint, c->bucket, host);
    if (!c->base)
        return err_memory(err);
    c->host = strstr(c->base, "://") + 3;
    return QUIRE_OK;
}

static const char *first_of(const struct s3_env *env, const char *given,
                            const char *name, const char *other)
{
    if (!given)
        given = env_get(env, name);
    return given ? given : env_get(env, other);
}

static quire_status read_place(const char *url, const struct s3_env *env,
                               struct s3_config *c, quire_error *err)
{
    static const char scheme[] = "s3://";
    struct options o = {.endpoint = NULL};
    const char *region;
    char *text;
    quire_status st;

    if (strncmp(url, scheme, strlen(scheme)) != 0)
        return bad_url(err, "it does not begin with s3://");
    text = copy_text(c, url + strlen(scheme));
    st = text ? split_url(text, c, &o, err) : err_memory(err);
    if (st)
        return st;
    region = first_of(env, o.region, "AWS_REGION", "AWS_DEFAULT_REGION");
    c->region = region ? copy_text(c, region) : "us-east-1";
    c->place = arena_printf(&c->keep, "s3://%s%s%s", c->bucket,
                            *c->prefix ? "/" : "", c->prefix);
    if (!c->region || !c->place)
        return err_memory(err);
    if (strlen(c->region) > 63 || !has_only(c->region, strlen(c->region), "-"))
        return bad_url(err, "a region has letters, digits and hyphens");
    o.endpoint = first_of(env, o.endpoint, "AWS_ENDPOINT_URL_S3",
                          "AWS_ENDPOINT_URL");
    return find_server(&o, c, err);
}

quire_status s3_config_read(const char *url, const struct s3_env *env,
                            struct s3_config *out, quire_error *err)
{
    const char *ca = env_get(env, "AWS_CA_BUNDLE");
    quire_status st;

    *out = (struct s3_config){.connect_ms = 5000,
                              .request_ms = 60000,
                              .patience_ms = 20000,
                              .n_connections = 16};
    st = read_place(url, env, out, err);
    if (!st)
        st = read_credentials(env, out, err);
    if (!st && ca) {
        out->ca = copy_text(out, ca);
        st = out->ca ? QUIRE_OK : err_memory(err);
    }
    if (st)
        s3_config_release(out);
    return st;
}

static void wipe(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
}

void s3_config_release(struct s3_config *c)
{
    wipe(c->credentials.id);
    wipe(c->credentials.secret);
    wipe(c->credentials.token);
    arena_release(&c->keep);
    *c = (struct s3_config){.place = NULL};
}
