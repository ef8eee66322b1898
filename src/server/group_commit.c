/* group_commit.c - see group_commit.h */
#include "server/group_commit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "server/priv.h"
#include "server/publish.h"
#include "server/response_json.h"

/* A larger group would delay its first request; a larger body, all of them. */
enum { GROUP_MAX = 64, BODY_SMALL_MAX = 64 * 1024 };

/* The server's lock guards it. */
struct group_commit {
    struct server *server;
    pthread_t thread;
    pthread_cond_t wake;
    struct request *first, **last;
    bool idle, ending;
};

bool group_commit_accepts(const struct request *c)
{
    return c->route->flags & ROUTE_GROUP &&
           exchange_body(c->x).len <= BODY_SMALL_MAX;
}

bool group_commit_submit(struct group_commit *s, struct request *c)
{
    bool room, wake;

    pthread_mutex_lock(&s->server->lock);
    room = queue_enter(s->server, c);
    if (room) {
        s->server->n_group_jobs++;
        c->next = NULL;
        *s->last = c;
        s->last = &c->next;
    }
    wake = room && s->idle;
    if (wake)
        s->idle = false;
    pthread_mutex_unlock(&s->server->lock);
    if (wake)
        pthread_cond_signal(&s->wake);
    return room;
}

/* Requests that wait, up to GROUP_MAX; NULL: shutdown. */
static struct request *take_group(struct group_commit *s)
{
    struct request *first, **end = &first;
    int n;

    pthread_mutex_lock(&s->server->lock);
    while (!s->first && !s->ending) {
        s->idle = true;
        pthread_cond_wait(&s->wake, &s->server->lock);
    }
    s->idle = false;
    first = s->first;
    for (n = 0; n < GROUP_MAX && *end; n++) {
        queue_leave(s->server, *end);
        s->server->n_group_jobs--;
        end = &(*end)->next;
    }
    s->first = *end;
    *end = NULL;
    if (!s->first)
        s->last = &s->first;
    pthread_mutex_unlock(&s->server->lock);
    return first;
}

/* ---- a group ------------------------------------------------------------ */

/* Reset a request to its state before it ran. */
static void reset_request(struct request *c)
{
    response_release(&c->answer);
    c->answer = response_new();
    c->why = c->why_next = c->path = NULL;
    c->unchanged = c->grouped = c->done = false;
    c->conversation = 0;
    c->n_secrets = c->n_secrets_shown = 0;
    c->secrets[0] = '\0';
}

/* The outcome of a group. */
enum outcome {
    COMMITTED,
    NOT_BEGUN, /* each one alone would wait as long again: all fail    */
    NOT_KEPT,  /* rolled back because of one: each is run again alone */
    UNSURE,    /* committed, but the sync failed: may not be durable  */
};

static enum outcome run_together(struct thread_ctx *d, struct request *first,
                                 quire_status *st, quire_error *err)
{
    struct request *c;
    int kept;

    *st = quire_transaction_begin(d->root, err);
    if (*st)
        return NOT_BEGUN;
    for (c = first; c; c = c->next) {
        c->grouped = true;
        request_run(c, d);
        atomic_fetch_add(&d->server->grouped, 1);
    }
    atomic_fetch_add(&d->server->groups, 1);
    *st = quire_transaction_end(d->root, &kept, err);
    for (c = first; c; c = c->next)
        request_count_done(c, d->server);
    return !*st ? COMMITTED : kept ? UNSURE : NOT_KEPT;
}

/* Run a group and answer its requests once the commit is durable. A refused
 * request changed nothing, so its answer holds whatever the outcome is. */
static void run_group(struct thread_ctx *d, struct request *first)
{
    quire_error err;
    quire_status st;
    enum outcome outcome = run_together(d, first, &st, &err);
    struct request *c, *next;

    /* The disk failed, not a request. A full disk is not recorded: readiness
     * sees it, and its end, by itself. */
    if ((outcome == UNSURE || outcome == NOT_BEGUN) && st == QUIRE_IO &&
        thread_ctx_has_room(d))
        atomic_store(&d->server->failed_us, clock_steady_us());

    for (c = first; c; c = next) {
        next = c->next;
        if (outcome == NOT_KEPT) {
            reset_request(c);
            request_run(c, d);
        } else if (outcome == NOT_BEGUN ||
                   (outcome == UNSURE && c->answer.status < 400)) {
            reset_request(c);
            c->thread_ctx = d;
            request_fail(c, st, &err);
        } else if (c->done) {
            request_publish_event(c);
        }
        atomic_fetch_add(&d->server->group_jobs_done, 1);
        request_finish(c);
    }
}

static void *run_writer(void *arg)
{
    struct group_commit *s = arg;
    struct request *first, *next;
    struct thread_ctx *d;

    while ((first = take_group(s))) {
        d = thread_ctx_get(s->server, CACHE_KIB_WRITER);
        if (d) {
            run_group(d, first);
            continue;
        }
        for (; first; first = next) {
            next = first->next;
            request_refuse(first, 503, "busy", "try again",
                           "the store cannot be opened");
            request_finish(first);
        }
    }
    return NULL;
}

/* ---- life --------------------------------------------------------------- */

quire_status group_commit_begin(struct server *server,
                                struct group_commit **out, quire_error *err)
{
    struct group_commit *s = calloc(1, sizeof *s);
    int why;

    *out = NULL;
    if (!s)
        return err_memory(err);
    s->server = server;
    s->last = &s->first;
    pthread_cond_init(&s->wake, NULL);
    why = pthread_create(&s->thread, NULL, run_writer, s);
    if (!why) {
        *out = s;
        return QUIRE_OK;
    }
    pthread_cond_destroy(&s->wake);
    free(s);
    return err_sys(err, why, "cannot start the writer thread");
}

void group_commit_end(struct group_commit *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->server->lock);
    s->ending = true;
    pthread_mutex_unlock(&s->server->lock);
    pthread_cond_signal(&s->wake);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->wake);
    free(s);
}
