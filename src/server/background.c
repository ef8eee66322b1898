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

/* Between two looks at the watches; between two at who there is; between two
 * questions whether a collection is due. */
enum { STEP_MS = 200, TENANTS_EVERY_MS = 5000, COLLECT_EVERY_MS = 60000 };

/* Between two counts of what there is: so long, and a hundred times as long as
 * the last one took, so that it takes a hundredth of a processor. */
enum { COUNT_EVERY_MS = 15000, COUNT_SHARE = 100 };

/* So many tenants' workspaces are watched; those of others are looked at when
 * they are used. */
enum { WATCHED_MAX = 256 };

/* Between two notices that another process has changed something: when it is
 * sure, and when it may have been the server itself. */
enum { SURE_EVERY_MS = 1000, DOUBT_EVERY_MS = 60000 };
enum doubt { NO_DOUBT, MAYBE, SURELY };

struct watched {
    int64_t tenant;
    quire *q;
    quire_watch *watch;
    bool there; /* in the last list of tenants */
};

struct background {
    char *home; /* owned */
    struct background_config c;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t asked;
    bool ending;
    bool wanted;               /* somebody asked how much there is */
    struct metrics_state told; /* of it, what background_report() tells */
    quire *q;
    struct watched list[WATCHED_MAX];
    size_t n;

    int64_t seen;     /* the last change of a tenant or a setting */
    int64_t version;  /* of the database, as seen last            */
    uint64_t begun;   /* calls, just before                       */
    bool still;       /* none of them was under way               */
    bool worked;      /* something was changed here since         */
    enum doubt doubt; /* whether another process changed anything */
    int64_t told_ms;  /* when that was told                       */
};

/* Wait for a step; true: it is to end. */
static bool rest(struct background *u)
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

static void drop(struct watched *w)
{
    quire_watch_close(w->watch);
    quire_close(w->q);
    *w = (struct watched){.tenant = 0};
}

static void begin_watch(struct background *u, int64_t tenant)
{
    struct watched *w = &u->list[u->n];
    quire_options o = QUIRE_OPTIONS_INIT;
    char which[32];

    snprintf(which, sizeof which, "#%lld", (long long)tenant);
    o.home = u->home;
    o.tenant = which;
    *w = (struct watched){.tenant = tenant, .there = true};
    u->worked = true;
    if (quire_open(&o, &w->q, NULL) ||
        quire_watch_open(w->q, NULL, &w->watch, NULL))
        drop(w);
    else
        u->n++;
}

static quire_status see_tenant(void *ctx, const quire_tenant *t,
                               quire_error *err)
{
    struct background *u = ctx;
    size_t i;

    (void)err;
    for (i = 0; i < u->n; i++)
        if (u->list[i].tenant == t->id) {
            u->list[i].there = !t->disabled;
            return QUIRE_OK;
        }
    if (u->n < WATCHED_MAX && !t->disabled)
        begin_watch(u, t->id);
    return QUIRE_OK;
}

/* ---- tenants that another process changes -------------------------------- */

struct reading {
    struct background *u;
    int64_t newest;
    bool first; /* what was before us is nobody's concern */
};

static quire_status see_change(void *ctx, const quire_audit *change,
                               quire_error *err)
{
    struct reading *r = ctx;

    (void)err;
    if (change->id > r->newest)
        r->newest = change->id;
    if (change->id <= r->u->seen || r->first)
        return QUIRE_NOT_FOUND; /* as far as it goes */
    /* Its token may be somebody else's by now, or of nobody. */
    if (change->tenant && strcmp(change->action, "tenant.add") != 0)
        events_shut_out(r->u->c.events, change->tenant);
    return QUIRE_OK;
}

static void read_journal(struct background *u)
{
    struct reading r = {.u = u, .newest = u->seen, .first = u->seen < 0};

    quire_audit_list(u->q, 0, 0, see_change, &r, NULL);
    u->seen = r.newest < 0 ? 0 : r.newest;
}

/* Who there is, and who has gone. */
static void look_around(struct background *u)
{
    size_t i, n = 0;

    for (i = 0; i < u->n; i++)
        u->list[i].there = false;
    if (quire_tenant_list(u->q, see_tenant, u, NULL))
        return;
    for (i = 0; i < u->n; i++) {
        if (u->list[i].there)
            u->list[n++] = u->list[i];
        else
            drop(&u->list[i]);
    }
    u->n = n;
    read_journal(u);
}

/* What was found to have happened to a file. It is told when the handle is free
 * again, since there is more to be asked. */
struct finding {
    const char *session, *path; /* in `keep` */
    bool taken;
    struct finding *next;
};

struct findings {
    struct arena keep;
    struct finding *first, **end;
};

