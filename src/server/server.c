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

/* ---- desks -------------------------------------------------------------- */

static _Thread_local struct desk *my_desk;

/* Its handle; anew, if the disk has failed the one it had: that one would not
 * know any more what lasts. States of the two are not to be compared, and workers
 * may be about to add to the memo, so that what is in it stays and is not found. */
static bool open_root(struct desk *d)
{
    quire_options o = QUIRE_OPTIONS_INIT;

    o.home = d->service->home;
    o.tenant = "default";
    o.actor = "admin"; /* who alone changes tenants here */
    o.cache_kib = d->cache_kib;
    quire_close(d->root);
    d->n_opened++;
    d->doubtful = quire_open(&o, &d->root, NULL) != QUIRE_OK;
    return !d->doubtful;
}

struct desk *desk_get(struct service *s, int cache_kib)
{
    struct desk *d = my_desk;

    if (d && d->service == s)
        return !d->doubtful || open_root(d) ? d : NULL;
    d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->service = s;
    d->cache_kib = cache_kib;
    d->meter = meter_new();
    if (!d->meter || !open_root(d)) {
        free(d->meter);
        free(d);
        return NULL;
    }
    pthread_mutex_lock(&s->lock);
    d->next = s->desks;
    s->desks = d;
    pthread_mutex_unlock(&s->lock);
    my_desk = d;
    return d;
}

static void desk_free(struct desk *d)
{
    quire_close(d->root);
    gzip_free(d->gzip);
    memo_free(d->memo);
    free(d->meter);
    free(d);
}

struct events *desk_events(struct desk *d)
{
    return d->service->events;
}

/* What a write of any size needs is not known; with less than this the database
 * cannot make its log. */
#define ROOM_MIN ((uint64_t)1 << 20)

/* So long after the disk has failed the scribe it is not said to be ready. */
#define FAILED_US (INT64_C(5) * 1000000)

bool desk_has_room(struct desk *d)
{
    struct statvfs disk;

    return statvfs(d->service->home, &disk) < 0 ||
           (uint64_t)disk.f_bavail * disk.f_frsize >= ROOM_MIN;
}

bool desk_is_ready(struct desk *d)
{
    const char *home = d->service->home;
    int64_t failed = atomic_load(&d->service->failed_us);

    if (atomic_load(&d->service->draining) ||
        (failed && clock_steady_us() - failed < FAILED_US))
        return false;
    if (access(home, W_OK) < 0)
        return errno == ENOENT;
    return desk_has_room(d);
}

void desk_doubt(struct desk *d)
{
    d->doubtful = true;
}

/* ---- what is counted ---------------------------------------------------- */

static void read_state(struct service *s, struct meter_state *state)
{
    *state = (struct meter_state){
        .uptime_s = (double)(clock_steady_us() - s->began_us) / 1e6,
        .queue_max = QUEUE_MAX,
        .queue_refused = atomic_load(&s->queue_refused),
        .groups = atomic_load(&s->groups),
        .grouped = atomic_load(&s->grouped),
        .limited = atomic_load(&s->limited),
        .limited_logins = atomic_load(&s->limited_logins),
        .log_dropped = log_dropped(s->log),
    };
    lodge_count(s->lodge, &state->mcp_clients, &state->mcp_streams);
    http_load(s->http, &state->connections, &state->under_way, &state->spooled);
    if (s->upkeep)
        upkeep_tell(s->upkeep, state);
}

void desk_write_metrics(struct desk *d, struct buf *out)
{
    struct service *s = d->service;
    struct meter *sum = meter_new();
    struct meter_state state;
    const struct desk *one;

    if (!sum) {
        out->failed = true;
        return;
    }
    read_state(s, &state);
    pthread_mutex_lock(&s->lock);
    state.queued = s->n_jobs;
    for (one = s->desks; one; one = one->next)
        meter_add(sum, one->meter);
    pthread_mutex_unlock(&s->lock);
    meter_write(sum, &state, out);
    free(sum);
}

/* ---- calls -------------------------------------------------------------- */

void call_finish(struct call *c)
{
    struct exchange *x = c->x;
    struct answer answer;

    record_call(c);
    answer = c->answer;
    arena_release(&c->keep);
    free(c);
    exchange_answer(x, &answer);
}

static void run_op(struct call *c)
{
    c->answer.status = c->op->status;
    json_begin(&c->w, &c->answer.body);
    c->op->run(c);
    c->done = true;
    if (!c->grouped)
        call_tell(c);
}

/* Have the thread's handle work for whom the call is; the admin is at home in
 * the default tenant. */
