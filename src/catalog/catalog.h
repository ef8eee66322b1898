/*
 * catalog.h - the catalogue: tenants, sessions as rows, settings, logs
 *
 * The catalogue is quire.db. This module owns the connection, the schema and the
 * tables that every other module refers to. Artifacts, memory and blobs keep
 * their rows in the same database, through statements of their own.
 *
 *   (1) Each function that takes a tenant reads and changes rows of that tenant
 *       alone. Ids of tenants, sessions and folders are never reused.
 *   (2) A change of a tenant or of a setting and its row in the audit log are
 *       one transaction.
 *   (3) `used` and `n` of a session and of a tenant are the bytes and the number
 *       of its live artifacts; catalog_recount() compares them with the rows.
 *
 * Not found is QUIRE_NOT_FOUND without a message, unless stated otherwise. Times
 * are microseconds since 1970. A catalogue is used by one thread at a time.
 */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/map.h"
#include "catalog/schema.h"
#include "quire.h"
#include "store/sql.h"

struct catalog {
    struct db *db;             /* owned; NULL: not open, or there is none   */
    int schema;                /* steps its file has taken                  */
    bool relaxed;              /* commits do not wait for the disk          */
    const struct clock *clock; /* borrowed                                  */
    const char *actor;         /* borrowed; for the audit log; "": the user */
    bool has_files; /* files of the home are rows beside it: store/rows.h   */
    struct sql sql;
};

/* Take over `db`, on failure too: prepare the schema and read the setting
 * `durability`. QUIRE_NOT_FOUND: read_only, and there are no tables. */
quire_status catalog_open(struct catalog *c, struct db *db, bool read_only,
                          quire_error *err);
void catalog_close(struct catalog *c);

/* Whether it is open and has the tables of a step. */
static inline bool catalog_has(const struct catalog *c, enum schema_step step)
{
    return c->db && c->schema >= (int)step;
}

/* ---- tenants.c ---------------------------------------------------------- */

/* Exists from the start, and owns what has no other tenant. */
enum { TENANT_DEFAULT = 1 };

/* Look a tenant up. Text is in `keep`. Several may have one name: *another is
 * the id of a second one, or 0. */
quire_status tenant_by_id(struct catalog *c, int64_t id, struct arena *keep,
                          quire_tenant *out, quire_error *err);
quire_status tenant_by_name(struct catalog *c, const char *name,
                            struct arena *keep, quire_tenant *out,
                            int64_t *another, quire_error *err);
quire_status tenant_by_token(struct catalog *c, const quire_digest *token,
                             struct arena *keep, quire_tenant *out,
                             quire_error *err);

/* All of them, by id. */
quire_status tenant_list(struct catalog *c, quire_tenant_fn each, void *ctx,
                         quire_error *err);

/* Its artifacts, soft-deleted ones too, and their bytes. */
quire_status tenant_artifacts(struct catalog *c, int64_t id, uint64_t *n,
                              uint64_t *bytes, quire_error *err);

/* Inside a write transaction. `token` is the token's hash. */
quire_status tenant_add(struct catalog *c, const char *name,
                        const quire_digest *token, int64_t *id,
                        quire_error *err);
quire_status tenant_set_token(struct catalog *c, int64_t id,
                              const quire_digest *token, quire_error *err);
quire_status tenant_set_disabled(struct catalog *c, int64_t id, bool disabled,
                                 quire_error *err);

/* Delete the row, and by foreign key every row that belongs to the tenant; record
 * that the directory `dir` of the home is to be removed. Full-text tables are
 * the caller's to drop before. */
quire_status tenant_drop(struct catalog *c, int64_t id, const char *dir,
                         quire_error *err);

/* ---- tokens.c ----------------------------------------------------------- */

/* Inside a write transaction. `token` is the token's hash; of *t label, flags and
 * expires_us are read, the rest is set. */
quire_status token_add(struct catalog *c, int64_t tenant,
                       const quire_digest *token, quire_token *t,
                       quire_error *err);

/* By id. */
quire_status token_list(struct catalog *c, int64_t tenant, quire_token_fn each,
                        void *ctx, quire_error *err);

