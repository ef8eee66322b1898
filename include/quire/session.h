/*
 * quire/session.h - one open session: entries, tree, context
 *
 * A session is a file of JSON lines: a header, then entries. Each entry names
 * its parent, so entries form a tree. Appending adds one line below the *leaf*
 * and makes it the leaf; branching moves the leaf and erases nothing.
 *
 * Several threads may use one open session: its calls take turns, and appends
 * that wait for the disk share a sync. Several sessions of one store may be
 * used at once as well. Calls on the store itself, such as quire_blob_put(),
 * stay with one thread, and must not run while another thread uses a session
 * of the store.
 *
 * What these calls return is lent until the next call on the same session, by
 * any thread; in a callback, until it returns. A callback must not call the
 * session that calls it: such a call returns QUIRE_INVALID.
 *
 * After a failed write every later call that writes returns the same error,
 * until the session is opened again. Besides `common`, any call returns
 * QUIRE_CHANGED or QUIRE_DAMAGED when another program replaced or damaged the
 * file meanwhile.
 */
#ifndef QUIRE_SESSION_H
#define QUIRE_SESSION_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_session quire_session;

/* When an append survives a power cut. A crash of the program alone loses no
 * acknowledged append in any mode. */
typedef enum quire_durability {
    QUIRE_SYNC_FLUSH = 0, /* when quire_session_flush() returns             */
    QUIRE_SYNC_NONE,      /* when the system writes it back                 */
    QUIRE_SYNC_EACH,      /* when the append returns; threads share a sync  */
} quire_durability;

enum {
    QUIRE_SESSION_READ = 1 << 0,    /* never write, not even to migrate     */
    QUIRE_SESSION_AT_ONCE = 1 << 1, /* new: write the file now, instead of
                                       with the first assistant message     */
    QUIRE_SESSION_MEMORY = 1 << 2,  /* new: keep it in memory only          */
    QUIRE_SESSION_VERIFY = 1 << 3,  /* open: verify every byte now, instead
                                       of each part when it is used         */
};

/* Begin with QUIRE_SESSION_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_session_options {
    size_t size;
    unsigned flags;
    quire_durability sync;
    const char *cwd;    /* new: the project directory; NULL: the process's  */
    const char *title;  /* new: at most 4,096 bytes; NULL: none             */
    const char *parent; /* new: its origin, for the header                  */
    const char *file;   /* new: the path of its file, in an existing directory;
                           NULL: in the home                                */
} quire_session_options;

#define QUIRE_SESSION_OPTIONS_INIT                                            \
    {                                                                         \
        sizeof(quire_session_options), 0, QUIRE_SYNC_FLUSH, NULL, NULL, NULL, \
            NULL                                                              \
    }

/* Begin a session. Its file is created with the first assistant message: until
 * then there is nothing worth keeping. QUIRE_SESSION_AT_ONCE creates it now.
 * `options` may be NULL for all defaults.
 *
 * Owns: *out is the caller's until quire_session_close(); NULL on failure.
 * Fails: common
 *   QUIRE_INVALID    the title is too long; a JP workspace has no sessions
 *   QUIRE_EXISTS     a file of this name exists
 *   QUIRE_NOT_FOUND  the directory of `file` does not exist
 * Durable: nothing; with QUIRE_SESSION_AT_ONCE as quire_session_append(). */
quire_status quire_session_new(quire *q, const quire_session_options *options,
                               quire_session **out, quire_error *err);

/* Open the session that `which` names: its id, a unique prefix of its id or
 * file name, the path of a file anywhere, or "last" (the session that this
 * terminal used last in the working directory, else any process).
 *
 * For writing, the session stays locked while it is open; a file of an older
 * version is migrated by an atomic rewrite, and an empty file becomes a new
 * session. For reading, nothing is written or locked.
 *
 * Owns: *out is the caller's until quire_session_close(); NULL on failure.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not a file
 *   QUIRE_BUSY       another process writes to it; the message names it
 *   QUIRE_DAMAGED    its header cannot be read; the file is left alone
 * Durable: a migration, on return. */
quire_status quire_session_open(quire *q, const char *which,
                                const quire_session_options *options,
                                quire_session **out, quire_error *err);

