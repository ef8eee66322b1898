/* background.c - see background.h */
#include "server/background.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "server/events.h"
#include "server/mcp/registry.h"

/* Intervals: watches, the list of tenants, the check whether gc is due. */
enum { STEP_MS = 200, TENANTS_EVERY_MS = 5000, COLLECT_EVERY_MS = 60000 };

/* Interval of counting the store: at least so long, and a hundred times as long as
 * the last count took, which bounds it to 1 % of a processor. */
enum { COUNT_EVERY_MS = 15000, COUNT_SHARE = 100 };

/* Workspaces of so many tenants are watched; others are synchronised when used. */
enum { WATCHED_MAX = 256 };

/* Tenants with subscribers whose session files are watched, too. The watches are those
 * of searches, which are few. */
enum { LIVE_MAX = 4 };

/* Interval of `changed` events: when another process certainly changed something,
 * and when it may have been the server itself. */
enum { SURE_EVERY_MS = 1000, DOUBT_EVERY_MS = 60000 };
enum foreign { FOREIGN_NONE, FOREIGN_MAYBE, FOREIGN_CERTAIN };

/* Sessions that a `changed` names, each with an event of its own. */
enum { CHANGED_MAX = 4 };

struct watched {
    int64_t tenant;
    quire *q;
    quire_watch *watch;
    bool listed; /* in the last list of tenants                           */
    uint64_t sessions; /* quire_session_changes(), last; 0: not known */

    /* Sessions that have changed since `changed` was published. */
    char changed[CHANGED_MAX][64];
    size_t n_changed;
    bool more_changed; /* others may have */
};

/* What was counted at the last step. */
struct pause {
    uint64_t begun;
    bool quiet; /* all of them were done */
};

struct background {
    struct background_config c;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t asked;
    bool ending;
    bool wanted;                 /* a scrape asked for counts        */
    struct metrics_state report; /* for background_report() */
    quire *q;
    struct watched list[WATCHED_MAX];
    size_t n;

    int64_t audited; /* id of the last audit entry seen          */
    int64_t version; /* of the database, as seen last            */
    struct pause requests, writes;
    bool worked;          /* something was changed here since         */
    enum foreign foreign; /* whether another process changed anything */
    int64_t published_ms; /* when `changed` was published last    */
    bool rows_changed;    /* quire.db, since then                     */
};

/* Wait for a step; true: shutdown. */
static bool wait_step(struct background *u)
{
    struct timespec until;
    bool ending;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += STEP_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&u->lock);
    if (!u->ending)
        pthread_cond_timedwait(&u->asked, &u->lock, &until);
    ending = u->ending;
    pthread_mutex_unlock(&u->lock);
    return ending;
}

/* ---- watches ------------------------------------------------------------ */

static void close_watch(struct watched *w)
{
    quire_watch_close(w->watch);
    quire_close(w->q);
    *w = (struct watched){.tenant = 0};
}

static void begin_watch(struct background *u, int64_t tenant)
{
    struct watched *w = &u->list[u->n];
    quire_options o = *u->c.store;
    char which[32];

    snprintf(which, sizeof which, "#%lld", (long long)tenant);
    o.tenant = which;
    o.search_watch = u->c.search_watch;
    *w = (struct watched){.tenant = tenant, .listed = true};
    u->worked = true;
    if (quire_open(&o, &w->q, NULL) ||
        quire_watch_open(w->q, NULL, &w->watch, NULL))
        close_watch(w);
    else
        u->n++;
}

static quire_status update_tenant(void *ctx, const quire_tenant *t,
                                  quire_error *err)
{
    struct background *u = ctx;
    size_t i;

    (void)err;
    for (i = 0; i < u->n; i++)
        if (u->list[i].tenant == t->id) {
            u->list[i].listed = !t->disabled;
            return QUIRE_OK;
        }
    if (u->n < WATCHED_MAX && u->n < u->c.watched_max && !t->disabled)
        begin_watch(u, t->id);
    return QUIRE_OK;
}

/* ---- tenants that another process changes -------------------------------- */

struct reading {
    struct background *u;
    int64_t newest;
    bool first; /* entries before the start do not count */
};

/* Whether a change of the catalogue takes a token its rights away. */
static bool revokes(const char *action)
{
    static const char *const actions[] = {"tenant.rotate", "tenant.disable",
                                          "tenant.remove", "token.remove"};
    size_t i;

    for (i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(action, actions[i]))
            return true;
    return false;
}

