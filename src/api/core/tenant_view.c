/*
 * tenant_view.c - the tenant that a handle works for
 *
 * A tenant is a row, and a directory tenants/<id>/ of the home with what the home
 * itself has for the default one. A handle works below one of these, its root.
 *
 * All tenants share one catalogue connection; each has its own directory of
 * sessions. A view holds what is open for one tenant. The current view is in struct
 * quire itself, recent ones are cached here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "memory/history.h"
#include "api/core/handle.h"
#include "api/search.h"

/* ---- finding a tenant ---------------------------------------------------- */

quire_status tenants_unknown(const struct quire *q, const char *which,
                             quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_NOT_FOUND,
                               HINT_SHELL "`quire tenant ls` lists the tenants",
                               "no tenant %.100s in %s", which, q->home);
    return st;
}

static quire_status disabled_error(const quire_tenant *t, quire_error *err)
{
    quire_status st = err_set(err, QUIRE_INVALID, "tenant %s is disabled",
                              t->name);

    err_next(err, HINT_SHELL "`quire tenant enable '#%lld'` enables it",
             (long long)t->id);
    return st;
}

static quire_status ambiguous_error(const quire_tenant *t, int64_t another,
                                    quire_error *err)
{
    quire_status st = err_set(err, QUIRE_INVALID,
                              "several tenants are called %s, such as #%lld "
                              "and #%lld",
                              t->name, (long long)t->id, (long long)another);

    err_next(err, "name one by its id, such as '#%lld'", (long long)t->id);
    return st;
}

/* By id, after a '#'; else by name, or by id if there is no such name. */
quire_status tenants_lookup(struct quire *q, const char *which,
                            struct arena *keep, quire_tenant *out,
                            quire_error *err)
{
    int64_t id = 0, another = 0;
    bool hash = *which == '#', number = read_id(which + hash, &id);
    quire_status st = QUIRE_NOT_FOUND;

    if (!(hash && number))
        st = tenant_by_name(&q->catalog, which, keep, out, &another, err);
    if (!st && another)
        return ambiguous_error(out, another, err);
    if (st == QUIRE_NOT_FOUND && number)
        st = tenant_by_id(&q->catalog, id, keep, out, err);
    return st == QUIRE_NOT_FOUND ? tenants_unknown(q, which, err) : st;
}

/* ---- choosing the tenant of a handle -------------------------------------- */

/* NULL: the default tenant, which needs no lookup. */
static const char *skip_default(const char *name)
{
    return name && strcmp(name, "default") != 0 && strcmp(name, "#1") != 0
               ? name
               : NULL;
}

static const char *find_name(const quire_options *o)
{
    const char *name = o->tenant;

    if (o->blobs)
        return NULL;
    if (!name) {
        name = getenv("QUIRE_TENANT");
        if (name && !*name)
            name = NULL;
    }
    return skip_default(name);
}

static quire_status enter_other(struct quire *q, const char *which,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_tenant t = {.id = 0};
    quire_status st;

    if (!*which) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL
                      "leave it out for `default`; `quire tenant ls` lists "
                      "the tenants",
                      "tenant name is empty");
        return st;
    }
    if (q->kind != QUIRE_KIND_NATIVE) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL
                      "leave out --tenant and QUIRE_TENANT, or name a home of "
                      "Quire's own with --home",
                      "%s is a home of another program: it has no tenants",
                      q->home);
        return st;
    }
    st = need_rows(q, false, err);
    if (st == QUIRE_NOT_FOUND)
        return tenants_unknown(q, which, err);
    if (!st)
        st = tenants_lookup(q, which, &tmp, &t, err);
    if (!st && t.disabled)
        st = disabled_error(&t, err);
    if (!st)
        q->tenant = t.id;
    arena_release(&tmp);
    return st;
}

/* NULL: the default one. */
static quire_status enter_tenant(struct quire *q, const char *which,
                                 quire_error *err)
{
    quire_status st = QUIRE_OK;

    q->tenant = TENANT_DEFAULT;
    if (which)
        st = enter_other(q, which, err);
    if (st)
        return st;
    if (q->tenant == TENANT_DEFAULT)
        q->root = strdup(q->home);
    else if (asprintf(&q->root, "%s/tenants/%" PRId64, q->home, q->tenant) < 0)
        q->root = NULL;
    return q->root ? QUIRE_OK : err_memory(err);
}

quire_status tenants_enter(struct quire *q, const quire_options *o,
                           quire_error *err)
{
    return enter_tenant(q, find_name(o), err);
}

quire_status tenants_find(struct quire *q, const char *which, quire_error *err)
{
    return enter_tenant(q, skip_default(which), err);
}

quire_status tenants_check(struct quire *q, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_tenant t = {.id = 0};
    int64_t state;
    quire_status st;

    if (q->tenant == TENANT_DEFAULT)
        return QUIRE_OK;
    state = quire_changes(q);
    if (state && state == q->tenant_state)
        return QUIRE_OK;
    st = catalog_has(&q->catalog, SCHEMA_ARTIFACTS) ? QUIRE_OK
                                                    : need_rows(q, false, err);
    if (!st)
        st = tenant_by_id(&q->catalog, q->tenant, &tmp, &t, err);
    if (!st && t.disabled)
        st = disabled_error(&t, err);
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st, HINT_SHELL "`quire tenant ls` lists the tenants",
                 "tenant #%lld has been removed", (long long)q->tenant);
    }
    q->tenant_state = st ? 0 : state;
    arena_release(&tmp);
    return st;
}

/* ---- parts, checked for the tenant ---------------------------------------- */

quire_status need_own_rows(struct quire *q, bool write, quire_error *err)
{
    quire_status st = need_rows(q, write, err);

    return st ? st : tenants_check(q, err);
}