/* Keep a session open between uses, cheaply: for a server that serves many
 * sessions and does not want to load one for each request.
 *
 * quire_session_park() gives up the write lock, the handle `q` of the session and
 * its buffers, and keeps the index. Afterwards only resume, memory and close may be
 * called, and `q` may be closed. It returns 0, and has done nothing, if the session
 * cannot be parked: appends are not flushed, a write failed, it has no file, or `q`
 * traces. Then close it.
 *
 * quire_session_resume() continues as if the session had just been opened with
 * `options` (flags and sync) through `q`, a handle on the same home and tenant.
 * What other processes appended is loaded; if nothing was, the cost does not depend
 * on the size of the session. After a failure it is still parked: close it, and open
 * the session by its id. A title that another process changed meanwhile may be
 * described as it was, and the session does not become "last".
 *
 * quire_session_memory() returns about how many bytes of memory a session takes.
 *
 * Owns: nothing changes.
 * Fails: common
 *   QUIRE_CHANGED    its file was replaced, moved or removed
 *   QUIRE_BUSY       another process writes to it; the message names it
 *   QUIRE_DAMAGED    its header cannot be read any more
 * Durable: nothing. */
int quire_session_park(quire_session *s);
quire_status quire_session_resume(quire_session *s, quire *q,
                                  const quire_session_options *options,
                                  quire_error *err);
uint64_t quire_session_memory(const quire_session *s);

/* Close a session; NULL does nothing.
 *
 * Owns: frees `s`.
 * Fails: never reported: call quire_session_flush() first to see write errors.
 * Durable: appends that were not flushed, when the system writes them back. */
void quire_session_close(quire_session *s);

/* quire_session_flush() waits until every append is on the disk; a session
 * without a file has nothing to wait for. quire_session_ensure() creates the
 * file now instead of with the first assistant message.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_INVALID  ensure: a session in memory has no file, or is read-only
 * Durable: flush: every append, on return. ensure: as quire_session_append().
 */
quire_status quire_session_flush(quire_session *s, quire_error *err);
quire_status quire_session_ensure(quire_session *s, quire_error *err);

typedef struct quire_session_info {
    const char *id;
    const char *path;    /* NULL: it has no file                            */
    const char *cwd;     /* "" when the header has none                     */
    const char *title;   /* "" when it has none                             */
    const char *parent;  /* of the header; "" when it has none              */
    const char *created; /* the header's timestamp, as written              */
    const char *leaf;    /* open sessions: the leaf's id; NULL: no leaf     */
    const char *first;   /* listed: the start of the first user message     */
    const char *status;  /* listed: "complete", "interrupted", "aborted",
                            "error", "pending", "unknown", "damaged" (its
                            header cannot be read)                          */
    int64_t modified_us; /* of the file; 0 without one                      */
    uint64_t bytes;      /* of the file, pending appends included           */
    uint64_t entries;    /* open sessions                                   */
    uint64_t messages;   /* UINT64_MAX: listed, and too large to be counted */
    int version;         /* of the file as it was found: 1, 2, 3 …          */
    int archived;
    uint64_t problems; /* open sessions: what quire_session_check() would
                          report, as far as the file has been read          */
    int pinned, held;  /* listed: as quire/keep.h has it                    */
    const char *hold_reason; /* listed: NULL unless it is held              */
    uint64_t reserved[2];
} quire_session_info;

/* Describe an open session.
 *
 * Owns: text is lent until the next call on `s`.
 * Fails: never.
 * Durable: reads only. */
void quire_session_describe(quire_session *s, quire_session_info *info);

/* Return the header's line as it is stored.
 *
 * Owns: *json is lent until the next call on `s`.
 * Fails: common
 * Durable: reads only. */
quire_status quire_session_header(quire_session *s, quire_bytes *json,
                                  quire_error *err);

