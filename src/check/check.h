/* check.h - shared by the files that check a whole home */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdatomic.h>

#include "base/map.h"
#include "api/core/handle.h"

/* How a finding can be repaired; repair.c does it. */
enum mend {
    MEND_NONE,     /* a person has to decide                               */
    MEND_INDEX,    /* SQLite's own indexes                                 */
    MEND_TENANTS,  /* the tenant of rows below artifacts, sessions, …      */
    MEND_COUNTERS, /* what sessions, tenants and scratchpads have used     */
    MEND_SESSIONS, /* session_rows, and the lists of sessions                   */
    MEND_REMOVAL, /* finish what was being removed                        */
    MEND_STRAY,   /* a row for a blob's file                              */
    MEND_FILE,    /* a repaired copy of a session */
    MEND_LOG,     /* accept that the log was lost */
    MEND_SEARCH, /* the search indexes of a tenant; after all that they are of */
    N_MENDS
};

struct mending {
    enum mend how;
    int64_t tenant;      /* MEND_SEARCH */
    quire_digest digest; /* MEND_STRAY */
};

typedef quire_status (*found_fn)(void *ctx, const quire_problem *problem,
                                 const struct mending *mending,
                                 quire_error *err);

/* An existing blob. */
struct known {
    quire_digest digest;
    uint64_t size;          /* UINT64_MAX: not known    */
    atomic_bool referenced; /* by any thread of a check */
};

/* One check. */
struct checks {
    struct quire *q;
    unsigned flags;
    found_fn found;
    void *ctx;
    quire_status (*progress)(void *ctx, uint64_t done, uint64_t total,
                             quire_error *err);
    void *progress_ctx;
    quire_check_summary sum;
    int64_t begun_ns;  /* of the system's clock */
    quire_status said; /* result of `found` or `progress` that ends the check */

    bool rows;  /* quire.db exists and can be queried */
    bool blind; /* blobs cannot be checked without it */
    char
        *db_path; /* path of an unreadable catalogue, removed from the handle */
    struct known *known; /* owned                                            */
    size_t n_known, known_cap;
    uint32_t *slots; /* owned; index in `known` of a digest, plus one */
    unsigned slot_bits;
    uint64_t slot_seed;
    struct sqlite_look *sqlite; /* runs beside the rest; NULL: none */
    /* What must be reported before any other finding, once it is known; while
     * set, findings are held back. NULL: nothing. */
    quire_status (*report_first)(struct checks *c, quire_error *err);
    struct held *held, **held_end;
    size_t n_held;
    struct arena keep;
    struct map seen; /* "<tenant> <id>" of sessions that have files           */
};

/* ---- check.c ------------------------------------------------------------ */

/* Check everything, and report each finding. QUIRE_OK: the check was complete.
 */
quire_status checks_run(struct checks *c, struct quire *q, unsigned flags,
                        quire_error *err);
void checks_release(struct checks *c);

/* ---- report.c ----------------------------------------------------------- */

/* Report one finding. `mending` NULL: it cannot be repaired. */
quire_status checks_found(struct checks *c, const quire_problem *problem,
                          const struct mending *mending, quire_error *err);

/* Report progress; `total` 0: not known. */
quire_status checks_progress(struct checks *c, uint64_t done, uint64_t total,
                             quire_error *err);

/* Message and hint of a finding. */
void problem_what(quire_problem *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void problem_next(quire_problem *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether a failure may be reported as a finding, and the finding. */
bool checks_is_finding(quire_status st);
void problem_of(quire_problem *p, const char *where, quire_status st,
                const quire_error *why);

/* Report a part of the check that failed with `st` as a finding about `where`,
 * and go on; except for the result of a hook, and for lack of memory. */
quire_status checks_report_failure(struct checks *c, const char *where,
                                   quire_status st, const quire_error *why,
                                   quire_error *err);

/* Run `report_first`, then deliver what was held back. */
quire_status findings_release(struct checks *c, quire_error *err);

/* Free what was held back. */
void findings_drop(struct checks *c);

/* ---- log.c -------------------------------------------------------------- */

/* Report that the write-ahead log of quire.db was lost. */
quire_status check_log(struct checks *c, quire_error *err);

/* ---- blob_index.c: the existing blobs ----------------------------------- */

quire_status blob_index_build(struct checks *c, quire_error *err);

/* The blob, or NULL. Marks it as referenced. Any thread may call it. */
const struct known *blob_index_refer(const struct checks *c,
                                     const quire_digest *digest);

/* ---- sqlite.c, sqlite_schema.c ------------------------------------------ */

/* SQLite's check of quire.db. If it takes long it runs beside the rest, and
 * findings are held back until it ends: its result is reported first. */
quire_status check_sqlite(struct checks *c, quire_error *err);

/* The tables are those that Quire makes, and each row that a key names exists.
 */
quire_status check_sqlite_schema(struct checks *c, quire_error *err);

/* The first fault that SQLite finds in any other database; "" if there is none. */
enum { SQLITE_FAULT_SIZE = 160 };
quire_status sqlite_first_fault(struct db *db, char fault[SQLITE_FAULT_SIZE],
                                quire_error *err);

/* End it if it still runs; its result is dropped. */
void check_sqlite_stop(struct checks *c);

/* ---- catalog.c ---------------------------------------------------------- */

/* Consistency of the rows of quire.db. */
quire_status check_catalog(struct checks *c, quire_error *err);

/* Blobs named by its rows; the index of blobs is complete. */
quire_status check_contents(struct checks *c, quire_error *err);

/* The blobs of the originals of imported files. */
quire_status check_originals(struct checks *c, quire_error *err);

/* Call `each` for every row of a statement on quire.db. A failure is a finding.
 */
typedef quire_status (*checks_row_fn)(struct checks *c, struct stmt *s,
                                      void *ctx, quire_error *err);
quire_status checks_each_row(struct checks *c, const char *sql,
                             checks_row_fn each, void *ctx, quire_error *err);

/* Call `each` with each tenant's id. */
quire_status checks_tenants(struct checks *c,
                            quire_status (*each)(struct checks *c,
                                                 int64_t tenant,
                                                 quire_error *err),
                            quire_error *err);

/* ---- tenants.c ---------------------------------------------------------- */

/* Rows below artifacts, sessions and their like have the tenant of the row above
 * them. */
quire_status check_row_tenants(struct checks *c, quire_error *err);

/* Give it to those that do not. */
quire_status repair_row_tenants(struct db *db, quire_error *err);

/* ---- search.c ----------------------------------------------------------- */

/* The search indexes of all tenants. */
quire_status check_search(struct checks *c, quire_error *err);

/* ---- sessions.c, workspace.c -------------------------------------------- */

/* Sessions and conversations, and what they refer to. */
quire_status check_sources(struct checks *c, quire_error *err);

/* Rows of sessions, against the files found. */
quire_status check_session_rows(struct checks *c, quire_error *err);

/* The cached lists of sessions, against the files. */
quire_status check_lists(struct checks *c, quire_error *err);

/* Workspace directories, against the rows. */
quire_status check_workspaces(struct checks *c, quire_error *err);

/* Files of sessions that no longer exist. */
quire_status check_orphans(struct checks *c, quire_error *err);

#endif