/* Inside a write transaction; the second removes those that have expired.
 * QUIRE_NOT_FOUND without a message: no such token. */
quire_status token_remove(struct catalog *c, int64_t tenant, int64_t id,
                          quire_error *err);
quire_status token_remove_expired(struct catalog *c, int64_t tenant,
                                  quire_error *err);

/* ---- sessions.c --------------------------------------------------------- */

/* The row of a session. It is created by the first artifact, or when its number
 * is asked for; everything else about a session is in its file. */
struct session_row {
    int64_t tenant;
    int64_t session;                    /* its number; 0: no row yet     */
    uint64_t session_used, tenant_used; /* bytes of live artifacts       */
    bool disabled;                      /* the tenant is disabled        */
};

quire_status session_row_find(struct catalog *c, int64_t tenant,
                              const char *key, struct session_row *out,
                              quire_error *err);

/* The same, asked early (see store/db.h) and taken later; `key` stays valid until
 * then. A session without a row has the number 0. QUIRE_NOT_FOUND with a message:
 * the tenant is gone. */
struct session_asked {
    int64_t tenant;
    const char *key;
    struct stmt *find, *next_id;
};

quire_status session_row_ask(struct catalog *c, int64_t tenant, const char *key,
                             struct session_asked *asked, quire_error *err);
quire_status session_row_take(struct session_asked *asked,
                              struct session_row *out, quire_error *err);

/* Create the row that was asked for and does not exist. Inside a write
 * transaction. */
quire_status session_row_add(struct catalog *c, struct session_asked *asked,
                             struct session_row *row, quire_error *err);

/* Find the row, or create it. Inside a write transaction. */
quire_status session_row_ensure(struct catalog *c, int64_t tenant,
                                const char *key, struct session_row *out,
                                quire_error *err);

/* Add to the counters of a session and its tenant. Inside a write
 * transaction. */
quire_status session_row_count(struct catalog *c, const struct session_row *row,
                               int64_t bytes, int64_t n, quire_error *err);

/* The key of the session with a number, in `keep`. */
quire_status session_row_key(struct catalog *c, int64_t tenant, int64_t number,
                             struct arena *keep, const char **key,
                             quire_error *err);

/* Compare every counter with the rows, and correct them. *wrong: how many
 * differed. */
quire_status catalog_recount(struct catalog *c, uint64_t *wrong,
                             quire_error *err);

/* A file of the home to be removed, with size and time as recorded then: a file
 * that has changed since stays. Or a directory with all its content. Names are
 * relative to the home. */
struct removal {
    const char *name;
    uint64_t size;
    int64_t modified_ns;
};

#define REMOVAL_TREE UINT64_MAX /* as size: it is a directory */

/* Record that the artifacts and memory entries of a session change, for the search
 * index. Inside a write transaction. */
quire_status session_row_log(struct catalog *c, const struct session_row *row,
                             quire_error *err);

/* Delete the row of a session, with its artifacts, and record that its file is to
 * be removed, and the directory `tree` (NULL: none): one durable transaction. A
 * session without a row is fine. */
quire_status session_row_remove(struct catalog *c, int64_t tenant,
                                const char *key, const struct removal *file,
                                const char *tree, quire_error *err);

/* Delete the row alone, with its artifacts. Inside a write transaction.
 * QUIRE_NOT_FOUND: there is none. */
quire_status session_row_drop(struct catalog *c, const struct session_row *row,
                              quire_error *err);

/* Whether an id is none that a session may have: those of built-in sessions, and
 * keys of rows in the trash. */
bool session_key_is_reserved(const char *key);

/* Record one; all that are recorded, in `keep`; whether one is; erase one. */
quire_status removal_add(struct catalog *c, const struct removal *file,
                         quire_error *err);
quire_status removal_list(struct catalog *c, struct arena *keep,
                          struct removal **files, size_t *n, quire_error *err);
quire_status removal_is_pending(struct catalog *c, const char *name,
                                bool *pending, quire_error *err);

/* Ask early whether one is recorded: the statement has a row then. */
quire_status removal_ask(struct catalog *c, const char *name, struct stmt **s,
                         quire_error *err);
