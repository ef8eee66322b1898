/*
 * connection.c - one client: requests in, answers out
 *
 * A connection is in one of seven states:
 *
 *     HANDSHAKE  TLS only
 *     HEAD       waiting for a head, or reading it
 *     BODY       the head was fine, reading the body
 *     BUSY       the handler has the exchange and will answer it
 *     ANSWER     writing the answer
 *     STREAM     writing a stream, until its writers or the client end it
 *     LINGER     the answer is sent; input is read and dropped for a moment:
 *                closing with bytes unread would reset the connection before the
 *                answer arrives
 *
 * All of it runs on the thread of its loop, but for exchange_respond().
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "http/loop.h"

enum { READ_AT_ONCE = 16 * 1024, READ_LONG = 256 * 1024, LINGER_MS = 1000 };
enum { BODY_MS = 10 * 60 * 1000, FINISH_MS = 1000 };

/* A client that reads slower than this after ten minutes is disconnected. */
enum { ANSWER_MS = 10 * 60 * 1000, ANSWER_BYTES_A_MS = 64 };

/* ---- a connection ------------------------------------------------------- */

static void release_answer(struct exchange *x)
{
    response_release(&x->answer);
    buf_release(&x->front);
    x->sent = 0;
    if (x->answer.stream)
        stream_over(x->answer.stream);
    x->answer.stream = NULL;
}

void connection_end(struct exchange *x)
{
    tls_end(x->tls);
    /* A forked child may still have it open: then epoll would keep reporting it. */
    epoll_ctl(x->loop->epoll, EPOLL_CTL_DEL, x->fd, NULL);
    close(x->fd);
    *x->at = x->next;
    if (x->next)
        x->next->at = x->at;
    atomic_fetch_sub(&x->loop->http->connections, 1);
    release_answer(x);
    buf_release(&x->in);
    body_release(x);
    free(x);
}

static ssize_t read_some(struct exchange *x, void *buf, size_t cap)
{
    return x->tls ? tls_read(x->tls, buf, cap) : read(x->fd, buf, cap);
}

static ssize_t write_some(struct exchange *x, const struct iovec *v, int n)
{
    return x->tls ? tls_write(x->tls, v, n) : writev(x->fd, v, n);
}

bool connection_is_idle(const struct exchange *x)
{
    return x->state == HANDSHAKE || (x->state == HEAD && x->in.len == 0);
}

/* Sets of epoll events. While an answer or a stream is written nothing is read:
 * there is no EPOLLIN then. */
enum {
    TO_READ = EPOLLIN | EPOLLRDHUP,
    TO_WRITE = EPOLLOUT,
    TO_HANG_UP = EPOLLRDHUP,
};

static void watch_events(struct exchange *x, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = x};

    if (x->events == events)
        return;
    x->events = events;
    epoll_ctl(x->loop->epoll, EPOLL_CTL_MOD, x->fd, &e);
}

static bool is_head_request(const struct exchange *x)
{
    return bytes_equal(x->head.method, bytes_str("HEAD"));
}

/* "Date: Tue, 17 Nov 2026 15:09:26 GMT"; formatted once a second, because it costs
 * more than the rest of a head. */
static const char *date_line(struct loop *l)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed",
                                   "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct timespec now;
    struct tm t;

    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec != l->dated && gmtime_r(&now.tv_sec, &t)) {
        l->dated = now.tv_sec;
        snprintf(l->date, sizeof l->date,
                 "Date: %s, %02d %s %d %02d:%02d:%02d GMT\r\n", days[t.tm_wday],
                 t.tm_mday, months[t.tm_mon], t.tm_year + 1900, t.tm_hour,
                 t.tm_min, t.tm_sec);
    }
    return l->date;
}

