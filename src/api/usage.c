/*
 * usage.c - reports: sessions at a glance, and sums over time
 *
 * A report is a map from keys to sums, filled in one walk over the sessions' activity.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/activity.h"
#include "api/core/handle.h"
#include "api/prices.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "base/opts.h"
#include "base/timestamp.h"

#define HOUR_US INT64_C(3600000000)

/* ---- sessions at a glance ----------------------------------------------- */

struct summaries {
    struct quire *q;
    quire_summary_fn each;
    void *ctx;
    struct prices prices;
};

static void add_cost(const struct prices *own, const struct activity *a,
                     quire_summary *out)
{
    size_t i;

    for (i = 0; i < a->n_hours; i++) {
        const struct activity_hour *h = &a->hours[i];
        struct hour_cost c = prices_apply(own, h, a->models[h->model]);

        out->cost_micro_usd += c.reported + c.computed;
        out->computed_micro_usd += c.computed;
        out->unpriced_tokens += c.unpriced;
    }
}

static quire_status emit_summary(void *ctx, const quire_session_row *row,
                                 const struct activity *a, quire_error *err)
{
    struct summaries *s = ctx;
    quire_summary out = {.row = row, .agent = "", .model = ""};
    quire_status st;

    if (a) {
        out.known = 1;
        out.agent = a->agent;
        out.model = a->model;
        out.last_us = a->last_ms * 1000;
        out.prompts = a->prompts;
        out.calls = a->calls;
        out.errors = a->errors;
        out.images = a->images;
        out.compactions = a->compactions;
        out.branches = a->branches;
        add_cost(&s->prices, a, &out);
    }
    out.cost_source = prices_source(out.cost_micro_usd, out.computed_micro_usd,
                                    out.unpriced_tokens);
    s->q->in_callback = true;
    st = s->each(s->ctx, &out, err);
    s->q->in_callback = false;
    return st;
}

quire_status quire_session_summaries(quire *q, int64_t budget_ms,
                                     quire_summary_fn each, void *ctx,
                                     uint64_t *pending, quire_error *err)
{
    struct summaries s = {.q = q, .each = each, .ctx = ctx};
    struct arena keep = ARENA_INIT;
    quire_status st = prices_load(q, &keep, &s.prices, err);

    *pending = 0;
    if (!st)
        st = activity_walk(q, budget_ms, emit_summary, &s, pending, err);
    arena_release(&keep);
    return st;
}

/* ---- keys --------------------------------------------------------------- */

enum { KEY_BYTES = 64 };

/* A row of the report. */
struct sum {
    quire_usage_row row;
    uint64_t last_session; /* that was counted in row.sessions               */
};

struct report {
    struct quire *q;
    quire_usage_options o;
    struct map rows; /* joined keys -> index in `sums`                       */
    struct sum **sums;
    size_t n, cap;
    quire_usage_row total;
    uint64_t session; /* number of the session that is being added           */
    const quire_session_row *now;
    const struct activity *a;
    struct prices prices;
    struct arena keep;
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* A key that depends on the time, in `text`. */
static const char *time_key(quire_usage_by by, int64_t hour, int zone_minutes,
                            char text[KEY_BYTES])
{
    int64_t local = hour * 60 + zone_minutes; /* minutes                      */
    char stamp[TIMESTAMP_SIZE];

    if (by == QUIRE_BY_HOUR_OF_WEEK) {
        /* 1970-01-01 was a Thursday. */
        int64_t h = floor_div(local, 60) + 3 * 24;

        snprintf(text, KEY_BYTES, "%d", (int)(h - floor_div(h, 168) * 168));
        return text;
    }
    timestamp_format(local * 60 * 1000000, stamp);
    snprintf(text, KEY_BYTES, "%.*s", by == QUIRE_BY_DAY ? 10 : 7, stamp);
    return text;
}

static const char *key_of(const struct report *r, quire_usage_by by,
                          int64_t hour, const char *model, const char *tool,
                          char text[KEY_BYTES])
{
    switch (by) {
    case QUIRE_BY_NONE: break;
    case QUIRE_BY_DAY:
    case QUIRE_BY_MONTH:
    case QUIRE_BY_HOUR_OF_WEEK:
        return time_key(by, hour, r->o.zone_minutes, text);
    case QUIRE_BY_PROJECT: return r->now->info->cwd;
    case QUIRE_BY_AGENT: return r->a->agent;
    case QUIRE_BY_MODEL: return model;
    case QUIRE_BY_TOOL: return tool;
    case QUIRE_BY_SESSION: return r->now->id;
    }
    return "";
}

/* ---- rows --------------------------------------------------------------- */

static quire_status add_row(struct report *r, quire_bytes joined,
                            struct sum **out, quire_error *err)
{
    struct sum **grown = r->sums, *sum;
    const char *at;
    int k;

