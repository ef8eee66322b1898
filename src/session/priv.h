/* priv.h - internals of an open session */
#ifndef SESSION_PRIV_H
#define SESSION_PRIV_H

#include <pthread.h>

#include "base/err.h"
#include "base/map.h"
#include "base/arena.h"
#include "session/heads.h"
#include "session/omp_lock.h"
#include "session/index.h"
#include "session/jsonl.h"
#include "session/names.h"
#include "session/session.h"

/* Text of the header, decoded, in the session's arena; "" for what is absent.
 */
struct header {
    uint64_t at; /* of its line in the file  */
    uint32_t len;
    const char *id, *cwd, *title, *parent, *created;
    bool imported; /* it names the agent and the file it was made of */
    int version;
};

struct problem {
    uint64_t at, line;
    const char *kind, *why;
};

struct problems {
    struct problem *list; /* in the arena */
    size_t n, cap;
    struct arena *arena;
    bool failed; /* out of memory for one of them */
};

struct quire_session {
    struct session_env env;
    struct store *store;
    bool own_store;
    char *name; /* owned; in the store                                    */
    char *path; /* owned; for messages and other programs */

    /* The log. Until the file is created, and for a migrated copy that cannot
     * be written back, it is a log in memory. */
    struct log *log;
    struct store *scratch; /* owned; NULL: none                    */
    bool in_file;          /* `log` is the one called `name`       */
    bool log_reads;        /* it was opened for reading alone       */
    bool read_only;
    unsigned flags;
    quire_durability sync;

    uint64_t size;  /* of the log, as far as it is in the index          */
    uint64_t lines; /* of that                                           */
    bool open_end;  /* it does not end in a line break                   */
    bool torn;      /* its end is not a value; more may come */
    bool fragment;  /* that is what is left of an append that was not
                       acknowledged, from fragment_at on                 */
    uint64_t fragment_at;
    bool full;    /* every byte has been parsed */
    bool suspect; /* a quick scan was wrong: parse in full, try again */
    bool stale;   /* the index is invalid: read all of it again */

    struct header header;
    int found_version; /* of the file, before it was migrated              */
    uint64_t slot_at;
    uint32_t slot; /* bytes of the title slot in front of it; 0: none     */
    struct index index;
    struct heads heads; /* of the first entries of the index */
    uint32_t leaf;      /* number, or NONE                                */
    bool leaf_is_last;  /* not moved: it follows the file */
    uint64_t n_problems;
    uint64_t n_messages;
    struct problems *problems; /* where to list them; NULL: just count    */
    struct arena text;         /* of the header                           */

    struct buf window; /* a piece of the log, from window_at on           */
    uint64_t window_at;
    struct arena tmp;  /* of the call under way                            */
    struct arena lent; /* text that describe() returns */
    struct buf out;    /* a line under way                                 */
    char noise[256];   /* stock of random bytes */
    size_t n_noise;
    char fresh[NAMES_ID_SIZE + 2]; /* the last new id, as a JSON string */
    char when[40]; /* the last timestamp, as a JSON string                   */
    int64_t when_ms;
    struct ops *ops; /* operations done, on request; see append.c */

    int truncated;          /* of quire_appended, of the current entry */
    size_t n_missing;       /* blobs, in the entry returned last */
    struct omp_lock theirs; /* of the append under way                  */
    unsigned n_lent; /* number of blob uses for lines that are not in the file
                      * yet */

    /* Several threads may append. These count appends: see append.c. */
    uint64_t n_written, n_synced;
    uint32_t own_from; /* first entry that we appended and have not synced */
    bool syncing;
    quire_error failed; /* the error that latched; status OK: none        */
    quire_error lost;   /* an entry that was not synced is gone; for a flush  */

    /* Last: continue_in() replaces all that is before it. */
    pthread_mutex_t lock;
    pthread_cond_t synced;
};

/* ---- session.c ---------------------------------------------------------- */

/* session_open() that also lists problems of the file. */
quire_status session_open_listing(const struct session_env *env,
                                  const struct session_place *place,
                                  const struct session_birth *birth,
                                  unsigned flags, quire_durability sync,
                                  struct problems *problems,
                                  quire_session **out, quire_error *err);

/* ---- load.c ------------------------------------------------------------- */

/* Drop the index of operations: the entries are loaded anew. */
void load_forget_ops(quire_session *s);

/* Read the log from its start, or what was added to it. */
quire_status load_all(quire_session *s, bool full, quire_error *err);
quire_status load_rest(quire_session *s, quire_error *err);

/* Read the log again, which another process may have replaced: an error if it
 * is not a session of this version any more. */
quire_status load_anew(quire_session *s, bool full, quire_error *err);

/* Load what other processes did to the file since. */
quire_status load_refresh(quire_session *s, quire_error *err);

/* Our file has lost its name: open the file that has it now. QUIRE_CHANGED, and
 * s->lost, if that lacks an entry that we appended and have not synced. */
quire_status load_reopen(quire_session *s, quire_error *err);

/* The leaf is the last entry, and follows the file. */
void load_find_leaf(quire_session *s);

/* Parse the whole log in full. */
quire_status load_full(quire_session *s, quire_error *err);

