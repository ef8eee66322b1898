/*
 * events.h - changes of a tenant, published to its subscribers
 *
 * Each tenant has a ring of the last events, bounded in number and in bytes. An
 * event has an id, "<start>-<n>": the run of the server, and the number of the
 * event. A client that reconnects sends the last id it has seen, and gets what
 * came after it. If that is no longer in the ring, or of another run, it gets
 * `reset` first: list again, older events are lost.
 *
 * An event is small: it names what has changed, and carries no content. The one
 * exception, `file`, carries content that is stored nowhere; it reaches the
 * subscribers of that moment, has no id, and is not in the ring.
 */
#ifndef SERVER_EVENTS_H
#define SERVER_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"

struct events;
struct stream;

enum event_kind {
    EVENT_NONE,
    EVENT_OWN, /* of a route: its handler publishes events itself */
    EVENT_CONVERSATION_CREATED,
    EVENT_CONVERSATION_CHANGED,
    EVENT_CONVERSATION_REMOVED,
    EVENT_ENTRY_APPENDED,
    EVENT_ARTIFACT_WRITTEN,
    EVENT_ARTIFACT_REMOVED,
    EVENT_OUTPUT_ADDED,
    EVENT_MEMORY_ADDED,
    EVENT_MEMORY_CHANGED,
    EVENT_MEMORY_REMOVED,
    EVENT_RELATION_ADDED,
    EVENT_RELATION_REMOVED,
    EVENT_PAD_CHANGED,
    EVENT_HISTORY_ADDED,
    EVENT_BLOB_ADDED,
    EVENT_FOLDER_ADDED,
    EVENT_FOLDER_CHANGED,
    EVENT_FOLDER_REMOVED,
    EVENT_IMPORT_PROGRESS,
    EVENT_IMPORT_ENDED,
    EVENT_FILE,
    EVENT_CHANGED, /* another process changed something: list again */
    N_EVENTS
};

/* "artifact.written"; NULL for the first two. */
const char *event_name(enum event_kind kind);

struct event {
    int64_t tenant;
    enum event_kind kind;
    int64_t conversation; /* that it belongs to; 0: none */
    quire_bytes data;     /* a JSON object, on one line  */
};

struct event_filter {
    int64_t conversation; /* what belongs to this one; 0: everything          */
    const char *types;    /* "artifact,memory.added": kinds, or their first
                             word; NULL: all                                  */
};

/* NULL: no memory, or no randomness. */
struct events *events_new(void);

/* No stream may be left. NULL is fine. */
void events_free(struct events *e);

/* From any thread. Subscribers that miss an event for want of memory get `reset`. */
void events_publish(struct events *e, const struct event *event);

/* The same, without data, to all tenants that have a ring. */
void events_publish_all(struct events *e, enum event_kind kind);

/* Whether the tenant has subscribers. */
bool events_has_subscribers(struct events *e, int64_t tenant);

/* A stream of the events after the id `last`; of future ones if its data is NULL.
 * The caller hands it to an exchange.
 *
 * QUIRE_BUSY       the tenant has too many streams
 * QUIRE_NO_MEMORY */
quire_status events_listen(struct events *e, int64_t tenant,
                           const struct event_filter *filter, quire_bytes last,
                           struct stream **out, quire_error *err);

/* End the streams of a tenant and drop its ring: its token is no longer valid. */
void events_end_tenant(struct events *e, int64_t tenant);

#endif
