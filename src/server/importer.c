/* importer.c - see importer.h */
#include "server/importer.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/parallel.h"
#include "import/find.h"
#include "import/run.h"
#include "import/watch.h"
#include "server/events.h"
#include "server/indexer.h"
#include "server/server.h"

/* Problems that are kept; all are counted. Interval of events. */
enum { REPORTS_MAX = 50, EVENT_EVERY_MS = 250 };

struct report {
    char *path, *message; /* owned */
    uint64_t line, byte;
};

/* Of the import that runs, or of the last one. */
struct progress {
    bool running;
    uint64_t done, total; /* files */
    struct import_summary sum;
    int64_t started_us, ended_us; /* 0: not yet */
    char error[400];              /* "": none   */
    struct report reports[REPORTS_MAX];
    size_t n_reports;
};

struct importer {
    const quire_options *store; /* borrowed */
    struct events *events;      /* borrowed, as the next two */
    struct indexer *indexer;
    const atomic_bool *draining;

    pthread_mutex_t lock; /* of all up to `state` */
    pthread_t thread;
    int wake; /* owned: an eventfd that the thread waits for */
    bool running, started, ending;
    bool wanted;  /* an import is to begin      */
    bool watches; /* agents are to be watched   */
    const struct import_agent *agents[IMPORT_AGENTS_MAX + 1];
    struct progress state;

    /* Of the thread. */
    struct import_watch *watch; /* owned; NULL: none                     */
    bool quiet;                 /* no client has begun what is imported  */
    quire *q;
    struct import_summary sum;
    atomic_ullong secrets; /* found; several threads import */
    int64_t published_ms;
};

/* ---- progress ----------------------------------------------------------- */

/* An import without a client has no progress: what it did is all there is. */
static void publish(struct importer *m, enum event_kind kind)
{
    uint64_t n = m->sum.imported + m->sum.unchanged;
    struct buf data = BUF_INIT(4096);
    struct event event = {.tenant = TENANT_DEFAULT, .kind = kind};
    struct json_writer w;

    json_begin(&w, &data);
    json_object(&w);
    json_put_uint(&w, "done", m->quiet ? n : m->state.done);
    json_put_uint(&w, "total", m->quiet ? n : m->state.total);
    json_put_uint(&w, "imported", m->sum.imported);
    json_put_uint(&w, "unchanged", m->sum.unchanged);
    json_put_uint(&w, "problems", m->sum.problems);
    json_object_end(&w);
    event.data = buf_bytes(&data);
    if (!data.failed)
        events_publish(m->events, &event);
    buf_release(&data);
    m->published_ms = clock_steady_us() / 1000;
}

static void note_sum(struct importer *m)
{
    if (m->quiet)
        return;
    pthread_mutex_lock(&m->lock);
    m->state.sum = m->sum;
    pthread_mutex_unlock(&m->lock);
    if (clock_steady_us() / 1000 - m->published_ms >= EVENT_EVERY_MS)
        publish(m, EVENT_IMPORT_PROGRESS);
}

static quire_status on_line(void *ctx, const struct import_line *line,
                            quire_error *err)
{
    (void)line;
    (void)err;
    note_sum(ctx);
    return QUIRE_OK;
}

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct importer *m = ctx;

    if (m->quiet)
        return;
    pthread_mutex_lock(&m->lock);
    m->state.done = done;
    m->state.total = total;
    pthread_mutex_unlock(&m->lock);
    note_sum(m);
}

static void on_problem(void *ctx, const char *path, uint64_t line,
                       uint64_t byte, const char *message)
{
    struct importer *m = ctx;
    struct report *r;

    if (m->quiet)
        return;
    pthread_mutex_lock(&m->lock);
    if (m->state.n_reports < REPORTS_MAX) {
        r = &m->state.reports[m->state.n_reports];
        *r = (struct report){strdup(path), strdup(message), line, byte};
        m->state.n_reports += r->path && r->message;
        if (!r->path || !r->message) {
            free(r->path);
            free(r->message);
        }
    }
    pthread_mutex_unlock(&m->lock);
}

static void drop_reports(struct importer *m)
{
    size_t i;

    for (i = 0; i < m->state.n_reports; i++) {
        free(m->state.reports[i].path);
        free(m->state.reports[i].message);
    }
    m->state.n_reports = 0;
}

static void put_time(struct json_writer *w, const char *key, int64_t us)
{
    if (us)
        json_put_int(w, key, us / 1000000);
    else
        json_put_null(w, key);
}

static void put_report(struct json_writer *w, const struct report *r)
{
    json_object(w);
    json_put_str(w, "path", r->path);
    json_put_uint(w, "line", r->line);
    json_put_uint(w, "byte", r->byte);
    json_put_str(w, "message", r->message);
    json_object_end(w);
}

