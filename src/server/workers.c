/* workers.c - the queue of requests and the threads that take from it; see
 * priv.h */
#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "server/priv.h"
#include "server/response_json.h"

static unsigned share_of(const struct request *c)
{
    return (unsigned)((uint64_t)c->tenant.id % SHARES);
}

bool queue_enter(struct server *s, const struct request *c)
{
    if (s->n_jobs >= QUEUE_MAX || s->share[share_of(c)] >= SHARE_MAX ||
        s->ending)
        return false;
    s->n_jobs++;
    s->share[share_of(c)]++;
    return true;
}

void queue_leave(struct server *s, const struct request *c)
{
    s->n_jobs--;
    s->share[share_of(c)]--;
}

/* The first job whose tenant does not use too many workers; NULL: none. The caller
 * holds the lock. */
static struct job *take_job(struct server *s)
{
    struct job **at = &s->first, *job;

    while (*at && s->running[(*at)->share] >= RUN_MAX)
        at = &(*at)->next;
    job = *at;
    if (!job)
        return NULL;
    *at = job->next;
    if (!job->next)
        s->last = at;
    queue_leave(s, job->request);
    s->running[job->share]++;
    return job;
}

/* Hand queued jobs to idle workers. The caller holds the lock. On shutdown idle
 * workers exit, and busy ones drain the queue. */
static void wake_workers(struct server *s)
{
    struct worker *w;
    struct job *job;

    while (!s->ending && s->idle && (job = take_job(s))) {
        w = s->idle;
        s->idle = w->next_idle;
        w->job = job;
        pthread_cond_signal(&w->wake);
    }
}

bool workers_submit(struct server *s, struct request *c)
{
    struct job *job = malloc(sizeof *job);
    bool room;

    pthread_mutex_lock(&s->lock);
    room = job && queue_enter(s, c);
    if (room) {
        *job = (struct job){c, share_of(c), NULL};
        *s->last = job;
        s->last = &job->next;
        wake_workers(s);
    }
    pthread_mutex_unlock(&s->lock);
    if (!room)
        free(job);
    return room;
}

/* Free the job that is done (NULL: none) and wait for the next; NULL: shutdown. */
static struct job *next_job(struct worker *w, struct job *done)
{
    struct server *s = w->server;
    struct job *job;

    pthread_mutex_lock(&s->lock);
    if (done) {
        s->running[done->share]--;
        wake_workers(s); /* its tenant may have another one waiting */
    }
    job = take_job(s);
    if (!job && !s->ending) {
        w->job = NULL;
        w->next_idle = s->idle;
        s->idle = w;
        while (!w->job && !s->ending)
            pthread_cond_wait(&w->wake, &s->lock);
        job = w->job;
    }
    pthread_mutex_unlock(&s->lock);
    free(done);
    return job;
}

static void *run_worker(void *arg)
{
    struct worker *w = arg;
    struct server *s = w->server;
    struct job *job = NULL;
    struct thread_ctx *d;

    while ((job = next_job(w, job))) {
        d = thread_ctx_get(s, CACHE_KIB);
        if (d) {
            request_run(job->request, d);
            request_finish(job->request);
        } else {
            request_refuse(job->request, 503, "busy", "try again",
                           "the store cannot be opened");
            request_finish(job->request);
        }
        atomic_fetch_add(&s->jobs_done, 1);
    }
    return NULL;
}

quire_status workers_begin(struct server *s, quire_error *err)
{
    int i,
        want = s->c.workers && s->c.workers < WORKERS ? s->c.workers : WORKERS;

    for (i = 0; i < want; i++) {
        struct worker *w = &s->workers[i];
        int why;

        *w = (struct worker){.server = s};
        pthread_cond_init(&w->wake, NULL);
        why = pthread_create(&w->thread, NULL, run_worker, w);
        if (why) {
            pthread_cond_destroy(&w->wake);
            return i ? QUIRE_OK : err_sys(err, why, "cannot start a worker");
        }
        s->n_workers++;
    }
    return QUIRE_OK;
}

void workers_end(struct server *s)
{
    int i;

    pthread_mutex_lock(&s->lock);
    s->ending = true;
    for (i = 0; i < s->n_workers; i++)
        pthread_cond_signal(&s->workers[i].wake);
    pthread_mutex_unlock(&s->lock);
    for (i = 0; i < s->n_workers; i++) {
        pthread_join(s->workers[i].thread, NULL);
        pthread_cond_destroy(&s->workers[i].wake);
    }
    s->n_workers = 0;
    s->idle = NULL;
}
