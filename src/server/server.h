/*
 * server.h - the server: who may ask, and who does the work
 *
 * Short operations are done by the loop that read them; small changes of the
 * catalogue by one thread, many at a time (scribe.h); the others wait in a queue
 * for a worker, and are refused when it is full. Each thread has one handle, for
 * all tenants in turn.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "quire.h"
#include "http/http.h"

struct service;
struct desk;

/* What may be another while it runs: service_reload(). */
struct service_settings {
    char admin_token[200]; /* "": there is no admin                      */
    uint64_t rate, burst;  /* requests a second of a tenant; 0: any      */
};

typedef quire_status (*service_settings_fn)(void *ctx,
                                            struct service_settings *out,
                                            quire_error *err);

/* Which requests have a line on standard error. */
enum service_log { SERVICE_LOG_ERRORS, SERVICE_LOG_NONE, SERVICE_LOG_ALL };

struct service_config {
    const char *home;           /* NULL: the usual one                   */
    const char *host;           /* where to listen                       */
    uint16_t port;              /* 0: any that is free                   */
    const char *const *hosts;   /* more names it is called by; NULL: none */
    const char *const *origins; /* other sites whose pages may ask; the same */
    int listener; /* listens already; -1: at `host` and `port`         */
    int workers;  /* 0: the usual number                               */
    const char *tls_cert; /* files in PEM; NULL: no TLS            */
    const char *tls_key;
    enum service_log log;
    bool mcp_run;                 /* clients of MCP may run commands */
    service_settings_fn settings; /* read at the beginning and to reload; from
                                     any thread, one at a time          */
    void *ctx;
};

quire_status service_open(const struct service_config *config,
                          struct service **out, quire_error *err);
uint16_t service_port(const struct service *s);

/* Where it serves from. */
const char *service_home(const struct service *s);

/* Serve until service_stop(). */
quire_status service_run(struct service *s, quire_error *err);

/* Read what can change while it runs: the settings, the certificate. After a
 * failure that one is as it was. From any thread, but from no signal handler. */
quire_status service_reload(struct service *s, quire_error *err);

/* The same, soon. From a signal handler, too. */
void service_ask_reload(struct service *s);

/* Drain and end, or end `now`: what is under way has no answer then. From a signal
 * handler, too. */
void service_stop(struct service *s, bool now);
void service_close(struct service *s);

/* What is told to who listens. */
struct events *desk_events(struct desk *d);

/* Whether new work is welcome. */
bool desk_is_ready(struct desk *d);

/* Whether the disk has room for anything at all. */
bool desk_has_room(struct desk *d);

/* The disk has failed a write of it: another handle is needed. */
void desk_doubt(struct desk *d);

/* What was counted, for /metrics. */
void desk_write_metrics(struct desk *d, struct buf *out);

#endif
