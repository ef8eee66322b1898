/*
 * artifact.h - interface of the artifact module
 *
 * An artifact is a named file of a session: a row in the catalogue, its content
 * a blob, its history a row for each version. CLI, HTTP and tools all use these
 * functions, and so the same rules: the path rule, the quotas, one transaction
 * for each change.
 *
 * Always true, after every transaction:
 *
 *   (1) The live artifacts of a session have distinct paths.
 *   (2) `used` and `n` of a session, and of a tenant, are the sum and the
 *       number of its live artifacts. They are counters; catalog_recount()
 *       compares them with the rows.
 *   (3) The current version of an artifact has a row among its versions.
 *   (4) A blob that a row names is in the store: it was put in the same
 *       transaction, or before.
 *
 * Paths here are canonical, see path.h; times are microseconds since 1970.
 */
#ifndef ARTIFACT_ARTIFACT_H
#define ARTIFACT_ARTIFACT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/clock.h"
#include "blob/blob.h"
#include "catalog/catalog.h"
#include "quire.h"
#include "store/sql.h"

struct artifacts;

/* Handles that share a queue, one a thread, share commits: commit_queue.c. NULL:
 * out of memory. */
struct commit_queue *commit_queue_new(void);
struct commit_queue *commit_queue_ref(struct commit_queue *g);
void commit_queue_unref(struct commit_queue *g); /* NULL is fine */

struct artifacts_config {
    struct catalog *catalog;    /* borrowed */
    struct blobs *blobs;        /* borrowed */
    bool read_only;             /* nothing may be written */
    struct commit_queue *queue; /* borrowed */
};

quire_status artifacts_new(const struct artifacts_config *config,
                           struct artifacts **out, quire_error *err);
void artifacts_free(struct artifacts *a);

/* Whether puts run at once instead of joining the commit queue: inside a
 * transaction of the caller, for which the queue would wait. */
void artifacts_set_immediate(struct artifacts *a, bool immediate);

/* ---- artifact.c --------------------------------------------------------- */

struct artifact_limits {
    uint64_t file, session, tenant; /* bytes                               */
    uint64_t versions; /* how many versions of an artifact are kept */
};

/* Check type, purpose, source, agent, tags and metadata. QUIRE_INVALID with a
 * message. */
quire_status artifact_check_options(const quire_artifact_options *o,
                                    quire_error *err);

/* Store `content` under `path`: a new artifact, or a new version of the
 * existing one. Atomic and durable.
 *
 * QUIRE_TOO_LARGE, QUIRE_QUOTA  refused, the message says by how much; nothing
 *                               has changed
 * QUIRE_NOT_FOUND, QUIRE_INVALID  the session or the tenant was removed or
 *                                 disabled while this call waited */
struct artifact_new {
    int64_t tenant;
    const char *key;  /* the session                                        */
    const char *file; /* its file: a session without one gets no row. NULL: it
                       * needs none */
    const char *name; /* name of that file in the home, as in the record of
                       * removals */
    const char *path;
    quire_bytes content;
    const quire_artifact_options *options;
    const struct artifact_limits *limits;
    uint64_t n_secrets; /* for the caller's use */
};

quire_status artifact_put(struct artifacts *a, const struct artifact_new *put,
                          struct arena *keep, quire_artifact *out,
                          quire_error *err);

/* Store several in one transaction: all of them, or none. */
quire_status artifact_put_all(struct artifacts *a,
                              const struct artifact_new *list, size_t n,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err);

/* Find a live artifact by its path in the session, or by its id in the tenant.
 * Text is in `keep`. QUIRE_NOT_FOUND without a message. */
quire_status artifact_by_path(struct artifacts *a, int64_t tenant,
                              const char *key, const char *path,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err);
quire_status artifact_by_id(struct artifacts *a, int64_t tenant, int64_t id,
                            struct arena *keep, quire_artifact *out,
                            quire_error *err);

/* The same by path, with the number of reads and, if *has, with the content: it is
 * in a row, verified, and lent until the next call. Needs SCHEMA_READ_COUNTS. */
quire_status artifact_content_by_path(struct artifacts *a, int64_t tenant,
                                      const char *key, const char *path,
                                      struct arena *keep, quire_artifact *out,
                                      bool *has, quire_bytes *content,
                                      quire_error *err);

