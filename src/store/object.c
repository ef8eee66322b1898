/* object.c - helpers for objects of any backend */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/object.h"

quire_status object_copy(struct object *from, struct draft *d, quire_error *err)
{
    enum { PIECE = 256 * 1024 };
    quire_status st = QUIRE_OK;
    char *piece = malloc(PIECE);
    uint64_t at = 0;
    size_t n = 1;

    if (!piece)
        return err_memory(err);
    for (; !st && n > 0; at += n) {
        st = object_read(from, at, piece, PIECE, &n, err);
        if (!st && n > 0)
            st = object_write(d, bytes_of(piece, n), err);
    }
    free(piece);
    return st;
}
