/*
 * events.c - see events.h
 *
 * One lock for all tenants: it is held to copy some hundred bytes for each
 * subscriber. Streams are written under it and report their end without a lock, so
 * neither waits for the other.
 */
#include "server/events.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "http/http.h"

/* Of one tenant's ring; of all of them together; streams of a tenant. */
enum { KEPT_MAX = 1000, KEPT_BYTES = 256 * 1024, ALL_BYTES = 32 << 20 };
enum { LISTENERS_MAX = 32, BUCKETS = 256 };

/* A minute of the busiest tenant; a client with more waiting does not read. */
enum { BACKLOG = 4 << 20, KEEP_ALIVE_MS = 15000, RETRY_MS = 2000 };
#define LIFE_MS (INT64_C(60) * 60 * 1000)

struct kept {
    struct kept *next;
    uint64_t n;
    enum event_kind kind;
    int64_t conversation;
    size_t len;
    char text[];
};

struct listener {
    struct listener *next, **at;
    struct events *events;
    struct tenant *tenant;
    struct stream *stream; /* a reference */
    int64_t conversation;
    char *types; /* owned; NULL: all */
};

struct tenant {
    struct tenant *next; /* in its bucket */
    int64_t id;
    uint64_t last; /* number of the last event; the ring ends with it       */
    struct kept *first, **end;
    size_t n, bytes;
    uint64_t turn; /* of all events, when its last one came */
    struct listener *listeners;
    size_t n_listeners;
};

struct events {
    char start[17]; /* differs between runs of the server */
    pthread_mutex_t lock;
    struct tenant *buckets[BUCKETS];
    size_t bytes; /* of all rings */
    uint64_t turn;
};

const char *event_name(enum event_kind kind)
{
    static const char *const names[N_EVENTS] = {
        [EVENT_CONVERSATION_CREATED] = "conversation.created",
        [EVENT_CONVERSATION_CHANGED] = "conversation.changed",
        [EVENT_CONVERSATION_REMOVED] = "conversation.removed",
        [EVENT_ENTRY_APPENDED] = "entry.appended",
        [EVENT_ARTIFACT_WRITTEN] = "artifact.written",
        [EVENT_ARTIFACT_REMOVED] = "artifact.removed",
        [EVENT_OUTPUT_ADDED] = "output.added",
        [EVENT_MEMORY_ADDED] = "memory.added",
        [EVENT_MEMORY_CHANGED] = "memory.changed",
        [EVENT_MEMORY_REMOVED] = "memory.removed",
        [EVENT_RELATION_ADDED] = "relation.added",
        [EVENT_RELATION_REMOVED] = "relation.removed",
        [EVENT_PAD_CHANGED] = "pad.changed",
        [EVENT_HISTORY_ADDED] = "history.added",
        [EVENT_BLOB_ADDED] = "blob.added",
        [EVENT_FOLDER_ADDED] = "folder.added",
        [EVENT_FOLDER_CHANGED] = "folder.changed",
        [EVENT_FOLDER_REMOVED] = "folder.removed",
        [EVENT_IMPORT_PROGRESS] = "import.progress",
        [EVENT_IMPORT_ENDED] = "import.ended",
        [EVENT_FILE] = "file",
        [EVENT_CHANGED] = "changed",
    };

    return names[kind];
}

struct events *events_new(void)
{
    struct events *e = calloc(1, sizeof *e);
    uint64_t start;

    if (!e || rand_bytes(&rand_system, &start, sizeof start, NULL)) {
        free(e);
        return NULL;
    }
    snprintf(e->start, sizeof e->start, "%016llx", (unsigned long long)start);
    pthread_mutex_init(&e->lock, NULL);
    return e;
}

/* ---- rings -------------------------------------------------------------- */

/* NULL: no memory. The caller holds the lock, here and in all functions below but
 * the public ones. */
static struct tenant *tenant_of(struct events *e, int64_t id)
{
    struct tenant **at = &e->buckets[(uint64_t)id % BUCKETS];

    while (*at && (*at)->id != id)
        at = &(*at)->next;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        if (*at) {
            (*at)->id = id;
            (*at)->end = &(*at)->first;
        }
    }
    return *at;
}

static void drop_first(struct events *e, struct tenant *t)
{
    struct kept *k = t->first;

    t->first = k->next;
    if (!t->first)
        t->end = &t->first;
    t->n--;
    t->bytes -= k->len;
    e->bytes -= k->len;
    free(k);
}

