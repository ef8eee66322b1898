/* sse.c - streams that answer a request of MCP; see mcp_registry.h */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/parallel.h"
#include "server/mcp/priv.h"

/* What waits for a client that does not read; an answer has to fit, too. */
#define BACKLOG ((size_t)96 << 20)

enum { KEEP_ALIVE_MS = 15000 };

/* Who listens must show its token again after that. */
#define LIFE_MS (INT64_C(60) * 60 * 1000)

/* ---- what is said ------------------------------------------------------- */

/* One line of JSON is one line of an event. */
void mcp_sse_say(struct stream *s, quire_bytes message)
{
    struct buf text = BUF_INIT(BACKLOG);

    buf_add_str(&text, "event: message\ndata: ");
    buf_add(&text, message.data, message.len);
    buf_add_str(&text, "\n\n");
    if (text.failed)
        stream_end(s);
    else
        stream_write(s, buf_bytes(&text));
    buf_release(&text);
}

static void hear(void *ctx, quire_bytes message)
{
    struct mcp_sse *e = ctx;

    mcp_sse_say(e->stream, message);
}

/* ---- life --------------------------------------------------------------- */

static void leave_guest(struct mcp_sse *e)
{
    struct mcp_client *g = e->guest;
    struct mcp_sse **at = &g->ears;

    pthread_mutex_lock(&g->lock);
    while (*at && *at != e)
        at = &(*at)->next;
    if (*at)
        *at = e->next;
    if (g->attends == e)
        g->attends = NULL;
    pthread_mutex_unlock(&g->lock);
}

static void uncount(struct mcp_sse *e)
{
    struct mcp_registry *l = e->room->mcp_registry;

    pthread_mutex_lock(&l->lock);
    e->room->n_ears -= e->counted;
    e->room->n_runs -= e->runs;
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
    uncount(e);
    if (e->guest)
        leave_guest(e);
    mcp_peer_close(e->peer);
    mcp_client_drop(e->guest);
    mcp_endpoint_drop(e->room);
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

void mcp_sse_cancel(struct mcp_sse *e)
{
    pthread_mutex_lock(&e->lock);
    if (e->call)
        mcp_cancel(e->call);
    pthread_mutex_unlock(&e->lock);
}

/* The client has gone, or has heard all. Who is no guest cannot come back for
 * the answer; a guest that loses a connection has not cancelled anything. */
static void over(void *ctx)
{
    struct mcp_sse *e = ctx;

    if (!e->guest)
        mcp_sse_cancel(e);
    mcp_sse_drop(e);
}

quire_status mcp_sse_new(struct mcp_endpoint *r, struct mcp_client *g,
                         struct mcp_sse **out, quire_error *err)
{
    struct mcp_sse *e = calloc(1, sizeof *e);
    struct stream_config config = {.backlog = BACKLOG,
                                   .keep_alive = ":\n\n",
                                   .keep_ms = KEEP_ALIVE_MS,
                                   .life_ms = LIFE_MS,
                                   .over = over,
                                   .ctx = e};
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!e)
        return err_memory(err);
    pthread_mutex_init(&e->lock, NULL);
    e->refs = 1;
    pthread_mutex_lock(&r->mcp_registry->lock);
    e->room = r;
    mcp_endpoint_ref(r);
    if (g) {
        e->guest = g;
        g->refs++;
    }
    pthread_mutex_unlock(&r->mcp_registry->lock);
    e->stream = stream_new(&config);
    if (!e->stream)
        st = err_memory(err);
    if (!st && !g)
        st = mcp_peer_open(r->m, hear, e, &e->peer, err);
    if (st)
        mcp_sse_drop(e);
    else
        *out = e;
    return st;
}

struct mcp_peer *mcp_sse_peer(struct mcp_sse *e)
{
    return e->guest ? mcp_client_peer(e->guest) : e->peer;
}

/* ---- beginning ---------------------------------------------------------- */