quire_status removal_done(struct catalog *c, const char *name,
                          quire_error *err);

/* ---- session_totals.c --------------------------------------------------- */

/* A session as a listing shows it. Text is in an arena. */
struct session_totals {
    int64_t number; /* of its row                                         */
    int64_t created_us;
    uint64_t artifacts, artifact_bytes;
    bool counted; /* what follows is known                                */

    const char *name, *title, *state, *parent;
    uint64_t inode, size; /* of the file when it was counted              */
    int64_t modified_ns, changed_ns;
    bool damaged;     /* a line is not a value                            */
    uint64_t scanned; /* where to count on; the bytes before that:        */
    quire_bytes tail;
    uint64_t entries, messages;
    uint64_t input, output, cache_read, cache_write, total; /* tokens     */
    uint64_t cost; /* billionths of a dollar                              */
};

/* The row of a session and its totals. */
quire_status session_totals_find(struct catalog *c, int64_t tenant,
                                 const char *key, struct arena *keep,
                                 struct session_totals *out, quire_error *err);

/* Store the totals of t->number. Inside a write transaction. */
quire_status session_totals_store(struct catalog *c, int64_t tenant,
                                  const struct session_totals *t,
                                  quire_error *err);

/* ---- activity.c --------------------------------------------------------- */

/* What happened in a session, as session/activity.h saves it, and the file that was
 * counted. */
struct activity_record {
    int64_t session;
    uint64_t inode, size;
    int64_t modified_ns, changed_ns;
    quire_bytes data;
};

/* QUIRE_NOT_FOUND without a message: there is none. The second inside a write
 * transaction. */
quire_status activity_find(struct catalog *c, int64_t tenant, int64_t session,
                           struct arena *keep, struct activity_record *out,
                           quire_error *err);
quire_status activity_store(struct catalog *c, int64_t tenant,
                            const struct activity_record *r, quire_error *err);

/* ---- settings.c --------------------------------------------------------- */

/* The value of a setting, from the environment, the catalogue or the default of
 * the tenant; a size is in bytes. Text is in `keep` or static. Works without a
 * database. QUIRE_NOT_FOUND and QUIRE_INVALID with a message. */
quire_status settings_get(struct catalog *c, int64_t tenant, const char *key,
                          struct arena *keep, quire_setting *out,
                          quire_error *err);
quire_status settings_list(struct catalog *c, int64_t tenant,
                           quire_setting_fn each, void *ctx, quire_error *err);
quire_status settings_number(struct catalog *c, int64_t tenant, const char *key,
                             uint64_t *out, quire_error *err);

/* A duration, in seconds. */
quire_status settings_duration(struct catalog *c, const char *key,
                               int64_t *seconds, quire_error *err);

/* Whether it has this value; false if it cannot be read. */
bool settings_is(struct catalog *c, const char *key, const char *value);

/* Whether there is such a setting, and the value is valid. */
bool settings_is_valid(const char *key, const char *value);

/* Check a setting and its value (NULL: any), with a message. */
quire_status settings_check(const char *key, const char *value,
                            quire_error *err);

/* Store a value, NULL to erase it; durable. A stored setting that this version
 * does not know can be erased. */
quire_status settings_set(struct catalog *c, const char *key, const char *value,
                          quire_error *err);

/* ---- audit_log.c -------------------------------------------------------- */

/* Add a row. Inside the transaction of the change. `tenant` 0: the home.
 * `before` and `after` are JSON or NULL. */
quire_status audit_log_add(struct catalog *c, const char *action,
                           int64_t tenant, const char *name, const char *before,
                           const char *after, quire_error *err);

/* The same for a tenant; one of the two may be NULL. */
quire_status audit_log_add_tenant(struct catalog *c, const char *action,
                                  const quire_tenant *before,
                                  const quire_tenant *after, quire_error *err);

/* Newest first; below `before_id` if that is not 0; `limit` 0: all. */
quire_status audit_log_list(struct catalog *c, int64_t before_id,
                            uint64_t limit, quire_audit_fn each, void *ctx,
                            quire_error *err);

