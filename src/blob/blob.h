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
 *   (4) A failed put leaves no partial blob. In `packed` it may leave a
 *       complete file whose row was not committed; it is found by its name.
 *   (5) What a put acknowledges is durable, even if another process wrote it:
 *       content found present is synced before put relies on it, in a file or
 *       in a row.
 *   (6) Locks are taken in one order: the files', then the database's.
 *
 * Which blobs are still referenced is the business of src/gc.
 */
#ifndef BLOB_BLOB_H
#define BLOB_BLOB_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/arena.h"
#include "quire.h"
#include "store/db.h"
#include "store/lease.h"
#include "store/object.h"

struct blobs;

struct blobs_config {
    quire_layout layout;        /* not AUTO                               */
    struct object_store *files; /* borrowed; never NULL                   */
    struct lease_store *leases; /* borrowed; of the same place; never NULL */
    struct db *db;              /* borrowed; for `packed`; NULL: opened for
                                 * reading, and the home has none */
    const struct clock *clock;  /* borrowed                               */
    int busy_ms;
    unsigned *holds; /* borrowed; NULL: its own. Count of holds on the files,
                      * shared by stores opened over the same files */
    bool relaxed;    /* writes do not wait for the disk */
    size_t row_max;  /* `packed`: above this many compressed bytes a blob gets a
                      * file; 0: each does. Above 64 KiB a file is faster to
                      * write and to read, and the database stays small enough
                      * to copy */
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

/* As the public quire_blob_… functions. A tenant can read what it has put, and
 * `existed` refers to that tenant; a blob it may not read is QUIRE_NOT_FOUND,
 * here without a message. */
quire_status blob_put(struct blob_view v, quire_bytes content, unsigned flags,
                      quire_blob_info *info, quire_error *err);

/* The same in two parts, in one transaction: hash the content and ask for what is
 * known of it; then put it. */
quire_status blob_put_ask(struct blob_view v, quire_bytes content,
                          quire_digest *digest, quire_error *err);
quire_status blob_put_asked(struct blob_view v, quire_bytes content,
                            const quire_digest *digest, unsigned flags,
                            quire_blob_info *info, quire_error *err);

/* Content as blob_put_packed() would store it, made before the transaction: while
 * it is packed others can write. Content that the tenant has, or that is large, is not
 * packed. */
struct blob_packed {
    bool is_packed, gzip;
    size_t at, len; /* gzip: in `out` */
};
quire_status blob_pack(struct blob_view v, quire_bytes content,
                       const quire_digest *digest, struct buf *out,
                       struct blob_packed *p, quire_error *err);

/* blob_put_asked() of that content; `stored`: what blob_pack() has added to `out`. */
quire_status blob_put_packed(struct blob_view v, quire_bytes content,
                             const quire_digest *digest,
                             const struct blob_packed *p, quire_bytes stored,
                             quire_error *err);

quire_status blob_put_stream(struct blob_view v, quire_read_fn read, void *ctx,
                             unsigned flags, quire_blob_info *info,
                             quire_error *err);
quire_status blob_put_fd(struct blob_view v, int fd, unsigned flags,
                         quire_blob_info *info, quire_error *err);
quire_status blob_stat(struct blob_view v, const quire_digest *digest,
                       quire_blob_info *info, quire_error *err);

/* The path of a blob's file, whether it exists or not; NULL: out of memory. */
const char *blob_path(struct blob_view v, const quire_digest *digest,
                      struct arena *keep);

/* For a caller that expects at most `limit` bytes: content that has to be
 * unpacked to be counted is not unpacked further, and its size is UINT64_MAX. */
quire_status blob_stat_within(struct blob_view v, const quire_digest *digest,
                              uint64_t limit, quire_blob_info *info,
                              quire_error *err);
quire_status blob_get(struct blob_view v, const quire_digest *digest,
                      quire_bytes *out, quire_error *err);

/* A statement of another module may read a small blob together with the row that
 * names it: these columns and joins, and the content of its current row, verified
 * and lent until the next call. *has is false if the content is not in a row. */
#define BLOB_COLUMNS "b.size, b.stored, b.codec, b.in_file, b.seen, y.bytes"
#define BLOB_JOIN(digest)                    \
    "LEFT JOIN blob b ON b.sha256 = " digest \
    " LEFT JOIN body y ON y.id = b.id AND b.in_file = 0 "
quire_status blob_get_joined(struct blobs *b, const quire_digest *digest,
                             struct stmt *s, int first_column, bool *has,
                             quire_bytes *out, quire_error *err);

quire_status blob_read(struct blob_view v, const quire_digest *digest,
                       uint64_t from, uint64_t to, quire_write_fn write,
                       void *ctx, quire_error *err);

/* `only` NULL: all blobs of the store. */
quire_status blob_check(struct blob_view v, const quire_digest *only,
                        const quire_check_hooks *hooks, quire_error *err);
quire_status blob_list(struct blobs *b, quire_blob_fn each, void *ctx,
                       quire_error *err);

/* Mark a blob as seen. QUIRE_NOT_FOUND without a message. */
quire_status blob_freshen(struct blobs *b, const quire_digest *d,
                          quire_error *err);

/* Check all blobs with several threads. Each thread opens and closes its own
 * store through these. `flags`: how closely, and whether to report an intact
 * file of `packed` that has no row. */
struct blob_workers {
    unsigned n; /* maximum number of threads */
    quire_status (*open)(void *ctx, struct blobs **out, quire_error *err);
    void (*close)(void *ctx, struct blobs *b);
    void *ctx;
};

enum {
    BLOB_CHECK_QUICK = 1,  /* presence and size, no content */
    BLOB_CHECK_STRAYS = 2, /* kind "stray"                  */
};

quire_status blob_check_all(struct blobs *b, unsigned flags,
                            const struct blob_workers *workers,
                            const quire_check_hooks *hooks, quire_error *err);

/* Every blob, in a row or in a file, without opening a file, in no particular
 * order. A size that no row records is UINT64_MAX. */
quire_status blob_names(struct blobs *b, quire_blob_fn each, void *ctx,
                        quire_error *err);

/* Remove a blob, whoever refers to it: a collection asks first (src/gc). Nobody holds
 * the store meanwhile. An absent one is QUIRE_OK. Durable, row before file. */
quire_status blob_remove(struct blobs *b, const quire_digest *digest,
                         quire_error *err);

/* Add the missing row of a file of `packed`, if its content is intact. */
quire_status blob_register_file(struct blobs *b, const quire_digest *digest,
                                quire_error *err);

/* The only blob with a digest that begins with these hex digits, if `text` is
 * such a prefix. QUIRE_EXISTS: there are several. */
quire_status blob_find_prefix(struct blobs *b, const char *hex,
                              quire_digest *out, quire_error *err);

/* File name of a blob in the store, whether or not the file exists; in
 * `packed`, the name it would have. */
enum { BLOB_NAME_BYTES = 96 };
void blob_file_name(const struct blobs *b, const quire_digest *digest,
                    char name[BLOB_NAME_BYTES]);

/* Prevent removals by every collection until blobs_release(): a file that is
 * not written yet will refer to what was put or found. Holds nest. It waits for
 * a collection that is removing blobs, which takes a moment. */
quire_status blobs_hold(struct blobs *b, quire_error *err);

void blobs_release(struct blobs *b);

/* Puts between these share one transaction and one sync. After a failed put,
 * commit rolls everything back and returns QUIRE_IO. Not nested. */
quire_status blobs_begin(struct blobs *b, int64_t scope, quire_error *err);
quire_status blobs_commit(struct blobs *b, quire_error *err);
void blobs_rollback(struct blobs *b);

/* The same around many calls: from open to close every transaction on the
 * database, batches included, is part of one (store/db.h), and no collection
 * removes blobs. `keep` false: roll back. *kept as in db.h. */
quire_status blobs_open_group(struct blobs *b, quire_error *err);
quire_status blobs_close_group(struct blobs *b, bool keep, bool *kept,
                               quire_error *err);

#endif
