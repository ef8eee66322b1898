/*
 * admin.c - maintenance of the home by its administrator: collection, check,
 * derived data, settings, what each tenant holds
 *
 * Maintenance runs on a worker thread, one at a time; a second one is refused. A
 * check ends after the seconds that the client gave it, and says so.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "server/routes/handlers.h"
#include "server/server.h"

/* Problems in an answer; more are only counted. */
enum { PROBLEMS_MAX = 1000 };

/* False: answered. True: end with thread_ctx_end_maintenance(). */
static bool begin_maintenance(struct request *c)
{
    if (thread_ctx_begin_maintenance(c->thread_ctx))
        return true;
    request_refuse(c, 503, "busy", "wait for it to end",
                   "another collection, check or rebuild is running");
    return false;
}

/* ---- collection --------------------------------------------------------- */

static void answer_collected(struct request *c, const quire_collect_report *r,
                             bool dry)
{
    const struct {
        const char *key;
        uint64_t n;
    } numbers[] = {
        {"scanned", r->scanned},         {"referenced", r->referenced},
        {"marked", r->marked},           {"removed", r->removed},
        {"freed_bytes", r->bytes_freed}, {"waiting", r->waiting},
        {"sources", r->sources},         {"rescanned", r->rescanned},
        {"versions", r->versions},       {"purged", r->purged},
        {"orphans", r->orphans},         {"litter", r->litter},
        {"returned_bytes", r->returned},
    };
    size_t i;

    json_object(&c->w);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_put_uint(&c->w, numbers[i].key, numbers[i].n);
    put_flag(c, "dry_run", dry);
    put_flag(c, "refused", r->refused);
    json_object_end(&c->w);
}

void route_admin_collect(struct request *c)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report = {0};
    bool dry = request_flag(c, "dry_run", false);
    quire_error err;
    quire_status st;

    if (!begin_maintenance(c))
        return;
    o.flags = (dry ? QUIRE_COLLECT_DRY_RUN : 0u) |
              (request_flag(c, "yes", false) ? QUIRE_COLLECT_YES : 0u) |
              (request_flag(c, "full", false) ? QUIRE_COLLECT_FULL : 0u);
    st = quire_collect(c->q, &o, &report, &err);
    thread_ctx_end_maintenance(c->thread_ctx);
    if (st)
        request_fail(c, st, &err);
    else
        answer_collected(c, &report, dry);
}

/* ---- check -------------------------------------------------------------- */

/* Seconds that a check takes at most. */
enum { SECONDS_MAX = 300 };

struct checking {
    struct request *c;
    int64_t until_us;
    uint64_t n; /* problems so far                              */
    bool ended; /* for lack of time, or the server shuts down */
};

static quire_status write_problem(void *ctx, const quire_problem *p,
                                  quire_error *err)
{
    struct checking *k = ctx;
    struct request *c = k->c;

    (void)err;
    if (k->n++ >= PROBLEMS_MAX)
        return QUIRE_OK;
    json_object(&c->w);
    put_text(c, "kind", p->kind);
    put_text(c, "where", p->where);
    put_text(c, "message", p->what);
    put_text(c, "next", p->next);
    put_id(c, "line", (int64_t)p->line);
    json_object_end(&c->w);
    return QUIRE_OK;
}

static quire_status watch_time(void *ctx, uint64_t done, uint64_t total,
                               quire_error *err)
{
    struct checking *k = ctx;

    (void)done;
    (void)total;
    (void)err;
    k->ended = clock_steady_us() >= k->until_us ||
               thread_ctx_is_draining(k->c->thread_ctx);
    return k->ended ? QUIRE_BUSY : QUIRE_OK;
}

static void answer_check(struct checking *k, unsigned flags)
{
    struct request *c = k->c;
    quire_check_summary sum = {0};
    quire_check_hooks hooks = QUIRE_CHECK_HOOKS_INIT;
    quire_error err;
    quire_status st;

    hooks.problem = write_problem;
    hooks.progress = watch_time;
    hooks.ctx = k;
    hooks.summary = &sum;
    json_object(&c->w);
    json_key(&c->w, "problems");
    json_array(&c->w);
    st = quire_check(c->q, flags, &hooks, &err);
    json_array_end(&c->w);
    put_flag(c, "complete", !k->ended);
    put_number(c, "sessions", (int64_t)sum.sessions);
    put_number(c, "blobs", (int64_t)sum.blobs);
    put_number(c, "references", (int64_t)sum.references);
    put_number(c, "unreferenced", (int64_t)sum.unreferenced);
    put_number(c, "n_problems", (int64_t)k->n);
    json_object_end(&c->w);
    if (st && !k->ended)
        request_fail(c, st, &err);
}

void route_admin_check(struct request *c)
{
    struct checking k = {.c = c};
    const char *depth = request_text(c, "depth");
    uint64_t seconds = request_number(c, "seconds", 20);
    unsigned flags = 0;

    if (depth && !request_is_choice(c, "depth", request_json(c, "depth"))) {
        request_refuse(c, 400, "invalid", "quick, usual or full",
                       "unknown depth");
        return;
    }
    if (!begin_maintenance(c))
        return;
    if (depth && !strcmp(depth, "full"))
        flags = QUIRE_CHECK_FULL;
    else if (!depth || !strcmp(depth, "quick"))
        flags = QUIRE_CHECK_QUICK;
    k.until_us = clock_steady_us() +
                 (int64_t)(seconds < SECONDS_MAX ? seconds : SECONDS_MAX) *
                     1000000;
    answer_check(&k, flags);
    thread_ctx_end_maintenance(c->thread_ctx);
}

