/*
 * notifications.c - subscriptions, and how changes are detected
 *
 * A subscription stores a stamp of its resource, a number that changes with it.
 * mcp_look() computes the stamps again and notifies of those that differ, so a
 * change by this program, an editor or another process is reported once. The list of
 * resources changes by a call here or by a file that appears or vanishes; for other
 * processes the newest artifact and the number of outputs are compared.
 *
 * Nothing is sent with the lock held: a client that does not read would block all.
 * A peer that is being sent to is not freed meanwhile.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "mcp/priv.h"

int mcp_look_fd(const struct mcp *m)
{
    return m->look_fd;
}

void notifications_change(struct mcp *m, bool list)
{
    pthread_mutex_lock(&m->lock);
    m->list_changes += list;
    m->own_change = true;
    pthread_mutex_unlock(&m->lock);
    eventfd_write(m->look_fd, 1);
}

/* ---- subscriptions ----------------------------------------------------- */

/* The caller holds m->lock. False: no room. */
static bool add_subscription(struct mcp_peer *p, const char *uri,
                             uint64_t stamp, struct mcp_call *listen)
{
    struct subscription *bigger;

    if (p->n_subs == SUBSCRIPTIONS_MAX)
        return false;
    if (p->n_subs == p->cap_subs) {
        bigger = realloc(p->subs, (p->cap_subs + 16) * sizeof *bigger);
        if (!bigger)
            return false;
        p->subs = bigger;
        p->cap_subs += 16;
    }
    p->subs[p->n_subs] = (struct subscription){strdup(uri), stamp, listen};
    return p->subs[p->n_subs].uri && ++p->n_subs;
}

void notifications_drop(struct mcp_peer *p, const struct mcp_call *listen)
{
    size_t i, kept = 0;

    pthread_mutex_lock(&p->m->lock);
    for (i = 0; i < p->n_subs; i++)
        if (listen && p->subs[i].listen != listen)
            p->subs[kept++] = p->subs[i];
        else
            free(p->subs[i].uri);
    p->n_subs = kept;
    pthread_mutex_unlock(&p->m->lock);
}

/* Where an earlier subscription to the same is; n_subs if there is none. */
static size_t find_subscription(const struct mcp_peer *p, const char *uri)
{
    size_t i;

    for (i = 0; i < p->n_subs; i++)
        if (!p->subs[i].listen && !strcmp(p->subs[i].uri, uri))
            break;
    return i;
}

static void refuse_room(struct mcp_call *c)
{
    message_refuse(c, CODE_INTERNAL, "end some of them first",
                   "too many subscriptions");
}

void do_subscribe(struct mcp_call *c, struct mcp_handle *h)
{
    const char *uri = message_text(c, c->params, "uri");
    struct mcp_peer *p = c->peer;
    uint64_t stamp = uri ? resource_stamp(h, uri) : 0;
    bool fine = true;

    if (stamp == 0) {
        message_refuse_resource(c, uri ? uri : "");
        return;
    }
    pthread_mutex_lock(&p->m->lock);
    if (find_subscription(p, uri) == p->n_subs)
        fine = add_subscription(p, uri, stamp, NULL);
    pthread_mutex_unlock(&p->m->lock);
    if (!fine)
        refuse_room(c);
}

void do_unsubscribe(struct mcp_call *c, struct mcp_handle *h)
{
    const char *uri = message_text(c, c->params, "uri");
    struct mcp_peer *p = c->peer;
    size_t at;

    (void)h;
    if (!uri) {
        message_refuse(c, CODE_PARAMS, NULL,
                       "resources/unsubscribe needs a uri");
        return;
    }
    pthread_mutex_lock(&p->m->lock);
    at = find_subscription(p, uri);
    if (at < p->n_subs) {
        free(p->subs[at].uri);
        p->subs[at] = p->subs[--p->n_subs];
    }
    pthread_mutex_unlock(&p->m->lock);
}

/* ---- listening --------------------------------------------------------- */

/* What was agreed to: the first that is heard of a subscription. */
static void acknowledge(struct mcp_call *c, quire_bytes uris)
{
    struct buf notice = BUF_INIT((size_t)64 << 20);
    struct json_writer w;
    struct json_scan it;

    notification_begin(&w, &notice, "notifications/subscriptions/acknowledged",
                       c);
    json_key(&w, "notifications");
    json_object(&w);
    if (c->listen_list) {
        json_put_bool(&w, "resourcesListChanged", true);
    }
    if (uris.data) {
        /* One by one: there may be newlines between them. */
        json_key(&w, "resourceSubscriptions");
        json_array(&w);
        json_iter_init(&it, uris);
        while (json_next(&it))
            json_raw(&w, it.value);
        json_array_end(&w);
    }
    json_object_end(&w);
    notification_end(&w);
    peer_send(c->peer, &notice);
}