void importer_describe(struct importer *m, struct json_writer *w)
{
    const struct progress *p = &m->state;
    size_t i;

    pthread_mutex_lock(&m->lock);
    json_put_bool(w, "running", p->running);
    json_put_bool(w, "watching", m->watches);
    json_key(w, "agents");
    json_array(w);
    for (i = 0; m->agents[i]; i++)
        json_str(w, m->agents[i]->name);
    json_array_end(w);
    json_put_uint(w, "done", p->done);
    json_put_uint(w, "total", p->total);
    json_put_uint(w, "found", p->sum.found);
    json_put_uint(w, "imported", p->sum.imported);
    json_put_uint(w, "unchanged", p->sum.unchanged);
    json_put_uint(w, "problems", p->sum.problems);
    json_put_uint(w, "bytes", p->sum.bytes);
    json_put_uint(w, "secrets", atomic_load(&m->secrets));
    json_key(w, "reports");
    json_array(w);
    for (i = 0; i < p->n_reports; i++)
        put_report(w, &p->reports[i]);
    json_array_end(w);
    if (*p->error)
        json_put_str(w, "error", p->error);
    else
        json_put_null(w, "error");
    put_time(w, "started_at", p->started_us);
    put_time(w, "ended_at", p->ended_us);
    pthread_mutex_unlock(&m->lock);
}

/* ---- an import ---------------------------------------------------------- */

static void count_secret(void *ctx, const quire_secret *secret)
{
    struct importer *m = ctx;

    (void)secret;
    atomic_fetch_add(&m->secrets, 1);
}

static quire_status open_home(struct importer *m, quire *peer, quire **out,
                              quire_error *err)
{
    quire_options o = *m->store;
    quire_status st;

    if (peer)
        o.peer = peer;
    st = quire_open(&o, out, err);
    if (!st)
        quire_on_secret(*out, count_secret, m);
    return st;
}

static quire_status open_another(void *ctx, quire **out, quire_error *err)
{
    struct importer *m = ctx;

    return open_home(m, m->q, out, err);
}

static bool is_stopped(void *ctx)
{
    const struct importer *m = ctx;

    return atomic_load(m->draining);
}

/* Find what these agents have, and import it. Only the thread changes m->agents. */
static quire_status import_from(struct importer *m,
                                const struct import_agent *const *agents,
                                quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};
    struct import_run run = {.line = on_line,
                             .problem = on_problem,
                             .progress = on_progress,
                             .open = open_another,
                             .is_stopped = is_stopped,
                             .ctx = m};
    quire_status st = open_home(m, NULL, &m->q, err);

    run.q = m->q;
    m->sum = (struct import_summary){.found = 0};
    atomic_store(&m->secrets, 0);
    if (!st)
        st = import_find_default(&places, agents, err);
    if (!st && m->watch)
        st = import_watch_add(m->watch, &places, err);
    if (!st)
        on_progress(m, 0, places.n);
    if (!st)
        st = import_run(&run, &places, &m->sum, err);
    quire_close(m->q);
    m->q = NULL;
    arena_release(&keep);
    indexer_note(m->indexer, TENANT_DEFAULT);
    return st;
}

/* The import that a client has begun. */
static void run_import(struct importer *m)
{
    quire_error err = {0};
    quire_status st;

    m->quiet = false;
    publish(m, EVENT_IMPORT_PROGRESS);
    st = import_from(m, m->agents, &err);
    pthread_mutex_lock(&m->lock);
    m->state.running = false;
    m->state.sum = m->sum;
    m->state.ended_us = clock_us(&clock_system);
    if (st)
        snprintf(m->state.error, sizeof m->state.error, "%s", err.what);
    pthread_mutex_unlock(&m->lock);
    publish(m, EVENT_IMPORT_ENDED);
}

/* ---- the thread --------------------------------------------------------- */

/* What agents have written, without a client that waits for it. */
static quire_status import_changed(struct importer *m,
                                   const struct import_agent *const *agents,
                                   quire_error *err)
{
    quire_status st;

    m->quiet = true;
    st = import_from(m, agents, err);
    if (m->sum.imported)
        publish(m, EVENT_IMPORT_ENDED);
    return st;
}

static void end_watch(struct importer *m)
{
    import_watch_close(m->watch);
    m->watch = NULL;
}

/* It is tried again with the next reload of the settings. */
static void fail_watch(struct importer *m, const quire_error *why)
{
    end_watch(m);
    pthread_mutex_lock(&m->lock);
    m->watches = false;
    snprintf(m->state.error, sizeof m->state.error, "%s", why->what);
    pthread_mutex_unlock(&m->lock);
}

