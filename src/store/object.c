/* object.c - helpers for objects of any backend */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/object.h"

quire_status object_copy(struct object *from, uint64_t at, uint64_t to,
                         struct draft *d, quire_error *err)
{
    enum { PIECE = 256 * 1024 };
    quire_status st = QUIRE_OK;
    char *piece = malloc(PIECE);
    size_t n = 1;

    if (!piece)
        return err_memory(err);
    while (!st && n > 0 && at < to) {
        size_t want = to - at < PIECE ? (size_t)(to - at) : PIECE;

        st = object_read(from, at, piece, want, &n, err);
        if (!st && n > 0)
            st = object_write(d, bytes_of(piece, n), err);
        at += n;
    }
    free(piece);
    return st;
}