/* What is not there may come to be. */
static bool listen_for(struct mcp_call *c, struct mcp_handle *h,
                       quire_bytes one)
{
    struct arena keep = ARENA_INIT;
    struct uri u;
    const char *uri = NULL;
    bool fine = false;

    if (json_kind(one) == JSON_STRING)
        uri = arena_text(&keep, json_text(one, &keep));
    if (!uri || !uri_read(uri, &u) || !uri_allowed(h->m, &u)) {
        message_refuse_resource(c, uri ? uri : "");
    } else {
        uint64_t stamp = resource_stamp(h, uri);

        pthread_mutex_lock(&h->m->lock);
        fine = add_subscription(c->peer, uri, stamp, c);
        pthread_mutex_unlock(&h->m->lock);
        if (!fine)
            refuse_room(c);
    }
    arena_release(&keep);
    return fine;
}

/* Acknowledge the subscription; the caller lists it afterwards. */
void do_listen(struct mcp_call *c, struct mcp_handle *h)
{
    quire_bytes filter = json_get(c->params, "notifications");
    quire_bytes uris = json_get(filter, "resourceSubscriptions");
    struct json_scan it;

    c->listens = true;
    pthread_mutex_lock(&h->m->lock);
    c->list_seen = h->m->list_changes;
    pthread_mutex_unlock(&h->m->lock);
    if (json_kind(filter) != JSON_OBJECT ||
        (uris.data && json_kind(uris) != JSON_ARRAY)) {
        message_refuse(c, CODE_PARAMS,
                       "for example "
                       "{\"resourcesListChanged\":true}",
                       "subscriptions/listen needs an object `notifications`");
        return;
    }
    json_read_bool(json_get(filter, "resourcesListChanged"), &c->listen_list);
    if (uris.data) {
        json_iter_init(&it, uris);
        while (json_next(&it) && listen_for(c, h, it.value))
            ;
    }
    if (!c->code && !atomic_load(&c->cancelled))
        acknowledge(c, uris);
}

/* ---- looking ----------------------------------------------------------- */

/* A message on its way. */
struct letter {
    struct letter *next;
    struct mcp_peer *peer; /* `sending` counts it */
    struct buf text;
};

struct look {
    struct arena keep;
    struct letter *first, **last;
    const char **uris; /* of all peers, each once or more */
    uint64_t *stamps;
    size_t n;
};

/* m->lock is held. An empty one is not sent. */
static struct letter *new_letter(struct look *l, struct mcp_peer *p)
{
    struct letter *one = arena_alloc(&l->keep, sizeof *one);

    if (!one)
        return NULL;
    *one = (struct letter){.peer = p, .text = BUF_INIT(1 << 20)};
    p->sending++;
    *l->last = one;
    l->last = &one->next;
    return one;
}

/* m->lock is held. */
static void post(struct look *l, struct mcp_peer *p, const char *uri,
                 const struct mcp_call *listen)
{
    struct letter *one = new_letter(l, p);
    struct json_writer w;

    if (!one)
        return;
    notification_begin(&w, &one->text,
                       uri ? "notifications/resources/updated"
                           : "notifications/resources/list_changed",
                       listen);
    if (uri)
        json_put_str(&w, "uri", uri);
    notification_end(&w);
}

static void deliver(struct look *l, struct mcp *m)
{
    struct letter *one;

    for (one = l->first; one; one = one->next) {
        peer_send(one->peer, &one->text);
        pthread_mutex_lock(&m->lock);
        one->peer->sending--;
        pthread_cond_broadcast(&m->idle);
        pthread_mutex_unlock(&m->lock);
    }
}

static quire_status see_newest(void *ctx, const quire_artifact *a,
                               quire_error *err)
{
    quire_artifact *newest = ctx;

    (void)err;
    newest->updated_us = a->updated_us;
    newest->version = a->version;
    return QUIRE_OK;
}

struct count {
    struct mcp *m;
    uint64_t outputs;
};

