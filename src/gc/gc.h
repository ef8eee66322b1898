/*
 * gc.h - remove blobs that nothing refers to: mark and sweep
 *
 * A collection may run beside writers at any time and loses nothing. It does
 * not know what sessions are: callbacks list the files and rows that may refer
 * to blobs, and the reference index counts the references.
 *
 *     mark      Which files have changed since the last run? Those are read,
 *               from where reading ended last if they have only grown, and the
 *               counts are updated. No writer waits.
 *     judge     Of the blobs that are new, or may have lost their last
 *               reference, or are recorded as unreferenced: does anything refer
 *               to them? If not, they are recorded (table `doomed`), with the
 *               time when they were last put, found again, or referenced.
 *     mark again, between two moments in which no process was about to write a
 *               reference (blobs_hold); the generation that a holder changes
 *               proves that none was in between (sweep.c). So references
 *               written meanwhile are found. Files that were read in parts are
 *               read as a whole once, and counts are compared with what they
 *               count: both save time, and neither removes anything by itself.
 *     sweep     Remove the blobs recorded by an earlier run and for longer than
 *               the grace time, a few at a time, unless they were put again.
 *
 * Why that is enough. A reference to a blob is created by
 *   - a put: it renews the time the blob was last seen in the critical section
 *     in which removal compares it, so one of the two sees the other;
 *   - copying an existing one (a fork): it holds the store, so when we have it
 *     locked the copy is complete and is read, or has not begun, and then its
 *     source is there;
 *   - another program, or a person: it has the grace time.
 *
 * A crash leaves counts that are right, or marked as wrong (see ref_index.h),
 * records of keys that lost their last reference and are not judged yet, and
 * blobs that are removed or not. The next run continues.
 */
#ifndef GC_GC_H
#define GC_GC_H

#include "blob/blob.h"
#include "gc/digest_set.h"
#include "gc/ref_index.h"

typedef quire_status (*gc_source_fn)(void *ctx, const char *label,
                                     const struct object_info *info,
                                     quire_error *err);

/* Sources of references. Several threads call `open`, each with its own worker
 * state; NOT_FOUND is an answer. */
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
    bool dry_run; /* write nothing, report the same */
    bool full;    /* ignore all earlier records */
    bool yes;     /* also if it is more than half of the blobs */
    bool empty;   /* no source at all is no reason to ask: they were deleted */

    /* Each blob that is removed, or would be; may be NULL. */
    quire_status (*each)(void *ctx, const quire_digest *d, quire_error *err);
    void *each_ctx;
};

struct gc_report {
    uint64_t sources,
        rescanned;    /* files that may refer; those that were read */
    uint64_t scanned; /* number of blobs */
    uint64_t referenced;
    uint64_t marked;  /* recorded as unreferenced by this run */
    uint64_t removed; /* or to be removed, in a dry run */
    uint64_t waiting; /* recorded, and not removed yet */
    uint64_t bytes_freed;
    bool strays;  /* files without rows were searched for, too */
    bool refused; /* it would have been more than half: nothing was removed */
};

/* `l` may be NULL in a dry run: no earlier records. */
quire_status gc_run(struct blobs *b, struct ref_index *l,
                    const struct gc_config *config, struct gc_report *report,
                    quire_error *err);

#endif