static void note(void *ctx, const char *session, const char *what,
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

static void spell(struct buf *out, struct watched *w, const struct finding *f,
                  int64_t conversation)
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

static void tell(struct background *u, struct watched *w,
                 const struct finding *f)
{
    struct event event = {.tenant = w->tenant,
                          .kind = f->taken ? EVENT_ARTIFACT_WRITTEN
                                           : EVENT_ARTIFACT_REMOVED};
    struct buf data = BUF_INIT(16 * 1024);
    quire_session_row row;

    if (!quire_session_row_of(w->q, f->session, &row, NULL))
        event.conversation = row.number;
    spell(&data, w, f, event.conversation);
    event.data = buf_bytes(&data);
    if (!data.failed)
        events_publish(u->c.events, &event);
    buf_release(&data);
}

static void keep_in_step(struct background *u)
{
    struct findings all = {.keep = ARENA_INIT};
    int64_t before = quire_changes(u->q);
    const struct finding *f;
    size_t i;

    for (i = 0; i < u->n; i++) {
        all.first = NULL;
        all.end = &all.first;
        quire_watch_next(u->list[i].watch, 0, note, &all, NULL);
        u->worked |= quire_artifact_index(u->list[i].q);
        for (f = all.first; f; f = f->next)
            tell(u, &u->list[i], f);
        arena_reset(&all.keep);
    }
    /* That a file and its artifact agree is noted without a word, too. */
    u->worked |= quire_changes(u->q) != before;
    arena_release(&all.keep);
}

/* ---- others ------------------------------------------------------------- */

/* Other processes may work in the home. That somebody has changed something can
 * be seen, not who. When nothing was under way here meanwhile it was another;
 * when something was it may have been, and that is told once in a while only. */
static void look_for_others(struct background *u, int64_t now)
{
    uint64_t done = atomic_load(u->c.done), begun = atomic_load(u->c.begun);
    int64_t version = quire_changes(u->q);
    bool alone = u->still && atomic_load(u->c.begun) == u->begun && !u->worked;

    if (u->version && version && version != u->version)
        u->doubt = alone || u->doubt == SURELY ? SURELY : MAYBE;
    u->version = version;
    u->begun = begun;
    u->still = done == begun;
    u->worked = false;
    if (u->doubt == NO_DOUBT ||
        now - u->told_ms <
            (u->doubt == SURELY ? SURE_EVERY_MS : DOUBT_EVERY_MS))
        return;
    events_publish_all(u->c.events, EVENT_CHANGED);
    u->doubt = NO_DOUBT;
    u->told_ms = now;
}

/* ---- the thread --------------------------------------------------------- */

static void collect(struct background *u)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report;

    struct metrics_state *told = &u->told;
    quire_status st;

    if (!quire_collect_due(u->q))
        return;
    st = quire_collect(u->q, &o, &report, NULL);
    u->worked = true;
    pthread_mutex_lock(&u->lock);
    told->collections += !st;
    told->collections_failed += st != QUIRE_OK;
    if (!st) {
        told->last_freed_bytes = report.bytes_freed;
        told->freed_bytes += report.bytes_freed;
        told->collected_us = clock_us(&clock_system);
    }
    pthread_mutex_unlock(&u->lock);
}

/* Count what there is, if somebody wants to know. When the next count may be. */
static int64_t count(struct background *u, int64_t now)
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
        u->told.stats = stats;
        u->told.counted_us = clock_us(&clock_system);
    }
    pthread_mutex_unlock(&u->lock);
    return now + COUNT_EVERY_MS + took * COUNT_SHARE;
}

void background_report(struct background *u, struct metrics_state *state)
{
    pthread_mutex_lock(&u->lock);
    u->wanted = true;
    state->counted_us = u->told.counted_us;
    state->stats = u->told.stats;
    state->collections = u->told.collections;
    state->collections_failed = u->told.collections_failed;
    state->freed_bytes = u->told.freed_bytes;
    state->collected_us = u->told.collected_us;
    state->last_freed_bytes = u->told.last_freed_bytes;
    pthread_mutex_unlock(&u->lock);
}

static void *work(void *arg)
{
    struct background *u = arg;
    int64_t looked = INT64_MIN / 2, collected = clock_steady_us() / 1000,
            counts = collected;

    u->told_ms = collected;

    do {
        int64_t now = clock_steady_us() / 1000;

        if (now - looked >= TENANTS_EVERY_MS) {
            looked = now;
            look_around(u);
        }
        if (now - collected >= COLLECT_EVERY_MS) {
            collected = now;
            collect(u);
        }
        if (now >= counts)
            counts = count(u, now);
        keep_in_step(u);
        look_for_others(u, now);
    } while (!rest(u));
    return NULL;
}

quire_status background_begin(const struct background_config *config,
                              struct background **out, quire_error *err)
{
    pthread_condattr_t steady;
    struct background *u = calloc(1, sizeof *u);
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_status st;
    int why;

    *out = NULL;
    if (!u)
        return err_memory(err);
    pthread_mutex_init(&u->lock, NULL);
    u->seen = -1;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&u->asked, &steady);
    pthread_condattr_destroy(&steady);
    u->c = *config;
    u->home = strdup(config->home);
    o.home = config->home;
    o.tenant = "default";
    st = u->home ? quire_open(&o, &u->q, err) : err_memory(err);
    why = st ? 0 : pthread_create(&u->thread, NULL, work, u);
    if (why)
        st = err_sys(err, why, "cannot begin a thread");
    if (!st) {
        *out = u;
        return QUIRE_OK;
    }
    quire_close(u->q);
    free(u->home);
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
        drop(&u->list[i]);
    quire_close(u->q);
    pthread_mutex_destroy(&u->lock);
    pthread_cond_destroy(&u->asked);
    free(u->home);
    free(u);
}