/* One entry. Slices have no terminator; text is decoded. */
typedef struct quire_entry {
    quire_bytes json;   /* the whole object, as stored                      */
    quire_bytes id;     /* .data NULL when it has none                      */
    quire_bytes parent; /* .data NULL: a root                               */
    quire_bytes type;
    quire_bytes label; /* in force for it; .data NULL: none                 */
    size_t depth;      /* quire_session_tree(): steps from its root         */
    size_t children;   /* quire_session_tree(): how many                    */
    int is_leaf;       /* it is the current leaf                            */
    int on_path;       /* it is on the path from a root to the leaf         */
    int is_orphan;     /* its parent is not in the session                  */
    size_t missing;    /* QUIRE_HYDRATE: images whose blob is missing       */
    size_t ordinal;    /* in the order of the file, from 0                  */
    uint64_t reserved[3];
} quire_entry;

typedef quire_status (*quire_entry_fn)(void *ctx, const quire_entry *entry,
                                       quire_error *err);

enum {
    QUIRE_HYDRATE = 1 << 0, /* replace references to images by their content */
};

/* List entries, migrated to the current version, without the header:
 * quire_session_entries() in file order; quire_session_tree() parents before
 * children, children by time; quire_session_path() from a root down to `leaf`
 * (NULL: the current leaf); quire_session_children() those below `parent`
 * (NULL: the roots). quire_session_entry() returns one by its id.
 *
 * Owns: an entry is lent until `each` returns; *out until the next call on
 *   `s`.
 * Fails: common
 *   QUIRE_NOT_FOUND  path, children, entry: no entry has this id
 * Durable: reads only. */
quire_status quire_session_entries(quire_session *s, unsigned flags,
                                   quire_entry_fn each, void *ctx,
                                   quire_error *err);
quire_status quire_session_tree(quire_session *s, quire_entry_fn each,
                                void *ctx, quire_error *err);
quire_status quire_session_path(quire_session *s, const char *leaf,
                                unsigned flags, quire_entry_fn each, void *ctx,
                                quire_error *err);
quire_status quire_session_children(quire_session *s, const char *parent,
                                    quire_entry_fn each, void *ctx,
                                    quire_error *err);
quire_status quire_session_entry(quire_session *s, const char *id,
                                 quire_entry *out, quire_error *err);

/* quire_session_files() lists the paths of all files of the session: itself,
 * its outputs, and originals that a repair kept. quire_session_refs() lists
 * every blob reference in its entries, as often as it occurs.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common
 * Durable: reads only. */
quire_status quire_session_files(quire_session *s, quire_text_fn each,
                                 void *ctx, quire_error *err);
quire_status quire_session_refs(quire_session *s, quire_text_fn each, void *ctx,
                                quire_error *err);

/* Begin with QUIRE_APPEND_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_append_options {
    size_t size;
    const char *at;     /* the parent's id, "root" for none; NULL: the leaf. A
                           parentId in the entry itself wins                */
    const char *expect; /* the leaf must be this one ("root": none), else
                           QUIRE_CHANGED; NULL: any                         */
    const char *op;     /* an idempotency key for this append: the same entry
                           appended again under it adds nothing and returns the
                           first one's id; NULL: none                       */
    int any;            /* take an entry of any shape: see below             */
} quire_append_options;

#define QUIRE_APPEND_OPTIONS_INIT                         \
    {                                                     \
        sizeof(quire_append_options), NULL, NULL, NULL, 0 \
    }

typedef struct quire_appended {
    char id[256];
    char parent[256]; /* "" for a root                                      */
    int existed;      /* `op` had been used for this entry before           */
    int truncated;    /* a string above 500,000 UTF-16 units was cut: 1, the
                         whole is a blob, which QUIRE_HYDRATE, contexts and
                         exports restore; 2, it is lost                     */
    int continued;    /* the session was imported: from now on `s` is the one
                         in which it goes on                                */
    uint64_t secrets; /* found in it: quire/secrets.h                       */
    uint64_t reserved[2];
} quire_appended;

