/* quire/session.h - one open session: entries, tree, context */
#ifndef QUIRE_SESSION_H
#define QUIRE_SESSION_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * A session is a file of JSON lines: a header, then entries, each naming its
 * parent, so that they form a tree. Appending adds one line below the *leaf*
 * and makes it the leaf; branching moves the leaf and erases nothing.
 *
 * An open session may be used by several threads at once: calls take turns,
 * and appends that wait for the disk share a wait. So may several sessions of
 * one store. Calls that take the store itself (quire_blob_put() or
 * quire_session_list(), say) are for one thread as before, and not while
 * another uses a session of it. Close sessions before their store.
 *
 * Text and bytes that these calls give are on loan until the next call on the
 * same session, by whichever thread, or for the duration of the callback they
 * are given to.
 */
typedef struct quire_session quire_session;

/* When an append is safe from a power cut. A crash of the program alone loses
 * nothing that was acknowledged, whichever is chosen. */
typedef enum quire_durability {
    QUIRE_SYNC_FLUSH = 0, /* when quire_session_flush() returns             */
    QUIRE_SYNC_NONE,      /* when the system gets round to it               */
    QUIRE_SYNC_EACH,      /* when the append returns; threads share a sync  */
} quire_durability;

enum {
    QUIRE_SESSION_READ = 1 << 0,    /* never written, not even to migrate   */
    QUIRE_SESSION_AT_ONCE = 1 << 1, /* new: write the file now, instead of
                                       with the first assistant message     */
    QUIRE_SESSION_MEMORY = 1 << 2,  /* new: never write it at all           */
    QUIRE_SESSION_VERIFY = 1 << 3,  /* open: look at every byte now, instead
                                       of at what is used when it is used   */
};

/* Set `size` with QUIRE_SESSION_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_session_options {
    size_t size;
    unsigned flags;
    quire_durability sync;
    const char *cwd;    /* new: the project directory; NULL: the process's  */
    const char *title;  /* new: NULL: none                                  */
    const char *parent; /* new: where it comes from, in its header          */
} quire_session_options;

#define QUIRE_SESSION_OPTIONS_INIT                                           \
    {                                                                        \
        sizeof(quire_session_options), 0, QUIRE_SYNC_FLUSH, NULL, NULL, NULL \
    }

/* Begin a session. Unless told otherwise its file appears with the first
 * assistant message: a session without one was never worth keeping.
 * `options` may be NULL for all defaults. */
quire_status quire_session_new(quire *q, const quire_session_options *options,
                               quire_session **out, quire_error *err);

/* Open the session that `which` names: its id, the unique beginning of its id
 * or file name, the path of a file anywhere, or "last" (the one this terminal
 * used last in the working directory, else the newest of that project).
 *
 * For writing, the session is locked for as long as it is open; a file of an
 * older version is rewritten, atomically, and an empty file becomes a new
 * session. For reading nothing is written and nobody waits.
 *
 * QUIRE_NOT_FOUND  no such session
 * QUIRE_INVALID    several sessions begin so, or it is no file
 * QUIRE_BUSY       another process is writing to it; the error names it
 * QUIRE_DAMAGED    its header cannot be read; the file is left alone */
quire_status quire_session_open(quire *q, const char *which,
                                const quire_session_options *options,
                                quire_session **out, quire_error *err);

/* Close it; NULL is fine. What was appended and not flushed reaches the disk
 * when the system gets round to it: flush first to hear of errors. */
void quire_session_close(quire_session *s);

/* Wait until everything appended is on the disk. A session that has no file yet
 * has nothing to wait for. */
quire_status quire_session_flush(quire_session *s, quire_error *err);

/* Write the file now, without waiting for an answer. */
quire_status quire_session_ensure(quire_session *s, quire_error *err);

/* What is known of a session. Of a listed one that is too large to be read
 * whole, `messages` is UINT64_MAX. */
typedef struct quire_session_info {
    const char *id;
    const char *path;    /* NULL: it has no file                          */
    const char *cwd;     /* "" when the header has none                   */
    const char *title;   /* "" when it has none                           */
    const char *parent;  /* of the header, "" when it has none            */
    const char *created; /* the header's timestamp, as it is written      */
    const char *leaf;    /* open sessions: the leaf's id, NULL: no leaf   */
    const char *first;   /* listed: the start of the first user message   */
    const char *status;  /* listed: "complete", "interrupted", "aborted",
                              "error", "pending", "unknown", "damaged": no
                              header can be read                            */
    int64_t modified_us; /* of the file; 0 without one                    */
    uint64_t bytes;      /* of the file and what waits to go there        */
    uint64_t entries;    /* open sessions: how many                       */
    uint64_t messages;
    int version; /* of the file as it was found: 1, 2, 3 …        */
    int archived;
    uint64_t problems; /* open sessions: what `check` would report, as
                              far as it has been read                       */
    uint64_t reserved[4];
} quire_session_info;

void quire_session_describe(quire_session *s, quire_session_info *info);

/* The header's line, as it is kept. */
quire_status quire_session_header(quire_session *s, quire_bytes *json,
                                  quire_error *err);

/* One entry. Slices are of the file or of memory and hold no terminator; text
 * is decoded. */
