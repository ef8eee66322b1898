/*
 * home.h - the home's side of a sync: what it has, what it sends, what it takes
 *
 *     home.c       the inventory: files, cached by inode, size and times; rows
 *     rows.c       statements
 *     lines.c      sessions: entries that are sent, entries that arrive
 *     artifacts.c, memory.c, blobs.c   the same of artifacts, memory, blobs and outputs
 *     records.c    all of it as a sequence of records
 *     plan.c       who lacks what
 *     sync.c       the turns of both sides
 *
 *   (1) A record is applied whole, or not at all, and durable before the next one:
 *       what arrived before a failure is not sent again.
 *   (2) Blobs arrive before what refers to them, and no collection removes blobs while
 *       a sync runs.
 *   (3) Nothing is removed.
 *   (4) What is local only is in no inventory, and what arrives for it is not taken.
 */
#ifndef API_SYNC_HOME_H
#define API_SYNC_HOME_H

#include "api/core/handle.h"
#include "api/session.h"
#include "base/json.h"
#include "base/map.h"
#include "session/entry_lines.h"
#include "sync/inventory.h"
#include "sync/wire.h"

enum moving_sql {
    MOVE_FILES,
    MOVE_FILE_PUT,
    MOVE_FILE_DROP,
    MOVE_ARTIFACTS,
    MOVE_ARTIFACT_FIND,
    MOVE_ARTIFACT_CLASH,
    MOVE_ARTIFACT_ID,
    MOVE_ARTIFACT_ADD,
    MOVE_ARTIFACT_CHANGE,
    MOVE_VERSIONS,
    MOVE_VERSION_ADD,
    MOVE_MEMORY,
    MOVE_MEMORY_ONE,
    MOVE_MEMORY_ID,
    MOVE_MEMORY_ADD,
    MOVE_MEMORY_CHANGE,
    MOVE_MEMORY_UID,
    MOVE_MEMORY_SESSION,
    MOVE_RELATIONS,
    MOVE_RELATIONS_FROM,
    MOVE_RELATION_ADD,
    MOVE_LOCALS,
    MOVE_LOCAL_ADD,
    MOVE_LOCAL_DROP,
    MOVE_TRASHED,
    MOVE_FILED,
    MOVE_LOG_CHANGE,
    N_MOVING_SQL
};

/* A session of this home. */
struct known_session {
    const char *id, *name, *cwd;
    bool local; /* it stays here, and what belongs to it */
    struct entry_set set;
    struct object_info info;
};

/* A relation that arrived, until both ends are here. */
struct pending_relation {
    uint8_t source[16], target[16];
    int64_t created_us;
    const char *kind;
    struct pending_relation *next;
};

/* A small blob that arrived, until it is put with others. */
struct pending_blob {
    struct buf content;
    struct pending_blob *next;
};

struct moving {
    struct quire *q;
    struct arena keep;
    struct sql sql; /* .db NULL: this home has no rows */
    struct inventory inv;
    struct known_session *sessions;
    size_t n_sessions, cap_sessions;
    struct map by_id;   /* id -> index of a session                          */
    struct map refused; /* ids of sessions that are not taken: in the trash */
    struct map uids;    /* uid of a memory entry -> its row                 */
    struct pending_relation *relations;
    struct pending_blob *blobs; /* owned */
    size_t n_blobs, blob_bytes;
    const char **projects; /* directories whose sessions stay here */
    size_t n_projects;
    bool all_local; /* include what is local only: a backup, a bundle */
    quire_sync_result result;
};

/* ---- home.c --------------------------------------------------------------- */

/* Open what the home has and make its inventory. Release it, also on failure. */
quire_status moving_open(struct quire *q, bool write, bool all_local,
                         struct moving *m, quire_error *err);
void moving_release(struct moving *m);

/* ---- moving.c ------------------------------------------------------------- */

struct known_session *moving_session(const struct moving *m, const char *id);

/* Record a session that was created, so that what belongs to it can be. */
quire_status moving_add_session(struct moving *m,
                                const struct known_session *session,
                                quire_error *err);

/* The SHA-256 of a file of the home. */
quire_status moving_hash_file(struct moving *m, const char *name,
                              quire_digest *out, quire_error *err);

/* Parts of a key: the text before the first line break, and behind it. */
bool key_split(quire_bytes key, quire_bytes *first, quire_bytes *rest);

/* An id that may name a session here: a file name of it is one component. */
bool moving_is_id(quire_bytes id);

/* Whether records of the session are taken. */
bool moving_takes(const struct moving *m, quire_bytes id);

quire_status moving_use(struct moving *m, enum moving_sql which,
                        struct stmt **out, quire_error *err);

/* ---- rows.c --------------------------------------------------------------- */

extern const char *const moving_sql[N_MOVING_SQL];