static quire_status handle_change(void *ctx, const quire_audit *change,
                                  quire_error *err)
{
    struct reading *r = ctx;

    (void)err;
    if (change->id > r->newest)
        r->newest = change->id;
    if (change->id <= r->u->audited || r->first)
        return QUIRE_NOT_FOUND; /* ends the list */
    if (change->tenant && revokes(change->action)) {
        events_end_tenant(r->u->c.events, change->tenant);
        mcp_registry_end_tenant(r->u->c.mcp_registry, change->tenant);
    }
    return QUIRE_OK;
}

/* Once after each change of the catalogue, at most once a step. */
static void read_audit_log(struct background *u)
{
    struct reading r = {.u = u, .newest = u->audited, .first = u->audited < 0};

    quire_audit_list(u->q, 0, 0, handle_change, &r, NULL);
    u->audited = r.newest < 0 ? 0 : r.newest;
}

/* Watch new tenants, close the watches of removed ones. */
static void update_tenants(struct background *u)
{
    size_t i, n = 0;

    for (i = 0; i < u->n; i++)
        u->list[i].listed = false;
    if (quire_tenant_list(u->q, update_tenant, u, NULL))
        return;
    for (i = 0; i < u->n; i++) {
        if (u->list[i].listed)
            u->list[n++] = u->list[i];
        else
            close_watch(&u->list[i]);
    }
    u->n = n;
}

/* A change of a file. It is published after the callback, when the handle is free
 * for the look-ups it needs. */
struct finding {
    const char *session, *path; /* in `keep` */
    bool taken;
    struct finding *next;
};

struct findings {
    struct arena keep;
    struct finding *first, **end;
};

static void add_finding(void *ctx, const char *session, const char *what,
                        const char *path, const char *why)
{
    struct findings *all = ctx;
    bool taken = !strcmp(what, "taken");
    struct finding *f;

    (void)why;
    if (!taken && strcmp(what, "dropped") != 0)
        return;
    f = arena_array(&all->keep, 1, sizeof *f);
    if (!f)
        return;
    f->session = arena_text(&all->keep, bytes_str(session));
    f->path = arena_text(&all->keep, bytes_str(path));
    f->taken = taken;
    if (!f->session || !f->path)
        return;
    *all->end = f;
    all->end = &f->next;
}

static void format_event(struct buf *out, struct watched *w,
                         const struct finding *f, int64_t conversation)
{
    quire_artifact a;
    struct json_writer j;

    json_begin(&j, out);
    json_object(&j);
    if (conversation) {
        json_put_int(&j, "conversation_id", conversation);
    }
    if (f->taken &&
        !quire_artifact_stat(w->q, f->session, f->path, NULL, &a, NULL)) {
        json_put_int(&j, "id", a.id);
        json_put_int(&j, "version", a.version);
    }
    json_put_str(&j, "path", f->path);
    json_object_end(&j);
}

static void publish_finding(struct background *u, struct watched *w,
                            const struct finding *f)
{
    struct event event = {.tenant = w->tenant,
                          .kind = f->taken ? EVENT_ARTIFACT_WRITTEN
                                           : EVENT_ARTIFACT_REMOVED};
    struct buf data = BUF_INIT(16 * 1024);
    quire_session_row row;

    if (!quire_session_row_of(w->q, f->session, &row, NULL))
        event.conversation = row.number;
    format_event(&data, w, f, event.conversation);
    event.data = buf_bytes(&data);
    if (!data.failed)
        events_publish(u->c.events, &event);
    buf_release(&data);
}

static void sync_workspaces(struct background *u)
{
    struct findings all = {.keep = ARENA_INIT};
    int64_t before = quire_changes(u->q);
    const struct finding *f;
    size_t i;

    for (i = 0; i < u->n; i++) {
        all.first = NULL;
        all.end = &all.first;
        quire_watch_next(u->list[i].watch, 0, add_finding, &all, NULL);
        for (f = all.first; f; f = f->next)
            publish_finding(u, &u->list[i], f);
        arena_reset(&all.keep);
    }
    /* Recording that a file equals its artifact writes without a finding. */
    u->worked |= quire_changes(u->q) != before;
    arena_release(&all.keep);
}

