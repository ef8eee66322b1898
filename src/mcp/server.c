/*
 * server.c - peers, and the way of a call from its message to its answer
 *
 * A call is listed with its peer from when it was read until it has its answer,
 * so that a cancellation finds it. One that was cancelled in between has none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "mcp/priv.h"

/* The conformance suite wants tools of its own: tests/mcp/fixtures. */
#ifdef QUIRE_FIXTURES
#include "fixtures.h"
#else
#define fixture_perform(c) false
#define fixture_is_long(c) false
#define fixture_hear(text) ((void)(text))
#endif

#define ANSWER_MAX ((size_t)1 << 30)

/* ---- what is offered --------------------------------------------------- */

quire_status mcp_open(const struct mcp_config *config, struct mcp **out,
                      quire_error *err)
{
    struct mcp *m = calloc(1, sizeof *m);

    *out = NULL;
    if (!m)
        return err_memory(err);
    m->store = *config->store;
    m->allow_run = config->allow_run;
    m->read_all = config->read_all;
    m->read_only = config->read_only;
    m->tools = config->tools ? config->tools
                             : MCP_TOOL_WORKSPACE | MCP_TOOL_RECALL |
                                   MCP_TOOL_READ | MCP_TOOL_REMEMBER;
    m->of_directory = config->of_directory && !config->session;
    m->asks_roots = config->asks_roots;
    m->look_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->finding, NULL);
    pthread_cond_init(&m->idle, NULL);
    if (config->session)
        m->asked = strdup(config->session);
    if (m->look_fd < 0 || (config->session && !m->asked)) {
        quire_status st = m->look_fd < 0
                              ? err_sys(err, errno, "cannot make an eventfd")
                              : err_memory(err);

        mcp_close(m);
        return st;
    }
    *out = m;
    return QUIRE_OK;
}

void mcp_close(struct mcp *m)
{
    if (!m)
        return;
    if (m->look_fd >= 0)
        close(m->look_fd);
    pthread_cond_destroy(&m->idle);
    pthread_mutex_destroy(&m->finding);
    pthread_mutex_destroy(&m->lock);
    free(m->made);
    free(m->asked);
    free(m->session);
    free(m->root);
    free(m);
}

/* ---- calls ------------------------------------------------------------- */

static struct mcp_call *call_new(struct mcp_peer *p)
{
    struct mcp_call *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->peer = p;
    c->stop_fd = -1;
    c->answer.max = ANSWER_MAX;
    c->begun_ms = c->told_ms = mcp_now_ms();
    return c;
}

static void call_free(struct mcp_call *c)
{
    while (c->parts) {
        struct mcp_call *part = c->parts;

        c->parts = part->part_next;
        call_free(part);
    }
    buf_release(&c->answer);
    arena_release(&c->keep);
    free(c);
}

static struct mcp_call *find_call(struct mcp_peer *p, quire_bytes id)
{
    struct mcp_call *c;

    for (c = p->calls; c && !message_same_id(c->id, id); c = c->next)
        ;
    return c;
}

/* Refused if another call has the id and no answer yet: which of them would a
 * cancellation be for? */
static void list_call(struct mcp_call *c)
{
    struct mcp_peer *p = c->peer;
    bool taken;

    pthread_mutex_lock(&p->m->lock);
    taken = find_call(p, c->id) != NULL;
    if (!taken) {
        c->next = p->calls;
        c->prev = NULL;
        if (p->calls)
            p->calls->prev = c;
        p->calls = c;
        c->listed = true;
    }
    pthread_mutex_unlock(&p->m->lock);
    if (taken)
        message_refuse(c, CODE_REQUEST, "give every request an id of its own",
                       "a request with this id is under way");
}

/* m->lock is held. */
static void unlist(struct mcp_call *c)
{
    if (!c->listed)
        return;
    if (c->prev)
        c->prev->next = c->next;
    else
        c->peer->calls = c->next;
    if (c->next)
        c->next->prev = c->prev;
    c->listed = false;
}

