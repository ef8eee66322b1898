/*
 * auth.c - authentication, origin checks and rate limits
 *
 * pipeline.c calls the checks in this order: Host, Origin, bearer token, rate
 * limit. Before them a client learns nothing about what exists.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/bytes.h"
#include "base/err.h"
#include "server/priv.h"
#include "server/response_json.h"

/* Unknown tokens from one address: so many a second, so many at once. */
enum { LOGIN_RATE = 1, LOGIN_BURST = 20 };

/* ---- Host and Origin ---------------------------------------------------- */

static bool is_host(quire_bytes host, const char *name)
{
    size_t len = strlen(name);
    const char *h = host.data;

    return host.len >= len && !strncasecmp(h, name, len) &&
           (host.len == len || h[len] == ':');
}

/* DNS rebinding: a page of another site can point its own name at this address,
 * but the browser still sends that name as Host. */
static bool is_known_host(const struct server *s, quire_bytes host)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *const *name;
    char bare[80];
    size_t i;

    if (!host.data)
        return true; /* HTTP/1.0 */
    for (i = 0; i < sizeof local / sizeof *local; i++)
        if (is_host(host, local[i]))
            return true;
    snprintf(bare, sizeof bare, strchr(s->c.host, ':') ? "[%s]" : "%s",
             s->c.host);
    if (is_host(host, bare))
        return true;
    for (name = s->c.hosts; name && *name; name++)
        if (is_host(host, *name))
            return true;
    return false;
}

/* "https://app.example", in any case. */
static bool is_allowed_origin(const struct server *s, quire_bytes origin)
{
    const char *const *name;

    for (name = s->c.origins; name && *name; name++)
        if (origin.len == strlen(*name) &&
            !strncasecmp(origin.data, *name, origin.len))
            return true;
    return false;
}

quire_bytes auth_cors_origin(const struct request *c)
{
    quire_bytes origin = exchange_header(c->x, "Origin");

    return origin.data && is_allowed_origin(c->server, origin)
               ? origin
               : bytes_of(NULL, 0);
}

/* A page of this server, or of another one on the same host. */
static bool is_same_host(const struct server *s, quire_bytes origin)
{
    const char *t = origin.data;
    size_t scheme = origin.len > 7 && !strncasecmp(t, "http://", 7)    ? 7
                    : origin.len > 8 && !strncasecmp(t, "https://", 8) ? 8
                                                                       : 0;

    return scheme &&
           is_known_host(s, bytes_of(t + scheme, origin.len - scheme));
}

/* Whether a browser says that a page of another site asks. Following a link to the
 * viewer's page is allowed: it shows nothing without a token. */
static bool is_cross_site(const struct request *c)
{
    quire_bytes site = exchange_header(c->x, "Sec-Fetch-Site");

    return site.data && !bytes_is(site, "same-origin") &&
           !bytes_is(site, "none") &&
           !(bytes_is(exchange_header(c->x, "Sec-Fetch-Dest"), "document") &&
             bytes_is(exchange_head(c->x)->path, "/"));
}

bool auth_check_origin(struct request *c)
{
    const struct server *s = c->server;
    quire_bytes origin = exchange_header(c->x, "Origin");

    if (!is_known_host(s, exchange_head(c->x)->host)) {
        request_refuse(c, 403, "forbidden",
                       "use the name the server listens at, or start it with "
                       "--host",
                       "unknown host name");
        return false;
    }
    if (origin.data ? is_same_host(s, origin) || is_allowed_origin(s, origin)
                    : !is_cross_site(c))
        return true;
    request_refuse(c, 403, "forbidden",
                   "start the server with --allow-origin for this site",
                   "this origin is not allowed");
    return false;
}

void auth_preflight(struct request *c, const char *allowed)
{
    c->answer.status = 204;
    response_header(&c->answer, "Allow", "%s, OPTIONS", allowed);
    if (!auth_cors_origin(c).data ||
        !exchange_header(c->x, "Access-Control-Request-Method").data)
        return;
    response_header(&c->answer, "Access-Control-Allow-Methods", "%s", allowed);
    response_header(
        &c->answer, "Access-Control-Allow-Headers",
        "Authorization, Content-Type, Idempotency-Key, If-Match, "
        "If-None-Match, If-Range, Range, X-Request-Id, traceparent, "
        "Accept, Quire-Session, MCP-Protocol-Version, Mcp-Method, "
        "Mcp-Name, Mcp-Session-Id, Last-Event-ID");
    response_header(&c->answer, "Access-Control-Max-Age", "600");
}