/* ---- derived data ------------------------------------------------------- */

void route_admin_reindex(struct request *c)
{
    int64_t began = clock_steady_us();
    quire_error err;
    quire_status st;

    if (!begin_maintenance(c))
        return;
    st = quire_reindex(c->q, &err);
    thread_ctx_end_maintenance(c->thread_ctx);
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    json_object(&c->w);
    put_flag(c, "rebuilt", true);
    put_number(c, "duration_ms", (clock_steady_us() - began) / 1000);
    json_object_end(&c->w);
}

/* ---- settings ----------------------------------------------------------- */

static quire_status write_setting(void *ctx, const quire_setting *s,
                                  quire_error *err)
{
    struct request *c = ctx;

    (void)err;
    json_object(&c->w);
    put_text(c, "key", s->key);
    put_text(c, "value", s->value);
    put_text(c, "from", s->from);
    put_text(c, "default", s->otherwise);
    put_text(c, "about", s->about);
    json_object_end(&c->w);
    return QUIRE_OK;
}

void route_settings_list(struct request *c)
{
    quire_error err;
    quire_status st;

    json_object(&c->w);
    json_key(&c->w, "settings");
    json_array(&c->w);
    st = quire_config_list(c->q, write_setting, c, &err);
    json_array_end(&c->w);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
}

void route_settings_put(struct request *c)
{
    const char *key = request_text(c, "key");
    quire_setting s;
    quire_error err;
    quire_status st = quire_config_set(c->q, key, request_text(c, "value"),
                                       &err);

    if (!st)
        st = quire_config_get(c->q, key, &s, &err);
    if (st)
        request_fail(c, st, &err);
    else
        write_setting(c, &s, NULL);
}

/* ---- what the home and its tenants hold --------------------------------- */

/* Rows of tenants, kept until quire_stats_read() has returned: a callback must not
 * use the handle, and the quota of a tenant is read with it. */
struct holding {
    quire_tenant_stats stats;
    struct holding *next;
};

struct holdings {
    struct arena *keep;
    struct holding *first, **end;
};

static quire_status keep_tenant(void *ctx, const quire_tenant_stats *t,
                                quire_error *err)
{
    struct holdings *all = ctx;
    struct holding *h = arena_array(all->keep, 1, sizeof *h);

    if (!h)
        return err_memory(err);
    h->stats = *t;
    h->next = NULL;
    *all->end = h;
    all->end = &h->next;
    return QUIRE_OK;
}

/* The quota of a tenant: its default depends on the tenant. */
static void put_quota(struct request *c, int64_t tenant)
{
    quire_setting s;

    if (quire_tenant_use(c->q,
                         arena_printf(&c->keep, "#%lld", (long long)tenant),
                         NULL) ||
        quire_config_get(c->q, "quota.tenant", &s, NULL))
        put_text(c, "quota_bytes", NULL); /* a disabled one */
    else
        put_number(c, "quota_bytes", strtoll(s.value, NULL, 10));
}

static void put_holding(struct request *c, const quire_tenant_stats *t)
{
    put_number(c, "sessions", (int64_t)t->sessions);
    put_number(c, "archived", (int64_t)t->archived);
    put_number(c, "session_bytes", (int64_t)t->session_bytes);
    put_number(c, "entries", (int64_t)t->entries);
    put_number(c, "messages", (int64_t)t->messages);
    put_number(c, "outputs", (int64_t)t->outputs);
    put_number(c, "output_bytes", (int64_t)t->output_bytes);
    put_number(c, "artifacts", (int64_t)t->artifacts);
    put_number(c, "artifact_bytes", (int64_t)t->artifact_bytes);
    put_number(c, "versions", (int64_t)t->versions);
    put_number(c, "memories", (int64_t)t->memories);
}

static void answer_holdings(struct request *c, const quire_stats *s,
                            const struct holding *h)
{
    json_object(&c->w);
    json_key(&c->w, "tenants");
    json_array(&c->w);
    for (; h; h = h->next) {
        json_object(&c->w);
        put_number(c, "id", h->stats.id);
        put_text(c, "name", h->stats.name);
        put_holding(c, &h->stats);
        put_quota(c, h->stats.id);
        json_object_end(&c->w);
    }
    json_array_end(&c->w);
    json_key(&c->w, "total");
    json_object(&c->w);
    put_holding(c, &s->total);
    json_object_end(&c->w);
    json_key(&c->w, "search");
    json_object(&c->w);
    put_number(c, "bytes", (int64_t)s->search_bytes);
    put_number(c, "texts", (int64_t)s->search_texts);
    put_number(c, "places", (int64_t)s->search_places);
    put_number(c, "sources", (int64_t)s->search_sources);
    json_object_end(&c->w);
    put_number(c, "blobs", (int64_t)s->blobs);
    put_number(c, "content_bytes", (int64_t)s->blob_bytes);
    put_number(c, "stored_bytes", (int64_t)s->stored_bytes);
    put_number(c, "unreferenced", (int64_t)s->unreferenced);
    put_number(c, "database_bytes", (int64_t)s->database_bytes);
    put_number(c, "free_bytes", (int64_t)s->free_bytes);
    json_object_end(&c->w);
}

void route_admin_stats(struct request *c)
{
    struct holdings all = {.keep = &c->keep};
    quire_stats s = {.size = sizeof s};
    quire_error err;
    quire_status st;

    all.end = &all.first;
    st = quire_stats_read(c->q, &s, keep_tenant, &all, &err);
    if (st)
        request_fail(c, st, &err);
    else
        answer_holdings(c, &s, all.first);
}
