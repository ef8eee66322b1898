/* priv.h - what mcp_registry.c, guests.c and ears.c share */
#ifndef SERVER_MCP_PRIV_H
#define SERVER_MCP_PRIV_H

#include <pthread.h>

#include "http/http.h"
#include "server/mcp/registry.h"

/* Of a tenant: clients that are remembered, streams, calls that take long. */
enum { MCP_CLIENTS_MAX = 64, MCP_STREAMS_MAX = 64, RUNS_MAX = 4 };

/* Of all tenants. */
enum { MCP_ENDPOINTS_MAX = 4096, ALL_RUNS_MAX = 16 };

enum { IDLE_MS = 30 * 60 * 1000, SWEEP_MS = 60 * 1000 };

struct mcp_endpoint {
    struct mcp_registry *mcp_registry;
    struct mcp_endpoint *next;
    int64_t tenant;
    char tenant_name[32]; /* "#12", which `store` borrows */
    quire_options store;
    char *session; /* owned */
    struct mcp *m;
    struct mcp_handle *look; /* who looks; that thread's alone */
    int64_t looked_ms;

    /* mcp_registry->lock */
    unsigned refs;
    unsigned n_ears, n_runs;
    int64_t used_ms;
};

struct mcp_registry {
    const char *home;
    bool allow_run;

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t less;  /* a thread has ended  */
    struct mcp_endpoint *rooms;
    size_t n_rooms;
    struct mcp_client *guests;
    unsigned n_threads; /* of calls */
    bool stopped, looking;

    int wake_fd; /* for who looks */
    pthread_t looker;
};

struct mcp_client {
    char id[MCP_CLIENT_ID + 1];
    struct mcp_endpoint *room;
    struct mcp_peer *peer;

    /* mcp_registry->lock */
    struct mcp_client *next;
    bool registered;
    unsigned refs; /* one is the list's */
    int64_t used_ms;

    pthread_mutex_t lock;    /* of what follows */
    struct mcp_sse *ears;    /* all that are begun */
    struct mcp_sse *attends; /* the one that hears what changes; NULL: none */
};

struct mcp_sse {
    struct mcp_endpoint *room;
    struct mcp_client *guest; /* NULL: none          */
    struct mcp_peer *peer;    /* NULL: it is a guest's */
    struct stream *stream;

    pthread_mutex_t lock;
    struct mcp_call *call; /* under way; NULL: none */
    unsigned refs;         /* the stream's, and the thread's */
    bool counted, runs;

    struct mcp_sse *next; /* the guest's */
    char *token;          /* owned; JSON  */
};

void mcp_endpoint_ref(struct mcp_endpoint *r); /* the lock is held */
void mcp_registry_wake(struct mcp_registry *l);

/* A message for a guest that no request asked for, or that one waits for. */
void mcp_client_say(void *ctx, quire_bytes message);

/* An event of a stream. */
void mcp_sse_say(struct stream *s, quire_bytes message);
void mcp_sse_cancel(struct mcp_sse *e);

/* Of the call that this thread does; NULL: it does none. */
struct mcp_sse *mcp_sse_mine(void);

/* Guests that have been silent for too long. */
void mcp_clients_sweep(struct mcp_registry *l, int64_t now_ms);

#endif