/* Around calls that use entries: true when a quick scan was wrong and the call
 * has to be repeated.
 *
 *     do
 *         st = ...;
 *     while (load_again(s, &st, err)); */
bool load_again(quire_session *s, quire_status *st, quire_error *err);

/* The bytes of an entry, parsed in full; valid until the next line is read. */
quire_status load_line(quire_session *s, uint32_t i, quire_bytes *text,
                       quire_error *err);

/* Any bytes of the log, the same way. */
quire_status load_bytes(quire_session *s, uint64_t at, uint32_t len,
                        quire_bytes *out, quire_error *err);

/* The same, for a caller that walks backwards. */
quire_status load_before(quire_session *s, uint64_t at, uint32_t len,
                         quire_bytes *out, quire_error *err);

/* The timestamp of an entry in milliseconds; false: it has none. */
bool load_time(quire_session *s, quire_bytes line, int64_t *ms);

void load_problem(quire_session *s, uint64_t at, uint64_t line,
                  const char *kind, const char *why);

/* The number of an entry by its id, NONE if there is none. */
uint32_t session_find(const quire_session *s, const char *id);

/* Take the session's lock, and release it. QUIRE_INVALID from within a
 * callback. */
quire_status session_enter(quire_session *s, quire_error *err);
void session_leave(quire_session *s);

/* Lock for reading: the index is current and fully parsed, s->tmp empty. Not
 * locked if it fails. */
quire_status tree_begin(quire_session *s, quire_error *err);

/* An entry in its output form: on one line, its UTF-8 mended, with images in
 * their place if asked for. Valid until the next line is read. */
quire_status tree_text(quire_session *s, uint32_t i, bool hydrate,
                       quire_bytes *text, quire_error *err);

/* The labels in force, sorted by target. */
struct labels {
    struct label {
        uint32_t of;
        uint32_t order;   /* number of the label entry */
        quire_bytes text; /* .data NULL: cleared */
    } * list;
    uint32_t n;
};
quire_status tree_labels(quire_session *s, struct arena *keep,
                         struct labels *out, quire_error *err);
quire_bytes labels_get(const struct labels *l, uint32_t of);

/* ---- state of an open session -------------------------------------------- */

/* Wait until no thread is syncing our log. */
static inline void write_quiet(quire_session *s)
{
    while (s->syncing)
        pthread_cond_wait(&s->synced, &s->lock);
}

/* Latch an error: from here on nothing is written. Returns it. */
static inline quire_status write_latch(quire_session *s, quire_status st,
                                       quire_error *err)
{
    if (!st || s->failed.status)
        return st;
    if (err)
        s->failed = *err;
    else
        err_set(&s->failed, st, "an earlier write to %s failed", s->path);
    s->failed.status = st;
    return st;
}

/* Names of operations (`quireOp`) that the log has, for idempotent appends. */
struct ops {
    struct map done; /* name -> number of the entry */
    struct arena text;
    uint32_t seen; /* entries indexed so far */
};

/* ---- append.c ----------------------------------------------------------- */

/* Move a log from memory to its file. */
void write_settled(quire_session *s);
quire_status write_to_file(quire_session *s, quire_error *err);

/* Ready to write: no error has latched, it is not read-only, and the changes of
 * other processes are loaded. */
quire_status write_ready(quire_session *s, quire_error *err);

/* Fill in the result of an append; `out` may be NULL. */
void write_report(const quire_session *s, uint32_t at, bool existed,
                  quire_appended *out);

/* QUIRE_NOT_FOUND, with its message. */
quire_status write_no_entry(const quire_session *s, const char *id,
                            quire_error *err);

/* An entry in its stored form, in s->tmp: images moved to blobs, oversized
 * strings cut. write_settled() follows once it is in the file. */
quire_status write_persist(quire_session *s, quire_bytes entry,
                           quire_bytes *out, quire_error *err);

/* quire_session_append() of what is said about entries: to an imported session,
 * too. It goes below the leaf. */
quire_status write_note(quire_session *s, quire_bytes entry,
                        quire_appended *out, quire_error *err);

/* A text as a JSON string, in the arena; .data NULL: out of memory. */
quire_bytes write_quoted(struct arena *keep, quire_bytes text);

/* A header line, with its break; empties `out` first. */
void write_header(struct buf *out, const struct session_birth *birth);

/* ---- continue.c --------------------------------------------------------- */

/* The session in which an imported one goes on: NULL if there is none yet and it is
 * not to be made. QUIRE_NOT_FOUND: appends go to the session itself. */
quire_status continue_find(quire_session *s, bool make, quire_session **out,
                           quire_error *err);

/* Use `next` in its place, and close what it was. */
void continue_in(quire_session *s, quire_session *next);

/* Refuse to change entries of an imported session. */
quire_status continue_refuse(const quire_session *s, quire_error *err);

/* ---- rewrite.c ---------------------------------------------------------- */

/* Replace the file by a draft, and read it again. */
quire_status rewrite_swap(quire_session *s, struct log_draft *d,
                          quire_error *err);

/* Read a log of version 1 or 2 and write it as version 3. */
quire_status rewrite_migrated(quire_session *s, quire_error *err);

#endif