static quire_status take_seat(struct call *c, struct desk *d, quire_error *err)
{
    char which[32];

    c->desk = d;
    c->q = d->root;
    if (c->op->flags & OP_OPEN)
        return QUIRE_OK;
    if (c->op->flags & OP_ADMIN)
        return quire_tenant_use(c->q, "#1", err);
    snprintf(which, sizeof which, "#%lld", (long long)c->tenant.id);
    return quire_tenant_use(c->q, which, err);
}

void call_run(struct call *c, struct desk *d)
{
    quire_error err;
    quire_status st;

    atomic_fetch_add(&d->service->begun, 1);
    st = take_seat(c, d, &err);
    if (st) {
        call_fail(c, st, &err);
    } else if (!c->untaken || call_take_fields(c)) {
        once_run(c, run_op);
        if (c->answer.status < 300 && !(c->op->flags & OP_RAW_ANSWER))
            answer_header(&c->answer, "Content-Type", "application/json");
        if (c->memo && c->answer.status == 200 && !c->answer.stream &&
            !c->answer.promised)
            memo_add(c->memo, c->request, c->state, &c->answer, c->tenant.id);
    }
    if (!c->grouped) /* else it is done when its group is */
        atomic_fetch_add(&d->service->done, 1);
}

static unsigned share_of(const struct call *c)
{
    return (unsigned)((uint64_t)c->tenant.id % SHARES);
}

bool queue_enter(struct service *s, const struct call *c)
{
    if (s->n_jobs >= QUEUE_MAX || s->share[share_of(c)] >= SHARE_MAX ||
        s->ending)
        return false;
    s->n_jobs++;
    s->share[share_of(c)]++;
    return true;
}

void queue_leave(struct service *s, const struct call *c)
{
    s->n_jobs--;
    s->share[share_of(c)]--;
}

/* The first that waits of somebody who has not too many under way; NULL: none
 * does. The lock is held. */
static struct job *take_job(struct service *s)
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
static void wake_some(struct service *s)
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

static bool enqueue(struct service *s, struct call *c)
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
    struct service *s = w->service;
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
    struct service *s = w->service;
    struct job *job = NULL;
    struct desk *d;

    while ((job = next_job(w, job))) {
        d = desk_get(s, CACHE_KIB);
        if (d) {
            call_run(job->call, d);
            call_finish(job->call);
        } else {
            call_refuse(job->call, 503, "busy", "try again",
                        "the store cannot be opened");
            call_finish(job->call);
        }
        atomic_fetch_add(&s->jobs_done, 1);
    }
    return NULL;
}

/* ---- again -------------------------------------------------------------- */

/* Whether the answer is the same for whoever sends the same address and token,
 * until the catalogue changes. */
static bool is_still(const struct call *c)
{
    static const char *const depends[] = {"If-Match",
                                          "If-None-Match",
                                          "If-Modified-Since",
                                          "If-Unmodified-Since",
                                          "If-Range",
                                          "Range"};
    const struct head *head = exchange_head(c->x);
    size_t i;

    if (!c->op || !(c->op->flags & OP_STILL) || head->length || head->chunked)
        return false;
    for (i = 0; i < sizeof depends / sizeof *depends; i++)
        if (exchange_header(c->x, depends[i]).data)
            return false;
    return true;
}

/* Answer as the same request was answered before. False: it was not, and what is
 * answered now is to be kept. */
static bool answer_from_memo(struct call *c)
{
    const struct head *head = exchange_head(c->x);
    quire_bytes token = exchange_header(c->x, "Authorization");
    struct desk *d = c->desk;
    const char *text;

    if (!d->memo)
        d->memo = memo_new();
    c->state = quire_changes(d->root);
    if (c->state)
        c->state += (int64_t)d->n_opened << 32;
    text = arena_printf(&c->keep, "%.*s\n%.*s?%.*s", (int)token.len,
                        token.data ? (const char *)token.data : "",
                        (int)head->path.len, (const char *)head->path.data,
                        (int)head->query.len,
                        head->query.data ? (const char *)head->query.data : "");
    if (!d->memo || !c->state || !text)
        return false;
    c->request = bytes_str(text);
    c->memo = d->memo;
    return memo_find(c->memo, c->request, c->state, &c->answer, &c->tenant.id);
}

static bool is_options(const struct call *c)
{
    return bytes_equal(exchange_head(c->x)->method, bytes_str("OPTIONS"));
}

static bool is_admins(const struct call *c)
{
    quire_bytes path = exchange_head(c->x)->path;

    if (c->op)
        return c->op->flags & OP_ADMIN;
    return bytes_is(path, "/v1/admin") ||
           bytes_starts(path, bytes_str("/v1/admin/"));
}

