/*
 * verify_parallel.c - blobs checked by several threads
 *
 * All blobs are dealt into small heaps, rows in the order they were stored and
 * files in that of their digests. Each thread of a team (base/team.h) reads and
 * hashes with a store of its own, and the hooks are called in that order, by
 * the thread that called.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/parallel.h"
#include "blob/verify.h"

/* Rows are dealt by their ids, in the order they were stored, as they lie in
 * quire.db; files by so many. */
#define ROW_HEAPS 256
#define FILE_HEAP 8

/* Below both of these, threads cost more than they save. */
#define MANY       64
#define MANY_BYTES ((uint64_t)4 << 20)

struct found {
    struct parallel_result note;
    char where[QUIRE_REF_SIZE];
    quire_problem problem;
};

struct run {
    struct verify_worker *crew;
    const struct check_names *names; /* NULL: rows */
    int64_t last;                    /* the highest id of a row */
    _Atomic uint64_t done, strays;
};

/* What one thread has. */
struct hand {
    struct run *run;
    struct blobs *b;
    struct verify c;
    struct parallel_chunk *turn;
};

void verify_worker_init(struct verify_worker *c, struct blobs *b,
                        unsigned flags, const struct blob_workers *hands,
                        const quire_check_hooks *hooks)
{
    *c = (struct verify_worker){.b = b,
                                .flags = flags,
                                .hands = hands,
                                .hooks = hooks};
}

/* ---- the caller --------------------------------------------------------- */

static quire_status own_problem(void *ctx, const quire_problem *problem,
                                quire_error *err)
{
    struct verify_worker *c = ctx;

    return c->hooks->problem(c->hooks->ctx, problem, err);
}

static quire_status show_progress(struct verify_worker *c, quire_error *err)
{
    if (!c->hooks->progress)
        return QUIRE_OK;
    return c->hooks->progress(c->hooks->ctx, c->done, c->total, err);
}

static quire_status own_counted(void *ctx, quire_error *err)
{
    struct verify_worker *c = ctx;

    c->done++;
    return show_progress(c, err);
}

struct check_ears verify_worker_hooks(struct verify_worker *c)
{
    return (struct check_ears){own_problem, own_counted, c};
}

static quire_status tell(void *ctx, const struct parallel_result *note,
                         quire_error *err)
{
    struct run *r = ctx;

    return own_problem(r->crew, &((const struct found *)note)->problem, err);
}

/* How many more the threads have done. */
static quire_status look(void *ctx, quire_error *err)
{
    struct run *r = ctx;

    r->crew->done += atomic_exchange(&r->done, 0);
    return show_progress(r->crew, err);
}

/* ---- a thread ----------------------------------------------------------- */

static quire_status hand_problem(void *ctx, const quire_problem *problem,
                                 quire_error *err)
{
    struct hand *h = ctx;
    struct found *f = calloc(1, sizeof *f);

    if (!f)
        return err_memory(err);
    f->problem = *problem;
    strncpy(f->where, problem->where, sizeof f->where - 1);
    f->problem.where = f->where;
    return parallel_emit(h->turn, &f->note, err);
}

static quire_status hand_counted(void *ctx, quire_error *err)
{
    struct hand *h = ctx;

    (void)err;
    atomic_fetch_add_explicit(&h->run->done, 1, memory_order_relaxed);
    return parallel_is_stopped(h->turn) ? QUIRE_STOPPED : QUIRE_OK;
}

static quire_status open_hand(void *ctx, void **tools, quire_error *err)
{
    struct run *r = ctx;
    const struct blob_workers *hands = r->crew->hands;
    struct hand *h = calloc(1, sizeof *h);
    struct check_ears ears = {hand_problem, hand_counted, h};
    quire_status st = h ? hands->open(hands->ctx, &h->b, err) : err_memory(err);

    if (st) {
        free(h);
        return st;
    }
    h->run = r;
    verify_init(&h->c, h->b, r->crew->flags, &ears);
    *tools = h;
    return QUIRE_OK;
}

static void close_hand(void *ctx, void *tools)
{
    const struct blob_workers *hands = ((struct run *)ctx)->crew->hands;
    struct hand *h = tools;

    verify_release(&h->c);
    hands->close(hands->ctx, h->b);
    free(h);
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

static quire_status do_heap(const struct run *r, size_t heap, struct verify *c,
                            quire_error *err)
{
    size_t at = heap * FILE_HEAP, n;
    int64_t from, to;

    if (!r->names) {
        row_range(r, heap, &from, &to);
        return verify_rows(c, from, to, err);
    }
    n = r->names->n - at < FILE_HEAP ? r->names->n - at : FILE_HEAP;
    return verify_files(c, r->names->list + at, n, err);
}

static quire_status work(void *ctx, void *tools, size_t heap,
                         struct parallel_chunk *turn, quire_error *err)
{
    struct run *r = ctx;
    struct hand *h = tools;
    quire_status st;

    h->turn = turn;
    h->c.strays = 0;
    st = do_heap(r, heap, &h->c, err);
    atomic_fetch_add(&r->strays, h->c.strays);
    return st;
}

/* ---- all of it ---------------------------------------------------------- */

static quire_status run(struct run *r, size_t n_chunks, uint64_t n,
                        uint64_t bytes, quire_error *err)
{
    const struct blob_workers *hands = r->crew->hands;
    bool many = hands && n > 1 && (n >= MANY || bytes >= MANY_BYTES);
    struct check_ears ears = verify_worker_hooks(r->crew);
    struct hand own = {.run = r, .b = r->crew->b};
    struct parallel_work w = {
        .n_chunks = n_chunks,
        .n_workers_max = many ? hands->n : 0,
        .ctx = r,
        .open = open_hand,
        .close = close_hand,
        .own = &own,
        .work = work,
        .emit = tell,
        .poll = look,
    };
    quire_status st;

    verify_init(&own.c, own.b, r->crew->flags, &ears);
    st = parallel_run(&w, err);
    verify_release(&own.c);
    return st || !many ? st : look(r, err);
}

quire_status verify_rows_parallel(struct verify_worker *c, uint64_t n,
                                  uint64_t bytes, int64_t last,
                                  quire_error *err)
{
    struct run r = {.crew = c, .last = last};

    return run(&r, ROW_HEAPS, n, bytes, err);
}

quire_status verify_files_parallel(struct verify_worker *c,
                                   const struct check_names *names,
                                   uint64_t *strays, quire_error *err)
{
    struct run r = {.crew = c, .names = names};
    quire_status st = run(&r, (names->n + FILE_HEAP - 1) / FILE_HEAP, names->n,
                          names->bytes, err);

    *strays = r.strays;
    return st;
}
