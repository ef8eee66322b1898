/* quire/check.h - verify, repair and reindex a home */
#ifndef QUIRE_CHECK_H
#define QUIRE_CHECK_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* Something wrong in a store. */
typedef struct quire_problem {
    const char *kind;  /* "cut", "not_gzip", "broken", "checksum", "trailing",
                          "too_long", "too_short", "content", "missing",
                          "row", "unreadable"; quire_check() has more       */
    const char *where; /* the blob's reference, "quire.db", a file          */
    char what[256];
    char next[192]; /* what can be done about it; "" for nothing            */
    uint64_t line;  /* of the file, from 1; 0: not known                    */
    uint64_t byte;  /* of the file, from 0, if `has_byte`                   */
    int has_byte;
} quire_problem;

/* What a check of the whole home has seen. */
typedef struct quire_check_summary {
    uint64_t sessions;     /* files of sessions and conversations            */
    uint64_t blobs;        /* that there are                                 */
    uint64_t references;   /* to blobs, each as often as it occurs           */
    uint64_t unreferenced; /* blobs that nothing refers to: no problem       */
    uint64_t problems;
} quire_check_summary;

/* Set `size` with QUIRE_CHECK_HOOKS_INIT; fields are only ever added. */
typedef struct quire_check_hooks {
    size_t size;
    /* Each problem found, of blobs in the order they were stored, or, where
     * each is a file, of their digests. All hooks are called by the thread that
     * called. */
    quire_status (*problem)(void *ctx, const quire_problem *problem,
                            quire_error *err);
    /* From time to time: how many of how many are done. May be NULL. */
    quire_status (*progress)(void *ctx, uint64_t done, uint64_t total,
                             quire_error *err);
    void *ctx;
    /* quire_repair(): each problem that was mended, or would be; `next` says
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

/* Read every blob (`only` NULL) or one, and compare it with its name. All of
 * them are read by as many threads as there are processors, up to eight.
 * QUIRE_OK means the check ran, whatever it found: the problems, and only
 * they, say what is wrong. Writes nothing. */
quire_status quire_blob_check(quire *q, const quire_digest *only,
                              const quire_check_hooks *hooks, quire_error *err);

enum {
    QUIRE_CHECK_QUICK = 1, /* of blobs, only presence and size               */
    QUIRE_CHECK_FULL = 2,  /* also every index and count, against what it was
                              made of                                        */
};

/* Look at everything in the home, of all tenants: that the catalogue is sound
 * and agrees with itself; every line of every session; that every blob that is
 * referred to is there; every blob against its name. The handle is the default
 * tenant's. Writes nothing. In a large home files and blobs are read by as many
 * threads as there are processors, up to eight; hooks are called by the thread
 * that called.
 *
 * Each finding is given to hooks->problem. Besides the kinds of a blob, and of
 * a line of a session (quire_session_problem), there are: "stray" (a blob's file
 * that no row speaks for), "database", "index", "schema", "foreign_key",
 * "counter", "row", "version", "size", "sequence", "setting", "words", "tally",
 * "list", "session_gone", "missing_blob", "removal", "json",
 * "workspace_differs", "workspace_extra", "workspace_missing".
 *
 * QUIRE_OK means that everything was looked at, whatever was found. */
quire_status quire_check(quire *q, unsigned flags,
                         const quire_check_hooks *hooks, quire_error *err);

enum {
    QUIRE_REPAIR_DRY = 1, /* say what would be mended */
};

/* Mend what can be mended without losing anything: what is derived is made
 * again, a blob's file gets its row, a damaged session a mended copy in its
 * place and the original beside it. Nothing is deleted, but for what was being
 * removed already. hooks->mended is given what was mended, hooks->problem what
 * remains. A sound home is left as it is, to the byte. */
quire_status quire_repair(quire *q, unsigned flags,
                          const quire_check_hooks *hooks, quire_error *err);

/* Make all that is derived again, from what it was made of: the indexes of
 * words of artifacts and of memory, the lists and tallies of sessions, counters.
 * For all tenants, if the handle is the default one's, else for its own. Others
 * may read meanwhile, and wait to write. */
quire_status quire_reindex(quire *q, quire_error *err);

QUIRE_DECLS_END

#endif
