/*
 * run.c - see run.h
 *
 * The files are cut into chunks, which threads import at the same time, each with a
 * handle of its own. A chunk is a batch: what is small in it is committed together.
 *
 *   (1) Files of one session are in one chunk, or in the last one, which is imported
 *       alone: whether an id is taken, and what belongs to a session, is read from
 *       what was imported before.
 *   (2) Lines come in the order of the files: those of unchanged files first, those
 *       of the last chunk last.
 */
#include "import/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "base/parallel.h"
#include "import/agent.h"
#include "import/batch.h"
#include "import/known.h"

/* Of one chunk, at most, unless its last session has many. */
enum { CHUNK_FILES = 128, CHUNK_BYTES = 6 << 20 };

/* Below this the caller imports alone. */
#define THREADS_FROM ((uint64_t)4 << 20)

struct chunk {
    size_t from, to; /* in `order` */
};

struct running {
    const struct import_run *run;
    const struct import_places *places;
    struct import_summary *sum;
    const struct import_found **order; /* owned: files, chunk by chunk      */
    struct chunk *chunks;              /* owned                             */
    size_t n_chunks, n_done;
    uint64_t bytes;
    struct import_known_files own, *known; /* own: unless places have them */
    struct import_answers answers;
};

const char *import_state_name(enum import_state state)
{
    static const char *const names[] = {"new", "grown", "unchanged",
                                        "rewritten", "damaged"};

    return names[state];
}

/* ---- chunks ------------------------------------------------------------------- */

/* Begin a chunk, unless the last one has space. */
static void begin_chunk(struct running *r, size_t at, uint64_t *bytes)
{
    struct chunk *last = r->n_chunks ? &r->chunks[r->n_chunks - 1] : NULL;

    if (last && last->to - last->from < CHUNK_FILES && *bytes < CHUNK_BYTES)
        return;
    r->chunks[r->n_chunks++] = (struct chunk){at, at};
    *bytes = 0;
}

static quire_status tell_unchanged(struct running *r,
                                   const struct import_found *f,
                                   const struct import_known *row,
                                   quire_error *err)
{
    struct import_line line = {.agent = f->agent->name,
                               .source = f->path,
                               .session = row->session,
                               .state = IMPORT_UNCHANGED,
                               .entries = row->entries,
                               .bytes = row->bytes,
                               .problems = row->problems};

    r->n_done++;
    if (!f->is_main || !import_is_in_project(r->run, row->cwd))
        return QUIRE_OK;
    r->sum->found++;
    r->sum->unchanged++;
    r->sum->problems += row->problems;
    return r->run->line(r->run->ctx, &line, err);
}

/* Put files into chunks; those whose session is in another one go to `rest`, which
 * grows down from the end of `order`. */
static quire_status fill_chunks(struct running *r, struct map *chunk_of,
                                size_t *n, size_t *rest, quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint64_t bytes = 0, *in;
    bool fresh;
    size_t i;

    for (i = 0; i < r->places->n && !st; i++) {
        const struct import_found *f = &r->places->list[i];
        const struct import_known *same = known_same(r->known, f);
        quire_bytes id = bytes_str(f->id);

        if (f->modified_ns / 1000 < r->run->since_us)
            continue;
        if (same) {
            st = tell_unchanged(r, f, same, err);
            continue;
        }
        in = map_get(chunk_of, id);
        if (in && (*in != r->n_chunks || f->is_main)) {
            r->order[--*rest] = f;
            continue;
        }
        if (!in) {
            begin_chunk(r, *n, &bytes);
            if (!map_put(chunk_of, id, r->n_chunks, &fresh))
                return err_memory(err);
        }
        r->order[(*n)++] = f;
        r->chunks[r->n_chunks - 1].to = *n;
        bytes += f->size;
        r->bytes += f->size;
    }
    return st;
}

static quire_status make_chunks(struct running *r, quire_error *err)
{
    size_t n = 0, rest = r->places->n, i;
    struct map chunk_of;
    quire_status st;

    r->order = calloc(rest + 1, sizeof *r->order);
    r->chunks = calloc(rest + 1, sizeof *r->chunks);
    if (!r->order || !r->chunks)
        return err_memory(err);
    map_init(&chunk_of, 0x71756972, 5);
    st = fill_chunks(r, &chunk_of, &n, &rest, err);
    map_release(&chunk_of);
    if (st)
        return st;
    if (rest < r->places->n) { /* in their order, behind the others */
        r->chunks[r->n_chunks] = (struct chunk){n, n + r->places->n - rest};
        for (i = r->places->n; i-- > rest;)
            r->order[n++] = r->order[i];
    }
    return QUIRE_OK;
}

