/*
 * parallel.c - see parallel.h
 *
 *     chunks    0   1   2   3   4   5   6 ...
 *               done    |   |   not taken yet
 *                   ^ turn: its results are being delivered
 *
 * The caller's thread processes no chunk while there are workers: it delivers
 * results.
 *
 *   (1) Chunks are taken in order. So when no worker is left all chunks that
 *       were taken are done, and the caller can continue from there itself:
 *       it processes what no worker could be started for.
 *   (2) A worker waits when RESULTS_MAX results of its chunk are undelivered,
 *       and before it takes a chunk that is AHEAD_MAX from the turn. The chunk
 *       that has the turn never waits for another: memory is bounded and
 *       no worker deadlocks.
 *   (3) Workers block all signals and end before the call does.
 */
#include "base/parallel.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

#define WORKERS_MAX 8
#define RESULTS_MAX 32
#define AHEAD_MAX   512

/* How often the caller wakes up for poll(). */
#define POLL_NS 50000000

struct chunk {
    struct parallel_result *first, *last;
    unsigned n;
    bool done;
};

struct parallel {
    const struct parallel_work *w;
    struct chunk *chunks; /* a ring of AHEAD_MAX */

    pthread_mutex_t lock; /* guards all that follows, and the chunks */
    pthread_cond_t change;
    size_t next; /* the next chunk to take */
    size_t turn; /* the chunk being delivered */
    unsigned working;
    atomic_bool
        stop; /* the caller has given up; may be read without the lock */
    size_t failed_at;
    quire_status failed; /* of the first chunk that failed */
    quire_error why;
};

struct parallel_chunk {
    struct parallel *run;
    size_t chunk;
    bool alone; /* on the caller's thread, without workers */
};

unsigned parallel_n_threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores > WORKERS_MAX ? WORKERS_MAX : (unsigned)cores;
}

bool parallel_thread_start(pthread_t *thread, void *(*run)(void *), void *ctx)
{
    sigset_t all, was;
    bool made;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    made = pthread_create(thread, NULL, run, ctx) == 0;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return made;
}

static struct chunk *chunk_at(struct parallel *t, size_t chunk)
{
    return &t->chunks[chunk % AHEAD_MAX];
}

/* ---- worker threads ----------------------------------------------------- */

quire_status parallel_emit(struct parallel_chunk *turn,
                           struct parallel_result *result, quire_error *err)
{
    struct parallel *t = turn->run;
    struct chunk *chunk;

    result->next = NULL;
    if (turn->alone) {
        quire_status st = t->w->emit(t->w->ctx, result, err);

        free(result);
        return st;
    }
    pthread_mutex_lock(&t->lock);
    chunk = chunk_at(t, turn->chunk);
    while (chunk->n >= RESULTS_MAX && !t->stop)
        pthread_cond_wait(&t->change, &t->lock);
    if (chunk->last)
        chunk->last->next = result;
    else
        chunk->first = result;
    chunk->last = result;
    chunk->n++;
    pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    return QUIRE_OK;
}

bool parallel_is_stopped(struct parallel_chunk *turn)
{
    return atomic_load_explicit(&turn->run->stop, memory_order_relaxed);
}

static bool take_chunk(struct parallel *t, size_t *chunk)
{
    bool any;

    pthread_mutex_lock(&t->lock);
    while (!t->stop && !t->failed && t->next < t->w->n_chunks &&
           t->next - t->turn >= AHEAD_MAX)
        pthread_cond_wait(&t->change, &t->lock);
    any = !t->stop && !t->failed && t->next < t->w->n_chunks;
    if (any)
        *chunk = t->next++;
    pthread_mutex_unlock(&t->lock);
    return any;
}

static void end_chunk(struct parallel *t, size_t chunk, quire_status st,
                      const quire_error *why)
{
    bool wake; /* only the caller waits for the end of a chunk, and only for
                * this one */

    pthread_mutex_lock(&t->lock);
    chunk_at(t, chunk)->done = true;
    wake = chunk == t->turn || st;
    if (st && (!t->failed || chunk < t->failed_at)) {
        t->failed = st;
        t->failed_at = chunk;
        t->why = *why;
    }
    if (wake)
        pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
}

