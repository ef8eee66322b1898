/* s3_transfer.c - see s3_transfer.h */
#include "store/s3_transfer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"

enum {
    TARGET_MAX = 16 * 1024,
    ERROR_MAX = 64 * 1024, /* of the text of an error */
    BUFFER = 256 * 1024,   /* libcurl's, each way */
    N_SIGNED = 5,
};

#define SHA256_HEADER "x-amz-meta-sha256"

struct s3_connection {
    const struct libcurl *curl;
    const struct s3_config *config;
    void *easy;
    struct buf url, line, error;

    /* of the exchange under way */
    const struct s3_request *request;
    struct s3_response *response;
    uint64_t sent;
};

struct s3_connection *s3_connection_new(const struct libcurl *curl,
                                        const struct s3_config *c)
{
    struct s3_connection *conn = calloc(1, sizeof *conn);

    if (!conn)
        return NULL;
    conn->curl = curl;
    conn->config = c;
    conn->url.max = conn->line.max = TARGET_MAX;
    conn->error.max = ERROR_MAX;
    conn->easy = curl->easy_init();
    if (conn->easy)
        return conn;
    free(conn);
    return NULL;
}

void s3_connection_free(struct s3_connection *conn)
{
    if (!conn)
        return;
    conn->curl->easy_cleanup(conn->easy);
    buf_release(&conn->url);
    buf_release(&conn->line);
    buf_release(&conn->error);
    free(conn);
}

/* ---- bodies --------------------------------------------------------------- */

static size_t send_body(char *to, size_t size, size_t n, void *ctx)
{
    struct s3_connection *conn = ctx;
    const struct s3_body *b = conn->request->body;
    size_t len = size * n;
    ssize_t got;

    if (!b)
        return 0;
    if (len > b->len - conn->sent)
        len = (size_t)(b->len - conn->sent);
    if (len == 0)
        return 0;
    if (b->from_file) {
        got = pread(b->fd, to, len, (off_t)(b->offset + conn->sent));
        if (got <= 0)
            return LIBCURL_READ_ABORT;
        len = (size_t)got;
    } else {
        memcpy(to, (const char *)b->bytes.data + conn->sent, len);
    }
    conn->sent += len;
    return len;
}

/* libcurl begins again when a kept connection was closed meanwhile. */
static int seek_body(void *ctx, int64_t offset, int origin)
{
    struct s3_connection *conn = ctx;

    if (origin != SEEK_SET || offset < 0)
        return LIBCURL_SEEK_FAIL;
    conn->sent = (uint64_t)offset;
    return LIBCURL_SEEK_OK;
}

static bool is_success(struct s3_connection *conn)
{
    long status = 0;

    conn->curl->easy_getinfo(conn->easy, LIBCURL_RESPONSE_CODE, &status);
    return status >= 200 && status < 300;
}

/* Room for what the head announces, within the ceiling, instead of by doubling. */
static void make_room(struct s3_connection *conn, struct buf *into)
{
    int64_t length = -1;

    conn->curl->easy_getinfo(conn->easy, LIBCURL_CONTENT_LENGTH_DOWNLOAD_T,
                             &length);
    if (length > 0 && (uint64_t)length <= into->max)
        buf_room(into, (size_t)length);
}

/* A result other than `len` ends the exchange. */
static size_t receive_body(char *from, size_t size, size_t n, void *ctx)
{
    struct s3_connection *conn = ctx;
    struct buf *into = conn->request->into;
    size_t len = size * n;

    if (!is_success(conn)) {
        buf_add(&conn->error, from, len); /* the code is at its begin */
        return len;
    }
    conn->response->too_long = !into || len > into->max - into->len;
    if (conn->response->too_long)
        return len > 0 ? 0 : len;
    if (into->len == 0)
        make_room(conn, into);
    buf_add(into, from, len);
    return into->failed ? 0 : len;
}

/* ---- headers received ----------------------------------------------------- */

/* The value of the header `name`: without blanks at its ends. */
static bool is_header(quire_bytes line, const char *name, quire_bytes *value)
{
    size_t len = strlen(name);
    const char *at, *end;

    if (!ascii_starts(line, name) || line.len <= len ||
        ((const char *)line.data)[len] != ':')
        return false;
    at = (const char *)line.data + len + 1;
    end = (const char *)line.data + line.len;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\n'))
        end--;
    *value = bytes_of(at, (size_t)(end - at));
    return true;
}

/* What does not fit is left out. */
static void copy_value(quire_bytes value, char *out, size_t cap)
{
    size_t len = value.len < cap && !memchr(value.data, 0, value.len)
                     ? value.len
                     : 0;

    memcpy(out, value.data, len);
    out[len] = '\0';
}

