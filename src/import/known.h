/*
 * known.h - what the ledger has of all files, for a quick look at many
 *
 * Nearly all files of a second import are unchanged. Their rows are read at once,
 * and compared with what the walk saw of the files, which are not opened.
 */
#ifndef IMPORT_KNOWN_H
#define IMPORT_KNOWN_H

#include "base/arena.h"
#include "base/map.h"
#include "import/places.h"

struct import_known {
    const char *session, *cwd;
    uint64_t inode, bytes, entries, problems;
    int64_t modified_ns;
};

struct import_known_files {
    struct map at;             /* by path: number in `list` */
    struct arena keep;         /* text                      */
    struct import_known *list; /* owned              */
    size_t n, cap;
};

/* Read the ledger. */
quire_status known_load(struct import_known_files *k, quire *q,
                        quire_error *err);
void known_release(struct import_known_files *k);

/* The row of a file that has not changed since it was imported; NULL: it has, or it
 * has to be looked at. */
const struct import_known *known_same(const struct import_known_files *k,
                                      const struct import_found *f);

#endif
