/* thread_ctx.c - what one thread needs to work on requests; see priv.h */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/mcp/registry.h"
#include "server/priv.h"

static _Thread_local struct thread_ctx *own_ctx;

/* Open its handle; a new one if a write of the old one failed, because that one no
 * longer knows what is durable. Catalogue states of two handles are not comparable:
 * `n_opened` is part of the key, so cached answers of the old one are not found. */
static bool open_root(struct thread_ctx *d)
{
    quire_options o = d->server->store;

    o.actor = "admin"; /* only the admin changes tenants here */
    o.cache_kib = d->cache_kib;
    o.search_watch = d->server->search_watch;
    quire_close(d->root);
    d->n_opened++;
    d->doubtful = quire_open(&o, &d->root, NULL) != QUIRE_OK;
    return !d->doubtful;
}

struct thread_ctx *thread_ctx_get(struct server *s, int cache_kib)
{
    struct thread_ctx *d = own_ctx;

    if (d && d->server == s)
        return !d->doubtful || open_root(d) ? d : NULL;
    d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->server = s;
    d->cache_kib = cache_kib;
    d->metrics = metrics_new();
    if (!d->metrics || !open_root(d)) {
        free(d->metrics);
        free(d);
        return NULL;
    }
    pthread_mutex_lock(&s->lock);
    d->next = s->thread_ctxs;
    s->thread_ctxs = d;
    pthread_mutex_unlock(&s->lock);
    own_ctx = d;
    return d;
}

void thread_ctx_free(struct thread_ctx *d)
{
    quire_close(d->root);
    gzip_free(d->gzip);
    response_cache_free(d->response_cache);
    free(d->metrics);
    free(d);
}

struct events *thread_ctx_events(struct thread_ctx *d)
{
    return d->server->events;
}

struct session_pool *thread_ctx_sessions(struct thread_ctx *d)
{
    return d->server->sessions;
}

void thread_ctx_end_streams(struct thread_ctx *d, int64_t tenant)
{
    events_end_tenant(d->server->events, tenant);
    session_pool_drop_tenant(d->server->sessions, tenant);
    mcp_registry_end_tenant(d->server->mcp_registry, tenant);
}

bool thread_ctx_begin_maintenance(struct thread_ctx *d)
{
    return !atomic_exchange(&d->server->maintained, true);
}

void thread_ctx_end_maintenance(struct thread_ctx *d)
{
    atomic_store(&d->server->maintained, false);
}

/* With less free space than this the database cannot write its log. */
#define ROOM_MIN ((uint64_t)1 << 20)

/* How long the server is not ready after a group commit failed on the disk. */
#define FAILED_US (INT64_C(5) * 1000000)

bool thread_ctx_has_room(struct thread_ctx *d)
{
    struct statvfs disk;

    return statvfs(d->server->home, &disk) < 0 ||
           (uint64_t)disk.f_bavail * disk.f_frsize >= ROOM_MIN;
}

bool thread_ctx_is_ready(struct thread_ctx *d)
{
    const char *home = d->server->home;
    int64_t failed = atomic_load(&d->server->failed_us);

    if (atomic_load(&d->server->draining) ||
        (failed && clock_steady_us() - failed < FAILED_US))
        return false;
    /* One question to the database, where it is a network away. */
    if (quire_database(d->root) && quire_sync(d->root, NULL))
        return false;
    if (access(home, W_OK) < 0)
        return errno == ENOENT;
    return thread_ctx_has_room(d);
}

void thread_ctx_index(struct thread_ctx *d, int64_t tenant)
{
    indexer_note(d->server->indexer, tenant);
}

struct importer *thread_ctx_importer(struct thread_ctx *d)
{
    return d->server->importer;
}

bool thread_ctx_is_draining(const struct thread_ctx *d)
{
    return atomic_load(&d->server->draining);
}

void thread_ctx_invalidate(struct thread_ctx *d)
{
    d->doubtful = true;
}

/* ---- metrics ------------------------------------------------------------ */

static void read_state(struct server *s, struct metrics_state *state)
{
    *state = (struct metrics_state){
        .uptime_s = (double)(clock_steady_us() - s->began_us) / 1e6,
        .queue_max = QUEUE_MAX,
        .queue_refused = atomic_load(&s->queue_refused),
        .groups = atomic_load(&s->groups),
        .grouped = atomic_load(&s->grouped),
        .limited = atomic_load(&s->limited),
        .limited_logins = atomic_load(&s->limited_logins),
        .log_dropped = log_dropped(s->log),
    };
    mcp_registry_count(s->mcp_registry, &state->mcp_clients,
                       &state->mcp_streams);
    http_load(s->http, &state->connections, &state->under_way, &state->spooled);
    if (s->background)
        background_report(s->background, state);
}

void thread_ctx_write_metrics(struct thread_ctx *d, struct buf *out)
{
    struct server *s = d->server;
    struct metrics *sum = metrics_new();
    struct metrics_state state;
    const struct thread_ctx *one;

    if (!sum) {
        out->failed = true;
        return;
    }
    read_state(s, &state);
    pthread_mutex_lock(&s->lock);
    state.queued = s->n_jobs;
    for (one = s->thread_ctxs; one; one = one->next)
        metrics_add(sum, one->metrics);
    pthread_mutex_unlock(&s->lock);
    metrics_write(sum, &state, out);
    free(sum);
}
