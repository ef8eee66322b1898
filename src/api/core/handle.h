/* handle.h - an open handle, and what the files of this module share */
#ifndef API_CORE_HANDLE_H
#define API_CORE_HANDLE_H

#include <pthread.h>
#include <stdbool.h>

#include "artifact/artifact.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "blob/blob.h"
#include "catalog/catalog.h"
#include "quire.h"
#include "store/db.h"
#include "store/intercept.h"
#include "store/store.h"
#include "store/sql.h"

struct cluster;
struct history;
struct search_index;
struct memories;
struct scratchpads;
struct tenant_views;

/* What happened to an artifact outside its workspace. */
enum follow {
    FOLLOW_PUT,    /* stored or restored                                   */
    FOLLOW_BEFORE, /* about to be removed: a changed file becomes a version
                      first, and the baseline is written at once           */
    FOLLOW_AWAY,   /* soft-deleted or purged                               */
};

/* A workspace file to be updated after the commit of a transaction. */
struct pending_file {
    int64_t tenant;
    char *key, *path; /* owned */
    enum follow when;
    struct pending_file *next;
};

struct quire_import;

struct quire {
    char *home; /* owned; the blobs directory when there is no home */
    char *root; /* owned; directory of the tenant's sessions and history: the
                   home, or tenants/<id> below it                    */
    char *blob_path;         /* owned */
    char *db_path;           /* owned; NULL: no database                      */
    struct cluster *cluster; /* referenced; NULL: the home is on the disk */
    quire_kind kind;
    quire_layout layout;
    bool read_only;
    int64_t tenant; /* that the handle works for                      */
    int busy_ms;
    int cache_kib;
    char actor[64]; /* for the audit log; "": the user                */
    struct clock clock;
    struct trace trace;
    struct intercept db_hook; /* for tests, before the catalogue is opened */
    bool in_transaction;      /* see transaction.c                         */
    uint64_t n_transactions;  /* begun */
    bool in_callback;         /* a callback of the caller is running       */
    bool finished;            /* finish_removals() has run                 */
    bool reserve_kept;        /* reserve_keep() has run                    */
    bool reserve_gone;        /* released by this handle: see reserve.c    */

    /* Opened when first needed, in this order. */
    struct catalog catalog; /* .db NULL: not open                 */
    struct store *files;    /* the blobs directory                */
    unsigned holds;         /* of the files: see blobs_hold()     */
    struct blobs *blobs;
    struct db *blobs_db; /* that they were opened over, or NULL */
    struct store *all;   /* everything below the root          */
    struct store *whole; /* below the home, if that is another */
    struct artifacts *artifacts;
    struct commit_queue *commit_queue;       /* shared with peers           */
    struct quire_search_watch *search_watch; /* borrowed; NULL: none  */
    uint64_t seen_watch, seen_trees[2]; /* by quire_session_changed() */
    struct memories *memories;
    struct scratchpads *pads;
    int64_t tenant_state;  /* quire_changes() when the tenant was last found
                             enabled; 0: check again                  */
    int64_t limits_state;  /* quire_changes() when `limits` were read; 0: read
                             again                                    */
    int64_t limits_tenant; /* whose they are                           */
    struct artifact_limits limits;
    quire_secret_fn on_secret; /* NULL: none */
    void *secret_ctx;
    int64_t secrets_state; /* quire_changes() when `secrets` was read; 0: read
                              again                                      */
    enum secrets_policy { SECRETS_OFF, SECRETS_WARN, SECRETS_MASK } secrets;
    struct history *history;        /* over history.db                       */
    struct search_index *search[2]; /* NULL: not open; api/search.h     */
    struct db *state; /* of another program's home: foreign_state.c */

    struct pending_file *pending_files;        /* owned; of a transaction    */
    struct session_cache_entry *session_cache; /* owned; NULL: empty  */
    struct tenant_views *tenant_views;         /* NULL: none          */
    pthread_mutex_t blob_turn;    /* sessions of several threads share blobs,
                                     and a fork holds them: recursive      */
    struct arena loan;            /* text returned until the next call   */
    struct arena search_loan;     /* likewise, of quire_search()         */
    struct quire_import *imports; /* owned; that wait to be committed */
};

/* ---- parts.c: opened when first needed ----------------------------------- */

/* Whether the home has a catalogue. */
bool catalog_exists(const struct quire *q);

/* The catalogue. A reader of a home without one gets none, and no error. */
quire_status need_catalog(struct quire *q, bool write, quire_error *err);

/* The blob store of all tenants. */
quire_status need_blobs(struct quire *q, bool write, quire_error *err);

/* The files below the root; below the home, whichever the tenant (borrowed). */
quire_status need_all(struct quire *q, quire_error *err);
quire_status need_home(struct quire *q, struct store **out, quire_error *err);

/* A store of the tenant's files for one session: sessions may be used by other
 * threads. */
