/* run.c - run one authorised request, and answer it; see priv.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/mark_secrets.h"
#include "server/priv.h"
#include "server/publish.h"
#include "server/response_json.h"

void request_free(struct request *c)
{
    response_release(&c->answer);
    arena_release(&c->keep);
    free(c);
}

/* A long answer waits for its client in a file. Without room for one it is counted
 * as memory, and may be refused. */
static void spool_answer(struct request *c)
{
    struct response *a = &c->answer;

    if (a->stream || a->content || a->body.failed ||
        a->body.len <= SPOOL_FROM ||
        exchange_spool(c->x, buf_bytes(&a->body), &a->content, NULL))
        return;
    buf_release(&a->body);
}

void request_finish(struct request *c)
{
    struct exchange *x = c->x;
    struct response answer;

    request_log(c);
    spool_answer(c);
    answer = c->answer;
    c->answer = response_new();
    request_free(c);
    exchange_respond(x, &answer);
}

static bool is_write(const struct request *c)
{
    return strcmp(c->route->method, "GET") != 0;
}

enum { SECRETS_SHOWN = 10, PLACE_SHOWN = 200 };

/* A place, with what a header may not have as "?". */
static void spell_place(const char *place, char out[PLACE_SHOWN])
{
    size_t i;

    for (i = 0; place[i] && i + 1 < PLACE_SHOWN; i++)
        out[i] = place[i] < ' ' || place[i] > '~' || strchr("\"\\", place[i])
                     ? '?'
                     : place[i];
    out[i] = '\0';
}

/* Adds `github-token;place="/message/content";at=0;bytes=40;masked`. */
static void note_secret(void *ctx, const quire_secret *s)
{
    struct request *c = ctx;
    size_t n = strlen(c->secrets), room = sizeof c->secrets - n;
    char place[PLACE_SHOWN];
    int len;

    c->n_secrets++;
    if (c->n_secrets_shown == SECRETS_SHOWN)
        return;
    spell_place(s->place, place);
    len = snprintf(c->secrets + n, room,
                   "%s%s;place=\"%s\";at=%llu;bytes=%llu%s", n ? ", " : "",
                   s->kind, place, (unsigned long long)s->at,
                   (unsigned long long)s->bytes, s->masked ? ";masked" : "");
    if (len < 0 || (size_t)len >= room)
        c->secrets[n] = '\0'; /* one of those that are only counted */
    else
        c->n_secrets_shown++;
}

static void put_secrets(struct request *c)
{
    unsigned more = c->n_secrets - c->n_secrets_shown;
    char rest[32] = "";

    if (!c->n_secrets)
        return;
    if (more)
        snprintf(rest, sizeof rest, "%smore=%u", *c->secrets ? ", " : "", more);
    response_header(&c->answer, "Quire-Secrets", "%s%s", c->secrets, rest);
}

static void run_handler(struct request *c)
{
    c->answer.status = c->route->status;
    json_begin(&c->w, &c->answer.body);
    quire_on_secret(c->q, note_secret, c);
    c->route->run(c);
    quire_on_secret(c->q, NULL, NULL);
    put_secrets(c);
    if (!is_write(c) && c->answer.status == 200 && !c->answer.stream &&
        !(c->route->flags & ROUTE_RAW_ANSWER) && wants_secret_marks(c))
        mark_secrets(c);
    c->done = true;
    if (!c->grouped)
        request_publish_event(c);
}

/* Switch the thread's handle to the tenant of the request; the admin works in the
 * default tenant. */
static quire_status bind_tenant(struct request *c, struct thread_ctx *d,
                                quire_error *err)
{
    char which[32];

    c->thread_ctx = d;
    c->q = d->root;
    if (c->route->flags & ROUTE_PUBLIC)
        return QUIRE_OK;
    if (c->route->flags & ROUTE_ADMIN)
        return quire_tenant_use(c->q, "#1", err);
    snprintf(which, sizeof which, "#%lld", (long long)c->tenant.id);
    return quire_tenant_use(c->q, which, err);
}

/* It is cached as it is sent: a hit is not compressed again. A hit does not check the
 * limits of a token. */
static void cache_answer(struct request *c)
{
    if (!c->response_cache || c->answer.status != 200 || c->answer.stream ||
        c->answer.promised || c->tenant.token_flags)
        return;
    compress_response(c);
    response_cache_add(c->response_cache, c->cache_key, c->state, &c->answer,
                       c->tenant.id);
}

/* Whether it may have changed what a search finds. */
static bool is_change(const struct request *c)
{
    return is_write(c) && !(c->route->flags & (ROUTE_ADMIN | ROUTE_PUBLIC)) &&
           c->answer.status < 300;
}

/* A revocation ends the streams that it finds; one that begins only now, by a token
 * that was checked before, is ended here. */
static void end_revoked_stream(struct request *c)
{
    if (c->answer.stream && c->by_token && !auth_is_current(c))
        stream_end(c->answer.stream);
}

static void count_begun(const struct request *c, struct server *s)
{
    atomic_fetch_add(&s->requests.begun, 1);
    if (is_write(c))
        atomic_fetch_add(&s->writes.begun, 1);
}

void request_count_done(const struct request *c, struct server *s)
{
    atomic_fetch_add(&s->requests.done, 1);
    if (is_write(c))
        atomic_fetch_add(&s->writes.done, 1);
}

void request_run(struct request *c, struct thread_ctx *d)
{
    quire_error err;
    quire_status st;

    count_begun(c, d->server);
    st = bind_tenant(c, d, &err);
    if (st) {
        request_fail(c, st, &err);
    } else if (!c->unread || request_read_fields(c)) {
        idempotency_run(c, run_handler);
        if (c->answer.status < 300 && !(c->route->flags & ROUTE_RAW_ANSWER))
            response_header(&c->answer, "Content-Type", "application/json");
        cache_answer(c);
        end_revoked_stream(c);
        if (is_change(c))
            thread_ctx_index(d, c->tenant.id);
    }
    if (!c->grouped) /* else it is done when its group is */
        request_count_done(c, d->server);
}
