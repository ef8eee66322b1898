/*
 * loop.h - event loops and connections; private to src/http
 *
 * A loop owns its connections; no other thread touches them. Another thread puts
 * an answer into the loop's mailbox and wakes the loop.
 */
#ifndef HTTP_LOOP_H
#define HTTP_LOOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "http/http.h"
#include "http/tls.h"

enum state { HANDSHAKE, HEAD, BODY, BUSY, ANSWER, STREAM, LINGER };

struct exchange {
    struct loop *loop;
    int fd;
    struct tls_line *tls; /* NULL: it is plain */
    enum state state;
    uint32_t events; /* what epoll is asked for              */
    bool last;       /* the connection ends with this answer */
    bool sent_100;
    bool handshake_begun;
    bool late;             /* opened during a drain */
    int64_t idle_since_ms; /* when it was opened, or its last answer sent */
    int64_t deadline_ms;
    int64_t until_ms; /* a body is complete by then, however it drips; a
                         stream has ended */

    struct buf in; /* what has come and is not done with: a head, then a body */
    size_t head_len;
    struct head head;
    struct chunks chunks;
    struct buf body;     /* of a chunked request */
    struct spool *spool; /* a body that is longer than SPOOL_FROM; NULL: it is
                            in `in` or in `body` */
    uint64_t most;       /* that it may have: exchange_allow() */
    unsigned owner;      /* exchange_own()                     */
    void *attached;      /* exchange_attach()                  */
    bool body_later;     /* exchange_body_came_later()         */
    uint64_t held;       /* what it has of http->held          */
    bool handled_inline; /* the handler is being called */

    struct response answer;
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
    atomic_int_fast64_t
        idle_since_ms;    /* of the connection that is idle longest;
                                          0: not known, INT64_MAX: none is */
    pthread_mutex_t lock; /* of the mailbox */
    struct exchange *mail, **mail_end;
    struct stream *news, **news_end; /* streams with something to send */
    time_t dated;                    /* when `date`, a header, was spelled */
    char date[64];
};

struct http {
    struct http_config c;
    struct tls *tls; /* NULL: it is plain */
    int listener;
    uint16_t port;
    struct loop *loops;
    int n_loops;
    atomic_uint_fast64_t connections, busy;
    atomic_uint_fast64_t held; /* bytes of bodies and answers */
    atomic_uint_fast64_t held_of[SPOOL_SHARES]; /* by owner */
    struct spool_room room;       /* of those that are in files  */
    atomic_int draining;          /* 0, 1 */
    atomic_int_fast64_t until_ms; /* when draining ends */
};

/* New connections are accepted beyond `connections_max` while other loops close
 * idle ones, up to this many. */
static inline uint64_t http_connections_most(const struct http *h)
{
    return h->c.connections_max + h->c.connections_max / 8 + 1;
}

static inline int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* ---- loop.c -------------------------------------------------------------- */

quire_status loop_open(struct loop *l, struct http *h, quire_error *err);
void *loop_run(void *loop);
void loop_close(struct loop *l);

/* ---- mailbox.c ----------------------------------------------------------- */

/* This thread runs the loop from now on. */
void loop_enter(struct loop *l);

/* Whether this is the loop's own thread. */
bool loop_is_here(const struct loop *l);

/* Put an exchange that is answered into the mailbox. From any thread. */
void loop_mail(struct loop *l, struct exchange *x);
void loop_wake(struct loop *l);

/* The same for a stream; `next` is its link. */
void loop_mail_stream(struct loop *l, struct stream *s, struct stream **next);

/* ---- body.c -------------------------------------------------------------- */

enum body_state {
    BODY_MORE,
    BODY_DONE,
    BODY_BAD,     /* its chunks make no sense                 */
    BODY_LONG,    /* it is longer than it may be              */
    BODY_FULL,    /* all bodies together are too large, for now */
    BODY_NO_DISK, /* the disk failed a long one               */
};

/* Before the body; and when bytes of it have arrived. */
enum body_state body_begin(struct exchange *x);
enum body_state body_take(struct exchange *x);

/* How much of what was read it is, behind the head. */
size_t body_behind_head(const struct exchange *x);
void body_release(struct exchange *x);

enum hold {
    HELD,
    HOLD_ALL,   /* all connections would hold too much        */
    HOLD_SHARE, /* those of this owner would, more than half  */
};

/* Count `n` bytes of body or answer as this connection's, in place of what was. If
 * they are not held, nothing has changed. */
enum hold body_hold(struct exchange *x, uint64_t n);

/* ---- connection.c -------------------------------------------------------- */

/* For an accepted descriptor, which it takes over, also on failure. */
void connection_begin(struct loop *l, int fd);
void connection_end(struct exchange *x);

/* Whether no request of it is in progress. */
bool connection_is_idle(const struct exchange *x);

/* Something can be read or written. */
void connection_on_event(struct exchange *x, uint32_t events);

/* Its answer has come from another thread. */
void connection_resume(struct exchange *x);

/* Its stream has something to send. */
void connection_push(struct exchange *x);

/* End its stream, soon. */
void connection_finish(struct exchange *x);

/* Its deadline has passed. */
void connection_expire(struct exchange *x);

/* ---- stream.c ------------------------------------------------------------ */

const struct stream_config *stream_config(const struct stream *s);
void stream_begin(struct stream *s, struct exchange *x);

enum stream_state { STREAM_OPEN, STREAM_ENDED, STREAM_STUCK };

/* All that waits; *out is the caller's then. */
enum stream_state stream_take(struct stream *s, struct buf *out);

/* The connection is gone; drops its reference. */
void stream_over(struct stream *s);

/* Take a stream out of the mailbox: its connection (NULL: gone) and the next
 * stream there. The mailbox's reference is the caller's. True: the buffer was
 * full, so the client does not keep up. */
bool stream_read_mail(struct stream *s, struct exchange **x,
                      struct stream **next);

#endif
