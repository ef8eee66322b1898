/*
 * buf.h - a growing buffer with a ceiling
 *
 * A buffer has a ceiling from the start and remembers failure: add as often as
 * needed and check `failed` once at the end. After a failure every add is a
 * no-op, and the content is what it was before the add that failed.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

struct buf {
    char *data; /* owned; not terminated; NULL while nothing was added  */
    size_t len;
    size_t cap;
    size_t max;  /* len never exceeds it                                 */
    bool failed; /* out of memory, or the ceiling was reached */
};

/* clang-format off */
#define BUF_INIT(ceiling) {.max = (ceiling)}
/* clang-format on */

void buf_release(struct buf *b);

/* Empty it and clear a failure; keeps the memory. */
void buf_clear(struct buf *b);

void buf_add(struct buf *b, const void *data, size_t len);
void buf_add_str(struct buf *b, const char *text);
void buf_add_char(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Reserve `len` more bytes and return where they begin; call buf_grow() with
 * the number used. NULL on failure. */
void *buf_room(struct buf *b, size_t len);
void buf_grow(struct buf *b, size_t used);

/* The content as a string: adds a NUL that does not count in `len`. NULL if
 * the buffer has failed. */
char *buf_text(struct buf *b);

static inline quire_bytes buf_bytes(const struct buf *b)
{
    return (quire_bytes){b->data, b->len};
}

/* A quire_write_fn that adds to the buffer `b`. */
quire_status buf_write(void *b, quire_bytes piece, quire_error *err);

/* QUIRE_OK, or QUIRE_NO_MEMORY with a message that names `thing`. */
quire_status buf_status(const struct buf *b, const char *thing,
                        quire_error *err);

#endif
