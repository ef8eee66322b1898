/*
 * server.h - the HTTP server
 *
 * Short operations run on the event loop that read them; small writes to the
 * catalogue in a group commit (group_commit.h); all others wait in a queue for a
 * worker, and are refused when it is full. Each thread has one handle, switched to
 * the tenant of each request.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "quire.h"
#include "http/http.h"

struct server;
struct thread_ctx;

/* The tenant that each home has. The machine's own files are for it alone. */
enum { TENANT_DEFAULT = 1 };

/* What can change while it runs: server_reload(). */
struct server_settings {
    char admin_token[200]; /* "": no admin                               */
    uint64_t rate, burst;  /* requests a second of a tenant; 0: any      */
    bool import_watch;     /* keep importing what agents write           */
};

typedef quire_status (*server_settings_fn)(void *ctx,
                                           struct server_settings *out,
                                           quire_error *err);

/* Which requests have a line on standard error. */
enum server_log { SERVER_LOG_ERRORS, SERVER_LOG_NONE, SERVER_LOG_ALL };

struct server_config {
    const quire_options *store; /* what to serve; copied, what it points to is
                                   borrowed                              */
    const char *host;           /* where to listen                       */
    uint16_t port;              /* 0: any that is free                   */
    const char *const *hosts;   /* more accepted Host names; NULL: none  */
    const char *const *origins; /* origins that CORS allows; the same        */
    int listener; /* an open socket; -1: listen at `host` and `port`   */
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

/* The home it serves. */
const char *server_home(const struct server *s);

/* Serve until server_stop(). */
quire_status server_run(struct server *s, quire_error *err);

/* Read settings and certificate again. What fails stays as it was. From any thread,
 * but not from a signal handler. */
quire_status server_reload(struct server *s, quire_error *err);

/* The same, asynchronously. From a signal handler, too. */
void server_ask_reload(struct server *s);

/* Drain and end, or end `now`, dropping running requests. From a signal handler,
 * too. */
void server_stop(struct server *s, bool now);
void server_close(struct server *s);

/* The events of all tenants. */
struct events *thread_ctx_events(struct thread_ctx *d);

/* The importer, for the tenant `default`. */
struct importer *thread_ctx_importer(struct thread_ctx *d);

/* The open sessions of all tenants. */
struct session_pool *thread_ctx_sessions(struct thread_ctx *d);

/* The tenant's token was revoked: end its event streams and those of MCP, and close
 * its parked sessions. */
void thread_ctx_end_streams(struct thread_ctx *d, int64_t tenant);

/* Begin a collection, check or rebuild of the whole home, one at a time; false:
 * another one is running. */
bool thread_ctx_begin_maintenance(struct thread_ctx *d);
void thread_ctx_end_maintenance(struct thread_ctx *d);

/* Whether the server is ready for requests. */
bool thread_ctx_is_ready(struct thread_ctx *d);

/* Whether the disk has any free space. */
bool thread_ctx_has_room(struct thread_ctx *d);

/* The search index of a tenant may be out of date: indexer.h. */
void thread_ctx_index(struct thread_ctx *d, int64_t tenant);

/* Whether the server is shutting down. */
bool thread_ctx_is_draining(const struct thread_ctx *d);

/* A write failed on the disk: open another handle. */
void thread_ctx_invalidate(struct thread_ctx *d);

/* The text of /metrics. */
void thread_ctx_write_metrics(struct thread_ctx *d, struct buf *out);

#endif