static void empty(struct events *e, struct tenant *t)
{
    while (t->first)
        drop_first(e, t);
}

/* Drop the ring of the tenant that was quiet longest. */
static void make_room(struct events *e)
{
    struct tenant *t, *quiet = NULL;
    size_t i;

    for (i = 0; i < BUCKETS; i++)
        for (t = e->buckets[i]; t; t = t->next)
            if (t->first && (!quiet || t->turn < quiet->turn))
                quiet = t;
    if (quiet)
        empty(e, quiet);
}

static void keep(struct events *e, struct tenant *t, struct kept *k)
{
    *t->end = k;
    t->end = &k->next;
    t->n++;
    t->bytes += k->len;
    t->turn = ++e->turn;
    e->bytes += k->len;
    while (t->n > KEPT_MAX || t->bytes > KEPT_BYTES)
        drop_first(e, t);
    while (e->bytes > ALL_BYTES)
        make_room(e);
}

/* ---- subscribers -------------------------------------------------------- */

/* "artifact.written" matches itself and "artifact". */
static bool is_meant(const char *types, const char *name)
{
    size_t len, all = strlen(name);

    for (; *types; types += len + (types[len] == ',')) {
        len = strcspn(types, ",");
        if (len && len <= all && !strncmp(types, name, len) &&
            (len == all || name[len] == '.'))
            return true;
    }
    return false;
}

static bool hears(const struct listener *l, enum event_kind kind,
                  int64_t conversation)
{
    if (kind == EVENT_CHANGED)
        return true;
    if (l->conversation && l->conversation != conversation)
        return false;
    return !l->types || is_meant(l->types, event_name(kind));
}

/* Called by the stream: its client has gone. */
static void forget(void *listener)
{
    struct listener *l = listener;
    struct events *e = l->events;

    pthread_mutex_lock(&e->lock);
    *l->at = l->next;
    if (l->next)
        l->next->at = l->at;
    l->tenant->n_listeners--;
    pthread_mutex_unlock(&e->lock);
    stream_free(l->stream);
    free(l->types);
    free(l);
}

static void spell(struct buf *out, const char *start, uint64_t n,
                  const char *name, quire_bytes data)
{
    if (n)
        buf_addf(out, "id: %s-%llu\n", start, (unsigned long long)n);
    buf_addf(out, "event: %s\ndata: ", name);
    buf_add(out, data.data, data.len);
    buf_add_str(out, "\n\n");
}

static void publish(struct events *e, struct tenant *t,
                    const struct event *event)
{
    struct buf text = BUF_INIT(BACKLOG);
    bool fleeting = event->kind == EVENT_FILE;
    struct listener *l;
    struct kept *k;

    t->last += !fleeting;
    spell(&text, e->start, fleeting ? 0 : t->last, event_name(event->kind),
          event->data);
    k = fleeting || text.failed ? NULL : malloc(sizeof *k + text.len);
    if (k) {
        *k = (struct kept){.n = t->last,
                           .kind = event->kind,
                           .conversation = event->conversation,
                           .len = text.len};
        memcpy(k->text, text.data, text.len);
        keep(e, t, k);
    } else if (!fleeting) {
        empty(e, t);
    }
    for (l = t->listeners; l; l = l->next)
        if (text.failed && !fleeting)
            stream_end(l->stream);
        else if (!text.failed && hears(l, event->kind, event->conversation))
            stream_write(l->stream, buf_bytes(&text));
    buf_release(&text);
}

void events_publish(struct events *e, const struct event *event)
{
    struct tenant *t;

    pthread_mutex_lock(&e->lock);
    t = tenant_of(e, event->tenant);
    if (t)
        publish(e, t, event);
    pthread_mutex_unlock(&e->lock);
}

void events_publish_all(struct events *e, enum event_kind kind)
{
    struct event event = {.kind = kind, .data = bytes_str("{}")};
    struct tenant *t;
    size_t i;

    pthread_mutex_lock(&e->lock);
    for (i = 0; i < BUCKETS; i++)
        for (t = e->buckets[i]; t; t = t->next)
            publish(e, t, &event);
    pthread_mutex_unlock(&e->lock);
}

bool events_has_subscribers(struct events *e, int64_t tenant)
{
    struct tenant *t;
    bool heard;

    pthread_mutex_lock(&e->lock);
    t = e->buckets[(uint64_t)tenant % BUCKETS];
    while (t && t->id != tenant)
        t = t->next;
    heard = t && t->listeners;
    pthread_mutex_unlock(&e->lock);
    return heard;
}

