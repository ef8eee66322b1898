/*
 * ref_index.h - what refers to blobs, as it was last seen
 *
 * Everything here is derived, except for roots and pins. A ledger that is lost
 * or wiped is made again by the next collection.
 *
 *     source      what can refer: a file, by its label, as it was when it was
 *                 read (inode, size, times, the bytes before its end)
 *     mentioned   the keys that each source mentions
 *     held        for each key how many sources mention it, in 4,096 buckets by
 *                 its first twelve bits: a million keys are written as so many
 *                 rows, and a few changed ones rewrite a few of them
 *     doomed      blobs that nothing refers to, and since when
 *     loose       keys that a source no longer mentions, and since when, until
 *                 a collection has judged whether another one does
 *     pin         blobs that are kept because somebody said so
 *     root        places outside the home whose files are sources
 *
 * Always true, between transactions:
 *
 *   (1) `held` is the sum over `mentioned`, unless the number "dirty" is not 0;
 *       then it is made again before it is used.
 *   (2) `doomed` is a note, not a verdict: whoever removes looks again.
 */
#ifndef GC_REF_INDEX_H
#define GC_REF_INDEX_H

#include "base/arena.h"
#include "gc/digest_set.h"
#include "store/db.h"
#include "store/object.h"

/* So many bytes before the end tell whether a file that has grown is what it
 * was before. */
enum { REF_INDEX_TAIL = 64 };

struct ref_index_source {
    int64_t id; /* 0: it is not in the ledger */
    const char *label;
    uint64_t inode, size;
    int64_t modified_ns, changed_ns;
    unsigned char tail[REF_INDEX_TAIL];
    uint32_t tail_len;
    bool whole; /* it was read in one go, not on from where it ended before */
};

struct ref_index;

/* `db` is borrowed. */
quire_status ref_index_new(struct db *db, struct ref_index **out,
                           quire_error *err);
void ref_index_free(struct ref_index *l);
struct db *ref_index_db(struct ref_index *l);

/* Forget all that is derived, but for what is doomed and since when. */
quire_status ref_index_clear(struct db *db, quire_error *err);

/* All sources; labels are in `keep`, the list is the caller's to free. */
quire_status ref_index_sources(struct ref_index *l, struct arena *keep,
                               struct ref_index_source **list, size_t *n,
                               quire_error *err);

/* What a source mentions, ascending. */
quire_status ref_index_keys(struct ref_index *l, int64_t source,
                            struct digest_set *out, quire_error *err);

/* ---- inside a write transaction ---- */

/* Note a source and what it mentions; its id is set if it is new. */
quire_status ref_index_put_source(struct ref_index *l,
                                  struct ref_index_source *s,
                                  const struct digest_set *keys,
                                  quire_error *err);
quire_status ref_index_remove_source(struct ref_index *l, int64_t source,
                                     quire_error *err);

/* One number that is kept: 0 if it never was. */
enum ref_index_number {
    REF_INDEX_DIRTY, /* `held` is not the sum                                  */
    REF_INDEX_LAST, /* the highest id of a blob's row that was looked at      */
    REF_INDEX_BLOBS, /* how many blobs there were                              */
    REF_INDEX_STRAYS = 4, /* when files without rows were last looked for, Unix
                          seconds; 3 has been something else                 */
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

/* ---- what is doomed ---- */

typedef quire_status (*ref_index_unreferenced_fn)(void *ctx,
                                                  const quire_digest *d,
                                                  int64_t since_s,
                                                  quire_error *err);
quire_status ref_index_unreferenced(struct ref_index *l,
                                    ref_index_unreferenced_fn each, void *ctx,
                                    quire_error *err);

/* ---- what was let go: keys that some source mentioned and does not now ---- */

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

/* ---- held.c: how many sources mention a key ----------------------------- */

/* How many; inside a transaction, or for a moment. */
quire_status ref_counts_get(struct ref_index *l, uint64_t key, uint32_t *n,
                            quire_error *err);

/* `gone` are no longer mentioned by a source that did, `come` are by one that
 * did not; as often as there are such sources, ascending. Inside a write
 * transaction. */
quire_status ref_counts_update(struct ref_index *l,
                               const struct digest_set *gone,
                               const struct digest_set *come, quire_error *err);

/* What all sources mention, ascending, as often as there are such sources. */
quire_status ref_counts_collect(struct ref_index *l, struct digest_set *all,
                                quire_error *err);

/* Make all of it again from what sources mention, in transactions of its own;
 * REF_INDEX_DIRTY is 0 afterwards. */
quire_status ref_counts_rebuild(struct ref_index *l, quire_error *err);

#endif