/* Watch, or end that. */
static void switch_watch(struct importer *m, bool on)
{
    quire_error err = {0};

    if (!on)
        end_watch(m);
    if (!on || m->watch)
        return;
    if (import_watch_open(&m->watch, &err))
        fail_watch(m, &err);
    else
        import_changed(m, import_agents, NULL);
}

/* Until something is asked for, or agents have written. */
static void wait_next(struct importer *m)
{
    const struct import_agent *changed[IMPORT_AGENTS_MAX + 1];
    struct pollfd p = {.fd = m->wake, .events = POLLIN};
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    uint64_t n;

    if (!m->watch)
        poll(&p, 1, -1);
    else
        st = import_watch_wait(m->watch, m->wake, changed, &err);
    if (m->watch && !st)
        import_changed(m, changed, NULL);
    else if (st && st != QUIRE_STOPPED)
        fail_watch(m, &err);
    if (read(m->wake, &n, sizeof n) < 0)
        return; /* it was not woken */
}

static void *run_thread(void *arg)
{
    struct importer *m = arg;
    bool wanted, watches, ending = false;

    while (!ending) {
        pthread_mutex_lock(&m->lock);
        wanted = m->wanted;
        watches = m->watches;
        ending = m->ending;
        m->wanted = false;
        pthread_mutex_unlock(&m->lock);
        if (ending)
            continue;
        switch_watch(m, watches);
        if (wanted)
            run_import(m);
        wait_next(m);
    }
    return NULL;
}

static void wake(struct importer *m)
{
    uint64_t one = 1;

    if (write(m->wake, &one, sizeof one) < 0)
        return; /* it is awake */
}

/* The caller holds the lock. */
static quire_status start_thread(struct importer *m, quire_error *err)
{
    if (!m->started && !parallel_thread_start(&m->thread, run_thread, m))
        return err_set(err, QUIRE_IO, "cannot start a thread");
    m->started = true;
    wake(m);
    return QUIRE_OK;
}

/* The caller holds the lock. */
static quire_status begin(struct importer *m,
                          const struct import_agent *const *agents,
                          quire_error *err)
{
    size_t n = 0;
    quire_status st;

    if (m->state.running)
        return err_set(err, QUIRE_BUSY, "an import is running");
    st = start_thread(m, err);
    if (st)
        return st;
    drop_reports(m);
    m->state = (struct progress){.running = true,
                                 .started_us = clock_us(&clock_system)};
    for (; agents[n]; n++)
        m->agents[n] = agents[n];
    m->agents[n] = NULL;
    m->wanted = true;
    return QUIRE_OK;
}

quire_status importer_start(struct importer *m,
                            const struct import_agent *const *agents,
                            quire_error *err)
{
    quire_status st;

    pthread_mutex_lock(&m->lock);
    st = begin(m, agents, err);
    pthread_mutex_unlock(&m->lock);
    return st;
}

/* A server that is not running yet has no thread. The caller holds the lock. */
static quire_status apply_watch(struct importer *m, quire_error *err)
{
    if (!m->running || m->ending || (!m->watches && !m->started))
        return QUIRE_OK;
    return start_thread(m, err);
}

quire_status importer_watch(struct importer *m, bool on, quire_error *err)
{
    quire_status st;

    pthread_mutex_lock(&m->lock);
    m->watches = on;
    st = apply_watch(m, err);
    pthread_mutex_unlock(&m->lock);
    return st;
}

/* ---- begin, end --------------------------------------------------------- */

quire_status importer_new(const quire_options *store, struct events *events,
                          const atomic_bool *draining, struct importer **out,
                          quire_error *err)
{
    struct importer *m = calloc(1, sizeof *m);

    *out = NULL;
    if (!m)
        return err_memory(err);
    m->events = events;
    m->draining = draining;
    m->store = store;
    m->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    pthread_mutex_init(&m->lock, NULL);
    if (m->wake < 0) {
        importer_free(m);
        return err_set(err, QUIRE_IO, "cannot prepare imports");
    }
    *out = m;
    return QUIRE_OK;
}

quire_status importer_begin(struct importer *m, struct indexer *indexer,
                            quire_error *err)
{
    quire_status st;

    pthread_mutex_lock(&m->lock);
    m->indexer = indexer;
    m->running = true;
    st = apply_watch(m, err);
    pthread_mutex_unlock(&m->lock);
    return st;
}

void importer_end(struct importer *m)
{
    pthread_mutex_lock(&m->lock);
    m->ending = true;
    wake(m);
    pthread_mutex_unlock(&m->lock);
    if (m->started)
        pthread_join(m->thread, NULL);
    m->started = false;
}

void importer_free(struct importer *m)
{
    if (!m)
        return;
    import_watch_close(m->watch);
    drop_reports(m);
    pthread_mutex_destroy(&m->lock);
    if (m->wake >= 0)
        close(m->wake);
    free(m);
}
