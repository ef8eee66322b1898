/*
 * verify_parallel.c - verify blobs with several threads
 *
 * All blobs are divided into small chunks: rows in the order they were stored,
 * files in the order of their digests. Each thread of base/parallel.h reads and
 * hashes with its own store; the hooks are called in that order, on the calling
 * thread.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/parallel.h"
#include "blob/verify.h"

/* Rows are divided by their ids, which is their order in quire.db; files by
 * count. */
#define ROW_CHUNKS  256
#define CHUNK_FILES 8

/* Below both of these, threads cost more than they save. */
#define PARALLEL_MIN       64
#define PARALLEL_MIN_BYTES ((uint64_t)4 << 20)

struct found {
    struct parallel_result note;
    char where[QUIRE_REF_SIZE];
    quire_problem problem;
};

struct run {
    struct verify_caller *caller;
    const struct check_names *names; /* NULL: rows */
    int64_t last;                    /* the highest id of a row */
    _Atomic uint64_t done, strays;
};

/* State of one thread. */
struct worker {
    struct run *run;
    struct blobs *b;
    struct verify c;
    struct parallel_chunk *chunk;
};

void verify_caller_init(struct verify_caller *c, struct blobs *b,
                        unsigned flags, const struct blob_workers *workers,
                        const quire_check_hooks *hooks)
{
    *c = (struct verify_caller){.b = b,
                                .flags = flags,
                                .workers = workers,
                                .hooks = hooks};
}

/* ---- the calling thread ------------------------------------------------- */

static quire_status caller_problem(void *ctx, const quire_problem *problem,
                                   quire_error *err)
{
    struct verify_caller *c = ctx;

    return c->hooks->problem(c->hooks->ctx, problem, err);
}

static quire_status show_progress(struct verify_caller *c, quire_error *err)
{
    if (!c->hooks->progress)
        return QUIRE_OK;
    return c->hooks->progress(c->hooks->ctx, c->done, c->total, err);
}

static quire_status caller_counted(void *ctx, quire_error *err)
{
    struct verify_caller *c = ctx;

    c->done++;
    return show_progress(c, err);
}

struct verify_callbacks verify_caller_callbacks(struct verify_caller *c)
{
    return (struct verify_callbacks){caller_problem, caller_counted, c};
}

static quire_status emit_problem(void *ctx, const struct parallel_result *note,
                                 quire_error *err)
{
    struct run *r = ctx;

    return caller_problem(r->caller, &((const struct found *)note)->problem,
                          err);
}

/* Add what the threads have done to the progress. */
static quire_status update_progress(void *ctx, quire_error *err)
{
    struct run *r = ctx;

    r->caller->done += atomic_exchange(&r->done, 0);
    return show_progress(r->caller, err);
}

/* ---- worker threads ----------------------------------------------------- */

static quire_status worker_problem(void *ctx, const quire_problem *problem,
                                   quire_error *err)
{
    struct worker *h = ctx;
    struct found *f = calloc(1, sizeof *f);

    if (!f)
        return err_memory(err);
    f->problem = *problem;
    strncpy(f->where, problem->where, sizeof f->where - 1);
    f->problem.where = f->where;
    return parallel_emit(h->chunk, &f->note, err);
}

static quire_status worker_counted(void *ctx, quire_error *err)
{
    struct worker *h = ctx;

    (void)err;
    atomic_fetch_add_explicit(&h->run->done, 1, memory_order_relaxed);
    return parallel_is_stopped(h->chunk) ? QUIRE_STOPPED : QUIRE_OK;
}

static quire_status open_worker(void *ctx, void **tools, quire_error *err)
{
    struct run *r = ctx;
    const struct blob_workers *workers = r->caller->workers;
    struct worker *h = calloc(1, sizeof *h);
    struct verify_callbacks callbacks = {worker_problem, worker_counted, h};
    quire_status st = h ? workers->open(workers->ctx, &h->b, err)
                        : err_memory(err);

    if (st) {
        free(h);
        return st;
    }
    h->run = r;
    verify_init(&h->c, h->b, r->caller->flags, &callbacks);
    *tools = h;
    return QUIRE_OK;
}

static void close_worker(void *ctx, void *tools)
{
    const struct blob_workers *workers = ((struct run *)ctx)->caller->workers;
    struct worker *h = tools;

    verify_release(&h->c);
    workers->close(workers->ctx, h->b);
    free(h);
}

/* The ids of a chunk. The first and the last also cover ids outside the
 * expected range. */
static void row_range(const struct run *r, size_t index, int64_t *from,
                      int64_t *to)
{
    int64_t each = r->last / ROW_CHUNKS + 1;

    *from = index == 0 ? INT64_MIN : (int64_t)index * each;
    *to = index == ROW_CHUNKS - 1 ? INT64_MAX : ((int64_t)index + 1) * each - 1;
}

static quire_status verify_chunk(const struct run *r, size_t index,
                                 struct verify *c, quire_error *err)
{
    size_t at = index * CHUNK_FILES, n;
    int64_t from, to;

    if (!r->names) {
        row_range(r, index, &from, &to);
        return verify_rows(c, from, to, err);
    }
    n = r->names->n - at < CHUNK_FILES ? r->names->n - at : CHUNK_FILES;
    return verify_files(c, r->names->list + at, n, err);
}

static quire_status run_chunk(void *ctx, void *tools, size_t index,
                              struct parallel_chunk *chunk, quire_error *err)
{
    struct run *r = ctx;
    struct worker *h = tools;
    quire_status st;

    h->chunk = chunk;
    h->c.strays = 0;
    st = verify_chunk(r, index, &h->c, err);
    atomic_fetch_add(&r->strays, h->c.strays);
    return st;
}

/* ---- run ---------------------------------------------------------------- */

static quire_status run_parallel(struct run *r, size_t n_chunks, uint64_t n,
                                 uint64_t bytes, quire_error *err)
{
    const struct blob_workers *workers = r->caller->workers;
    bool many = workers && n > 1 &&
                (n >= PARALLEL_MIN || bytes >= PARALLEL_MIN_BYTES);
    struct verify_callbacks callbacks = verify_caller_callbacks(r->caller);
    struct worker own = {.run = r, .b = r->caller->b};
    struct parallel_work w = {
        .n_chunks = n_chunks,
        .n_workers_max = many ? workers->n : 0,
        .ctx = r,
        .open = open_worker,
        .close = close_worker,
        .own = &own,
        .work = run_chunk,
        .emit = emit_problem,
        .poll = update_progress,
    };
    quire_status st;

    verify_init(&own.c, own.b, r->caller->flags, &callbacks);
    st = parallel_run(&w, err);
    verify_release(&own.c);
    return st || !many ? st : update_progress(r, err);
}

quire_status verify_rows_parallel(struct verify_caller *c, uint64_t n,
                                  uint64_t bytes, int64_t last,
                                  quire_error *err)
{
    struct run r = {.caller = c, .last = last};

    return run_parallel(&r, ROW_CHUNKS, n, bytes, err);
}

quire_status verify_files_parallel(struct verify_caller *c,
                                   const struct check_names *names,
                                   uint64_t *strays, quire_error *err)
{
    struct run r = {.caller = c, .names = names};
    quire_status st = run_parallel(&r,
                                   (names->n + CHUNK_FILES - 1) / CHUNK_FILES,
                                   names->n, names->bytes, err);

    *strays = r.strays;
    return st;
}
