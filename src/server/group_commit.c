/* group_commit.c - see group_commit.h */
#include "server/group_commit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "server/priv.h"

/* So many make a group: more would make the first of them wait too long. And
 * what is larger than this would make all of them wait. */
enum { TOGETHER_MAX = 64, SHORT_MAX = 64 * 1024 };

/* What changes is guarded by the lock of the server. */
struct group_commit {
    struct server *server;
    pthread_t thread;
    pthread_cond_t wake;
    struct request *first, **last;
    bool resting, ending;
};

bool group_commit_accepts(const struct request *c)
{
    return c->route->flags & ROUTE_GROUP &&
           exchange_body(c->x).len <= SHORT_MAX;
}

bool group_commit_submit(struct group_commit *s, struct request *c)
{
    bool room, wake;

    pthread_mutex_lock(&s->server->lock);
    room = queue_enter(s->server, c);
    if (room) {
        s->server->n_given++;
        c->next = NULL;
        *s->last = c;
        s->last = &c->next;
    }
    wake = room && s->resting;
    if (wake)
        s->resting = false;
    pthread_mutex_unlock(&s->server->lock);
    if (wake)
        pthread_cond_signal(&s->wake);
    return room;
}

/* Those that wait, up to TOGETHER_MAX; NULL: the end. */
static struct request *take(struct group_commit *s)
{
    struct request *first, **end = &first;
    int n;

    pthread_mutex_lock(&s->server->lock);
    while (!s->first && !s->ending) {
        s->resting = true;
        pthread_cond_wait(&s->wake, &s->server->lock);
    }
    s->resting = false;
    first = s->first;
    for (n = 0; n < TOGETHER_MAX && *end; n++) {
        queue_leave(s->server, *end);
        s->server->n_given--;
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

/* As it was before it was run. */
static void begin_again(struct request *c)
{
    response_release(&c->answer);
    c->answer = response_new();
    c->why = c->why_next = c->path = NULL;
    c->unchanged = c->grouped = c->done = false;
    c->conversation = 0;
}

/* What became of a group. */
enum outcome {
    MADE,
    NOT_BEGUN, /* to try with each would take as long again, each time   */
    NOT_KEPT,  /* for the sake of one of them: each is to be tried alone */
    UNSURE,    /* it is there, but the disk did not say that it lasts    */
};

static enum outcome make_together(struct thread_ctx *d, struct request *first,
                                  quire_status *st, quire_error *err)
{
    struct request *c;
    int kept;

    *st = quire_group_begin(d->root, err);
    if (*st)
        return NOT_BEGUN;
    for (c = first; c; c = c->next) {
        c->grouped = true;
        request_run(c, d);
        atomic_fetch_add(&d->server->grouped, 1);
    }
    atomic_fetch_add(&d->server->groups, 1);
    *st = quire_group_end(d->root, &kept, err);
    for (c = first; c; c = c->next)
        atomic_fetch_add(&d->server->done, 1);
    return !*st ? MADE : kept ? UNSURE : NOT_KEPT;
}

/* Nobody is answered before all of them last. What was refused has changed
 * nothing, whatever became of the others. */
static void make(struct thread_ctx *d, struct request *first)
{
    quire_error err;
    quire_status st;
    enum outcome outcome = make_together(d, first, &st, &err);
    struct request *c, *next;

    /* It is the catalogue that failed, and nothing that a tenant may have done.
     * Want of room can be seen, and so can its end. */
    if ((outcome == UNSURE || outcome == NOT_BEGUN) && st == QUIRE_IO &&
        thread_ctx_has_room(d))
        atomic_store(&d->server->failed_us, clock_steady_us());

    for (c = first; c; c = next) {
        next = c->next;
        if (outcome == NOT_KEPT) {
            begin_again(c);
            request_run(c, d);
        } else if (outcome == NOT_BEGUN ||
                   (outcome == UNSURE && c->answer.status < 400)) {
            begin_again(c);
            c->thread_ctx = d;
            request_fail(c, st, &err);
        } else if (c->done) {
            request_publish_event(c);
        }
        atomic_fetch_add(&d->server->scribed, 1);
        request_finish(c);
    }
}

static void *work(void *arg)
{
    struct group_commit *s = arg;
    struct request *first, *next;
    struct thread_ctx *d;

    while ((first = take(s))) {
        d = thread_ctx_get(s->server, CACHE_KIB_SCRIBE);
        if (d) {
            make(d, first);
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
    why = pthread_create(&s->thread, NULL, work, s);
    if (!why) {
        *out = s;
        return QUIRE_OK;
    }
    pthread_cond_destroy(&s->wake);
    free(s);
    return err_sys(err, why, "cannot begin to serve");
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
