/*
 * parallel.h - threads for one piece of work
 *
 * parallel_run() is an ordered parallel map: worker threads process chunks;
 * results are delivered in order on the calling thread, as if one thread had
 * done all the work. parallel_parts() runs parts at once that need no order and
 * deliver nothing.
 *
 * Both end before the call does. A pool that takes requests for as long as the
 * process lives (server/workers.c) and a thread that reads a pipe
 * (mcp/stdio.c) are other shapes and use parallel_thread_start() alone.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

/* A result. It is the first member of a struct from malloc(), and is freed
 * after delivery. */
struct parallel_result {
    struct parallel_result *next;
};

/* A chunk being processed. */
struct parallel_chunk;

struct parallel_work {
    size_t n_chunks;
    unsigned
        n_workers_max; /* worker threads; below 2: the caller works alone */
    void *ctx;

    /* State of one worker: created, used and closed by its thread. A worker
     * that cannot open it leaves the work to the others. */
    quire_status (*open)(void *ctx, void **state, quire_error *err);
    void (*close)(void *ctx, void *state);

    /* The caller's own state, for chunks that no worker processes. */
    void *own;

    quire_status (*work)(void *ctx, void *state, size_t chunk,
                         struct parallel_chunk *turn, quire_error *err);

    /* On the caller's thread: one result; the end of a chunk; and, now and
     * then, that time passes. The last two may be NULL. Anything but QUIRE_OK
     * stops the work and is returned. */
    quire_status (*emit)(void *ctx, const struct parallel_result *result,
                         quire_error *err);
    quire_status (*chunk_done)(void *ctx, size_t chunk, quire_error *err);
    quire_status (*poll)(void *ctx, quire_error *err);
};

/* Process all chunks. The error of a chunk is returned after the results before
 * it were delivered. */
quire_status parallel_run(const struct parallel_work *w, quire_error *err);

/* Within work(): deliver a result when its chunk has the turn. Takes ownership
 * of the result. */
quire_status parallel_emit(struct parallel_chunk *turn,
                           struct parallel_result *result, quire_error *err);

/* Within work(): whether the caller has given up. */
bool parallel_is_stopped(struct parallel_chunk *turn);

/* Call run() with each of `n` parts at once: with the first on this thread, with
 * the others on a thread each, or on this one where none can be started. The
 * parts are an array of elements of `size` bytes. */
enum { PARALLEL_PARTS_MAX = 8 };
void parallel_parts(void *(*run)(void *part), void *parts, size_t size,
                    size_t n);

/* Start a thread that blocks all signals; the caller's threads handle those.
 * False if it cannot be started. */
bool parallel_thread_start(pthread_t *thread, void *(*run)(void *), void *ctx);

/* The number of processors, within reason. */
unsigned parallel_n_threads(void);

#endif
