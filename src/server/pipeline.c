/*
 * pipeline.c - the phases of a request
 *
 *     head    Host, Origin, route, token, rate limit; with a body also its type
 *             and size. Runs once. The result, a struct request, stays on the
 *             exchange while the body arrives.
 *     body    a body that arrived later than its head: the token is checked
 *             again, because it may have been revoked meanwhile
 *     fields  query and body are read and validated
 *     run     on the loop (ROUTE_INLINE), in a group commit, or by a worker
 *
 * The first three run on the thread of the event loop.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "server/group_commit.h"
#include "server/mark_secrets.h"
#include "server/priv.h"
#include "server/response_json.h"

static struct request *request_new(struct server *s, struct exchange *x)
{
    struct request *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->server = s;
    c->x = x;
    c->answer = response_new();
    c->began_us = clock_steady_us();
    c->thread_ctx = thread_ctx_get(s, CACHE_KIB);
    return c;
}

static bool has_body(const struct request *c)
{
    const struct head *head = exchange_head(c->x);

    return head->length || head->chunked;
}

static bool is_options(const struct request *c)
{
    return bytes_is(exchange_head(c->x)->method, "OPTIONS");
}

static bool has_flag(const struct request *c, unsigned flag)
{
    return c->route && c->route->flags & flag;
}

/* ---- the response cache ------------------------------------------------- */

/* Whether the answer depends only on the address, the token, the encoding and the
 * catalogue. */
static bool is_cacheable(const struct request *c)
{
    static const char *const depends[] = {"If-Match",
                                          "If-None-Match",
                                          "If-Modified-Since",
                                          "If-Unmodified-Since",
                                          "If-Range",
                                          "Range"};
    size_t i;

    if (!has_flag(c, ROUTE_CACHEABLE) || has_body(c))
        return false;
    for (i = 0; i < sizeof depends / sizeof *depends; i++)
        if (exchange_header(c->x, depends[i]).data)
            return false;
    return true;
}

/* Answer from the cache. False: not found; the answer of this request is to be
 * added. */
static bool answer_from_cache(struct request *c)
{
    const struct head *head = exchange_head(c->x);
    quire_bytes token = exchange_header(c->x, "Authorization");
    struct thread_ctx *d = c->thread_ctx;
    const char *text;

    if (!d->response_cache)
        d->response_cache = response_cache_new();
    c->state = quire_changes(d->root);
    if (c->state)
        c->state += (int64_t)d->n_opened << 32;
    text = arena_printf(&c->keep, "%s%s\n%.*s\n%.*s?%.*s",
                        wants_secret_marks(c) ? "marks " : "",
                        compress_wants_gzip(
                            exchange_header(c->x, "Accept-Encoding"))
                            ? "gzip"
                            : "",
                        (int)token.len,
                        token.data ? (const char *)token.data : "",
                        (int)head->path.len, (const char *)head->path.data,
                        (int)head->query.len,
                        head->query.data ? (const char *)head->query.data : "");
    if (!d->response_cache || !c->state || !text)
        return false;
    c->cache_key = bytes_str(text);
    c->response_cache = d->response_cache;
    return response_cache_find(c->response_cache, c->cache_key, c->state,
                               &c->answer, &c->tenant.id);
}

/* ---- head --------------------------------------------------------------- */

static bool needs_admin(const struct request *c)
{
    quire_bytes path = exchange_head(c->x)->path;

    if (c->route)
        return c->route->flags & ROUTE_ADMIN;
    return bytes_is(path, "/v1/admin") ||
           bytes_starts(path, bytes_str("/v1/admin/"));
}

/* Route the request and check that its sender may send it. An unknown address
 * needs a token too: what exists is not public. False: answered. */
static bool authorize(struct request *c)
{
    if (!c->thread_ctx) {
        request_refuse(c, 503, "busy", "try again",
                       "the store cannot be opened");
        return false;
    }
    if (!auth_check_origin(c))
        return false;
    router_find(c->server->router, exchange_head(c->x), &c->keep, &c->match);
    c->route = c->match.route;
    if (has_flag(c, ROUTE_HTML) && !auth_accepts_html(c))
        c->route = NULL;
    if (exchange_is_late(c->x) && !has_flag(c, ROUTE_PUBLIC)) {
        request_refuse(c, 503, "busy", "try again; another server may answer",
                       "the server is shutting down");
        return false;
    }
    if (is_options(c) && c->match.allowed)
        return true;
    if (is_cacheable(c) && answer_from_cache(c)) {
        exchange_own(c->x, (uint64_t)c->tenant.id);
        auth_check_rate(c, 1);
        return false;
    }
    if (has_flag(c, ROUTE_PUBLIC) ||
        (has_flag(c, ROUTE_LOCAL) && auth_is_local(c)))
        return true;
    c->by_token = true;
    if (!auth_check_token(c, needs_admin(c)) ||
        (!needs_admin(c) && !auth_check_rate(c, 1)))
        return false;
    exchange_own(c->x, (uint64_t)c->tenant.id);
    return true;
}

