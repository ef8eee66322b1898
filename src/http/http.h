/*
 * http.h - HTTP/1.1, to the letter and no further
 *
 * A few loops, each a thread with its own connections, read requests and write
 * answers. A request is handed to the handler when it is complete, body and
 * all, on its loop's thread; the answer may be given there and then, or later
 * from any thread. What is not a request that can be served never reaches the
 * handler: it is answered by the framing layer, in the one error shape, and the
 * connection closed where what follows cannot be trusted.
 *
 * Bounds, for everybody: how long a head and a body may be and take, how many
 * connections there are, how long one may be idle. A client that is slow, or
 * says nothing, costs its slot for seconds.
 *
 * Requests of one connection are answered in their order, one at a time; those
 * behind wait in the socket.
 *
 * Ownership: an exchange belongs to its connection, and to whoever has to answer
 * it, until it is answered. When the client goes away first the answer is
 * dropped.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"
#include "http/parse.h"
#include "http/spool.h"

struct http;
struct exchange;
struct response;

typedef void (*http_handler)(void *ctx, struct exchange *x);

/* Free what exchange_attach() left on a request that never reached the handler. */
typedef void (*http_release)(void *ctx, void *attached);

/* A request is refused, for `why`, that nobody was asked about. There may be
 * nothing of its head. More may be added to the answer. */
typedef void (*http_refused)(void *ctx, struct exchange *x,
                             struct response *answer, const char *why);

/* Whether a request may send its body, by its head alone. False: *refusal says
 * why not. */
typedef bool (*http_admit)(void *ctx, struct exchange *x,
                           struct response *refusal);

struct http_config {
    const char *host;   /* an address, no name to be looked up */
    uint16_t port;      /* 0: any that is free                 */
    int listener;       /* listens already, and is the caller's; -1: none */
    int loops;          /* 0: as many as there are processors  */
    size_t body_max;    /* bytes; more is 413                  */
    size_t large_max;   /* the same, for who may send more: exchange_allow() */
    size_t held_max;    /* bytes of bodies and of answers in memory, of all
                         connections; more is 503 */
    const char *spool;  /* directory for those that are longer: spool.h */
    uint64_t spool_max; /* bytes of these; more is 503         */
    size_t connections_max;
    int head_ms; /* from its first byte to its end: 408        */
    int body_ms; /* between two pieces of a body: 408          */
    int idle_ms; /* between two requests                       */
    const char *tls_cert, *tls_key; /* files; NULL: it is plain     */
    http_admit admit;               /* NULL: all may */
    http_release release;           /* needed with exchange_attach() */
    http_refused refused;           /* NULL: nobody wants to know */
    http_handler handler;
    void *ctx;
};

/* clang-format off */
#define HTTP_CONFIG_INIT                                                  \
    {.host = "127.0.0.1", .listener = -1, .body_max = (size_t)64 << 20,                   \
     .large_max = (size_t)1 << 30, .spool = "/tmp", .spool_max = (uint64_t)4 << 30,    \
     .held_max = (size_t)512 << 20, .connections_max = 10000, .head_ms = 10000, .body_ms = 15000,        \
     .idle_ms = 60000}
/* clang-format on */

/* Listens when it returns. */
quire_status http_open(const struct http_config *config, struct http **out,
                       quire_error *err);

/* Listen at an address; *got is the port. The descriptor is the caller's, also
 * after a failure, if it is not -1. */
quire_status http_listen(const char *host, uint16_t port, int *fd,
                         uint16_t *got, quire_error *err);

/* Take over a socket that somebody else listens at. */
quire_status http_adopt(int listener, int *fd, uint16_t *got, quire_error *err);

/* Read certificate and key again; what is open stays as it is. Nothing if it is
 * plain. From any thread, but from no signal handler. */
quire_status http_reload(struct http *h, quire_error *err);

/* The port it listens at. */
uint16_t http_port(const struct http *h);

/* Serve until http_drain(), or until it fails. */
quire_status http_run(struct http *h, quire_error *err);

/* http_run() returns when the requests under way are answered, or after `wait_ms`.
 * Connections end with their answers. Who comes meanwhile has one: see
 * exchange_is_late(). From any thread, or a signal. */
