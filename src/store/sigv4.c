/* sigv4.c - see sigv4.h */
#include "store/sigv4.h"

#include <assert.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"

static const char algorithm[] = "AWS4-HMAC-SHA256";

/* A ceiling on what is signed: S3 takes keys of 1 KiB and headers of 8. */
#define TEXT_MAX ((size_t)64 * 1024)

void sigv4_time(int64_t now_s, char out[SIGV4_TIME_SIZE])
{
    time_t t = (time_t)now_s;
    struct tm tm;

    if (!gmtime_r(&t, &tm) ||
        !strftime(out, SIGV4_TIME_SIZE, "%Y%m%dT%H%M%SZ", &tm))
        memcpy(out, "19700101T000000Z", SIGV4_TIME_SIZE);
}

void sigv4_sha256(quire_bytes bytes, char out[SIGV4_SHA256_SIZE])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx c;

    sha256_init(&c);
    sha256_update(&c, bytes.len, bytes.data);
    sha256_digest(&c, sizeof digest, digest);
    hex_encode(digest, sizeof digest, out);
}

/* ---- encoding ------------------------------------------------------------- */

void sigv4_encode(const char *text, bool slash, struct buf *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (; *text; text++) {
        if (strchr(plain, *text) || (!slash && *text == '/'))
            buf_add_char(out, *text);
        else
            buf_addf(out, "%%%02X", (unsigned char)*text);
    }
}

/* A pair as it is compared and written. */
struct encoded {
    size_t name, value; /* where they begin in the text; each ends with a NUL */
    const char *text;
};

static int compare_encoded(const void *a, const void *b)
{
    const struct encoded *x = a, *y = b;
    int order = strcmp(x->text + x->name, y->text + y->name);

    return order ? order : strcmp(x->text + x->value, y->text + y->value);
}

/* Parameters in ascending order of their encoded names. */
static void add_query(const struct sigv4_request *r, struct buf *out)
{
    struct encoded pairs[SIGV4_PAIRS_MAX];
    struct buf text = BUF_INIT(TEXT_MAX);
    size_t i;

    assert(r->n_query <= SIGV4_PAIRS_MAX);
    for (i = 0; i < r->n_query; i++) {
        pairs[i].name = text.len;
        sigv4_encode(r->query[i].name, true, &text);
        buf_add_char(&text, '\0');
        pairs[i].value = text.len;
        sigv4_encode(r->query[i].value, true, &text);
        buf_add_char(&text, '\0');
    }
    for (i = 0; i < r->n_query; i++)
        pairs[i].text = text.data;
    if (text.failed)
        out->failed = true;
    else if (r->n_query > 0)
        qsort(pairs, r->n_query, sizeof *pairs, compare_encoded);
    for (i = 0; i < r->n_query && !out->failed; i++)
        buf_addf(out, "%s%s=%s", i ? "&" : "", text.data + pairs[i].name,
                 text.data + pairs[i].value);
    buf_release(&text);
}

void sigv4_target(const struct sigv4_request *r, struct buf *out)
{
    sigv4_encode(r->path, false, out);
    if (r->n_query > 0)
        buf_add_char(out, '?');
    add_query(r, out);
}

/* ---- canonical request ---------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const struct sigv4_pair *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

static void sort_headers(const struct sigv4_request *r,
                         const struct sigv4_pair **out)
{
    size_t i;

    assert(r->n_headers <= SIGV4_PAIRS_MAX);
    for (i = 0; i < r->n_headers; i++)
        out[i] = &r->headers[i];
    if (r->n_headers > 0)
        qsort(out, r->n_headers, sizeof *out, compare_names);
}

/* Blanks at the ends are dropped, a run of blanks within becomes one. */
static void add_value(const char *value, struct buf *out)
{
    bool any = false, gap = false;

    for (; *value; value++) {
        if (*value == ' ' || *value == '\t') {
            gap = any;
            continue;
        }
        if (gap)
            buf_add_char(out, ' ');
        buf_add_char(out, *value);
        any = true;
        gap = false;
    }
}