/* The largest body that the route takes. */
static uint64_t max_body(struct request *c)
{
    const struct head *head = exchange_head(c->x);
    char tenant[32];
    quire_setting s;

    if (!has_flag(c, ROUTE_LARGE))
        return has_flag(c, ROUTE_BIG_JSON) ? BODY_LONG_MAX
               : has_flag(c, ROUTE_WRITE)  ? BODY_MAX
                                           : BODY_NONE_MAX;
    if (!has_flag(c, ROUTE_FILE))
        return UINT64_MAX;
    /* A small body needs no look at the quota; the put checks it anyway. */
    if (head->length <= SPOOL_FROM && !head->chunked)
        return SPOOL_FROM;
    /* The default of the quota depends on the tenant. */
    snprintf(tenant, sizeof tenant, "#%lld", (long long)c->tenant.id);
    return quire_tenant_use(c->thread_ctx->root, tenant, NULL) ||
                   quire_config_get(c->thread_ctx->root, "quota.file", &s, NULL)
               ? SPOOL_FROM
               : strtoull(s.value, NULL, 10);
}

/* Check type and size of the body before any of it is read. False: answered. */
static bool allow_body(struct request *c)
{
    uint64_t max = max_body(c);

    if (c->route && !auth_check_content_type(c))
        return false;
    exchange_allow(c->x, max);
    if (exchange_head(c->x)->length <= max)
        return true;
    request_refuse(c, 413, "too_large",
                   has_flag(c, ROUTE_FILE)
                       ? "store it as a blob; /v1/usage shows the limit of a "
                         "file"
                       : "/openapi.json shows what can be sent",
                   "the body has %llu bytes, the limit is %llu",
                   (unsigned long long)exchange_head(c->x)->length,
                   (unsigned long long)max);
    return false;
}

bool pipeline_admit_body(void *ctx, struct exchange *x,
                         struct response *refusal)
{
    struct request *c = request_new(ctx, x);

    if (!c) {
        response_error(refusal, 503, "busy", "try again", "out of memory");
        return false;
    }
    c->early = true;
    if (authorize(c) && allow_body(c)) {
        c->early = false;
        exchange_attach(x, c);
        return true;
    }
    request_log(c);
    response_release(refusal);
    *refusal = c->answer;
    c->answer = response_new();
    request_free(c);
    return false;
}

void pipeline_release(void *ctx, void *request)
{
    (void)ctx;
    request_free(request);
}

void pipeline_log_refusal(void *ctx, struct exchange *x,
                          struct response *answer, const char *why)
{
    struct request c = {.server = ctx,
                        .x = x,
                        .thread_ctx = thread_ctx_get(ctx, CACHE_KIB),
                        .began_us = clock_steady_us(),
                        .early = true,
                        .why = why,
                        .answer = *answer};

    request_log(&c);
    *answer = c.answer;
    arena_release(&c.keep);
}

/* ---- body and fields ---------------------------------------------------- */

/* Whether a request that was authorised by its head still is, now that its body
 * has arrived. False: answered. */
static bool is_still_authorized(struct request *c)
{
    c->began_us = clock_steady_us();
    c->thread_ctx = thread_ctx_get(c->server, CACHE_KIB);
    if (!c->thread_ctx) {
        request_refuse(c, 503, "busy", "try again",
                       "the store cannot be opened");
        return false;
    }
    return !c->by_token || !exchange_body_came_later(c->x) ||
           auth_check_token(c, needs_admin(c));
}

/* Answer what needs no handler, and read the fields. False: answered. */
static bool prepare(struct request *c)
{
    const char *allowed = c->match.allowed;

    if (is_options(c) && allowed) {
        auth_preflight(c, allowed);
        return false;
    }
    if (!c->route && allowed) {
        request_refuse(c, 405, "method", "see the header Allow",
                       "this address allows only %s", allowed);
        response_header(&c->answer, "Allow", "%s", allowed);
        return false;
    }
    if (!c->route) {
        request_refuse(c, 404, "not_found", "/openapi.json lists all addresses",
                       "unknown address");
        return false;
    }
    if (!has_body(c) && !auth_check_content_type(c))
        return false;
    /* The loop has other connections to serve: a worker parses a long body. */
    c->unread = exchange_body(c->x).len > LOOP_BODY_MAX &&
                !has_flag(c, ROUTE_INLINE);
    return c->unread || request_read_fields(c);
}

static bool submit(struct request *c)
{
    struct server *s = c->server;

    return group_commit_accepts(c) ? group_commit_submit(s->group_commit, c)
                                   : workers_submit(s, c);
}

void pipeline_handle(void *ctx, struct exchange *x)
{
    struct request *c = exchange_detach(x);
    struct response none = response_new();
    bool fine;

    if (c) {
        fine = is_still_authorized(c);
    } else {
        c = request_new(ctx, x);
        fine = c && authorize(c);
    }
    if (!c) {
        response_error(&none, 503, "busy", "try again", "out of memory");
        exchange_respond(x, &none);
    } else if (!fine || !prepare(c)) {
        request_finish(c);
    } else if (has_flag(c, ROUTE_INLINE)) {
        request_run(c, c->thread_ctx);
        request_finish(c);
    } else if (!submit(c)) {
        atomic_fetch_add(&c->server->queue_refused, 1);
        request_refuse(c, 503, "busy", "try again soon",
                       "too many requests are waiting");
        request_finish(c);
    }
}
