/*
 * parallel.c - see parallel.h
 *
 *     heaps     0   1   2   3   4   5   6 ...
 *               done    |   |   free to be taken
 *                   ^ turn: what was found in it is being told
 *
 * The caller's thread does no heap while there are others: it tells.
 *
 *   (1) Heaps are taken in order. So when no thread is at work all that were
 *       taken are done, and the caller can go on from there by itself: it does
 *       what no thread could be had for.
 *   (2) A thread waits when NOTES_MAX notes of its heap are untold, and before
 *       it takes a heap that is AHEAD_MAX from the turn. The heap whose turn it
 *       is never waits for another: memory is bounded and nobody waits for
 *       ever.
 *   (3) Threads take no signals and end before the call does.
 */
#include "base/parallel.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

#define HANDS_MAX 8
#define NOTES_MAX 32
#define AHEAD_MAX 512

/* How often the caller looks how far it is. */
#define LOOK_NS 50000000

struct heap {
    struct parallel_result *first, *last;
    unsigned n;
    bool done;
};

struct parallel {
    const struct parallel_work *w;
    struct heap *heaps; /* a ring of AHEAD_MAX */

    pthread_mutex_t lock; /* for all that follows, and for the heaps */
    pthread_cond_t change;
    size_t next; /* heap to be taken                             */
    size_t turn; /* heap that is told                            */
    unsigned working;
    atomic_bool stop; /* nobody wants more; may be asked without the lock */
    size_t failed_at;
    quire_status failed; /* of the first heap that could not be done     */
    quire_error why;
};

struct parallel_chunk {
    struct parallel *team;
    size_t heap;
    bool alone; /* the caller itself: there is nobody to wait for */
};

unsigned parallel_n_threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores > HANDS_MAX ? HANDS_MAX : (unsigned)cores;
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

static struct heap *heap_at(struct parallel *t, size_t heap)
{
    return &t->heaps[heap % AHEAD_MAX];
}

/* ---- a thread ----------------------------------------------------------- */

quire_status parallel_emit(struct parallel_chunk *turn,
                           struct parallel_result *note, quire_error *err)
{
    struct parallel *t = turn->team;
    struct heap *heap;

    note->next = NULL;
    if (turn->alone) {
        quire_status st = t->w->tell(t->w->ctx, note, err);

        free(note);
        return st;
    }
    pthread_mutex_lock(&t->lock);
    heap = heap_at(t, turn->heap);
    while (heap->n >= NOTES_MAX && !t->stop)
        pthread_cond_wait(&t->change, &t->lock);
    if (heap->last)
        heap->last->next = note;
    else
        heap->first = note;
    heap->last = note;
    heap->n++;
    pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    return QUIRE_OK;
}

bool parallel_is_stopped(struct parallel_chunk *turn)
{
    return atomic_load_explicit(&turn->team->stop, memory_order_relaxed);
}

static bool take_heap(struct parallel *t, size_t *heap)
{
    bool any;

    pthread_mutex_lock(&t->lock);
    while (!t->stop && !t->failed && t->next < t->w->n_chunks &&
           t->next - t->turn >= AHEAD_MAX)
        pthread_cond_wait(&t->change, &t->lock);
    any = !t->stop && !t->failed && t->next < t->w->n_chunks;
    if (any)
        *heap = t->next++;
    pthread_mutex_unlock(&t->lock);
    return any;
}

static void end_heap(struct parallel *t, size_t heap, quire_status st,
                     const quire_error *why)
{
    bool wake; /* nobody waits for the end of a heap but the caller for this */

    pthread_mutex_lock(&t->lock);
    heap_at(t, heap)->done = true;
    wake = heap == t->turn || st;
    if (st && (!t->failed || heap < t->failed_at)) {
        t->failed = st;
        t->failed_at = heap;
        t->why = *why;
    }
    if (wake)
        pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
}

