/* priv.h - shared by the files of the blob module */
#ifndef BLOB_PRIV_H
#define BLOB_PRIV_H

#include "base/buf.h"
#include "blob/blob.h"
#include "blob/codec.h"
#include "blob/hash.h"
#include "store/sql.h"

/* Content up to this size is held in memory, verified before it is returned,
 * and may be in a row. 1 MiB, the codec's probe: one read decides both. */
#define SMALL_BYTES CODEC_PROBE_BYTES

/* Below this size gzip saves less than its 18 bytes. */
#define PLAIN_BELOW ((size_t)200)

/* Maximum size for blob_get(). */
#define GET_BYTES ((uint64_t)1 << 30)

/* Piece size of a stream: large enough that system calls do not matter, small
 * enough to stay in the cache between reading, hashing and packing. */
#define PIECE_BYTES ((size_t)256 * 1024)

enum { NAME_BYTES = 80 }; /* any layout's file name and NUL */

enum where { NOWHERE, IN_ROW, IN_FILE };

/* Where a blob was found. */
struct blob_location {
    enum where where;
    bool has_row; /* packed: quire.db has a row */
    uint64_t size;
    bool size_known; /* false: a gzip file without a row, too large for its
                      * trailer */
    uint64_t stored;
    int64_t seen_s;
    enum codec codec;
    bool whole;            /* row: its body has the recorded length      */
    bool odd;              /* row: it is invalid */
    bool ends_read;        /* gzip file without a row: `ends` is valid */
    struct gzip_ends ends; /* …                                          */
    quire_bytes body;      /* the stored bytes, if the search has read them:
                            * borrowed until the next call */
};

struct trust_slot;
struct blob_table; /* the prepared statements of `packed` */

struct blobs {
    struct blobs_config c;
    struct blob_table *rows; /* NULL unless packed with a database */
    struct packer *packer;
    struct unpacker *unpacker;
    struct buf packed;        /* scratch: stored bytes               */
    struct buf plain;         /* content lent to the caller */
    bool batch;               /* between blobs_begin() and its end  */
    bool group;               /* between blobs_open_group() and its end */
    bool failed;              /* a write of the open batch or group failed */
    bool locked;              /* this store has the files' shared lock */
    struct trust_slot *trust; /* trust.c; NULL: nothing remembered */
    unsigned own_holds;       /* c.holds points here if it was NULL */
};

/* ---- layout.c ----------------------------------------------------------- */

/* The file name of a blob, and back: false for any other name. */
void layout_name(quire_layout layout, const quire_digest *d,
                 char name[NAME_BYTES]);
bool layout_parse(quire_layout layout, const char *name, quire_digest *out);

static inline bool layout_is_gzip(quire_layout layout)
{
    return layout != QUIRE_LAYOUT_FLAT;
}

/* ---- table.c: blobs in quire.db ----------------------------------------- */

quire_status blob_table_new(struct db *db, struct blob_table **out,
                            quire_error *err);
void blob_table_free(struct blob_table *r);

/* Ask early what the next three functions find for the digest and the tenant
 * (0: none); drop what was asked, before another transaction begins. */
quire_status blob_table_ask(struct blob_table *r, const quire_digest *d,
                            int64_t tenant, quire_error *err);
void blob_table_drop_asked(struct blob_table *r);

/* QUIRE_NOT_FOUND: no row. */
quire_status blob_table_find(struct blob_table *r, const quire_digest *d,
                             int64_t tenant, struct blob_location *out,
                             quire_error *err);

/* The same from BLOB_COLUMNS of a row of another statement, with its body. */
void blob_table_read_joined(struct stmt *s, int at, struct blob_location *out);

/* The stored bytes of a row, borrowed until blob_table_done(). */
quire_status blob_table_body(struct blob_table *r, const quire_digest *d,
                             quire_bytes *out, quire_error *err);
void blob_table_done(struct blob_table *r);

/* Whether there is a row. */
quire_status blob_table_has(struct blob_table *r, const quire_digest *d,
                            int64_t tenant, bool *has, quire_error *err);

/* Inside a write transaction. blob_table_add() without a body records a file. An
 * existing row (`exists`) is replaced. blob_table_seen() returns QUIRE_NOT_FOUND when
 * the row was removed meanwhile. */
quire_status blob_table_add(struct blob_table *r, const quire_digest *d,
                            const struct blob_location *p, bool exists,
                            const quire_bytes *body, quire_error *err);
quire_status blob_table_seen(struct blob_table *r, const quire_digest *d,
                             int64_t now_s, quire_error *err);

typedef quire_status (*blob_table_each_fn)(void *ctx, const quire_digest *d,
                                           const struct blob_location *p,
                                           quire_error *err);