    if (r->n == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 64;
        grown = realloc(r->sums, r->cap * sizeof *grown);
        if (!grown)
            return err_memory(err);
        r->sums = grown;
    }
    sum = arena_array(&r->keep, 1, sizeof *sum);
    joined = arena_dup(&r->keep, joined);
    if (!sum || !joined.data || !map_put(&r->rows, joined, r->n, NULL))
        return err_memory(err);
    for (k = 0, at = joined.data; k < QUIRE_USAGE_KEYS; k++) {
        sum->row.key[k] = at;
        at += strlen(at) + 1;
    }
    r->sums[r->n++] = sum;
    *out = sum;
    return QUIRE_OK;
}

/* The row for the keys of an hour. */
static quire_status find_row(struct report *r, int64_t hour, const char *model,
                             const char *tool, struct sum **out,
                             quire_error *err)
{
    struct buf joined = BUF_INIT(1 << 16);
    char text[KEY_BYTES];
    uint64_t *at;
    quire_status st;
    int k;

    for (k = 0; k < QUIRE_USAGE_KEYS; k++) {
        const char *key = key_of(r, r->o.by[k], hour, model, tool, text);

        buf_add(&joined, key, strlen(key) + 1);
    }
    st = buf_status(&joined, "the keys of a row", err);
    at = st ? NULL : map_get(&r->rows, buf_bytes(&joined));
    if (at)
        *out = r->sums[*at];
    else if (!st)
        st = add_row(r, buf_bytes(&joined), out, err);
    buf_release(&joined);
    if (!st && (*out)->last_session != r->session) {
        (*out)->last_session = r->session;
        (*out)->row.sessions++;
    }
    return st;
}

static void add_hour(quire_usage_row *row, const struct activity_hour *h,
                     const struct hour_cost *c)
{
    row->messages += h->messages;
    row->prompts += h->prompts;
    row->calls += h->calls;
    row->errors += h->errors;
    row->input_tokens += h->tokens[TOKEN_INPUT];
    row->output_tokens += h->tokens[TOKEN_OUTPUT];
    row->cache_read_tokens += h->tokens[TOKEN_CACHE_READ];
    row->cache_write_tokens += h->tokens[TOKEN_CACHE_WRITE];
    row->cost_micro_usd += c->reported + c->computed;
    row->computed_micro_usd += c->computed;
    row->unpriced_tokens += c->unpriced;
}

static bool is_in_range(const struct report *r, int64_t hour)
{
    return hour * HOUR_US >= r->o.from_us &&
           (!r->o.to_us || hour * HOUR_US < r->o.to_us);
}

static bool has_key(const struct report *r, quire_usage_by by)
{
    int k;

    for (k = 0; k < QUIRE_USAGE_KEYS; k++)
        if (r->o.by[k] == by)
            return true;
    return false;
}

static quire_status add_hours(struct report *r, quire_error *err)
{
    bool any = false;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; !st && i < r->a->n_hours; i++) {
        const struct activity_hour *h = &r->a->hours[i];
        const char *model = r->a->models[h->model];
        struct hour_cost cost;
        struct sum *sum;

        if (!is_in_range(r, h->hour) ||
            (r->o.model && strcmp(model, r->o.model) != 0))
            continue;
        any = true;
        cost = prices_apply(&r->prices, h, model);
        add_hour(&r->total, h, &cost);
        st = find_row(r, h->hour, model, "", &sum, err);
        if (!st)
            add_hour(&sum->row, h, &cost);
    }
    r->total.sessions += any;
    return st;
}

