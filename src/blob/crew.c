/*
 * crew.c - blobs checked by several threads
 *
 * All blobs are dealt into small heaps, rows in the order they were stored and
 * files in that of their digests. Each hand takes the next heap, reads and
 * hashes with a store of its own, and puts what it finds beside the heap. The
 * caller's thread does none of that: it hands out what was found, heap by heap,
 * so that the hooks are called by one thread and in that order, as if there was
 * one hand.
 *
 *     heaps     0   1   2   3   4   5   6 ...
 *               done    |   |   free to be taken
 *                   ^ turn: its findings are being told
 *
 *   (1) Heaps are taken in order. So when no hand is at work all that were
 *       taken are done, and the caller can go on from there by itself: it does
 *       what no hand could be had for.
 *   (2) A hand waits when FOUND_MAX findings of its heap are untold. The heap
 *       whose turn it is never waits for another: memory is bounded and
 *       nobody waits for ever.
 *   (3) Hands take no signals and end before the call does.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "blob/check.h"

#define HANDS_MAX 8

/* Findings of a heap that wait to be told. */
#define FOUND_MAX 32

/* Rows are dealt by their ids, in the order they were stored, as they lie in
 * quire.db; files by so many. */
#define ROW_HEAPS 256
#define FILE_HEAP 8

/* Below both of these, threads cost more than they save. */
#define MANY       64
#define MANY_BYTES ((uint64_t)4 << 20)

/* How often the caller looks how far it is. */
#define LOOK_NS 50000000

struct found {
    struct found *next;
    char where[QUIRE_REF_SIZE];
    quire_problem problem;
};

struct heap {
    struct found *first, *last;
    unsigned n;
    bool done;
};

struct run {
    struct crew *crew;
    const struct check_names *names; /* NULL: rows */
    int64_t last;                    /* the highest id of a row */
    struct heap *heaps;
    size_t n_heaps;

    pthread_mutex_t lock; /* for all that follows, and for the heaps */
    pthread_cond_t change;
    size_t next; /* heap to be taken                            */
    size_t turn; /* heap that is told                           */
    unsigned working;
    uint64_t strays;
    bool stop; /* nobody wants more                            */
    size_t failed_at;
    quire_status failed; /* of the first heap that could not be done */
    quire_error why;
};

/* One thread of it. */
struct hand {
    struct run *run;
    struct blobs *b;
    size_t heap; /* the one it is at */
};

void crew_init(struct crew *c, struct blobs *b, unsigned flags,
               const struct blobs_crew *hands, const quire_check_hooks *hooks)
{
    *c = (struct crew){.b = b, .flags = flags, .hands = hands, .hooks = hooks};
}

/* ---- the caller by itself ----------------------------------------------- */

static quire_status own_problem(void *ctx, const quire_problem *problem,
                                quire_error *err)
{
    struct crew *c = ctx;

    return c->hooks->problem(c->hooks->ctx, problem, err);
}

static quire_status show_progress(struct crew *c, quire_error *err)
{
    if (!c->hooks->progress)
        return QUIRE_OK;
    return c->hooks->progress(c->hooks->ctx, c->done, c->total, err);
}

static quire_status own_counted(void *ctx, quire_error *err)
{
    struct crew *c = ctx;

    c->done++;
    return show_progress(c, err);
}

struct check_ears crew_own_ears(struct crew *c)
{
    return (struct check_ears){own_problem, own_counted, c};
}

/* The ids of a heap's rows. Ids that nobody gave are in the first and the last,
 * too. */
static void row_range(const struct run *r, size_t heap, int64_t *from,
                      int64_t *to)
{
    int64_t each = r->last / ROW_HEAPS + 1;

    *from = heap == 0 ? INT64_MIN : (int64_t)heap * each;
    *to = heap == ROW_HEAPS - 1 ? INT64_MAX : ((int64_t)heap + 1) * each - 1;
}

