/*
 * http.c - loops and connections
 *
 * A connection is in one of five states:
 *
 *     HEAD     bytes of a head are awaited, or have begun to come
 *     BODY     the head was fine, the body is coming
 *     BUSY     somebody has the exchange and will answer it
 *     ANSWER   the answer is being written
 *     LINGER   all is said, and the rest of what comes is read and dropped for a
 *              moment: closing with bytes unread would reset the connection
 *              under an answer that has not arrived
 *
 * A loop owns its connections; nobody else touches them. An answer from another
 * thread is put into the loop's mailbox, and the loop is woken.
 *
 * Deadlines are looked at once a second, all of them: ten thousand comparisons
 * are nothing, and a timer for each would cost every request.
 */
#include "serve/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"

enum { READ_AT_ONCE = 16 * 1024, EVENTS_AT_ONCE = 256, LINGER_MS = 1000 };
enum { BODY_MS = 10 * 60 * 1000 };

enum state { HEAD, BODY, BUSY, ANSWER, LINGER };

struct exchange {
    struct loop *loop;
    int fd;
    enum state state;
    bool gone;    /* the client went away while it was BUSY */
    bool writing; /* EPOLLOUT is asked for                  */
    bool last;    /* the connection ends with this answer   */
    bool told_100;
    int64_t deadline_ms;
    int64_t until_ms; /* a body is complete by then, however it drips */

    struct buf in; /* what has come and is not done with: a head, then a body */
    size_t head_len;
    struct head head;
    struct chunks chunks;
    struct buf body;     /* of a chunked request */
    bool handled_inline; /* the handler is being called */

    struct answer answer;
    struct buf front; /* the head of the answer */
    size_t sent;      /* of front and body      */

    struct exchange *next, **at; /* all of the loop                */
    struct exchange *mail;       /* in the mailbox                 */
};

struct loop {
    struct http *http;
    pthread_t thread;
    bool started;
    int epoll, wake;
    struct exchange *all;
    pthread_mutex_t lock; /* of the mailbox */
    struct exchange *mail, **mail_end;
};

struct http {
    struct http_config c;
    int listener;
    uint16_t port;
    struct loop *loops;
    int n_loops;
    atomic_uint_fast64_t connections, busy;
    atomic_int draining;          /* 0, 1 */
    atomic_int_fast64_t until_ms; /* when draining ends */
};

/* The loop whose thread this is. */
static _Thread_local struct loop *here;

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* ---- answers ------------------------------------------------------------ */

static struct answer new_answer(void)
{
    return (struct answer){.status = 500,
                           .headers = BUF_INIT(64 * 1024),
                           .body = BUF_INIT((size_t)1 << 31)};
}

/* ---- a connection ------------------------------------------------------- */

static void forget_answer(struct exchange *x)
{
    buf_release(&x->answer.headers);
    buf_release(&x->answer.body);
    buf_release(&x->front);
    x->sent = 0;
}

static void end_connection(struct exchange *x)
{
    close(x->fd); /* and with it what epoll knows of it */
    *x->at = x->next;
    if (x->next)
        x->next->at = x->at;
    atomic_fetch_sub(&x->loop->http->connections, 1);
    forget_answer(x);
    buf_release(&x->in);
    buf_release(&x->body);
    free(x);
}

static void want(struct exchange *x, bool writing)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = x};

    if (x->writing == writing)
        return;
    x->writing = writing;
    /* Alone: a client that sends and does not read must wait. */
    if (writing)
        e.events = EPOLLOUT;
    epoll_ctl(x->loop->epoll, EPOLL_CTL_MOD, x->fd, &e);
}

static bool is_head_request(const struct exchange *x)
{
    return bytes_equal(x->head.method, bytes_str("HEAD"));
}

/* The head of the answer, once its body is complete. */
static void spell_front(struct exchange *x)
{
    struct answer *a = &x->answer;
    bool bodiless = a->status == 204 || a->status == 304;

    x->front = (struct buf)BUF_INIT(128 * 1024);
    buf_addf(&x->front, "HTTP/1.1 %d %s\r\n", a->status,
             http_reason(a->status));
    buf_add(&x->front, a->headers.data, a->headers.len);
    if (!bodiless)
        buf_addf(&x->front, "Content-Length: %zu\r\n", a->body.len);
    buf_add_str(&x->front, x->last ? "Connection: close\r\n\r\n"
                           : x->head.minor == 0
                               ? "Connection: keep-alive\r\n\r\n"
                               : "\r\n");
    if (bodiless || is_head_request(x))
        buf_clear(&a->body);
}

