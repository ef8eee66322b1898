/* Events: filters, the ring, and what a client gets when it reconnects. */
#include "server/events.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "http/loop.h"
#include "server/route.h"
#include "support/test.h"

static void tell(struct events *e, int64_t tenant, enum event_kind kind,
                 int64_t conversation, const char *data)
{
    struct event event = {tenant, kind, conversation, bytes_str(data)};

    events_publish(e, &event);
}

static struct stream *listen_to(struct events *e, int64_t tenant,
                                int64_t conversation, const char *types,
                                const char *last)
{
    struct event_filter filter = {conversation, types};
    struct stream *s = NULL;
    quire_error err;

    OK(events_listen(e, tenant, &filter,
                     last ? bytes_str(last) : bytes_of(NULL, 0), &s, &err));
    return s;
}

/* What has come since, as text. */
static const char *heard(struct stream *s, struct buf *out)
{
    buf_release(out);
    stream_take(s, out);
    return buf_text(out);
}

static bool says(const char *text, const char *words)
{
    return strstr(text, words);
}

/* The id that a text ends with. */
static void last_id(const char *text, char id[64])
{
    const char *at = text, *found = "";

    while ((at = strstr(at, "id: ")))
        found = at += 4;
    snprintf(id, 64, "%.*s", (int)strcspn(found, "\n"), found);
}

TEST(who_listens_hears_its_tenant_and_what_it_asked_for)
{
    struct events *e = events_new();
    struct stream *all = listen_to(e, 1, 0, NULL, NULL);
    struct stream *one = listen_to(e, 1, 7, NULL, NULL);
    struct stream *some = listen_to(e, 1, 0, "memory,artifact.removed", NULL);
    struct stream *other = listen_to(e, 2, 0, NULL, NULL);
    struct buf out = BUF_INIT(1 << 20);

    YES(says(heard(all, &out), "retry: "));
    heard(one, &out), heard(some, &out), heard(other, &out);
    tell(e, 1, EVENT_ARTIFACT_WRITTEN, 7, "{\"a\":1}");
    tell(e, 1, EVENT_ARTIFACT_REMOVED, 8, "{\"a\":2}");
    tell(e, 1, EVENT_MEMORY_ADDED, 0, "{\"a\":3}");
    tell(e, 1, EVENT_CHANGED, 0, "{\"a\":4}");
    YES(says(heard(all, &out), "event: artifact.written\ndata: {\"a\":1}\n\n"));
    YES(says(out.data, "{\"a\":2}") && says(out.data, "{\"a\":3}"));
    YES(says(heard(one, &out), "{\"a\":1}"));
    NO(says(out.data, "{\"a\":2}") || says(out.data, "{\"a\":3}"));
    YES(says(out.data, "event: changed"));
    YES(says(heard(some, &out), "{\"a\":2}") && says(out.data, "{\"a\":3}"));
    NO(says(out.data, "{\"a\":1}"));
    SAME_TEXT("", heard(other, &out));
    YES(events_has_subscribers(e, 2));
    stream_over(other);
    NO(events_has_subscribers(e, 2));
    NO(events_has_subscribers(e, 3));
    stream_over(all), stream_over(one), stream_over(some);
    buf_release(&out);
    events_free(e);
}

TEST(who_comes_back_gets_what_came_after)
{
    struct events *e = events_new();
    struct stream *s = listen_to(e, 1, 0, NULL, NULL);
    struct buf out = BUF_INIT(1 << 20);
    char id[64];

    tell(e, 1, EVENT_HISTORY_ADDED, 0, "{\"a\":1}");
    last_id(heard(s, &out), id);
    stream_over(s);
    tell(e, 1, EVENT_HISTORY_ADDED, 0, "{\"a\":2}");
    tell(e, 1, EVENT_FILE, 0, "{\"a\":3}");
    tell(e, 1, EVENT_MEMORY_ADDED, 0, "{\"a\":4}");
    s = listen_to(e, 1, 0, NULL, id);
    heard(s, &out);
    YES(says(out.data, "{\"a\":2}") && says(out.data, "{\"a\":4}"));
    NO(says(out.data, "{\"a\":1}") || says(out.data, "{\"a\":3}"));
    NO(says(out.data, "reset"));
    stream_over(s);
    s = listen_to(e, 1, 0, "memory", id);
    heard(s, &out);
    YES(!says(out.data, "{\"a\":2}") && says(out.data, "{\"a\":4}"));
    stream_over(s);
    s = listen_to(e, 1, 0, NULL, "0000-1");
    YES(says(heard(s, &out), "event: reset"));
    NO(says(out.data, "{\"a\":4}"));
    stream_over(s);
    buf_release(&out);
    events_free(e);
}