static void *run_hand(void *ctx)
{
    struct parallel *t = ctx;
    const struct parallel_work *w = t->w;
    struct parallel_chunk turn = {.team = t};
    void *tools;

    if (!w->open(w->ctx, &tools, NULL)) {
        while (take_heap(t, &turn.heap)) {
            quire_error why = {.what = ""};
            quire_status st = w->work(w->ctx, tools, turn.heap, &turn, &why);

            end_heap(t, turn.heap, st, &why);
        }
        w->close(w->ctx, tools);
    }
    pthread_mutex_lock(&t->lock);
    t->working--;
    pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* ---- the caller --------------------------------------------------------- */

static void drop_notes(struct parallel_result *note)
{
    struct parallel_result *next;

    for (; note; note = next) {
        next = note->next;
        free(note);
    }
}

static quire_status tell_notes(struct parallel *t,
                               struct parallel_result *first, quire_error *err)
{
    const struct parallel_result *note;
    quire_status st = QUIRE_OK;

    for (note = first; note && !st; note = note->next)
        st = t->w->tell(t->w->ctx, note, err);
    drop_notes(first);
    return st;
}

static quire_status end_turn(struct parallel *t, size_t heap, quire_error *err)
{
    return t->w->told ? t->w->told(t->w->ctx, heap, err) : QUIRE_OK;
}

/* What is left, when nobody is at work. */
static quire_status do_rest(struct parallel *t, quire_error *err)
{
    struct parallel_chunk turn = {.team = t, .alone = true};
    quire_status st = QUIRE_OK;

    for (; !st && t->turn < t->w->n_chunks; t->turn++) {
        turn.heap = t->turn;
        st = t->w->work(t->w->ctx, t->w->own, turn.heap, &turn, err);
        if (!st)
            st = end_turn(t, turn.heap, err);
    }
    return st;
}

static void wait_a_little(struct parallel *t)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&t->change, &t->lock, &until);
}

/* What there is to tell of the heap whose turn it is. The lock is held. */
static struct parallel_result *take_notes(struct parallel *t)
{
    struct heap *h = heap_at(t, t->turn);
    struct parallel_result *first = h->first;

    h->first = h->last = NULL;
    h->n = 0;
    if (first)
        pthread_cond_broadcast(&t->change);
    return first;
}

/* All of a heap is told: the next one's turn. The lock is held, but while the
 * caller is told. */
static quire_status pass_turn(struct parallel *t, quire_error *err)
{
    size_t heap = t->turn;
    quire_status st;

    if (t->failed && t->failed_at == heap) {
        if (err)
            *err = t->why;
        return t->failed;
    }
    *heap_at(t, heap) = (struct heap){.done = false};
    if (t->next - t->turn++ >= AHEAD_MAX)
        pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    st = end_turn(t, heap, err);
    pthread_mutex_lock(&t->lock);
    return st;
}

/* With the lock held, until all is told, or no thread is left. */
static quire_status tell_all(struct parallel *t, quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (!st && t->turn < t->w->n_chunks) {
        struct parallel_result *notes = take_notes(t);

        if (!notes && heap_at(t, t->turn)->done) {
            st = pass_turn(t, err);
            continue;
        }
        if (!notes && !t->working)
            break; /* this one was never taken */
        if (!notes)
            wait_a_little(t);
        pthread_mutex_unlock(&t->lock);
        st = tell_notes(t, notes, err);
        if (!st && t->w->look)
            st = t->w->look(t->w->ctx, err);
        pthread_mutex_lock(&t->lock);
    }
    t->stop = st != QUIRE_OK;
    pthread_cond_broadcast(&t->change);
    return st;
}

static unsigned start_hands(struct parallel *t, pthread_t *threads)
{
    unsigned n = t->w->n_workers_max, i, started = 0;

    if (n > HANDS_MAX)
        n = HANDS_MAX;
    for (i = 0; i < n; i++) {
        t->working++; /* nobody is at work yet, or it holds the lock */
        if (parallel_thread_start(&threads[started], run_hand, t))
            started++;
        else
            t->working--;
    }
    return started;
}

static quire_status run_hands(struct parallel *t, quire_error *err)
{
    pthread_t threads[HANDS_MAX];
    pthread_condattr_t attr;
    unsigned n, i;
    quire_status st;

    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&t->change, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_lock(&t->lock);
    n = start_hands(t, threads);
    st = tell_all(t, err);
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

    /* Without memory for them, the caller is enough. */
    if (w->n_workers_max > 1 && w->n_chunks > 1)
        t.heaps = calloc(AHEAD_MAX, sizeof *t.heaps);
    if (t.heaps)
        st = run_hands(&t, err);
    if (!st)
        st = do_rest(&t, err);
    for (i = 0; t.heaps && i < AHEAD_MAX; i++)
        drop_notes(t.heaps[i].first);
    free(t.heaps);
    return st;
}