static void begin_request(struct exchange *x);

/* All is said: the next request, or the end. False: the connection is gone. */
static bool end_answer(struct exchange *x)
{
    forget_answer(x);
    want(x, false);
    if (x->last) {
        shutdown(x->fd, SHUT_WR);
        x->state = LINGER;
        x->deadline_ms = now_ms() + LINGER_MS;
        return true;
    }
    begin_request(x);
    return true;
}

/* Write what there is to say. False: the connection is gone. */
static bool write_answer(struct exchange *x)
{
    for (;;) {
        size_t front = x->front.len, total = front + x->answer.body.len;
        struct iovec v[2];
        int n = 0;
        ssize_t sent;

        if (x->sent == total)
            return end_answer(x);
        if (x->sent < front)
            v[n++] = (struct iovec){(char *)x->front.data + x->sent,
                                    front - x->sent};
        if (x->answer.body.len > 0) {
            size_t from = x->sent > front ? x->sent - front : 0;

            v[n++] = (struct iovec){(char *)x->answer.body.data + from,
                                    x->answer.body.len - from};
        }
        sent = writev(x->fd, v, n);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN) {
            want(x, true);
            return true;
        }
        if (sent < 0) {
            end_connection(x);
            return false;
        }
        x->sent += (size_t)sent;
        x->deadline_ms = now_ms() + x->loop->http->c.idle_ms;
    }
}

/* On the loop's thread: say it. False: the connection is gone. */
static bool say(struct exchange *x)
{
    x->last |= x->answer.close || !x->head.keep ||
               atomic_load(&x->loop->http->draining);
    x->state = ANSWER;
    x->sent = 0;
    if (x->answer.headers.failed || x->answer.body.failed) {
        forget_answer(x);
        x->answer = new_answer();
        answer_error(&x->answer, 500, "no_memory", "try again later",
                     "out of memory");
    }
    spell_front(x);
    x->deadline_ms = now_ms() + x->loop->http->c.idle_ms;
    return write_answer(x);
}

/* Refused before anybody was asked: nothing that follows can be trusted. */
static bool refuse(struct exchange *x, int status, const char *why)
{
    x->answer = new_answer();
    x->head.keep = false;
    if (x->state == HEAD) { /* of which there may be nothing */
        x->head.method = bytes_of("GET", 3);
        x->head.minor = 1;
    }
    answer_error(&x->answer, status,
                 status == 408   ? "timeout"
                 : status == 413 ? "too_large"
                                 : "bad_request",
                 "send one request of HTTP/1.1 at a time", "%s", why);
    return say(x);
}

void exchange_answer(struct exchange *x, struct answer *answer)
{
    struct loop *l = x->loop;
    uint64_t one = 1;

    x->answer = *answer;
    *answer = (struct answer){.status = 0};
    atomic_fetch_sub(&l->http->busy, 1);
    if (here == l && x->handled_inline) {
        x->handled_inline = false; /* dispatch() goes on */
        return;
    }
    pthread_mutex_lock(&l->lock);
    x->mail = NULL;
    *l->mail_end = x;
    l->mail_end = &x->mail;
    pthread_mutex_unlock(&l->lock);
    if (write(l->wake, &one, sizeof one) < 0)
        return; /* it is full, so it will wake */
}

/* ---- requests ----------------------------------------------------------- */

const struct head *exchange_head(const struct exchange *x)
{
    return &x->head;
}

quire_bytes exchange_header(const struct exchange *x, const char *name)
{
    return head_get(&x->head, name);
}

quire_bytes exchange_body(const struct exchange *x)
{
    if (x->head.chunked)
        return buf_bytes(&x->body);
    return bytes_of((const char *)x->in.data + x->head_len,
                    (size_t)x->head.length);
}

/* Drop what is done with; what came after it is the next request's. */
static void drop_front(struct exchange *x, size_t n)
{
    if (n >= x->in.len) {
        buf_release(&x->in); /* an idle connection has no buffer */
        x->in = (struct buf)BUF_INIT((size_t)1 << 31);
        return;
    }
    memmove(x->in.data, (char *)x->in.data + n, x->in.len - n);
    x->in.len -= n;
}

