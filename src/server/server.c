/* server.c - see server.h */
#include "server/server.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "server/mcp/registry.h"
#include "server/sd_notify.h"
#include "server/priv.h"
#include "server/group_commit.h"
#include "server/lifecycle.h"

enum { DESCRIPTORS = 16384 };

/* ---- thread_ctxs -------------------------------------------------------------- */

static _Thread_local struct thread_ctx *my_desk;

/* Its handle; anew, if the disk has failed the one it had: that one would not
 * know any more what lasts. States of the two are not to be compared, and workers
 * may be about to add to the response_cache, so that what is in it stays and is not found. */
static bool open_root(struct thread_ctx *d)
{
    quire_options o = QUIRE_OPTIONS_INIT;

    o.home = d->server->home;
    o.tenant = "default";
    o.actor = "admin"; /* who alone changes tenants here */
    o.cache_kib = d->cache_kib;
    quire_close(d->root);
    d->n_opened++;
    d->doubtful = quire_open(&o, &d->root, NULL) != QUIRE_OK;
    return !d->doubtful;
}

struct thread_ctx *thread_ctx_get(struct server *s, int cache_kib)
{
    struct thread_ctx *d = my_desk;

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
    my_desk = d;
    return d;
}

static void thread_ctx_free(struct thread_ctx *d)
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

/* What a write of any size needs is not known; with less than this the database
 * cannot make its log. */
#define ROOM_MIN ((uint64_t)1 << 20)

/* So long after the disk has failed the group_commit it is not said to be ready. */
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
    if (access(home, W_OK) < 0)
        return errno == ENOENT;
    return thread_ctx_has_room(d);
}

void thread_ctx_invalidate(struct thread_ctx *d)
{
    d->doubtful = true;
}

/* ---- what is counted ---------------------------------------------------- */

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

/* ---- calls -------------------------------------------------------------- */

void request_finish(struct request *c)
{
    struct exchange *x = c->x;
    struct response answer;

    request_log(c);
    answer = c->answer;
    arena_release(&c->keep);
    free(c);
    exchange_respond(x, &answer);
}

static void run_op(struct request *c)
{
    c->answer.status = c->route->status;
    json_begin(&c->w, &c->answer.body);
    c->route->run(c);
    c->done = true;
    if (!c->grouped)
        request_publish_event(c);
}

/* Have the thread's handle work for whom the call is; the admin is at home in
 * the default tenant. */
static quire_status bind_tenant(struct request *c, struct thread_ctx *d,
                                quire_error *err)
{
    char which[32];

    c->thread_ctx = d;
    c->q = d->root;
    if (c->route->flags & ROUTE_PUBLIC)
        return QUIRE_OK;
    if (c->route->flags & ROUTE_ADMIN)
        return quire_tenant_use(c->q, "#1", err);
    snprintf(which, sizeof which, "#%lld", (long long)c->tenant.id);
    return quire_tenant_use(c->q, which, err);
}

void request_run(struct request *c, struct thread_ctx *d)
{
    quire_error err;
    quire_status st;

    atomic_fetch_add(&d->server->begun, 1);
    st = bind_tenant(c, d, &err);
    if (st) {
        request_fail(c, st, &err);
    } else if (!c->untaken || request_take_fields(c)) {
        idempotency_run(c, run_op);
        if (c->answer.status < 300 && !(c->route->flags & ROUTE_RAW_ANSWER))
            response_header(&c->answer, "Content-Type", "application/json");
        if (c->response_cache && c->answer.status == 200 && !c->answer.stream &&
            !c->answer.promised)
            response_cache_add(c->response_cache, c->request, c->state,
                               &c->answer, c->tenant.id);
    }
    if (!c->grouped) /* else it is done when its group is */
        atomic_fetch_add(&d->server->done, 1);
}

static unsigned share_of(const struct request *c)
{
    return (unsigned)((uint64_t)c->tenant.id % SHARES);
}

