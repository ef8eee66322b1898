/* priv.h - what the files of the artifact room share */
#ifndef ARTIFACT_PRIV_H
#define ARTIFACT_PRIV_H

#include "artifact/artifact.h"
#include "store/sql.h"

/* The room's statements, in schema.c. */
enum artifact_sql {
    /* owners */
    SQL_OWNER_FIND,
    SQL_OWNER_ADD,
    SQL_OWNER_BUILT_IN,
    SQL_SESSION_COUNT,
    SQL_TENANT_COUNT,
    SQL_SESSION_WRONG,
    SQL_TENANT_WRONG,
    SQL_SESSION_RECOUNT,
    SQL_TENANT_RECOUNT,
    SQL_OWNER_DROP,
    SQL_REMOVAL_ADD,
    SQL_REMOVAL_DROP,
    SQL_REMOVALS,
    /* artifacts */
    SQL_BY_PATH,
    SQL_BY_ID,
    SQL_PUT_AWAY_LAST,
    SQL_ADD,
    SQL_CHANGE,
    SQL_VERSION_ADD,
    SQL_VERSION_DROP,
    SQL_VERSION_GET,
    SQL_VERSIONS,
    SQL_LIST_SESSION,
    SQL_LIST_TENANT,
    SQL_LIST_SESSION_AWAY,
    SQL_LIST_TENANT_AWAY,
    SQL_PUT_AWAY,
    SQL_BRING_BACK,
    SQL_PURGE,
    SQL_WORDS_THERE,
    N_ARTIFACT_SQL
};

extern const char *const artifact_sql[N_ARTIFACT_SQL];

/* The index of one tenant, see search.c. */
enum { N_WORDS = 3 };

struct artifact_words {
    int64_t tenant; /* 0: none is open */
    char *texts[N_WORDS];
    struct sql sql;
};

struct artifacts {
    struct artifacts_config c;
    struct sql sql;
    struct artifact_words words;
};

/* End the transaction: keep it if `st` is QUIRE_OK, else not. */
quire_status artifacts_end(struct artifacts *a, quire_status st,
                           quire_error *err);

/* ---- search.c ----------------------------------------------------------- */

/* Open the tenant's index. With `write`, in a transaction, it is made if there
 * is none: if that fails later, words_release() it. QUIRE_NOT_FOUND. */
quire_status words_need(struct artifacts *a, int64_t tenant, bool write,
                        quire_error *err);
void words_release(struct artifact_words *w);

/* Put an artifact in, take it out. `one` is its row as it is in the index. */
quire_status words_add(struct artifacts *a, const quire_artifact *one,
                       quire_bytes content, quire_error *err);
quire_status words_drop(struct artifacts *a, const quire_artifact *one,
                        quire_error *err);

/* Take out all of a session. */
quire_status words_drop_session(struct artifacts *a, const struct owner *owner,
                                quire_error *err);

/* Add to the counters of a session and its tenant. In a transaction. */
quire_status owner_count(struct artifacts *a, const struct owner *owner,
                         int64_t bytes, int64_t n, quire_error *err);

#endif