/* Format the head of the answer, once its body is complete. */
static void format_head(struct exchange *x)
{
    struct response *a = &x->answer;
    bool bodiless = a->status == 204 || a->status == 304;

    x->front = (struct buf)BUF_INIT(128 * 1024);
    buf_addf(&x->front, "HTTP/1.1 %d %s\r\n", a->status,
             http_reason(a->status));
    buf_add_str(&x->front, date_line(x->loop));
    buf_add(&x->front, a->headers.data, a->headers.len);
    if (a->stream)
        buf_add_str(&x->front,
                    x->head.minor ? "Transfer-Encoding: chunked\r\n" : "");
    else if (!bodiless)
        buf_addf(&x->front, "Content-Length: %llu\r\n",
                 (unsigned long long)(a->promised ? a->promised
                                                  : response_bytes(a).len));
    buf_add_str(&x->front, x->last ? "Connection: close\r\n\r\n"
                           : x->head.minor == 0
                               ? "Connection: keep-alive\r\n\r\n"
                               : "\r\n");
    if (bodiless || is_head_request(x)) {
        buf_clear(&a->body);
        spool_free(a->content);
        a->content = NULL;
    }
}

static void begin_request(struct exchange *x);

/* The answer is sent: the next request, or the end. False: the connection is gone. */
static bool end_answer(struct exchange *x)
{
    release_answer(x);
    watch_events(x, TO_READ);
    if (x->last) {
        if (x->tls)
            tls_send_close(x->tls);
        shutdown(x->fd, SHUT_WR);
        x->state = LINGER;
        x->deadline_ms = now_ms() + LINGER_MS;
        return true;
    }
    begin_request(x);
    return true;
}

/* Write the answer. False: the connection is gone. */
static bool write_answer(struct exchange *x)
{
    quire_bytes body = response_bytes(&x->answer);

    for (;;) {
        size_t front = x->front.len, total = front + body.len;
        struct iovec v[2];
        int n = 0;
        ssize_t sent;

        if (x->sent == total)
            return end_answer(x);
        if (x->sent < front)
            v[n++] = (struct iovec){(char *)x->front.data + x->sent,
                                    front - x->sent};
        if (body.len > 0) {
            size_t from = x->sent > front ? x->sent - front : 0;

            v[n++] = (struct iovec){(char *)(uintptr_t)body.data + from,
                                    body.len - from};
        }
        sent = write_some(x, v, n);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN) {
            watch_events(x, TO_WRITE);
            return true;
        }
        if (sent < 0) {
            connection_end(x);
            return false;
        }
        x->sent += (size_t)sent;
        x->deadline_ms = now_ms() + x->loop->http->c.idle_ms;
        if (x->deadline_ms > x->until_ms)
            x->deadline_ms = x->until_ms;
    }
}

/* ---- a stream ----------------------------------------------------------- */

static void add_chunk(struct exchange *x, quire_bytes piece)
{
    if (!piece.len)
        return;
    if (x->head.minor)
        buf_addf(&x->front, "%zx\r\n", piece.len);
    buf_add(&x->front, piece.data, piece.len);
    if (x->head.minor)
        buf_add_str(&x->front, "\r\n");
}

/* Take new bytes of the stream. False: the connection is gone. */
static bool take_stream_bytes(struct exchange *x)
{
    struct buf bytes;
    enum stream_state st = stream_take(x->answer.stream, &bytes);

    buf_release(&x->front); /* a stream that is quiet has no buffer */
    x->front = (struct buf)BUF_INIT((size_t)1 << 31);
    x->sent = 0;
    add_chunk(x, buf_bytes(&bytes));
    buf_release(&bytes);
    if (st == STREAM_STUCK || x->front.failed) {
        connection_end(x);
        return false;
    }
    if (st == STREAM_ENDED) {
        if (x->head.minor)
            buf_add_str(&x->front, "0\r\n\r\n");
        x->state = ANSWER; /* and the rest is as with any */
        x->deadline_ms = now_ms() + FINISH_MS;
        x->until_ms = now_ms() + ANSWER_MS;
        return write_answer(x);
    }
    return true;
}