/* The request is complete. False: the connection is gone. */
static bool dispatch(struct exchange *x)
{
    struct http *h = x->loop->http;

    x->state = BUSY;
    x->deadline_ms = INT64_MAX;
    x->handled_inline = true;
    atomic_fetch_add(&h->busy, 1);
    h->c.handler(h->c.ctx, x);
    if (x->handled_inline) { /* somebody else answers it */
        x->handled_inline = false;
        /* Until then nothing that the client does is of interest. */
        epoll_ctl(x->loop->epoll, EPOLL_CTL_DEL, x->fd, NULL);
        return true;
    }
    return say(x);
}

/* Go on to the next request, of which something may be there already. */
static void begin_request(struct exchange *x)
{
    size_t done = x->head.chunked ? x->head_len
                                  : x->head_len + (size_t)x->head.length;

    drop_front(x, done);
    buf_release(&x->body);
    x->body = (struct buf)BUF_INIT(x->loop->http->c.body_max + READ_AT_ONCE);
    x->chunks = (struct chunks){0};
    x->head_len = 0;
    x->head.length = 0;
    x->head.chunked = false;
    x->told_100 = false;
    x->state = HEAD;
    x->deadline_ms = now_ms() + (x->in.len ? x->loop->http->c.head_ms
                                           : x->loop->http->c.idle_ms);
}

static void tell_to_go_on(struct exchange *x)
{
    static const char words[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (!x->head.expects || x->told_100)
        return;
    x->told_100 = true;
    /* Nothing else is being written, so there is room for it. */
    if (send(x->fd, words, sizeof words - 1, MSG_NOSIGNAL) < 0)
        return;
}

static bool begin_body(struct exchange *x)
{
    struct http *h = x->loop->http;
    struct answer answer;

    if (x->head.length > h->c.body_max) {
        x->state = BODY;
        return refuse(x, 413, "the body is too long");
    }
    x->state = BODY;
    x->deadline_ms = now_ms() + h->c.body_ms;
    x->until_ms = now_ms() + BODY_MS;
    if (x->head.length == 0 && !x->head.chunked)
        return true;
    /* Who sends it is asked before it is kept. */
    answer = new_answer();
    if (!h->c.admit || h->c.admit(h->c.ctx, x, &answer)) {
        buf_release(&answer.headers);
        buf_release(&answer.body);
        return true;
    }
    x->answer = answer;
    x->head.keep = false;
    return say(x);
}

/* Take chunks out of what has come. False with *gone: the connection is. */
static enum head_state take_chunks(struct exchange *x)
{
    enum head_state st = HEAD_MORE;
    size_t at = x->head_len, used = 1;
    quire_bytes piece;

    while (st == HEAD_MORE && at < x->in.len && used > 0) {
        st = chunks_next(&x->chunks,
                         bytes_of((char *)x->in.data + at, x->in.len - at),
                         &used, &piece);
        if (st == HEAD_BAD)
            break;
        buf_add(&x->body, piece.data, piece.len);
        at += used;
    }
    /* The head's slices point into what is kept. */
    if (st != HEAD_BAD && at > x->head_len) {
        memmove((char *)x->in.data + x->head_len, (char *)x->in.data + at,
                x->in.len - at);
        x->in.len -= at - x->head_len;
    }
    return st;
}

/* Do what can be done with what has come. False: the connection is gone. */
static bool advance(struct exchange *x)
{
    while (x->state == HEAD || x->state == BODY) {
        const char *why;
        int status;

        if (x->state == HEAD) {
            if (x->in.len == 0)
                return true;
            switch (head_read(buf_bytes(&x->in), &x->head, &x->head_len,
                              &status, &why)) {
            case HEAD_MORE: return true;
            case HEAD_BAD: return refuse(x, status, why);
            case HEAD_DONE:
                if (!begin_body(x))
                    return false;
                break;
            }
        } else if (x->head.chunked) {
            enum head_state st = take_chunks(x);

            if (st == HEAD_BAD)
                return refuse(x, 400, "the chunks of the body make no sense");
            if (x->body.failed || x->body.len > x->loop->http->c.body_max)
                return refuse(x, 413, "the body is too long");
            if (st == HEAD_MORE) {
                tell_to_go_on(x);
                return true;
            }
            if (!dispatch(x))
                return false;
        } else if (x->in.len - x->head_len < x->head.length) {
            tell_to_go_on(x);
            return true;
        } else if (!dispatch(x)) {
            return false;
        }
    }
    return true;
}

/* Bytes have come, or the client is gone. A buffer that moves takes the slices
 * of a head along, so a head that is done is read again. */
static bool read_more(struct exchange *x)
{
    const char *before = x->in.data;
    struct head *h = &x->head;
    size_t used;
    int status;
    const char *why;
    ssize_t n;
    void *room;

    if (x->state == LINGER) {
        char drop[4096];

        n = read(x->fd, drop, sizeof drop);
        if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
            return true;
        end_connection(x);
        return false;
    }
    room = buf_room(&x->in, READ_AT_ONCE);
    if (!room)
        return refuse(x, 503, "out of memory");
    /* A buffer that has moved took the slices of the head along. */
    if (x->state == BODY && x->in.data != before)
        head_read(bytes_of(x->in.data, x->head_len), h, &used, &status, &why);
    n = read(x->fd, room, READ_AT_ONCE);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0) {
        end_connection(x);
        return false;
    }
    if (x->state == HEAD && x->in.len == 0)
        x->deadline_ms = now_ms() + x->loop->http->c.head_ms;
    buf_grow(&x->in, (size_t)n);
    if (x->state == BODY) {
        x->deadline_ms = now_ms() + x->loop->http->c.body_ms;
        if (x->deadline_ms > x->until_ms)
            x->deadline_ms = x->until_ms;
    }
    return advance(x);
}