/* ---- content headers ---------------------------------------------------- */

static bool refuse_type(struct request *c, const char *hint,
                        const char *message)
{
    request_refuse(c, 415, "unsupported_type", hint, "%s", message);
    return false;
}

/* "application/json; charset=utf-8", a "+json" type, or the type that curl sends
 * by default. */
static bool is_json_type(const char *type)
{
    size_t n = strcspn(type, "; \t");
    const char *charset = strcasestr(type + n, "charset=");

    if (charset) {
        charset += strlen("charset=");
        charset += *charset == '"';
        if (strncasecmp(charset, "utf-8", 5) != 0)
            return false;
    }
    return (n == 16 && !strncasecmp(type, "application/json", n)) ||
           (n == 33 &&
            !strncasecmp(type, "application/x-www-form-urlencoded", n)) ||
           (n > 5 && !strncasecmp(type + n - 5, "+json", 5));
}

bool auth_check_content_type(struct request *c)
{
    const struct head *head = exchange_head(c->x);
    quire_bytes type = exchange_header(c->x, "Content-Type");
    quire_bytes coding = exchange_header(c->x, "Content-Encoding");
    const char *text;

    if (c->route->flags & ROUTE_WRITE &&
        exchange_header(c->x, "Content-Range").data) {
        request_refuse(c, 400, "invalid", "send all of it",
                       "Content-Range is not supported");
        return false;
    }
    if (head->length == 0 && !head->chunked)
        return true;
    if (coding.len > 0 && !bytes_is(coding, "identity")) {
        refuse_type(c, "send it without a Content-Encoding",
                    "compressed bodies are not supported");
        response_header(&c->answer, "Accept-Encoding", "identity");
        return false;
    }
    text = type.len > 0 && !(c->route->flags & ROUTE_RAW)
               ? arena_text(&c->keep, type)
               : NULL;
    return !text || is_json_type(text) ||
           refuse_type(c, "send Content-Type: application/json",
                       "the body must be JSON in UTF-8");
}

static bool contains(quire_bytes text, const char *word)
{
    return text.len > 0 && memmem(text.data, text.len, word, strlen(word));
}

bool auth_accepts_html(const struct request *c)
{
    quire_bytes accept = exchange_header(c->x, "Accept");

    return contains(accept, "text/html") || !contains(accept, "json");
}

/* ---- peer addresses ----------------------------------------------------- */

static bool is_v4(const struct sockaddr_in6 *a)
{
    return IN6_IS_ADDR_V4MAPPED(&a->sin6_addr);
}

static bool is_loopback(const struct sockaddr_storage *peer)
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)peer;
    const struct sockaddr_in *four = (const struct sockaddr_in *)peer;

    if (peer->ss_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    return peer->ss_family == AF_INET6 &&
           (IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) ||
            (is_v4(six) && six->sin6_addr.s6_addr[12] == 127));
}

static bool read_peer(const struct request *c, struct sockaddr_storage *peer)
{
    socklen_t len = sizeof *peer;

    memset(peer, 0, sizeof *peer);
    return !getpeername(exchange_socket(c->x), (struct sockaddr *)peer, &len);
}

bool auth_is_local(const struct request *c)
{
    static const char *const marks[] = {"Forwarded", "X-Forwarded-For", "Via",
                                        "X-Real-IP"};
    struct sockaddr_storage peer;
    size_t i;

    for (i = 0; i < sizeof marks / sizeof *marks; i++)
        if (exchange_header(c->x, marks[i]).data)
            return false;
    return read_peer(c, &peer) && is_loopback(&peer);
}

/* The key of an address for the rate limit: of IPv6 the /64 of one subscriber. 0:
 * loopback, where a proxy stands for many clients and has its own limit. */