/* Send what the stream has. False: the connection is gone. */
static bool send_stream(struct exchange *x)
{
    while (x->state == STREAM) {
        struct iovec v;
        ssize_t sent;

        if (x->sent == x->front.len) {
            if (!take_stream_bytes(x))
                return false;
            if (x->state != STREAM || !x->front.len)
                break;
        }
        v = (struct iovec){x->front.data + x->sent, x->front.len - x->sent};
        sent = write_some(x, &v, 1);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN) {
            watch_events(x, TO_HANG_UP | TO_WRITE);
            return true;
        }
        if (sent < 0) {
            connection_end(x);
            return false;
        }
        x->sent += (size_t)sent;
        x->deadline_ms = now_ms() + x->loop->http->c.idle_ms;
    }
    if (x->state == STREAM) {
        watch_events(x, TO_HANG_UP);
        x->deadline_ms = now_ms() + stream_config(x->answer.stream)->keep_ms;
        if (x->deadline_ms > x->until_ms)
            x->deadline_ms = x->until_ms;
    }
    return true;
}

static bool begin_stream(struct exchange *x)
{
    x->state = STREAM;
    x->until_ms = now_ms() + stream_config(x->answer.stream)->life_ms;
    buf_release(&x->answer.body);
    stream_begin(x->answer.stream, x);
    return send_stream(x);
}

void connection_push(struct exchange *x)
{
    if (x->state == STREAM && !(x->events & TO_WRITE))
        send_stream(x);
}

void connection_finish(struct exchange *x)
{
    if (x->deadline_ms > now_ms() + FINISH_MS)
        x->deadline_ms = now_ms() + FINISH_MS;
    stream_end(x->answer.stream);
}

/* Nothing was sent for a while: the client does not read, or the stream is idle. */
static void on_quiet_stream(struct exchange *x)
{
    const struct stream_config *c = stream_config(x->answer.stream);

    if (x->events & TO_WRITE) {
        connection_end(x);
    } else if (now_ms() >= x->until_ms) {
        stream_end(x->answer.stream);
        send_stream(x);
    } else {
        add_chunk(x, bytes_str(c->keep_alive));
        send_stream(x);
    }
}

/* ---- answers ------------------------------------------------------------ */

#define FULL "too many large bodies and answers are under way"

/* Count the answer, or replace it by a refusal. A request other than GET may have
 * been a write, which is done: its answer is dropped only if its owner holds too
 * much, and does not ask the client to repeat it. */
static void hold_answer(struct exchange *x)
{
    bool get = bytes_is(x->head.method, "GET");
    enum hold hold = x->answer.body.len > x->held
                         ? body_hold(x, x->answer.body.len)
                         : HELD;

    if (hold == HELD || (hold == HOLD_ALL && !get))
        return;
    release_answer(x);
    x->answer = response_new();
    if (get) {
        response_error(&x->answer, 503, "busy", "try again soon", FULL);
        response_header(&x->answer, "Retry-After", "1");
    } else {
        response_error(&x->answer, 507, "answer_dropped",
                       "read the other answers first; look before you repeat "
                       "a write",
                       "the request was done, but its answer exceeds the "
                       "memory for answers that wait for one tenant");
    }
}

/* Start the answer, on the loop's thread. False: the connection is gone. */
static bool send_answer(struct exchange *x)
{
    x->last |= x->answer.close || !x->head.keep || x->answer.stream ||
               atomic_load(&x->loop->http->draining);
    x->state = ANSWER;
    x->sent = 0;
    if (x->answer.headers.failed || x->answer.body.failed ||
        (x->answer.content && !response_bytes(&x->answer).data)) {
        release_answer(x);
        x->answer = response_new();
        response_error(&x->answer, 500, "no_memory", "try again later",
                       "out of memory");
    }
    hold_answer(x);
    format_head(x);
    x->deadline_ms = now_ms() + x->loop->http->c.idle_ms;
    x->until_ms = now_ms() + ANSWER_MS +
                  (int64_t)(response_bytes(&x->answer).len / ANSWER_BYTES_A_MS);
    if (x->answer.stream && !is_head_request(x))
        return begin_stream(x);
    return write_answer(x);
}

