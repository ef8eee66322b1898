/* priv.h - an open store, inside */
#ifndef API_PRIV_H
#define API_PRIV_H

#include <pthread.h>
#include <stdbool.h>

#include "artifact/artifact.h"
#include "base/arena.h"
#include "base/clock.h"
#include "blob/blob.h"
#include "catalog/catalog.h"
#include "quire.h"
#include "store/db.h"
#include "store/object.h"
#include "store/sql.h"
#include "store/intercept.h"

struct pending_file;
struct history;
struct memories;
struct scratchpads;
struct tenant_views;

/* Where a session was session_cache: see session_cache.c. */
enum { SESSION_CACHE_MAX = 64 };

struct session_cache_entry {
    char *id, *name; /* owned; NULL: none               */
    bool is_key;     /* the header says the same id     */
};

struct quire {
    char *home;      /* owned; the blobs directory when there is no home  */
    char *root;      /* owned; where the tenant's sessions and history are: the
                        home, or below it                                  */
    char *blob_path; /* owned                                             */
    char *db_path;   /* owned; NULL where nothing is kept in a database   */
    quire_kind kind;
    quire_layout layout;
    bool read_only;
    int64_t tenant; /* whose artifacts and memory it works on            */
    int busy_ms;
    int cache_kib;
    char actor[64]; /* who changes tenants and settings; "": the user     */
    struct clock clock;
    struct trace trace;
    bool in_transaction; /* see transaction.c */
    bool in_callback;    /* a call is out in a callback of the caller's      */
    bool finished; /* finish_removals() has had its turn                   */

    /* Opened when first needed, in this order. */
    struct catalog catalog; /* .db NULL: not open                         */
    struct object_store *files;
    unsigned holds; /* of the files: see blobs_hold() */
    struct blobs *blobs;
    struct db *blobs_db; /* what they were opened over: db, or NULL       */
    struct object_store *all;   /* everything below the root: sessions/ …   */
    struct object_store *whole; /* below the home, where that is another   */
    struct artifacts *artifacts;
    struct commit_queue *commit_queue; /* shared with peers               */
    struct memories *memories;
    struct scratchpads *pads;
    struct sql
        session_rows; /* statements of session_rows.c                       */
    struct stmt *changes; /* of quire_changes()                            */
    int64_t quiet_state;  /* of the database, and since when it is so */
    int64_t quiet_us;
    int64_t
        tenant_state; /* when the tenant was session_cache to be welcome       */
    int64_t limits_state; /* when these were read; both are 0, or what     */
    struct artifact_limits limits; /* quire_changes() was                     */
    struct history *history; /* over history.db                           */
    struct db *state;        /* of a home that is not ours: see state.c    */

    struct pending_file
        *pending_files; /* owned; of an open group                  */
    struct session_cache_entry *
        session_cache; /* owned, SESSION_CACHE_MAX of them; NULL: nothing was  */
    struct tenant_views
        *tenant_views; /* of other tenants it worked for; NULL: none       */
    pthread_mutex_t blob_turn; /* sessions in several threads share blobs  */
    struct arena loan;         /* text lent out until the next call        */
};

/* session_cache.c: the name of the file of a session, in `keep`, by its whole id; NULL if
 * that is not known, or not so any more. And whether its header is known to say
 * the same id. */
char *session_cache_find(struct quire *q, const char *id, struct arena *keep);
bool session_cache_is_key(struct quire *q, const char *id);
void session_cache_put(struct quire *q, const char *id, const char *name,
                       bool is_key);
void session_cache_free(struct session_cache_entry *session_cache);

/* tenant_views.c: what the handle has of its tenant, and of those before. */
void tenant_views_release(struct quire *q);

/* The seat it sits on waits for it, however many others are taken, until it is
 * said that it need not: to go back cannot fail. */
void tenant_views_keep_current(struct quire *q, bool yes);

/* Whether these tenants are welcome is to be asked again: quire_changes() does
 * not tell of what the handle itself has changed, or has not kept. */
void tenant_views_invalidate(struct quire *q);

/* quire.c: opened when first needed. A reader of a home without a catalogue
 * gets none, and no error. */
quire_status need_catalog(struct quire *q, bool write, quire_error *err);

/* The catalogue of a native home; empties `loan`. QUIRE_NOT_FOUND
 * without a message: there is none yet. need_own_rows() checks the handle's
 * tenant too. */
quire_status need_rows(struct quire *q, bool write, quire_error *err);
quire_status need_own_rows(struct quire *q, bool write, quire_error *err);
quire_status need_blobs(struct quire *q, bool write, quire_error *err);

/* The same, as the handle's tenant sees them. */
quire_status need_own_blobs(struct quire *q, bool write, struct blob_view *out,
                            quire_error *err);

/* All of a blob that a row of the tenant's names, whoever put it. */
quire_status read_whole(struct quire *q, const quire_digest *digest,
                        quire_write_fn write, void *ctx, quire_error *err);
quire_status need_all(struct quire *q, quire_error *err);

/* Everything below the home, whichever tenant's it is; not the caller's. */
quire_status need_home(struct quire *q, struct object_store **out,
                       quire_error *err);

/* Keep collections from removing anything, until release_blobs(): a reference is
 * on its way from one file to another. */
quire_status hold_blobs(struct quire *q, quire_error *err);
void release_blobs(struct quire *q);

/* Let whoever listens hear what is asked of the database. */
quire_status trace_db(struct quire *q, struct db **db, quire_error *err);

/* A store of the tenant's files for one session alone: sessions may be used by
 * threads of their own. */
quire_status open_home_store(struct quire *q, struct object_store **out,
                             quire_error *err);
