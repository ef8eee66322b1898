/* import_priv.h - an import under way: see import_write.c */
#ifndef API_IMPORT_PRIV_H
#define API_IMPORT_PRIV_H

#include "api/session.h"
#include "base/fs.h"
#include "catalog/import_ledger.h"

#define PART_BYTES    ((size_t)1 << 20)
#define PART_MIN      ((size_t)64 << 10)
#define SPOOL_MAX     ((size_t)16 << 20)
#define PENDING_BYTES ((size_t)8 << 20)
#define CEILING       ((size_t)1 << 31)
enum { PENDING_MAX = 200 };

struct quire_import {
    quire *q;
    struct arena keep;
    quire_import_file known; /* .path: of the file; the rest of an earlier
                                import, if there is one                    */
    bool has_row, grown, held;

    struct buf lines;     /* entries that are not in the file yet    */
    struct fs_temp spool; /* and those before them                   */
    int dir;              /* of the spool; -1: there is none         */
    uint64_t spooled;
    uint64_t bytes, settled_bytes; /* of entries */
    uint64_t entries, settled_entries;

    struct buf part; /* the last, not complete part of the file */
    uint64_t part_at, from;
    struct import_part *parts; /* owned; new ones */
    size_t n_parts, cap_parts;

    struct buf content; /* of blobs that are not put yet */
    size_t ends[PENDING_MAX];
    size_t n_pending;
};

/* ---- import_session.c: the session file ---------------------------------- */

/* The file of the session with this id: not one whose id begins so. */
quire_status import_find_session(struct quire_import *im, const char *id,
                                 struct session_location *p, quire_error *err);

/* QUIRE_CHANGED: it has not the size that the last import has left. Entries that
 * others have appended would be lost. */
quire_status import_check_size(const struct quire_import *im, uint64_t size,
                               quire_error *err);

/* Write the session file, or append to it; set the sizes and counts of `file`. */
quire_status import_write_new(struct quire_import *im, quire_import_file *file,
                              const quire_import_header *header,
                              quire_error *err);
quire_status import_write_grown(struct quire_import *im,
                                quire_import_file *file,
                                const quire_import_header *header,
                                quire_error *err);

#endif