static quire_status add_uses(struct report *r, quire_error *err)
{
    bool any = false;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; !st && i < r->a->n_uses; i++) {
        const struct activity_tool *u = &r->a->uses[i];
        struct sum *sum;

        if (!is_in_range(r, u->hour))
            continue;
        any = true;
        st = find_row(r, u->hour, "", r->a->tools[u->tool], &sum, err);
        if (st)
            break;
        sum->row.calls += u->calls;
        sum->row.errors += u->errors;
        r->total.calls += u->calls;
        r->total.errors += u->errors;
    }
    r->total.sessions += any;
    return st;
}

static quire_status add_session(void *ctx, const quire_session_row *row,
                                const struct activity *a, quire_error *err)
{
    struct report *r = ctx;

    if (!a || (r->o.project && strcmp(row->info->cwd, r->o.project) != 0) ||
        (r->o.agent && strcmp(a->agent, r->o.agent) != 0))
        return QUIRE_OK;
    r->session++;
    r->now = row;
    r->a = a;
    return has_key(r, QUIRE_BY_TOOL) ? add_uses(r, err) : add_hours(r, err);
}

/* ---- the report --------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const struct sum *const *x = a, *const *y = b;
    int k, order = 0;

    for (k = 0; k < QUIRE_USAGE_KEYS && order == 0; k++)
        order = strcmp((*x)->row.key[k], (*y)->row.key[k]);
    return order;
}

static void name_source(quire_usage_row *row)
{
    row->cost_source = prices_source(row->cost_micro_usd,
                                     row->computed_micro_usd,
                                     row->unpriced_tokens);
}

static quire_status emit_rows(struct report *r, quire_usage_fn each, void *ctx,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    if (r->n)
        qsort(r->sums, r->n, sizeof *r->sums, compare_rows);
    r->q->in_callback = true;
    for (i = 0; !st && i < r->n; i++) {
        name_source(&r->sums[i]->row);
        st = each(ctx, &r->sums[i]->row, err);
    }
    r->q->in_callback = false;
    return st;
}

static quire_status check_keys(const struct report *r, quire_error *err)
{
    int k;

    for (k = 0; k < QUIRE_USAGE_KEYS; k++)
        if (r->o.by[k] < QUIRE_BY_NONE || r->o.by[k] > QUIRE_BY_SESSION)
            return err_fail(err, QUIRE_INVALID, "see quire/usage.h",
                            "unknown key of a report");
    if (has_key(r, QUIRE_BY_TOOL) && (has_key(r, QUIRE_BY_MODEL) || r->o.model))
        return err_fail(err, QUIRE_INVALID, "leave the model out, or the tool",
                        "calls of a tool are not counted by model");
    return QUIRE_OK;
}

quire_status quire_usage_read(quire *q, const quire_usage_options *options,
                              quire_usage_fn each, void *ctx,
                              quire_usage_row *total, uint64_t *pending,
                              quire_error *err)
{
    struct report r = {.q = q,
                       .o = QUIRE_USAGE_OPTIONS_INIT,
                       .total = {.key = {"", "", ""}},
                       .keep = ARENA_INIT};
    quire_status st;

    OPTIONS_READ(r.o, options);
    *pending = 0;
    map_init(&r.rows, (uint64_t)(uintptr_t)&r, (uint64_t)(uintptr_t)q);
    st = check_keys(&r, err);
    if (!st)
        st = prices_load(q, &r.keep, &r.prices, err);
    if (!st)
        st = activity_walk(q, r.o.budget_ms, add_session, &r, pending, err);
    if (!st)
        st = emit_rows(&r, each, ctx, err);
    name_source(&r.total);
    if (total)
        *total = r.total;
    map_release(&r.rows);
    free(r.sums);
    arena_release(&r.keep);
    return st;
}
