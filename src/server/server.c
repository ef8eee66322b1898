/* server.c - see server.h */
#include "server/server.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "server/group_commit.h"
#include "server/lifecycle.h"
#include "server/mcp/registry.h"
#include "server/priv.h"
#include "server/sd_notify.h"

enum { DESCRIPTORS = 16384 };

/* The usual limit, 1024 descriptors, is too small: each thread has files of some
 * tenants open, and each client needs one. Returns the limit. */
static uint64_t raise_limit(void)
{
    struct rlimit r, more;

    if (getrlimit(RLIMIT_NOFILE, &r))
        return DESCRIPTORS;
    more = r;
    more.rlim_cur = r.rlim_max < DESCRIPTORS ? r.rlim_max : DESCRIPTORS;
    if (r.rlim_cur < DESCRIPTORS && !setrlimit(RLIMIT_NOFILE, &more))
        r = more; /* else the old limit stays */
    return r.rlim_cur;
}

/* Divide the descriptors: at least half of them, or DESCRIPTORS_RESERVED, are not for
 * connections. A worker needs about 18 (two of the catalogue, one for each tenant
 * it served last), a watched workspace 5, a parked session 2. */
enum { DESCRIPTORS_RESERVED = 6000 };

/* Parked sessions: how many, and their memory. A session of 40,000 entries takes 2
 * MiB. */
enum { PARKED_MAX = 256, PARKED_BYTES_MAX = 64 << 20 };

static void divide_descriptors(struct server *s, uint64_t limit,
                               struct http_config *http)
{
    uint64_t reserved = limit / 2 < DESCRIPTORS_RESERVED ? limit / 2
                                                         : DESCRIPTORS_RESERVED;
    uint64_t workers = limit / 64 < 2 ? 2 : limit / 64;

    if (limit - reserved < http->connections_max)
        http->connections_max = limit - reserved;
    if (workers < WORKERS &&
        (!s->c.workers || workers < (uint64_t)s->c.workers))
        s->c.workers = (int)workers;
    s->watched_max = limit / 40;
    s->parked_max = limit / 40 < PARKED_MAX ? limit / 40 : PARKED_MAX;
}

/* Everything but the listening socket. */
static quire_status init_parts(struct server *s, quire_error *err)
{
    quire *q = NULL;
    quire_status st;

    s->store = *s->c.store;
    s->store.tenant = "default";
    st = quire_search_watch_new(&s->search_watch, err);
    if (!st)
        st = quire_open(&s->store, &q, err);
    if (!st) {
        s->home = strdup(quire_home(q));
        s->store.home = s->home;
        if (asprintf(&s->spool, "%s/blobs", quire_home(q)) < 0)
            s->spool = NULL;
        s->router = router_new(routes);
        s->tenants = rate_limit_new();
        s->logins = rate_limit_new();
        s->events = events_new();
        s->sessions = session_pool_new(s->parked_max, PARKED_BYTES_MAX);
        s->mcp_registry = s->home ? mcp_registry_new(&s->store, s->c.mcp_run)
                                  : NULL;
        st = s->spool && s->router && s->tenants && s->logins && s->events &&
                     s->sessions && s->mcp_registry
                 ? QUIRE_OK
                 : err_memory(err);
    }
    quire_close(q);
    if (!st)
        st = importer_new(&s->store, s->events, &s->draining, &s->importer,
                          err);
    if (!st)
        st = rand_bytes(&rand_system, s->salt, sizeof s->salt, err);
    if (!st)
        st = log_open(STDERR_FILENO, &s->log, err);
    return st ? st : server_read_settings(s, err);
}

quire_status server_open(const struct server_config *config,
                         struct server **out, quire_error *err)
{
    struct http_config http = HTTP_CONFIG_INIT;
    struct server *s = calloc(1, sizeof *s);
    quire_status st;

    *out = NULL;
    if (!s)
        return err_memory(err);
    s->c = *config;
    divide_descriptors(s, raise_limit(), &http);
    s->last = &s->first;
    s->began_us = clock_steady_us();
    pthread_mutex_init(&s->lock, NULL);
    http.host = config->host;
    http.port = config->port;
    http.listener = config->listener;
    http.tls_cert = config->tls_cert;
    http.tls_key = config->tls_key;
    http.handler = pipeline_handle;
    http.admit = pipeline_admit_body;
    http.release = pipeline_release;
    http.refused = pipeline_log_refusal;
    http.ctx = s;
    st = init_parts(s, err);
    http.spool = s->spool;
    if (!st)
        st = http_open(&http, &s->http, err);
    if (!st)
        st = lifecycle_begin(s, &s->lifecycle, err);
    if (st)
        server_close(s);
    else
        *out = s;
    return st;
}

uint16_t server_port(const struct server *s)
{
    return http_port(s->http);
}

const char *server_home(const struct server *s)
{
    return s->home;
}

quire_status server_run(struct server *s, quire_error *err)
{
    struct background_config background = {.store = &s->store,
                                           .watched_max = s->watched_max,
                                           .events = s->events,
                                           .mcp_registry = s->mcp_registry,
                                           .requests = &s->requests,
                                           .writes = &s->writes,
                                           .search_watch = s->search_watch};
    quire_status st = workers_begin(s, err);

    if (!st)
        st = group_commit_begin(s, &s->group_commit, err);
    if (!st)
        st = background_begin(&background, &s->background, err);
    if (!st)
        st = indexer_begin(&s->store, s->search_watch, &s->draining,
                           &s->indexer, err);
    if (!st)
        st = importer_begin(s->importer, s->indexer, err);
    if (!st) {
        sd_notify_send("READY=1");
        st = http_run(s->http, err);
    }
    mcp_registry_stop(s->mcp_registry);
    group_commit_end(s->group_commit);
    s->group_commit = NULL;
    background_end(s->background);
    s->background = NULL;
    workers_end(s);
    importer_end(s->importer);
    indexer_end(s->indexer);
    s->indexer = NULL;
    return st;
}

void server_stop(struct server *s, bool now)
{
    atomic_store(&s->draining, true);
    http_drain(s->http, now ? 0 : DRAIN_MS);
    lifecycle_wake(s->lifecycle);
}

void server_ask_reload(struct server *s)
{
    lifecycle_reload(s->lifecycle);
}

void server_close(struct server *s)
{
    struct thread_ctx *d, *next;
    struct settings *old, *before;

    if (!s)
        return;
    lifecycle_end(s->lifecycle);
    http_close(s->http);
    importer_free(s->importer);
    mcp_registry_free(s->mcp_registry);
    log_close(s->log);
    for (old = atomic_load(&s->settings); old; old = before) {
        before = old->before;
        free(old);
    }
    router_free(s->router);
    rate_limit_free(s->tenants);
    rate_limit_free(s->logins);
    events_free(s->events);
    session_pool_free(s->sessions);
    for (d = s->thread_ctxs; d; d = next) {
        next = d->next;
        thread_ctx_free(d);
    }
    quire_search_watch_free(s->search_watch);
    pthread_mutex_destroy(&s->lock);
    free(s->home);
    free(s->spool);
    free(s);
}