bool queue_enter(struct server *s, const struct request *c)
{
    if (s->n_jobs >= QUEUE_MAX || s->share[share_of(c)] >= SHARE_MAX ||
        s->ending)
        return false;
    s->n_jobs++;
    s->share[share_of(c)]++;
    return true;
}

void queue_leave(struct server *s, const struct request *c)
{
    s->n_jobs--;
    s->share[share_of(c)]--;
}

/* The first that waits of somebody who has not too many under way; NULL: none
 * does. The lock is held. */
static struct job *take_job(struct server *s)
{
    struct job **at = &s->first, *job;

    while (*at && s->runs[(*at)->share] >= RUN_MAX)
        at = &(*at)->next;
    job = *at;
    if (!job)
        return NULL;
    *at = job->next;
    if (!job->next)
        s->last = at;
    queue_leave(s, job->call);
    s->runs[job->share]++;
    return job;
}

/* Give those who rest what there is. The lock is held. In the end those who rest
 * go, and those who work do what is left. */
static void wake_some(struct server *s)
{
    struct worker *w;
    struct job *job;

    while (!s->ending && s->resting && (job = take_job(s))) {
        w = s->resting;
        s->resting = w->below;
        w->job = job;
        pthread_cond_signal(&w->wake);
    }
}

static bool enqueue(struct server *s, struct request *c)
{
    struct job *job = malloc(sizeof *job);
    bool room;

    pthread_mutex_lock(&s->lock);
    room = job && queue_enter(s, c);
    if (room) {
        *job = (struct job){c, share_of(c), NULL};
        *s->last = job;
        s->last = &job->next;
        wake_some(s);
    }
    pthread_mutex_unlock(&s->lock);
    if (!room)
        free(job);
    return room;
}

/* The next job, after the one that is done, NULL: the first; NULL: the end. */
static struct job *next_job(struct worker *w, struct job *done)
{
    struct server *s = w->server;
    struct job *job;

    pthread_mutex_lock(&s->lock);
    if (done) {
        s->runs[done->share]--;
        wake_some(s); /* there may be one that it was in the way of */
    }
    job = take_job(s);
    if (!job && !s->ending) {
        w->job = NULL;
        w->below = s->resting;
        s->resting = w;
        while (!w->job && !s->ending)
            pthread_cond_wait(&w->wake, &s->lock);
        job = w->job;
    }
    pthread_mutex_unlock(&s->lock);
    free(done);
    return job;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct server *s = w->server;
    struct job *job = NULL;
    struct thread_ctx *d;

    while ((job = next_job(w, job))) {
        d = thread_ctx_get(s, CACHE_KIB);
        if (d) {
            request_run(job->call, d);
            request_finish(job->call);
        } else {
            request_refuse(job->call, 503, "busy", "try again",
                           "the store cannot be opened");
            request_finish(job->call);
        }
        atomic_fetch_add(&s->jobs_done, 1);
    }
    return NULL;
}

/* ---- again -------------------------------------------------------------- */

/* Whether the answer is the same for whoever sends the same address and token,
 * until the catalogue changes. */
static bool is_still(const struct request *c)
{
    static const char *const depends[] = {"If-Match",
                                          "If-None-Match",
                                          "If-Modified-Since",
                                          "If-Unmodified-Since",
                                          "If-Range",
                                          "Range"};
    const struct head *head = exchange_head(c->x);
    size_t i;

    if (!c->route || !(c->route->flags & ROUTE_CACHEABLE) || head->length ||
        head->chunked)
        return false;
    for (i = 0; i < sizeof depends / sizeof *depends; i++)
        if (exchange_header(c->x, depends[i]).data)
            return false;
    return true;
}

/* Answer as the same request was answered before. False: it was not, and what is
 * answered now is to be kept. */