static quire_status do_heap(struct run *r, size_t heap, struct checking *c,
                            quire_error *err)
{
    size_t at = heap * FILE_HEAP, n;
    int64_t from, to;

    if (!r->names) {
        row_range(r, heap, &from, &to);
        return check_rows(c, from, to, err);
    }
    n = r->names->n - at < FILE_HEAP ? r->names->n - at : FILE_HEAP;
    return check_files(c, r->names->list + at, n, err);
}

/* What is left, by the caller: nobody is at work. */
static quire_status do_rest(struct run *r, quire_error *err)
{
    struct check_ears ears = crew_own_ears(r->crew);
    struct checking c;
    quire_status st = QUIRE_OK;

    checking_init(&c, r->crew->b, r->crew->flags, &ears);
    for (; !st && r->turn < r->n_heaps; r->turn++)
        st = do_heap(r, r->turn, &c, err);
    r->strays += c.strays;
    checking_release(&c);
    return st;
}

/* ---- a hand ------------------------------------------------------------- */

static quire_status hand_problem(void *ctx, const quire_problem *problem,
                                 quire_error *err)
{
    struct hand *h = ctx;
    struct run *r = h->run;
    struct heap *heap = &r->heaps[h->heap];
    struct found *f = calloc(1, sizeof *f);

    if (!f)
        return err_memory(err);
    f->problem = *problem;
    strncpy(f->where, problem->where, sizeof f->where - 1);
    f->problem.where = f->where;
    pthread_mutex_lock(&r->lock);
    while (heap->n >= FOUND_MAX && !r->stop)
        pthread_cond_wait(&r->change, &r->lock);
    if (heap->last)
        heap->last->next = f;
    else
        heap->first = f;
    heap->last = f;
    heap->n++;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    return QUIRE_OK;
}

static quire_status hand_counted(void *ctx, quire_error *err)
{
    struct run *r = ((struct hand *)ctx)->run;
    bool stop;

    (void)err;
    pthread_mutex_lock(&r->lock);
    r->crew->done++;
    stop = r->stop;
    pthread_mutex_unlock(&r->lock);
    return stop ? QUIRE_STOPPED : QUIRE_OK;
}

static bool take_heap(struct run *r, size_t *heap)
{
    bool any;

    pthread_mutex_lock(&r->lock);
    any = !r->stop && !r->failed && r->next < r->n_heaps;
    if (any)
        *heap = r->next++;
    pthread_mutex_unlock(&r->lock);
    return any;
}

static void end_heap(struct run *r, size_t heap, uint64_t strays,
                     quire_status st, const quire_error *why)
{
    pthread_mutex_lock(&r->lock);
    r->heaps[heap].done = true;
    r->strays += strays;
    if (st && (!r->failed || heap < r->failed_at)) {
        r->failed = st;
        r->failed_at = heap;
        r->why = *why;
    }
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

static void *work(void *ctx)
{
    struct hand h = {.run = ctx};
    struct run *r = h.run;
    const struct blobs_crew *hands = r->crew->hands;
    struct check_ears ears = {hand_problem, hand_counted, &h};
    struct checking c;

    /* Without a store there is no hand; others do its work. */
    if (!hands->open(hands->ctx, &h.b, NULL)) {
        checking_init(&c, h.b, r->crew->flags, &ears);
        while (take_heap(r, &h.heap)) {
            quire_error why = {.what = ""};
            quire_status st;

            c.strays = 0;
            st = do_heap(r, h.heap, &c, &why);
            end_heap(r, h.heap, c.strays, st, &why);
        }
        checking_release(&c);
        hands->close(hands->ctx, h.b);
    }
    pthread_mutex_lock(&r->lock);
    r->working--;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- the caller, telling ------------------------------------------------ */

static void drop_heap(struct heap *h)
{
    struct found *f;

    while ((f = h->first) != NULL) {
        h->first = f->next;
        free(f);
    }
    h->last = NULL;
    h->n = 0;
}

/* Take what is there to tell. The lock is held. */
static struct found *take_found(struct run *r)
{
    struct heap *h = &r->heaps[r->turn];
    struct found *f = h->first;

    h->first = h->last = NULL;
    h->n = 0;
    if (f)
        pthread_cond_broadcast(&r->change);
    return f;
}

static quire_status tell_found(struct run *r, struct found *f, quire_error *err)
{
    struct heap told = {.first = f};
    quire_status st = QUIRE_OK;

    for (; f && !st; f = f->next)
        st = own_problem(r->crew, &f->problem, err);
    drop_heap(&told);
    return st;
}

static void wait_a_little(struct run *r)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&r->change, &r->lock, &until);
}

