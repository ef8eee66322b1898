/* events.c - GET /v1/events: subscribe to changes */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/server.h"
#include "server/routes/handlers.h"

/* "artifact.written", or "artifact" for all that begin so. */
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

/* Check that "types" names known events; a client would wait for others in vain.
 * False: answered. */
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
                       "types: unknown event %.*s", len < 60 ? (int)len : 60,
                       at);
        return false;
    }
    if (!types || n > 0)
        return true;
    request_refuse(c, 400, "invalid", "leave it out to get all events",
                   "types is empty");
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