static bool answer_from_memo(struct request *c)
{
    const struct head *head = exchange_head(c->x);
    quire_bytes token = exchange_header(c->x, "Authorization");
    struct thread_ctx *d = c->thread_ctx;
    const char *text;

    if (!d->response_cache)
        d->response_cache = response_cache_new();
    c->state = quire_changes(d->root);
    if (c->state)
        c->state += (int64_t)d->n_opened << 32;
    text = arena_printf(&c->keep, "%.*s\n%.*s?%.*s", (int)token.len,
                        token.data ? (const char *)token.data : "",
                        (int)head->path.len, (const char *)head->path.data,
                        (int)head->query.len,
                        head->query.data ? (const char *)head->query.data : "");
    if (!d->response_cache || !c->state || !text)
        return false;
    c->request = bytes_str(text);
    c->response_cache = d->response_cache;
    return response_cache_find(c->response_cache, c->request, c->state,
                               &c->answer, &c->tenant.id);
}

static bool is_options(const struct request *c)
{
    return bytes_equal(exchange_head(c->x)->method, bytes_str("OPTIONS"));
}

static bool is_admins(const struct request *c)
{
    quire_bytes path = exchange_head(c->x)->path;

    if (c->route)
        return c->route->flags & ROUTE_ADMIN;
    return bytes_is(path, "/v1/admin") ||
           bytes_starts(path, bytes_str("/v1/admin/"));
}

/* Whether whoever asks may ask at all; which operation it is. A request with a
 * body is looked at twice, and counted by the first look. False: answered. */
static bool authorize_headers(struct request *c, const char **allowed)
{
    const struct head *head = exchange_head(c->x);
    bool first = c->early || (!head->length && !head->chunked);

    if (!auth_check_origin(c))
        return false;
    c->route = route_find(head, c, allowed);
    if (exchange_is_late(c->x) &&
        !(c->route && c->route->flags & ROUTE_PUBLIC)) {
        request_refuse(c, 503, "busy", "try again; another may answer",
                       "the server is about to end");
        return false;
    }
    if (is_options(c) && *allowed)
        return true;
    if (is_still(c) && answer_from_memo(c)) {
        auth_check_rate(c);
        return false;
    }
    /* Who asks is decided before what there is. */
    if ((c->route && c->route->flags & ROUTE_PUBLIC) ||
        (c->route && c->route->flags & ROUTE_LOCAL && auth_is_local(c)))
        return true;
    if (!auth_admit(c, is_admins(c), first))
        return false;
    exchange_own(c->x, (uint64_t)c->tenant.id);
    return true;
}

/* The rest of it. False: answered. */
static bool authorize(struct request *c)
{
    const char *allowed = NULL;

    if (!authorize_headers(c, &allowed))
        return false;
    if (is_options(c) && allowed) {
        auth_preflight(c, allowed);
        return false;
    }
    if (!c->route && allowed) {
        request_refuse(c, 405, "method", "see the header Allow",
                       "only %s can be done to it", allowed);
        response_header(&c->answer, "Allow", "%s", allowed);
        return false;
    }
    if (!c->route) {
        request_refuse(c, 404, "not_found", "/openapi.json lists what there is",
                       "there is nothing at this address");
        return false;
    }
    if (!auth_check_content_type(c))
        return false;
    /* A loop has many others to see to while a long body is read. */
    c->untaken = exchange_body(c->x).len > LOOP_BODY_MAX &&
                 !(c->route->flags & ROUTE_INLINE);
    return c->untaken || request_take_fields(c);
}

/* How long the body may be. */
static uint64_t most_of(struct request *c)
{
    const struct head *head = exchange_head(c->x);
    quire_setting s;

    if (!(c->route->flags & ROUTE_LARGE))
        return c->route->flags & ROUTE_BIG_JSON ? BODY_LONG_MAX
               : c->route->flags & ROUTE_WRITE  ? BODY_MAX
                                                : BODY_NONE_MAX;
    if (!(c->route->flags & ROUTE_FILE))
        return UINT64_MAX;
    /* What fits easily needs no question; the put itself says what is right. */
    if (head->length <= SPOOL_FROM && !head->chunked)
        return SPOOL_FROM;
    return quire_config_get(c->thread_ctx->root, "quota.file", &s, NULL)
               ? SPOOL_FROM
               : strtoull(s.value, NULL, 10);
}