void http_drain(struct http *h, int wait_ms);
void http_close(struct http *h);

/* How many connections there are, how many requests are being answered, and how
 * many bytes of them lie in files. */
void http_load(const struct http *h, uint64_t *connections, uint64_t *busy,
               uint64_t *spooled);

/* ---- a request ---------------------------------------------------------- */

const struct head *exchange_head(const struct exchange *x);
quire_bytes exchange_body(const struct exchange *x);

/* The value of a header; .data is NULL if it is not there. Of one that is
 * repeated the first. */
quire_bytes exchange_header(const struct exchange *x, const char *name);

/* While it is asked whether it may send its body: it may have so many bytes, in
 * place of `body_max`, but at most `large_max`. */
void exchange_allow(struct exchange *x, uint64_t most);

/* What `admit` found out about a request, for the handler, which takes it. */
void exchange_attach(struct exchange *x, void *data);
void *exchange_detach(struct exchange *x); /* NULL: nothing is attached */

/* Whether time passed between the head and the end of the body. */
bool exchange_body_came_later(const struct exchange *x);

/* Whose it is, by some number: of what all bodies and answers may have in memory
 * and in files, one may have half. */
void exchange_own(struct exchange *x, uint64_t whose);

/* A place for a long answer; `first` is its beginning. */
quire_status exchange_spool(struct exchange *x, quire_bytes first,
                            struct spool **out, quire_error *err);

/* Whether its connection came when http_drain() had been called: it is to be told
 * so, and nothing is to be done for it that lasts. */
bool exchange_is_late(const struct exchange *x);

/* Its connection's descriptor, on the thread that was given the request: to see
 * who is at the other end. */
int exchange_socket(const struct exchange *x);

/* ---- its answer --------------------------------------------------------- */

struct stream;

struct response {
    int status;
    struct buf headers; /* "Name: value\r\n", each; without those of framing */
    struct buf body;    /* taken over, as the headers are                    */
    struct spool
        *content;      /* in place of the body, if it is long; the same     */
    uint64_t promised; /* to HEAD: how long the body would be; 0: as it is */
    bool close;        /* the connection is not to be used again            */
    struct stream *stream; /* what comes in place of the body, which is not
                              looked at then; a reference, taken over         */
};

/* An empty one, which is a failure as long as nobody says what it is. */
struct response response_new(void);

/* All that it has; and all that it says. */
void response_release(struct response *a);
quire_bytes response_bytes(const struct response *a);

/* From any thread, once. What is in *answer is the exchange's then. */
void exchange_respond(struct exchange *x, struct response *answer);

/* Add a header to an answer. The value is the caller's to know as harmless. */
void response_header(struct response *a, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The error shape: {"error","kind","hint"}. */
void response_error(struct response *a, int status, const char *kind,
                    const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- an answer that goes on --------------------------------------------- */

/* What is written to a stream is sent, until it is ended or its client has gone.
 * One that is given with an answer is begun with it: chunked, or to clients of
 * HTTP/1.0 until the connection ends, and it ends with the stream. What was
 * written before waits.
 *
 * A client that does not take what is sent is given up, when so much waits as
 * may, or when nothing has gone out for as long as a connection may be idle. A
 * drain ends all streams. */
struct stream_config {
    size_t backlog;         /* bytes that may wait                           */
    const char *keep_alive; /* sent when nothing was for `keep_ms`           */
    int keep_ms;
    int64_t life_ms; /* so long at most, then it is ended: who listens must
                        show again that it may                               */
    /* Called once, when nobody hears it any more: the client has gone, or has
     * all of a stream that was ended. On the loop's thread; may be NULL. */
    void (*over)(void *ctx);
    void *ctx;
};

/* One reference is the caller's. NULL: no memory. */
struct stream *stream_new(const struct stream_config *config);
struct stream *stream_hold(struct stream *s);
void stream_free(struct stream *s); /* the reference; NULL is fine */

/* From any thread. Never waits. False: nobody hears it. */
bool stream_write(struct stream *s, quire_bytes piece);

/* From any thread. What was written is sent before. */
void stream_end(struct stream *s);

/* "Not Found" of 404. */
const char *http_reason(int status);

#endif
