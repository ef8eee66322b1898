/*
 * events.h - what changes, told to those who listen
 *
 * Each tenant has a ring of the last events, bounded in number and in bytes. An
 * event has an id, "<start>-<n>": which run of the server, and which event of
 * the tenant. Who listens again says the last id it has seen, and gets what came
 * after it. When that is not known any more, or is of another run, it is told
 * `reset` first: list anew, nothing before is coming.
 *
 * An event is small: it says what has changed, not what it is now. The one
 * exception, `file`, carries content that is stored nowhere, so it is heard by
 * who listens at that moment, has no id, and is not in the ring.
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
    EVENT_OWN, /* of an operation: it tells by itself what it does */
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
    EVENT_FILE,
    EVENT_CHANGED, /* somebody else changed something: look again */
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

/* Nobody listens any more by then. NULL is fine. */
void events_free(struct events *e);

/* From any thread. What cannot be kept for want of memory is made up for by a
 * `reset` to those who missed it. */
void events_publish(struct events *e, const struct event *event);

/* The same, without data, to all tenants that have heard of anything. */
void events_publish_all(struct events *e, enum event_kind kind);

/* Whether anybody listens, so that it is worth making something up. */
bool events_are_heard(struct events *e, int64_t tenant);

/* A stream of what comes after `last`, an id; of what comes from now on if its
 * data is NULL. It is the caller's to give to an exchange.
 *
 * QUIRE_BUSY       the tenant has as many as it may
 * QUIRE_NO_MEMORY */
quire_status events_listen(struct events *e, int64_t tenant,
                           const struct event_filter *filter, quire_bytes last,
                           struct stream **out, quire_error *err);

/* End the streams of a tenant, who may not listen any more, and forget what was:
 * another may come to have its number. */
void events_shut_out(struct events *e, int64_t tenant);

#endif
