/*
 * ref_index.h - reference index: which sources refer to which blobs
 *
 * Everything here is derived, except for roots and pins. A lost or deleted
 * index is rebuilt by the next collection.
 *
 *     source      what can refer: a file, by its label, as it was when it was
 *                 read (inode, size, times, the bytes before its end)
 *     mentioned   the keys that each source refers to
 *     held        for each key how many sources refer to it, in 4,096 buckets
 *                 by its first twelve bits: a million keys are written as so
 *                 many rows, and a few changed ones rewrite a few of them
 *     doomed      unreferenced blobs, and since when
 *     loose       keys that a source no longer refers to, and since when, until
 *                 a collection has judged whether another one does
 *     pin         blobs that are kept on request
 *     root        places outside the home that hold further sources
 *
 * Invariants between transactions:
 *
 *   (1) `held` is the sum over `mentioned`, unless the number "dirty" is not 0;
 *       then it is rebuilt before it is used.
 *   (2) `doomed` is a record, not a decision: removal checks again.
 */
#ifndef GC_REF_INDEX_H
#define GC_REF_INDEX_H

#include "base/arena.h"
#include "gc/digest_set.h"
#include "store/db.h"
#include "store/object.h"

/* The bytes before the end, to detect whether a file that has grown still
 * begins with its old content. */
enum { REF_INDEX_TAIL = 64 };

struct ref_index_source {
    int64_t id; /* 0: it is not in the index */
    const char *label;
    uint64_t inode, size;
    int64_t modified_ns, changed_ns;
    unsigned char tail[REF_INDEX_TAIL];
    uint32_t tail_len;
    bool whole; /* it was read in one go, not in parts */
};

struct ref_index;

/* `db` is borrowed. */
quire_status ref_index_new(struct db *db, struct ref_index **out,
                           quire_error *err);
void ref_index_free(struct ref_index *l);
struct db *ref_index_db(struct ref_index *l);

/* Delete everything derived, but for the unreferenced blobs and their times. */
quire_status ref_index_clear(struct db *db, quire_error *err);

/* All sources; labels are in `keep`, the list is the caller's to free. */
quire_status ref_index_sources(struct ref_index *l, struct arena *keep,
                               struct ref_index_source **list, size_t *n,
                               quire_error *err);

/* The keys a source refers to, ascending. */
quire_status ref_index_keys(struct ref_index *l, int64_t source,
                            struct digest_set *out, quire_error *err);

/* ---- inside a write transaction ---- */

/* Record a source and its keys; its id is set if it is new. */
quire_status ref_index_put_source(struct ref_index *l,
                                  struct ref_index_source *s,
                                  const struct digest_set *keys,
                                  quire_error *err);
quire_status ref_index_remove_source(struct ref_index *l, int64_t source,
                                     quire_error *err);

/* A stored number: 0 if it was never set. */
enum ref_index_number {
    REF_INDEX_DIRTY, /* `held` is not the sum                                  */
    REF_INDEX_LAST,  /* the highest row id of a blob that was judged */
    REF_INDEX_BLOBS,      /* the number of blobs */
    REF_INDEX_STRAYS = 4, /* when files without rows were last searched for,
                           * Unix seconds; 3 has been something else */
    N_LEDGER_NUMBERS
};
quire_status ref_index_get_number(struct ref_index *l,
                                  enum ref_index_number which, int64_t *value,
                                  quire_error *err);
quire_status ref_index_set_number(struct ref_index *l,
                                  enum ref_index_number which, int64_t value,
                                  quire_error *err);

quire_status ref_index_mark_unreferenced(struct ref_index *l,
                                         const quire_digest *d, int64_t since_s,
                                         quire_error *err);
quire_status ref_index_unmark(struct ref_index *l, const quire_digest *d,
                              quire_error *err);

/* ---- unreferenced blobs ------------------------------------------------- */

typedef quire_status (*ref_index_unreferenced_fn)(void *ctx,
                                                  const quire_digest *d,
                                                  int64_t since_s,
                                                  quire_error *err);
quire_status ref_index_unreferenced(struct ref_index *l,
                                    ref_index_unreferenced_fn each, void *ctx,
                                    quire_error *err);

/* ---- dereferenced keys: a source dropped its reference ------------------ */

struct dereferenced_key {
    uint64_t key;
    int64_t since_s;
};

/* `gone` is ascending. Inside the write transaction that changes the counts. */
quire_status ref_index_add_dereferenced(struct ref_index *l,
                                        const struct digest_set *gone,
                                        int64_t since_s, quire_error *err);

typedef quire_status (*ref_index_dereferenced_fn)(
    void *ctx, const struct dereferenced_key *one, quire_error *err);
quire_status ref_index_dereferenced(struct ref_index *l,
                                    ref_index_dereferenced_fn each, void *ctx,
                                    quire_error *err);

/* All of them were judged. Inside a write transaction. */
quire_status ref_index_clear_dereferenced(struct ref_index *l,
                                          quire_error *err);

/* ---- ref_counts.c: how many sources refer to a key ---------------------- */

/* The count of a key; in a transaction, or as a snapshot. */
quire_status ref_counts_get(struct ref_index *l, uint64_t key, uint32_t *n,
                            quire_error *err);

/* `gone` lost a reference of one source, `come` gained one; a key is repeated
 * for each such source, ascending. Inside a write transaction. */
quire_status ref_counts_update(struct ref_index *l,
                               const struct digest_set *gone,
                               const struct digest_set *come, quire_error *err);

/* The keys of all sources, ascending, repeated for each source. */
quire_status ref_counts_collect(struct ref_index *l, struct digest_set *all,
                                quire_error *err);

/* Rebuild all counts from the keys of the sources, in transactions of its own;
 * REF_INDEX_DIRTY is 0 afterwards. */
quire_status ref_counts_rebuild(struct ref_index *l, quire_error *err);

#endif
