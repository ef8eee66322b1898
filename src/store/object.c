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

        st = from->ops->read(from, at, piece, want, &n, err);
        if (!st && n > 0)
            st = d->ops->write(d, bytes_of(piece, n), err);
        at += n;
    }
    free(piece);
    return st;
}

quire_status object_lost_name(struct object_store *s, const char *name,
                              quire_error *err)
{
    return err_fail(err, QUIRE_CHANGED,
                    "find the file under its new name; it has what was written "
                    "last",
                    "%s/%s was moved, replaced or removed while it was written",
                    s->ops->place(s), name);
}