static void see_event(struct exchange *x, uint32_t events)
{
    bool there = true;

    if (x->state == ANSWER) {
        if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
            there = write_answer(x);
        else
            want(x, true);
    } else {
        there = read_more(x);
    }
    /* What came together is answered together. */
    while (there && x->state == HEAD && x->in.len > 0) {
        size_t before = x->in.len;

        there = advance(x);
        if (there && x->state == HEAD && x->in.len == before)
            break;
    }
}

/* ---- a loop ------------------------------------------------------------- */

/* Take those who have come. False: descriptors have run out. */
static bool greet(struct loop *l)
{
    struct http *h = l->http;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP};
    struct exchange *x;
    int fd, on = 1, i;

    for (i = 0; i < 64; i++) {
        fd = accept4(h->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
        x = atomic_load(&h->connections) < h->c.connections_max
                ? calloc(1, sizeof *x)
                : NULL;
        if (!x) {
            static const char words[] =
                "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
                "Content-Type: application/json\r\nConnection: close\r\n\r\n"
                "{\"error\":\"too many connections\",\"kind\":\"busy\","
                "\"hint\":\"try again soon\"}";

            if (send(fd, words, sizeof words - 1, MSG_NOSIGNAL) < 0)
                on = 1; /* it is closed either way */
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        x->loop = l;
        x->fd = fd;
        x->in = (struct buf)BUF_INIT((size_t)1 << 31);
        x->body = (struct buf)BUF_INIT(h->c.body_max + READ_AT_ONCE);
        x->state = HEAD;
        x->deadline_ms = now_ms() + h->c.head_ms;
        x->next = l->all;
        x->at = &l->all;
        if (l->all)
            l->all->at = &x->next;
        l->all = x;
        atomic_fetch_add(&h->connections, 1);
        e.data.ptr = x;
        if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) < 0)
            end_connection(x);
    }
    return true;
}

/* Whoever has waited longest without a word makes room for who has come. */
static bool make_room(struct loop *l)
{
    struct exchange *x, *oldest = NULL;

    for (x = l->all; x; x = x->next)
        oldest = x->state == HEAD && x->in.len == 0 ? x : oldest;
    if (oldest)
        end_connection(oldest);
    return oldest || !usleep(1000); /* all are busy: not again at once */
}

static void read_mail(struct loop *l)
{
    struct exchange *x, *next;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP};
    uint64_t n;

    if (read(l->wake, &n, sizeof n) < 0)
        return;
    pthread_mutex_lock(&l->lock);
    x = l->mail;
    l->mail = NULL;
    l->mail_end = &l->mail;
    pthread_mutex_unlock(&l->lock);
    for (; x; x = next) {
        next = x->mail;
        e.data.ptr = x;
        x->writing = false;
        if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, x->fd, &e) < 0) {
            end_connection(x);
            continue;
        }
        if (say(x) && x->state == HEAD && x->in.len > 0)
            advance(x);
    }
}