quire_status open_home_store(struct quire *q, struct store **out,
                             quire_error *err);

/* For another thread, to read: the files below the home, the blobs directory; the
 * database. */
quire_status open_whole_home(const struct quire *q, struct store **out,
                             quire_error *err);
quire_status open_blob_files(const struct quire *q, struct store **out,
                             quire_error *err);
quire_status open_another_db(const struct quire *q, struct db **out,
                             quire_error *err);

/* Keep collections from removing blobs until release_blobs(), while a reference
 * is copied from one file to another. */
quire_status hold_blobs(struct quire *q, quire_error *err);
void release_blobs(struct quire *q);

/* Trace the calls to a database, if the handle traces. */
quire_status trace_db(struct quire *q, struct db **db, quire_error *err);

/* Abort the imports that wait. */
void import_drop_all(struct quire *q);

/* QUIRE_INVALID inside a callback; the error of a read-only handle. */
quire_status check_free(const struct quire *q, quire_error *err);
static inline quire_status read_only_error(quire_error *err)
{
    err_fail(err, QUIRE_INVALID, HINT_SHELL "open it without QUIRE_READ_ONLY",
             "the store is open for reading only");
    return QUIRE_INVALID;
}

/* Read the caller's hooks, which may be NULL; `problem` is not NULL afterwards. */
void read_check_hooks(const quire_check_hooks *from, quire_check_hooks *to);

/* An absolute path without "." and "..", of a directory that need not exist.
 * NULL: out of memory, or no working directory. */
char *absolute_cwd(const char *cwd, struct arena *keep);

/* A setting, read from the catalogue if there is one. */
quire_status config_number(struct quire *q, const char *key, uint64_t *out,
                           quire_error *err);
quire_status config_duration(struct quire *q, const char *key, int64_t *seconds,
                             quire_error *err);
bool config_is(struct quire *q, const char *key, const char *value);

/* Read "12", the id of a row. */
bool read_id(const char *digits, int64_t *id);

/* The rest of a name in the home after "tenants/12/", and *id; all of it, and 0,
 * if it does not begin so. */
const char *tenants_skip(const char *name, int64_t *id);

/* ---- rows.c: rows of all tenants ------------------------------------------ */

/* The catalogue of a native home; empties `loan`. QUIRE_NOT_FOUND without a
 * message: there is none yet. */
quire_status need_rows(struct quire *q, bool write, quire_error *err);

/* Artifacts. A reader of a home without artifacts gets QUIRE_NOT_FOUND without a
 * message. */
quire_status need_all_artifacts(struct quire *q, bool write, quire_error *err);

/* The quotas in force. */
quire_status artifacts_limits(struct quire *q, struct artifact_limits *out,
                              quire_error *err);

/* Open memory for all tenants; keeps `loan`. QUIRE_NOT_FOUND without a message:
 * there is none yet. */
quire_status memories_open(struct quire *q, quire_error *err);

/* ---- blob.c -------------------------------------------------------------- */

/* All of a blob that a row of the tenant refers to. */
quire_status read_whole(struct quire *q, const quire_digest *digest,
                        quire_write_fn write, void *ctx, quire_error *err);

/* ---- handle.c ------------------------------------------------------------ */

/* Free a list. */
void pending_files_free(struct pending_file *f);

/* ---- home.c -------------------------------------------------------------- */

/* Set home, paths, kind and layout. */
quire_status home_find(struct quire *q, const quire_options *o,
                       quire_error *err);

/* ---- session_lookup.c ---------------------------------------------------- */

/* A session file: in the home, or anywhere. */
struct session_location {
    struct store *store;
    bool own_store; /* the location owns it              */
    char *name;     /* in the store; in the arena        */
    bool in_home;
    bool archived;
    bool omp; /* oh-my-pi may write to it, too     */
};

/* Whether session_lookup() takes it for the name of a file. */
bool session_looks_like_path(const char *which);

/* The session that `which` names: id, prefix, path or "last". QUIRE_NOT_FOUND and
 * QUIRE_INVALID with a message. Release it, unless it was handed on. */
quire_status session_lookup(struct quire *q, const char *which,
                            struct arena *keep, struct session_location *out,
                            quire_error *err);
void session_location_release(struct session_location *p);

/* The id in the header of the file, in the arena. */
quire_status session_location_key(const struct session_location *p,
                                  struct arena *keep, const char **key,
                                  quire_error *err);

/* The key of a session (NULL: "user"), and the path of its file: NULL for a
 * built-in one and for one outside the home. Both in `keep`, or static. */
quire_status session_key_and_file(struct quire *q, const char *session,
                                  struct arena *keep, const char **key,
                                  const char **file, quire_error *err);
quire_status session_key(struct quire *q, const char *session,
                         struct arena *keep, const char **key,
                         quire_error *err);

/* A name below the root, relative to the home. NULL: out of memory. */
const char *session_name_from_home(const struct quire *q, const char *name,
                                   struct arena *keep);

