/* priv.h - shared by the files of server/mcp */
#ifndef SERVER_MCP_PRIV_H
#define SERVER_MCP_PRIV_H

#include <pthread.h>

#include "http/http.h"
#include "server/mcp/registry.h"

/* Of a tenant: registered clients, streams, long calls. */
enum { MCP_CLIENTS_MAX = 64, MCP_STREAMS_MAX = 64, RUNS_MAX = 4 };

/* Of all tenants. */
enum { MCP_ENDPOINTS_MAX = 4096, ALL_RUNS_MAX = 16 };

/* Bytes that may wait for a slow client; an answer has to fit, too. */
#define MCP_BACKLOG ((size_t)96 << 20)

enum { IDLE_MS = 30 * 60 * 1000, SWEEP_MS = 60 * 1000 };

struct mcp_endpoint {
    struct mcp_registry *mcp_registry;
    struct mcp_endpoint *next;
    int64_t tenant;
    char tenant_name[32]; /* "#12", which `store` borrows */
    quire_options store;
    char *session; /* owned */
    struct mcp *m;
    struct mcp_handle *handle; /* of the poller thread          */
    int64_t polled_ms;

    /* mcp_registry->lock */
    unsigned refs;
    unsigned n_streams, n_runs;
    int64_t used_ms;
};

struct mcp_registry {
    const quire_options *store;
    bool allow_run;

    pthread_mutex_t lock;        /* of what follows     */
    pthread_cond_t thread_ended; /* a thread has ended  */
    struct mcp_endpoint *endpoints;
    size_t n_endpoints;
    struct mcp_client *clients;
    struct mcp_sse *streams; /* all that are counted */
    unsigned n_threads;      /* of calls */
    bool stopped, polling;

    int wake_fd; /* of the poller */
    pthread_t poller;
};

struct mcp_client {
    char id[MCP_CLIENT_ID + 1];
    struct mcp_endpoint *endpoint;
    struct mcp_peer *peer;

    /* mcp_registry->lock */
    struct mcp_client *next;
    bool registered;
    unsigned refs; /* one is of the list */
    int64_t used_ms;

    pthread_mutex_t lock;       /* of what follows */
    struct mcp_sse *streams;    /* all that were started */
    struct mcp_sse *get_stream; /* the one of its GET; NULL: none */
};

struct mcp_sse {
    struct mcp_endpoint *endpoint;
    struct mcp_client *client; /* NULL: none          */
    struct mcp_peer *peer;     /* NULL: the client's  */
    struct stream *stream;

    pthread_mutex_t lock;
    struct mcp_call *call; /* under way; NULL: none */
    unsigned refs;         /* of the stream, and of the thread */
    bool counted, runs;

    struct mcp_sse *next;               /* of the client */
    struct mcp_sse *all_next, **all_at; /* of the registry, while counted */
    char *token;                        /* owned; JSON  */
};

void mcp_endpoint_ref(struct mcp_endpoint *r); /* the caller holds the lock */
void mcp_registry_wake(struct mcp_registry *l);

/* Unlist up to `max` endpoints that were unused since then. The caller holds the
 * lock. */
struct mcp_endpoint *mcp_endpoints_take_idle(struct mcp_registry *l,
                                             int64_t since_ms, size_t max);
void mcp_endpoints_free(struct mcp_endpoint *list);

/* Send a notification or a progress message to a client. */
void mcp_client_send(void *ctx, quire_bytes message);

/* Send a message as one event. */
void mcp_sse_send(struct stream *s, quire_bytes message);
void mcp_sse_cancel(struct mcp_sse *e);

/* The stream of the call that this thread runs; NULL: none. */
struct mcp_sse *mcp_sse_current(void);
void mcp_sse_set_current(struct mcp_sse *e);

/* Unregister clients that were idle too long. */
void mcp_clients_sweep(struct mcp_registry *l, int64_t now_ms);

#endif
