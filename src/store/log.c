/* log.c - helpers for logs of any backend */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/log.h"

quire_status log_copy(struct log *from, uint64_t at, uint64_t to,
                      struct log_draft *d, quire_error *err)
{
    enum { PIECE = 256 * 1024 };
    quire_status st = QUIRE_OK;
    char *piece = malloc(PIECE);
    size_t n = 1;

    if (!piece)
        return err_memory(err);
    while (!st && n > 0 && at < to) {
        size_t want = to - at < PIECE ? (size_t)(to - at) : PIECE;

        st = log_read(from, at, piece, want, &n, err);
        if (!st && n > 0)
            st = log_write(d, bytes_of(piece, n), err);
        at += n;
    }
    free(piece);
    return st;
}

quire_status log_lost_name(struct log_store *s, const char *name,
                           quire_error *err)
{
    return err_fail(err, QUIRE_CHANGED,
                    "find the file under its new name; it has what was written "
                    "last",
                    "%s/%s was moved, replaced or removed while it was written",
                    log_place(s), name);
}

quire_status log_lost_lease(struct log_store *s, const char *name,
                            quire_error *err)
{
    return err_fail(err, QUIRE_CHANGED, "open it again",
                    "another writer has taken the lease of %s/%s", log_place(s),
                    name);
}