/* m->lock is held. */
static void stop_call(struct mcp_call *c)
{
    atomic_store(&c->cancelled, true);
    if (c->stop_fd >= 0)
        eventfd_write(c->stop_fd, 1);
}

void mcp_cancel(struct mcp_call *c)
{
    struct mcp_call *part;

    pthread_mutex_lock(&c->peer->m->lock);
    stop_call(c);
    for (part = c->parts; part; part = part->part_next)
        stop_call(part);
    pthread_mutex_unlock(&c->peer->m->lock);
}

void mcp_stop(struct mcp *m)
{
    struct mcp_peer *p;
    struct mcp_call *c;

    pthread_mutex_lock(&m->lock);
    m->stopped = true;
    for (p = m->peers; p; p = p->next)
        for (c = p->calls; c; c = c->next)
            if (c->stop_fd >= 0)
                eventfd_write(c->stop_fd, 1);
    pthread_mutex_unlock(&m->lock);
}

void mcp_end(struct mcp_call *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->peer->m->lock);
    unlist(c);
    pthread_mutex_unlock(&c->peer->m->lock);
    call_free(c);
}

/* ---- peers ------------------------------------------------------------- */

quire_status mcp_peer_open(struct mcp *m, mcp_send_fn send, void *ctx,
                           struct mcp_peer **out, quire_error *err)
{
    struct mcp_peer *p = calloc(1, sizeof *p);

    *out = p;
    if (!p)
        return err_memory(err);
    p->m = m;
    p->send = send;
    p->ctx = ctx;
    pthread_mutex_lock(&m->lock);
    p->next = m->peers;
    m->peers = p;
    pthread_mutex_unlock(&m->lock);
    return QUIRE_OK;
}

static void leave(struct mcp_peer *p)
{
    struct mcp_peer **at = &p->m->peers;

    while (*at && *at != p)
        at = &(*at)->next;
    if (*at)
        *at = p->next;
}

void mcp_peer_close(struct mcp_peer *p)
{
    struct mcp *m;

    if (!p)
        return;
    m = p->m;
    pthread_mutex_lock(&m->lock);
    leave(p);
    while (p->sending > 0)
        pthread_cond_wait(&m->idle, &m->lock);
    pthread_mutex_unlock(&m->lock);
    while (p->calls) {
        struct mcp_call *c = p->calls;

        unlist(c);
        answer_begin(c);
        answer_end(c);
        peer_send(p, &c->answer);
        call_free(c);
    }
    notifications_drop(p, NULL);
    free(p->subs);
    free(p);
}

/* ---- notifications ----------------------------------------------------- */

static void cancel_id(struct mcp_peer *p, quire_bytes id)
{
    struct mcp_call *c, *open = NULL;

    pthread_mutex_lock(&p->m->lock);
    c = find_call(p, id);
    if (c && c->open) {
        unlist(c);
        open = c;
    } else if (c) {
        stop_call(c);
    }
    pthread_mutex_unlock(&p->m->lock);
    if (open) {
        notifications_drop(p, open);
        call_free(open);
    }
}

/* Unknown notifications are ignored: they have no answer. */
static void handle_notification(struct mcp_call *c)
{
    struct mcp_peer *p = c->peer;

    if (json_is(c->notice, "notifications/cancelled")) {
        cancel_id(p, json_get(c->params, "requestId"));
    } else if (json_is(c->notice, "notifications/initialized")) {
        pthread_mutex_lock(&p->m->lock);
        p->initialized = true;
        p->list_seen = p->m->list_changes;
        pthread_mutex_unlock(&p->m->lock);
        roots_ask(p);
    } else if (json_is(c->notice, "notifications/roots/list_changed")) {
        roots_ask(p);
    }
}

/* ---- from message to answer -------------------------------------------- */

/* Whether the session is created for it where there is none yet. */
static bool makes_session(const struct mcp_call *c)
{
    return c->method->run == do_tools_call && tool_makes_session(c);
}

static void perform(struct mcp_call *c, struct mcp_handle *h)
{
    quire_error err = {.what = ""};
    quire_status st;

    if (fixture_perform(c))
        return;
    answer_begin(c);
    st = h ? handle_session(h, makes_session(c), &err) : QUIRE_OK;
    if (st)
        message_refuse_status(c, st, &err);
    else
        c->method->run(c, h);
    answer_end(c);
}

