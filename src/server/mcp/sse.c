/* sse.c - streams that answer a request of MCP; see registry.h */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/parallel.h"
#include "server/mcp/priv.h"

enum { KEEP_ALIVE_MS = 15000 };

/* A subscriber must authenticate again after that. */
#define LIFE_MS (INT64_C(60) * 60 * 1000)

/* ---- sending ------------------------------------------------------------ */

static void send_to_stream(void *ctx, quire_bytes message)
{
    struct mcp_sse *e = ctx;

    mcp_sse_send(e->stream, message);
}

/* ---- life --------------------------------------------------------------- */

static void leave_client(struct mcp_sse *e)
{
    struct mcp_client *g = e->client;
    struct mcp_sse **at = &g->streams;

    pthread_mutex_lock(&g->lock);
    while (*at && *at != e)
        at = &(*at)->next;
    if (*at)
        *at = e->next;
    if (g->get_stream == e)
        g->get_stream = NULL;
    pthread_mutex_unlock(&g->lock);
}

static void release_counts(struct mcp_sse *e)
{
    struct mcp_registry *l = e->endpoint->mcp_registry;

    pthread_mutex_lock(&l->lock);
    if (e->counted) {
        *e->all_at = e->all_next;
        if (e->all_next)
            e->all_next->all_at = e->all_at;
    }
    e->endpoint->n_streams -= e->counted;
    e->endpoint->n_runs -= e->runs;
    pthread_mutex_unlock(&l->lock);
}

static void mcp_sse_drop(struct mcp_sse *e)
{
    bool last;

    pthread_mutex_lock(&e->lock);
    last = --e->refs == 0;
    pthread_mutex_unlock(&e->lock);
    if (!last)
        return;
    release_counts(e);
    if (e->client)
        leave_client(e);
    mcp_peer_close(e->peer);
    mcp_client_drop(e->client);
    mcp_endpoint_drop(e->endpoint);
    stream_free(e->stream);
    pthread_mutex_destroy(&e->lock);
    free(e->token);
    free(e);
}

void mcp_sse_free(struct mcp_sse *e)
{
    if (e)
        mcp_sse_drop(e);
}

/* The client has gone, or has received all. Without a session it cannot come back
 * for the answer; a client with one that loses a connection has cancelled nothing. */
static void on_stream_end(void *ctx)
{
    struct mcp_sse *e = ctx;

    if (!e->client)
        mcp_sse_cancel(e);
    mcp_sse_drop(e);
}

quire_status mcp_sse_new(struct mcp_endpoint *r, struct mcp_client *g,
                         struct mcp_sse **out, quire_error *err)
{
    struct mcp_sse *e = calloc(1, sizeof *e);
    struct stream_config config = {.backlog = MCP_BACKLOG,
                                   .keep_alive = ":\n\n",
                                   .keep_ms = KEEP_ALIVE_MS,
                                   .life_ms = LIFE_MS,
                                   .over = on_stream_end,
                                   .ctx = e};
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!e)
        return err_memory(err);
    pthread_mutex_init(&e->lock, NULL);
    e->refs = 1;
    pthread_mutex_lock(&r->mcp_registry->lock);
    e->endpoint = r;
    mcp_endpoint_ref(r);
    if (g) {
        e->client = g;
        g->refs++;
    }
    pthread_mutex_unlock(&r->mcp_registry->lock);
    e->stream = stream_new(&config);
    if (!e->stream)
        st = err_memory(err);
    if (!st && !g)
        st = mcp_peer_open(r->m, send_to_stream, e, &e->peer, err);
    if (st)
        mcp_sse_drop(e);
    else
        *out = e;
    return st;
}

struct mcp_peer *mcp_sse_peer(struct mcp_sse *e)
{
    return e->client ? mcp_client_peer(e->client) : e->peer;
}

/* ---- beginning ---------------------------------------------------------- */

/* The caller holds the lock. */
static void list_stream(struct mcp_registry *l, struct mcp_sse *e)
{
    e->all_next = l->streams;
    e->all_at = &l->streams;
    if (e->all_next)
        e->all_next->all_at = &e->all_next;
    l->streams = e;
}

