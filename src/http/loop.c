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

/* The loop of this thread. */
static _Thread_local struct loop *here;

bool loop_is_here(const struct loop *l)
{
    return here == l;
}

/* ---- the mailbox -------------------------------------------------------- */

void loop_wake(struct loop *l)
{
    uint64_t one = 1;

    if (write(l->wake, &one, sizeof one) < 0)
        return; /* it is full, so it will wake */
}

void loop_mail(struct loop *l, struct exchange *x)
{
    bool first;

    pthread_mutex_lock(&l->lock);
    first = !l->mail;
    x->mail = NULL;
    *l->mail_end = x;
    l->mail_end = &x->mail;
    pthread_mutex_unlock(&l->lock);
    if (first) /* else it has been woken, and has not looked yet */
        loop_wake(l);
}

void loop_mail_stream(struct loop *l, struct stream *s, struct stream **next)
{
    pthread_mutex_lock(&l->lock);
    *next = NULL;
    *l->news_end = s;
    l->news_end = next;
    pthread_mutex_unlock(&l->lock);
    loop_wake(l);
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
        s = stream_read_mail(s);
}

/* ---- connections -------------------------------------------------------- */

/* Accept connections. False: descriptors have run out. */
static bool greet(struct loop *l)
{
    int fd, i;

    for (i = 0; i < 64; i++) {
        fd = accept4(l->http->listener, NULL, NULL,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
        connection_begin(l, fd);
    }
    return true;
}

/* Close the oldest connection that is between two requests, but not one that may
 * be about to send its request: another loop has older ones then. */
static bool close_oldest_idle(struct loop *l)
{
    struct exchange *x, *oldest = NULL;
    int64_t now = now_ms();

    for (x = l->all; x; x = x->next)
        if (connection_is_idle(x) && now - x->idle_since_ms >= FRESH_MS)
            oldest = x;
    if (oldest)
        connection_end(oldest);
    return oldest || !usleep(1000); /* all are busy: not again at once */
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

void *loop_run(void *arg)
{
    struct loop *l = arg;
    struct epoll_event events[EVENTS_AT_ONCE];
    int64_t swept = now_ms(), now;
    bool room = true;
    int i, n;

    here = l;
    while (!is_over(l)) {
        n = epoll_wait(l->epoll, events, EVENTS_AT_ONCE,
                       atomic_load(&l->http->draining) ? 50 : 1000);
        for (i = 0; i < n; i++) {
            if (events[i].data.ptr == l->http) {
                room = greet(l);
            } else if (events[i].data.ptr != l) {
                connection_on_event(events[i].data.ptr, events[i].events);
            }
        }
        /* Last: an answer may end a connection that has an event above. */
        read_mail(l);
        room = room || close_oldest_idle(l);
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
        s = stream_read_mail(s); /* over, so nothing is sent */
    if (l->epoll >= 0)
        close(l->epoll);
    if (l->wake >= 0)
        close(l->wake);
    pthread_mutex_destroy(&l->lock);
}
