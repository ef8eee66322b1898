/* client.c - clients that opened with `initialize`; see mcp_registry.h */
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
    mcp_endpoint_drop(g->room);
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
    g->room = r;
    g->refs = 1;
    g->used_ms = mcp_now_ms();
    pthread_mutex_init(&g->lock, NULL);
    st = rand_bytes(&rand_system, noise, sizeof noise, err);
    if (!st) {
        hex_encode(noise, sizeof noise, g->id);
        st = mcp_peer_open(r->m, mcp_client_say, g, &g->peer, err);
    }
    if (st)
        mcp_client_free(g);
    else
        *out = g;
    return st;
}

void mcp_client_drop(struct mcp_client *g)
{
    struct mcp_registry *l = g ? g->room->mcp_registry : NULL;
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

/* Out of the list; its reference is the caller's then. The lock is held. */
static bool unlist(struct mcp_registry *l, struct mcp_client *g)
{
    struct mcp_client **at = &l->guests;

    while (*at && *at != g)
        at = &(*at)->next;
    if (!*at)
        return false;
    *at = g->next;
    g->registered = false;
    return true;
}

/* ---- the list ----------------------------------------------------------- */

/* The one that was silent longest, if there are too many; it is out of the list
 * then. False: there is no room. The lock is held. */
static bool make_room(struct mcp_registry *l, int64_t tenant,
                      struct mcp_client **extra)
{
    struct mcp_client *g, *oldest = NULL;
    size_t n = 0;

    *extra = NULL;
    for (g = l->guests; g; g = g->next) {
        if (g->room->tenant != tenant)
            continue;
        n++;
        if (g->refs == 1 && (!oldest || g->used_ms < oldest->used_ms))
            oldest = g;
    }
    if (n < MCP_CLIENTS_MAX)
        return true;
    *extra = oldest;
    return oldest && unlist(l, oldest);
}

quire_status mcp_client_register(struct mcp_client *g, quire_error *err)
{
    struct mcp_registry *l = g->room->mcp_registry;
    struct mcp_client *extra;
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&l->lock);
    if (make_room(l, g->room->tenant, &extra)) {
        g->next = l->guests;
        l->guests = g;
        g->registered = true;
        g->refs++;
    } else {
        st = err_fail(err, QUIRE_BUSY, "end some with DELETE",
                      "the tenant has %d clients by MCP, all in use",
                      MCP_CLIENTS_MAX);
    }
    pthread_mutex_unlock(&l->lock);
    mcp_client_drop(extra);
    return st;
}

/* The id is a secret, and 128 bits of noise: how long a comparison takes tells
 * nothing that helps to find another. */
struct mcp_client *mcp_client_find(struct mcp_registry *l, int64_t tenant,
                                   const char *session, quire_bytes id)
{
    struct mcp_client *g;

    pthread_mutex_lock(&l->lock);
    for (g = l->guests; g; g = g->next)
        if (g->room->tenant == tenant && !strcmp(g->room->session, session) &&
            bytes_is(id, g->id))
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

struct mcp_endpoint *mcp_client_room(struct mcp_client *g)
{
    return g->room;
}

void mcp_client_end(struct mcp_client *g)
{
    struct mcp_registry *l = g->room->mcp_registry;
    struct mcp_sse *e;
    bool listed;

    pthread_mutex_lock(&l->lock);
    listed = unlist(l, g);
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&g->lock);
    for (e = g->ears; e; e = e->next) {
        mcp_sse_cancel(e);
        stream_end(e->stream);
    }
    pthread_mutex_unlock(&g->lock);
    if (listed)
        mcp_client_drop(g);
}

void mcp_clients_sweep(struct mcp_registry *l, int64_t now_ms)
{
    struct mcp_client *g, *idle;

    do {
        idle = NULL;
        pthread_mutex_lock(&l->lock);
        for (g = l->guests; g && !idle; g = g->next)
            if (g->refs == 1 && now_ms - g->used_ms > IDLE_MS)
                idle = g;
        if (idle)
            unlist(l, idle);
        pthread_mutex_unlock(&l->lock);
        mcp_client_drop(idle);
    } while (idle);
}

/* ---- what it is told ---------------------------------------------------- */

/* The lock is held. */
static struct mcp_sse *find_token(struct mcp_client *g, quire_bytes token)
{
    struct mcp_sse *e;

    for (e = g->ears; e; e = e->next)
        if (e->token && bytes_is(token, e->token))
            break;
    return e;
}

/* What a call says goes where its answer will, whoever says it; all else to the
 * stream that was opened for it, and to nobody if there is none. */
void mcp_client_say(void *ctx, quire_bytes message)
{
    struct mcp_client *g = ctx;
    quire_bytes token = json_get(json_get(message, "params"), "progressToken");
    struct mcp_sse *e = mcp_sse_mine();

    pthread_mutex_lock(&g->lock);
    if (!e && token.data)
        e = find_token(g, token);
    else if (!e)
        e = g->attends;
    if (e)
        mcp_sse_say(e->stream, message);
    pthread_mutex_unlock(&g->lock);
}