quire_status need_own_blobs(struct quire *q, bool write, struct blob_view *out,
                            quire_error *err)
{
    quire_status st = need_blobs(q, write, err);

    if (!st)
        st = tenants_check(q, err);
    /* An older home that is only read does not record tenants of blobs. */
    *out = (struct blob_view){q->blobs, q->tenant != TENANT_DEFAULT &&
                                                catalog_has(&q->catalog,
                                                            SCHEMA_BLOB_TENANTS)
                                            ? q->tenant
                                            : 0};
    return st;
}

quire_status need_artifacts(struct quire *q, bool write, quire_error *err)
{
    quire_status st = need_all_artifacts(q, write, err);

    return st ? st : tenants_check(q, err);
}

quire_status need_memory(struct quire *q, bool write, quire_error *err)
{
    quire_status st;

    if (q->kind != QUIRE_KIND_NATIVE) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL "name a home of Quire's own with --home",
                      "%s is a home of another program: it has no memory",
                      q->home);
        return st;
    }
    st = need_artifacts(q, write, err);
    arena_reset(&q->loan);
    return st ? st : memories_open(q, err);
}

/* ---- views --------------------------------------------------------------- */

/* Cached views. */
enum { TENANT_VIEWS_MAX = 16 };

/* Fields of struct quire; all owned. */
struct tenant_view {
    int64_t tenant; /* 0: empty */
    char *root;
    struct store *all;
    struct history *history;
    struct search_index *search[2];
    struct session_cache_entry *session_cache;
    int64_t tenant_state;
    uint64_t left; /* use counter when it was left */
};

struct tenant_views {
    struct tenant_view at[TENANT_VIEWS_MAX];
    uint64_t turn;
    int64_t kept; /* not evicted; 0: none */
};

static void release_view(struct tenant_view *s)
{
    session_cache_free(s->session_cache);
    search_index_close(s->search[0]);
    search_index_close(s->search[1]);
    store_free(s->all);
    history_close(s->history);
    free(s->root);
    *s = (struct tenant_view){.tenant = 0};
}

static struct tenant_view current_view(const struct quire *q)
{
    return (struct tenant_view){.tenant = q->tenant,
                                .root = q->root,
                                .all = q->all,
                                .history = q->history,
                                .search = {q->search[0], q->search[1]},
                                .session_cache = q->session_cache,
                                .tenant_state = q->tenant_state};
}

static void set_view(struct quire *q, const struct tenant_view *s)
{
    q->tenant = s->tenant;
    q->root = s->root;
    q->all = s->all;
    q->history = s->history;
    q->search[0] = s->search[0];
    q->search[1] = s->search[1];
    q->session_cache = s->session_cache;
    q->tenant_state = s->tenant_state;
}

void tenant_views_release(struct quire *q)
{
    struct tenant_view mine = current_view(q);
    size_t i;

    release_view(&mine);
    for (i = 0; q->tenant_views && i < TENANT_VIEWS_MAX; i++)
        release_view(&q->tenant_views->at[i]);
    free(q->tenant_views);
}

/* The slot to reuse: an empty one, or the least recently used. */
static struct tenant_view *find_free_slot(struct tenant_views *s)
{
    struct tenant_view *oldest = NULL;
    size_t i;

    for (i = 0; i < TENANT_VIEWS_MAX; i++)
        if ((!s->kept || s->at[i].tenant != s->kept) &&
            (!oldest || s->at[i].left < oldest->left))
            oldest = &s->at[i];
    return oldest;
}

/* The cached view of a tenant; NULL: none. */
static struct tenant_view *find_view(struct tenant_views *s, int64_t tenant)
{
    size_t i;

    for (i = 0; i < TENANT_VIEWS_MAX; i++)
        if (s->at[i].tenant == tenant)
            return &s->at[i];
    return NULL;
}

/* Cache the current view in `wait`, and switch to `next`. */
static void switch_view(struct quire *q, struct tenant_view *wait,
                        struct tenant_view next)
{
    struct tenant_view mine = current_view(q);

    release_view(wait);
    search_index_park(&mine.search[0]);
    search_index_park(&mine.search[1]);
    *wait = mine;
    wait->left = ++q->tenant_views->turn;
    set_view(q, &next);
}

void tenant_views_keep_current(struct quire *q, bool yes)
{
    if (q->tenant_views)
        q->tenant_views->kept = yes ? q->tenant : 0;
}

void tenant_views_invalidate(struct quire *q)
{
    size_t i;

    q->tenant_state = 0;
    for (i = 0; q->tenant_views && i < TENANT_VIEWS_MAX; i++)
        q->tenant_views->at[i].tenant_state = 0;
}

quire_status quire_tenant_use(quire *q, const char *which, quire_error *err)
{
    struct tenant_view before = current_view(q), next = {.tenant = 0},
                       *there = NULL;
    int64_t id = 0;
    quire_status st = check_free(q, err);

    if (!st && !q->tenant_views) {
        q->tenant_views = calloc(1, sizeof *q->tenant_views);
        st = q->tenant_views ? QUIRE_OK : err_memory(err);
    }
    if (st || (*which == '#' && read_id(which + 1, &id) && id == q->tenant))
        return st;
    if (id)
        there = find_view(q->tenant_views, id);
    if (there) {
        next = *there;
        *there = (struct tenant_view){.tenant = 0};
        switch_view(q, there, next);
        return QUIRE_OK;
    }
    /* Look it up in an empty view, which becomes current if it is found. */
    set_view(q, &next);
    st = tenants_find(q, which, err);
    next = current_view(q);
    set_view(q, &before);
    if (st || next.tenant == q->tenant)
        release_view(&next);
    else
        switch_view(q, find_free_slot(q->tenant_views), next);
    return st;
}
