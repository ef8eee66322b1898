/* response_json.c - see response_json.h */
#include "server/response_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/priv.h"

void request_refuse(struct request *c, int status, const char *kind,
                    const char *hint, const char *fmt, ...)
{
    char message[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    buf_clear(&c->answer.headers);
    response_error(&c->answer, status, kind, hint, "%s", message);
    c->why = status >= 500 ? arena_text(&c->keep, bytes_str(message)) : NULL;
    c->why_next = NULL;
    if (status == 503 || status == 429)
        response_header(&c->answer, "Retry-After", "1");
}

/* Replace the path of the home: clients must not learn the server's directories. */
static const char *hide_home(struct request *c, const char *text)
{
    const char *home = c->server ? c->server->home : "", *at;

    while (text && *home && (at = strstr(text, home)))
        text = arena_printf(&c->keep, "%.*s$QUIRE_HOME%s", (int)(at - text),
                            text, at + strlen(home));
    return text ? text : "";
}

/* HTTP status and hint of a status of the library. */
static const struct code {
    quire_status status;
    int http;
    const char *hint;
} codes[] = {
    {QUIRE_NOT_FOUND, 404, "list what exists, and name one of these"},
    {QUIRE_EXISTS, 409, "choose another name, or change the existing one"},
    {QUIRE_BUSY, 503, "try again soon"},
    {QUIRE_INVALID, 400, "/openapi.json describes every operation"},
    {QUIRE_NO_MEMORY, 503, "try again soon"},
    {QUIRE_CHANGED, 409, "read it again, and retry"},
    {QUIRE_TOO_LARGE, 413, "send less; /v1/usage shows the limits"},
    {QUIRE_QUOTA, 413, "remove something first; /v1/usage shows the limits"},
};

/* The hint of the library, unless it is meant for a shell. */
static const char *hint_of(struct request *c, const quire_error *err,
                           const char *otherwise)
{
    return *err->next && err->audience == QUIRE_FOR_ALL
               ? hide_home(c, err->next)
               : otherwise;
}

void request_fail_as(struct request *c, int status, const char *kind,
                     const char *hint, const quire_error *err)
{
    request_refuse(c, status, kind, hint_of(c, err, hint), "%s",
                   hide_home(c, err->what));
}

void request_fail(struct request *c, quire_status st, const quire_error *err)
{
    const struct code *code = NULL;
    size_t i;

    for (i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].status == st)
            code = &codes[i];
    /* An internal failure: the details go to the log only. */
    if (!code) {
        bool room = st != QUIRE_IO || !c->thread_ctx ||
                    thread_ctx_has_room(c->thread_ctx);

        if (st == QUIRE_IO && c->thread_ctx && c->route &&
            c->route->flags & ROUTE_WRITE)
            thread_ctx_invalidate(c->thread_ctx);
        request_refuse(c, room ? 500 : 507,
                       room ? quire_status_name(st) : "no_space",
                       room ? "look into the server's log"
                            : "free space on the server's disk",
                       room ? "the store failed" : "the server's disk is full");
        c->why = arena_text(&c->keep, bytes_str(err->what));
        c->why_next = arena_text(&c->keep, bytes_str(err->next));
        return;
    }
    /* Which process holds which file is for the log. */
    if (st == QUIRE_BUSY && err->code != QUIRE_CODE_LIMIT) {
        request_refuse(c, code->http, quire_status_name(st), code->hint,
                       "another writer is using it");
        c->why = arena_text(&c->keep, bytes_str(err->what));
        return;
    }
    request_fail_as(c, code->http, quire_status_name(st), code->hint, err);
}

void put_text(struct request *c, const char *key, const char *value)
{
    json_key(&c->w, key);
    if (value)
        json_str(&c->w, value);
    else
        json_null(&c->w);
}

void put_bytes(struct request *c, const char *key, quire_bytes value)
{
    json_put_bytes(&c->w, key, value);
}

void put_number(struct request *c, const char *key, int64_t value)
{
    json_put_int(&c->w, key, value);
}

void put_id(struct request *c, const char *key, int64_t id)
{
    json_key(&c->w, key);
    if (id)
        json_int(&c->w, id);
    else
        json_null(&c->w);
}

void put_flag(struct request *c, const char *key, bool value)
{
    json_put_bool(&c->w, key, value);
}

void put_time(struct request *c, const char *key, int64_t us)
{
    put_number(c, key, us / 1000000);
}

void answer_deleted(struct request *c, quire_status st, const quire_error *err)
{
    if (st) {
        request_fail(c, st, err);
        return;
    }
    json_object(&c->w);
    put_flag(c, "deleted", true);
    json_object_end(&c->w);
}

quire_status request_write(void *ctx, quire_bytes piece, quire_error *err)
{
    struct request *c = ctx;
    struct response *a = &c->answer;
    quire_status st = QUIRE_OK;

    if (!a->content && a->body.len + piece.len > SPOOL_FROM) {
        st = exchange_spool(c->x, buf_bytes(&a->body), &a->content, err);
        buf_clear(&a->body);
    }
    if (!st && a->content)
        return spool_add(a->content, piece, err);
    buf_add(&a->body, piece.data, piece.len);
    return !st && a->body.failed ? err_memory(err) : st;
}
