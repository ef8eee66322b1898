/*
 * roots.h - places outside a home with files that refer to its blobs
 *
 * A session directory elsewhere, or one file: by absolute paths, as they were
 * registered.
 */
#ifndef GC_ROOTS_H
#define GC_ROOTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "quire.h"
#include "store/db.h"

struct root {
    const char *path;
    bool is_dir; /* it was one when it was registered */
};

struct roots {
    struct root *list; /* in the arena, by ascending paths */
    size_t n;
};

/* `db` may be NULL: no roots. */
quire_status roots_load(struct db *db, struct arena *keep, struct roots *out,
                        quire_error *err);

/* Adding one twice is fine. QUIRE_NOT_FOUND without a message: unknown root. */
quire_status roots_add(struct db *db, const struct root *root, int64_t now_s,
                       quire_error *err);
quire_status roots_drop(struct db *db, const char *path, quire_error *err);

/* Whether a collection has read a file below a root. */
quire_status roots_had_files(struct db *db, const struct root *root, bool *had,
                             quire_error *err);

#endif