/* ---- subscribing ------------------------------------------------------- */

/* The number of an event id; false: unknown, or no longer in the ring. */
static bool read_id(const struct events *e, const struct tenant *t,
                    quire_bytes id, uint64_t *n)
{
    size_t len = strlen(e->start), i;
    const char *s = id.data;

    *n = 0;
    if (id.len < len + 2 || id.len > len + 20 ||
        memcmp(s, e->start, len) != 0 || s[len] != '-')
        return false;
    for (i = len + 1; i < id.len; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        *n = *n * 10 + (uint64_t)(s[i] - '0');
    }
    return *n <= t->last &&
           (*n == t->last || (t->first && t->first->n <= *n + 1));
}

/* What a client gets first: the current id, and the events it missed. A client
 * remembers an id without data, but gets no event for it. */
static void greet(struct events *e, struct listener *l, quire_bytes last)
{
    struct tenant *t = l->tenant;
    struct buf text = BUF_INIT(2 * KEPT_BYTES);
    uint64_t n = t->last;
    bool known = !last.data || read_id(e, t, last, &n);
    struct kept *k;

    if (!known)
        n = t->last;
    buf_addf(&text, "retry: %d\nid: %s-%llu\n\n", RETRY_MS, e->start,
             (unsigned long long)n);
    if (!known)
        buf_add_str(&text, "event: reset\ndata: {}\n\n");
    for (k = t->first; k; k = k->next)
        if (k->n > n && hears(l, k->kind, k->conversation))
            buf_add(&text, k->text, k->len);
    if (text.failed)
        stream_end(l->stream);
    else
        stream_write(l->stream, buf_bytes(&text));
    buf_release(&text);
}

static struct listener *new_listener(struct events *e,
                                     const struct event_filter *filter)
{
    struct listener *l = calloc(1, sizeof *l);
    struct stream_config config = {.backlog = BACKLOG,
                                   .keep_alive = ":\n\n",
                                   .keep_ms = KEEP_ALIVE_MS,
                                   .life_ms = LIFE_MS,
                                   .over = forget,
                                   .ctx = l};

    if (!l)
        return NULL;
    l->events = e;
    l->conversation = filter->conversation;
    l->types = filter->types ? strdup(filter->types) : NULL;
    l->stream = stream_new(&config);
    if (l->stream && (l->types || !filter->types))
        return l;
    stream_free(l->stream);
    free(l->types);
    free(l);
    return NULL;
}

quire_status events_listen(struct events *e, int64_t tenant,
                           const struct event_filter *filter, quire_bytes last,
                           struct stream **out, quire_error *err)
{
    struct listener *l = new_listener(e, filter);
    quire_status st = l ? QUIRE_OK : err_memory(err);
    struct tenant *t;

    *out = NULL;
    if (st)
        return st;
    pthread_mutex_lock(&e->lock);
    t = tenant_of(e, tenant);
    if (!t) {
        st = err_memory(err);
    } else if (t->n_listeners >= LISTENERS_MAX) {
        st = err_fail(err, QUIRE_BUSY,
                      "close one, or subscribe to several types with one",
                      "%d event streams are open", LISTENERS_MAX);
    } else {
        l->tenant = t;
        l->next = t->listeners;
        l->at = &t->listeners;
        if (l->next)
            l->next->at = &l->next;
        t->listeners = l;
        t->n_listeners++;
        *out = stream_hold(l->stream);
        greet(e, l, last);
    }
    pthread_mutex_unlock(&e->lock);
    if (st) {
        stream_free(l->stream);
        free(l->types);
        free(l);
    }
    return st;
}

void events_end_tenant(struct events *e, int64_t tenant)
{
    struct listener *l;
    struct tenant *t;

    pthread_mutex_lock(&e->lock);
    t = tenant_of(e, tenant);
    for (l = t ? t->listeners : NULL; l; l = l->next)
        stream_end(l->stream);
    if (t)
        empty(e, t);
    pthread_mutex_unlock(&e->lock);
}

void events_free(struct events *e)
{
    struct tenant *t, *next;
    size_t i;

    if (!e)
        return;
    for (i = 0; i < BUCKETS; i++)
        for (t = e->buckets[i]; t; t = next) {
            next = t->next;
            empty(e, t);
            free(t);
        }
    pthread_mutex_destroy(&e->lock);
    free(e);
}
