/* priv.h - what the files of the artifact room share */
#ifndef ARTIFACT_PRIV_H
#define ARTIFACT_PRIV_H

#include <pthread.h>

#include "artifact/artifact.h"
#include "store/sql.h"

/* The room's statements, in schema.c. */
enum artifact_sql {
    /* artifacts */
    SQL_BY_PATH,
    SQL_BETWEEN,
    SQL_BY_ID,
    SQL_PUT_AWAY_LAST,
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
    SQL_LIST_SESSION_AWAY,
    SQL_LIST_TENANT_AWAY,
    SQL_PUT_AWAY,
    SQL_BRING_BACK,
    SQL_PURGE,
    SQL_READ_COUNT,
    SQL_READS,
    /* expire.c */
    SQL_EXPIRED,
    SQL_EXPIRED_COUNT,
    SQL_EXPIRE_AWAY,
    SQL_DIGESTS,
    /* words.c */
    SQL_DUE_ADD,
    SQL_DUE_COUNT,
    SQL_DUE,
    SQL_DUE_HAS,
    SQL_DUE_DROP,
    SQL_DUE_TENANT,
    N_ARTIFACT_SQL
};

extern const char *const artifact_sql[N_ARTIFACT_SQL];

/* The index of one tenant, see words.c. */
struct artifact_fulltext {
    int64_t tenant; /* 0: none is open */
    struct sql sql;
};

/* What a handle has noted as due of one tenant, since it last looked. */
struct artifact_noted {
    int64_t tenant;
    unsigned n;
    uint64_t bytes;
};

/* It may work for many. Of more the older ones are looked at again. */
enum { NOTED_TENANTS = 16 };

struct artifacts {
    struct artifacts_config c;
    struct sql sql;
    struct artifact_fulltext words;
    bool alone; /* puts join no others: see artifacts_set_alone() */
    struct artifact_noted
        noted[NOTED_TENANTS]; /* see artifact_fulltext_note() */
};

/* Each living artifact of a session, or with session 0 of a tenant, by id from
 * the oldest on: an index of words takes them in that order in one go, and in
 * another one by one. */
quire_status artifact_walk(struct artifacts *a, const struct session_row *owner,
                           quire_artifact_fn each, void *ctx, quire_error *err);

/* End the transaction: keep it if `st` is QUIRE_OK, else not. */
quire_status artifacts_end(struct artifacts *a, quire_status st,
                           quire_error *err);

/* Whether a new artifact can have the path: none is called like a directory it
 * is in, and none is below it. Files could not be laid out so. QUIRE_EXISTS. */
quire_status artifact_has_place(struct artifacts *a, int64_t session,
                                const char *path, quire_error *err);

/* ---- put.c -------------------------------------------------------------- */

/* A put that somebody waits for. All is borrowed. */
struct put {
    const struct artifact_new *what;
    const struct clock *clock;
    bool relaxed; /* it need not last */
    struct arena *keep;
    quire_artifact *out;

    /* commit_queue.c */
    quire_status status;
    quire_error why; /* good when it failed; it may be tried twice */
    bool done;
    bool leads;          /* it is its thread's turn to do them */
    pthread_cond_t wake; /* one of the two has become true     */
    struct put *next;
};

/* Do it, in a transaction. *wrote: it may have left something behind, so that
 * after an error the transaction must not be kept. */
quire_status put_inside(struct artifacts *a, struct put *put, bool *wrote,
                        quire_error *err);

/* Whether what is there is what somebody expects (NULL: anything), in the
 * transaction that changes it. QUIRE_CHANGED. */
quire_status artifact_check_expected(const quire_artifact *now,
                                     const char *expect, const char *path,
                                     quire_error *err);

/* Whether `bytes` fit in the place of `old`. QUIRE_QUOTA. */
quire_status artifact_check_quota(const struct session_row *owner, uint64_t old,
                                  uint64_t bytes,
                                  const struct artifact_limits *limits,
                                  quire_error *err);

/* ---- commit_queue.c ------------------------------------------------------ */

/* Commit a put, together with those of other threads that wait. Durable. */
quire_status commit_queue_put(struct artifacts *a, struct put *put);

/* ---- words.c ------------------------------------------------------------ */

enum {
    FULLTEXT_ADD,
    FULLTEXT_DROP,
    FULLTEXT_FIND,
    FULLTEXT_FIND_DUE, /* in an index of what is due */
    N_FULLTEXT
};

void artifact_fulltext_release(struct artifact_fulltext *w);

/* The words of an artifact change, or it comes, or goes: `had` is its row as it
 * was, NULL if it was not living; `bytes` its content as it will be. In a
 * transaction. */
quire_status artifact_fulltext_note(struct artifacts *a, int64_t tenant,
                                    int64_t id, const quire_artifact *had,
                                    uint64_t bytes, quire_error *err);

/* What a search looks at: the index, and another one in memory of what was due
 * when it was opened. These are passed over in the first, whatever has become of
 * them since: so each living artifact is in one of the two, and in one only. */
struct artifact_fulltext_view {
    struct sql *index; /* NULL: there is none          */
    struct db *memory; /* NULL: nothing is due         */
    struct sql due;    /* asked with FULLTEXT_FIND_DUE    */
    int64_t *passed;   /* owned; ids, ascending        */
    size_t n_passed;
};

quire_status artifact_fulltext_view_open(struct artifacts *a, int64_t tenant,
                                         struct artifact_fulltext_view *v,
                                         quire_error *err);
void artifact_fulltext_view_close(struct artifact_fulltext_view *v);

/* A session as one word of letters: a digit would be a part of its own. */
void artifact_fulltext_scope(int64_t session, char out[32]);

#endif
