/*
 * access_log.c - request ids, log lines and counters
 *
 * Every answer passes here, refusals too, on the thread that made it and before it
 * is sent.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/timestamp.h"
#include "server/priv.h"

enum { ID_MAX = 128 };

/* ---- ids ---------------------------------------------------------------- */

static bool is_visible(quire_bytes text)
{
    const unsigned char *t = text.data;
    size_t i;

    for (i = 0; i < text.len; i++)
        if (t[i] <= 0x20 || t[i] >= 0x7f)
            return false;
    return text.len > 0;
}

/* A keyed hash of a counter: two ids do not reveal how many requests, of other
 * tenants, came between them. */
static void make_id(struct server *s, char out[ID_MAX + 1])
{
    uint64_t n[2] = {atomic_fetch_add(&s->n_ids, 1), 0};
    uint64_t high = map_hash(s->salt, bytes_of(n, sizeof n)), low;

    n[1] = 1;
    low = map_hash(s->salt, bytes_of(n, sizeof n));
    snprintf(out, ID_MAX + 1, "%016llx%08llx", (unsigned long long)high,
             (unsigned long long)(low >> 32));
}

/* The client's X-Request-Id, or a new unique id. */
static void choose_id(struct request *c, char out[ID_MAX + 1])
{
    quire_bytes given = exchange_header(c->x, "X-Request-Id");

    if (given.data && given.len <= ID_MAX && is_visible(given))
        snprintf(out, ID_MAX + 1, "%.*s", (int)given.len,
                 (const char *)given.data);
    else
        make_id(c->server, out);
}

/* "00-<32 hex digits>-<16>-<2>", of which not all are zeros: W3C Trace Context.
 * A later version may have more behind it. */
static bool is_traceparent(quire_bytes value)
{
    static const char shape[] =
        "xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
    const char *t = value.data;
    size_t i, n = sizeof shape - 1;

    if (!t || value.len < n || value.len > ID_MAX || !is_visible(value))
        return false;
    for (i = 0; i < n; i++)
        if (shape[i] == '-'
                ? t[i] != '-'
                : hex_digit(t[i]) < 0 || (t[i] >= 'A' && t[i] <= 'F'))
            return false;
    return memcmp(t, "ff", 2) != 0 && strspn(t + 3, "0") < 32 &&
           strspn(t + 36, "0") < 16 &&
           (value.len == n || (memcmp(t, "00", 2) != 0 && t[n] == '-'));
}

/* ---- headers ------------------------------------------------------------ */

static void add_headers(struct request *c, const char *id, bool varies)
{
    quire_bytes trace = exchange_header(c->x, "traceparent");
    quire_bytes origin = auth_cors_origin(c);
    bool sites = c->server->c.origins && *c->server->c.origins;
    bool html = c->match.route && c->match.route->flags & ROUTE_HTML;

    /* A browser shows an answer only where it was asked for, as what it is, and
     * keeps no copy unless the handler allows it. */
    response_header(&c->answer, "X-Request-Id",
                    "%s\r\nX-Content-Type-Options: nosniff\r\n"
                    "Referrer-Policy: no-referrer\r\n"
                    "Cross-Origin-Resource-Policy: same-origin",
                    id);
    if (!response_find(&c->answer, "Cache-Control").data)
        response_header(&c->answer, "Cache-Control", "no-store");
    if (is_traceparent(trace))
        response_header(&c->answer, "traceparent", "%.*s", (int)trace.len,
                        (const char *)trace.data);
    if (varies || sites || html)
        response_header(&c->answer, "Vary", "%s%s%s%s%s", html ? "Accept" : "",
                        html && varies ? ", " : "",
                        varies ? "Accept-Encoding" : "",
                        (html || varies) && sites ? ", " : "",
                        sites ? "Origin" : "");
    if (!origin.data)
        return;
    response_header(&c->answer, "Access-Control-Allow-Origin", "%.*s",
                    (int)origin.len, (const char *)origin.data);
    response_header(&c->answer, "Access-Control-Expose-Headers",
                    "ETag, Retry-After, X-Request-Id, traceparent, "
                    "Content-Range, Idempotency-Replayed, Mcp-Session-Id");
}