typedef struct quire_entry {
    quire_bytes json;   /* the whole object, as it is kept                  */
    quire_bytes id;     /* .data NULL when it has none                      */
    quire_bytes parent; /* .data NULL: a root                               */
    quire_bytes type;
    quire_bytes label; /* in force for it; .data NULL: none                */
    size_t depth;      /* quire_session_tree(): steps from its root        */
    size_t children;   /* quire_session_tree(): how many                   */
    int is_leaf;       /* it is the current leaf                           */
    int on_path;       /* it is on the way from a root to the leaf         */
    int is_orphan;     /* its parent is not in the session                 */
    size_t missing;    /* QUIRE_HYDRATE: images whose blob is not there    */
    uint64_t reserved[4];
} quire_entry;

typedef quire_status (*quire_entry_fn)(void *ctx, const quire_entry *entry,
                                       quire_error *err);

enum {
    QUIRE_HYDRATE = 1 << 0, /* put the content of images back in their place */
};

/* Every entry in the order of the file, migrated, without the header. */
quire_status quire_session_entries(quire_session *s, unsigned flags,
                                   quire_entry_fn each, void *ctx,
                                   quire_error *err);

/* Every entry, parents before children, children by time. */
quire_status quire_session_tree(quire_session *s, quire_entry_fn each,
                                void *ctx, quire_error *err);

/* The entries from a root down to `leaf` (NULL: the current leaf). */
quire_status quire_session_path(quire_session *s, const char *leaf,
                                unsigned flags, quire_entry_fn each, void *ctx,
                                quire_error *err);

/* The children of `parent` (NULL: the roots). */
quire_status quire_session_children(quire_session *s, const char *parent,
                                    quire_entry_fn each, void *ctx,
                                    quire_error *err);

/* One entry by its id. */
quire_status quire_session_entry(quire_session *s, const char *id,
                                 quire_entry *out, quire_error *err);

/* Every path of a file that belongs to the session: itself, its outputs, and
 * the originals that repair kept. */
quire_status quire_session_files(quire_session *s, quire_text_fn each,
                                 void *ctx, quire_error *err);

/* Every blob reference in the entries, as often as it occurs. */
quire_status quire_session_refs(quire_session *s, quire_text_fn each, void *ctx,
                                quire_error *err);

typedef struct quire_append_options {
    size_t size;
    const char *at;     /* the parent's id, "root" for none; NULL: the leaf. A
                           parentId in the entry itself wins                */
    const char *expect; /* the leaf must be this one ("root": none), else
                           QUIRE_CHANGED; NULL: whatever it is              */
    const char *op;     /* a name of this append, of your choosing: if this
                           very entry was appended by that name, nothing is
                           added and its id is given; another one by that
                           name is QUIRE_EXISTS. NULL: none                 */
} quire_append_options;

#define QUIRE_APPEND_OPTIONS_INIT                      \
    {                                                  \
        sizeof(quire_append_options), NULL, NULL, NULL \
    }

typedef struct quire_appended {
    char id[256];
    char parent[256]; /* "" for a root                                      */
    int existed;      /* the operation had been done before                 */
    int truncated;    /* a string above 500,000 units was cut               */
    uint64_t reserved[4];
} quire_appended;

/* Append one entry: a JSON object with a `type`, and without or with `id`,
 * `parentId` and `timestamp`, which are filled in where they are missing. It
 * becomes the leaf. What is too large for a line is dealt with as
 * docs/format.md says: images become blobs, strings above 500,000 units are
 * cut with a notice. `options` and `out` may be NULL.
 *
 * When it returns QUIRE_OK the line is in the file (unless the session has
 * none yet), whole; how safe it is there the durability says. After a write
 * that failed every later call that writes gives the same error, until the
 * session is opened again.
 *
 * QUIRE_INVALID    not such an object
 * QUIRE_EXISTS     its id is taken, or `op` by another entry
 * QUIRE_NOT_FOUND  no such parent
 * QUIRE_CHANGED    the leaf is not the expected one */
quire_status quire_session_append(quire_session *s, quire_bytes entry,
                                  const quire_append_options *options,
                                  quire_appended *out, quire_error *err);

/* Move the leaf to `id` (NULL: before the first entry, so that the next append
 * begins a new root). With `keep`, an entry that every reader takes for the
 * leaf and no context has is appended below it, so that the place outlives the
 * process; `out` (may be NULL) is that entry, or the target itself if that is
 * the last one already. */
quire_status quire_session_branch(quire_session *s, const char *id, int keep,
                                  quire_appended *out, quire_error *err);

/* Move the leaf to `id` and append a branch_summary there. `details` is JSON
 * or empty. */
quire_status quire_session_branch_summary(quire_session *s, const char *id,
                                          const char *summary,
                                          quire_bytes details,
                                          quire_appended *out,
                                          quire_error *err);

/* Set the label of an entry; NULL or "" clears it. */
quire_status quire_session_label(quire_session *s, const char *id,
                                 const char *label, quire_appended *out,
                                 quire_error *err);

/* Give the session a title; NULL or "" takes it away. In a file with a title
 * slot this overwrites 256 bytes, in others the file is rewritten. */
quire_status quire_session_rename(quire_session *s, const char *title,
                                  quire_error *err);

/* What the model is to see at `leaf`: one JSON object {"messages":[…],
 * "thinkingLevel","models":{},"injectedTtsrRules":[],"mode","modeData"} to
 * `write`, in pieces. `leaf` NULL is the current leaf, "" is no leaf: an empty
 * context. An unknown leaf falls back to the last entry. `missing` (may be
 * NULL) hears of images whose blob is not there: they keep their reference. */
quire_status quire_session_context(quire_session *s, const char *leaf,
                                   quire_write_fn write,
                                   void (*missing)(void *ctx, const char *ref),
                                   void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