/* False: it wants no answer. */
static bool begin_one(struct mcp_call *c, quire_bytes text,
                      const struct mcp_via *via)
{
    if (message_read(c, text, via)) {
        if (!c->method->at_once)
            list_call(c);
        if (c->code)
            answer_end(c);
        else if (c->method->at_once)
            perform(c, NULL);
        else if (fixture_is_long(c))
            c->state = MCP_LONG;
        else
            c->state = c->method->run == do_tools_call ? tool_state(c)
                                                       : MCP_LOOK;
        return true;
    }
    if (c->code) {
        answer_end(c);
        return true;
    }
    fixture_hear(text);
    if (!roots_take(c))
        handle_notification(c);
    return false;
}

/* The answers of a batch, as an array. Without any there is no answer. */
static void join_parts(struct mcp_call *c)
{
    struct mcp_call *part;

    buf_clear(&c->answer);
    for (part = c->parts; part; part = part->part_next) {
        quire_bytes one = mcp_answer(part, NULL);

        if (!one.data)
            continue;
        buf_add_char(&c->answer, c->answer.len ? ',' : '[');
        buf_add(&c->answer, one.data, one.len);
    }
    if (c->answer.len)
        buf_add_char(&c->answer, ']');
    c->state = MCP_READY;
}

static bool allows_batch(struct mcp_call *c, const struct mcp_via *via)
{
    bool allows;

    pthread_mutex_lock(&c->peer->m->lock);
    allows = c->peer->version == V_2025_03_26;
    pthread_mutex_unlock(&c->peer->m->lock);
    return allows || (via->http && via->version &&
                      !strcmp(via->version, mcp_versions[V_2025_03_26]));
}

/* One of a batch; what a batch may not have is refused. */
static bool begin_part(struct mcp_call *c, struct mcp_call ***last,
                       quire_bytes text, const struct mcp_via *via)
{
    struct mcp_call *part = call_new(c->peer);

    if (!part) {
        message_refuse_memory(c);
        return false;
    }
    if (json_is(json_get(text, "method"), "initialize") ||
        json_is(json_get(text, "method"), "subscriptions/listen")) {
        message_refuse(part, CODE_REQUEST, "send it by itself",
                       "not allowed in a batch");
        answer_end(part);
    } else if (!begin_one(part, text, via)) {
        call_free(part);
        return true;
    }
    **last = part;
    *last = &part->part_next;
    if (part->state > c->state)
        c->state = part->state;
    return true;
}

/* Each gets an answer, which is longer than the least of messages. */
static bool is_too_many(quire_bytes text)
{
    struct json_scan it;
    int n = 0;

    json_iter_init(&it, text);
    while (n <= MCP_BATCH_MAX && json_next(&it))
        n++;
    return n > MCP_BATCH_MAX;
}

/* Those that were begun are not done. */
static void drop_parts(struct mcp_call *c)
{
    struct mcp_call *part;

    pthread_mutex_lock(&c->peer->m->lock);
    for (part = c->parts; part; part = part->part_next)
        unlist(part);
    pthread_mutex_unlock(&c->peer->m->lock);
    while ((part = c->parts)) {
        c->parts = part->part_next;
        call_free(part);
    }
}

/* False: it wants no answer. */
static bool begin_batch(struct mcp_call *c, quire_bytes text,
                        const struct mcp_via *via)
{
    struct mcp_call **last = &c->parts;
    struct json_scan it;
    bool any = false;

    if (!json_check(text, JSON_UTF8, NULL))
        return begin_one(c, text, via); /* which says what is wrong */
    if (!allows_batch(c, via)) {
        message_refuse(c, CODE_REQUEST, "send one message at a time",
                       "only version 2025-03-26 has batches");
        answer_end(c);
        return true;
    }
    if (is_too_many(text)) {
        message_refuse(c, CODE_REQUEST, "send them in several batches",
                       "a batch has at most %d messages", MCP_BATCH_MAX);
        answer_end(c);
        return true;
    }
    c->batch = true;
    c->state = MCP_READY;
    json_iter_init(&it, text);
    while (json_next(&it) && begin_part(c, &last, it.value, via))
        any = true;
    if (!any)
        message_refuse(c, CODE_REQUEST, NULL, "a batch without messages");
    if (c->code) {
        c->batch = false;
        drop_parts(c);
        answer_end(c);
    } else if (c->state == MCP_READY) {
        join_parts(c);
    }
    return c->code || c->parts;
}

