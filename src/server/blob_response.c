/*
 * blob_response.c - see blob_response.h
 *
 * The ETag is the digest: it serves 304, ranges and If-Range. Headers make a
 * browser save the content as a file, whatever its type says.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "server/blob_response.h"
#include "server/response_json.h"

/* ---- tags --------------------------------------------------------------- */

static bool is_etag(quire_bytes tag, const char *hex, enum etag_like like)
{
    const char *t = tag.data;

    return tag.len >= 64 && !memcmp(t, hex, 64) &&
           (tag.len == 64 || (like != ETAG_EXACT && tag.len == 69 &&
                              !memcmp(t + 64, "-gzip", 5)));
}

bool blob_response_etag_matches(quire_bytes list, const char *hex,
                                enum etag_like like)
{
    const char *from = list.data, *at = from, *end = from + list.len;

    while (at < end) {
        if (*at == '*')
            return true;
        if (*at == '"') {
            const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
            bool weak = at - from >= 2 && !memcmp(at - 2, "W/", 2);

            if (!close)
                return false;
            if ((like == ETAG_WEAK || !weak) &&
                is_etag(bytes_of(at + 1, (size_t)(close - at - 1)), hex, like))
                return true;
            at = close;
        }
        at++;
    }
    return false;
}

/* ---- ranges ------------------------------------------------------------- */

/* Digits only; saturates. */
static bool read_digits(const char **at, uint64_t *n)
{
    size_t len = strspn(*at, "0123456789");

    *n = len ? strtoull(*at, NULL, 10) : 0;
    *at += len;
    return len > 0;
}

/* "bytes=A-B": one range; several or malformed ones mean all of it. False: not
 * satisfiable. */
static bool read_range(quire_bytes value, uint64_t size, uint64_t *from,
                       uint64_t *to, bool *part)
{
    char text[64];
    const char *at = text;
    uint64_t a = 0, b = 0;
    bool first, last;

    *from = 0;
    *to = size;
    *part = false;
    if (!value.data || value.len >= sizeof text ||
        !bytes_starts(value, bytes_str("bytes=")))
        return true;
    memcpy(text, (const char *)value.data + 6, value.len - 6);
    text[value.len - 6] = '\0';
    first = read_digits(&at, &a);
    if (*at++ != '-')
        return true;
    last = read_digits(&at, &b);
    if (*at || (!first && !last) || (first && last && b < a))
        return true;
    *part = true;
    if (!first) {
        *from = b < size ? size - b : 0;
        return b > 0 && size > 0;
    }
    *from = a;
    *to = last && b < size ? b + 1 : size;
    return a < size;
}

/* The requested range. With If-Range it counts only if the content is unchanged. */
static quire_bytes range_asked(struct request *c, const char *hex)
{
    quire_bytes of = exchange_header(c->x, "If-Range");

    if (!bytes_is(exchange_head(c->x)->method, "GET") ||
        (of.data && (bytes_is(of, "*") ||
                     !blob_response_etag_matches(of, hex, ETAG_EXACT))))
        return bytes_of(NULL, 0);
    return exchange_header(c->x, "Range");
}

/* ---- sending ----------------------------------------------------------- */

/* ETag and caching. */
static void add_names(struct request *c, const char *hex, bool same)
{
    quire_bytes none = exchange_header(c->x, "If-None-Match");

    /* The tag by which the client has it. */
    response_header(&c->answer, "ETag", "\"%s%s\"", hex,
                    same &&
                            !blob_response_etag_matches(none, hex,
                                                        ETAG_EXACT) &&
                            blob_response_etag_matches(none, hex, ETAG_SAME)
                        ? "-gzip"
                        : "");
    response_header(&c->answer, "Cache-Control", "private, no-cache");
    response_header(&c->answer, "Accept-Ranges", "bytes");
}

static void add_kind(struct request *c, const char *mime)
{
    response_header(&c->answer, "Content-Type", "%s", mime);
    response_header(&c->answer, "Content-Security-Policy", "sandbox");
    response_header(&c->answer, "Content-Disposition", "attachment");
}

void blob_response_send(struct request *c, const quire_digest *digest,
                        uint64_t size, const char *mime)
{
    quire_bytes match = exchange_header(c->x, "If-Match");
    quire_bytes none = exchange_header(c->x, "If-None-Match");
    uint64_t from, to;
    bool part, same;
    char hex[65];
    quire_error err;
    quire_status st = QUIRE_OK;

    hex_encode(digest->byte, sizeof digest->byte, hex);
    same = none.data && blob_response_etag_matches(none, hex, ETAG_WEAK);
    add_names(c, hex, same);
    if (match.data && !blob_response_etag_matches(match, hex, ETAG_SAME)) {
        request_refuse(c, 412, "changed", "read it again, and retry",
                       "the content does not match the condition");
        return;
    }
    if (same) {
        c->answer.status = 304;
        return;
    }
    if (!read_range(range_asked(c, hex), size, &from, &to, &part)) {
        request_refuse(c, 416, "range", "ask for bytes within its size",
                       "the content has %llu bytes", (unsigned long long)size);
        response_header(&c->answer, "Content-Range", "bytes */%llu",
                        (unsigned long long)size);
        return;
    }
    add_kind(c, mime);
    if (part) {
        c->answer.status = 206;
        response_header(&c->answer, "Content-Range", "bytes %llu-%llu/%llu",
                        (unsigned long long)from, (unsigned long long)to - 1,
                        (unsigned long long)size);
    }
    /* The length is known without reading it. */
    if (to - from > SPOOL_FROM && bytes_is(exchange_head(c->x)->method, "HEAD"))
        c->answer.promised = to - from;
    else if (from < to)
        st = quire_blob_read(c->q, digest, from, to, request_write, c, &err);
    if (st)
        request_fail(c, st, &err);
}
