/*
 * quire/gc.h - garbage collection: blobs without references, old versions,
 * litter
 *
 * References come from the sessions of all tenants (archived ones too), JP
 * conversations, artifacts and their versions, pins, and files below
 * registered roots. A blob without references is marked by one collection and
 * removed by a later one, after the grace time. Other processes may read and
 * write meanwhile.
 */
#ifndef QUIRE_GC_H
#define QUIRE_GC_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

enum {
    QUIRE_COLLECT_DRY_RUN = 1 << 0, /* write nothing, report the same        */
    QUIRE_COLLECT_YES = 1 << 1,     /* proceed when over half would go       */
    QUIRE_COLLECT_FULL = 1 << 2,    /* scan everything, ignore the reference
                                       index                                 */
};

typedef quire_status (*quire_digest_fn)(void *ctx, const quire_digest *digest,
                                        quire_error *err);

/* Begin with QUIRE_COLLECT_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_collect_options {
    size_t size;
    unsigned flags;
    int64_t grace_s;      /* minimum age of a blob's last put or reference; 0:
                             remove at once, for stores that no other process
                             uses; -1: the setting gc.grace                  */
    quire_digest_fn each; /* each blob that is removed, or would be; may be
                             NULL                                            */
    void *ctx;
} quire_collect_options;

#define QUIRE_COLLECT_OPTIONS_INIT                       \
    {                                                    \
        sizeof(quire_collect_options), 0, -1, NULL, NULL \
    }

typedef struct quire_collect_report {
    uint64_t sources;     /* files that may refer to blobs                   */
    uint64_t rescanned;   /* of them, those that had to be read              */
    uint64_t scanned;     /* blobs                                           */
    uint64_t referenced;  /* of them, those with a reference                 */
    uint64_t marked;      /* found without references this time              */
    uint64_t removed;     /* blobs removed                                   */
    uint64_t waiting;     /* marked, and within their grace time             */
    uint64_t bytes_freed; /* by removed blobs, as stored, and orphans        */
    uint64_t versions;    /* of artifacts, beyond versions.kept              */
    uint64_t purged;      /* artifacts soft-deleted longer than gc.purge ago */
    uint64_t litter;      /* temporary files of crashed programs             */
    uint64_t returned;    /* bytes that quire.db returned to the system      */
    int refused;          /* over half would have gone: none did             */
    unsigned orphans;     /* directories of sessions that no longer exist:
                             workspaces and outputs                          */
    uint64_t trashed;     /* sessions in the trash longer than trash.keep    */
} quire_collect_report;

/* Collect a home: remove blobs without references, versions beyond
 * versions.kept, artifacts past gc.purge, orphans past the grace time, sessions in
 * the trash past trash.keep (their blobs by the next run), and litter. In a home of oh-my-pi or
 * JP the state between two runs is in its directory .quire. `options` and
 * `report` may be NULL.
 *
 * Owns: *digest is lent until `each` returns.
 * Fails: common. When a source cannot be read, or a link lies among the
 *   sessions, nothing is removed.
 *   QUIRE_BUSY       another collection is running; or a transaction, or a
 *                    session with an image and no file, is about to add
 *                    references
 *   QUIRE_INVALID    the handle is not the default tenant's, or is for a blobs
 *                    directory alone
 *   QUIRE_NOT_FOUND  a registered root is missing
 * Durable: removals survive a crash; a power cut may restore what was removed
 *   last, which the next collection removes again. */
quire_status quire_collect(quire *q, const quire_collect_options *options,
                           quire_collect_report *report, quire_error *err);

/* Return whether the caller, having written, should run a collection: gc.auto
 * is on, the home has blobs, and none has begun within the hour. A true
 * answer is given once an hour, to one caller. The time is kept in the home; in
 * one of oh-my-pi or JP in its directory .quire, which is created.
 *
 * Owns: nothing.
 * Fails: returns 0.
 * Durable: no change. */
int quire_collect_due(quire *q);

/* Register a file or directory outside the home, whose references are kept;
 * drop it; list them. A session outside that stores an image registers itself.
 * Adding a registered root does nothing. A registered directory that is
 * missing, or empty where there were sessions, stops collections until it is
 * back or dropped.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  add: no such path; drop: not registered
 *   QUIRE_INVALID    neither file nor directory; or as quire_collect()
 * Durable: on return. */
quire_status quire_root_add(quire *q, const char *path, quire_error *err);
quire_status quire_root_drop(quire *q, const char *path, quire_error *err);
quire_status quire_root_list(quire *q, quire_text_fn each, void *ctx,
                             quire_error *err);

/* Pin a blob, so that it is kept without references; unpin it; list pins.
 *
 * Owns: *digest is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  pin: no such blob; unpin: not pinned
 *   QUIRE_INVALID    as quire_collect()
 * Durable: on return. */
quire_status quire_blob_pin(quire *q, const quire_digest *digest,
                            quire_error *err);
quire_status quire_blob_unpin(quire *q, const quire_digest *digest,
                              quire_error *err);
quire_status quire_pin_list(quire *q, quire_digest_fn each, void *ctx,
                            quire_error *err);

QUIRE_DECLS_END

#endif
