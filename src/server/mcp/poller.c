/*
 * poller.c - registry from start to end, and its thread
 *
 * One thread polls the endpoints that have streams, and drops endpoints and
 * clients that were idle too long.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parallel.h"
#include "server/mcp/priv.h"

/* Interval of polls; delay before one, to batch changes; endpoints of one batch. */
enum { POLL_MS = 1000, DEBOUNCE_MS = 20, BATCH = 256 };

/* ---- the poller --------------------------------------------------------- */

struct batch {
    struct mcp_endpoint *endpoints[BATCH];
    struct pollfd fds[BATCH + 1]; /* the last one wakes the poller */
    int n;
    bool any; /* endpoints or clients exist that may expire */
};

/* Endpoints with streams; each gets a reference. */
static void choose_endpoints(struct mcp_registry *l, struct batch *t)
{
    struct mcp_endpoint *r;

    t->n = 0;
    pthread_mutex_lock(&l->lock);
    t->any = l->endpoints || l->clients;
    for (r = l->endpoints; r && t->n < BATCH; r = r->next) {
        if (r->n_streams == 0)
            continue;
        r->refs++;
        t->endpoints[t->n] = r;
        t->fds[t->n++] = (struct pollfd){mcp_look_fd(r->m), POLLIN, 0};
    }
    pthread_mutex_unlock(&l->lock);
    t->fds[t->n] = (struct pollfd){l->wake_fd, POLLIN, 0};
}

/* If the store cannot be opened, the next poll tries again. */
static void poll_endpoint(struct mcp_endpoint *r)
{
    int64_t now = mcp_now_ms();

    r->polled_ms = now;
    if (!r->handle && mcp_handle_open(r->m, NULL, &r->handle, NULL))
        return;
    mcp_look(r->m, r->handle, false);
}

static void poll_endpoints(struct batch *t)
{
    int64_t now = mcp_now_ms();
    int i;

    for (i = 0; i < t->n; i++) {
        if (t->fds[i].revents || now - t->endpoints[i]->polled_ms >= POLL_MS)
            poll_endpoint(t->endpoints[i]);
        mcp_endpoint_drop(t->endpoints[i]);
    }
}

static void sweep_idle(struct mcp_registry *l)
{
    int64_t now = mcp_now_ms();
    struct mcp_endpoint *idle;

    mcp_clients_sweep(l, now);
    pthread_mutex_lock(&l->lock);
    idle = mcp_endpoints_take_idle(l, now - IDLE_MS, SIZE_MAX);
    pthread_mutex_unlock(&l->lock);
    mcp_endpoints_free(idle);
}

static bool is_stopped(struct mcp_registry *l)
{
    bool stopped;

    pthread_mutex_lock(&l->lock);
    stopped = l->stopped;
    pthread_mutex_unlock(&l->lock);
    return stopped;
}

static void *run_poller(void *ctx)
{
    struct mcp_registry *l = ctx;
    struct batch *t = calloc(1, sizeof *t);
    int64_t swept_ms = mcp_now_ms();
    eventfd_t n;

    while (t && !is_stopped(l)) {
        choose_endpoints(l, t);
        if (poll(t->fds, (nfds_t)t->n + 1,
                 t->n     ? POLL_MS
                 : t->any ? SWEEP_MS
                          : -1) > 0)
            poll(NULL, 0, DEBOUNCE_MS);
        if (t->fds[t->n].revents)
            eventfd_read(l->wake_fd, &n);
        poll_endpoints(t);
        if (mcp_now_ms() - swept_ms >= SWEEP_MS) {
            sweep_idle(l);
            swept_ms = mcp_now_ms();
        }
    }
    free(t);
    return NULL;
}

/* ---- life --------------------------------------------------------------- */

struct mcp_registry *mcp_registry_new(const quire_options *store,
                                      bool allow_run)
{
    struct mcp_registry *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->store = store;
    l->allow_run = allow_run;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->thread_ended, NULL);
    l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->polling = l->wake_fd >= 0 &&
                 parallel_thread_start(&l->poller, run_poller, l);
    if (l->polling)
        return l;
    mcp_registry_free(l);
    return NULL;
}

void mcp_registry_stop(struct mcp_registry *l)
{
    struct mcp_endpoint *r;

    pthread_mutex_lock(&l->lock);
    l->stopped = true;
    for (r = l->endpoints; r; r = r->next)
        mcp_stop(r->m);
    while (l->n_threads > 0)
        pthread_cond_wait(&l->thread_ended, &l->lock);
    pthread_mutex_unlock(&l->lock);
    mcp_registry_wake(l);
    if (l->polling)
        pthread_join(l->poller, NULL);
    l->polling = false;
}

void mcp_registry_free(struct mcp_registry *l)
{
    if (!l)
        return;
    if (l->polling)
        mcp_registry_stop(l);
    mcp_clients_sweep(l, INT64_MAX);
    mcp_endpoints_free(l->endpoints);
    if (l->wake_fd >= 0)
        close(l->wake_fd);
    pthread_cond_destroy(&l->thread_ended);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

void mcp_registry_count(struct mcp_registry *l, uint64_t *clients,
                        uint64_t *streams)
{
    struct mcp_client *g;
    struct mcp_endpoint *r;

    *clients = *streams = 0;
    pthread_mutex_lock(&l->lock);
    for (g = l->clients; g; g = g->next)
        ++*clients;
    for (r = l->endpoints; r; r = r->next)
        *streams += r->n_streams;
    pthread_mutex_unlock(&l->lock);
}
