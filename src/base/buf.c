#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

void buf_release(struct buf *b)
{
    free(b->data);
    *b = (struct buf){.max = b->max};
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->failed = false;
}

/* Capacity doubles, so that many small adds cost one copy a byte on average; it
 * stays within the ceiling plus one byte for the NUL. */
static bool ensure_capacity(struct buf *b, size_t need)
{
    size_t cap = b->cap ? b->cap : 64;
    char *data;

    if (need <= b->cap)
        return true;
    while (cap < need)
        cap = cap > b->max / 2 ? b->max + 1 : cap * 2;
    data = realloc(b->data, cap);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

static bool reserve_bytes(struct buf *b, size_t len)
{
    if (b->failed)
        return false;
    if (len > b->max || b->len > b->max - len) {
        b->failed = true;
        return false;
    }
    return ensure_capacity(b, b->len + len);
}

void *buf_room(struct buf *b, size_t len)
{
    /* A length of zero still returns a valid pointer. */
    return reserve_bytes(b, len) && ensure_capacity(b, b->len + len + 1)
               ? b->data + b->len
               : NULL;
}

void buf_grow(struct buf *b, size_t used)
{
    b->len += used;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
    if (len == 0 || !reserve_bytes(b, len))
        return;
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

void buf_add_str(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_add_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
    char small[256];
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(small, sizeof small, fmt, ap);
    if (n < 0) {
        b->failed = true;
    } else if ((size_t)n < sizeof small) {
        buf_add(b, small, (size_t)n);
    } else if (reserve_bytes(b, (size_t)n) &&
               ensure_capacity(b, b->len + (size_t)n + 1)) {
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

char *buf_text(struct buf *b)
{
    if (b->failed || !ensure_capacity(b, b->len + 1))
        return NULL;
    b->data[b->len] = '\0';
    return b->data;
}

quire_status buf_write(void *b, quire_bytes piece, quire_error *err)
{
    struct buf *out = b;

    buf_add(out, piece.data, piece.len);
    return out->failed ? err_memory(err) : QUIRE_OK;
}

quire_status buf_status(const struct buf *b, const char *thing,
                        quire_error *err)
{
    if (!b->failed)
        return QUIRE_OK;
    if (b->len + 1 >= b->max)
        return err_set(err, QUIRE_NO_MEMORY, "%s is larger than %zu bytes",
                       thing, b->max);
    return err_set(err, QUIRE_NO_MEMORY, "no memory for %s", thing);
}