/* ---- other processes--------------------------------------------------------- */

static void note_changed(void *ctx, const char *id)
{
    struct watched *w = ctx;
    size_t i;

    for (i = 0; i < w->n_changed && strcmp(w->changed[i], id) != 0;)
        i++;
    if (i < w->n_changed)
        return;
    if (i == CHANGED_MAX || strlen(id) >= sizeof w->changed[0]) {
        w->more_changed = true;
        return;
    }
    strcpy(w->changed[i], id);
    w->n_changed++;
}

/* Whether a session file of a tenant that has subscribers has changed. */
static bool detect_appends(struct background *u)
{
    size_t i, n = 0;
    bool changed = false;

    for (i = 0; i < u->n; i++) {
        struct watched *w = &u->list[i];
        uint64_t before = w->sessions;

        w->sessions = 0;
        if (n == LIVE_MAX || !events_has_subscribers(u->c.events, w->tenant))
            continue;
        n++;
        w->sessions = quire_session_changes(w->q);
        if (before == w->sessions)
            continue;
        w->more_changed |= !quire_session_changed(w->q, note_changed, w);
        if (!before) { /* from here on they are known */
            w->n_changed = 0;
            w->more_changed = false;
        }
        changed |= before && w->sessions && before != w->sessions;
    }
    return changed;
}

static struct pause read_pause(const struct request_count *n)
{
    uint64_t done = atomic_load(&n->done), begun = atomic_load(&n->begun);

    return (struct pause){begun, done == begun};
}

/* Whether none has run since the last step. */
static bool is_pause(const struct pause *last, const struct request_count *n)
{
    return last->quiet && atomic_load(&n->begun) == last->begun;
}

/* One event for each session, where nothing else has changed. */
static void publish_sessions(struct background *u, const struct watched *w)
{
    size_t i;

    for (i = 0; i < w->n_changed; i++) {
        struct buf data = BUF_INIT(1024);
        struct event event = {.tenant = w->tenant, .kind = EVENT_CHANGED};
        struct json_writer j;

        json_begin(&j, &data);
        json_object(&j);
        json_put_str(&j, "session", w->changed[i]);
        json_object_end(&j);
        event.data = buf_bytes(&data);
        if (!data.failed)
            events_publish(u->c.events, &event);
        buf_release(&data);
    }
}

static void publish_changed(struct background *u)
{
    bool named = !u->rows_changed;
    size_t i;

    for (i = 0; i < u->n; i++)
        named &= !u->list[i].more_changed;
    if (!named)
        events_publish_all(u->c.events, EVENT_CHANGED);
    for (i = 0; i < u->n; i++) {
        if (named)
            publish_sessions(u, &u->list[i]);
        u->list[i].n_changed = 0;
        u->list[i].more_changed = false;
    }
    u->rows_changed = false;
}

/* Other processes may write to the home. A change can be seen, not its author. If
 * no request ran here meanwhile, it was another process; otherwise it may have
 * been, and `changed` is published rarely. */
static void detect_foreign_writes(struct background *u, int64_t now)
{
    struct pause requests = read_pause(u->c.requests),
                 writes = read_pause(u->c.writes);
    int64_t version = quire_changes(u->q);
    bool appended = detect_appends(u);
    bool alone = !u->worked && is_pause(&u->requests, u->c.requests);

    if (!version || version != u->version)
        read_audit_log(u);
    u->rows_changed |= u->version && version && version != u->version;
    if (u->version && version && version != u->version)
        u->foreign = alone || u->foreign == FOREIGN_CERTAIN ? FOREIGN_CERTAIN
                                                            : FOREIGN_MAYBE;
    if (appended && !u->worked && is_pause(&u->writes, u->c.writes))
        u->foreign = FOREIGN_CERTAIN;
    else if (appended && u->foreign == FOREIGN_NONE)
        u->foreign = FOREIGN_MAYBE;
    u->version = version;
    u->requests = requests;
    u->writes = writes;
    u->worked = false;
    if (u->foreign == FOREIGN_NONE ||
        now - u->published_ms <
            (u->foreign == FOREIGN_CERTAIN ? SURE_EVERY_MS : DOUBT_EVERY_MS))
        return;
    publish_changed(u);
    u->foreign = FOREIGN_NONE;
    u->published_ms = now;
}

/* ---- the thread --------------------------------------------------------- */