/* Count one more stream, if the tenant may have it. */
static quire_status reserve_stream(struct mcp_sse *e, bool run,
                                   quire_error *err)
{
    struct mcp_registry *l = e->endpoint->mcp_registry;
    unsigned streams = 0, runs = 0, all_runs = 0;
    quire_status st = QUIRE_OK;
    struct mcp_endpoint *r;

    pthread_mutex_lock(&l->lock);
    for (r = l->endpoints; r; r = r->next) {
        all_runs += r->n_runs;
        if (r->tenant == e->endpoint->tenant) {
            streams += r->n_streams;
            runs += r->n_runs;
        }
    }
    if (l->stopped || streams >= MCP_STREAMS_MAX ||
        (run && (runs >= RUNS_MAX || all_runs >= ALL_RUNS_MAX))) {
        st = err_fail(err, QUIRE_BUSY, "try again when one has ended",
                      run ? "too many long calls are running"
                          : "the tenant has too many event streams");
    } else {
        e->counted = true;
        list_stream(l, e);
        e->runs = run;
        e->endpoint->n_streams++;
        e->endpoint->n_runs += run;
        l->n_threads += run;
    }
    pthread_mutex_unlock(&l->lock);
    if (!st)
        mcp_registry_wake(l);
    return st;
}

static void join_client(struct mcp_sse *e)
{
    pthread_mutex_lock(&e->client->lock);
    e->next = e->client->streams;
    e->client->streams = e;
    pthread_mutex_unlock(&e->client->lock);
}

quire_status mcp_sse_subscribe(struct mcp_sse *e, struct stream **out,
                               quire_error *err)
{
    quire_status st = reserve_stream(e, false, err);

    if (!st)
        *out = stream_hold(e->stream);
    return st;
}

quire_status mcp_sse_attend(struct mcp_sse *e, struct stream **out,
                            quire_error *err)
{
    quire_status st = reserve_stream(e, false, err);
    struct mcp_client *g = e->client;

    if (st)
        return st;
    join_client(e);
    pthread_mutex_lock(&g->lock);
    if (g->get_stream)
        stream_end(g->get_stream->stream);
    g->get_stream = e;
    pthread_mutex_unlock(&g->lock);
    /* Shows the client at once that the stream is open. */
    stream_write(e->stream, bytes_str(":\n\n"));
    *out = stream_hold(e->stream);
    return QUIRE_OK;
}

/* ---- long calls --------------------------------------------------------- */

static void thread_ends(struct mcp_registry *l)
{
    pthread_mutex_lock(&l->lock);
    l->n_threads--;
    pthread_cond_broadcast(&l->thread_ended);
    pthread_mutex_unlock(&l->lock);
}

static void *run_call(void *ctx)
{
    struct mcp_sse *e = ctx;
    struct mcp_registry *l = e->endpoint->mcp_registry;
    struct mcp_call *c = e->call;
    struct mcp_handle *h = NULL;
    quire_error err = {.what = ""};
    quire_bytes answer;

    mcp_sse_set_current(e);
    if (mcp_handle_open(e->endpoint->m, NULL, &h, &err))
        mcp_refuse(c, &err);
    else
        mcp_do(c, h);
    answer = mcp_answer(c, NULL);
    if (answer.data)
        mcp_sse_send(e->stream, answer);
    pthread_mutex_lock(&e->lock);
    e->call = NULL;
    pthread_mutex_unlock(&e->lock);
    mcp_end(c);
    mcp_handle_close(h);
    stream_end(e->stream);
    mcp_sse_drop(e);
    thread_ends(l);
    return NULL;
}

quire_status mcp_sse_run(struct mcp_sse *e, struct mcp_call *call,
                         quire_bytes token, struct stream **out,
                         quire_error *err)
{
    quire_status st = reserve_stream(e, true, err);
    pthread_t thread;

    if (st)
        return st;
    if (token.data)
        e->token = strndup(token.data, token.len);
    if (e->client)
        join_client(e);
    e->call = call;
    e->refs++;
    *out = stream_hold(e->stream);
    if (parallel_thread_start(&thread, run_call, e)) {
        pthread_detach(thread);
        return QUIRE_OK;
    }
    e->refs--;
    e->call = NULL;
    stream_free(*out);
    *out = NULL;
    thread_ends(e->endpoint->mcp_registry);
    return err_memory(err);
}
