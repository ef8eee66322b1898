/* registry.c - see registry.h: rooms, and the one who looks */
#include "server/mcp/registry.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parallel.h"
#include "server/mcp/priv.h"

/* Between looks at a room; before one, so that it sees more at once. Rooms that
 * are looked at in one turn. */
enum { LOOK_MS = 1000, NAP_MS = 20, TURN = 256 };

/* ---- rooms -------------------------------------------------------------- */

static void mcp_endpoint_free(struct mcp_endpoint *r)
{
    if (!r)
        return;
    mcp_handle_close(r->look);
    mcp_close(r->m);
    free(r->session);
    free(r);
}

static quire_status mcp_endpoint_new(struct mcp_registry *l, int64_t tenant,
                                     const char *session,
                                     struct mcp_endpoint **out,
                                     quire_error *err)
{
    struct mcp_endpoint *r = calloc(1, sizeof *r);
    struct mcp_config config = {.allow_run = l->allow_run};
    quire_status st;

    *out = NULL;
    if (!r)
        return err_memory(err);
    r->mcp_registry = l;
    r->tenant = tenant;
    r->session = strdup(session);
    r->store = (quire_options)QUIRE_OPTIONS_INIT;
    r->store.home = l->home;
    r->store.tenant = r->tenant_name;
    snprintf(r->tenant_name, sizeof r->tenant_name, "#%lld", (long long)tenant);
    config.store = &r->store;
    config.session = r->session;
    st = r->session ? mcp_open(&config, &r->m, err) : err_memory(err);
    if (st)
        mcp_endpoint_free(r);
    else
        *out = r;
    return st;
}

/* The lock is held. */
static struct mcp_endpoint *find_room(struct mcp_registry *l, int64_t tenant,
                                      const char *session)
{
    struct mcp_endpoint *r;

    for (r = l->rooms; r; r = r->next)
        if (r->tenant == tenant && !strcmp(r->session, session))
            break;
    return r;
}

/* Take rooms that nobody has used since then out of the list, up to `max`. The
 * lock is held. */
static struct mcp_endpoint *take_idle(struct mcp_registry *l, int64_t since_ms,
                                      size_t max)
{
    struct mcp_endpoint **at = &l->rooms, *idle = NULL;

    while (*at && max > 0) {
        struct mcp_endpoint *r = *at;

        if (r->refs > 0 || r->used_ms > since_ms) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        r->next = idle;
        idle = r;
        l->n_rooms--;
        max--;
    }
    return idle;
}

static void free_rooms(struct mcp_endpoint *list)
{
    while (list) {
        struct mcp_endpoint *r = list;

        list = r->next;
        mcp_endpoint_free(r);
    }
}

void mcp_endpoint_ref(struct mcp_endpoint *r)
{
    r->refs++;
    r->used_ms = mcp_now_ms();
}

/* A new one, unless somebody has been faster. It may come in place of one that
 * is not in use. */
static quire_status add_room(struct mcp_registry *l, struct mcp_endpoint *fresh,
                             struct mcp_endpoint **out, quire_error *err)
{
    struct mcp_endpoint *extra = NULL, *there;
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&l->lock);
    there = find_room(l, fresh->tenant, fresh->session);
    if (!there && l->n_rooms >= MCP_ENDPOINTS_MAX)
        extra = take_idle(l, INT64_MAX, 1);
    if (!there && l->n_rooms < MCP_ENDPOINTS_MAX && !l->stopped) {
        fresh->next = l->rooms;
        l->rooms = fresh;
        l->n_rooms++;
        there = fresh;
    }
    if (there)
        mcp_endpoint_ref(there);
    pthread_mutex_unlock(&l->lock);
    free_rooms(extra);
    if (there != fresh)
        mcp_endpoint_free(fresh);
    if (!there) {
        st = err_fail(err, QUIRE_BUSY, "try again later",
                      "too many sessions are open by MCP");
    }
    *out = there;
    return st;
}

quire_status mcp_endpoint_hold(struct mcp_registry *l, int64_t tenant,
                               const char *session, struct mcp_endpoint **out,
                               quire_error *err)
{
    struct mcp_endpoint *fresh;
    quire_status st;

    pthread_mutex_lock(&l->lock);
    *out = find_room(l, tenant, session);
    if (*out)
        mcp_endpoint_ref(*out);
    pthread_mutex_unlock(&l->lock);
    if (*out)
        return QUIRE_OK;
    st = mcp_endpoint_new(l, tenant, session, &fresh, err);
    return st ? st : add_room(l, fresh, out, err);
}

void mcp_endpoint_drop(struct mcp_endpoint *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->mcp_registry->lock);
    r->refs--;
    r->used_ms = mcp_now_ms();
    pthread_mutex_unlock(&r->mcp_registry->lock);
}

struct mcp *mcp_endpoint_mcp(struct mcp_endpoint *r)
{
    return r->m;
}

/* ---- who looks ---------------------------------------------------------- */