/* Whether whoever asks may ask at all; which operation it is. A request with a
 * body is looked at twice, and counted by the first look. False: answered. */
static bool judge_head(struct call *c, const char **allowed)
{
    const struct head *head = exchange_head(c->x);
    bool first = c->early || (!head->length && !head->chunked);

    if (!gate_origin(c))
        return false;
    c->op = op_find(head, c, allowed);
    if (exchange_is_late(c->x) && !(c->op && c->op->flags & OP_OPEN)) {
        call_refuse(c, 503, "busy", "try again; another may answer",
                    "the server is about to end");
        return false;
    }
    if (is_options(c) && *allowed)
        return true;
    if (is_still(c) && answer_from_memo(c)) {
        gate_rate(c);
        return false;
    }
    /* Who asks is decided before what there is. */
    if ((c->op && c->op->flags & OP_OPEN) ||
        (c->op && c->op->flags & OP_LOCAL && gate_is_local(c)))
        return true;
    if (!gate_admit(c, is_admins(c), first))
        return false;
    exchange_own(c->x, (uint64_t)c->tenant.id);
    return true;
}

/* The rest of it. False: answered. */
static bool judge(struct call *c)
{
    const char *allowed = NULL;

    if (!judge_head(c, &allowed))
        return false;
    if (is_options(c) && allowed) {
        gate_preflight(c, allowed);
        return false;
    }
    if (!c->op && allowed) {
        call_refuse(c, 405, "method", "see the header Allow",
                    "only %s can be done to it", allowed);
        answer_header(&c->answer, "Allow", "%s", allowed);
        return false;
    }
    if (!c->op) {
        call_refuse(c, 404, "not_found", "/openapi.json lists what there is",
                    "there is nothing at this address");
        return false;
    }
    if (!gate_content(c))
        return false;
    /* A loop has many others to see to while a long body is read. */
    c->untaken = exchange_body(c->x).len > LOOP_BODY_MAX &&
                 !(c->op->flags & OP_QUICK);
    return c->untaken || call_take_fields(c);
}

/* How long the body may be. */
static uint64_t most_of(struct call *c)
{
    const struct head *head = exchange_head(c->x);
    quire_setting s;

    if (!(c->op->flags & OP_LARGE))
        return c->op->flags & OP_LONG    ? BODY_LONG_MAX
               : c->op->flags & OP_WRITE ? BODY_MAX
                                         : BODY_NONE_MAX;
    if (!(c->op->flags & OP_FILE))
        return UINT64_MAX;
    /* What fits easily needs no question; the put itself says what is right. */
    if (head->length <= SPOOL_FROM && !head->chunked)
        return SPOOL_FROM;
    return quire_config_get(c->desk->root, "quota.file", &s, NULL)
               ? SPOOL_FROM
               : strtoull(s.value, NULL, 10);
}

/* False: refused, before any of it has come. */
static bool allow_body(struct call *c)
{
    uint64_t most = c->op ? most_of(c) : BODY_NONE_MAX;

    if (c->op && !gate_content(c))
        return false;
    exchange_allow(c->x, most);
    if (exchange_head(c->x)->length <= most)
        return true;
    call_refuse(c, 413, "too_large",
                c->op && c->op->flags & OP_FILE
                    ? "keep it as a blob; /v1/usage says how long a file may be"
                    : "/openapi.json says what can be sent",
                "the body has %llu bytes, and may have %llu",
                (unsigned long long)exchange_head(c->x)->length,
                (unsigned long long)most);
    return false;
}

/* Before a body is taken: may its sender send anything? */
static bool admit_body(void *ctx, struct exchange *x, struct answer *refusal)
{
    struct service *s = ctx;
    struct call c = {.service = s,
                     .x = x,
                     .desk = desk_get(s, CACHE_KIB),
                     .began_us = clock_steady_us(),
                     .early = true,
                     .answer = *refusal};
    const char *allowed = NULL;
    bool fine = c.desk && judge_head(&c, &allowed);

    fine = fine && allow_body(&c);
    if (!c.desk)
        call_refuse(&c, 503, "busy", "try again", "the store cannot be opened");
    if (!fine)
        record_call(&c);
    *refusal = c.answer;
    arena_release(&c.keep);
    return fine;
}

static void note_refusal(void *ctx, struct exchange *x, struct answer *answer,
                         const char *why)
{
    struct call c = {.service = ctx,
                     .x = x,
                     .desk = desk_get(ctx, CACHE_KIB),
                     .began_us = clock_steady_us(),
                     .early = true,
                     .why = why,
                     .answer = *answer};

    record_call(&c);
    *answer = c.answer;
    arena_release(&c.keep);
}

