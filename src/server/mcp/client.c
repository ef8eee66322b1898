/* client.c - clients that opened with `initialize`; see registry.h */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "server/mcp/priv.h"

/* ---- life --------------------------------------------------------------- */

static void mcp_client_free(struct mcp_client *g)
{
    mcp_peer_close(g->peer);
    mcp_endpoint_drop(g->endpoint);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

quire_status mcp_client_new(struct mcp_endpoint *r, struct mcp_client **out,
                            quire_error *err)
{
    struct mcp_client *g = calloc(1, sizeof *g);
    uint8_t noise[MCP_CLIENT_ID / 2];
    quire_status st;

    *out = NULL;
    if (!g) {
        mcp_endpoint_drop(r);
        return err_memory(err);
    }
    g->endpoint = r;
    g->refs = 1;
    g->used_ms = mcp_now_ms();
    pthread_mutex_init(&g->lock, NULL);
    st = rand_bytes(&rand_system, noise, sizeof noise, err);
    if (!st) {
        hex_encode(noise, sizeof noise, g->id);
        st = mcp_peer_open(r->m, mcp_client_send, g, &g->peer, err);
    }
    if (st)
        mcp_client_free(g);
    else
        *out = g;
    return st;
}

void mcp_client_drop(struct mcp_client *g)
{
    struct mcp_registry *l = g ? g->endpoint->mcp_registry : NULL;
    bool last;

    if (!g)
        return;
    pthread_mutex_lock(&l->lock);
    g->used_ms = mcp_now_ms();
    last = --g->refs == 0;
    pthread_mutex_unlock(&l->lock);
    if (last)
        mcp_client_free(g);
}

/* Remove it from the list; the caller gets its reference. Holds the lock. */
static bool unlist_client(struct mcp_registry *l, struct mcp_client *g)
{
    struct mcp_client **at = &l->clients;

    while (*at && *at != g)
        at = &(*at)->next;
    if (!*at)
        return false;
    *at = g->next;
    g->registered = false;
    return true;
}

/* ---- registry ----------------------------------------------------------- */

/* If the tenant has too many clients, unlist the one that was idle longest. False:
 * all are in use. The caller holds the lock. */
static bool evict_idle(struct mcp_registry *l, int64_t tenant,
                       struct mcp_client **extra)
{
    struct mcp_client *g, *oldest = NULL;
    size_t n = 0;

    *extra = NULL;
    for (g = l->clients; g; g = g->next) {
        if (g->endpoint->tenant != tenant)
            continue;
        n++;
        if (g->refs == 1 && (!oldest || g->used_ms < oldest->used_ms))
            oldest = g;
    }
    if (n < MCP_CLIENTS_MAX)
        return true;
    *extra = oldest;
    return oldest && unlist_client(l, oldest);
}

quire_status mcp_client_register(struct mcp_client *g, quire_error *err)
{
    struct mcp_registry *l = g->endpoint->mcp_registry;
    struct mcp_client *extra;
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&l->lock);
    if (evict_idle(l, g->endpoint->tenant, &extra)) {
        g->next = l->clients;
        l->clients = g;
        g->registered = true;
        g->refs++;
    } else {
        st = err_fail(err, QUIRE_BUSY, "end some with DELETE",
                      "the tenant has %d MCP clients, all in use",
                      MCP_CLIENTS_MAX);
    }
    pthread_mutex_unlock(&l->lock);
    mcp_client_drop(extra);
    return st;
}

/* The id is a secret of 128 random bits: the time of a comparison does not help to
 * guess one. */
struct mcp_client *mcp_client_find(struct mcp_registry *l, int64_t tenant,
                                   const char *session, quire_bytes id)
{
    struct mcp_client *g;

    pthread_mutex_lock(&l->lock);
    for (g = l->clients; g; g = g->next)
        if (g->endpoint->tenant == tenant &&
            !strcmp(g->endpoint->session, session) && bytes_is(id, g->id))
            break;
    if (g) {
        g->refs++;
        g->used_ms = mcp_now_ms();
    }
    pthread_mutex_unlock(&l->lock);
    return g;
}

const char *mcp_client_id(const struct mcp_client *g)
{
    return g->id;
}

struct mcp_peer *mcp_client_peer(struct mcp_client *g)
{
    return g->peer;
}

struct mcp_endpoint *mcp_client_endpoint(struct mcp_client *g)
{
    return g->endpoint;
}

void mcp_client_end(struct mcp_client *g)
{
    struct mcp_registry *l = g->endpoint->mcp_registry;
    struct mcp_sse *e;
    bool listed;

    pthread_mutex_lock(&l->lock);
    listed = unlist_client(l, g);
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&g->lock);
    for (e = g->streams; e; e = e->next) {
        mcp_sse_cancel(e);
        stream_end(e->stream);
    }
    pthread_mutex_unlock(&g->lock);
    if (listed)
        mcp_client_drop(g);
}

/* Unlist one client of the tenant; the caller gets its reference. NULL: none. */
static struct mcp_client *take_client(struct mcp_registry *l, int64_t tenant)
{
    struct mcp_client *g;

    pthread_mutex_lock(&l->lock);
    for (g = l->clients; g && g->endpoint->tenant != tenant; g = g->next)
        ;
    if (g)
        unlist_client(l, g);
    pthread_mutex_unlock(&l->lock);
    return g;
}

void mcp_registry_end_tenant(struct mcp_registry *l, int64_t tenant)
{
    struct mcp_client *g;
    struct mcp_sse *e;

    while ((g = take_client(l, tenant)))
        mcp_client_drop(g);
    pthread_mutex_lock(&l->lock);
    for (e = l->streams; e; e = e->all_next)
        if (e->endpoint->tenant == tenant) {
            mcp_sse_cancel(e);
            stream_end(e->stream);
        }
    pthread_mutex_unlock(&l->lock);
}

void mcp_clients_sweep(struct mcp_registry *l, int64_t now_ms)
{
    struct mcp_client *g, *idle;

    do {
        idle = NULL;
        pthread_mutex_lock(&l->lock);
        for (g = l->clients; g && !idle; g = g->next)
            if (g->refs == 1 && now_ms - g->used_ms > IDLE_MS)
                idle = g;
        if (idle)
            unlist_client(l, idle);
        pthread_mutex_unlock(&l->lock);
        mcp_client_drop(idle);
    } while (idle);
}

/* ---- sending ------------------------------------------------------------ */

/* The caller holds the lock. */
static struct mcp_sse *find_token(struct mcp_client *g, quire_bytes token)
{
    struct mcp_sse *e;

    for (e = g->streams; e; e = e->next)
        if (e->token && bytes_is(token, e->token))
            break;
    return e;
}

/* A message of a running call goes to the stream of its answer, any other to the
 * stream of the client's GET; without one it is dropped. */
void mcp_client_send(void *ctx, quire_bytes message)
{
    struct mcp_client *g = ctx;
    quire_bytes token = json_get(json_get(message, "params"), "progressToken");
    struct mcp_sse *e = mcp_sse_current();

    pthread_mutex_lock(&g->lock);
    if (!e && token.data)
        e = find_token(g, token);
    else if (!e)
        e = g->get_stream;
    if (e)
        mcp_sse_send(e->stream, message);
    pthread_mutex_unlock(&g->lock);
}
