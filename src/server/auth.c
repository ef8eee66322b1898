/*
 * auth.c - who may ask
 *
 * By which name the server is called and from which site comes first, then whose
 * the token is, then how often it has come. What there is is nobody's business
 * before that.
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

/* Tokens that nobody knows, from one address. */
enum { LOGIN_RATE = 1, LOGIN_BURST = 20 };

/* ---- names ------------------------------------------------------------- */

static bool is_host(quire_bytes host, const char *name)
{
    size_t len = strlen(name);
    const char *h = host.data;

    return host.len >= len && !strncasecmp(h, name, len) &&
           (host.len == len || h[len] == ':');
}

/* A page of another site can make a browser ask us by a name of its own that
 * leads here. It cannot make it say another Host. */
static bool is_called_right(const struct server *s, quire_bytes host)
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

/* "https://app.example" or one like it, whatever its case. */
static bool is_allowed(const struct server *s, quire_bytes origin)
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

    return origin.data && is_allowed(c->server, origin) ? origin
                                                        : bytes_of(NULL, 0);
}

/* A page of the server itself, or of another that runs where it does. */
static bool is_own_page(const struct server *s, quire_bytes origin)
{
    const char *t = origin.data;
    size_t scheme = origin.len > 7 && !strncasecmp(t, "http://", 7)    ? 7
                    : origin.len > 8 && !strncasecmp(t, "https://", 8) ? 8
                                                                       : 0;

    return scheme &&
           is_called_right(s, bytes_of(t + scheme, origin.len - scheme));
}

bool auth_check_origin(struct request *c)
{
    const struct server *s = c->server;
    quire_bytes origin = exchange_header(c->x, "Origin");

    if (!is_called_right(s, exchange_head(c->x)->host)) {
        request_refuse(c, 403, "forbidden",
                       "ask by the name it listens at, or let the server know "
                       "another with --host",
                       "the server is not called so");
        return false;
    }
    if (!origin.data || is_own_page(s, origin) || is_allowed(s, origin))
        return true;
    request_refuse(c, 403, "forbidden",
                   "let the server know the site with --allow-origin",
                   "pages of this origin may not ask");
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

/* ---- what is sent ------------------------------------------------------- */

static bool refuse_type(struct request *c, const char *hint, const char *words)
{
    request_refuse(c, 415, "unsupported_type", hint, "%s", words);
    return false;
}

/* "application/json; charset=utf-8", one of its kind, or what curl says of
 * anything that it is not told about. */
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
                       "a part of something cannot be sent");
        return false;
    }
    if (head->length == 0 && !head->chunked)
        return true;
    if (coding.len > 0 && !bytes_is(coding, "identity")) {
        refuse_type(c, "send it without a Content-Encoding",
                    "what is sent may not be packed");
        response_header(&c->answer, "Accept-Encoding", "identity");
        return false;
    }
    text = type.len > 0 && !(c->route->flags & ROUTE_RAW)
               ? arena_text(&c->keep, type)
               : NULL;
    return !text || is_json_type(text) ||
           refuse_type(c, "send Content-Type: application/json",
                       "what is sent here is JSON, in UTF-8");
}

/* ---- from where --------------------------------------------------------- */

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

/* What an address counts as: of IPv6 the half that one subscriber has. 0: it is
 * this machine, where a proxy speaks for many, and counts for itself. */
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

/* ---- how often ---------------------------------------------------------- */

static bool too_often(struct request *c, int64_t wait_ns, const char *hint,
                      const char *words)
{
    long long wait_s = wait_ns / 1000000000 + 1;

    buf_clear(&c->answer.headers);
    response_error(&c->answer, 429, "rate_limited", hint, "%s", words);
    response_header(&c->answer, "Retry-After", "%lld", wait_s);
    if (c->answer.body.failed)
        return false;
    /* There are clients that look for it in the body: before its "}\n". */
    c->answer.body.len -= 2;
    buf_addf(&c->answer.body,
             ",\"reason\":\"rate_limited\",\"retry_after_seconds\":%lld}\n",
             wait_s);
    return false;
}

static bool may_try(struct request *c)
{
    struct server *s = c->server;
    int64_t now_ns = clock_steady_us() * 1000, wait_ns;
    uint64_t key = rate_limit_is_full(s->logins, now_ns) ? 0 : peer_key(c);

    if (!key || rate_limit_has(s->logins, key, LOGIN_RATE, LOGIN_BURST, now_ns,
                               &wait_ns))
        return true;
    atomic_fetch_add(&s->limited_logins, 1);
    return too_often(c, wait_ns, "wait, and send a token that is known",
                     "too many unknown tokens came from this address");
}

static void note_failure(struct request *c)
{
    uint64_t key = peer_key(c);
    int64_t wait_ns;

    if (key)
        rate_limit_take(c->server->logins, key, LOGIN_RATE, LOGIN_BURST,
                        clock_steady_us() * 1000, &wait_ns);
}

bool auth_check_rate(struct request *c)
{
    struct server *s = c->server;
    const struct server_settings *rules = rules_of(s);
    int64_t wait_ns;

    if (!rules->rate ||
        rate_limit_take(s->tenants, (uint64_t)c->tenant.id, rules->rate,
                        rules->burst ? rules->burst : rules->rate,
                        clock_steady_us() * 1000, &wait_ns))
        return true;
    atomic_fetch_add(&s->limited, 1);
    return too_often(c, wait_ns, "wait as long as Retry-After says",
                     "the tenant asks more often than it may");
}

/* ---- tokens ------------------------------------------------------------- */

/* The token of "Authorization: Bearer", in `keep`; NULL: there is none. */
static const char *read_token(struct request *c)
{
    quire_bytes value = exchange_header(c->x, "Authorization");
    const char *t = value.data;

    if (!t || value.len <= 7 || value.len > 200 ||
        strncasecmp(t, "Bearer ", 7) != 0)
        return NULL;
    return arena_text(&c->keep, bytes_of(t + 7, value.len - 7));
}

/* Takes as long for any two of one length. */
static bool is_same_secret(const char *a, const char *b)
{
    size_t n = strlen(a), i;
    unsigned differs = n != strlen(b);

    for (i = 0; i < n; i++)
        differs |= (unsigned)(a[i] ^ b[strlen(b) == n ? i : 0]);
    return !differs;
}

static bool unknown(struct request *c, const char *token)
{
    if (token)
        note_failure(c);
    request_refuse(c, 401, "unauthorized",
                   "send the header Authorization: Bearer and a token",
                   "there is no token, or none that is known");
    response_header(&c->answer, "WWW-Authenticate", "Bearer");
    return false;
}

bool auth_admit(struct request *c, bool admin, bool charge)
{
    const char *token = read_token(c), *name;
    const char *expected = rules_of(c->server)->admin_token;
    quire_error err;
    quire_status st;

    if (!token)
        return unknown(c, NULL);
    if (!may_try(c))
        return false;
    if (admin) {
        if (!*expected || !is_same_secret(token, expected))
            return unknown(c, token);
        return true;
    }
    st = quire_tenant_by_token(c->thread_ctx->root, token, &c->tenant, &err);
    if (st == QUIRE_NOT_FOUND)
        return unknown(c, token);
    name = st ? NULL : arena_text(&c->keep, bytes_str(c->tenant.name));
    if (!st && !name)
        st = err_memory(&err);
    c->tenant.name = name;
    if (st)
        request_fail(c, st, &err);
    return !st && (!charge || auth_check_rate(c));
}