/* Those that took too long. */
static void sweep(struct loop *l, int64_t now)
{
    bool draining = atomic_load(&l->http->draining);
    struct exchange *x, *next;

    for (x = l->all; x; x = next) {
        bool idle = x->state == HEAD && x->in.len == 0;

        next = x->next;
        if (draining && idle) {
            end_connection(x);
        } else if (x->deadline_ms <= now) {
            if (x->state == HEAD && x->in.len > 0)
                refuse(x, 408, "the head did not come to its end in time");
            else if (x->state == BODY)
                refuse(x, 408, "the body did not come to its end in time");
            else
                end_connection(x);
        }
    }
}

static bool is_over(struct loop *l)
{
    struct http *h = l->http;

    return atomic_load(&h->draining) &&
           (!l->all || now_ms() >= atomic_load(&h->until_ms));
}

static void *loop_run(void *arg)
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
                if (!atomic_load(&l->http->draining))
                    room = greet(l);
                else
                    epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->http->listener, NULL);
            } else if (events[i].data.ptr != l) {
                see_event(events[i].data.ptr, events[i].events);
            }
        }
        /* Last: an answer may end a connection that has an event above. */
        read_mail(l);
        room = room || make_room(l);
        now = now_ms();
        if (now - swept >= 1000 || atomic_load(&l->http->draining)) {
            swept = now;
            sweep(l, now);
        }
    }
    return NULL;
}

/* ---- the whole ---------------------------------------------------------- */

static quire_status open_loop(struct http *h, struct loop *l, quire_error *err)
{
    struct epoll_event e = {.events = EPOLLIN};

    l->http = h;
    l->mail_end = &l->mail;
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

quire_status http_open(const struct http_config *config, struct http **out,
                       quire_error *err)
{
    struct http *h = calloc(1, sizeof *h);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    quire_status st;
    int i;

    *out = NULL;
    if (!h)
        return err_memory(err);
    h->c = *config;
    h->listener = -1;
    h->n_loops = h->c.loops ? h->c.loops : cores > 0 ? (int)cores : 1;
    h->loops = calloc((size_t)h->n_loops, sizeof *h->loops);
    st = h->loops ? QUIRE_OK : err_memory(err);
    for (i = 0; h->loops && i < h->n_loops; i++)
        h->loops[i].wake = h->loops[i].epoll = -1;
    if (!st)
        st = http_listen(h->c.host, h->c.port, &h->listener, &h->port, err);
    for (i = 0; i < h->n_loops && !st; i++)
        st = open_loop(h, &h->loops[i], err);
    if (st)
        http_close(h);
    else
        *out = h;
    return st;
}

uint16_t http_port(const struct http *h)
{
    return h->port;
}

quire_status http_run(struct http *h, quire_error *err)
{
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < h->n_loops && !st; i++) {
        int why = pthread_create(&h->loops[i].thread, NULL, loop_run,
                                 &h->loops[i]);

        h->loops[i].started = !why;
        if (why)
            st = err_sys(err, why, "cannot begin to serve");
    }
    if (st)
        http_drain(h, 0);
    for (i = 0; i < h->n_loops; i++)
        if (h->loops[i].started) {
            pthread_join(h->loops[i].thread, NULL);
            h->loops[i].started = false;
        }
    return st;
}

void http_drain(struct http *h, int wait_ms)
{
    uint64_t one = 1;
    int i;

    atomic_store(&h->until_ms, now_ms() + wait_ms);
    atomic_store(&h->draining, 1);
    for (i = 0; i < h->n_loops; i++)
        if (write(h->loops[i].wake, &one, sizeof one) < 0)
            continue; /* it will wake by itself */
}

void http_load(const struct http *h, uint64_t *connections, uint64_t *busy)
{
    *connections = atomic_load(&h->connections);
    *busy = atomic_load(&h->busy);
}

void http_close(struct http *h)
{
    struct exchange *x, *next;
    int i;

    if (!h)
        return;
    for (i = 0; h->loops && i < h->n_loops; i++) {
        for (x = h->loops[i].all; x; x = next) {
            next = x->next;
            end_connection(x);
        }
        if (h->loops[i].epoll >= 0)
            close(h->loops[i].epoll);
        if (h->loops[i].wake >= 0)
            close(h->loops[i].wake);
        pthread_mutex_destroy(&h->loops[i].lock);
    }
    if (h->listener >= 0)
        close(h->listener);
    free(h->loops);
    free(h);
}