/* All rows from `from` to `to`, ascending. */
quire_status blob_table_list(struct blob_table *r, const quire_digest *from,
                             const quire_digest *to, blob_table_each_fn each,
                             void *ctx, quire_error *err);

/* Rows from one id to another, in the order they were stored: many times as
 * fast, since that is their order on disk. With their bodies; or without, and
 * then bodies are assumed to be whole. */
quire_status blob_table_walk(struct blob_table *r, int64_t from, int64_t to,
                             bool bodies, blob_table_each_fn each, void *ctx,
                             quire_error *err);

/* Number of rows; with `odd`, of rows without a valid digest. */
quire_status blob_table_count(struct blob_table *r, bool odd, uint64_t *n,
                              quire_error *err);

/* Whether a tenant has stored the blob; record that it has, inside a write
 * transaction. */
quire_status blob_table_owned(struct blob_table *r, const quire_digest *d,
                              int64_t tenant, bool *owned, quire_error *err);
quire_status blob_table_own(struct blob_table *r, const quire_digest *d,
                            int64_t tenant, quire_error *err);

/* For a collection: only the names, of all rows from `from` to `to`, ascending;
 * of rows with an id above `id`; the highest id. */
quire_status blob_table_names(struct blob_table *r, const quire_digest *from,
                              const quire_digest *to, sql_digest_fn each,
                              void *ctx, quire_error *err);
quire_status blob_table_names_since(struct blob_table *r, int64_t id,
                                    sql_digest_fn each, void *ctx,
                                    quire_error *err);
quire_status blob_table_last(struct blob_table *r, int64_t *id,
                             quire_error *err);

/* Remove a blob that was not seen after `seen_s`; inside a write transaction.
 * QUIRE_NOT_FOUND: it was seen, or does not exist. */
quire_status blob_table_remove(struct blob_table *r, const quire_digest *d,
                               int64_t seen_s, bool *in_file, uint64_t *stored,
                               quire_error *err);

/* Number of blobs, and their stored bytes. */
quire_status blob_table_weigh(struct blob_table *r, uint64_t *n,
                              uint64_t *bytes, quire_error *err);

/* ---- blob.c: shared lock of the files --------------------------------------
 *
 * A batch keeps it to its end, and so does a hold. */

quire_status blobs_lock(struct blobs *b, quire_error *err);
void blobs_unlock(struct blobs *b);
quire_status blobs_hold_lock(struct blobs *b, quire_error *err);

/* ---- blob.c and get.c ------------------------------------------------ */

/* QUIRE_NOT_FOUND without a message. */
quire_status blob_find(struct blobs *b, const quire_digest *d,
                       struct blob_location *out, quire_error *err);

/* The same for a put: a file without a row is returned open in *open, NULL if
 * there is none. */
quire_status blob_find_open(struct blob_view v, const quire_digest *d,
                            struct blob_location *out, struct object **open,
                            quire_error *err);

void blob_describe(const quire_digest *d, const struct blob_location *p,
                   quire_blob_info *info);

/* Read and hash a whole blob: *damage is what is wrong with it; the status only
 * reports failures to read. `write` may be NULL. */
quire_status blob_stream(struct blobs *b, const quire_digest *d,
                         const struct blob_location *p, uint64_t from,
                         uint64_t to, quire_write_fn write, void *ctx,
                         enum damage *damage, quire_error *err);

/* Unpack the stored bytes of a small blob to b->plain, without hashing. */
quire_status blob_unpack(struct blobs *b, const quire_digest *d,
                         const struct blob_location *p, enum damage *damage,
                         quire_error *err);

/* Error message for a damaged blob. */
quire_status blob_damaged(struct blobs *b, const quire_digest *d,
                          const struct blob_location *p, enum damage damage,
                          quire_error *err);

/* ---- trust.c ------------------------------------------------------------
 *
 * What this store knows of a stored copy since it has read it whole. Bounded;
 * what it forgets is read again. */

enum trust { TRUST_UNKNOWN, TRUST_VERIFIED, TRUST_DAMAGED };

enum trust trust_get(const struct blobs *b, const quire_digest *d);
void trust_set(struct blobs *b, const quire_digest *d, enum trust trust);

/* Forget everything: a rollback may have brought damaged rows back. */
void trust_clear(struct blobs *b);

/* ---- tenant_access.c ---------------------------------------------------- */

/* Whether the tenant of the view may read it. */
quire_status tenant_can_read(struct blob_view v, const quire_digest *d,
                             bool *can, quire_error *err);

/* blob_find() for the tenant of the view. */
quire_status blob_find_for_tenant(struct blob_view v, const quire_digest *d,
                                  struct blob_location *out, quire_error *err);

/* Let a tenant read an existing blob; tenant 0 needs no row. Inside a write
 * transaction. */
quire_status blob_grant(struct blobs *b, const quire_digest *d, int64_t tenant,
                        quire_error *err);

#endif
