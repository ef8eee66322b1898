/* priv.h - shared by the files of the artifact module */
#ifndef ARTIFACT_PRIV_H
#define ARTIFACT_PRIV_H

#include <pthread.h>

#include "artifact/artifact.h"
#include "artifact/path.h"
#include "store/sql.h"

/* The statements of the module, in sql.c. */
enum artifact_sql {
    /* artifacts */
    SQL_BY_PATH,
    SQL_CONTENT_BY_PATH,
    SQL_ANCESTORS,
    SQL_BELOW,
    SQL_BY_ID,
    SQL_LOT,
    SQL_LOT_FEW,
    SQL_LAST_DELETED,
    SQL_NEXT_ID,
    SQL_ADD,
    SQL_CHANGE,
    SQL_VERSION_ADD,
    SQL_VERSION_DROP,
    SQL_VERSION_GET,
    SQL_VERSIONS,
    SQL_WALK_SESSION,
    SQL_WALK_TENANT,
    SQL_LIST_SESSION,
    SQL_LIST_TENANT,
    SQL_LIST_SESSION_DELETED,
    SQL_LIST_TENANT_DELETED,
    SQL_SOFT_DELETE,
    SQL_RESTORE,
    SQL_PURGE,
    SQL_READ_COUNT,
    SQL_READS,
    /* expire.c */
    SQL_EXPIRED,
    SQL_EXPIRED_COUNT,
    SQL_EXPIRE_DELETED,
    SQL_DIGESTS,
    SQL_LOG_CHANGE,
    N_ARTIFACT_SQL
};

extern const char *const artifact_sql[N_ARTIFACT_SQL];

struct artifacts {
    struct artifacts_config c;
    struct sql sql;
    bool
        immediate; /* puts bypass the commit queue: see artifacts_set_immediate() */
};

/* ---- table.c ------------------------------------------------------------- */

/* The artifact that was soft-deleted last under a path. */
quire_status artifact_last_deleted(struct artifacts *a, int64_t tenant,
                                   const char *key, const char *path,
                                   struct arena *keep, quire_artifact *out,
                                   quire_error *err);

/* Each live artifact of a session, or with session 0 of a tenant, in ascending
 * order of id: the order in which a full-text index is built fastest. */
quire_status artifact_walk(struct artifacts *a, const struct session_row *row,
                           quire_artifact_fn each, void *ctx, quire_error *err);

/* Ask for the live artifact under a path, and read the only row of a statement. */
quire_status artifact_path_ask(struct artifacts *a, int64_t tenant,
                               const char *key, const char *path,
                               struct stmt **s, quire_error *err);
quire_status artifact_take(struct stmt *s, struct arena *keep,
                           quire_artifact *out, quire_error *err);

/* Whether a new artifact can have the path: no artifact has the name of a
 * directory in it, and none is below it, so that all can be files. Asked early and
 * taken later; QUIRE_EXISTS. */
struct place_asked {
    struct artifacts *a;
    int64_t tenant;
    const char *key, *path;
    const char *slash; /* the last one whose ancestor was asked for */
    struct stmt *ancestors, *below;
    char from[PATH_BYTES_MAX + 2], to[PATH_BYTES_MAX + 2];
};

quire_status artifact_place_ask(struct artifacts *a, int64_t tenant,
                                const char *key, const char *path,
                                struct place_asked *p, quire_error *err);
quire_status artifact_place_take(struct place_asked *p, quire_error *err);

/* ---- put.c -------------------------------------------------------------- */

/* A put that a thread waits for. All is borrowed. */
struct put {
    const struct artifact_new *what;
    const struct clock *clock;
    bool relaxed; /* durability is not required */
    struct arena *keep;
    quire_artifact *out;

    /* commit_queue.c */
    quire_status status;
    quire_error why; /* set when it failed; it may be tried twice */
    bool done;
    bool leads;          /* its thread is the next leader */
    pthread_cond_t wake; /* `done` or `leads` has become true */
    struct put *next;
};

/* Run the put inside a transaction. *wrote: it may have written something, so
 * that after an error the transaction must be rolled back. */
quire_status artifact_put_inside(struct artifacts *a, struct put *put,
                                 bool *wrote, quire_error *err);

/* Whether content of this size may be put at all. QUIRE_QUOTA. */
quire_status artifact_check_size(uint64_t bytes,
                                 const struct artifact_limits *limits,
                                 quire_error *err);

/* Compare the current content with the expected one (NULL: any), in the
 * transaction that changes it. QUIRE_CHANGED. */
quire_status artifact_check_expected(const quire_artifact *now,
                                     const char *expect, const char *path,
                                     quire_error *err);

/* Whether `bytes` fit in the place of `old`. QUIRE_QUOTA. */
quire_status artifact_check_quota(const struct session_row *row, uint64_t old,
                                  uint64_t bytes,
                                  const struct artifact_limits *limits,
                                  quire_error *err);

/* Record that the text of an artifact changes, or that it is created or deleted. Inside
 * a transaction. */
quire_status artifact_log_change(struct artifacts *a, int64_t tenant,
                                 int64_t id, quire_error *err);

#endif
