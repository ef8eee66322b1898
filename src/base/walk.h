/*
 * walk.h - every file below a directory, in order
 */
#ifndef BASE_WALK_H
#define BASE_WALK_H

#include <sys/stat.h>

#include "quire.h"

/* Anything but QUIRE_OK ends the walk, which returns it. */
typedef quire_status (*walk_each_fn)(void *ctx, const char *name,
                                     const struct stat *st, quire_error *err);

/* Pass each regular file below `prefix` ("" for all) beneath `dir` to `each`,
 * named from `dir`, in ascending order of these names. Links are neither
 * followed nor passed, and our temporary files are skipped. Files that vanish
 * meanwhile are left out; what cannot be read is an error. An absent prefix has
 * no files. `place` is the name of `dir` in messages. */
quire_status walk_files(int dir, const char *place, const char *prefix,
                        walk_each_fn each, void *ctx, quire_error *err);

/* Of a file; st_mode is not 0. */
struct walk_stat {
    ino_t ino;
    off_t size;
    struct timespec modified;
    mode_t mode;
};

typedef quire_status (*walk_stat_fn)(void *ctx, quire_bytes name,
                                     const struct walk_stat *st,
                                     quire_error *err);

/* The same for all files beneath `dir`, for lists of many: what is asked of the
 * files of a large directory is asked on all processors, before the first of them is
 * passed. `name` ends with a NUL behind it. A directory that may not be listed is passed as
 * one, its name with a '/' at its end. */
quire_status walk_stats(int dir, const char *place, walk_stat_fn each,
                        void *ctx, quire_error *err);

#endif
