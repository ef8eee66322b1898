/* import_priv.h - an import under way: see import_write.c */
#ifndef API_IMPORT_PRIV_H
#define API_IMPORT_PRIV_H

#include "api/session.h"
#include "base/fs.h"
#include "catalog/import_ledger.h"

#define PART_BYTES    ((size_t)1 << 20)
#define PART_MIN      ((size_t)64 << 10)
#define SPOOL_MAX     ((size_t)1 << 20)
#define PENDING_BYTES ((size_t)2 << 20)
#define CEILING       ((size_t)1 << 31)
enum { PENDING_MAX = 200 };

/* Where the scan for long strings is (import_parts.c). */
enum import_scan {
    IMPORT_SCAN_OUTSIDE,
    IMPORT_SCAN_STRING,
    IMPORT_SCAN_LOST, /* it cannot be told until the next line */
};

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
    struct buf notes;  /* lines of the session file that stay behind them */
    const char *title; /* the user's; NULL: there is none                 */

    struct buf part; /* the last, not complete part of the file */
    uint64_t part_at, from;
    enum import_scan scan;
    size_t string_at;          /* in `part`                              */
    struct buf said, spelled;  /* of one string                         */
    struct import_part *parts; /* owned; new ones */
    size_t n_parts, cap_parts;

    enum secrets_policy secrets;
    const char *secrets_place; /* of the entries; in `keep` */
    struct arena masked;       /* of one entry */

    uint64_t *answers; /* owned: whose usage the session has */
    size_t n_answers, cap_answers;

    struct buf content; /* of blobs that are not put yet */
    struct import_pending {
        size_t at, len; /* in `content` */
        quire_digest digest;
        struct blob_packed packed;
    } pending[PENDING_MAX];
    size_t n_pending;
    struct buf packed; /* those as they are stored */
    bool unsynced;     /* blobs were put without waiting for the disk */

    /* Of an import that is complete, for import_commit.c; in `keep`. */
    quire_import_file file;
    quire_import_header header;
    bool has_header;
    quire_bytes state;
    struct quire_import *next; /* that waits with it */
    quire_status status;
    quire_error error;
};

/* ---- import.c ------------------------------------------------------------- */

/* The session, as the ledger of answers has it. */
uint64_t import_owner(const char *session);

/* ---- import_blobs.c ------------------------------------------------------- */

/* Pack the collected blobs, before a transaction; put them, in the one that is
 * open. When that is durable, all blobs of the import are. */
quire_status import_pack_blobs(struct quire_import *im, quire_error *err);
quire_status import_put_blobs(struct quire_import *im, quire_error *err);

quire_status import_add_blob(struct quire_import *im, quire_bytes content,
                             quire_digest *digest, quire_error *err);

/* ---- import_parts.c ------------------------------------------------------- */

quire_status import_end_part(struct quire_import *im, quire_error *err);

/* Add the bytes of a part with this content. */
quire_status import_spell(enum import_part_form form, quire_bytes content,
                          struct buf *out, quire_error *err);

/* Write the bytes of a part. */
quire_status import_write_part(quire *q, const struct import_part *part,
                               quire_write_fn write, void *ctx,
                               quire_error *err);

/* ---- import_session.c: the session file ---------------------------------- */

/* The file of the session with this id: not one whose id begins so. */
quire_status import_find_session(struct quire_import *im, const char *id,
                                 struct session_location *p, quire_error *err);

/* ---- import_notes.c: labels and titles of an imported session -------------- */

/* QUIRE_CHANGED: it is smaller than the last import has left it. */
quire_status import_check_size(const struct quire_import *im, uint64_t size,
                               quire_error *err);

/* Read those of the session file into `notes` and `title`. QUIRE_CHANGED: others have
 * appended entries, which would be lost. */
quire_status import_read_notes(struct quire_import *im, struct log *log,
                               uint64_t size, quire_error *err);

/* Write them behind the entries of this import, which follow the settled ones of
 * `settled`, if they do. */
quire_status import_write_notes(struct quire_import *im, struct log *settled,
                                struct log_draft *draft, quire_error *err);

/* ---- import_session.c ----------------------------------------------------- */

/* Write the session file, or append to it; set the sizes and counts of `file`. */
quire_status import_write_new(struct quire_import *im, quire_import_file *file,
                              const quire_import_header *header,
                              quire_error *err);
quire_status import_write_grown(struct quire_import *im,
                                quire_import_file *file,
                                const quire_import_header *header,
                                quire_error *err);

/* Write the parts of the file as an output of its session, unless the session is
 * gone, or has one of that name. */
quire_status import_write_output(struct quire_import *im,
                                 const quire_import_file *file,
                                 quire_error *err);

#endif
