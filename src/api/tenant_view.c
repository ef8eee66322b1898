/*
 * tenant_view.c - a handle that works for several tenants in turn
 *
 * Whose a call is decides where its files lie; the catalogue is one for all. So
 * a handle that serves many tenants has one connection, and of each tenant that
 * it served lately a seat: what it opened and found below the tenant's root. The
 * one it sits on is in struct quire itself, the others wait here.
 */
#include <stdlib.h>

#include "base/err.h"
#include "memory/history.h"
#include "api/priv.h"

/* Those that wait. */
enum { SEATS_MAX = 16 };

/* As in struct quire; all is owned. */
struct seat {
    int64_t tenant; /* 0: it is free */
    char *root;
    struct object_store *all;
    struct history *history;
    struct found_at *found;
    int64_t tenant_state;
    uint64_t left; /* in which turn */
};

struct seats {
    struct seat at[SEATS_MAX];
    uint64_t turn;
    int64_t kept; /* of this tenant; 0: none is */
};

static void release(struct seat *s)
{
    found_free(s->found);
    if (s->all)
        s->all->ops->free(s->all);
    history_close(s->history);
    free(s->root);
    *s = (struct seat){.tenant = 0};
}

static struct seat taken(const struct quire *q)
{
    return (struct seat){.tenant = q->tenant,
                         .root = q->root,
                         .all = q->all,
                         .history = q->history,
                         .found = q->found,
                         .tenant_state = q->tenant_state};
}

static void take(struct quire *q, const struct seat *s)
{
    q->tenant = s->tenant;
    q->root = s->root;
    q->all = s->all;
    q->history = s->history;
    q->found = s->found;
    q->tenant_state = s->tenant_state;
}

void seats_release(struct quire *q)
{
    struct seat mine = taken(q);
    size_t i;

    release(&mine);
    for (i = 0; q->seats && i < SEATS_MAX; i++)
        release(&q->seats->at[i]);
    free(q->seats);
}

/* Where one can wait: free, or that which was left longest ago. */
static struct seat *room_among(struct seats *s)
{
    struct seat *oldest = NULL;
    size_t i;

    for (i = 0; i < SEATS_MAX; i++)
        if ((!s->kept || s->at[i].tenant != s->kept) &&
            (!oldest || s->at[i].left < oldest->left))
            oldest = &s->at[i];
    return oldest;
}

/* The seat of a tenant that waits; NULL: it has none. */
static struct seat *seat_of(struct seats *s, int64_t tenant)
{
    size_t i;

    for (i = 0; i < SEATS_MAX; i++)
        if (s->at[i].tenant == tenant)
            return &s->at[i];
    return NULL;
}

/* Leave the seat to `wait`, and sit on another. */
static void change(struct quire *q, struct seat *wait, struct seat next)
{
    struct seat mine = taken(q);

    release(wait);
    *wait = mine;
    wait->left = ++q->seats->turn;
    take(q, &next);
}

void seats_keep(struct quire *q, bool yes)
{
    if (q->seats)
        q->seats->kept = yes ? q->tenant : 0;
}

void seats_doubt(struct quire *q)
{
    size_t i;

    q->tenant_state = 0;
    for (i = 0; q->seats && i < SEATS_MAX; i++)
        q->seats->at[i].tenant_state = 0;
}

quire_status quire_tenant_use(quire *q, const char *which, quire_error *err)
{
    struct seat before = taken(q), next = {.tenant = 0}, *there = NULL;
    int64_t id = 0;
    quire_status st = check_free(q, err);

    if (!st && !q->seats) {
        q->seats = calloc(1, sizeof *q->seats);
        st = q->seats ? QUIRE_OK : err_memory(err);
    }
    if (st || (*which == '#' && read_id(which + 1, &id) && id == q->tenant))
        return st;
    if (id)
        there = seat_of(q->seats, id);
    if (there) {
        next = *there;
        *there = (struct seat){.tenant = 0};
        change(q, there, next);
        return QUIRE_OK;
    }
    /* Looked for in an empty seat, which is kept if it is found. */
    take(q, &next);
    st = tenants_find(q, which, err);
    next = taken(q);
    take(q, &before);
    if (st || next.tenant == q->tenant)
        release(&next);
    else
        change(q, room_among(q->seats), next);
    return st;
}
