/*
 * arena.h - arena allocator
 *
 * An operation has a scratch arena that it releases at the end; results go to
 * the arena the caller passed as `keep`. Ownership is a question of lifetimes,
 * and an error path has one thing to release.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "quire.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first                       */
    char *at, *end;             /* free part of the newest chunk      */
    size_t used;                /* bytes handed out, for tests        */
};

/* clang-format off */
#define ARENA_INIT {0}
/* clang-format on */

/* `size` bytes, aligned for any type, not cleared; NULL when out of memory. A
 * size of zero returns a unique pointer. */
void *arena_alloc(struct arena *a, size_t size);

/* An array of `n` elements, cleared; the product is checked. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* Copies that live as long as the arena; .data is NULL when out of memory.
 * arena_text() adds a NUL. */
quire_bytes arena_dup(struct arena *a, quire_bytes bytes);
char *arena_text(struct arena *a, quire_bytes bytes);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Free everything; the arena can be used again. */
void arena_release(struct arena *a);

/* Drop the contents but keep one chunk, for loops. */
void arena_reset(struct arena *a);

#endif
