/*
 * events.c - what changes, told as it does
 *
 * What an event says of an operation is taken from its address and its answer:
 * the numbers and names by which the thing can be asked for. Never what is in
 * it: who may hear of it has to fetch it, and gets what is there by then.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/route.h"
#include "server/server.h"

/* ---- telling ------------------------------------------------------------ */

void request_publish_one(struct request *c, enum event_kind kind,
                         int64_t conversation, quire_bytes data)
{
    struct event event = {c->tenant.id, kind, conversation, data};

    events_publish(thread_ctx_events(c->thread_ctx), &event);
}

static bool is_of_conversation(const struct request *c)
{
    static const char pattern[] = "/v1/conversations/:id";

    return !strncmp(c->route->pattern, pattern, sizeof pattern - 1);
}

/* Which conversation it was about; 0: none. Of one that was made or changed the
 * answer has the number, which for a copy is not that of the address. */
static int64_t conversation_of(struct request *c, quire_bytes answer)
{
    enum event_kind kind = ROUTE_EVENT(c->route->flags);
    int64_t n = 0;

    if (kind >= EVENT_CONVERSATION_CREATED &&
        kind <= EVENT_CONVERSATION_REMOVED &&
        json_read_int(json_get(answer, "id"), &n))
        return n;
    if (is_of_conversation(c))
        return request_id(c, 0);
    if (json_read_int(json_get(answer, "conversation_id"), &n) ||
        json_read_int(request_json(c, "conversation_id"), &n))
        return n;
    return c->conversation;
}

/* The number at the end of the address; NULL: there is none. */
static const char *number_of(const struct request *c)
{
    const char *last = strrchr(c->route->pattern, ':');
    int i = is_of_conversation(c) ? 1 : 0;

    if (!last || strchr(last, '*') || !c->params[i])
        return NULL;
    return strstr(last, "id") ? c->params[i] : NULL;
}

static void put_name(struct json_writer *w, struct request *c,
                     quire_bytes answer)
{
    static const char *const said[] = {
        "parentId", "version", "size",      "type",      "artifact_id",
        "address",  "ref",     "source_id", "target_id", "relation",
    };
    quire_bytes id = json_get(answer, "id"), path = json_get(answer, "path");
    const char *number = number_of(c);
    size_t i;

    /* Of a conversation that was removed, the only one. */
    if (ROUTE_EVENT(c->route->flags) == EVENT_CONVERSATION_REMOVED)
        number = c->params[0];
    if (id.data || number) {
        json_put_raw(w, "id", id.data ? id : bytes_str(number));
    }
    if (path.data || c->path || strchr(c->route->pattern, '*')) {
        json_key(w, "path");
        if (path.data)
            json_raw(w, path);
        else
            json_str(w, c->path ? c->path : c->params[1]);
    }
    for (i = 0; i < sizeof said / sizeof *said; i++) {
        quire_bytes value = json_get(answer, said[i]);

        /* The first entry has no parent, which is worth saying. */
        if (value.data && (i == 0 || json_kind(value) != JSON_NULL)) {
            json_put_raw(w, said[i], value);
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

/* ---- listening ---------------------------------------------------------- */

/* "artifact.written", or the word before the dot, for all of these. */
static bool is_type(const char *word, size_t len)
{
    int kind;

    for (kind = EVENT_OWN + 1; kind < N_EVENTS; kind++) {
        const char *name = event_name((enum event_kind)kind);

        if (!strncmp(name, word, len) && (!name[len] || name[len] == '.'))
            return true;
    }
    return false;
}

/* Whether anything is meant by "types": who waits for what nobody ever tells
 * would never find out. False: answered. */
static bool check_types(struct request *c, const char *types)
{
    size_t len, n = 0;
    const char *at;

    for (at = types; at && *at; at += len + (at[len] == ',')) {
        len = strcspn(at, ",");
        n += len > 0;
        if (!len || is_type(at, len))
            continue;
        request_refuse(c, 400, "invalid",
                       "such as conversation, entry.appended, artifact, memory",
                       "types: there is no event %.*s",
                       len < 60 ? (int)len : 60, at);
        return false;
    }
    if (!types || n > 0)
        return true;
    request_refuse(c, 400, "invalid", "leave it out to hear of everything",
                   "types names none");
    return false;
}

void route_events(struct request *c)
{
    struct event_filter filter = {.conversation = (int64_t)
                                      request_number(c, "conversation", 0),
                                  .types = request_text(c, "types")};
    quire_bytes last = exchange_header(c->x, "Last-Event-ID");
    const char *session;
    quire_error err;
    quire_status st;

    if (!check_types(c, filter.types) ||
        !request_session_field(c, "conversation", &session))
        return;
    if (!last.data)
        last = request_bytes(c, "last_event_id");
    st = events_listen(thread_ctx_events(c->thread_ctx), c->tenant.id, &filter,
                       last, &c->answer.stream, &err);
    if (st == QUIRE_BUSY) {
        request_fail_as(c, 429, "too_many", "close one", &err);
        return;
    }
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    response_header(&c->answer, "Content-Type", "text/event-stream");
    response_header(&c->answer, "Cache-Control", "no-store");
    response_header(&c->answer, "X-Accel-Buffering", "no");
}