/* ---- work --------------------------------------------------------------------- */

static quire_status new_batch(struct running *r, quire *q,
                              struct import_batch **out, quire_error *err)
{
    struct import_batch *b = calloc(1, sizeof *b);

    if (b)
        b->buf = malloc(BATCH_BUF);
    if (!b || !b->buf) {
        free(b);
        return err_memory(err);
    }
    b->run = r->run;
    b->places = r->places;
    b->q = q;
    b->answers = &r->answers;
    b->end = &b->first;
    *out = b;
    return QUIRE_OK;
}

static void free_batch(struct import_batch *b)
{
    arena_release(&b->keep);
    free(b->buf);
    free(b);
}

static quire_status open_worker(void *ctx, void **state, quire_error *err)
{
    struct running *r = ctx;
    struct import_batch *b = NULL;
    quire *q;
    quire_status st = r->run->open(r->run->ctx, &q, err);

    if (st)
        return st;
    st = new_batch(r, q, &b, err);
    if (st)
        quire_close(q);
    *state = b;
    return st;
}

static void close_worker(void *ctx, void *state)
{
    struct import_batch *b = state;

    (void)ctx;
    quire_close(b->q);
    free_batch(b);
}

static quire_status import_chunk(void *ctx, void *state, size_t chunk,
                                 struct parallel_chunk *turn, quire_error *err)
{
    struct running *r = ctx;
    struct import_batch *b = state;
    const struct chunk *c = &r->chunks[chunk];
    quire_status st = QUIRE_OK;
    size_t i;

    b->turn = turn;
    for (i = c->from; i < c->to && !st; i++) {
        st = import_file(b, r->order[i], err);
        if (!st && (parallel_is_stopped(turn) || import_is_stopped(r->run)))
            st = QUIRE_STOPPED;
    }
    return st ? st : batch_flush(b, err);
}

static quire_status deliver(void *ctx, const struct parallel_result *result,
                            quire_error *err)
{
    struct running *r = ctx;

    return batch_deliver(r->run, r->sum,
                         (const struct import_result *)(const void *)result,
                         err);
}

static quire_status chunk_done(void *ctx, size_t chunk, quire_error *err)
{
    struct running *r = ctx;

    (void)err;
    r->n_done += r->chunks[chunk].to - r->chunks[chunk].from;
    if (r->run->progress)
        r->run->progress(r->run->ctx, r->n_done, r->places->n);
    return QUIRE_OK;
}

static quire_status run_chunks(struct running *r, quire_error *err)
{
    bool alone = !r->run->open || r->bytes < THREADS_FROM;
    struct parallel_work w = {
        .n_chunks = r->n_chunks,
        .n_workers_max = alone ? 1 : parallel_n_threads(),
        .ctx = r,
        .open = open_worker,
        .close = close_worker,
        .work = import_chunk,
        .emit = deliver,
        .chunk_done = chunk_done,
    };
    struct import_batch *own;
    quire_status st = new_batch(r, r->run->q, &own, err);

    if (st)
        return st;
    w.own = own;
    st = parallel_run(&w, err);
    r->chunks += r->n_chunks; /* the last one */
    w.n_chunks = r->chunks->to > r->chunks->from;
    w.n_workers_max = 1;
    if (!st)
        st = parallel_run(&w, err);
    r->chunks -= r->n_chunks;
    free_batch(own);
    return st;
}

quire_status import_run(const struct import_run *run,
                        const struct import_places *places,
                        struct import_summary *out, quire_error *err)
{
    struct running r = {.run = run, .places = places, .sum = out};
    quire_status st;

    *out = (struct import_summary){.found = 0};
    answers_init(&r.answers);
    r.known = places->known;
    if (!r.known)
        known_init(r.known = &r.own, run->q);
    st = known_load(r.known, err);
    if (!st)
        st = make_chunks(&r, err);
    if (!st)
        st = run_chunks(&r, err);
    if (r.known == &r.own)
        known_release(&r.own);
    answers_release(&r.answers);
    free(r.order);
    free(r.chunks);
    return st;
}