/* False: refused, before any of it has come. */
static bool allow_body(struct request *c)
{
    uint64_t most = c->route ? most_of(c) : BODY_NONE_MAX;

    if (c->route && !auth_check_content_type(c))
        return false;
    exchange_allow(c->x, most);
    if (exchange_head(c->x)->length <= most)
        return true;
    request_refuse(
        c, 413, "too_large",
        c->route && c->route->flags & ROUTE_FILE
            ? "keep it as a blob; /v1/usage says how long a file may be"
            : "/openapi.json says what can be sent",
        "the body has %llu bytes, and may have %llu",
        (unsigned long long)exchange_head(c->x)->length,
        (unsigned long long)most);
    return false;
}

/* Before a body is taken: may its sender send anything? */
static bool admit_body(void *ctx, struct exchange *x, struct response *refusal)
{
    struct server *s = ctx;
    struct request c = {.server = s,
                        .x = x,
                        .thread_ctx = thread_ctx_get(s, CACHE_KIB),
                        .began_us = clock_steady_us(),
                        .early = true,
                        .answer = *refusal};
    const char *allowed = NULL;
    bool fine = c.thread_ctx && authorize_headers(&c, &allowed);

    fine = fine && allow_body(&c);
    if (!c.thread_ctx)
        request_refuse(&c, 503, "busy", "try again",
                       "the store cannot be opened");
    if (!fine)
        request_log(&c);
    *refusal = c.answer;
    arena_release(&c.keep);
    return fine;
}

static void note_refusal(void *ctx, struct exchange *x, struct response *answer,
                         const char *why)
{
    struct request c = {.server = ctx,
                        .x = x,
                        .thread_ctx = thread_ctx_get(ctx, CACHE_KIB),
                        .began_us = clock_steady_us(),
                        .early = true,
                        .why = why,
                        .answer = *answer};

    request_log(&c);
    *answer = c.answer;
    arena_release(&c.keep);
}

static void handle(void *ctx, struct exchange *x)
{
    struct server *s = ctx;
    struct request *c = calloc(1, sizeof *c);
    struct response none = response_new();
    struct thread_ctx *d = c ? thread_ctx_get(s, CACHE_KIB) : NULL;

    if (!d) {
        free(c);
        response_error(&none, 503, "busy", "try again", "out of memory");
        exchange_respond(x, &none);
        return;
    }
    c->server = s;
    c->x = x;
    c->began_us = clock_steady_us();
    c->thread_ctx = d;
    c->answer = response_new();
    if (!authorize(c)) {
        request_finish(c);
    } else if (c->route->flags & ROUTE_INLINE) {
        request_run(c, d);
        request_finish(c);
    } else if (!(group_commit_accepts(c)
                     ? group_commit_submit(s->group_commit, c)
                     : enqueue(s, c))) {
        atomic_fetch_add(&s->queue_refused, 1);
        request_refuse(c, 503, "busy", "try again soon",
                       "too many requests are waiting");
        request_finish(c);
    }
}

/* ---- life --------------------------------------------------------------- */

/* A thousand descriptors, the usual limit, are soon gone: each thread has the
 * files of some tenants open, and each client is one. */
static void raise_limit(void)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= DESCRIPTORS)
        return;
    r.rlim_cur = r.rlim_max < DESCRIPTORS ? r.rlim_max : DESCRIPTORS;
    if (setrlimit(RLIMIT_NOFILE, &r))
        return; /* then with those there are */
}

quire_status server_read_settings(struct server *s, quire_error *err)
{
    struct rules *r = calloc(1, sizeof *r);
    quire_status st;

    if (!r)
        return err_memory(err);
    st = s->c.settings ? s->c.settings(s->c.ctx, &r->s, err) : QUIRE_OK;
    if (st) {
        free(r);
        return st;
    }
    r->before = atomic_load(&s->rules);
    atomic_store(&s->rules, r);
    return QUIRE_OK;
}