static void collect_garbage(struct background *u)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report;
    quire_retain_options retain = QUIRE_RETAIN_OPTIONS_INIT;
    struct metrics_state *sum = &u->report;
    quire_status st;
    size_t i;

    retain.apply = 1;
    if (!quire_collect_due(u->q))
        return;
    for (i = 0; i < u->n; i++)
        quire_retain(u->list[i].q, &retain, NULL, NULL);
    st = quire_collect(u->q, &o, &report, NULL);
    u->worked = true;
    pthread_mutex_lock(&u->lock);
    sum->collections += !st;
    sum->collections_failed += st != QUIRE_OK;
    if (!st) {
        sum->last_freed_bytes = report.bytes_freed;
        sum->freed_bytes += report.bytes_freed;
        sum->collected_us = clock_us(&clock_system);
    }
    pthread_mutex_unlock(&u->lock);
}

/* Count the store if a scrape asked for it. Returns when the next count may be. */
static int64_t count_store(struct background *u, int64_t now)
{
    quire_stats stats = {.size = sizeof stats};
    quire_status st;
    bool wanted;
    int64_t took;

    pthread_mutex_lock(&u->lock);
    wanted = u->wanted;
    u->wanted = false;
    pthread_mutex_unlock(&u->lock);
    if (!wanted)
        return now;
    st = quire_stats_read(u->q, &stats, NULL, NULL, NULL);
    took = clock_steady_us() / 1000 - now;
    pthread_mutex_lock(&u->lock);
    if (!st) {
        u->report.stats = stats;
        u->report.counted_us = clock_us(&clock_system);
    }
    pthread_mutex_unlock(&u->lock);
    return now + COUNT_EVERY_MS + took * COUNT_SHARE;
}

void background_report(struct background *u, struct metrics_state *state)
{
    pthread_mutex_lock(&u->lock);
    u->wanted = true;
    state->counted_us = u->report.counted_us;
    state->stats = u->report.stats;
    state->collections = u->report.collections;
    state->collections_failed = u->report.collections_failed;
    state->freed_bytes = u->report.freed_bytes;
    state->collected_us = u->report.collected_us;
    state->last_freed_bytes = u->report.last_freed_bytes;
    pthread_mutex_unlock(&u->lock);
}

static void *run_background(void *arg)
{
    struct background *u = arg;
    int64_t looked = INT64_MIN / 2, collected = clock_steady_us() / 1000,
            counts = collected;

    u->published_ms = collected;

    do {
        int64_t now = clock_steady_us() / 1000;

        if (now - looked >= TENANTS_EVERY_MS) {
            looked = now;
            update_tenants(u);
        }
        if (now - collected >= COLLECT_EVERY_MS) {
            collected = now;
            collect_garbage(u);
        }
        if (now >= counts)
            counts = count_store(u, now);
        sync_workspaces(u);
        detect_foreign_writes(u, now);
    } while (!wait_step(u));
    return NULL;
}

quire_status background_begin(const struct background_config *config,
                              struct background **out, quire_error *err)
{
    pthread_condattr_t steady;
    struct background *u = calloc(1, sizeof *u);
    quire_options o = *config->store;
    quire_status st;
    int why;

    *out = NULL;
    if (!u)
        return err_memory(err);
    pthread_mutex_init(&u->lock, NULL);
    u->audited = -1;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&u->asked, &steady);
    pthread_condattr_destroy(&steady);
    u->c = *config;
    o.tenant = "default";
    st = quire_open(&o, &u->q, err);
    why = st ? 0 : pthread_create(&u->thread, NULL, run_background, u);
    if (why)
        st = err_sys(err, why, "cannot start a thread");
    if (!st) {
        *out = u;
        return QUIRE_OK;
    }
    quire_close(u->q);
    free(u);
    return st;
}

void background_end(struct background *u)
{
    size_t i;

    if (!u)
        return;
    pthread_mutex_lock(&u->lock);
    u->ending = true;
    pthread_cond_broadcast(&u->asked);
    pthread_mutex_unlock(&u->lock);
    pthread_join(u->thread, NULL);
    for (i = 0; i < u->n; i++)
        close_watch(&u->list[i]);
    quire_close(u->q);
    pthread_mutex_destroy(&u->lock);
    pthread_cond_destroy(&u->asked);
    free(u);
}