/* ---- refusing ----------------------------------------------------------- */

static const struct refusal {
    int status;
    const char *kind, *hint;
} refusals[] = {
    {408, "timeout", "send it without pauses"},
    {413, "too_large", "send less; /openapi.json has the limits"},
    {503, "busy", "try again soon"},
    {507, "no_space", "free space on the server's disk"},
    {0, "bad_request", "send one request of HTTP/1.1 at a time"},
};

/* A refusal of the framing layer; what follows cannot be trusted. */
static bool refuse_request(struct exchange *x, int status, const char *why)
{
    const struct http_config *c = &x->loop->http->c;
    const struct refusal *r = refusals;

    while (r->status && r->status != status)
        r++;
    x->answer = response_new();
    if (x->state == HEAD) /* of which there may be nothing */
        x->head = (struct head){.method = bytes_of("GET", 3), .minor = 1};
    x->head.keep = false;
    response_error(&x->answer, status, r->kind, r->hint, "%s", why);
    if (status == 503)
        response_header(&x->answer, "Retry-After", "1");
    if (c->refused)
        c->refused(c->ctx, x, &x->answer, why);
    return send_answer(x);
}

/* Memory for bodies is used up, for now. */
static bool refuse_full(struct exchange *x)
{
    body_release(x);
    return refuse_request(x, 503, FULL);
}

static bool refuse_body(struct exchange *x, enum body_state why)
{
    switch (why) {
    case BODY_FULL: return refuse_full(x);
    case BODY_LONG: return refuse_request(x, 413, "the body is too long");
    case BODY_NO_DISK:
        return refuse_request(x, 507,
                              "no disk space for a body of this length");
    default: return refuse_request(x, 400, "malformed chunks");
    }
}

void exchange_respond(struct exchange *x, struct response *answer)
{
    struct loop *l = x->loop;

    x->answer = *answer;
    *answer = (struct response){.status = 0};
    atomic_fetch_sub(&l->http->busy, 1);
    if (loop_is_here(l) && x->handled_inline)
        x->handled_inline = false; /* dispatch() goes on */
    else
        loop_mail(l, x);
}

/* ---- requests ----------------------------------------------------------- */

const struct head *exchange_head(const struct exchange *x)
{
    return &x->head;
}

bool exchange_is_late(const struct exchange *x)
{
    return x->late;
}

int exchange_socket(const struct exchange *x)
{
    return x->fd;
}

quire_bytes exchange_header(const struct exchange *x, const char *name)
{
    return http_head_get(&x->head, name);
}

/* Drop the first `n` bytes; the rest belongs to the next request. */
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
    if (x->handled_inline) { /* another thread answers it */
        x->handled_inline = false;
        /* Until then events of the client do not matter. */
        epoll_ctl(x->loop->epoll, EPOLL_CTL_DEL, x->fd, NULL);
        return true;
    }
    return send_answer(x);
}

/* Go on to the next request; bytes of it may have arrived already. */
static void begin_request(struct exchange *x)
{
    drop_front(x, x->head_len + body_behind_head(x));
    body_release(x);
    x->head_len = 0;
    x->head.length = 0;
    x->head.chunked = false;
    x->sent_100 = false;
    x->state = HEAD;
    x->idle_since_ms = now_ms();
    x->deadline_ms = now_ms() + (x->in.len ? x->loop->http->c.head_ms
                                           : x->loop->http->c.idle_ms);
}

/* False: the connection is gone. */
static bool send_continue(struct exchange *x)
{
    char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct iovec v = {line, sizeof line - 1};

    if (!x->head.expects || x->sent_100)
        return true;
    x->sent_100 = true;
    /* Nothing else is being written, so it fits, unless the client does not read
     * earlier answers. */
    if (write_some(x, &v, 1) == (ssize_t)v.iov_len)
        return true;
    connection_end(x);
    return false;
}