static void handle(void *ctx, struct exchange *x)
{
    struct service *s = ctx;
    struct call *c = calloc(1, sizeof *c);
    struct answer none = answer_new();
    struct desk *d = c ? desk_get(s, CACHE_KIB) : NULL;

    if (!d) {
        free(c);
        answer_error(&none, 503, "busy", "try again", "out of memory");
        exchange_answer(x, &none);
        return;
    }
    c->service = s;
    c->x = x;
    c->began_us = clock_steady_us();
    c->desk = d;
    c->answer = answer_new();
    if (!judge(c)) {
        call_finish(c);
    } else if (c->op->flags & OP_QUICK) {
        call_run(c, d);
        call_finish(c);
    } else if (!(scribe_takes(c) ? scribe_give(s->scribe, c) : enqueue(s, c))) {
        atomic_fetch_add(&s->queue_refused, 1);
        call_refuse(c, 503, "busy", "try again soon",
                    "too many requests are waiting");
        call_finish(c);
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

quire_status service_read_settings(struct service *s, quire_error *err)
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

/* What the service has that is not a connection. */
static quire_status furnish(struct service *s, quire_error *err)
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
        s->tenants = rate_new();
        s->logins = rate_new();
        s->events = events_new();
        s->lodge = s->home ? lodge_new(s->home, s->c.mcp_run) : NULL;
        st = s->spool && s->tenants && s->logins && s->events && s->lodge
                 ? QUIRE_OK
                 : err_memory(err);
    }
    quire_close(q);
    if (!st)
        st = rand_bytes(&rand_system, &s->salt, sizeof s->salt, err);
    if (!st)
        st = log_open(STDERR_FILENO, &s->log, err);
    return st ? st : service_read_settings(s, err);
}

quire_status service_open(const struct service_config *config,
                          struct service **out, quire_error *err)
{
    struct http_config http = HTTP_CONFIG_INIT;
    struct service *s = calloc(1, sizeof *s);
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
    st = furnish(s, err);
    http.spool = s->spool;
    if (!st)
        st = http_open(&http, &s->http, err);
    if (!st)
        st = steward_begin(s, &s->steward, err);
    if (st)
        service_close(s);
    else
        *out = s;
    return st;
}

uint16_t service_port(const struct service *s)
{
    return http_port(s->http);
}

const char *service_home(const struct service *s)
{
    return s->home;
}

quire_status service_run(struct service *s, quire_error *err)
{
    int i,
        want = s->c.workers && s->c.workers < WORKERS ? s->c.workers : WORKERS;
    struct upkeep_config beside = {.home = s->home,
                                   .events = s->events,
                                   .begun = &s->begun,
                                   .done = &s->done};
    quire_status st = QUIRE_OK;

    for (i = 0; i < want && !st; i++) {
        struct worker *w = &s->workers[i];
        int why;

        *w = (struct worker){.service = s};
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
        st = scribe_begin(s, &s->scribe, err);
    if (!st)
        st = upkeep_begin(&beside, &s->upkeep, err);
    if (!st) {
        notify_say("READY=1");
        st = http_run(s->http, err);
    }
    lodge_stop(s->lodge);
    scribe_end(s->scribe);
    s->scribe = NULL;
    upkeep_end(s->upkeep);
    s->upkeep = NULL;
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

quire_status service_reload(struct service *s, quire_error *err)
{
    /* The certificate first: if that fails, the settings are as they were. */
    quire_status st = http_reload(s->http, err);

    return st ? st : service_read_settings(s, err);
}

void service_stop(struct service *s, bool now)
{
    atomic_store(&s->draining, true);
    http_drain(s->http, now ? 0 : DRAIN_MS);
    steward_wake(s->steward);
}

void service_ask_reload(struct service *s)
{
    steward_reload(s->steward);
}

void service_close(struct service *s)
{
    struct desk *d, *next;
    struct rules *r, *before;

    if (!s)
        return;
    steward_end(s->steward);
    http_close(s->http);
    lodge_free(s->lodge);
    log_close(s->log);
    for (r = atomic_load(&s->rules); r; r = before) {
        before = r->before;
        free(r);
    }
    rate_free(s->tenants);
    rate_free(s->logins);
    events_free(s->events);
    for (d = s->desks; d; d = next) {
        next = d->next;
        desk_free(d);
    }
    pthread_mutex_destroy(&s->lock);
    free(s->home);
    free(s->spool);
    free(s);
}
