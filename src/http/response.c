/* response.c - what is said, in the one shape that errors have; see http.h */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "http/http.h"

const char *http_reason(int status)
{
    static const struct {
        int status;
        const char *words;
    } list[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {206, "Partial Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {416, "Range Not Satisfiable"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };
    size_t i;

    for (i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].status == status)
            return list[i].words;
    return "Unknown";
}

struct response response_new(void)
{
    return (struct response){.status = 500,
                             .headers = BUF_INIT(64 * 1024),
                             .body = BUF_INIT((size_t)1 << 31)};
}

void response_release(struct response *a)
{
    buf_release(&a->headers);
    buf_release(&a->body);
    spool_free(a->content);
    a->content = NULL;
}

quire_bytes response_bytes(const struct response *a)
{
    return a->content ? spool_bytes(a->content) : buf_bytes(&a->body);
}

void response_header(struct response *a, const char *name, const char *fmt, ...)
{
    char value[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(value, sizeof value, fmt, ap);
    va_end(ap);
    buf_addf(&a->headers, "%s: %s\r\n", name, value);
}

quire_bytes response_find(const struct response *a, const char *name)
{
    const char *at = a->headers.data, *end = at + a->headers.len, *line;
    size_t len = strlen(name);

    for (; at && at < end; at = line + 2) {
        line = memmem(at, (size_t)(end - at), "\r\n", 2);
        if (!line)
            break;
        if ((size_t)(line - at) > len + 2 && !memcmp(at, name, len) &&
            at[len] == ':')
            return bytes_of(at + len + 2, (size_t)(line - at) - len - 2);
    }
    return bytes_of(NULL, 0);
}

void response_error(struct response *a, int status, const char *kind,
                    const char *hint, const char *fmt, ...)
{
    struct json_writer w;
    char words[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    a->status = status;
    buf_clear(&a->body);
    spool_free(a->content);
    a->content = NULL;
    json_begin(&w, &a->body);
    json_object(&w);
    json_put_str(&w, "error", words);
    json_put_str(&w, "kind", kind);
    json_put_str(&w, "hint", hint);
    json_object_end(&w);
    buf_add_char(&a->body, '\n');
    response_header(a, "Content-Type", "application/json");
}
