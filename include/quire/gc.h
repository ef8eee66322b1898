/* quire/gc.h - garbage collection of blobs */
#ifndef QUIRE_GC_H
#define QUIRE_GC_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

enum {
    QUIRE_COLLECT_DRY_RUN = 1 << 0, /* write nothing, tell the same           */
    QUIRE_COLLECT_YES = 1 << 1,     /* also if it is more than half of all    */
    QUIRE_COLLECT_FULL = 1 << 2,    /* read everything again, and believe
                                       nothing that was noted before          */
};

typedef quire_status (*quire_digest_fn)(void *ctx, const quire_digest *digest,
                                        quire_error *err);

/* Set `size` with QUIRE_COLLECT_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_collect_options {
    size_t size;
    unsigned flags;
    int64_t grace_s; /* how long ago a blob must have been put, found again or
                        referred to; -1: as the setting gc.grace says       */
    quire_digest_fn each; /* each blob that is removed, or would be; may be
                             NULL                                           */
    void *ctx;
} quire_collect_options;

#define QUIRE_COLLECT_OPTIONS_INIT                       \
    {                                                    \
        sizeof(quire_collect_options), 0, -1, NULL, NULL \
    }

typedef struct quire_collect_report {
    uint64_t sources;     /* files that may refer to blobs                   */
    uint64_t rescanned;   /* of them, those that had to be read              */
    uint64_t scanned;     /* blobs there were                                */
    uint64_t referenced;  /* of them, those that something refers to         */
    uint64_t marked;      /* found to be referred to by nothing, this time   */
    uint64_t removed;     /* blobs that went                                 */
    uint64_t waiting;     /* marked, and still within their grace time       */
    uint64_t bytes_freed; /* of the blobs that went, as they were stored     */
    uint64_t versions;    /* of artifacts, beyond those that are kept        */
    uint64_t purged;      /* artifacts that were removed long enough ago     */
    uint64_t litter;      /* temporary files of programs that died           */
    uint64_t returned;    /* bytes that quire.db gave back                   */
    int refused;          /* more than half would have gone: none did        */
} quire_collect_report;

/* Remove the blobs of a home that nothing refers to, old versions, artifacts
 * that were removed long ago, and litter. Sessions of all tenants refer to
 * blobs, archived ones too, conversations, artifacts and their versions, what is
 * pinned, and what lies below registered roots. A blob is marked first, and
 * removed by a later run when the grace time has passed; without one (0) at
 * once, which is for stores that nobody else uses. Others may read and write
 * meanwhile.
 *
 * A home of oh-my-pi or JP is collected likewise; what is remembered between
 * two runs is in its directory .quire.
 *
 * QUIRE_BUSY       another collection is running, or somebody is about to refer
 *                  to blobs for longer than one waits: an open batch, a session
 *                  with an image and no file yet
 * QUIRE_INVALID    the handle is for one tenant, or a blobs directory alone
 * QUIRE_NOT_FOUND  a root that was registered is not there
 * others           something cannot be read, or there is a link among the
 *                  sessions: then nothing is removed */
quire_status quire_collect(quire *q, const quire_collect_options *options,
                           quire_collect_report *report, quire_error *err);

/* Whether a collection should be run by whoever has just written: gc.auto is
 * on, the home is Quire's own, and none has begun within the hour. If so, others
 * who ask within the next one are told no. Never fails; 0 when in doubt. */
int quire_collect_due(quire *q);

/* Register a file or a directory outside the home: what it mentions is kept.
 * A session outside that stores an image is registered by itself. Adding one
 * that is there is fine; QUIRE_NOT_FOUND when there is no such path, or no such
 * root. A directory that is not there, or empty where there were sessions, stops
 * collections until it is back or dropped. */
quire_status quire_root_add(quire *q, const char *path, quire_error *err);
quire_status quire_root_drop(quire *q, const char *path, quire_error *err);
quire_status quire_root_list(quire *q, quire_text_fn each, void *ctx,
                             quire_error *err);

/* Keep a blob whether anything refers to it or not; or no longer.
 * QUIRE_NOT_FOUND when there is no such blob, or it was not pinned. */
quire_status quire_blob_pin(quire *q, const quire_digest *digest,
                            quire_error *err);
quire_status quire_blob_unpin(quire *q, const quire_digest *digest,
                              quire_error *err);
quire_status quire_pin_list(quire *q, quire_digest_fn each, void *ctx,
                            quire_error *err);

QUIRE_DECLS_END

#endif