/* ---- the log ------------------------------------------------------------ */

static void begin_line(struct json_writer *w, struct buf *line,
                       const char *level)
{
    char when[TIMESTAMP_SIZE];

    timestamp_format(clock_us(&clock_system), when);
    json_begin(w, line);
    json_object(w);
    json_put_str(w, "time", when);
    json_put_str(w, "level", level);
}

static void put_member(struct json_writer *w, const char *key, const char *text)
{
    json_put_str(w, key, text);
}

static void put_count(struct json_writer *w, const char *key, uint64_t n)
{
    json_put_int(w, key, (int64_t)n);
}

static void end_line(struct server *s, struct json_writer *w, struct buf *line)
{
    json_object_end(w);
    buf_add_char(line, '\n');
    log_add(s->log, line);
    buf_release(line);
}

/* Whether the server failed, not the client. */
static bool is_failure(int status)
{
    return status >= 500 && status != 501 && status != 505;
}

struct measures {
    int64_t us;
    uint64_t in, out;
};

/* The line has the name of the operation, not the address, which may hold private
 * data. */
static void log_call(struct request *c, const char *id,
                     const struct measures *m)
{
    struct buf line = BUF_INIT(16 * 1024);
    quire_bytes method = exchange_head(c->x)->method;
    quire_bytes trace = exchange_header(c->x, "traceparent");
    bool bad = is_failure(c->answer.status);
    struct json_writer w;
    char ms[32];

    begin_line(&w, &line, bad ? "error" : "info");
    put_member(&w, "id", id);
    json_put_bytes(&w, "method",
                   bytes_of(method.data, method.len < 20 ? method.len : 20));
    put_member(&w, "route", c->route ? c->route->name : "none");
    put_count(&w, "status", (uint64_t)c->answer.status);
    snprintf(ms, sizeof ms, "%.3f", (double)m->us / 1000);
    json_put_raw(&w, "ms", bytes_str(ms));
    put_count(&w, "bytes_in", m->in);
    put_count(&w, "bytes_out", m->out);
    json_key(&w, "tenant");
    if (c->tenant.id)
        json_int(&w, c->tenant.id);
    else
        json_null(&w);
    if (is_traceparent(trace)) {
        json_put_bytes(&w, "trace", bytes_of((const char *)trace.data + 3, 32));
    }
    if (bad && c->why) {
        put_member(&w, "error", c->why);
        if (c->why_next && *c->why_next)
            put_member(&w, "hint", c->why_next);
    }
    end_line(c->server, &w, &line);
}

void log_event(struct server *s, const char *level, const char *what,
               const quire_error *err)
{
    struct buf line = BUF_INIT(16 * 1024);
    struct json_writer w;

    if (s->c.log == SERVER_LOG_NONE)
        return;
    begin_line(&w, &line, level);
    put_member(&w, "event", what);
    if (err) {
        put_member(&w, "error", err->what);
        if (*err->next)
            put_member(&w, "hint", err->next);
    }
    end_line(s, &w, &line);
}

/* ---- finishing ---------------------------------------------------------- */

void request_log(struct request *c)
{
    enum server_log level = c->server->c.log;
    bool varies = compress_response(c);
    struct measures m = {.us = clock_steady_us() - c->began_us};
    bool bodiless = c->answer.status == 204 || c->answer.status == 304 ||
                    bytes_is(exchange_head(c->x)->method, "HEAD");
    char id[ID_MAX + 1];

    choose_id(c, id);
    add_headers(c, id, varies);
    m.in = c->early ? 0 : exchange_body(c->x).len;
    m.out = bodiless ? 0 : response_bytes(&c->answer).len;
    if (c->thread_ctx)
        metrics_count(c->thread_ctx->metrics,
                      c->route ? (int)(c->route - routes) : -1,
                      c->answer.status, m.us, m.in, m.out);
    if (level == SERVER_LOG_ALL ||
        (level == SERVER_LOG_ERRORS && is_failure(c->answer.status)))
        log_call(c, id, &m);
}