/* Append one entry: a JSON object with a `type`; `id`, `parentId` and
 * `timestamp` are filled in where they are missing. It becomes the leaf. An entry of a
 * known type must have the fields that docs/format.md says it needs, and a type must
 * not be one typing mistake from a known one; `any` takes both. Large
 * content is handled as docs/format.md describes: images become blobs, strings
 * above 500,000 units are cut with a notice, the whole becomes a blob. `options` and `out` may be NULL.
 *
 * A session of an imported file (quire/import.h) stays as that file is. Its first
 * append makes a fork of it, which has it as its parent; from then on `s` is that
 * session, as quire_session_describe() says. Later appends to the imported session
 * go to the same fork, until an import has changed it. A move of the leaf that is
 * kept is such an append; labels and titles stay with the imported session.
 *
 * Owns: `entry` is copied; *out is the caller's.
 * Fails: common
 *   QUIRE_INVALID    not such an object, not UTF-8, or the session is
 *                    read-only
 *   QUIRE_EXISTS     its id is taken, or `op` was used for another entry
 *   QUIRE_NOT_FOUND  no such parent
 *   QUIRE_CHANGED    the leaf is not the expected one
 * Durable: the whole line is in the file on return, unless the session has no
 *   file yet; it survives a power cut as quire_durability says. */
quire_status quire_session_append(quire_session *s, quire_bytes entry,
                                  const quire_append_options *options,
                                  quire_appended *out, quire_error *err);

/* quire_session_branch() moves the leaf to `id` (NULL: before the first entry,
 * so that the next append begins a new root). With `keep` it appends a marker
 * entry below, so that other readers find the new leaf too; *out is that
 * entry, or the target if it is the last entry already.
 * quire_session_branch_summary() moves the leaf and appends a branch_summary
 * there; `details` is JSON or empty. quire_session_label() sets the label of
 * an entry; NULL or "" clears it. `out` may be NULL.
 *
 * Owns: text is copied; *out is the caller's.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such entry
 *   QUIRE_INVALID    `details` is not JSON, or the session is read-only
 * Durable: as quire_session_append(); a move without `keep` is forgotten when
 *   the session is closed. */
quire_status quire_session_branch(quire_session *s, const char *id, int keep,
                                  quire_appended *out, quire_error *err);
quire_status quire_session_branch_summary(quire_session *s, const char *id,
                                          const char *summary,
                                          quire_bytes details,
                                          quire_appended *out,
                                          quire_error *err);
quire_status quire_session_label(quire_session *s, const char *id,
                                 const char *label, quire_appended *out,
                                 quire_error *err);

/* Set the title; NULL or "" clears it. In a file with a title slot this
 * overwrites 256 bytes in place, in others the file is rewritten.
 *
 * Owns: the text is copied.
 * Fails: common
 *   QUIRE_INVALID  more than 4,096 bytes, or the session is read-only
 * Durable: as quire_session_append(). */
quire_status quire_session_rename(quire_session *s, const char *title,
                                  quire_error *err);

typedef struct quire_rewritten {
    size_t entries;   /* how many changed                                   */
    const char *kept; /* the path of the original; NULL: nothing changed    */
    uint64_t reserved[4];
} quire_rewritten;

/* Rewrite entries: each of `entries` takes the place of the one with its id, and
 * keeps its parent and, unless another is given, its timestamp. Everything else
 * in the file stays. The original is kept beside it, unless nothing changes.
 * Either all entries are rewritten or none. `out` may be NULL.
 *
 * Owns: entries are copied; the text of *out is lent until the next call on `s`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no entry has this id
 *   QUIRE_INVALID    not an entry, without an id, given twice, or with another
 *                    parent; the session is read-only or has no file
 * Durable: on return; the original is durable before it is replaced. */
quire_status quire_session_rewrite(quire_session *s, const quire_bytes *entries,
                                   size_t n, quire_rewritten *out,
                                   quire_error *err);

/* Write the context of the model at `leaf`: one JSON object {"messages":[…],
 * "thinkingLevel","models":{},"injectedTtsrRules":[],"mode","modeData"}, in
 * pieces. `leaf` NULL is the current leaf, "" an empty context; an unknown
 * leaf falls back to the last entry. `missing` (may be NULL) is called for
 * each image whose blob is missing; the image keeps its reference.
 *
 * Owns: bytes and `ref` are lent until the callback returns.
 * Fails: common
 * Durable: reads only. */
quire_status quire_session_context(quire_session *s, const char *leaf,
                                   quire_write_fn write,
                                   void (*missing)(void *ctx, const char *ref),
                                   void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