/* Whether the tenant may have one more. */
static quire_status count(struct mcp_sse *e, bool run, quire_error *err)
{
    struct mcp_registry *l = e->room->mcp_registry;
    unsigned ears = 0, runs = 0, all_runs = 0;
    quire_status st = QUIRE_OK;
    struct mcp_endpoint *r;

    pthread_mutex_lock(&l->lock);
    for (r = l->rooms; r; r = r->next) {
        all_runs += r->n_runs;
        if (r->tenant == e->room->tenant) {
            ears += r->n_ears;
            runs += r->n_runs;
        }
    }
    if (l->stopped || ears >= MCP_STREAMS_MAX ||
        (run && (runs >= RUNS_MAX || all_runs >= ALL_RUNS_MAX))) {
        st = err_fail(err, QUIRE_BUSY, "try again when one has ended",
                      run ? "too many calls that take long are under way"
                          : "the tenant listens too often at once");
    } else {
        e->counted = true;
        e->runs = run;
        e->room->n_ears++;
        e->room->n_runs += run;
        l->n_threads += run;
    }
    pthread_mutex_unlock(&l->lock);
    if (!st)
        mcp_registry_wake(l);
    return st;
}

static void join_guest(struct mcp_sse *e)
{
    pthread_mutex_lock(&e->guest->lock);
    e->next = e->guest->ears;
    e->guest->ears = e;
    pthread_mutex_unlock(&e->guest->lock);
}

quire_status mcp_sse_subscribe(struct mcp_sse *e, struct stream **out,
                               quire_error *err)
{
    quire_status st = count(e, false, err);

    if (!st)
        *out = stream_hold(e->stream);
    return st;
}

quire_status mcp_sse_attend(struct mcp_sse *e, struct stream **out,
                            quire_error *err)
{
    quire_status st = count(e, false, err);
    struct mcp_client *g = e->guest;

    if (st)
        return st;
    join_guest(e);
    pthread_mutex_lock(&g->lock);
    if (g->attends)
        stream_end(g->attends->stream);
    g->attends = e;
    pthread_mutex_unlock(&g->lock);
    /* So that its client sees at once that it is open. */
    stream_write(e->stream, bytes_str(":\n\n"));
    *out = stream_hold(e->stream);
    return QUIRE_OK;
}

/* ---- calls that take long ----------------------------------------------- */

static void thread_ends(struct mcp_registry *l)
{
    pthread_mutex_lock(&l->lock);
    l->n_threads--;
    pthread_cond_broadcast(&l->less);
    pthread_mutex_unlock(&l->lock);
}

/* The one whose call this thread does. */
static _Thread_local struct mcp_sse *mine;

struct mcp_sse *mcp_sse_mine(void)
{
    return mine;
}

static void *run(void *ctx)
{
    struct mcp_sse *e = ctx;
    struct mcp_registry *l = e->room->mcp_registry;
    struct mcp_call *c = e->call;
    struct mcp_handle *h = NULL;
    quire_error err = {.what = ""};
    quire_bytes answer;

    mine = e;
    if (mcp_handle_open(e->room->m, NULL, &h, &err))
        mcp_refuse(c, &err);
    else
        mcp_do(c, h);
    answer = mcp_answer(c, NULL);
    if (answer.data)
        mcp_sse_say(e->stream, answer);
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
    quire_status st = count(e, true, err);
    pthread_t thread;

    if (st)
        return st;
    if (token.data)
        e->token = strndup(token.data, token.len);
    if (e->guest)
        join_guest(e);
    e->call = call;
    e->refs++;
    *out = stream_hold(e->stream);
    if (parallel_thread_start(&thread, run, e)) {
        pthread_detach(thread);
        return QUIRE_OK;
    }
    e->refs--;
    e->call = NULL;
    stream_free(*out);
    *out = NULL;
    thread_ends(e->room->mcp_registry);
    return err_memory(err);
}
