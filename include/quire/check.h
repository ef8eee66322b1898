/*
 * quire/check.h - verify, repair and reindex a home
 */
#ifndef QUIRE_CHECK_H
#define QUIRE_CHECK_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A problem in a store. Kinds of a blob: "cut", "not_gzip", "broken",
 * "checksum", "trailing", "too_long", "too_short", "content", "missing",
 * "row", "unreadable". quire_check() adds the kinds of quire_session_problem,
 * and: "stray" (a blob's file without a row), "database", "index", "schema",
 * "foreign_key", "counter", "row", "version", "size", "sequence", "setting",
 * "words", "tally", "list", "session_gone", "missing_blob", "removal", "json",
 * "search", "workspace_differs", "workspace_extra", "workspace_missing". */
typedef struct quire_problem {
    const char *kind;
    const char *where; /* the blob's reference, "quire.db", a file          */
    char what[256];
    char next[192]; /* what can be done about it; "": nothing               */
    uint64_t line;  /* of the file, from 1; 0: not known                    */
    uint64_t byte;  /* of the file, from 0, if `has_byte`                   */
    int has_byte;
} quire_problem;

typedef struct quire_check_summary {
    uint64_t sessions;     /* files of sessions and conversations            */
    uint64_t blobs;        /* stored                                         */
    uint64_t references;   /* to blobs, each as often as it occurs           */
    uint64_t unreferenced; /* blobs without references: not a problem        */
    uint64_t problems;
} quire_check_summary;

/* Begin with QUIRE_CHECK_HOOKS_INIT; later versions only add fields. The
 * calling thread runs all hooks. */
typedef struct quire_check_hooks {
    size_t size;
    /* Each problem; those of blobs in the order of storing, or of digests where
     * each blob is a file. May be NULL: they are only counted. */
    quire_status (*problem)(void *ctx, const quire_problem *problem,
                            quire_error *err);
    /* From time to time: how many of how many are done. May be NULL. */
    quire_status (*progress)(void *ctx, uint64_t done, uint64_t total,
                             quire_error *err);
    void *ctx;
    /* quire_repair(): each problem that was repaired, or would be; `next` says
     * how. May be NULL. */
    quire_status (*mended)(void *ctx, const quire_problem *problem,
                           quire_error *err);
    /* quire_check(), quire_repair(): filled at the end. May be NULL. */
    quire_check_summary *summary;
} quire_check_hooks;

#define QUIRE_CHECK_HOOKS_INIT                                  \
    {                                                           \
        sizeof(quire_check_hooks), NULL, NULL, NULL, NULL, NULL \
    }

/* Read every blob, or `only` one, and compare it with its digest. All blobs are
 * read by as many threads as there are processors, up to eight. QUIRE_OK means
 * that the check ran, whatever it found.
 *
 * Owns: *problem is lent until the hook returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  `only`: no such blob
 *   QUIRE_INVALID    all blobs, and the handle is not the default tenant's
 * Durable: reads only. */
quire_status quire_blob_check(quire *q, const quire_digest *only,
                              const quire_check_hooks *hooks, quire_error *err);

enum {
    QUIRE_CHECK_QUICK = 1, /* of blobs, only presence and size; of search
                              indexes, only their tables                     */
    QUIRE_CHECK_FULL = 2,  /* also compare every index and counter with what it
                              is derived from                                */
};

/* Check the whole home, of all tenants: the catalogue, every line of every
 * session, the presence of every referenced blob, every blob against its
 * digest, every segment of a search index. In a large home up to eight threads
 * read. QUIRE_OK means that the check ran, whatever it found.
 *
 * Owns: *problem is lent until the hook returns.
 * Fails: common
 *   QUIRE_INVALID  the handle is not the default tenant's, or a transaction
 *                  is open
 * Durable: reads only. */
quire_status quire_check(quire *q, unsigned flags,
                         const quire_check_hooks *hooks, quire_error *err);

enum {
    QUIRE_REPAIR_DRY = 1, /* report what would be repaired */
};

/* Repair what can be repaired without loss: rebuild derived data, register a
 * blob's file that has no row, replace a damaged session by a repaired copy
 * with the original beside it. Nothing is deleted but removals that were
 * interrupted. hooks->mended reports what was repaired, hooks->problem what
 * remains. A sound home stays as it is, to the byte.
 *
 * Owns: *problem is lent until the hook returns.
 * Fails: common. What was repaired before stays repaired.
 *   QUIRE_INVALID  as quire_check()
 * Durable: each repair, on return. */
quire_status quire_repair(quire *q, unsigned flags,
                          const quire_check_hooks *hooks, quire_error *err);

/* Rebuild all derived data: search indexes, lists
 * and totals of sessions, counters, the reference index, the search index. A
 * handle of the default tenant does so for all tenants, another for its own; the
 * search index of another tenant is rebuilt by its next search. Other processes
 * may read meanwhile, and wait to write.
 *
 * Owns: nothing.
 * Fails: common. Each index is either the old or the new one.
 * Durable: on return. */
quire_status quire_reindex(quire *q, quire_error *err);

QUIRE_DECLS_END

#endif