/* Members of a record. False: it is missing or of another kind. */
bool field_text(quire_bytes record, const char *key, struct arena *keep,
                quire_bytes *out);
bool field_string(quire_bytes record, const char *key, struct arena *keep,
                  const char **out);
bool field_number(quire_bytes record, const char *key, int64_t *out);
bool field_hex(quire_bytes record, const char *key, uint8_t *out, size_t len);
void put_hex(struct json_writer *w, const char *key, const uint8_t *bytes,
             size_t len);
quire_status bad_record(const char *what, quire_error *err);

/* ---- read_lines.c, lines.c ------------------------------------------------ */

/* Entries of a session that are to be sent: behind the first `from`, or those with a
 * number in `only` (ascending). */
struct lines_wanted {
    uint64_t from;
    const uint64_t *only;
    size_t n_only;
    bool some; /* `only` counts */
};

typedef quire_status (*line_fn)(void *ctx, const struct entry_line *line,
                                uint64_t at, quire_error *err);

/* Each entry of a session's set, in file order; *leaf (may be NULL), in m->keep, is
 * its leaf. */
quire_status lines_each(struct moving *m, const char *name, line_fn each,
                        void *ctx, const char **leaf, quire_bytes *header,
                        quire_error *err);

/* The same of an open log: *leaf is its id, the header is in `keep`. */
quire_status lines_walk(struct log *log, line_fn each, void *ctx,
                        struct buf *leaf, struct arena *keep,
                        quire_bytes *header, quire_error *err);

quire_status lines_send(struct moving *m, struct wire *w,
                        const struct known_session *s,
                        const struct lines_wanted *wanted, quire_error *err);

/* A session that arrives. */
struct lines_in;
quire_status lines_begin(struct moving *m, quire_bytes record,
                         struct lines_in **out, quire_error *err);
quire_status lines_data(struct lines_in *in, quire_bytes piece,
                        quire_error *err);
quire_status lines_end(struct lines_in *in, quire_error *err);
void lines_free(struct lines_in *in);

/* ---- artifacts.c, memory.c ------------------------------------------------ */

quire_status artifacts_inventory(struct moving *m, quire_error *err);
quire_status artifact_send(struct moving *m, struct wire *w,
                           const struct item *item, quire_error *err);
quire_status artifact_blobs(struct moving *m, const struct item *item,
                            sql_digest_fn each, void *ctx, quire_error *err);
quire_status artifact_apply(struct moving *m, quire_bytes record,
                            quire_error *err);

quire_status memory_inventory(struct moving *m, quire_error *err);
quire_status memory_send(struct moving *m, struct wire *w,
                         const struct item *item, quire_error *err);
quire_status memory_apply(struct moving *m, quire_bytes record,
                          quire_error *err);

/* Relations whose ends have arrived. */
quire_status memory_apply_relations(struct moving *m, quire_error *err);

/* ---- blobs.c -------------------------------------------------------------- */

quire_status blob_send(struct moving *m, struct wire *w,
                       const quire_digest *digest, quire_error *err);
quire_status output_send(struct moving *m, struct wire *w,
                         const struct item *item, quire_error *err);

/* A blob or an output that arrives. */
struct bytes_in;
quire_status bytes_begin(struct moving *m, bool output, quire_bytes record,
                         struct bytes_in **out, quire_error *err);
quire_status bytes_data(struct bytes_in *in, quire_bytes piece,
                        quire_error *err);
quire_status bytes_end(struct bytes_in *in, quire_error *err);
void bytes_free(struct bytes_in *in);

/* Put the small blobs that arrived; drop them. */
quire_status blobs_flush(struct moving *m, quire_error *err);
void blobs_drop(struct moving *m);

/* ---- records.c ------------------------------------------------------------ */

/* What is to be sent: items, and what of sessions; the blobs they refer to. */
struct outgoing {
    const struct item **items;
    struct lines_wanted *lines; /* of the session among them */
    size_t n, cap;
    struct buf blobs; /* quire_digest, without duplicates                  */
    struct map seen;
    struct arena keep;
};

void outgoing_init(struct outgoing *o);
void outgoing_release(struct outgoing *o);
quire_status outgoing_add(struct outgoing *o, const struct item *item,
                          const struct lines_wanted *lines, quire_error *err);

/* Find the blobs that all of it refers to. */
quire_status outgoing_blobs(struct moving *m, struct outgoing *o,
                            quire_error *err);

/* Send blobs for which `need` has a bit (.data NULL: all), then the rest. */
quire_status outgoing_send(struct moving *m, struct wire *w,
                           const struct outgoing *o, quire_bytes need,
                           quire_error *err);

/* Apply records until another message comes, which is returned. */
quire_status records_apply(struct moving *m, struct wire *w,
                           enum wire_type *type, quire_bytes *content,
                           quire_error *err);

#endif
