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
    char words[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    buf_clear(&c->answer.headers);
    response_error(&c->answer, status, kind, hint, "%s", words);
    c->why = status >= 500 ? arena_text(&c->keep, bytes_str(words)) : NULL;
    c->why_next = NULL;
    if (status == 503 || status == 429)
        response_header(&c->answer, "Retry-After", "1");
}

/* Where the home is on this machine is not a client's to know. */
static const char *without_home(struct request *c, const char *words)
{
    const char *home = c->server ? c->server->home : "", *at;

    while (words && *home && (at = strstr(words, home)))
        words = arena_printf(&c->keep, "%.*s$QUIRE_HOME%s", (int)(at - words),
                             words, at + strlen(home));
    return words ? words : "";
}

/* What a status is called here, and what one can do about it. */
static const struct code {
    quire_status status;
    int http;
    const char *hint;
} codes[] = {
    {QUIRE_NOT_FOUND, 404, "list what there is, and ask for one of those"},
    {QUIRE_EXISTS, 409, "choose another name, or change what is there"},
    {QUIRE_BUSY, 503, "try again soon"},
    {QUIRE_INVALID, 400, "/openapi.json says what can be asked"},
    {QUIRE_NO_MEMORY, 503, "try again soon"},
    {QUIRE_CHANGED, 409, "get it again, and decide anew"},
    {QUIRE_TOO_LARGE, 413, "send less; /v1/usage says how much there may be"},
    {QUIRE_QUOTA, 413,
     "remove something first; /v1/usage says how much there may be"},
};

/* Many hints of the library name a command or an option of `quire`, which is of
 * no use to whoever asks from afar. */
static bool is_for_shell(const char *hint)
{
    return strstr(hint, "quire ") || strstr(hint, "--") ||
           strstr(hint, "quire_") || strstr(hint, "QUIRE_");
}

static const char *hint_of(struct request *c, const char *hint,
                           const char *otherwise)
{
    return *hint && !is_for_shell(hint) ? without_home(c, hint) : otherwise;
}

void request_fail_as(struct request *c, int status, const char *kind,
                     const char *hint, const quire_error *err)
{
    request_refuse(c, status, kind, hint_of(c, err->next, hint), "%s",
                   without_home(c, err->what));
}

void request_fail(struct request *c, quire_status st, const quire_error *err)
{
    const struct code *code = NULL;
    size_t i;

    for (i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].status == st)
            code = &codes[i];
    /* What is wrong inside is not a client's to know; the log has it. */
    if (!code) {
        bool room = st != QUIRE_IO || !c->thread_ctx ||
                    thread_ctx_has_room(c->thread_ctx);

        if (st == QUIRE_IO && c->thread_ctx && c->route &&
            c->route->flags & ROUTE_WRITE)
            thread_ctx_invalidate(c->thread_ctx);
        request_refuse(c, room ? 500 : 507,
                       room ? quire_status_name(st) : "no_space",
                       room ? "look into the server's log"
                            : "make room on the server's disk",
                       room ? "the store failed"
                            : "there is no room on its disk");
        c->why = arena_text(&c->keep, bytes_str(err->what));
        c->why_next = arena_text(&c->keep, bytes_str(err->next));
        return;
    }
    /* Nor is who else is at it, and in which file. */
    if (st == QUIRE_BUSY && strstr(err->what, "process")) {
        request_refuse(c, code->http, quire_status_name(st), code->hint,
                       "somebody else is writing to it");
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