TEST(a_ring_is_bounded_in_number_and_in_bytes)
{
    struct events *e = events_new();
    struct stream *s = listen_to(e, 1, 0, NULL, NULL);
    struct buf out = BUF_INIT(1 << 20);
    char first[64], id[64], large[4096];
    int i;

    last_id(heard(s, &out), first);
    for (i = 0; i < 1000; i++)
        tell(e, 1, EVENT_HISTORY_ADDED, 0, "{}");
    stream_over(s);
    s = listen_to(e, 1, 0, NULL, first);
    NO(says(heard(s, &out), "reset")); /* all of a thousand are there */
    last_id(out.data, id);
    stream_over(s);
    tell(e, 1, EVENT_HISTORY_ADDED, 0, "{}");
    s = listen_to(e, 1, 0, NULL, first);
    YES(says(heard(s, &out), "reset"));
    stream_over(s);
    s = listen_to(e, 1, 0, NULL, id);
    NO(says(heard(s, &out), "reset"));
    stream_over(s);
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    for (i = 0; i < 100; i++)
        tell(e, 1, EVENT_HISTORY_ADDED, 0, large);
    s = listen_to(e, 1, 0, NULL, id);
    YES(says(heard(s, &out), "reset"));
    stream_over(s);
    buf_release(&out);
    events_free(e);
}

TEST(who_does_not_listen_fast_enough_hears_no_more)
{
    struct events *e = events_new();
    struct stream *slow = listen_to(e, 1, 0, NULL, NULL);
    struct stream *quick = listen_to(e, 1, 0, NULL, NULL);
    struct buf out = BUF_INIT(1 << 20);
    char large[65536];
    int i;

    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    for (i = 0; i < 100; i++) {
        tell(e, 1, EVENT_FILE, 0, large);
        buf_release(&out);
        EQ(STREAM_OPEN, stream_take(quick, &out));
    }
    buf_release(&out);
    EQ(STREAM_STUCK, stream_take(slow, &out));
    NO(stream_write(slow, bytes_str("x")));
    YES(stream_write(quick, bytes_str("x")));
    stream_over(slow), stream_over(quick);
    buf_release(&out);
    events_free(e);
}

TEST(a_tenant_that_is_shut_out_has_its_streams_ended)
{
    struct events *e = events_new();
    struct stream *s = listen_to(e, 1, 0, NULL, NULL);
    struct buf out = BUF_INIT(1 << 20);
    char id[64];

    last_id(heard(s, &out), id);
    tell(e, 1, EVENT_HISTORY_ADDED, 0, "{\"of\":\"the one before\"}");
    events_end_tenant(e, 1);
    buf_release(&out);
    EQ(STREAM_ENDED, stream_take(s, &out));
    NO(stream_write(s, bytes_str("x")));
    stream_over(s);
    s = listen_to(e, 1, 0, NULL, id);
    NO(says(heard(s, &out), "the one before"));
    stream_over(s);
    buf_release(&out);
    events_free(e);
}

TEST(a_tenant_has_a_number_of_streams)
{
    struct events *e = events_new();
    struct event_filter filter = {0, NULL};
    struct stream *list[33], *more = NULL;
    quire_error err;
    int i;

    for (i = 0; i < 32; i++)
        list[i] = listen_to(e, 1, 0, NULL, NULL);
    EQ(QUIRE_BUSY,
       events_listen(e, 1, &filter, bytes_of(NULL, 0), &more, &err));
    stream_over(list[0]);
    list[0] = listen_to(e, 1, 0, NULL, NULL);
    for (i = 0; i < 32; i++)
        stream_over(list[i]);
    events_free(e);
}

TEST(whatever_writes_for_a_tenant_is_told)
{
    const struct route *route;
    int kind;

    for (kind = EVENT_OWN + 1; kind < N_EVENTS; kind++)
        YES(event_name((enum event_kind)kind));
    for (route = routes; route->name; route++)
        if (route->flags & ROUTE_WRITE && !(route->flags & ROUTE_ADMIN))
            YES(ROUTE_EVENT(route->flags) != EVENT_NONE);
        else
            YES(ROUTE_EVENT(route->flags) == EVENT_NONE);
}