quire_status check_free(const struct quire *q, quire_error *err);
quire_status read_only_error(quire_error *err);

/* home.c: where things are. Fills home, paths, kind and layout. */
quire_status home_find(struct quire *q, const quire_options *o,
                       quire_error *err);

/* place.c: where sessions lie, and which one somebody means. */

/* A session file: in the home, or anywhere. */
struct session_location {
    struct object_store *store;
    bool own_store; /* it is ours to free, or to hand on */
    char *name;     /* in the store; in the arena        */
    bool in_home;
    bool archived;
    bool omp; /* other programs write to it, too   */
};

/* The session that `which` names. QUIRE_NOT_FOUND, QUIRE_INVALID with words.
 * Release it, unless it was handed on. */
quire_status session_lookup(struct quire *q, const char *which,
                            struct arena *keep, struct session_location *out,
                            quire_error *err);
void session_location_release(struct session_location *p);

/* What is called `name` below the root, called from the home on: it is no
 * other tenant's then. NULL when there is no memory. */
const char *session_name_from_home(const struct quire *q, const char *name,
                                   struct arena *keep);

/* "sessions/<directory of cwd>", in the arena. */
const char *session_dir_of_cwd(struct quire *q, const char *cwd,
                               struct arena *keep);

/* The directory of a session's outputs, "sessions/--x--/f" of
 * "sessions/--x--/f.jsonl", in the arena. */
const char *session_outputs_dir(const char *name, struct arena *keep);

/* Where a session of the home is that is not where it was; NULL: nowhere. */
const char *session_follow_move(struct object_store *home, const char *name,
                                struct arena *keep);

/* An absolute path without "." and "..", of a directory that need not exist.
 * NULL when there is no memory, or no working directory. */
char *absolute_cwd(const char *cwd, struct arena *keep);

/* The id that the file of a session gives it, in the arena. */
quire_status session_location_key(const struct session_location *p,
                                  struct arena *keep, const char **key,
                                  quire_error *err);

/* Remember that this terminal uses the session now. */
void session_remember_last(struct quire *q, const char *cwd, const char *path);

/* artifacts.c: the room. A reader of a home without artifacts gets
 * QUIRE_NOT_FOUND and no words. need_artifacts() is for the handle's tenant,
 * need_all_artifacts() for whoever looks at all of them. */
quire_status need_artifacts(struct quire *q, bool write, quire_error *err);
quire_status need_all_artifacts(struct quire *q, bool write, quire_error *err);

/* The key of a session, and where its file is if that is in the home: NULL for
 * a built-in one, and for one that lies elsewhere. Both in `keep`. */
quire_status artifacts_session(struct quire *q, const char *session,
                               struct arena *keep, const char **key,
                               const char **file, quire_error *err);

/* The quotas, as they are set; whether an artifact may be described so. */
quire_status artifacts_limits(struct quire *q, struct artifact_limits *out,
                              quire_error *err);
quire_status artifacts_check_options(const quire_artifact_options *o,
                                     quire_error *err);

/* "12", a number that a row may have. */
bool read_id(const char *digits, int64_t *id);

/* tenants.c */

/* Whom the handle works for, and where; home, paths and kind are known. */
quire_status tenants_enter(struct quire *q, const quire_options *o,
                           quire_error *err);

/* The tenant that `which` names, and its root, become the handle's. */
quire_status tenants_find(struct quire *q, const char *which, quire_error *err);

/* That the handle's tenant is still there and may work; words if not. Asked by
 * every call that touches what is the tenant's. */
quire_status tenants_check(struct quire *q, quire_error *err);

/* Finish removing a tenant's files, that were noted as a tree. */
void tenants_finish(struct quire *q, struct object_store *home,
                    const struct removal *tree);

/* Past the "tenants/12" of a name in the home, or all of it if it does not begin
 * so; *id is the tenant's. */
const char *tenants_skip(const char *name, int64_t *id);

/* What the row of a session is called by: the id of the session that `session`
 * names, or a built-in one; NULL is "user". In the arena, or static. */
quire_status artifacts_key(struct quire *q, const char *session,
                           struct arena *keep, const char **key,
                           quire_error *err);

/* memories.c: the room, for whoever looks at all tenants. Text on loan stays.
 * QUIRE_NOT_FOUND without words: there is none yet. */
quire_status memories_open(struct quire *q, quire_error *err);

/* memories.c: whether a valid entry of the tenant links an artifact that is
 * living. Text on loan stays. QUIRE_NOT_FOUND without words: there is no such
 * valid entry. */
quire_status memory_links(struct quire *q, int64_t entry, int64_t artifact,
                          bool *links, quire_error *err);

/* life.c: finish what was being removed when somebody died. */
void finish_removals(struct quire *q);

/* state.c: where it is kept what refers to blobs: in the catalogue, or, in a
 * home that is not ours, in a database of its own. *out is NULL for a reader of
 * a home that has none. */
quire_status need_ref_index_db(struct quire *q, bool write, struct db **out,
                               quire_error *err);
void foreign_state_close(struct quire *q);

/* The file that a collection holds while it runs, and whose time tells when one
 * last began. Made if need be. */
quire_status foreign_state_open_lock(struct quire *q, int *fd,
                                     quire_error *err);

/* config.c: a setting, read from the catalogue if there is one. */
quire_status config_number(struct quire *q, const char *key, uint64_t *out,
                           quire_error *err);
quire_status config_duration(struct quire *q, const char *key, int64_t *seconds,
                             quire_error *err);
bool config_is(struct quire *q, const char *key, const char *value);

#endif
