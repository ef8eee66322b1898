/*
 * http.h - HTTP/1.1 server transport
 *
 * A few event loops, each a thread with its own connections, read requests and
 * write answers. The handler gets a request when it is complete, body included, on
 * its loop's thread; it may answer there and then, or later from any thread.
 * Malformed requests never reach it: the framing layer answers them, in the one
 * error shape, and closes the connection where the rest cannot be trusted.
 *
 * Limits for every client: size and duration of heads and bodies, the number of
 * connections, idle time. A slow or silent client costs its slot for seconds.
 *
 * Requests of one connection are answered in order, one at a time; later ones wait
 * in the socket.
 *
 * Ownership: an exchange belongs to its connection and to the code that has to
 * answer it, until it is answered. If the client disconnects first, the answer is
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

/* The framing layer refuses a request for the reason `why`. Its head may be
 * missing. The callback may add to the answer. */
typedef void (*http_refused)(void *ctx, struct exchange *x,
                             struct response *answer, const char *why);

/* Decide by the head whether the client may send its body. False: *refusal is the
 * answer. */
typedef bool (*http_admit)(void *ctx, struct exchange *x,
                           struct response *refusal);

struct http_config {
    const char *host;       /* an address, not a host name         */
    uint16_t port;          /* 0: any that is free                 */
    int listener;           /* an open socket of the caller; -1: none         */
    int loops;              /* 0: as many as there are processors  */
    size_t body_max;        /* bytes; more is 413                  */
    size_t large_max;       /* the same where exchange_allow() raises it      */
    size_t held_max;        /* bytes of bodies and of answers in memory, of all
                         connections; more is 503 */
    const char *spool;      /* directory for those that are longer: spool.h */
    uint64_t spool_max;     /* bytes of these; more is 503         */
    size_t connections_max; /* more: the longest idle one is closed */
    int head_ms;            /* from its first byte to its end: 408        */
    int body_ms;            /* between two pieces of a body: 408          */
    int idle_ms;            /* between two requests                       */
    const char *tls_cert, *tls_key; /* files; NULL: it is plain     */
    http_admit admit;               /* NULL: all may  */
    http_release release;           /* needed with exchange_attach() */
    http_refused refused;           /* NULL: none */
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

/* Use a socket that another process opened. */
quire_status http_adopt(int listener, int *fd, uint16_t *got, quire_error *err);

/* Read certificate and key again, for new connections. Nothing without TLS. From
 * any thread, but not from a signal handler. */
quire_status http_reload(struct http *h, quire_error *err);

/* The port it listens at. */
uint16_t http_port(const struct http *h);

/* Serve until http_drain(), or until it fails. */
quire_status http_run(struct http *h, quire_error *err);

/* Make http_run() return when all running requests are answered, or after
 * `wait_ms`. Connections end with their answers; new ones still get one: see
 * exchange_is_late(). From any thread, or a signal handler. */
void http_drain(struct http *h, int wait_ms);
void http_close(struct http *h);

/* Connections, requests being answered, and bytes of them in files. */
void http_load(const struct http *h, uint64_t *connections, uint64_t *busy,
               uint64_t *spooled);

/* ---- a request ---------------------------------------------------------- */

const struct head *exchange_head(const struct exchange *x);
quire_bytes exchange_body(const struct exchange *x);

/* The value of a header; .data is NULL if it is not there. Of one that is
 * repeated the first. */
quire_bytes exchange_header(const struct exchange *x, const char *name);

/* In http_admit: the limit of the body in place of `body_max`; at most
 * `large_max`. */
void exchange_allow(struct exchange *x, uint64_t most);

/* What `admit` found out about a request, for the handler, which takes it. */
void exchange_attach(struct exchange *x, void *data);
void *exchange_detach(struct exchange *x); /* NULL: nothing is attached */

/* Whether time passed between the head and the end of the body. */
bool exchange_body_came_later(const struct exchange *x);

/* The owner of the request. One owner may use half of the memory and files for
 * bodies and answers. */
void exchange_own(struct exchange *x, uint64_t owner);

/* A place for a long answer; `first` is its beginning. */
quire_status exchange_spool(struct exchange *x, quire_bytes first,
                            struct spool **out, quire_error *err);

/* Whether its connection was opened after http_drain(): refuse it. */
bool exchange_is_late(const struct exchange *x);

/* Its connection's descriptor, for the peer's address; on the loop's thread. */
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

/* An empty one, with status 500. */
struct response response_new(void);

/* Free it; and its whole body. */
void response_release(struct response *a);
quire_bytes response_bytes(const struct response *a);

/* From any thread, once. The exchange takes over the contents of *answer. */
void exchange_respond(struct exchange *x, struct response *answer);

/* Add a header. The caller guarantees a value without CR and LF. */
void response_header(struct response *a, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of the first header of this name, as it was added; .data NULL: none. */
quire_bytes response_find(const struct response *a, const char *name);

/* The error shape: {"error","kind","hint"}. */
void response_error(struct response *a, int status, const char *kind,
                    const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- streams ------------------------------------------------------------ */

/* An answer of open length. It is sent chunked, or to clients of HTTP/1.0 until
 * the connection closes. Bytes written before the answer wait for it.
 *
 * A client that does not read is disconnected when its backlog is full, or when
 * nothing was sent for the idle time. A drain ends all streams. */
struct stream_config {
    size_t backlog;         /* bytes that may wait                           */
    const char *keep_alive; /* sent when nothing was for `keep_ms`           */
    int keep_ms;
    int64_t life_ms; /* longest duration: a client must authenticate again   */
    /* Called once, when the client has disconnected or has received all of an
     * ended stream. On the loop's thread; may be NULL. */
    void (*over)(void *ctx);
    void *ctx;
};

/* The caller gets one reference. NULL: no memory. */
struct stream *stream_new(const struct stream_config *config);
struct stream *stream_hold(struct stream *s);
void stream_free(struct stream *s); /* the reference; NULL is fine */

/* From any thread. Never blocks. False: the client has gone. */
bool stream_write(struct stream *s, quire_bytes piece);

/* From any thread. Sends what was written, then ends it. */
void stream_end(struct stream *s);

/* "Not Found" of 404. */
const char *http_reason(int status);

#endif
