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

/* What changes is guarded by the lock of the service. */
struct scribe {
    struct service *service;
    pthread_t thread;
    pthread_cond_t wake;
    struct call *first, **last;
    bool resting, ending;
};

bool scribe_takes(const struct call *c)
{
    return c->op->flags & OP_GROUP && exchange_body(c->x).len <= SHORT_MAX;
}

bool scribe_give(struct scribe *s, struct call *c)
{
    bool room, wake;

    pthread_mutex_lock(&s->service->lock);
    room = queue_enter(s->service, c);
    if (room) {
        s->service->n_given++;
        c->next = NULL;
        *s->last = c;
        s->last = &c->next;
    }
    wake = room && s->resting;
    if (wake)
        s->resting = false;
    pthread_mutex_unlock(&s->service->lock);
    if (wake)
        pthread_cond_signal(&s->wake);
    return room;
}

/* Those that wait, up to TOGETHER_MAX; NULL: the end. */
static struct call *take(struct scribe *s)
{
    struct call *first, **end = &first;
    int n;

    pthread_mutex_lock(&s->service->lock);
    while (!s->first && !s->ending) {
        s->resting = true;
        pthread_cond_wait(&s->wake, &s->service->lock);
    }
    s->resting = false;
    first = s->first;
    for (n = 0; n < TOGETHER_MAX && *end; n++) {
        queue_leave(s->service, *end);
        s->service->n_given--;
        end = &(*end)->next;
    }
    s->first = *end;
    *end = NULL;
    if (!s->first)
        s->last = &s->first;
    pthread_mutex_unlock(&s->service->lock);
    return first;
}

/* ---- a group ------------------------------------------------------------ */

/* As it was before it was run. */
static void begin_again(struct call *c)
{
    answer_release(&c->answer);
    c->answer = answer_new();
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

static enum outcome make_together(struct desk *d, struct call *first,
                                  quire_status *st, quire_error *err)
{
    struct call *c;
    int kept;

    *st = quire_group_begin(d->root, err);
    if (*st)
        return NOT_BEGUN;
    for (c = first; c; c = c->next) {
        c->grouped = true;
        call_run(c, d);
        atomic_fetch_add(&d->service->grouped, 1);
    }
    atomic_fetch_add(&d->service->groups, 1);
    *st = quire_group_end(d->root, &kept, err);
    for (c = first; c; c = c->next)
        atomic_fetch_add(&d->service->done, 1);
    return !*st ? MADE : kept ? UNSURE : NOT_KEPT;
}

/* Nobody is answered before all of them last. What was refused has changed
 * nothing, whatever became of the others. */
static void make(struct desk *d, struct call *first)
{
    quire_error err;
    quire_status st;
    enum outcome outcome = make_together(d, first, &st, &err);
    struct call *c, *next;

    /* It is the catalogue that failed, and nothing that a tenant may have done.
     * Want of room can be seen, and so can its end. */
    if ((outcome == UNSURE || outcome == NOT_BEGUN) && st == QUIRE_IO &&
        desk_has_room(d))
        atomic_store(&d->service->failed_us, clock_steady_us());

    for (c = first; c; c = next) {
        next = c->next;
        if (outcome == NOT_KEPT) {
            begin_again(c);
            call_run(c, d);
        } else if (outcome == NOT_BEGUN ||
                   (outcome == UNSURE && c->answer.status < 400)) {
            begin_again(c);
            c->desk = d;
            call_fail(c, st, &err);
        } else if (c->done) {
            call_tell(c);
        }
        atomic_fetch_add(&d->service->scribed, 1);
        call_finish(c);
    }
}

static void *work(void *arg)
{
    struct scribe *s = arg;
    struct call *first, *next;
    struct desk *d;

    while ((first = take(s))) {
        d = desk_get(s->service, CACHE_KIB_SCRIBE);
        if (d) {
            make(d, first);
            continue;
        }
        for (; first; first = next) {
            next = first->next;
            call_refuse(first, 503, "busy", "try again",
                        "the store cannot be opened");
            call_finish(first);
        }
    }
    return NULL;
}

/* ---- life --------------------------------------------------------------- */

quire_status scribe_begin(struct service *service, struct scribe **out,
                          quire_error *err)
{
    struct scribe *s = calloc(1, sizeof *s);
    int why;

    *out = NULL;
    if (!s)
        return err_memory(err);
    s->service = service;
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

void scribe_end(struct scribe *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->service->lock);
    s->ending = true;
    pthread_mutex_unlock(&s->service->lock);
    pthread_cond_signal(&s->wake);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->wake);
    free(s);
}
