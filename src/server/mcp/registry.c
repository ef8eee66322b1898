/* registry.c - see registry.h: endpoints, and the poller thread */
#include "server/mcp/registry.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parallel.h"
#include "server/mcp/priv.h"

/* Interval of polls; delay before one, to batch changes; endpoints of one batch. */
enum { POLL_MS = 1000, DEBOUNCE_MS = 20, BATCH = 256 };

/* ---- endpoints ---------------------------------------------------------- */

static void mcp_endpoint_free(struct mcp_endpoint *r)
{
    if (!r)
        return;
    mcp_handle_close(r->handle);
    mcp_close(r->m);
    free(r->session);
    free(r);
}

static quire_status mcp_endpoint_new(struct mcp_registry *l, int64_t tenant,
                                     const char *session,
                                     struct mcp_endpoint **out,
                                     quire_error *err)
{
    struct mcp_endpoint *r = calloc(1, sizeof *r);
    struct mcp_config config = {.allow_run = l->allow_run};
    quire_status st;

    *out = NULL;
    if (!r)
        return err_memory(err);
    r->mcp_registry = l;
    r->tenant = tenant;
    r->session = strdup(session);
    r->store = (quire_options)QUIRE_OPTIONS_INIT;
    r->store.home = l->home;
    r->store.tenant = r->tenant_name;
    snprintf(r->tenant_name, sizeof r->tenant_name, "#%lld", (long long)tenant);
    config.store = &r->store;
    config.session = r->session;
    st = r->session ? mcp_open(&config, &r->m, err) : err_memory(err);
    if (st)
        mcp_endpoint_free(r);
    else
        *out = r;
    return st;
}

/* The caller holds the lock. */
static struct mcp_endpoint *find_endpoint(struct mcp_registry *l,
                                          int64_t tenant, const char *session)
{
    struct mcp_endpoint *r;

    for (r = l->endpoints; r; r = r->next)
        if (r->tenant == tenant && !strcmp(r->session, session))
            break;
    return r;
}

/* Unlist up to `max` endpoints that were unused since then. The caller holds the
 * lock. */
static struct mcp_endpoint *take_idle(struct mcp_registry *l, int64_t since_ms,
                                      size_t max)
{
    struct mcp_endpoint **at = &l->endpoints, *idle = NULL;

    while (*at && max > 0) {
        struct mcp_endpoint *r = *at;

        if (r->refs > 0 || r->used_ms > since_ms) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        r->next = idle;
        idle = r;
        l->n_endpoints--;
        max--;
    }
    return idle;
}

static void free_endpoints(struct mcp_endpoint *list)
{
    while (list) {
        struct mcp_endpoint *r = list;

        list = r->next;
        mcp_endpoint_free(r);
    }
}

void mcp_endpoint_ref(struct mcp_endpoint *r)
{
    r->refs++;
    r->used_ms = mcp_now_ms();
}

/* Add a new one, unless another thread was faster. It may replace an unused one. */
static quire_status add_endpoint(struct mcp_registry *l,
                                 struct mcp_endpoint *fresh,
                                 struct mcp_endpoint **out, quire_error *err)
{
    struct mcp_endpoint *extra = NULL, *there;
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&l->lock);
    there = find_endpoint(l, fresh->tenant, fresh->session);
    if (!there && l->n_endpoints >= MCP_ENDPOINTS_MAX)
        extra = take_idle(l, INT64_MAX, 1);
    if (!there && l->n_endpoints < MCP_ENDPOINTS_MAX && !l->stopped) {
        fresh->next = l->endpoints;
        l->endpoints = fresh;
        l->n_endpoints++;
        there = fresh;
    }
    if (there)
        mcp_endpoint_ref(there);
    pthread_mutex_unlock(&l->lock);
    free_endpoints(extra);
    if (there != fresh)
        mcp_endpoint_free(fresh);
    if (!there) {
        st = err_fail(err, QUIRE_BUSY, "try again later",
                      "too many sessions are open over MCP");
    }
    *out = there;
    return st;
}

quire_status mcp_endpoint_hold(struct mcp_registry *l, int64_t tenant,
                               const char *session, struct mcp_endpoint **out,
                               quire_error *err)
{
    struct mcp_endpoint *fresh;
    quire_status st;

    pthread_mutex_lock(&l->lock);
    *out = find_endpoint(l, tenant, session);
    if (*out)
        mcp_endpoint_ref(*out);
    pthread_mutex_unlock(&l->lock);
    if (*out)
        return QUIRE_OK;
    st = mcp_endpoint_new(l, tenant, session, &fresh, err);
    return st ? st : add_endpoint(l, fresh, out, err);
}

void mcp_endpoint_drop(struct mcp_endpoint *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->mcp_registry->lock);
    r->refs--;
    r->used_ms = mcp_now_ms();
    pthread_mutex_unlock(&r->mcp_registry->lock);
}

struct mcp *mcp_endpoint_mcp(struct mcp_endpoint *r)
{
    return r->m;
}

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
    idle = take_idle(l, now - IDLE_MS, SIZE_MAX);
    pthread_mutex_unlock(&l->lock);
    free_endpoints(idle);
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

void mcp_registry_wake(struct mcp_registry *l)
{
    eventfd_write(l->wake_fd, 1);
}

/* ---- life --------------------------------------------------------------- */

struct mcp_registry *mcp_registry_new(const char *home, bool allow_run)
{
    struct mcp_registry *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->home = home;
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
    free_endpoints(l->endpoints);
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
