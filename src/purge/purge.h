/* purge.h - shared by the files of the purge; see purge.c */
#ifndef PURGE_PURGE_H
#define PURGE_PURGE_H

#include "api/core/handle.h"
#include "base/map.h"
#include "purge/content.h"
#include "purge/value.h"

/* A blob that has a value. */
struct purge_blob {
    quire_digest old, now;
    uint64_t size, count;
    bool
        whole; /* replaced as a whole                                          */
    bool
        wanted; /* what is purged refers to it: of one tenant, the others' stay */
    bool
        kept; /* something that stays refers to it: it stays, too             */
    bool
        done; /* its new content is stored, and it is removed                 */
};

/* A file that has a value, or refers to such a blob. */
enum purge_form { PURGE_BYTES, PURGE_LOG, PURGE_HISTORY };

struct purge_file {
    const char *name; /* below the home */
    enum purge_form form;
    struct purge_file *next;
};

/* What is held, of all tenants. */
struct purge_held {
    struct map keys;      /* "<tenant> <id>" of sessions   */
    struct map rows;      /* numbers of sessions           */
    struct map artifacts; /* ids                           */
    struct map paths;     /* "<tenant> <path>" of imports  */
};

/* What is audited of a session. */
struct purge_session {
    int64_t tenant;
    const char *key;
    struct buf entries; /* JSON: ids, without the brackets */
    uint64_t count;
    struct purge_session *next;
};

struct purge {
    struct quire *q;
    const quire_purge_options *options;
    quire_purge_report report;
    struct arena keep;
    struct values *values;
    struct store *home; /* borrowed */
    int dir;            /* the home */
    bool quiet; /* places were reported: of a later search only their number */
    /* Takes every text, instead of a search; no bytes: its end. NULL: search. */
    quire_write_fn collect;
    void *collect_ctx;

    bool
        pending; /* an earlier purge did not come to its end: all derived data is
                     emptied, all databases are rewritten, whatever is found */

    struct purge_blob *blobs; /* owned */
    size_t n_blobs, cap_blobs;
    struct map blob_map; /* index in `blobs` by digest */
    bool *seen;          /* owned; by blob             */

    struct purge_file *files, **files_end;
    struct purge_session *sessions;
    struct map session_map; /* struct purge_session by "<tenant> <id>" */
    struct purge_held held;
    int64_t
        changed_ns; /* only files that changed since then, and blobs that were put
                           since then, are searched; 0: all */
};

/* The end of a text of p->collect. */
static inline quire_status purge_collected(struct purge *p, quire_error *err)
{
    return p->collect(p->collect_ctx, (quire_bytes){NULL, 0}, err);
}

/* Whether rows and files of a tenant are to be purged. */
static inline bool purge_is_ours(const struct purge *p, int64_t tenant)
{
    return !p->options->own_tenant || tenant == p->q->tenant;
}

/* ---- report.c -------------------------------------------------------------- */

/* Count a place, and report it. `where` may have a value: it is masked. */
quire_status purge_found(struct purge *p, const char *kind, const char *where,
                         const char *session, uint64_t count, bool held,
                         quire_error *err);

/* Blobs that were seen by the last search of something; `stays`: it is not changed. */
void purge_note_blobs(struct purge *p, bool stays);

/* ---- held.c ---------------------------------------------------------------- */

quire_status purge_held_load(struct purge *p, quire_error *err);
void purge_held_release(struct purge *p);
bool purge_is_held(const struct purge *p, int64_t tenant, const char *session);
bool purge_has_key(const struct map *m, int64_t tenant, quire_bytes key);

/* ---- pattern.c --------------------------------------------------------------- */

/* p->values: those that the options give, and what matches the pattern anywhere. */
quire_status purge_read_values(struct purge *p, quire_error *err);

/* ---- blobs.c ----------------------------------------------------------------- */

/* Find blobs that have a value. */
quire_status purge_find_blobs(struct purge *p, quire_error *err);

/* Report those that are purged, after all that refers to them was found. */
quire_status purge_report_blobs(struct purge *p, quire_error *err);

/* Store the new content of each. */
quire_status purge_put_blobs(struct purge *p, quire_error *err);

/* Remove the old blobs to which nothing refers. */
quire_status purge_remove_blobs(struct purge *p, quire_error *err);

/* ---- files.c ----------------------------------------------------------------- */

/* Search all files of the home; list those to be changed. */
quire_status purge_find_files(struct purge *p, quire_error *err);

/* Change those that were listed. */
quire_status purge_change_files(struct purge *p, quire_error *err);

/* ---- logs.c ------------------------------------------------------------------ */

/* Search a session's file; ids of entries go to `session` (NULL: not asked for). */
quire_status purge_search_log(struct purge *p, const char *name,
                              struct purge_session *session,
                              struct mask_counts *found, quire_error *err);

/* Replace it by one without the values. QUIRE_BUSY: another process writes to it. */
quire_status purge_change_log(struct purge *p, const char *name,
                              quire_error *err);

/* Call `take` with all its bytes, in whole lines. */
quire_status purge_read_lines(struct log *log, quire_write_fn take, void *ctx,
                              quire_error *err);

/* ---- sqlite_rows.c ------------------------------------------------------------- */

/* Search the rows of a database, and with `change` change them, inside a transaction.
 * `place` is its path below the home. */
quire_status purge_rows(struct purge *p, struct db *db, const char *place,
                        bool change, quire_error *err);

/* Leave nothing of rows that were changed or removed before. */
quire_status purge_rewrite_db(struct db *db, quire_error *err);

/* A prompt history: search it, and with `change` change and rewrite it. *found: it has
 * something to be changed. */
quire_status purge_history(struct purge *p, const char *place, bool change,
                           bool *found, quire_error *err);

#endif