struct turn {
    struct mcp_endpoint *rooms[TURN];
    struct pollfd fds[TURN + 1]; /* the last is the mcp_registry's own */
    int n;
    bool any; /* there is somebody who may have to be forgotten */
};

/* Rooms where somebody listens, or waits. Each is held. */
static void choose_rooms(struct mcp_registry *l, struct turn *t)
{
    struct mcp_endpoint *r;

    t->n = 0;
    pthread_mutex_lock(&l->lock);
    t->any = l->rooms || l->guests;
    for (r = l->rooms; r && t->n < TURN; r = r->next) {
        if (r->n_ears == 0)
            continue;
        r->refs++;
        t->rooms[t->n] = r;
        t->fds[t->n++] = (struct pollfd){mcp_look_fd(r->m), POLLIN, 0};
    }
    pthread_mutex_unlock(&l->lock);
    t->fds[t->n] = (struct pollfd){l->wake_fd, POLLIN, 0};
}

/* Without a way to the store nobody is told anything; it is tried again. */
static void look_at(struct mcp_endpoint *r)
{
    int64_t now = mcp_now_ms();

    r->looked_ms = now;
    if (!r->look && mcp_handle_open(r->m, NULL, &r->look, NULL))
        return;
    mcp_look(r->m, r->look, false);
}

static void look_round(struct turn *t)
{
    int64_t now = mcp_now_ms();
    int i;

    for (i = 0; i < t->n; i++) {
        if (t->fds[i].revents || now - t->rooms[i]->looked_ms >= LOOK_MS)
            look_at(t->rooms[i]);
        mcp_endpoint_drop(t->rooms[i]);
    }
}

static void sweep(struct mcp_registry *l)
{
    int64_t now = mcp_now_ms();
    struct mcp_endpoint *idle;

    mcp_clients_sweep(l, now);
    pthread_mutex_lock(&l->lock);
    idle = take_idle(l, now - IDLE_MS, SIZE_MAX);
    pthread_mutex_unlock(&l->lock);
    free_rooms(idle);
}

static bool is_stopped(struct mcp_registry *l)
{
    bool stopped;

    pthread_mutex_lock(&l->lock);
    stopped = l->stopped;
    pthread_mutex_unlock(&l->lock);
    return stopped;
}

static void *look(void *ctx)
{
    struct mcp_registry *l = ctx;
    struct turn *t = calloc(1, sizeof *t);
    int64_t swept_ms = mcp_now_ms();
    eventfd_t n;

    while (t && !is_stopped(l)) {
        choose_rooms(l, t);
        if (poll(t->fds, (nfds_t)t->n + 1,
                 t->n     ? LOOK_MS
                 : t->any ? SWEEP_MS
                          : -1) > 0)
            poll(NULL, 0, NAP_MS);
        if (t->fds[t->n].revents)
            eventfd_read(l->wake_fd, &n);
        look_round(t);
        if (mcp_now_ms() - swept_ms >= SWEEP_MS) {
            sweep(l);
            swept_ms = mcp_now_ms();
        }
    }
    free(t);
    return NULL;
}

void mcp_registry_wake(struct mcp_registry *l)
{
    eventfd_write(l->wake_fd, 1);
}

/* ---- life --------------------------------------------------------------- */

struct mcp_registry *mcp_registry_new(const char *home, bool allow_run)
{
    struct mcp_registry *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->home = home;
    l->allow_run = allow_run;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->less, NULL);
    l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->looking = l->wake_fd >= 0 && parallel_thread_start(&l->looker, look, l);
    if (l->looking)
        return l;
    mcp_registry_free(l);
    return NULL;
}

void mcp_registry_stop(struct mcp_registry *l)
{
    struct mcp_endpoint *r;

    pthread_mutex_lock(&l->lock);
    l->stopped = true;
    for (r = l->rooms; r; r = r->next)
        mcp_stop(r->m);
    while (l->n_threads > 0)
        pthread_cond_wait(&l->less, &l->lock);
    pthread_mutex_unlock(&l->lock);
    mcp_registry_wake(l);
    if (l->looking)
        pthread_join(l->looker, NULL);
    l->looking = false;
}

void mcp_registry_free(struct mcp_registry *l)
{
    if (!l)
        return;
    if (l->looking)
        mcp_registry_stop(l);
    mcp_clients_sweep(l, INT64_MAX);
    free_rooms(l->rooms);
    if (l->wake_fd >= 0)
        close(l->wake_fd);
    pthread_cond_destroy(&l->less);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

void mcp_registry_count(struct mcp_registry *l, uint64_t *guests,
                        uint64_t *streams)
{
    struct mcp_client *g;
    struct mcp_endpoint *r;

    *guests = *streams = 0;
    pthread_mutex_lock(&l->lock);
    for (g = l->guests; g; g = g->next)
        ++*guests;
    for (r = l->rooms; r; r = r->next)
        *streams += r->n_ears;
    pthread_mutex_unlock(&l->lock);
}
