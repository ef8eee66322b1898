/*
 * blob.h - immutable bytes, named by their SHA-256
 *
 * One store in three layouts:
 *
 *     packed   a row in quire.db up to 64 KiB packed; a file above
 *     loose    aa/bb/<60 hex>.blob.gz, stable gzip
 *     flat     <64 hex>, raw
 *
 * Always true:
 *
 *   (1) A blob is visible only when its bytes are durable: bytes, sync, name;
 *       and in `packed`, file before row.
 *   (2) Content found present is marked as seen before put returns, in the
 *       critical section that a collection would need for itself: the
 *       database's write lock for rows, the store's shared lock for files.
 *       So what put has acknowledged is not collected within the grace time.
 *   (3) No full read returns bytes that do not hash to the name.
 *   (4) A failed put leaves nothing half behind. In `packed` it may leave a
 *       complete file whose row was not committed; it is found by its name.
 *   (5) What a put acknowledges lasts, whoever wrote it: content that is found
 *       is synced before it is relied on, in a file or in a row.
 *   (6) Locks are taken in one order: the files', then the database's.
 *
 * Elsewhere: which blobs are still wanted (the rooms that refer to them).
 */
#ifndef BLOB_BLOB_H
#define BLOB_BLOB_H

#include <stdbool.h>

#include "base/clock.h"
#include "quire.h"
#include "store/db.h"
#include "store/object.h"

struct blobs;

struct blobs_config {
    quire_layout layout;        /* not AUTO                               */
    struct object_store *files; /* borrowed; never NULL                   */
    struct db *db;              /* borrowed; for `packed`, NULL while the
                                   home is read and has none              */
    const struct clock *clock;  /* borrowed                               */
    int busy_ms;
    unsigned *holds; /* borrowed; NULL: its own. How often the files are held,
                        for rooms that are opened again over them         */
    bool relaxed;    /* nobody waits for the disk                          */
    size_t row_max;  /* `packed`: a blob of more bytes, compressed, gets a
                       file; 0: each does. Above 64 KiB a file is faster to
                       write and to read, and the database stays small enough
                       to copy                                            */
};

quire_status blobs_new(const struct blobs_config *config, struct blobs **out,
                       quire_error *err);
void blobs_free(struct blobs *b);

/* The store as one tenant sees it. Content is stored once for all tenants, and
 * knowing a digest does not grant access: a tenant reads only what it stored.
 * Without a database every view is one of all. */
struct blob_view {
    struct blobs *store;
    int64_t tenant; /* 0: every blob */
};

static inline struct blob_view blob_view_all(struct blobs *b)
{
    return (struct blob_view){b, 0};
}

/* As the public quire_blob_… functions. What a tenant puts it can read from then
 * on, and `existed` means for that tenant; a blob it may not read is
 * QUIRE_NOT_FOUND, here without a message. */
quire_status blob_put(struct blob_view v, quire_bytes content, unsigned flags,
                      quire_blob_info *info, quire_error *err);
quire_status blob_put_stream(struct blob_view v, quire_read_fn read, void *ctx,
                             unsigned flags, quire_blob_info *info,
                             quire_error *err);
quire_status blob_put_fd(struct blob_view v, int fd, unsigned flags,
                         quire_blob_info *info, quire_error *err);
quire_status blob_stat(struct blob_view v, const quire_digest *digest,
                       quire_blob_info *info, quire_error *err);
quire_status blob_get(struct blob_view v, const quire_digest *digest,
                      quire_bytes *out, quire_error *err);
quire_status blob_read(struct blob_view v, const quire_digest *digest,
                       uint64_t from, uint64_t to, quire_write_fn write,
                       void *ctx, quire_error *err);

/* `only` NULL: all blobs of the store. */
quire_status blob_check(struct blob_view v, const quire_digest *only,
                        const quire_check_hooks *hooks, quire_error *err);
quire_status blob_list(struct blobs *b, quire_blob_fn each, void *ctx,
                       quire_error *err);

/* Mark a blob as seen. QUIRE_NOT_FOUND, bare. */
quire_status blob_freshen(struct blobs *b, const quire_digest *d,
                          quire_error *err);

/* The same for all blobs, by several threads. What they need is made and taken
 * back through here, each by the thread that uses it. `flags` say how closely,
 * and whether a file of `packed` that is right but has no row is told of. */
struct blob_workers {
    unsigned n; /* how many threads there may be */
    quire_status (*open)(void *ctx, struct blobs **out, quire_error *err);
    void (*close)(void *ctx, struct blobs *b);
    void *ctx;
};

enum {
    BLOB_CHECK_QUICK = 1,  /* presence and size, no content */
    BLOB_CHECK_STRAYS = 2, /* kind "stray"                  */
};

quire_status blob_check_all(struct blobs *b, unsigned flags,
                            const struct blob_workers *crew,
                            const quire_check_hooks *hooks, quire_error *err);

/* Every blob there is, in a row or in a file, without opening a file: a size
 * that no row tells is UINT64_MAX. In no order that means anything. */
quire_status blob_names(struct blobs *b, quire_blob_fn each, void *ctx,
                        quire_error *err);

/* Give a file of `packed` the row that it lacks, if it is right. */
quire_status blob_register_file(struct blobs *b, const quire_digest *digest,
                                quire_error *err);

/* The one blob whose digest begins with these hex digits, if `text` is such a
 * beginning. QUIRE_EXISTS: there are several. */
quire_status blob_find_prefix(struct blobs *b, const char *hex,
                              quire_digest *out, quire_error *err);

/* What the file of a blob is called in the store, whether it is there or not;
 * in `packed`, what it would be called. */
enum { BLOB_NAME_BYTES = 96 };
void blob_file_name(const struct blobs *b, const quire_digest *digest,
                    char name[BLOB_NAME_BYTES]);

/* Keep every collection from removing anything until blobs_release(): what was
 * put, or found in a text, is going to be referred to by a file that is not
 * written yet. As often as need be. It waits for a collection that is removing
 * just now, which takes a moment. */
quire_status blobs_hold(struct blobs *b, quire_error *err);

void blobs_release(struct blobs *b);

/* Puts between these share one transaction and one wait for the disk. After a
 * put that failed, commit undoes all of it and returns QUIRE_IO. Not nested. */
quire_status blobs_begin(struct blobs *b, quire_error *err);
quire_status blobs_commit(struct blobs *b, quire_error *err);
void blobs_rollback(struct blobs *b);

/* The same around many calls: from open to close every transaction on the
 * database, batches included, is a part of one (store/db.h), and no collection
 * removes anything. `keep` false: undo all of it. *kept as in db.h. */
quire_status blobs_open_group(struct blobs *b, quire_error *err);
quire_status blobs_close_group(struct blobs *b, bool keep, bool *kept,
                               quire_error *err);

#endif
