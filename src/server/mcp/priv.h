/* priv.h - what lodge.c, guests.c and ears.c share */
#ifndef SERVER_MCP_PRIV_H
#define SERVER_MCP_PRIV_H

#include <pthread.h>

#include "http/http.h"
#include "server/mcp/registry.h"

/* Of a tenant: clients that are remembered, streams, calls that take long. */
enum { GUESTS_MAX = 64, EARS_MAX = 64, RUNS_MAX = 4 };

/* Of all tenants. */
enum { ROOMS_MAX = 4096, ALL_RUNS_MAX = 16 };

enum { IDLE_MS = 30 * 60 * 1000, SWEEP_MS = 60 * 1000 };

struct room {
    struct lodge *lodge;
    struct room *next;
    int64_t tenant;
    char tenant_name[32]; /* "#12", which `store` borrows */
    quire_options store;
    char *session; /* owned */
    struct mcp *m;
    struct mcp_hand *look; /* who looks; that thread's alone */
    int64_t looked_ms;

    /* lodge->lock */
    unsigned refs;
    unsigned n_ears, n_runs;
    int64_t used_ms;
};

struct lodge {
    const char *home;
    bool allow_run;

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t less;  /* a thread has ended  */
    struct room *rooms;
    size_t n_rooms;
    struct guest *guests;
    unsigned n_threads; /* of calls */
    bool stopped, looking;

    int wake_fd; /* for who looks */
    pthread_t looker;
};

struct guest {
    char id[GUEST_ID + 1];
    struct room *room;
    struct mcp_peer *peer;

    /* lodge->lock */
    struct guest *next;
    bool registered;
    unsigned refs; /* one is the list's */
    int64_t used_ms;

    pthread_mutex_t lock; /* of what follows */
    struct ear *ears;     /* all that are begun */
    struct ear *attends;  /* the one that hears what changes; NULL: none */
};

struct ear {
    struct room *room;
    struct guest *guest;   /* NULL: none          */
    struct mcp_peer *peer; /* NULL: it is a guest's */
    struct stream *stream;

    pthread_mutex_t lock;
    struct mcp_call *call; /* under way; NULL: none */
    unsigned refs;         /* the stream's, and the thread's */
    bool counted, runs;

    struct ear *next; /* the guest's */
    char *token;      /* owned; JSON  */
};

void room_ref(struct room *r); /* the lock is held */
void lodge_wake(struct lodge *l);

/* A message for a guest that no request asked for, or that one waits for. */
void guest_say(void *ctx, quire_bytes message);

/* An event of a stream. */
void ear_say(struct stream *s, quire_bytes message);
void ear_cancel(struct ear *e);

/* Of the call that this thread does; NULL: it does none. */
struct ear *ear_mine(void);

/* Guests that have been silent for too long. */
void guests_sweep(struct lodge *l, int64_t now_ms);

#endif