/* Set digest, size, type and time of *artifact to those of an older version. */
quire_status artifact_version(struct artifacts *a, int64_t tenant,
                              int64_t version, struct arena *keep,
                              quire_artifact *artifact, quire_error *err);

/* Count a read, and return the count and the time of the last one. The count
 * survives a crash of the process, not a power cut. Does not wait: QUIRE_BUSY.
 */
quire_status artifact_count_read(struct artifacts *a, int64_t tenant,
                                 int64_t id, quire_error *err);

/* Count many earlier reads at once, in the session `key`. Paths that no longer
 * exist are skipped. */
struct artifact_read {
    const char *path;
    uint64_t n;
    int64_t last_us;
};

quire_status artifact_count_reads(struct artifacts *a, int64_t tenant,
                                  const char *key,
                                  const struct artifact_read *list, size_t n,
                                  quire_error *err);
quire_status artifact_reads(struct artifacts *a, int64_t tenant,
                            quire_artifact *artifact, quire_error *err);

/* Newest first. `session` 0: the whole tenant. With `deleted`, the soft-deleted
 * ones instead. Before (before_us, before_id) if before_us is not 0. */
struct artifact_range {
    int64_t tenant, session;
    bool deleted;
    int64_t before_us, before_id;
    uint64_t limit; /* 0: all */
};

quire_status artifact_list(struct artifacts *a, const struct artifact_range *r,
                           quire_artifact_fn each, void *ctx, quire_error *err);

/* The versions of an artifact, newest first. */
quire_status artifact_versions(struct artifacts *a, int64_t tenant,
                               const quire_artifact *artifact,
                               quire_artifact_fn each, void *ctx,
                               quire_error *err);

/* Soft-delete, restore (the one deleted last under this path), purge. Durable.
 * QUIRE_NOT_FOUND without a message; QUIRE_EXISTS: another artifact has the
 * path; QUIRE_QUOTA; QUIRE_CHANGED: its SHA-256 in hex is not `expect` (NULL:
 * any). */
quire_status artifact_remove(struct artifacts *a, int64_t tenant, int64_t id,
                             const char *expect, quire_error *err);
quire_status artifact_restore(struct artifacts *a, int64_t tenant,
                              const char *key, const char *path,
                              const struct artifact_limits *limits,
                              struct arena *keep, quire_artifact *out,
                              quire_error *err);
quire_status artifact_purge(struct artifacts *a, int64_t tenant, int64_t id,
                            const char *expect, quire_error *err);

/* Some artifacts by their ids, at most LOT_MAX (search/lot.h), by one statement and in
 * any order, with their content: empty if it is not text or cannot be read. Ids without
 * an artifact are left out. */
typedef quire_status (*artifact_content_fn)(void *ctx, const quire_artifact *a,
                                            quire_bytes text, quire_error *err);
quire_status artifact_lot(struct artifacts *a, int64_t tenant,
                          const int64_t *ids, size_t n,
                          artifact_content_fn each, void *ctx,
                          quire_error *err);

/* End a transaction: commit if `st` is QUIRE_OK, else roll back. */
quire_status artifacts_end(struct artifacts *a, quire_status st,
                           quire_error *err);

/* ---- expire.c: what a collection removes -----------------------------------
 *
 * Versions beyond the `kept` newest of each artifact (0: none), and artifacts
 * that were put away before `before_us`; a few at a time, so that others get
 * their turn. */
struct artifact_expiry {
    uint64_t kept;
    int64_t before_us;
};

quire_status artifacts_expire(struct artifacts *a,
                              const struct artifact_expiry *x,
                              uint64_t *versions, uint64_t *purged,
                              quire_error *err);

/* Count them. */
quire_status artifacts_expired(struct artifacts *a,
                               const struct artifact_expiry *x,
                               uint64_t *versions, uint64_t *purged,
                               quire_error *err);

/* The content of everything that is not expired. */
quire_status artifacts_digests(struct artifacts *a,
                               const struct artifact_expiry *x,
                               sql_digest_fn each, void *ctx, quire_error *err);

#endif
