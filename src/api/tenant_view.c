/*
 * tenant_view.c - a handle that works for several tenants in turn
 *
 * All tenants share one catalogue connection; each has its own directory of
 * sessions. A view holds what is open for one tenant. The current view is in struct
 * quire itself, recent ones are cached here.
 */
#include <stdlib.h>

#include "base/err.h"
#include "memory/history.h"
#include "api/priv.h"

/* Cached views. */
enum { TENANT_VIEWS_MAX = 16 };

/* Fields of struct quire; all owned. */
struct tenant_view {
    int64_t tenant; /* 0: empty */
    char *root;
    struct object_store *all;
    struct history *history;
    struct session_cache_entry *session_cache;
    int64_t tenant_state;
    uint64_t left; /* use counter when it was left */
};

struct tenant_views {
    struct tenant_view at[TENANT_VIEWS_MAX];
    uint64_t turn;
    int64_t kept; /* not evicted; 0: none */
};

static void release(struct tenant_view *s)
{
    session_cache_free(s->session_cache);
    if (s->all)
        s->all->ops->free(s->all);
    history_close(s->history);
    free(s->root);
    *s = (struct tenant_view){.tenant = 0};
}

static struct tenant_view taken(const struct quire *q)
{
    return (struct tenant_view){.tenant = q->tenant,
                                .root = q->root,
                                .all = q->all,
                                .history = q->history,
                                .session_cache = q->session_cache,
                                .tenant_state = q->tenant_state};
}

static void take(struct quire *q, const struct tenant_view *s)
{
    q->tenant = s->tenant;
    q->root = s->root;
    q->all = s->all;
    q->history = s->history;
    q->session_cache = s->session_cache;
    q->tenant_state = s->tenant_state;
}

void tenant_views_release(struct quire *q)
{
    struct tenant_view mine = taken(q);
    size_t i;

    release(&mine);
    for (i = 0; q->tenant_views && i < TENANT_VIEWS_MAX; i++)
        release(&q->tenant_views->at[i]);
    free(q->tenant_views);
}

/* The slot to reuse: an empty one, or the least recently used. */
static struct tenant_view *room_among(struct tenant_views *s)
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
static struct tenant_view *seat_of(struct tenant_views *s, int64_t tenant)
{
    size_t i;

    for (i = 0; i < TENANT_VIEWS_MAX; i++)
        if (s->at[i].tenant == tenant)
            return &s->at[i];
    return NULL;
}

/* Cache the current view in `wait`, and switch to `next`. */
static void change(struct quire *q, struct tenant_view *wait,
                   struct tenant_view next)
{
    struct tenant_view mine = taken(q);

    release(wait);
    *wait = mine;
    wait->left = ++q->tenant_views->turn;
    take(q, &next);
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
    struct tenant_view before = taken(q), next = {.tenant = 0}, *there = NULL;
    int64_t id = 0;
    quire_status st = check_free(q, err);

    if (!st && !q->tenant_views) {
        q->tenant_views = calloc(1, sizeof *q->tenant_views);
        st = q->tenant_views ? QUIRE_OK : err_memory(err);
    }
    if (st || (*which == '#' && read_id(which + 1, &id) && id == q->tenant))
        return st;
    if (id)
        there = seat_of(q->tenant_views, id);
    if (there) {
        next = *there;
        *there = (struct tenant_view){.tenant = 0};
        change(q, there, next);
        return QUIRE_OK;
    }
    /* Look it up in an empty view, which becomes current if it is found. */
    take(q, &next);
    st = tenants_find(q, which, err);
    next = taken(q);
    take(q, &before);
    if (st || next.tenant == q->tenant)
        release(&next);
    else
        change(q, room_among(q->tenant_views), next);
    return st;
}