/* The head is complete. False: the connection is gone. */
static bool begin_body(struct exchange *x)
{
    struct http *h = x->loop->http;
    struct response answer;
    enum body_state state;

    x->state = BODY;
    if (x->head.length > h->c.large_max)
        return refuse_body(x, BODY_LONG);
    x->deadline_ms = now_ms() + h->c.body_ms;
    x->until_ms = now_ms() + BODY_MS;
    if (x->head.length == 0 && !x->head.chunked)
        return true;
    /* Authorise before any of the body is stored. */
    answer = response_new();
    if (h->c.admit && !h->c.admit(h->c.ctx, x, &answer)) {
        x->answer = answer;
        x->head.keep = false;
        return send_answer(x);
    }
    response_release(&answer);
    state = body_begin(x);
    return state == BODY_MORE || refuse_body(x, state);
}

/* Bytes of the body have arrived. False: the connection is gone. */
static bool take_body(struct exchange *x, bool *wait)
{
    enum body_state state = body_take(x);

    *wait = state == BODY_MORE;
    if (state == BODY_MORE)
        return send_continue(x);
    return state == BODY_DONE ? dispatch(x) : refuse_body(x, state);
}

/* Process what has arrived. False: the connection is gone. */
static bool advance(struct exchange *x)
{
    bool there = true, wait = false;

    while (there && !wait && (x->state == HEAD || x->state == BODY)) {
        const char *why;
        int status;

        if (x->state == BODY) {
            there = take_body(x, &wait);
            continue;
        }
        if (x->in.len == 0)
            return true;
        switch (http_parse_head(buf_bytes(&x->in), &x->head, &x->head_len,
                                &status, &why)) {
        case HEAD_MORE: return true;
        case HEAD_BAD: return refuse_request(x, status, why);
        case HEAD_DONE: there = begin_body(x); break;
        }
    }
    return there;
}

/* Bytes have arrived, or the client is gone. False: the connection is gone. */
static bool read_more(struct exchange *x)
{
    const char *before = x->in.data;
    struct head *h = &x->head;
    size_t used, cap;
    int status;
    const char *why;
    ssize_t n;
    void *room;

    if (x->state == LINGER) {
        char drop[4096];

        n = read(x->fd, drop, sizeof drop);
        if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
            return true;
        connection_end(x);
        return false;
    }
    cap = x->spool ? READ_LONG : READ_AT_ONCE;
    room = buf_room(&x->in, cap);
    if (!room)
        return refuse_request(x, 503, "out of memory");
    /* The buffer has moved: the slices of the head are parsed again. */
    if (x->state == BODY && x->in.data != before)
        http_parse_head(bytes_of(x->in.data, x->head_len), h, &used, &status,
                        &why);
    n = read_some(x, room, cap);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0) {
        connection_end(x);
        return false;
    }
    if (x->state == HEAD && x->in.len == 0)
        x->deadline_ms = now_ms() + x->loop->http->c.head_ms;
    buf_grow(&x->in, (size_t)n);
    if (x->state == BODY) {
        x->body_later = true;
        x->deadline_ms = now_ms() + x->loop->http->c.body_ms;
        if (x->deadline_ms > x->until_ms)
            x->deadline_ms = x->until_ms;
    }
    return advance(x);
}

/* HTTP on a TLS port gets a readable answer. */
static bool is_plain_http(const struct exchange *x)
{
    char first;

    return recv(x->fd, &first, 1, MSG_PEEK) == 1 && first >= 'A' &&
           first <= 'Z';
}

