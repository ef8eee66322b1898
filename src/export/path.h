/*
 * path.h - the entries that are exported, and what is known of their session
 */
#ifndef EXPORT_PATH_H
#define EXPORT_PATH_H

#include "export/clean.h"
#include "export/target.h"

struct export_path {
    const char **ids; /* in the arena */
    size_t n, cap;
};

/* Collect the ids of the path of an open session, and fill x->session. For an
 * agent a compaction comes before the first entry that it keeps: the model saw the
 * summary before them.
 *
 * QUIRE_NOT_FOUND  no entry `leaf`
 * QUIRE_INVALID    `from` is not on the path */
quire_status export_path_find(struct export *x, quire_session *s,
                              const quire_export_options *options,
                              struct export_path *path, quire_error *err);

#endif