/* ---- run_log.c ---------------------------------------------------------- */

/* Record the start of a command, then its end. Not waited for. */
quire_status run_log_start(struct catalog *c, int64_t tenant,
                           const char *session, const char *command,
                           bool unconfined, int64_t *id, quire_error *err);
quire_status run_log_end(struct catalog *c, int64_t tenant,
                         const quire_run_record *r, quire_error *err);

/* Newest first, of one session or ("") of all; `limit` 0: all. */
quire_status run_log_list(struct catalog *c, int64_t tenant,
                          const char *session, uint64_t limit,
                          quire_run_fn each, void *ctx, quire_error *err);

/* Delete what run_log_list() lists, after `each` (may be NULL) was called for each
 * of them; all or nothing. Durable. */
quire_status run_log_clear(struct catalog *c, int64_t tenant,
                           const char *session, quire_run_fn each, void *ctx,
                           quire_error *err);

/* ---- idempotency_keys.c ------------------------------------------------- */

/* Store a key with the hash of its request, or return what is stored under it;
 * the response is in `keep`. Durable. */
quire_status idempotency_begin(struct catalog *c, int64_t tenant,
                               const char *key, const quire_digest *request,
                               struct arena *keep, quire_idempotency *out,
                               quire_error *err);

/* Store the response; `status` 0 erases the key. Durable. */
quire_status idempotency_end(struct catalog *c, int64_t tenant, const char *key,
                             int status, quire_bytes response,
                             quire_error *err);

/* Delete expired keys, oldest first, at most `max` (-1: all). Inside a write
 * transaction. */
quire_status idempotency_expire(struct catalog *c, int64_t max,
                                quire_error *err);

/* ---- folders.c ---------------------------------------------------------- */

/* QUIRE_NOT_FOUND, QUIRE_EXISTS and QUIRE_INVALID come with a message. Text of
 * *out is in `keep`. Changes are durable. */
quire_status folder_get(struct catalog *c, int64_t tenant, int64_t id,
                        struct arena *keep, quire_folder *out,
                        quire_error *err);
quire_status folder_list(struct catalog *c, int64_t tenant,
                         quire_folder_fn each, void *ctx, quire_error *err);
quire_status folder_add(struct catalog *c, int64_t tenant, const char *name,
                        struct arena *keep, quire_folder *out,
                        quire_error *err);
quire_status folder_rename(struct catalog *c, int64_t tenant, int64_t id,
                           const char *name, struct arena *keep,
                           quire_folder *out, quire_error *err);
quire_status folder_place(struct catalog *c, int64_t tenant, int64_t id,
                          uint64_t position, struct arena *keep,
                          quire_folder *out, quire_error *err);
quire_status folder_remove(struct catalog *c, int64_t tenant, int64_t id,
                           quire_error *err);

/* Move the session with this number into a folder; 0: out of any. */
quire_status folder_move_session(struct catalog *c, int64_t tenant,
                                 int64_t session, int64_t folder,
                                 quire_error *err);

/* folder_move_session() inside a write transaction. */
quire_status folder_set_session(struct catalog *c, int64_t tenant,
                                int64_t session, int64_t folder,
                                quire_error *err);

/* The folder of a session; 0: none. */
quire_status folder_of_session(struct catalog *c, int64_t tenant,
                               int64_t session, int64_t *folder,
                               quire_error *err);

/* Put the ids of the sessions in one folder, or with -1 in any, into a map; the
 * keys are in `keep`. */
quire_status folder_sessions(struct catalog *c, int64_t tenant, int64_t folder,
                             struct map *keys, struct arena *keep,
                             quire_error *err);

/* ---- session_agents.c --------------------------------------------------- */

/* The agent of a session and its definition, JSON, in `keep`; NULL: none. */
quire_status session_agent_of(struct catalog *c, int64_t tenant,
                              int64_t session, struct arena *keep,
                              const char **agent, const char **definition,
                              quire_error *err);

/* `definition` NULL: none. Durable. */
quire_status session_agent_set(struct catalog *c, int64_t tenant,
                               int64_t session, const char *agent,
                               const char *definition, quire_error *err);

#endif