/* Up to 18 digits and then `after`, which is left behind; -1. */
static int64_t read_number(quire_bytes *text, char after)
{
    const char *at = text->data, *end = at + text->len;
    int64_t n = 0;

    while (at < end && *at >= '0' && *at <= '9' &&
           at - (const char *)text->data < 18)
        n = n * 10 + (*at++ - '0');
    if (at == text->data || (after ? at == end || *at != after : at != end))
        return -1;
    *text = bytes_of(at + (after != 0), (size_t)(end - at) - (after != 0));
    return n;
}

/* "bytes 0-9/443", or an asterisk for the range that does not exist. */
static void read_range(quire_bytes value, struct s3_response *out)
{
    static const char none[] = "bytes */", some[] = "bytes ";

    if (bytes_starts(value, bytes_str(none))) {
        value = bytes_sub(value, strlen(none), value.len);
        out->total = read_number(&value, 0);
    } else if (bytes_starts(value, bytes_str(some))) {
        value = bytes_sub(value, strlen(some), value.len);
        out->first = read_number(&value, '-');
        if (out->first >= 0 && read_number(&value, '/') >= 0)
            out->total = read_number(&value, 0);
    }
}

static size_t receive_header(char *from, size_t size, size_t n, void *ctx)
{
    struct s3_response *out = ((struct s3_connection *)ctx)->response;
    quire_bytes line = bytes_of(from, size * n), value;

    if (is_header(line, "etag", &value))
        copy_value(value, out->etag, sizeof out->etag);
    else if (is_header(line, SHA256_HEADER, &value))
        copy_value(value, out->content_sha256, sizeof out->content_sha256);
    else if (is_header(line, "content-range", &value))
        read_range(value, out);
    return line.len;
}

/* ---- the request ---------------------------------------------------------- */

static bool add_header(struct s3_connection *conn, struct curl_slist **list)
{
    const char *line = buf_text(&conn->line);
    struct curl_slist *longer = line ? conn->curl->slist_append(*list, line)
                                     : NULL;

    if (longer)
        *list = longer;
    buf_clear(&conn->line);
    return longer;
}

static bool add_headers(struct s3_connection *conn,
                        const struct sigv4_request *r, struct curl_slist **list)
{
    const struct s3_credentials *who = &conn->config->credentials;
    struct sigv4_key key = {who->id, who->secret, conn->config->region, "s3"};
    const struct s3_request *request = conn->request;
    bool ok = true;
    size_t i;

    for (i = 0; ok && i < r->n_headers; i++) {
        buf_addf(&conn->line, "%s: %s", r->headers[i].name,
                 r->headers[i].value);
        ok = add_header(conn, list);
    }
    buf_add_str(&conn->line, "authorization: ");
    sigv4_authorization(&key, r, &conn->line);
    ok = ok && add_header(conn, list);
    if (request->range_len > 0) {
        buf_addf(&conn->line, "range: bytes=%llu-%llu",
                 (unsigned long long)request->range_from,
                 (unsigned long long)(request->range_from + request->range_len -
                                      1));
        ok = ok && add_header(conn, list);
    }
    /* libcurl's own, which it would wait for, or which would be wrong. */
    buf_add_str(&conn->line, "expect:");
    ok = ok && add_header(conn, list);
    buf_add_str(&conn->line, "content-type:");
    return ok && add_header(conn, list);
}

/* Sign it: the URL goes into conn->url, the headers are returned. */
static struct curl_slist *sign(struct s3_connection *conn)
{
    const struct s3_config *c = conn->config;
    const struct s3_request *r = conn->request;
    char time[SIGV4_TIME_SIZE];
    struct buf path = BUF_INIT(TARGET_MAX);
    struct sigv4_pair headers[N_SIGNED] = {
        {"host", c->host},
        {"x-amz-content-sha256", r->body ? r->body->sha256 : S3_EMPTY_SHA256},
        {"x-amz-date", time},
    };
    struct sigv4_request s = {.method = r->method,
                              .query = r->query,
                              .n_query = r->n_query,
                              .headers = headers,
                              .n_headers = 3,
                              .payload = headers[1].value,
                              .time = time};
    struct curl_slist *list = NULL;