static void *run_worker(void *ctx)
{
    struct parallel *t = ctx;
    const struct parallel_work *w = t->w;
    struct parallel_chunk turn = {.run = t};
    void *state;

    if (!w->open(w->ctx, &state, NULL)) {
        while (take_chunk(t, &turn.chunk)) {
            quire_error why = {.what = ""};
            quire_status st = w->work(w->ctx, state, turn.chunk, &turn, &why);

            end_chunk(t, turn.chunk, st, &why);
        }
        w->close(w->ctx, state);
    }
    pthread_mutex_lock(&t->lock);
    t->working--;
    pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* ---- the calling thread ------------------------------------------------- */

static void free_results(struct parallel_result *result)
{
    struct parallel_result *next;

    for (; result; result = next) {
        next = result->next;
        free(result);
    }
}

static quire_status deliver_results(struct parallel *t,
                                    struct parallel_result *first,
                                    quire_error *err)
{
    const struct parallel_result *result;
    quire_status st = QUIRE_OK;

    for (result = first; result && !st; result = result->next)
        st = t->w->emit(t->w->ctx, result, err);
    free_results(first);
    return st;
}

static quire_status end_turn(struct parallel *t, size_t chunk, quire_error *err)
{
    return t->w->chunk_done ? t->w->chunk_done(t->w->ctx, chunk, err)
                            : QUIRE_OK;
}

/* Process the remaining chunks on this thread; all workers have ended. */
static quire_status run_remaining(struct parallel *t, quire_error *err)
{
    struct parallel_chunk turn = {.run = t, .alone = true};
    quire_status st = QUIRE_OK;

    for (; !st && t->turn < t->w->n_chunks; t->turn++) {
        turn.chunk = t->turn;
        st = t->w->work(t->w->ctx, t->w->own, turn.chunk, &turn, err);
        if (!st)
            st = end_turn(t, turn.chunk, err);
    }
    return st;
}

static void wait_briefly(struct parallel *t)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&t->change, &t->lock, &until);
}

/* The results of the chunk that has the turn. The lock is held. */
static struct parallel_result *take_results(struct parallel *t)
{
    struct chunk *h = chunk_at(t, t->turn);
    struct parallel_result *first = h->first;

    h->first = h->last = NULL;
    h->n = 0;
    if (first)
        pthread_cond_broadcast(&t->change);
    return first;
}

/* Move the turn to the next chunk. The lock is held, except during the call of
 * chunk_done(). */
static quire_status pass_turn(struct parallel *t, quire_error *err)
{
    size_t chunk = t->turn;
    quire_status st;

    if (t->failed && t->failed_at == chunk) {
        if (err)
            *err = t->why;
        return t->failed;
    }
    *chunk_at(t, chunk) = (struct chunk){.done = false};
    if (t->next - t->turn++ >= AHEAD_MAX)
        pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    st = end_turn(t, chunk, err);
    pthread_mutex_lock(&t->lock);
    return st;
}

/* Deliver until all chunks are done or no worker is left. The lock is held. */
static quire_status deliver_all(struct parallel *t, quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (!st && t->turn < t->w->n_chunks) {
        struct parallel_result *results = take_results(t);

        if (!results && chunk_at(t, t->turn)->done) {
            st = pass_turn(t, err);
            continue;
        }
        if (!results && !t->working)
            break; /* this one was never taken */
        if (!results)
            wait_briefly(t);
        pthread_mutex_unlock(&t->lock);
        st = deliver_results(t, results, err);
        if (!st && t->w->poll)
            st = t->w->poll(t->w->ctx, err);
        pthread_mutex_lock(&t->lock);
    }
    t->stop = st != QUIRE_OK;
    pthread_cond_broadcast(&t->change);
    return st;
}

static unsigned start_workers(struct parallel *t, pthread_t *threads)
{
    unsigned n = t->w->n_workers_max, i, started = 0;

    if (n > WORKERS_MAX)
        n = WORKERS_MAX;
    for (i = 0; i < n; i++) {
        t->working++; /* the worker needs the lock to change it */
        if (parallel_thread_start(&threads[started], run_worker, t))
            started++;
        else
            t->working--;
    }
    return started;
}

static quire_status run_workers(struct parallel *t, quire_error *err)
{
    pthread_t threads[WORKERS_MAX];
    pthread_condattr_t attr;
    unsigned n, i;
    quire_status st;

    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&t->change, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_lock(&t->lock);
    n = start_workers(t, threads);
    st = deliver_all(t, err);
    pthread_mutex_unlock(&t->lock);
    for (i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&t->change);
    pthread_mutex_destroy(&t->lock);
    return st;
}

quire_status parallel_run(const struct parallel_work *w, quire_error *err)
{
    struct parallel t = {.w = w};
    quire_status st = QUIRE_OK;
    size_t i;

    /* Without memory for chunks the caller works alone. */
    if (w->n_workers_max > 1 && w->n_chunks > 1)
        t.chunks = calloc(AHEAD_MAX, sizeof *t.chunks);
    if (t.chunks)
        st = run_workers(&t, err);
    if (!st)
        st = run_remaining(&t, err);
    for (i = 0; t.chunks && i < AHEAD_MAX; i++)
        free_results(t.chunks[i].first);
    free(t.chunks);
    return st;
}

void parallel_parts(void *(*run)(void *part), void *parts, size_t size,
                    size_t n)
{
    pthread_t threads[PARALLEL_PARTS_MAX];
    bool started[PARALLEL_PARTS_MAX] = {false};
    char *at = parts;
    size_t i;

    assert(n <= PARALLEL_PARTS_MAX);
    for (i = 1; i < n; i++)
        started[i] = parallel_thread_start(&threads[i], run, at + i * size);
    for (i = 0; i < n; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            run(at + i * size);
    }
}
