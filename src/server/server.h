/*
 * server.h - the server: who may ask, and who does the work
 *
 * Short operations are done by the loop that read them; small changes of the
 * catalogue by one thread, many at a time (group_commit.h); the others wait in a queue
 * for a worker, and are refused when it is full. Each thread has one handle, for
 * all tenants in turn.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "quire.h"
#include "http/http.h"

struct server;
struct thread_ctx;

/* What may be another while it runs: server_reload(). */
struct server_settings {
    char admin_token[200]; /* "": there is no admin                      */
    uint64_t rate, burst;  /* requests a second of a tenant; 0: any      */
};

typedef quire_status (*server_settings_fn)(void *ctx,
                                           struct server_settings *out,
                                           quire_error *err);

/* Which requests have a line on standard error. */
enum server_log { SERVER_LOG_ERRORS, SERVER_LOG_NONE, SERVER_LOG_ALL };

struct server_config {
    const char *home;           /* NULL: the usual one                   */
    const char *host;           /* where to listen                       */
    uint16_t port;              /* 0: any that is free                   */
    const char *const *hosts;   /* more names it is called by; NULL: none */
    const char *const *origins; /* other sites whose pages may ask; the same */
    int listener; /* listens already; -1: at `host` and `port`         */
    int workers;  /* 0: the usual number                               */
    const char *tls_cert; /* files in PEM; NULL: no TLS            */
    const char *tls_key;
    enum server_log log;
    bool mcp_run;                /* clients of MCP may run commands */
    server_settings_fn settings; /* read at the beginning and to reload; from
                                     any thread, one at a time          */
    void *ctx;
};

quire_status server_open(const struct server_config *config,
                         struct server **out, quire_error *err);
uint16_t server_port(const struct server *s);

/* Where it serves from. */
const char *server_home(const struct server *s);

/* Serve until server_stop(). */
quire_status server_run(struct server *s, quire_error *err);

/* Read what can change while it runs: the settings, the certificate. After a
 * failure that one is as it was. From any thread, but from no signal handler. */
quire_status server_reload(struct server *s, quire_error *err);

/* The same, soon. From a signal handler, too. */
void server_ask_reload(struct server *s);

/* Drain and end, or end `now`: what is under way has no answer then. From a signal
 * handler, too. */
void server_stop(struct server *s, bool now);
void server_close(struct server *s);

/* What is told to who listens. */
struct events *thread_ctx_events(struct thread_ctx *d);

/* Whether new work is welcome. */
bool thread_ctx_is_ready(struct thread_ctx *d);

/* Whether the disk has room for anything at all. */
bool thread_ctx_has_room(struct thread_ctx *d);

/* The disk has failed a write of it: another handle is needed. */
void thread_ctx_invalidate(struct thread_ctx *d);

/* What was counted, for /metrics. */
void thread_ctx_write_metrics(struct thread_ctx *d, struct buf *out);

#endif
