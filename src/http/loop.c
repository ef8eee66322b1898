/*
 * loop.c - a thread and its connections
 *
 * Deadlines are looked at once a second, all of them: ten thousand comparisons
 * are nothing, and a timer for each would cost every request.
 */
#include "http/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"

enum { EVENTS_AT_ONCE = 256 };

/* An idle connection is not closed before it is this old. */
enum { FRESH_MS = 100 };

/* ---- the mailbox -------------------------------------------------------- */

/* Send what a stream has, or end its connection if the client does not keep
 * up. */
static struct stream *deliver_stream(struct stream *s)
{
    struct exchange *x;
    struct stream *next;
    bool stuck = stream_read_mail(s, &x, &next);

    if (x && stuck)
        connection_end(x);
    else if (x)
        connection_push(x);
    stream_free(s);
    return next;
}

static void read_mail(struct loop *l)
{
    struct exchange *x, *next;
    struct stream *s;
    uint64_t n;

    if (read(l->wake, &n, sizeof n) < 0)
        return;
    pthread_mutex_lock(&l->lock);
    x = l->mail;
    l->mail = NULL;
    l->mail_end = &l->mail;
    s = l->news;
    l->news = NULL;
    l->news_end = &l->news;
    pthread_mutex_unlock(&l->lock);
    for (; x; x = next) {
        next = x->mail;
        connection_resume(x);
    }
    while (s)
        s = deliver_stream(s);
}

/* ---- connections -------------------------------------------------------- */

/* How many connections are above the limit of `connections_max`; 0: none. */
static int64_t excess(const struct http *h)
{
    return (int64_t)atomic_load(&h->connections) -
           (int64_t)h->c.connections_max;
}

/* The connection that is idle longest, which the other loops see; NULL: none is. */
static struct exchange *find_longest_idle(struct loop *l)
{
    struct exchange *x, *longest = NULL;

    for (x = l->all; x; x = x->next)
        if (connection_is_idle(x) &&
            (!longest || x->idle_since_ms <= longest->idle_since_ms))
            longest = x;
    atomic_store(&l->idle_since_ms,
                 longest ? longest->idle_since_ms : INT64_MAX);
    return longest;
}

/* Since when a connection of another loop is idle, as far as is known: 0 if it is
 * not, INT64_MAX if none is. */
static int64_t others_idle_since(const struct loop *l)
{
    const struct http *h = l->http;
    int64_t since = INT64_MAX, other;
    int i;

    for (i = 0; i < h->n_loops; i++) {
        other = atomic_load(&h->loops[i].idle_since_ms);
        if (&h->loops[i] != l && other < since)
            since = other;
    }
    return since;
}

/* Close the connection that is idle longest, unless it became idle after `since` or
 * may be about to send its request. */
static bool close_longest_idle(struct loop *l, int64_t since)
{
    struct exchange *x = find_longest_idle(l);
    bool ends = x && x->idle_since_ms <= since &&
                x->idle_since_ms <= now_ms() - FRESH_MS;

    if (ends)
        connection_end(x);
    return ends;
}

/* Whether to accept another connection. Above `connections_max` an idle connection
 * is closed for it: that which is idle longest, by the loop that has it. False: not
 * yet, one can be closed in a moment. If no connection is idle the new one is
 * accepted, and refused above http_connections_most(). */
static bool make_room(struct loop *l)
{
    struct http *h = l->http;
    int64_t others;
    int i;

    if (excess(h) < 0)
        return true;
    others = others_idle_since(l);
    if (close_longest_idle(l, others))
        return true;
    for (i = 0; i < h->n_loops; i++)
        if (&h->loops[i] != l)
            loop_wake(&h->loops[i]);
    return atomic_load(&h->connections) < http_connections_most(h) ||
           (others == INT64_MAX && !find_longest_idle(l));
}

/* Close idle connections above the limit, and one if !room: if descriptors have run
 * out below the limit. */
