#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 8 KiB: most operations fit in one, and malloc still serves it from its
 * heap instead of asking the kernel. Chunks double up to 1 MiB so that large
 * results do not become long lists. */
#define CHUNK_MIN ((size_t)8 * 1024)
#define CHUNK_MAX ((size_t)1024 * 1024)
#define ALIGN     (sizeof(max_align_t))

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* of the data that follows */
    max_align_t data[];
};

static struct arena_chunk *chunk_new(struct arena *a, size_t need)
{
    size_t size = a->chunks ? a->chunks->size * 2 : CHUNK_MIN;
    struct arena_chunk *c;

    if (size > CHUNK_MAX)
        size = CHUNK_MAX;
    if (size < need)
        size = need;
    c = malloc(sizeof *c + size);
    if (!c)
        return NULL;
    c->size = size;
    c->next = a->chunks;
    a->chunks = c;
    a->at = (char *)c->data;
    a->end = a->at + size;
    return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
    void *p;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + !size + ALIGN - 1) / ALIGN * ALIGN;
    if (size > (size_t)(a->end - a->at) && !chunk_new(a, size))
        return NULL;
    p = a->at;
    a->at += size;
    a->used += size;
    return p;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
    void *p;

    if (size && n > SIZE_MAX / 2 / size)
        return NULL;
    p = arena_alloc(a, n * size);
    if (p)
        memset(p, 0, n * size);
    return p;
}

char *arena_text(struct arena *a, quire_bytes bytes)
{
    char *p = bytes.len < SIZE_MAX ? arena_alloc(a, bytes.len + 1) : NULL;

    if (!p)
        return NULL;
    if (bytes.len)
        memcpy(p, bytes.data, bytes.len);
    p[bytes.len] = '\0';
    return p;
}

quire_bytes arena_dup(struct arena *a, quire_bytes bytes)
{
    return (quire_bytes){arena_text(a, bytes), bytes.len};
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    char *p = NULL;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0)
        p = arena_alloc(a, (size_t)n + 1);
    if (p)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return p;
}

static void free_from(struct arena_chunk *c)
{
    while (c) {
        struct arena_chunk *next = c->next;

        free(c);
        c = next;
    }
}

void arena_release(struct arena *a)
{
    free_from(a->chunks);
    *a = (struct arena)ARENA_INIT;
}

void arena_reset(struct arena *a)
{
    if (!a->chunks)
        return;
    free_from(a->chunks->next);
    a->chunks->next = NULL;
    a->at = (char *)a->chunks->data;
    a->used = 0;
}
