/*
 * parallel.h - work in many heaps, done by several threads and told by one
 *
 * Some looks at a home take all processors, and what they find is to be told as
 * if one had looked: in order, and by the thread that called. Who wants that
 * deals the work into heaps, says how one is done and what is to be told of it.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

/* Something to be told. It is first in a struct that malloc() made, and is
 * freed when it was told. */
struct parallel_result {
    struct parallel_result *next;
};

/* A heap that somebody is at. */
struct parallel_chunk;

struct parallel_work {
    size_t n_chunks;
    unsigned
        n_workers_max; /* threads there may be; below 2: the caller alone */
    void *ctx;

    /* What one thread has to itself; made, used and taken back by it. A thread
     * that cannot have it leaves the work to others. */
    quire_status (*open)(void *ctx, void **tools, quire_error *err);
    void (*close)(void *ctx, void *tools);

    /* What the caller has, for what no thread does. */
    void *own;

    quire_status (*work)(void *ctx, void *tools, size_t heap,
                         struct parallel_chunk *turn, quire_error *err);

    /* By the caller: one note; that all of a heap has been told; and, now and
     * then, that time passes. The last two may be NULL. Anything but QUIRE_OK
     * ends all of it, and is returned. */
    quire_status (*tell)(void *ctx, const struct parallel_result *note,
                         quire_error *err);
    quire_status (*told)(void *ctx, size_t heap, quire_error *err);
    quire_status (*look)(void *ctx, quire_error *err);
};

/* Do it all. An error of a heap comes after what was found before it. */
quire_status parallel_run(const struct parallel_work *w, quire_error *err);

/* From within work(): have it told, when its turn has come. The note is not the
 * caller's any more. */
quire_status parallel_emit(struct parallel_chunk *turn,
                           struct parallel_result *note, quire_error *err);

/* From within work(): nobody wants to know any more. */
bool parallel_is_stopped(struct parallel_chunk *turn);

/* A thread that takes no signals: they are the caller's affair. False if there is
 * none to be had. */
bool parallel_thread_start(pthread_t *thread, void *(*run)(void *), void *ctx);

/* How many threads this machine is good for. */
unsigned parallel_n_threads(void);

#endif