static bool close_excess(struct loop *l, bool room)
{
    if (excess(l->http) <= 0) {
        room = room || close_longest_idle(l, INT64_MAX);
        atomic_store(&l->idle_since_ms, 0);
        return room;
    }
    while ((!room || excess(l->http) > 0) &&
           close_longest_idle(l, others_idle_since(l)))
        room = true;
    return room;
}

/* Accept connections. False: there is no room for more. */
static bool greet(struct loop *l)
{
    int fd, i;

    for (i = 0; i < 64; i++) {
        if (!make_room(l))
            return false;
        fd = accept4(l->http->listener, NULL, NULL,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
        connection_begin(l, fd);
        atomic_store(&l->idle_since_ms, 0);
    }
    return true;
}

/* Those that took too long. */
static void sweep(struct loop *l, int64_t now)
{
    bool draining = atomic_load(&l->http->draining);
    struct exchange *x, *next;

    for (x = l->all; x; x = next) {
        next = x->next;
        if (draining && x->state == STREAM)
            connection_finish(x);
        if (draining && connection_is_idle(x) && !x->late)
            connection_end(x);
        else if (x->deadline_ms <= now)
            connection_expire(x);
    }
}

static bool is_over(struct loop *l)
{
    struct http *h = l->http;

    return atomic_load(&h->draining) &&
           (!l->all || now_ms() >= atomic_load(&h->until_ms));
}

/* Serve the connections that have events. True: new ones wait to be accepted. */
static bool serve_events(struct loop *l, const struct epoll_event *events,
                         int n)
{
    bool new = false;
    int i;

    for (i = 0; i < n; i++) {
        if (events[i].data.ptr == l->http)
            new = true;
        else if (events[i].data.ptr != l)
            connection_on_event(events[i].data.ptr, events[i].events);
    }
    return new;
}

void *loop_run(void *arg)
{
    struct loop *l = arg;
    struct epoll_event events[EVENTS_AT_ONCE];
    int64_t swept = now_ms(), now;
    bool room = true;
    int n;

    loop_enter(l);
    while (!is_over(l)) {
        n = epoll_wait(l->epoll, events, EVENTS_AT_ONCE,
                       atomic_load(&l->http->draining) ? 50 : 1000);
        if (n < 0)
            continue; /* a signal; events may wait */
        /* All of them first: what follows may end any connection, also one that
         * has an event here. */
        if (serve_events(l, events, n))
            room = greet(l);
        read_mail(l);
        room = close_excess(l, room);
        if (!room)
            room = !usleep(1000); /* not again at once */
        now = now_ms();
        if (now - swept >= 1000 || atomic_load(&l->http->draining)) {
            swept = now;
            sweep(l, now);
        }
    }
    return NULL;
}

quire_status loop_open(struct loop *l, struct http *h, quire_error *err)
{
    struct epoll_event e = {.events = EPOLLIN};

    l->http = h;
    l->mail_end = &l->mail;
    l->news_end = &l->news;
    l->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    pthread_mutex_init(&l->lock, NULL);
    if (l->wake < 0 || l->epoll < 0)
        return err_sys(err, errno, "cannot serve");
    e.data.ptr = l;
    if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->wake, &e) < 0)
        return err_sys(err, errno, "cannot serve");
    e.data.ptr = h;
    e.events = EPOLLIN | EPOLLEXCLUSIVE;
    if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, h->listener, &e) < 0)
        return err_sys(err, errno, "cannot serve");
    return QUIRE_OK;
}

void loop_close(struct loop *l)
{
    struct exchange *x, *next;
    struct stream *s;

    for (x = l->all; x; x = next) {
        next = x->next;
        connection_end(x);
    }
    for (s = l->news; s;)
        s = deliver_stream(s); /* over, so nothing is sent */
    if (l->epoll >= 0)
        close(l->epoll);
    if (l->wake >= 0)
        close(l->wake);
    pthread_mutex_destroy(&l->lock);
}