static uint64_t peer_key(const struct request *c)
{
    struct sockaddr_storage peer;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&peer;
    const struct sockaddr_in *four = (const struct sockaddr_in *)&peer;
    uint64_t half;
    uint32_t v4;

    if (!read_peer(c, &peer) || is_loopback(&peer))
        return 0;
    if (peer.ss_family == AF_INET)
        return four->sin_addr.s_addr | UINT64_C(1) << 32;
    if (peer.ss_family != AF_INET6)
        return 0;
    memcpy(&v4, six->sin6_addr.s6_addr + 12, sizeof v4);
    memcpy(&half, six->sin6_addr.s6_addr, sizeof half);
    return is_v4(six) ? v4 | UINT64_C(1) << 32 : half;
}

/* ---- rate limits -------------------------------------------------------- */

static bool refuse_rate(struct request *c, int64_t wait_ns, const char *hint,
                        const char *message)
{
    long long wait_s = wait_ns / 1000000000 + 1;

    buf_clear(&c->answer.headers);
    response_error(&c->answer, 429, "rate_limited", hint, "%s", message);
    response_header(&c->answer, "Retry-After", "%lld", wait_s);
    if (c->answer.body.failed)
        return false;
    /* Some clients expect it in the body: insert it before "}\n". */
    c->answer.body.len -= 2;
    buf_addf(&c->answer.body,
             ",\"reason\":\"rate_limited\",\"retry_after_seconds\":%lld}\n",
             wait_s);
    return false;
}

static bool may_try_token(struct request *c)
{
    struct server *s = c->server;
    int64_t now_ns = clock_steady_us() * 1000, wait_ns;
    uint64_t key = rate_limit_is_full(s->logins, now_ns) ? 0 : peer_key(c);

    if (!key || rate_limit_has(s->logins, key, LOGIN_RATE, LOGIN_BURST, now_ns,
                               &wait_ns))
        return true;
    atomic_fetch_add(&s->limited_logins, 1);
    return refuse_rate(c, wait_ns, "wait, and send a valid token",
                       "too many unknown tokens from this address");
}

static void count_failure(struct request *c)
{
    uint64_t key = peer_key(c);
    int64_t wait_ns;

    if (key)
        rate_limit_take(c->server->logins, key, 1, LOGIN_RATE, LOGIN_BURST,
                        clock_steady_us() * 1000, &wait_ns);
}

/* The most requests at once. */
static uint64_t burst_of(const struct server_settings *settings)
{
    return settings->burst ? settings->burst : settings->rate;
}

bool auth_check_rate(struct request *c, uint64_t n)
{
    struct server *s = c->server;
    const struct server_settings *settings = server_settings(s);
    int64_t wait_ns;

    if (!settings->rate ||
        rate_limit_take(s->tenants, (uint64_t)c->tenant.id, n, settings->rate,
                        burst_of(settings), clock_steady_us() * 1000, &wait_ns))
        return true;
    atomic_fetch_add(&s->limited, 1);
    return refuse_rate(c, wait_ns, "wait as long as Retry-After says",
                       "the tenant exceeds its rate limit");
}

bool auth_check_batch(struct request *c, uint64_t n)
{
    const struct server_settings *settings = server_settings(c->server);

    if (settings->rate && n > burst_of(settings)) {
        request_refuse(c, 400, "invalid", "send them in several batches",
                       "the batch has %llu messages, the rate limit allows "
                       "%llu at once",
                       (unsigned long long)n,
                       (unsigned long long)burst_of(settings));
        return false;
    }
    return n < 2 || auth_check_rate(c, n - 1);
}

/* ---- tokens ------------------------------------------------------------- */

/* The token of "Authorization: Bearer", in `keep`; NULL: none. */
static const char *read_token(struct request *c)
{
    quire_bytes value = exchange_header(c->x, "Authorization");
    const char *t = value.data;

    if (!t || value.len <= 7 || value.len > 200 ||
        strncasecmp(t, "Bearer ", 7) != 0)
        return NULL;
    return arena_text(&c->keep, bytes_of(t + 7, value.len - 7));
}