static quire_status count_output(void *ctx, const quire_output *o,
                                 quire_error *err)
{
    struct count *n = ctx;

    (void)err;
    n->outputs += handle_sees(n->m, o->address);
    return QUIRE_OK;
}

/* What others did to the list. An artifact that has only changed is in it as it
 * was. */
static void look_at_list(struct mcp *m, struct mcp_handle *h)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    quire_artifact newest = {.version = 0};
    struct count n = {m, 0};

    o.limit = 1;
    if (!m->session)
        return;
    if ((h->w && quire_artifact_list(h->q, m->session, &o, see_newest, &newest,
                                     NULL)) ||
        handle_outputs(h, NULL) ||
        quire_outputs_list(h->outputs, count_output, &n, NULL))
        return;
    pthread_mutex_lock(&m->lock);
    if (m->seen && !m->own_change &&
        (n.outputs != m->n_outputs ||
         (newest.updated_us > m->newest_us && newest.version == 1)))
        m->list_changes++;
    m->own_change = false;
    m->newest_us = newest.updated_us;
    m->n_outputs = n.outputs;
    m->seen = true;
    pthread_mutex_unlock(&m->lock);
}

/* Copies of all subscribed addresses. */
static void collect_changes(struct look *l, struct mcp *m)
{
    struct mcp_peer *p;
    size_t i, n = 0;

    pthread_mutex_lock(&m->lock);
    for (p = m->peers; p; p = p->next)
        n += p->n_subs;
    l->uris = arena_array(&l->keep, n, sizeof *l->uris);
    l->stamps = arena_array(&l->keep, n, sizeof *l->stamps);
    for (p = m->peers; l->uris && l->stamps && p; p = p->next)
        for (i = 0; i < p->n_subs; i++) {
            l->uris[l->n] = arena_text(&l->keep, bytes_str(p->subs[i].uri));
            l->n += l->uris[l->n] != NULL;
        }
    pthread_mutex_unlock(&m->lock);
}

/* m->lock is held. */
static void compare(struct look *l, struct mcp_peer *p)
{
    size_t i, k;

    for (i = 0; i < p->n_subs; i++)
        for (k = 0; k < l->n; k++) {
            if (strcmp(l->uris[k], p->subs[i].uri) != 0)
                continue;
            if (l->stamps[k] != p->subs[i].stamp &&
                (!p->subs[i].listen || p->subs[i].listen->open)) {
                p->subs[i].stamp = l->stamps[k];
                post(l, p, p->subs[i].uri, p->subs[i].listen);
            }
            break;
        }
}

/* m->lock is held. */
static void tell_of_list(struct look *l, struct mcp_peer *p)
{
    struct mcp_call *c;

    if (p->initialized && p->list_seen != p->m->list_changes)
        post(l, p, NULL, NULL);
    p->list_seen = p->m->list_changes;
    for (c = p->calls; c; c = c->next) {
        if (!c->open)
            continue;
        if (c->listen_list && c->list_seen != p->m->list_changes)
            post(l, p, NULL, c);
        c->list_seen = p->m->list_changes;
    }
}

/* Send progress of long calls whose clients asked for it. The caller holds
 * m->lock. */
static void send_progress(struct look *l, struct mcp_peer *p)
{
    struct mcp_call *c;

    for (c = p->calls; c; c = c->next) {
        struct letter *one = c->stop_fd >= 0 ? new_letter(l, p) : NULL;

        if (one)
            progress_format(c, bytes_of("", 0), &one->text);
    }
}

void mcp_look(struct mcp *m, struct mcp_handle *h, bool changed)
{
    struct look l = {.keep = ARENA_INIT};
    struct mcp_peer *p;
    eventfd_t n;
    size_t i;

    eventfd_read(m->look_fd, &n);
    l.last = &l.first;
    pthread_mutex_lock(&m->lock);
    m->list_changes += changed;
    m->own_change |= changed;
    pthread_mutex_unlock(&m->lock);
    look_at_list(m, h);
    collect_changes(&l, m);
    for (i = 0; i < l.n; i++)
        l.stamps[i] = resource_stamp(h, l.uris[i]);
    pthread_mutex_lock(&m->lock);
    for (p = m->peers; p; p = p->next) {
        compare(&l, p);
        tell_of_list(&l, p);
        send_progress(&l, p);
    }
    pthread_mutex_unlock(&m->lock);
    deliver(&l, m);
    arena_release(&l.keep);
}