/* What the server has that is not a connection. */
static quire_status init_parts(struct server *s, quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q = NULL;
    quire_status st;

    o.home = s->c.home;
    o.tenant = "default";
    st = quire_open(&o, &q, err);
    if (!st) {
        s->home = strdup(quire_home(q));
        if (asprintf(&s->spool, "%s/blobs", quire_home(q)) < 0)
            s->spool = NULL;
        s->tenants = rate_limit_new();
        s->logins = rate_limit_new();
        s->events = events_new();
        s->mcp_registry = s->home ? mcp_registry_new(s->home, s->c.mcp_run)
                                  : NULL;
        st = s->spool && s->tenants && s->logins && s->events && s->mcp_registry
                 ? QUIRE_OK
                 : err_memory(err);
    }
    quire_close(q);
    if (!st)
        st = rand_bytes(&rand_system, &s->salt, sizeof s->salt, err);
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
    raise_limit();
    s->c = *config;
    s->last = &s->first;
    s->began_us = clock_steady_us();
    pthread_mutex_init(&s->lock, NULL);
    http.host = config->host;
    http.port = config->port;
    http.listener = config->listener;
    http.tls_cert = config->tls_cert;
    http.tls_key = config->tls_key;
    http.handler = handle;
    http.admit = admit_body;
    http.refused = note_refusal;
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
    int i,
        want = s->c.workers && s->c.workers < WORKERS ? s->c.workers : WORKERS;
    struct background_config beside = {.home = s->home,
                                       .events = s->events,
                                       .begun = &s->begun,
                                       .done = &s->done};
    quire_status st = QUIRE_OK;

    for (i = 0; i < want && !st; i++) {
        struct worker *w = &s->workers[i];
        int why;

        *w = (struct worker){.server = s};
        pthread_cond_init(&w->wake, NULL);
        why = pthread_create(&w->thread, NULL, work, w);
        if (why)
            pthread_cond_destroy(&w->wake);
        if (why && i == 0)
            st = err_sys(err, why, "cannot begin to serve");
        if (why)
            break;
        s->n_workers++;
    }
    if (!st)
        st = group_commit_begin(s, &s->group_commit, err);
    if (!st)
        st = background_begin(&beside, &s->background, err);
    if (!st) {
        sd_notify_send("READY=1");
        st = http_run(s->http, err);
    }
    mcp_registry_stop(s->mcp_registry);
    group_commit_end(s->group_commit);
    s->group_commit = NULL;
    background_end(s->background);
    s->background = NULL;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    for (i = 0; i < s->n_workers; i++)
        pthread_cond_signal(&s->workers[i].wake);
    pthread_mutex_unlock(&s->lock);
    for (i = 0; i < s->n_workers; i++) {
        pthread_join(s->workers[i].thread, NULL);
        pthread_cond_destroy(&s->workers[i].wake);
    }
    s->n_workers = 0;
    s->resting = NULL;
    return st;
}

quire_status server_reload(struct server *s, quire_error *err)
{
    /* The certificate first: if that fails, the settings are as they were. */
    quire_status st = http_reload(s->http, err);

    return st ? st : server_read_settings(s, err);
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
    struct rules *r, *before;

    if (!s)
        return;
    lifecycle_end(s->lifecycle);
    http_close(s->http);
    mcp_registry_free(s->mcp_registry);
    log_close(s->log);
    for (r = atomic_load(&s->rules); r; r = before) {
        before = r->before;
        free(r);
    }
    rate_limit_free(s->tenants);
    rate_limit_free(s->logins);
    events_free(s->events);
    for (d = s->thread_ctxs; d; d = next) {
        next = d->next;
        thread_ctx_free(d);
    }
    pthread_mutex_destroy(&s->lock);
    free(s->home);
    free(s->spool);
    free(s);
}
