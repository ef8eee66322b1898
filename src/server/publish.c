/*
 * publish.c - see publish.h
 *
 * An event holds the numbers and names by which a client can fetch the thing that
 * changed, taken from the path and the answer. It never holds content.
 */
#include "server/publish.h"

#include <string.h>

#include "base/bytes.h"
#include "server/priv.h"

void request_publish_one(struct request *c, enum event_kind kind,
                         int64_t conversation, quire_bytes data)
{
    struct event event = {c->tenant.id, kind, conversation, data};

    events_publish(c->server->events, &event);
}

static bool has_session(const struct request *c)
{
    return !strncmp(c->route->pattern, ROUTE_SESSION, strlen(ROUTE_SESSION));
}

/* The conversation it belongs to; 0: none. A created or changed one is in the
 * answer; that of a copy is not the one of the address. */
static int64_t conversation_of(struct request *c, quire_bytes answer)
{
    enum event_kind kind = ROUTE_EVENT(c->route->flags);
    int64_t n = 0;

    if (kind >= EVENT_CONVERSATION_CREATED &&
        kind <= EVENT_CONVERSATION_REMOVED &&
        json_read_int(json_get(answer, "id"), &n))
        return n;
    if (has_session(c))
        return request_session_number(c, &n) ? n : 0;
    if (json_read_int(json_get(answer, "conversation_id"), &n) ||
        json_read_int(request_json(c, "conversation_id"), &n))
        return n;
    return c->conversation;
}

/* The number at the end of the address; NULL: none. */
static const char *number_of(const struct request *c)
{
    const char *last = strrchr(c->route->pattern, ':');
    int i = has_session(c) ? 1 : 0;

    if (!last || strchr(last, '*') || !c->match.params[i])
        return NULL;
    return strstr(last, "id") ? c->match.params[i] : NULL;
}

static void put_name(struct json_writer *w, struct request *c,
                     quire_bytes answer)
{
    static const char *const copied[] = {
        "parentId", "version", "size",      "type",      "artifact_id",
        "address",  "ref",     "source_id", "target_id", "relation",
    };
    quire_bytes id = json_get(answer, "id"), path = json_get(answer, "path");
    const char *number = number_of(c);
    size_t i;

    /* A removed conversation is named by the address alone. */
    if (ROUTE_EVENT(c->route->flags) == EVENT_CONVERSATION_REMOVED)
        number = arena_printf(&c->keep, "%lld", (long long)c->session_number);
    if (id.data || number) {
        json_put_raw(w, "id", id.data ? id : bytes_str(number));
    }
    if (path.data || c->path || strchr(c->route->pattern, '*')) {
        json_key(w, "path");
        if (path.data)
            json_raw(w, path);
        else
            json_str(w, c->path ? c->path : c->match.params[1]);
    }
    for (i = 0; i < sizeof copied / sizeof *copied; i++) {
        quire_bytes value = json_get(answer, copied[i]);

        /* Of the first entry parentId is null, and included. */
        if (value.data && (i == 0 || json_kind(value) != JSON_NULL)) {
            json_put_raw(w, copied[i], value);
        }
    }
}

void request_publish_event(struct request *c)
{
    enum event_kind kind = ROUTE_EVENT(c->route->flags);
    quire_bytes answer = buf_bytes(&c->answer.body), inner;
    struct buf out = BUF_INIT(16 * 1024);
    struct json_writer w;
    int64_t conversation;

    if (kind <= EVENT_OWN || c->unchanged || c->answer.status >= 300)
        return;
    conversation = conversation_of(c, answer);
    inner = json_get(answer, "artifact"); /* of one that was put */
    json_begin(&w, &out);
    json_object(&w);
    if (conversation) {
        json_put_int(&w, "conversation_id", conversation);
    }
    put_name(&w, c, inner.data ? inner : answer);
    json_object_end(&w);
    if (!out.failed)
        request_publish_one(c, kind, conversation, buf_bytes(&out));
    buf_release(&out);
}
