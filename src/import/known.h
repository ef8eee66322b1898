/*
 * known.h - what the ledger has of all files, for a quick look at many
 *
 * Nearly all files of a second import are unchanged. Their rows are read at once,
 * while a thread lists the files (places.h), and compared with what it saw of them:
 * they are not opened.
 */
#ifndef IMPORT_KNOWN_H
#define IMPORT_KNOWN_H

#include "base/arena.h"
#include "import/places.h"

struct import_known {
    const char *path, *agent, *session, *cwd;
    uint64_t inode, bytes, entries, problems;
    int64_t modified_ns;
};

struct import_known_files {
    struct arena keep;         /* text                                    */
    struct import_known *list; /* owned; in ascending order of paths      */
    size_t n, cap;
    size_t next; /* after the last one that was found: files come in order */
    quire *q;    /* NULL: nothing is known */
    bool loaded, sorted;
    quire_status status; /* of reading */
    quire_error error;
};

void known_init(struct import_known_files *k, quire *q);
void known_release(struct import_known_files *k);

/* Read the ledger, unless it was read. Uses `q`. */
quire_status known_load(struct import_known_files *k, quire_error *err);

/* The row of a file; NULL: it was not imported. */
const struct import_known *known_row(struct import_known_files *k,
                                     const char *path);

/* The row of a file that has not changed since it was imported; NULL: it has, or it
 * has to be looked at. */
const struct import_known *known_same(struct import_known_files *k,
                                      const struct import_found *f);

/* The same while files are being found. That the ledger cannot be read is reported
 * by known_load(). */
const struct import_known *known_found(const struct import_places *p,
                                       const struct import_found *f);

#endif