static void add_names(const struct sigv4_request *r, struct buf *out)
{
    const struct sigv4_pair *headers[SIGV4_PAIRS_MAX];
    size_t i;

    sort_headers(r, headers);
    for (i = 0; i < r->n_headers; i++)
        buf_addf(out, "%s%s", i ? ";" : "", headers[i]->name);
}

void sigv4_canonical_request(const struct sigv4_request *r, struct buf *out)
{
    const struct sigv4_pair *headers[SIGV4_PAIRS_MAX];
    size_t i;

    buf_addf(out, "%s\n", r->method);
    sigv4_encode(r->path, false, out);
    buf_add_char(out, '\n');
    add_query(r, out);
    buf_add_char(out, '\n');
    sort_headers(r, headers);
    for (i = 0; i < r->n_headers; i++) {
        buf_addf(out, "%s:", headers[i]->name);
        add_value(headers[i]->value, out);
        buf_add_char(out, '\n');
    }
    buf_add_char(out, '\n');
    add_names(r, out);
    buf_addf(out, "\n%s", r->payload);
}

/* ---- signature ------------------------------------------------------------ */

static void add_scope(const struct sigv4_key *key,
                      const struct sigv4_request *r, struct buf *out)
{
    buf_addf(out, "%.8s/%s/%s/aws4_request", r->time, key->region,
             key->service);
}

void sigv4_string_to_sign(const struct sigv4_key *key,
                          const struct sigv4_request *r, struct buf *out)
{
    struct buf request = BUF_INIT(TEXT_MAX);
    char digest[SIGV4_SHA256_SIZE];

    sigv4_canonical_request(r, &request);
    if (request.failed)
        out->failed = true;
    sigv4_sha256(buf_bytes(&request), digest);
    buf_release(&request);
    buf_addf(out, "%s\n%s\n", algorithm, r->time);
    add_scope(key, r, out);
    buf_addf(out, "\n%s", digest);
}

static void hmac(const void *key, size_t key_len, quire_bytes message,
                 uint8_t out[SHA256_DIGEST_SIZE])
{
    struct hmac_sha256_ctx c;

    hmac_sha256_set_key(&c, key_len, key);
    hmac_sha256_update(&c, message.len, message.data);
    hmac_sha256_digest(&c, SHA256_DIGEST_SIZE, out);
    explicit_bzero(&c, sizeof c);
}

/* The key of a day, a region and a service: each derived from the one before,
 * the first from the secret behind "AWS4". */
static void derive_key(const struct sigv4_key *key, const char *time,
                       uint8_t out[SHA256_DIGEST_SIZE], struct buf *failed)
{
    struct buf secret = BUF_INIT(TEXT_MAX);

    buf_addf(&secret, "AWS4%s", key->secret);
    if (secret.failed)
        failed->failed = true;
    hmac(secret.data, secret.len, bytes_of(time, 8), out);
    hmac(out, SHA256_DIGEST_SIZE, bytes_str(key->region), out);
    hmac(out, SHA256_DIGEST_SIZE, bytes_str(key->service), out);
    hmac(out, SHA256_DIGEST_SIZE, bytes_str("aws4_request"), out);
    if (secret.data)
        explicit_bzero(secret.data, secret.len);
    buf_release(&secret);
}

void sigv4_authorization(const struct sigv4_key *key,
                         const struct sigv4_request *r, struct buf *out)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    uint8_t derived[SHA256_DIGEST_SIZE];
    char signature[SIGV4_SHA256_SIZE];

    sigv4_string_to_sign(key, r, &text);
    if (text.failed)
        out->failed = true;
    derive_key(key, r->time, derived, out);
    hmac(derived, sizeof derived, buf_bytes(&text), derived);
    hex_encode(derived, sizeof derived, signature);
    explicit_bzero(derived, sizeof derived);
    buf_release(&text);
    buf_addf(out, "%s Credential=%s/", algorithm, key->id);
    add_scope(key, r, out);
    buf_add_str(out, ", SignedHeaders=");
    add_names(r, out);
    buf_addf(out, ", Signature=%s", signature);
}
