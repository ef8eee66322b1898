/* client.c - clients that opened with `initialize`; see lodge.h */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "server/mcp/priv.h"

/* ---- life --------------------------------------------------------------- */

static void guest_free(struct guest *g)
{
    mcp_peer_close(g->peer);
    room_drop(g->room);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

quire_status guest_new(struct room *r, struct guest **out, quire_error *err)
{
    struct guest *g = calloc(1, sizeof *g);
    uint8_t noise[GUEST_ID / 2];
    quire_status st;

    *out = NULL;
    if (!g) {
        room_drop(r);
        return err_memory(err);
    }
    g->room = r;
    g->refs = 1;
    g->used_ms = mcp_now_ms();
    pthread_mutex_init(&g->lock, NULL);
    st = rand_bytes(&rand_system, noise, sizeof noise, err);
    if (!st) {
        hex_encode(noise, sizeof noise, g->id);
        st = mcp_peer_open(r->m, guest_say, g, &g->peer, err);
    }
    if (st)
        guest_free(g);
    else
        *out = g;
    return st;
}

void guest_drop(struct guest *g)
{
    struct lodge *l = g ? g->room->lodge : NULL;
    bool last;

    if (!g)
        return;
    pthread_mutex_lock(&l->lock);
    g->used_ms = mcp_now_ms();
    last = --g->refs == 0;
    pthread_mutex_unlock(&l->lock);
    if (last)
        guest_free(g);
}

/* Out of the list; its reference is the caller's then. The lock is held. */
static bool unlist(struct lodge *l, struct guest *g)
{
    struct guest **at = &l->guests;

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
static bool make_room(struct lodge *l, int64_t tenant, struct guest **extra)
{
    struct guest *g, *oldest = NULL;
    size_t n = 0;

    *extra = NULL;
    for (g = l->guests; g; g = g->next) {
        if (g->room->tenant != tenant)
            continue;
        n++;
        if (g->refs == 1 && (!oldest || g->used_ms < oldest->used_ms))
            oldest = g;
    }
    if (n < GUESTS_MAX)
        return true;
    *extra = oldest;
    return oldest && unlist(l, oldest);
}

quire_status guest_register(struct guest *g, quire_error *err)
{
    struct lodge *l = g->room->lodge;
    struct guest *extra;
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&l->lock);
    if (make_room(l, g->room->tenant, &extra)) {
        g->next = l->guests;
        l->guests = g;
        g->registered = true;
        g->refs++;
    } else {
        st = err_set(err, QUIRE_BUSY,
                     "the tenant has %d clients by MCP, all in use",
                     GUESTS_MAX);
        err_next(err, "end some with DELETE");
    }
    pthread_mutex_unlock(&l->lock);
    guest_drop(extra);
    return st;
}

/* The id is a secret, and 128 bits of noise: how long a comparison takes tells
 * nothing that helps to find another. */
struct guest *guest_find(struct lodge *l, int64_t tenant, const char *session,
                         quire_bytes id)
{
    struct guest *g;

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

const char *guest_id(const struct guest *g)
{
    return g->id;
}

struct mcp_peer *guest_peer(struct guest *g)
{
    return g->peer;
}

struct room *guest_room(struct guest *g)
{
    return g->room;
}

void guest_end(struct guest *g)
{
    struct lodge *l = g->room->lodge;
    struct ear *e;
    bool listed;

    pthread_mutex_lock(&l->lock);
    listed = unlist(l, g);
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&g->lock);
    for (e = g->ears; e; e = e->next) {
        ear_cancel(e);
        stream_end(e->stream);
    }
    pthread_mutex_unlock(&g->lock);
    if (listed)
        guest_drop(g);
}

void guests_sweep(struct lodge *l, int64_t now_ms)
{
    struct guest *g, *idle;

    do {
        idle = NULL;
        pthread_mutex_lock(&l->lock);
        for (g = l->guests; g && !idle; g = g->next)
            if (g->refs == 1 && now_ms - g->used_ms > IDLE_MS)
                idle = g;
        if (idle)
            unlist(l, idle);
        pthread_mutex_unlock(&l->lock);
        guest_drop(idle);
    } while (idle);
}

/* ---- what it is told ---------------------------------------------------- */

/* The lock is held. */
static struct ear *find_token(struct guest *g, quire_bytes token)
{
    struct ear *e;

    for (e = g->ears; e; e = e->next)
        if (e->token && bytes_is(token, e->token))
            break;
    return e;
}

/* What a call says goes where its answer will, whoever says it; all else to the
 * stream that was opened for it, and to nobody if there is none. */
void guest_say(void *ctx, quire_bytes message)
{
    struct guest *g = ctx;
    quire_bytes token = json_get(json_get(message, "params"), "progressToken");
    struct ear *e = ear_mine();

    pthread_mutex_lock(&g->lock);
    if (!e && token.data)
        e = find_token(g, token);
    else if (!e)
        e = g->attends;
    if (e)
        ear_say(e->stream, message);
    pthread_mutex_unlock(&g->lock);
}