/* With the lock held, until all is told, or no hand is left. */
static quire_status tell_all(struct run *r, quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (!st && r->turn < r->n_heaps) {
        struct heap *h = &r->heaps[r->turn];
        struct found *f = take_found(r);
        struct crew seen = *r->crew;

        if (!f && h->done) {
            if (r->failed && r->failed_at == r->turn) {
                st = r->failed;
                if (err)
                    *err = r->why;
            }
            r->turn++;
            continue;
        }
        if (!f && !r->working)
            break; /* this one was never taken */
        if (!f)
            wait_a_little(r);
        pthread_mutex_unlock(&r->lock);
        st = tell_found(r, f, err);
        if (!st)
            st = show_progress(&seen, err);
        pthread_mutex_lock(&r->lock);
    }
    r->stop = st != QUIRE_OK;
    pthread_cond_broadcast(&r->change);
    return st;
}

static unsigned start_hands(struct run *r, pthread_t *threads)
{
    unsigned n = r->crew->hands->n, i, started = 0;
    sigset_t all, was;

    if (n > HANDS_MAX)
        n = HANDS_MAX;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    for (i = 0; i < n; i++) {
        r->working++; /* nobody is at work yet, or it holds the lock */
        if (pthread_create(&threads[started], NULL, work, r))
            r->working--;
        else
            started++;
    }
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return started;
}

static quire_status run_hands(struct run *r, quire_error *err)
{
    pthread_t threads[HANDS_MAX];
    pthread_condattr_t attr;
    unsigned n, i;
    quire_status st;

    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&r->change, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_lock(&r->lock);
    n = start_hands(r, threads);
    st = tell_all(r, err);
    pthread_mutex_unlock(&r->lock);
    for (i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&r->change);
    pthread_mutex_destroy(&r->lock);
    if (!st)
        st = do_rest(r, err);
    return st ? st : show_progress(r->crew, err);
}

/* ---- all of it ---------------------------------------------------------- */

static quire_status run(struct run *r, uint64_t n, uint64_t bytes,
                        quire_error *err)
{
    const struct blobs_crew *hands = r->crew->hands;
    quire_status st;
    size_t i;

    if (!hands || hands->n < 2 || n < 2 || (n < MANY && bytes < MANY_BYTES))
        return do_rest(r, err);
    r->heaps = calloc(r->n_heaps, sizeof *r->heaps);
    st = r->heaps ? run_hands(r, err) : err_memory(err);
    for (i = 0; r->heaps && i < r->n_heaps; i++)
        drop_heap(&r->heaps[i]);
    free(r->heaps);
    return st;
}

quire_status crew_rows(struct crew *c, uint64_t n, uint64_t bytes, int64_t last,
                       quire_error *err)
{
    struct run r = {.crew = c, .n_heaps = ROW_HEAPS, .last = last};

    return run(&r, n, bytes, err);
}

quire_status crew_files(struct crew *c, const struct check_names *names,
                        uint64_t *strays, quire_error *err)
{
    struct run r = {
        .crew = c,
        .names = names,
        .n_heaps = (names->n + FILE_HEAP - 1) / FILE_HEAP,
    };
    quire_status st = run(&r, names->n, names->bytes, err);

    *strays = r.strays;
    return st;
}