static bool is_array(quire_bytes text)
{
    const char *t = text.data;
    size_t i = 0;

    while (i < text.len && strchr(" \t\r\n", t[i]) && t[i])
        i++;
    return i < text.len && t[i] == '[';
}

struct mcp_call *mcp_begin(struct mcp_peer *p, quire_bytes message,
                           const struct mcp_via *via)
{
    struct mcp_call *c = call_new(p);
    quire_bytes text;
    bool wanted = true;

    if (!c)
        return NULL;
    text = arena_dup(&c->keep, message);
    if (!text.data) {
        message_refuse_memory(c);
        answer_end(c);
    } else {
        wanted = is_array(text) ? begin_batch(c, text, via)
                                : begin_one(c, text, via);
    }
    if (wanted)
        return c;
    call_free(c);
    return NULL;
}

enum mcp_state mcp_state(const struct mcp_call *c)
{
    return c->state;
}

/* A subscription stays open, unless it was refused, or cancelled meanwhile.
 * Once it is open, its cancellation frees it: do not touch it after that. */
static enum mcp_state open_call(struct mcp_call *c, struct mcp_handle *h)
{
    struct mcp *m = c->peer->m;
    bool open;

    do_listen(c, h);
    pthread_mutex_lock(&m->lock);
    open = !c->code && !atomic_load(&c->cancelled);
    if (open)
        c->open = true;
    else
        unlist(c);
    pthread_mutex_unlock(&m->lock);
    if (open)
        return MCP_OPEN;
    notifications_drop(c->peer, c);
    answer_end(c);
    return MCP_READY;
}

static enum mcp_state do_one(struct mcp_call *c, struct mcp_handle *h)
{
    if (c->state == MCP_READY)
        return MCP_READY;
    if (c->method->run == do_listen)
        return open_call(c, h);
    if (!atomic_load(&c->cancelled))
        perform(c, h);
    c->state = MCP_READY;
    pthread_mutex_lock(&c->peer->m->lock);
    unlist(c);
    pthread_mutex_unlock(&c->peer->m->lock);
    return MCP_READY;
}

enum mcp_state mcp_do(struct mcp_call *c, struct mcp_handle *h)
{
    struct mcp_call *part;

    if (!c->batch)
        return do_one(c, h);
    for (part = c->parts; part; part = part->part_next)
        do_one(part, h);
    join_parts(c);
    return MCP_READY;
}

void mcp_refuse(struct mcp_call *c, const quire_error *err)
{
    struct mcp_call *part;

    for (part = c->parts; part; part = part->part_next)
        if (part->state != MCP_READY)
            mcp_refuse(part, err);
    pthread_mutex_lock(&c->peer->m->lock);
    unlist(c);
    pthread_mutex_unlock(&c->peer->m->lock);
    if (c->batch) {
        join_parts(c);
        return;
    }
    message_refuse_status(c, err->status, err);
    c->code = CODE_INTERNAL;
    answer_end(c);
}

quire_bytes mcp_answer(const struct mcp_call *c, int *status)
{
    bool modern = c->version == V_2026_07_28;

    if (status)
        *status = c->code == CODE_PARSE || c->code == CODE_REQUEST ||
                          c->code == CODE_HEADERS || c->code == CODE_VERSION ||
                          c->code == CODE_CAPABILITY || c->bad_meta
                      ? 400
                  : c->code == CODE_METHOD && modern ? 404
                                                     : 200;
    if (atomic_load(&c->cancelled) || c->answer.len == 0)
        return bytes_of(NULL, 0);
    return buf_bytes(&c->answer);
}
