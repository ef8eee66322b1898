/*
 * gc.h - removing blobs that nothing refers to
 *
 * A collection may run beside writers for ever and loses nothing. It does not
 * know what sessions are: the callbacks tells it which files may refer to blobs and
 * what rows do, and it keeps count of that in the ledger.
 *
 *     look      Which files have changed since the last time? Those are read,
 *               on from where they were read last if they have only grown, and
 *               the counts follow. Nobody waits.
 *     judge     Of the blobs that are new, or may have lost their last
 *               reference, or are doomed: does anything refer to them? What
 *               nothing refers to is doomed, from the time it was last put,
 *               found again, or referred to.
 *     look again, between two moments in which nobody was about to write a
 *               reference (blobs_hold); that nobody was in between is proven by
 *               the mark a holder leaves (gc_sweep.c). What was written
 *               meanwhile is seen. Files that were read on from where they ended
 *               are read as a whole once, and counts are compared with what they
 *               count: both save time, and neither removes anything by itself.
 *     remove    what was doomed by an earlier run and for longer than the grace
 *               time, a few blobs at a time, if they have not been put again.
 *
 * Why that is enough. A reference to a blob comes into being by
 *   - a put: it renews the time the blob was last seen in the critical section
 *     in which removal compares it, so one of the two sees the other;
 *   - copying one that is there (a fork): it holds the store, so when we have it
 *     locked the copy is complete and is looked at, or has not begun, and then
 *     its source is there;
 *   - somebody else's program, or a hand: it has the grace time.
 *
 * A crash leaves counts that are right, or marked as not (see ledger.h), notes
 * of what lost its last reference and is not judged yet, and blobs that are
 * there or not. The next run goes on.
 */
#ifndef GC_GC_H
#define GC_GC_H

#include "blob/blob.h"
#include "gc/digest_set.h"
#include "gc/ref_index.h"

typedef quire_status (*gc_source_fn)(void *ctx, const char *label,
                                     const struct object_info *info,
                                     quire_error *err);

/* What the callbacks tells. `open` is asked by several threads, each with a worker
 * of its own; NOT_FOUND is an answer. */
struct gc_callbacks {
    void *ctx;
    quire_status (*sources)(void *ctx, gc_source_fn each, void *each_ctx,
                            quire_error *err);
    quire_status (*rows)(void *ctx, struct digest_set *out, quire_error *err);
    quire_status (*worker_open)(void *ctx, void **worker, quire_error *err);
    quire_status (*open)(void *worker, const char *label, struct object **out,
                         struct object_info *info, quire_error *err);
    void (*worker_close)(void *worker);
};

struct gc_config {
    struct gc_callbacks callbacks;
    int64_t grace_s;
    bool dry_run; /* write nothing, tell the same                          */
    bool full;    /* believe nothing that was noted before                 */
    bool yes;     /* also if it is more than half of the blobs             */

    /* Each blob that is removed, or would be; may be NULL. */
    quire_status (*each)(void *ctx, const quire_digest *d, quire_error *err);
    void *each_ctx;
};

struct gc_report {
    uint64_t sources,
        rescanned;    /* files that may refer; those that were read */
    uint64_t scanned; /* blobs there are                          */
    uint64_t referenced;
    uint64_t marked;  /* doomed by this run                              */
    uint64_t removed; /* or to be removed, if it was a dry run           */
    uint64_t waiting; /* doomed, and not removed yet                     */
    uint64_t bytes_freed;
    bool strays;  /* files without rows were looked for, too             */
    bool refused; /* it would have been more than half: nothing was      */
};

/* `l` may be NULL in a dry run: nothing is known. */
quire_status gc_run(struct blobs *b, struct ref_index *l,
                    const struct gc_config *config, struct gc_report *report,
                    quire_error *err);

#endif