/* Continue the handshake. False: the connection is gone. */
static bool continue_handshake(struct exchange *x)
{
    bool first = !x->handshake_begun;

    x->handshake_begun = true;
    if (first && is_plain_http(x)) {
        tls_end(x->tls);
        x->tls = NULL;
        x->state = HEAD;
        return refuse_request(x, 400, "this port requires TLS: use https");
    }
    switch (tls_handshake(x->tls)) {
    case TLS_TO_READ: watch_events(x, TO_READ); return true;
    case TLS_TO_WRITE: watch_events(x, TO_WRITE); return true;
    case TLS_DONE:
        x->state = HEAD;
        x->deadline_ms = now_ms() + x->loop->http->c.head_ms;
        watch_events(x, TO_READ);
        return !tls_has_more(x->tls) || read_more(x);
    case TLS_FAILED: break;
    }
    connection_end(x);
    return false;
}

/* Read all that has arrived: of a TLS record epoll reports only the first bytes. */
static bool read_all(struct exchange *x)
{
    bool there = read_more(x);

    while (there && x->tls && (x->state == HEAD || x->state == BODY) &&
           tls_has_more(x->tls))
        there = read_more(x);
    return there;
}

void connection_on_event(struct exchange *x, uint32_t events)
{
    bool there = true;

    if (x->state == ANSWER) {
        if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
            there = write_answer(x);
        else
            watch_events(x, TO_WRITE);
    } else if (x->state == STREAM) {
        there = !(events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
        if (there)
            there = send_stream(x);
        else
            connection_end(x);
    } else {
        there = x->state == HANDSHAKE ? continue_handshake(x) : read_all(x);
    }
    /* Pipelined requests. */
    while (there && x->state == HEAD && x->in.len > 0) {
        size_t before = x->in.len;

        there = advance(x);
        if (there && x->state == HEAD && x->in.len == before)
            break;
    }
}

/* ---- for the loop ------------------------------------------------------- */

static void refuse_connection(int fd)
{
    static const char body[] = "{\"error\":\"too many connections\","
                               "\"kind\":\"busy\",\"hint\":\"try again soon\"}";
    char answer[512];
    int n = snprintf(answer, sizeof answer,
                     "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
                     "Content-Type: application/json\r\n"
                     "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                     sizeof body - 1, body);

    if (send(fd, answer, (size_t)n, MSG_NOSIGNAL) < 0)
        return; /* it is closed either way */
}

void connection_begin(struct loop *l, int fd)
{
    struct http *h = l->http;
    struct epoll_event e = {.events = TO_READ};
    struct exchange *x = NULL;
    int on = 1;

    if (atomic_load(&h->connections) < http_connections_most(h))
        x = calloc(1, sizeof *x);
    if (!x) {
        if (!h->tls)
            refuse_connection(fd);
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    x->loop = l;
    x->fd = fd;
    x->in = (struct buf)BUF_INIT((size_t)1 << 31);
    x->events = TO_READ;
    x->state = h->tls ? HANDSHAKE : HEAD;
    x->idle_since_ms = now_ms();
    x->late = atomic_load(&h->draining);
    x->deadline_ms = now_ms() + (x->late ? FINISH_MS : h->c.head_ms);
    x->next = l->all;
    x->at = &l->all;
    if (l->all)
        l->all->at = &x->next;
    l->all = x;
    atomic_fetch_add(&h->connections, 1);
    e.data.ptr = x;
    if (h->tls)
        x->tls = tls_begin(h->tls, fd);
    if ((h->tls && !x->tls) || epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) < 0)
        connection_end(x);
}

void connection_resume(struct exchange *x)
{
    struct epoll_event e = {.events = TO_READ, .data.ptr = x};

    x->events = TO_READ;
    if (epoll_ctl(x->loop->epoll, EPOLL_CTL_ADD, x->fd, &e) < 0)
        connection_end(x);
    else if (send_answer(x) && x->state == HEAD && x->in.len > 0)
        advance(x);
}

void connection_expire(struct exchange *x)
{
    if (x->state == HEAD && x->in.len > 0)
        refuse_request(x, 408, "the head did not arrive in time");
    else if (x->state == BODY)
        refuse_request(x, 408, "the body did not arrive in time");
    else if (x->state == STREAM)
        on_quiet_stream(x);
    else
        connection_end(x);
}
