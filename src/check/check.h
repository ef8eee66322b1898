/* check.h - what the files that check a whole home share */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdatomic.h>

#include "base/map.h"
#include "api/priv.h"

/* How a finding can be mended; repair.c does it. */
enum mend {
    MEND_NONE,     /* a person has to decide                               */
    MEND_INDEX,    /* SQLite's own indexes                                 */
    MEND_COUNTERS, /* what sessions, tenants and scratchpads have used     */
    MEND_WORDS,    /* the indexes of words of a tenant                     */
    MEND_SESSIONS, /* session_rows, and the lists of sessions                   */
    MEND_REMOVAL, /* finish what was being removed                        */
    MEND_STRAY,   /* a row for a blob's file                              */
    MEND_FILE,    /* a mended copy of a session                           */
    N_MENDS
};

struct mending {
    enum mend how;
    int64_t tenant;      /* MEND_WORDS */
    quire_digest digest; /* MEND_STRAY */
};

typedef quire_status (*found_fn)(void *ctx, const quire_problem *problem,
                                 const struct mending *mending,
                                 quire_error *err);

/* A blob that is there. */
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
    quire_status said; /* what `found` or `progress` said that ends it all  */

    bool rows;     /* quire.db is there, and can be asked                   */
    bool blind;    /* blobs cannot be told for want of it                   */
    char *db_path; /* of a catalogue that cannot be read, taken away        */
    struct db *aside; /* a connection for temporary tables; NULL: not yet    */
    struct known *known; /* owned                                            */
    size_t n_known, known_cap;
    uint32_t *slots; /* owned; where in `known` a digest is, and one more     */
    unsigned slot_bits;
    uint64_t slot_seed;
    struct sqlite_look *sqlite; /* that runs beside the rest; NULL: none      */
    struct held *held, **held_end; /* findings that wait for it               */
    size_t n_held;
    struct arena keep;
    struct map seen; /* "<tenant> <id>" of sessions that have files           */
};

/* ---- checks.c ----------------------------------------------------------- */

/* Look at all of it, and give each finding. QUIRE_OK: it was looked at. */
quire_status checks_run(struct checks *c, struct quire *q, unsigned flags,
                        quire_error *err);
void checks_release(struct checks *c);

/* Tell of one finding. `mending` NULL: there is none. */
quire_status checks_found(struct checks *c, const quire_problem *problem,
                          const struct mending *mending, quire_error *err);

/* How far it is; `total` 0: not known. */
quire_status checks_progress(struct checks *c, uint64_t done, uint64_t total,
                             quire_error *err);

/* What a finding says, and what to do. */
void problem_what(quire_problem *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void problem_next(quire_problem *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether what failed may be told as a finding, and the finding. */
bool checks_forgivable(quire_status st);
void problem_of(quire_problem *p, const char *where, quire_status st,
                const quire_error *why);

/* A part of the check that failed with `st` is a finding about `where`, and the
 * rest goes on; but for what a hook said, and for want of memory. */
quire_status checks_forgive(struct checks *c, const char *where,
                            quire_status st, const quire_error *why,
                            quire_error *err);

/* ---- checks_known.c: the blobs there are -------------------------------- */

quire_status blob_index_build(struct checks *c, quire_error *err);

/* The blob, or NULL. It counts as referenced from now on. Any thread may ask. */
const struct known *blob_index_refer(const struct checks *c,
                                     const quire_digest *digest);

/* ---- checks_sqlite.c ---------------------------------------------------- */

/* What SQLite says of quire.db. Where that takes long it is asked beside the
 * rest of the check, and what is found meanwhile is held until it has
 * answered: its answer is told first. */
quire_status check_sqlite(struct checks *c, quire_error *err);

/* Wait for the answer, and tell it and what was held. */
quire_status checks_settle(struct checks *c, quire_error *err);

/* Hold a finding. */
quire_status checks_hold(struct checks *c, const quire_problem *problem,
                         const struct mending *mending, quire_error *err);

/* Wait, and forget what was held. */
void checks_drop(struct checks *c);

/* ---- checks_catalogue.c, checks_words.c --------------------------------- */

/* Whether what is in quire.db can be, and agrees with itself. */
quire_status check_catalog(struct checks *c, quire_error *err);

/* What it says of blobs; the blobs are known. */
quire_status check_contents(struct checks *c, quire_error *err);

/* That all that is to be found is, and nothing else. */
quire_status check_fulltext(struct checks *c, quire_error *err);

/* Each row of a statement on quire.db. Failing is a finding. */
typedef quire_status (*checks_row_fn)(struct checks *c, struct stmt *s,
                                      void *ctx, quire_error *err);
quire_status checks_each_row(struct checks *c, const char *sql,
                             checks_row_fn each, void *ctx, quire_error *err);

/* Each tenant's id in turn. */
quire_status checks_tenants(struct checks *c,
                            quire_status (*each)(struct checks *c,
                                                 int64_t tenant,
                                                 quire_error *err),
                            quire_error *err);

/* ---- checks_files.c, checks_workspace.c ------------------------------------------------ */

/* Sessions and conversations, and what they refer to. */
quire_status check_sources(struct checks *c, quire_error *err);

/* Rows of sessions, against the files that were seen. */
quire_status check_session_rows(struct checks *c, quire_error *err);

/* The lists of sessions that are kept, against the files. */
quire_status check_lists(struct checks *c, quire_error *err);

/* Directories where the files of a session lie open, against rows. */
quire_status check_workspaces(struct checks *c, quire_error *err);

#endif
