/* registry.c - endpoints of all tenants; see registry.h */
#include "server/mcp/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/err.h"
#include "server/mcp/priv.h"

/* ---- endpoints ---------------------------------------------------------- */

static void mcp_endpoint_free(struct mcp_endpoint *r)
{
    if (!r)
        return;
    mcp_handle_close(r->handle);
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
    r->store = *l->store;
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

/* The caller holds the lock. */
static struct mcp_endpoint *find_endpoint(struct mcp_registry *l,
                                          int64_t tenant, const char *session)
{
    struct mcp_endpoint *r;

    for (r = l->endpoints; r; r = r->next)
        if (r->tenant == tenant && !strcmp(r->session, session))
            break;
    return r;
}

struct mcp_endpoint *mcp_endpoints_take_idle(struct mcp_registry *l,
                                             int64_t since_ms, size_t max)
{
    struct mcp_endpoint **at = &l->endpoints, *idle = NULL;

    while (*at && max > 0) {
        struct mcp_endpoint *r = *at;

        if (r->refs > 0 || r->used_ms > since_ms) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        r->next = idle;
        idle = r;
        l->n_endpoints--;
        max--;
    }
    return idle;
}

void mcp_endpoints_free(struct mcp_endpoint *list)
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

/* Add a new one, unless another thread was faster. It may replace an unused one. */
static quire_status add_endpoint(struct mcp_registry *l,
                                 struct mcp_endpoint *fresh,
                                 struct mcp_endpoint **out, quire_error *err)
{
    struct mcp_endpoint *extra = NULL, *there;
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&l->lock);
    there = find_endpoint(l, fresh->tenant, fresh->session);
    if (!there && l->n_endpoints >= MCP_ENDPOINTS_MAX)
        extra = mcp_endpoints_take_idle(l, INT64_MAX, 1);
    if (!there && l->n_endpoints < MCP_ENDPOINTS_MAX && !l->stopped) {
        fresh->next = l->endpoints;
        l->endpoints = fresh;
        l->n_endpoints++;
        there = fresh;
    }
    if (there)
        mcp_endpoint_ref(there);
    pthread_mutex_unlock(&l->lock);
    mcp_endpoints_free(extra);
    if (there != fresh)
        mcp_endpoint_free(fresh);
    if (!there) {
        st = err_fail(err, QUIRE_BUSY, "try again later",
                      "too many sessions are open over MCP");
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
    *out = find_endpoint(l, tenant, session);
    if (*out)
        mcp_endpoint_ref(*out);
    pthread_mutex_unlock(&l->lock);
    if (*out)
        return QUIRE_OK;
    st = mcp_endpoint_new(l, tenant, session, &fresh, err);
    return st ? st : add_endpoint(l, fresh, out, err);
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

void mcp_registry_wake(struct mcp_registry *l)
{
    eventfd_write(l->wake_fd, 1);
}