/* "sessions/<directory of cwd>", in the arena. */
const char *session_dir_of_cwd(struct quire *q, const char *cwd,
                               struct arena *keep);

/* The directory of a session's outputs, "sessions/--x--/f" of
 * "sessions/--x--/f.jsonl", in the arena. */
const char *session_outputs_dir(const char *name, struct arena *keep);

/* The new name of a session that was moved within the home; NULL: not found. */
const char *session_follow_move(struct store *home, const char *name,
                                struct arena *keep);

/* Store that this terminal uses the session now. */
void session_remember_last(struct quire *q, const char *cwd, const char *path);

/* ---- secrets.c ------------------------------------------------------------ */

/* The setting `secrets`. */
quire_status secrets_policy(struct quire *q, enum secrets_policy *out,
                            quire_error *err);

/* Look for secrets in the text of an artifact, as the setting says; *content becomes the
 * masked text, in `keep`. */
quire_status secrets_guard_text(struct quire *q, const char *place,
                                struct arena *keep, quire_bytes *content,
                                uint64_t *n, quire_error *err);

/* The same for an entry, a JSON text. A place is `prefix` and its pointer. */
quire_status secrets_guard_entry(struct quire *q, enum secrets_policy policy,
                                 const char *prefix, struct arena *keep,
                                 quire_bytes *entry, uint64_t *n,
                                 quire_error *err);

/* ---- session_cache.c ----------------------------------------------------- */

/* The file name of a session by its whole id, in `keep`;
 * NULL: not cached, or not valid any more. And whether its header is known to
 * have the same id. */
enum { SESSION_CACHE_MAX = 64 };

struct session_cache_entry {
    char *id, *name; /* owned; NULL: empty              */
    bool is_key;     /* the header has the same id      */
};

char *session_cache_find(struct quire *q, const char *id, struct arena *keep);
bool session_cache_is_key(struct quire *q, const char *id);
void session_cache_put(struct quire *q, const char *id, const char *name,
                       bool is_key);
void session_cache_free(struct session_cache_entry *cache);

/* ---- tenant_view.c ------------------------------------------------------- */

/* Choose the tenant of the handle and its root; home, paths and kind are set. */
quire_status tenants_enter(struct quire *q, const quire_options *o,
                           quire_error *err);
quire_status tenants_find(struct quire *q, const char *which, quire_error *err);

/* By id after a '#', by name, or by id if there is no such name; with a message. */
quire_status tenants_lookup(struct quire *q, const char *which,
                            struct arena *keep, quire_tenant *out,
                            quire_error *err);

/* QUIRE_NOT_FOUND: no such tenant. */
quire_status tenants_unknown(const struct quire *q, const char *which,
                             quire_error *err);

/* Check that the handle's tenant exists and is enabled, with a message. Called by
 * every function that touches what belongs to a tenant. */
quire_status tenants_check(struct quire *q, quire_error *err);

/* The same parts as need_rows(), need_blobs() and need_all_artifacts() open, for
 * the handle's tenant, which is checked. */
quire_status need_own_rows(struct quire *q, bool write, quire_error *err);
quire_status need_own_blobs(struct quire *q, bool write, struct blob_view *out,
                            quire_error *err);
quire_status need_artifacts(struct quire *q, bool write, quire_error *err);

void tenant_views_release(struct quire *q);

/* Keep the current view in the cache until called with false, so that switching
 * back to it cannot fail. */
void tenant_views_keep_current(struct quire *q, bool yes);

/* Check all tenants again: quire_changes() does not count changes of this
 * handle. */
void tenant_views_invalidate(struct quire *q);

/* ---- memory.c ------------------------------------------------------------ */

/* Whether a valid entry of the tenant links an artifact that exists; keeps `loan`.
 * QUIRE_NOT_FOUND without a message: no such valid entry. */
quire_status memory_links(struct quire *q, int64_t entry, int64_t artifact,
                          bool *links, quire_error *err);

/* ---- history.c ----------------------------------------------------------- */

/* Memory entries (memory.c); resets q->loan. QUIRE_NOT_FOUND: a reader of a home
 * without a catalogue. */
quire_status need_memory(struct quire *q, bool write, quire_error *err);

/* The prompt history. A reader of a home that has none gets none. */
quire_status need_history(struct quire *q, bool write, quire_error *err);

/* ---- foreign_state.c ----------------------------------------------------- */

/* The database of the reference index: the catalogue, or in another program's home
 * a database of its own. *out is NULL for a reader of a home without one. */
quire_status need_ref_index_db(struct quire *q, bool write, struct db **out,
                               quire_error *err);
void foreign_state_close(struct quire *q);

/* Open the lock file of collections, and create it if needed. Its time is that of
 * the last start. */
quire_status foreign_state_open_lock(struct quire *q, int *fd,
                                     quire_error *err);

#endif