    sigv4_time(clock_s(&clock_system), time);
    if (r->content_sha256)
        headers[s.n_headers++] = (struct sigv4_pair){SHA256_HEADER,
                                                     r->content_sha256};
    if (c->credentials.token)
        headers[s.n_headers++] = (struct sigv4_pair){"x-amz-security-token",
                                                     c->credentials.token};
    assert(s.n_headers <= N_SIGNED);
    buf_addf(&path, "/%s%s%s", c->in_path ? c->bucket : "",
             c->in_path && r->key ? "/" : "", r->key ? r->key : "");
    s.path = buf_text(&path);
    buf_clear(&conn->line);
    buf_clear(&conn->url);
    buf_add_str(&conn->url, c->base);
    if (s.path)
        sigv4_target(&s, &conn->url);
    if (!s.path || !buf_text(&conn->url) || !add_headers(conn, &s, &list)) {
        conn->curl->slist_free_all(list);
        list = NULL;
    }
    buf_release(&path);
    return list;
}

static void set_options(struct s3_connection *conn, struct curl_slist *headers)
{
    int (*set)(void *, int, ...) = conn->curl->easy_setopt;
    const struct s3_config *c = conn->config;
    const struct s3_request *r = conn->request;
    void *easy = conn->easy;

    conn->curl->easy_reset(easy); /* keeps the connection */
    set(easy, LIBCURL_URL, conn->url.data);
    set(easy, LIBCURL_HTTPHEADER, headers);
    set(easy, LIBCURL_NOSIGNAL, 1L);
    set(easy, LIBCURL_PATH_AS_IS, 1L);
    set(easy, LIBCURL_HTTP_VERSION, (long)LIBCURL_HTTP_VERSION_1_1);
    set(easy, LIBCURL_TCP_NODELAY, 1L);
    set(easy, LIBCURL_TCP_KEEPALIVE, 1L);
    set(easy, LIBCURL_CONNECTTIMEOUT_MS, c->connect_ms);
    set(easy, LIBCURL_TIMEOUT_MS, c->request_ms);
    set(easy, LIBCURL_BUFFERSIZE, (long)BUFFER);
    set(easy, LIBCURL_UPLOAD_BUFFERSIZE, (long)BUFFER);
    set(easy, LIBCURL_FILETIME, 1L);
    set(easy, LIBCURL_USERAGENT, "quire/" QUIRE_VERSION);
    set(easy, LIBCURL_WRITEFUNCTION, receive_body);
    set(easy, LIBCURL_WRITEDATA, conn);
    set(easy, LIBCURL_HEADERFUNCTION, receive_header);
    set(easy, LIBCURL_HEADERDATA, conn);
    if (c->ca)
        set(easy, LIBCURL_CAINFO, c->ca);
    if (!strcmp(r->method, "HEAD")) {
        set(easy, LIBCURL_NOBODY, 1L);
    } else if (r->body) {
        set(easy, LIBCURL_UPLOAD, 1L);
        set(easy, LIBCURL_READFUNCTION, send_body);
        set(easy, LIBCURL_READDATA, conn);
        set(easy, LIBCURL_SEEKFUNCTION, seek_body);
        set(easy, LIBCURL_SEEKDATA, conn);
        set(easy, LIBCURL_INFILESIZE_LARGE, (int64_t)r->body->len);
    }
    if (strcmp(r->method, "HEAD") != 0)
        set(easy, LIBCURL_CUSTOMREQUEST, r->method);
}

quire_status s3_exchange(struct s3_connection *conn,
                         const struct s3_request *request,
                         struct s3_response *out, quire_error *err)
{
    const struct libcurl *curl = conn->curl;
    struct curl_slist *headers;

    *out = (struct s3_response){.length = -1,
                                .total = -1,
                                .first = -1,
                                .modified_s = -1};
    conn->request = request;
    conn->response = out;
    conn->sent = 0;
    buf_clear(&conn->error);
    if (request->into)
        buf_clear(request->into);
    headers = sign(conn);
    if (!headers)
        return err_memory(err);
    set_options(conn, headers);
    out->result = curl->easy_perform(conn->easy);
    curl->easy_getinfo(conn->easy, LIBCURL_RESPONSE_CODE, &out->status);
    curl->easy_getinfo(conn->easy, LIBCURL_CONTENT_LENGTH_DOWNLOAD_T,
                       &out->length);
    curl->easy_getinfo(conn->easy, LIBCURL_FILETIME_T, &out->modified_s);
    /* The headers have the signature, and libcurl no longer needs them. */
    curl->easy_setopt(conn->easy, LIBCURL_HTTPHEADER, NULL);
    curl->slist_free_all(headers);
    if (out->status >= 300)
        s3_read_error(buf_bytes(&conn->error), out->code);
    return out->result == LIBCURL_OUT_OF_MEMORY ||
                   (request->into && request->into->failed)
               ? err_memory(err)
               : QUIRE_OK;
}