/* Constant time for texts of one length. */
static bool is_same_secret(const char *a, const char *b)
{
    size_t n = strlen(a), i;
    unsigned differs = n != strlen(b);

    for (i = 0; i < n; i++)
        differs |= (unsigned)(a[i] ^ b[strlen(b) == n ? i : 0]);
    return !differs;
}

static bool refuse_token(struct request *c, const char *token)
{
    if (token)
        count_failure(c);
    request_refuse(c, 401, "unauthorized",
                   "send the header Authorization: Bearer <token>",
                   "missing or unknown token");
    response_header(&c->answer, "WWW-Authenticate", "Bearer");
    return false;
}

static bool is_admin_token(struct request *c, const char *token)
{
    const char *expected = server_settings(c->server)->admin_token;

    return *expected && is_same_secret(token, expected);
}

/* A valid token without the right: 403. The client knows the token, so it learns
 * nothing. */
static bool refuse_right(struct request *c, bool admin)
{
    request_refuse(c, 403, "forbidden",
                   admin ? "send the admin token"
                         : "send the token of a tenant",
                   admin ? "a tenant's token cannot administer the server"
                         : "the admin token cannot read or write a tenant's "
                           "data");
    return false;
}

/* QUIRE_NOT_FOUND also for a token that is valid, but not from there. */
static quire_status find_tenant(struct request *c, const char *token,
                                quire_tenant *out, quire_error *err)
{
    quire_status st = quire_tenant_by_token(c->thread_ctx->root, token, out,
                                            err);

    return !st && out->token_flags & QUIRE_TOKEN_LOCAL && !auth_is_local(c)
               ? QUIRE_NOT_FOUND
               : st;
}

/* False: answered. */
static bool check_home(struct request *c)
{
    if (!c->route || !(c->route->flags & ROUTE_HOME))
        return true;
    if (c->tenant.id != TENANT_DEFAULT)
        request_refuse(c, 403, "forbidden", "send a token of tenant `default`",
                       "only the tenant `default` owns the files of this "
                       "machine");
    else if (!auth_is_local(c))
        request_refuse(c, 403, "forbidden", "ask on the server's machine",
                       "this is answered on the server's machine alone");
    else
        return true;
    return false;
}

/* False: answered. */
static bool check_rights(struct request *c)
{
    quire_bytes method = exchange_head(c->x)->method;

    if (!(c->tenant.token_flags & QUIRE_TOKEN_READ_ONLY) ||
        bytes_is(method, "GET") || bytes_is(method, "HEAD") ||
        (c->route && c->route->flags & ROUTE_READS))
        return true;
    request_refuse(c, 403, "forbidden", "send a token that may write",
                   "this token may only read");
    return false;
}

static bool check_admin(struct request *c, const char *token)
{
    quire_tenant tenant;
    quire_error err;
    quire_status st;

    if (is_admin_token(c, token))
        return true;
    st = find_tenant(c, token, &tenant, &err);
    if (st == QUIRE_NOT_FOUND)
        return refuse_token(c, token);
    if (!st)
        return refuse_right(c, true);
    request_fail(c, st, &err);
    return false;
}

bool auth_check_token(struct request *c, bool admin)
{
    const char *token = read_token(c), *name;
    quire_error err;
    quire_status st;

    if (!token)
        return refuse_token(c, NULL);
    if (!may_try_token(c))
        return false;
    if (admin)
        return check_admin(c, token);
    st = find_tenant(c, token, &c->tenant, &err);
    if (st == QUIRE_NOT_FOUND)
        return is_admin_token(c, token) ? refuse_right(c, false)
                                        : refuse_token(c, token);
    name = st ? NULL : arena_text(&c->keep, bytes_str(c->tenant.name));
    if (!st && !name)
        st = err_memory(&err);
    c->tenant.name = name;
    if (st)
        request_fail(c, st, &err);
    return !st && check_rights(c) && check_home(c);
}

bool auth_is_current(struct request *c)
{
    const char *token = read_token(c);
    quire_tenant now;

    return token &&
           !quire_tenant_by_token(c->thread_ctx->root, token, &now, NULL) &&
           now.id == c->tenant.id;
}
