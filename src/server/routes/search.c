/*
 * search.c - one search over everything a tenant has
 *
 * Neither route is cached: sessions and outputs are files, and the state of the
 * catalogue does not cover them. What a query names and is not there is a wrong field,
 * 400.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/routes/handlers.h"
#include "server/server.h"

/* ---- hits --------------------------------------------------------------- */

static void put_known(struct request *c, const char *key, const char *text)
{
    if (*text)
        put_text(c, key, text);
}

static void put_matches(struct request *c, const quire_search_hit *h)
{
    size_t i;

    json_key(&c->w, "matches");
    json_array(&c->w);
    for (i = 0; i < h->n_matches; i++) {
        json_array(&c->w);
        json_uint(&c->w, h->matches[i].from);
        json_uint(&c->w, h->matches[i].to);
        json_array_end(&c->w);
    }
    json_array_end(&c->w);
}

static quire_status emit_hit(void *ctx, const quire_search_hit *h,
                             quire_error *err)
{
    struct request *c = ctx;
    char score[32];

    snprintf(score, sizeof score, "%.6f", h->score);
    json_object(&c->w);
    put_text(c, "kind", h->kind);
    put_text(c, "address", h->address);
    put_known(c, "session", h->session);
    put_known(c, "entry", h->entry);
    put_known(c, "title", h->title);
    put_known(c, "project", h->project);
    put_known(c, "agent", h->agent);
    put_known(c, "role", h->role);
    put_known(c, "tool", h->tool);
    put_known(c, "model", h->model);
    if (h->created_us)
        put_time(c, "created_at", h->created_us);
    if (h->turn) {
        put_number(c, "turn", (int64_t)h->turn);
        put_known(c, "turn_first", h->turn_first);
        put_known(c, "turn_last", h->turn_last);
    }
    put_text(c, "snippet", h->snippet);
    put_matches(c, h);
    json_put_raw(&c->w, "score", bytes_str(score));
    put_text(c, "how", h->how);
    put_flag(c, "active", h->active);
    put_flag(c, "error", h->is_error);
    if (h->in_session)
        put_number(c, "in_session", (int64_t)h->in_session);
    json_object_end(&c->w);
    return c->answer.body.failed ? err_memory(err) : QUIRE_OK;
}

/* ---- around them -------------------------------------------------------- */

/* {"kind":{"message":3},"role":{...},...}; empty unless they were asked for. */
static void put_facets(struct request *c, const quire_search_result *r)
{
    static const char *const names[] = {"kind",  "role",    "tool",
                                        "model", "project", "agent"};
    size_t i, k;

    json_key(&c->w, "facets");
    json_object(&c->w);
    for (k = 0; r->counts && k < sizeof names / sizeof *names; k++) {
        json_key(&c->w, names[k]);
        json_object(&c->w);
        for (i = 0; i < r->n_counts; i++)
            if (!strcmp(r->counts[i].facet, names[k]))
                put_number(c, r->counts[i].name, (int64_t)r->counts[i].n);
        json_object_end(&c->w);
    }
    json_object_end(&c->w);
}

static void put_ignored(struct request *c, const quire_search_result *r)
{
    size_t i;

    json_key(&c->w, "ignored");
    json_array(&c->w);
    for (i = 0; i < r->n_ignored; i++) {
        json_object(&c->w);
        put_text(c, "text", r->ignored[i].text);
        put_text(c, "why", r->ignored[i].why);
        json_object_end(&c->w);
    }
    json_array_end(&c->w);
}

/* ---- what is asked ------------------------------------------------------ */

static bool read_sort(struct request *c, quire_search_sort *sort)
{
    const char *text = request_text(c, "sort");

    *sort = text && !strcmp(text, "newest")   ? QUIRE_SEARCH_NEWEST
            : text && !strcmp(text, "oldest") ? QUIRE_SEARCH_OLDEST
                                              : QUIRE_SEARCH_RANK;
    if (!text || *sort != QUIRE_SEARCH_RANK || !strcmp(text, "rank"))
        return true;
    request_refuse(c, 400, "invalid", "send rank, newest or oldest",
                   "unknown order \"%.40s\"", text);
    return false;
}

static bool read_time(struct request *c, const char *name, int64_t *us)
{
    const char *text = request_text(c, name);
    quire_error err;
    quire_status st = text ? quire_search_time(c->q, text, us, &err) : QUIRE_OK;

    if (st)
        request_fail(c, st, &err);
    return !st;
}

/* Building the index of a large home takes minutes; a shutdown does not wait. */
static quire_status check_shutdown(void *ctx, uint64_t done, uint64_t total)
{
    const struct request *c = ctx;

    (void)done;
    (void)total;
    return thread_ctx_is_draining(c->thread_ctx) ? QUIRE_STOPPED : QUIRE_OK;
}

static bool read_options(struct request *c, quire_search_options *o)
{
    if (!read_sort(c, &o->sort) || !read_time(c, "since", &o->since_us) ||
        !read_time(c, "until", &o->until_us) ||
        !request_session_name(c, "session", &o->session))
        return false;
    o->kinds = request_list(c, "kind");
    o->roles = request_list(c, "role");
    o->tools = request_list(c, "tool");
    o->project = request_text(c, "project");
    o->agent = request_text(c, "agent");
    o->cursor = request_text(c, "cursor");
    o->limit = request_limit(c);
    o->regex = request_flag(c, "regex", false);
    o->flat = request_flag(c, "flat", false);
    o->versions = request_flag(c, "versions", false);
    o->facets = request_flag(c, "facets", false);
    o->progress = check_shutdown;
    o->progress_ctx = c;
    return true;
}

/* ---- handlers ----------------------------------------------------------- */

static void fail_search(struct request *c, quire_status st,
                        const quire_error *err)
{
    if (st == QUIRE_STOPPED)
        request_refuse(c, 503, "busy", "try again; another server may answer",
                       "the server is shutting down");
    else if (st == QUIRE_NOT_FOUND)
        request_refuse(c, 400, "invalid", "GET /v1/sessions lists them",
                       "the query names an unknown session");
    else
        request_fail(c, st, err);
}

void route_search(struct request *c)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_search_result r;
    quire_error err = {.what = ""};
    quire_status st;

    if (!read_options(c, &o))
        return;
    json_object(&c->w);
    json_key(&c->w, "hits");
    json_array(&c->w);
    st = quire_search(c->q, request_bytes(c, "q"), &o, emit_hit, c, &r, &err);
    if (st) {
        fail_search(c, st, &err);
        return;
    }
    thread_ctx_index(c->thread_ctx, c->tenant.id);
    json_array_end(&c->w);
    put_facets(c, &r);
    put_number(c, "total", (int64_t)r.total);
    put_flag(c, "total_is_exact", r.total_is_exact);
    put_flag(c, "total_is_at_most", r.total_is_at_most);
    put_text(c, "next_cursor", r.next_cursor);
    put_ignored(c, &r);
    json_object_end(&c->w);
}

static quire_status emit_word(void *ctx, const char *word, quire_error *err)
{
    struct request *c = ctx;

    (void)err;
    json_str(&c->w, word);
    return QUIRE_OK;
}

void route_search_suggest(struct request *c)
{
    quire_error err = {.what = ""};
    quire_status st;

    json_object(&c->w);
    json_key(&c->w, "suggestions");
    json_array(&c->w);
    st = quire_search_suggest(c->q, request_bytes(c, "q"), request_limit(c),
                              emit_word, c, &err);
    if (st) {
        fail_search(c, st, &err);
        return;
    }
    json_array_end(&c->w);
    json_object_end(&c->w);
}
