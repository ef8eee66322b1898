/*
 * quire.h - the storage engine for agent sessions
 *
 * This header is the whole public interface of libquire. Every comment says
 * what a call does, who owns what, how it can fail, and what is durable when
 * it returns.
 *
 * Threads. A `quire` handle is used by one thread at a time. Another thread
 * opens another handle, on the same store if it likes; so does another
 * process. A handle belongs to the process that opened it: after fork() the
 * child neither uses nor closes it. There is nothing to initialise. Threads
 * that put artifacts into the same store at once share a commit, and wait for
 * another process as long as the first of them would.
 *
 * Memory. Bytes a call returns are on loan until the next call with the same
 * handle, unless its comment says otherwise. Bytes a call takes are copied.
 *
 * The library prints nothing, never exits and installs no signal handlers.
 */
#ifndef QUIRE_H
#define QUIRE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What this header declares is what the shared library shows. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define QUIRE_VERSION_MAJOR 0
#define QUIRE_VERSION_MINOR 1
#define QUIRE_VERSION_PATCH 0
#define QUIRE_VERSION       "0.1.0"

/* The version of the library that is running, which may be newer than the
 * header a program was compiled with. A static string. */
const char *quire_version(void);

/* The libraries Quire stands on, each with the version that is running:
 * "sqlite 3.40.1" into `out`, which is returned. `index` counts from 0; NULL
 * past the last. */
const char *quire_version_of(unsigned index, char out[64]);

/* ------------------------------------------------------------------ status */

typedef enum quire_status {
    QUIRE_OK = 0,
    QUIRE_NOT_FOUND, /* an answer, not an accident                      */
    QUIRE_EXISTS,    /* an answer too: it is there already              */
    QUIRE_BUSY,      /* someone else is writing; trying again is right  */
    QUIRE_INVALID,   /* your input; trying again is useless             */
    QUIRE_DAMAGED,   /* stored bytes fail their own check               */
    QUIRE_IO,        /* the system refused: disk full, no permission    */
    QUIRE_NO_MEMORY, /* allocation failed, or a ceiling was reached     */
    QUIRE_STOPPED,   /* a callback of yours asked to stop               */
    QUIRE_CHANGED,   /* not as you expected it any more: look again     */
    QUIRE_TOO_LARGE, /* more than one thing of its kind may have        */
    QUIRE_QUOTA,     /* no room left for it among the others            */
} quire_status;

/* "not_found", "busy" and so on: stable, for programs. A static string. */
const char *quire_status_name(quire_status status);

/* Filled on failure, untouched on success, NULL if you do not care. It is
 * yours, on your stack: nothing to free, nothing another thread can replace. */
typedef struct quire_error {
    quire_status status;
    char what[256]; /* what failed, on which object, and why     */
    char next[192]; /* what the user can do about it; may be ""  */
} quire_error;

/* Bytes on loan: any content, no terminator. */
typedef struct quire_bytes {
    const void *data;
    size_t len;
} quire_bytes;

/* ---------------------------------------------------------------- callbacks */

/* A callback may not call Quire with the handle that is calling it: that is
 * answered with QUIRE_INVALID. */

/* Gives the next bytes of a stream: up to `cap` of them into `buf`, how many
 * in *n; zero means the end. Any other status than QUIRE_OK ends the call it
 * was given to, which returns that status and leaves nothing behind; the
 * callback fills `err` then. */
typedef quire_status (*quire_read_fn)(void *ctx, void *buf, size_t cap,
                                      size_t *n, quire_error *err);

/* Takes the next bytes of a stream; the same rules. */
typedef quire_status (*quire_write_fn)(void *ctx, quire_bytes bytes,
                                       quire_error *err);

/* -------------------------------------------------------------------- store */

/* An open store. */
typedef struct quire quire;

/* Whose home a directory is. Each keeps its blobs in its own layout. */
typedef enum quire_kind {
    QUIRE_KIND_AUTO = 0, /* look at the directory                           */
    QUIRE_KIND_NATIVE,   /* ours: packed blobs, quire.db                    */
    QUIRE_KIND_OMP,      /* an oh-my-pi home (~/.omp/agent): flat blobs     */
    QUIRE_KIND_JP,       /* a JP workspace's .jp: loose blobs               */
} quire_kind;

/* How a blob store lies on the disk; docs/format.md has every byte. */
typedef enum quire_layout {
    QUIRE_LAYOUT_AUTO = 0, /* what the home's kind uses                     */
    QUIRE_LAYOUT_PACKED,   /* small ones in quire.db, larger ones loose     */
    QUIRE_LAYOUT_LOOSE,    /* aa/bb/<60 hex>.blob.gz, the same bytes on
                              every machine                                 */
    QUIRE_LAYOUT_FLAT,     /* <64 hex>, raw                                 */
} quire_layout;

const char *quire_kind_name(quire_kind kind);       /* "native" …           */
const char *quire_layout_name(quire_layout layout); /* "packed" …           */

enum {
    QUIRE_READ_ONLY = 1 << 0, /* add and change nothing; an absent store is
                                 empty. What a writer that died left half
                                 done may be finished                       */
};

/* Set `size` with QUIRE_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_options {
    size_t size;
    const char *home;    /* NULL: $QUIRE_HOME, else the XDG place           */
    quire_kind kind;     /* AUTO: detect                                    */
    const char *blobs;   /* NULL: the home's own. Else a blobs directory
                            alone: no home is touched, and only the blob
                            functions work                                  */
    quire_layout layout; /* with `blobs`; AUTO: detect, or loose if it is new */
    unsigned flags;
    int busy_ms; /* how long to wait for another writer; default 5000       */

    /* Hears every call through the two storage seams, a line each, from
     * within the call: for finding out what a program does. NULL: nobody. */
    void (*trace)(void *ctx, const char *line);
    void *trace_ctx;

    /* The time in microseconds since 1970. NULL: the system's. */
    int64_t (*now_us)(void *ctx);
    void *now_ctx;

    /* Whom it works for: a tenant's name, or "#12", its id. NULL:
     * $QUIRE_TENANT, else "default". With `blobs` nobody: blobs have no
     * tenant.                                                              */
    const char *tenant;

    /* Who is to be named where changes of tenants and settings are noted; at
     * most 63 bytes of it. NULL: the user's number, "uid:1000".             */
    const char *actor;

    /* So much of the catalogue is kept in memory, in KiB, once it was read.
     * 0: 16 MiB, for one that works alone; where many handles read the same,
     * the system's own memory of files serves all of them.                  */
    int cache_kib;
} quire_options;

#define QUIRE_OPTIONS_INIT                                                     \
    {                                                                          \
        sizeof(quire_options), NULL, QUIRE_KIND_AUTO, NULL, QUIRE_LAYOUT_AUTO, \
            0, 5000, NULL, NULL, NULL, NULL, NULL, NULL, 0                     \
    }

/* Open a store and give its handle in *out, NULL on failure. The home need
 * not exist: the
 * first write makes it, mode 0700; reading from it finds it empty. `options`
 * may be NULL for all defaults.
 *
 * QUIRE_INVALID    no place is named, and the environment names none either;
 *                  or the options make no sense; or the tenant is disabled, or
 *                  several are called so, or the home has none
 * QUIRE_NOT_FOUND  no such tenant
 * QUIRE_IO         it is not a directory, or cannot be reached
 *
 * What is inside is looked at by the first call that needs it, which may then
 * answer QUIRE_DAMAGED (quire.db is no database of ours) or QUIRE_INVALID (a
 * newer Quire wrote it). A tenant other than the default one is looked up at
 * once. */
quire_status quire_open(const quire_options *options, quire **out,
                        quire_error *err);

/* Close a handle; NULL is fine. An open batch is rolled back. */
void quire_close(quire *q);

/* The directory the handle works on, its kind and its blob layout. */
const char *quire_home(const quire *q);
quire_kind quire_home_kind(const quire *q);
quire_layout quire_blob_layout(const quire *q);

/* Group what follows into one batch: writes between quire_begin() and
 * quire_commit() share one wait for the disk, and are durable when
 * quire_commit() returns QUIRE_OK, not before. In a packed store other writers
 * wait meanwhile, so keep a batch to some hundred pieces. Batches do not nest.
 *
 * quire_rollback() forgets what the batch wrote; blobs with files of their own
 * may be there all the same, if there were many. After a write inside a batch
 * has failed, quire_commit() keeps nothing and says so. */
quire_status quire_begin(quire *q, quire_error *err);
quire_status quire_commit(quire *q, quire_error *err);
void quire_rollback(quire *q);

/* Group whole calls: what they change in the catalogue between
 * quire_group_begin() and quire_group_end() is kept together, with one wait for
 * the disk. None of it may be told to anybody before quire_group_end() has
 * returned QUIRE_OK. Other writers wait meanwhile.
 *
 * A call that is refused has changed nothing, and spoils nothing. One that fails
 * otherwise may have: then those after it fail, and quire_group_end() keeps
 * nothing and returns QUIRE_IO; make each again alone. But if it fails and *kept
 * is 1, all of it is there, and only the disk did not say that it lasts: then
 * nothing is to be made again, and the handle is of no use to whoever wants to
 * know, until it is opened anew. `kept` may be NULL.
 *
 * To remove an artifact whose workspace is in use is refused with QUIRE_BUSY. For
 * artifacts, memory, scratchpads, folders, blobs and keys of requests, of any
 * tenant; calls that write to other files, like those of sessions, do not belong
 * into a group. */
quire_status quire_group_begin(quire *q, quire_error *err);
quire_status quire_group_end(quire *q, int *kept, quire_error *err);

/* Wait until all that was put into the catalogue through this handle survives a
 * power cut. Where the setting `durability` is "each", it does already. */
quire_status quire_sync(quire *q, quire_error *err);

/* ----------------------------------------------------------------- settings */

/* A setting: quota.file, quota.session, quota.tenant, versions.kept,
 * blob.layout, blob.inline, durability, gc.auto, gc.grace, gc.purge,
 * serve.rate, serve.burst. Text is on loan until the
 * next call with the same handle. */
typedef struct quire_setting {
    const char *key;
    const char *value;
    const char *from;      /* "default"; "quire.db": it was set in the home;
                         "environment": by a variable, QUIRE_QUOTA_FILE      */
    const char *otherwise; /* what it is if nobody sets it                   */
    const char *about;     /* what it means, in a few words                  */
    uint64_t reserved[4];
} quire_setting;

/* QUIRE_NOT_FOUND: no such setting. QUIRE_INVALID: what it was set to makes no
 * sense. */
quire_status quire_config_get(quire *q, const char *key, quire_setting *out,
                              quire_error *err);

typedef quire_status (*quire_setting_fn)(void *ctx,
                                         const quire_setting *setting,
                                         quire_error *err);
quire_status quire_config_list(quire *q, quire_setting_fn each, void *ctx,
                               quire_error *err);

/* Set it in the home, for everyone; NULL: as if it had never been set. Lasting.
 * QUIRE_INVALID: no such value. */
quire_status quire_config_set(quire *q, const char *key, const char *value,
                              quire_error *err);

/* -------------------------------------------------------------------- blobs */

/* The SHA-256 of a blob's bytes, which is its name. */
typedef struct quire_digest {
    uint8_t byte[32];
} quire_digest;

enum { QUIRE_REF_SIZE = 12 + 64 + 1 }; /* "blob:sha256:", hex, NUL          */

/* Write the reference "blob:sha256:<64 hex>" of a digest. */
void quire_ref_format(const quire_digest *digest, char ref[QUIRE_REF_SIZE]);

/* Read a reference: "blob:sha256:<hex>", "sha256:<hex>" or 64 hex digits, in
 * either case. QUIRE_INVALID if `text` is none of these; *out is worthless
 * then. */
quire_status quire_ref_parse(const char *text, quire_digest *out,
                             quire_error *err);

typedef struct quire_blob_info {
    quire_digest digest;
    uint64_t size;   /* bytes of content; in a list UINT64_MAX when it cannot
                        be told without unpacking                           */
    uint64_t stored; /* bytes it takes in the store, compressed             */
    int existed;     /* put: the content was there before                   */
    int in_file;     /* it has a file of its own, not a row in quire.db     */
    int64_t seen_s;  /* when it was last put or found again, Unix seconds   */
    uint64_t reserved[4]; /* zero, for later                                */
} quire_blob_info;

enum {
    /* Read a copy that is there already, whole, before trusting it, and
     * write it again if it is damaged. Without this only its size is
     * compared, which finds a file that was cut but no flipped bit. */
    QUIRE_PUT_VERIFY = 1 << 0,
};

/* Store `content` under its digest. Content that is there already is marked
 * as seen now, so that a collection running meanwhile spares it, and nothing
 * is written; a copy of the wrong size is replaced. `info` may be NULL.
 *
 * After QUIRE_OK the blob survives a power cut (inside a batch: after the
 * commit), whoever wrote it first. On failure nothing half is left behind; in
 * a packed store a complete file may be, without its row, until the content is
 * put again. */
quire_status quire_blob_put(quire *q, quire_bytes content, unsigned flags,
                            quire_blob_info *info, quire_error *err);

/* The same for a stream of any length, in constant memory. `read` is called
 * until it gives zero bytes. */
quire_status quire_blob_put_stream(quire *q, quire_read_fn read, void *ctx,
                                   unsigned flags, quire_blob_info *info,
                                   quire_error *err);

/* The same for the file open at `fd`, from its start. Content that is there
 * already costs reading and hashing, no writing. */
quire_status quire_blob_put_fd(quire *q, int fd, unsigned flags,
                               quire_blob_info *info, quire_error *err);

/* Find the digest that `text` means: any form of quire_ref_parse(), or the
 * first six or more hex digits of exactly one blob in the store.
 *
 * QUIRE_INVALID    not a reference, or several blobs begin so
 * QUIRE_NOT_FOUND  no blob begins so */
quire_status quire_blob_resolve(quire *q, const char *text, quire_digest *out,
                                quire_error *err);

/* What is known of a blob without reading its content. */
quire_status quire_blob_stat(quire *q, const quire_digest *digest,
                             quire_blob_info *info, quire_error *err);

/* The whole content, checked against its name, on loan. For blobs one is
 * willing to hold in memory: QUIRE_NO_MEMORY above 1 GiB.
 *
 * QUIRE_NOT_FOUND  no such blob
 * QUIRE_DAMAGED    what is stored is not what the name says */
quire_status quire_blob_get(quire *q, const quire_digest *digest,
                            quire_bytes *out, quire_error *err);

/* The content from byte `from` to before byte `to` (UINT64_MAX: the end), in
 * order, to `write`, in constant memory. A blob recorded as having up to 1 MiB
 * is checked before its first byte is given. A larger one read whole is checked when its
 * last byte has been given: on QUIRE_DAMAGED, throw away what came. A part of
 * a larger one is not checked against the name (a compressed one still
 * against its own structure).
 *
 * QUIRE_INVALID  `from` is past the end, or after `to` */
quire_status quire_blob_read(quire *q, const quire_digest *digest,
                             uint64_t from, uint64_t to, quire_write_fn write,
                             void *ctx, quire_error *err);

/* Each blob in the store, by ascending digest. Stops when `each` returns
 * anything but QUIRE_OK, and returns that. `each` may not write to `q`. */
typedef quire_status (*quire_blob_fn)(void *ctx, const quire_blob_info *info,
                                      quire_error *err);
quire_status quire_blob_list(quire *q, quire_blob_fn each, void *ctx,
                             quire_error *err);

/* Something wrong in a store. */
typedef struct quire_problem {
    const char *kind;  /* "cut", "not_gzip", "broken", "checksum", "trailing",
                          "too_long", "too_short", "content", "missing",
                          "row", "unreadable"; quire_check() has more       */
    const char *where; /* the blob's reference, "quire.db", a file          */
    char what[256];
    char next[192]; /* what can be done about it; "" for nothing            */
    uint64_t line;  /* of the file, from 1; 0: not known                    */
    uint64_t byte;  /* of the file, from 0, if `has_byte`                   */
    int has_byte;
} quire_problem;

/* What a check of the whole home has seen. */
typedef struct quire_check_summary {
    uint64_t sessions;     /* files of sessions and conversations            */
    uint64_t blobs;        /* that there are                                 */
    uint64_t references;   /* to blobs, each as often as it occurs           */
    uint64_t unreferenced; /* blobs that nothing refers to: no problem       */
    uint64_t problems;
} quire_check_summary;

/* Set `size` with QUIRE_CHECK_HOOKS_INIT; fields are only ever added. */
typedef struct quire_check_hooks {
    size_t size;
    /* Each problem found, of blobs in the order they were stored, or, where
     * each is a file, of their digests. All hooks are called by the thread that
     * called. */
    quire_status (*problem)(void *ctx, const quire_problem *problem,
                            quire_error *err);
    /* From time to time: how many of how many are done. May be NULL. */
    quire_status (*progress)(void *ctx, uint64_t done, uint64_t total,
                             quire_error *err);
    void *ctx;
    /* quire_repair(): each problem that was mended, or would be; `next` says
     * how. May be NULL. */
    quire_status (*mended)(void *ctx, const quire_problem *problem,
                           quire_error *err);
    /* quire_check(), quire_repair(): filled at the end. May be NULL. */
    quire_check_summary *summary;
} quire_check_hooks;

#define QUIRE_CHECK_HOOKS_INIT                                  \
    {                                                           \
        sizeof(quire_check_hooks), NULL, NULL, NULL, NULL, NULL \
    }

/* Read every blob (`only` NULL) or one, and compare it with its name. All of
 * them are read by as many threads as there are processors, up to eight.
 * QUIRE_OK means the check ran, whatever it found: the problems, and only
 * they, say what is wrong. Writes nothing. */
quire_status quire_blob_check(quire *q, const quire_digest *only,
                              const quire_check_hooks *hooks, quire_error *err);

/* ----------------------------------------------------------------- sessions */

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

typedef quire_status (*quire_text_fn)(void *ctx, const char *text,
                                      quire_error *err);

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

/* Something wrong in a session file. */
typedef struct quire_session_problem {
    uint64_t line; /* from 1                                                */
    uint64_t byte; /* from 0, in the file                                   */
    const char *kind; /* "garbage", "torn", "no_newline", "trailing",
                         "not_object", "no_id", "no_type", "duplicate_id",
                         "missing_parent", "cycle", "second_header",
                         "header", "utf8", "too_long", "missing_blob",
                         "damaged_blob", "nul"                              */
    const char *message;
} quire_session_problem;

typedef quire_status (*quire_problem_fn)(void *ctx,
                                         const quire_session_problem *problem,
                                         quire_error *err);

/* Look at every byte of a session file and tell what is wrong, in the order
 * of the file. QUIRE_OK means the check ran. Writes nothing. */
quire_status quire_session_check(quire *q, const char *which,
                                 quire_problem_fn each, void *ctx,
                                 quire_error *err);

/* Write a mended file in the place of a damaged one and keep the original
 * beside it; `kept` (owned by the store until its next call) is its path, NULL
 * if nothing had to be mended. */
quire_status quire_session_repair(quire *q, const char *which,
                                  const char **kept, quire_error *err);

/* Bring a file of version 1 or 2 up to date. *from is the version it had. */
quire_status quire_session_migrate(quire *q, const char *which, int *from,
                                   quire_error *err);

/* A new session with the same entries and outputs, in the project `cwd` (NULL:
 * the same one). The source is only read. */
quire_status quire_session_fork(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err);

/* A new session with the path down to `entry` alone. */
quire_status quire_session_extract(quire *q, const char *which,
                                   const char *entry, quire_session **out,
                                   quire_error *err);

/* Move a session, with its outputs, to the project `cwd`: both or neither. */
quire_status quire_session_move(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err);

/* Put a session away, with its outputs, and bring it back. */
quire_status quire_session_archive(quire *q, const char *which,
                                   const char **path, quire_error *err);
quire_status quire_session_unarchive(quire *q, const char *which,
                                     const char **path, quire_error *err);

/* Delete a session, its outputs and its artifacts, for good. Its blobs stay
 * until they are collected. */
quire_status quire_session_remove(quire *q, const char *which,
                                  quire_error *err);

/* The path of the session that `which` names, on loan. */
quire_status quire_session_find(quire *q, const char *which, const char **path,
                                quire_error *err);

typedef struct quire_list_options {
    size_t size;
    const char *cwd; /* one project; NULL: all                              */
    int archived;    /* what was put away instead                           */
    uint64_t limit;  /* 0: all                                              */
} quire_list_options;

#define QUIRE_LIST_OPTIONS_INIT                \
    {                                          \
        sizeof(quire_list_options), NULL, 0, 0 \
    }

/* Sessions, the last changed first. Of each file only a beginning and an end
 * are read, and not even these when it has not changed since it was listed
 * last. */
typedef quire_status (*quire_session_fn)(void *ctx,
                                         const quire_session_info *info,
                                         quire_error *err);
quire_status quire_session_list(quire *q, const quire_list_options *options,
                                quire_session_fn each, void *ctx,
                                quire_error *err);

/*
 * A session of a home has a row in the catalogue: a number, for doors where
 * ids are numbers, and the sums over its messages. The file is the truth. The
 * row is made when the file is first seen here, and brought up to date by every
 * look: a file that has grown is read from where the last look ended, one that
 * has not changed is not read at all.
 *
 * Numbers begin with 1 and are never given twice. A session keeps its number
 * until it is deleted, wherever it is moved. The built-in sessions `user` and
 * `temp` have no file, and are not found here.
 */
typedef struct quire_session_row {
    int64_t number;     /* 0: it has none: it lies in no home of Quire's own, it
                           is damaged, or the handle only reads and nobody has
                           looked before                                      */
    const char *id;     /* its own                                            */
    const char *title;  /* "" when it has none                                */
    const char *state;  /* "active", "archived"                               */
    const char *parent; /* of the header, an id or a path; "": it has none    */
    const char *path;
    uint64_t entries;  /* whole lines but for the header                      */
    uint64_t messages; /* of whomever                                         */
    /* What the `usage` of the assistant's messages adds up to. */
    uint64_t input_tokens, output_tokens;
    uint64_t cache_read_tokens, cache_write_tokens;
    uint64_t total_tokens;
    int64_t cost_nano_usd; /* billionths of a dollar, exact                   */
    uint64_t artifacts, artifact_bytes; /* that are living                    */
    int64_t created_us; /* as the header says, else when the row was made     */
    int64_t updated_us; /* when the file was last changed                     */
    const quire_session_info *info; /* as quire_session_list() has it         */
    int64_t folder; /* it is filed in; 0: in none                             */
    uint64_t reserved[3];
} quire_session_row;

/* The row of the session that `which` names as for quire_session_open(), or by
 * its number, "#12"; made or brought up to date. Text is on loan until the next
 * call. A power cut may take back new sums, which the next look finds again, and
 * never a number.
 *
 * QUIRE_NOT_FOUND, QUIRE_INVALID as for quire_session_open()
 * QUIRE_DAMAGED  its header cannot be read */
quire_status quire_session_row_of(quire *q, const char *which,
                                  quire_session_row *out, quire_error *err);

/* Its id alone, which takes no look into the file. On loan until the next
 * call. */
quire_status quire_session_id(quire *q, const char *which, const char **id,
                              quire_error *err);

typedef struct quire_row_options {
    size_t size;
    const char *cwd;  /* one project; NULL: all                              */
    int archived;     /* what was put away instead                           */
    uint64_t limit;   /* 0: all                                              */
    int64_t after_us; /* behind this one in the list: its updated_us and id;
                         0, NULL: from the start                            */
    const char *after_id;
    int64_t folder; /* those that are filed in it; -1: in none; 0: all       */
} quire_row_options;

#define QUIRE_ROW_OPTIONS_INIT                            \
    {                                                     \
        sizeof(quire_row_options), NULL, 0, 0, 0, NULL, 0 \
    }

typedef quire_status (*quire_row_fn)(void *ctx, const quire_session_row *row,
                                     quire_error *err);

/* The rows of sessions, the last changed first; those that are given are made or
 * brought up to date before the first of them is. One whose file cannot be read
 * has the status "damaged". QUIRE_NOT_FOUND: there is no such folder. */
quire_status quire_session_rows(quire *q, const quire_row_options *options,
                                quire_row_fn each, void *ctx, quire_error *err);

/* ------------------------------------------------------------------ folders */

/*
 * A folder is a name that a tenant gives to some of its sessions, for people to
 * find them by: a label, not a directory. A session is in one folder, or in
 * none. Filing it changes nothing in it.
 */
typedef struct quire_folder {
    int64_t id;
    const char *name;  /* no two of a tenant have the same                   */
    uint64_t sessions; /* that are in it, archived ones too                  */
    int64_t created_us;
    int64_t updated_us; /* when it got its name                              */
    uint64_t reserved[4];
} quire_folder;

typedef quire_status (*quire_folder_fn)(void *ctx, const quire_folder *folder,
                                        quire_error *err);

/* Each of the tenant's, by name; what `each` is given is good until it returns.
 * One by its id; its name is on loan until the next call. */
quire_status quire_folder_list(quire *q, quire_folder_fn each, void *ctx,
                               quire_error *err);
quire_status quire_folder_get(quire *q, int64_t id, quire_folder *out,
                              quire_error *err);

/* Add a folder, give one another name, remove one: the sessions in it are in
 * none then. Blanks at the ends of a name are dropped. Lasting.
 *
 * QUIRE_INVALID    the name is empty, longer than 200 bytes, or not UTF-8
 * QUIRE_EXISTS     another folder has the name
 * QUIRE_NOT_FOUND  no such folder */
quire_status quire_folder_add(quire *q, const char *name, quire_folder *out,
                              quire_error *err);
quire_status quire_folder_rename(quire *q, int64_t id, const char *name,
                                 quire_folder *out, quire_error *err);
quire_status quire_folder_remove(quire *q, int64_t id, quire_error *err);

/* File a session, named as for quire_session_row_of(), in a folder; 0: in none.
 * Lasting. QUIRE_NOT_FOUND: no such session, or folder. */
quire_status quire_session_file(quire *q, const char *which, int64_t folder,
                                quire_error *err);

/* ------------------------------------------------------------------ outputs */

/*
 * What a tool printed or a sub-agent reported is often more than anyone wants
 * to see at once. A sink keeps its end to be quote_text, and the whole in a file of
 * the session when that is more; an address finds it again.
 *
 * Outputs lie in a directory beside the session file, with its name: tools'
 * as <n>.<tool>.log, artifact://<n>; sub-agents' as <id>.md, agent://<id>. They
 * are copied, moved and deleted with the session.
 */

/* The outputs of one session. Use it, and the sinks opened with it, from one
 * thread at a time; which need not be that of the store's handle. */
typedef struct quire_outputs quire_outputs;

/* Open the outputs of the session that `session` names, as
 * quire_session_open() has it. NULL: of no session; then they lie in a
 * directory of the user's own for temporary files, $TMPDIR/quire-<uid>. The
 * store must stay open as long.
 *
 * QUIRE_NOT_FOUND, QUIRE_INVALID as for quire_session_open()
 * QUIRE_IO  the temporary directory is not the user's own */
quire_status quire_outputs_open(quire *q, const char *session,
                                quire_outputs **out, quire_error *err);

/* Close it, after its sinks; NULL is fine. */
void quire_outputs_close(quire_outputs *o);

/* The directory they lie in, which may not be there yet, and whether it is the
 * temporary one. */
const char *quire_outputs_dir(const quire_outputs *o);
int quire_outputs_temporary(const quire_outputs *o);

/* One output. */
typedef struct quire_output {
    const char *address; /* "artifact://3", "agent://0-Scout"               */
    const char *id;      /* "3", "0-Scout"                                  */
    const char *tool;    /* "bash"; of a report "" */
    const char *path;
    uint64_t bytes;
    int64_t modified_us;
    uint64_t reserved[4];
} quire_output;

typedef quire_status (*quire_output_fn)(void *ctx, const quire_output *output,
                                        quire_error *err);

/* Every output: those of tools by number, then reports by id. */
quire_status quire_outputs_list(quire_outputs *o, quire_output_fn each,
                                void *ctx, quire_error *err);

/* Set `size` with QUIRE_SINK_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_sink_options {
    size_t size;
    const char *tool;   /* who prints; cleaned for a file name. NULL: "tool" */
    uint64_t threshold; /* up to so many bytes are quote_text whole, and of more
                           only so many: 50 KiB. At most 1 GiB              */
    uint64_t head;      /* of these, so many from the beginning, but not more
                           than half; the rest is the end. 0: the end alone */
    uint64_t columns;   /* show so many bytes of a line; 0: all             */
} quire_sink_options;

#define QUIRE_SINK_OPTIONS_INIT                       \
    {                                                 \
        sizeof(quire_sink_options), NULL, 51200, 0, 0 \
    }

/* A stream on its way into a session. */
typedef struct quire_sink quire_sink;

/* Open a sink. Its memory does not depend on what comes: both windows and less
 * than a mebibyte. `o` NULL: keep no file. `options` may be NULL.
 *
 * QUIRE_INVALID    more than 1 GiB is to be quote_text, or `o` is read only
 * QUIRE_NO_MEMORY */
quire_status quire_sink_open(quire_outputs *o,
                             const quire_sink_options *options,
                             quire_sink **out, quire_error *err);

/* The next bytes, in pieces of any size; what comes of them does not depend on
 * where they were cut. Escape sequences and control characters are left out,
 * CRLF and CR become a newline, and what is not UTF-8 becomes U+FFFD. Nothing
 * can fail here: what goes wrong with the file the result tells. */
void quire_sink_write(quire_sink *sink, quire_bytes bytes);

typedef struct quire_sink_result {
    quire_bytes output; /* what there is to show: a beginning, a line that says
                           how much is missing, and the end; on loan until the
                           sink is freed                                    */
    int truncated;      /* it is not everything                             */
    uint64_t total_lines, total_bytes;   /* of all that came, cleaned       */
    uint64_t output_lines, output_bytes; /* of `output`                     */
    uint64_t elided_lines, elided_bytes; /* between beginning and end; of
                                            lines not cut by `columns`      */
    uint64_t capped_lines, capped_bytes; /* lines that were cut, what they
                                            lost                            */
    int ends_in_line; /* the last line of all has no newline                */
    const char *id;   /* its number, "3"; NULL: there is no file            */
    const char *path; /* of the file                                        */
    quire_error problem; /* .status is not QUIRE_OK: the whole could not be
                            kept, and why                                   */
    uint64_t reserved[4];
} quire_sink_result;

/* The end of the stream. If it was too long to be quote_text, all of it is in a
 * file now, under a number nobody else has, and survives a power cut (where
 * its file system does); or result->problem says why not. Call it once; write nothing afterwards. */
void quire_sink_finish(quire_sink *sink, quire_sink_result *result);

/* Free it; NULL is fine. A stream that was not finished leaves nothing. */
void quire_sink_free(quire_sink *sink);

/* Keep a sub-agent's report, byte for byte, as <index>-<name>.md, the next
 * index of the session, or of `parent`, the id of another report, whether that
 * is finished or not (NULL: none). `name` is cleaned for a file name. *out is
 * on loan until the next call with `o`. After QUIRE_OK it survives a power
 * cut; a report that is there is never replaced.
 *
 * QUIRE_INVALID    `parent` is no id, or too long
 * QUIRE_NOT_FOUND  the session has been deleted meanwhile
 * QUIRE_BUSY       somebody else does not come to an end with their number */
quire_status quire_report_put(quire_outputs *o, const char *name,
                              const char *parent, quire_read_fn read, void *ctx,
                              quire_output *out, quire_error *err);

/* ------------------------------------------------------------------ reading */

enum {
    QUIRE_READ_JSON = 1 << 0, /* a value out of a report as JSON, also if it is
                                 a string                                   */
};

/* Which lines: in this order. Set `size` with QUIRE_READ_OPTIONS_INIT. */
typedef struct quire_read_options {
    size_t size;
    uint64_t offset;  /* from this line on, counting from 1; 0: the first   */
    const char *grep; /* of these the ones this expression (PCRE2) is found
                         in, if they are very long in their first mebibyte;
                         NULL: all                                          */
    uint64_t limit;   /* of these the first; 0: all                         */
    uint64_t tail;    /* of these the last; 0: all                          */
    int ignore_case;  /* for `grep`                                         */
    unsigned flags;
} quire_read_options;

#define QUIRE_READ_OPTIONS_INIT                          \
    {                                                    \
        sizeof(quire_read_options), 0, NULL, 0, 0, 0, 0u \
    }

/* A line, or a piece of one that is very long: no character is split. */
typedef struct quire_line {
    uint64_t number;  /* from 1; 0: a value, not a line                     */
    quire_bytes text; /* with its newline, where it has one                 */
    int begins, ends; /* both true unless it comes in pieces                */
} quire_line;

typedef quire_status (*quire_line_fn)(void *ctx, const quire_line *line,
                                      quire_error *err);

/* What an address leads to: "artifact://3", "agent://0-Scout", a value of a
 * report that is JSON ("agent://0-Scout/items/0", "agent://0-Scout?q=.items"),
 * "blob:sha256:<hex>". `o` is where outputs are looked for; NULL: nowhere.
 * `options` may be NULL.
 *
 * A value comes as one line of number 0: a string as its text, another value
 * indented, "null" if there is none; no options choose lines of it, and the
 * report has at most 256 MiB (else QUIRE_NO_MEMORY).
 *
 * QUIRE_INVALID    no such address, expression or combination
 * QUIRE_NOT_FOUND  there is none, and the error names those there are; or no
 *                  line is as asked for; or a value is asked for and the
 *                  report is no JSON
 * QUIRE_DAMAGED    a blob is not what its name says */
quire_status quire_read(quire *q, quire_outputs *o, const char *address,
                        const quire_read_options *options, quire_line_fn each,
                        void *ctx, quire_error *err);

/* ---------------------------------------------------------------- artifacts */

/*
 * An artifact is a named file of a session, with a past. Every artifact has a
 * session; what a person puts without one belongs to the built-in session
 * "user". Its content is a blob; each put that changes it makes a version, and
 * the last versions.kept of them, twenty, are kept. Artifacts are in homes of Quire's own kind.
 *
 * `session` below names a session as quire_session_open() has it, or is "user"
 * or "temp"; NULL is "user". `which` is a path in that session, or "#12", the
 * id of an artifact.
 */

/* Text is on loan until the next call with the same handle. */
typedef struct quire_artifact {
    int64_t id;
    int64_t session_id;  /* of the session's row; negative: a built-in one  */
    const char *session; /* the session's own id                            */
    const char *path;
    int64_t version; /* from 1                                              */
    uint64_t size;
    quire_digest digest;
    const char *mime;
    const char *purpose, *source, *agent; /* "" where not given             */
    const char *tags; /* a JSON array of strings                            */
    const char *meta; /* a JSON object                                      */
    int64_t created_us, updated_us;
    int64_t deleted_us;    /* 0: it is living                              */
    int created;           /* put: it was not there before                 */
    uint64_t reads;        /* stat: how often it was read                  */
    int64_t read_us;       /* stat: when last; 0: never                    */
    uint64_t session_used; /* put: bytes of the session's artifacts now    */
    uint64_t tenant_used;  /* put: the same of all sessions                */
    int unchanged;         /* put: all was so before, but for updated_us   */
    uint64_t reserved[3];
} quire_artifact;

typedef quire_status (*quire_artifact_fn)(void *ctx,
                                          const quire_artifact *artifact,
                                          quire_error *err);

/* Set `size` with QUIRE_ARTIFACT_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_artifact_options {
    size_t size;
    const char *mime;    /* NULL: by the name, else by the content          */
    const char *purpose; /* NULL: none; of an artifact that is there: as it
                            was. So with those below                        */
    const char *source, *agent;
    const char *const *tags; /* ended by NULL                               */
    const char *meta;        /* a JSON object                               */
    const char *expect; /* the content there must have this SHA-256, in hex, or
                           "none": nothing may be there. NULL: whatever it is */
} quire_artifact_options;

#define QUIRE_ARTIFACT_OPTIONS_INIT                                         \
    {                                                                       \
        sizeof(quire_artifact_options), NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL                                                            \
    }

/* The canonical form of an artifact's path into `out`, which has room for 257
 * bytes. QUIRE_INVALID with words; *reason (may be NULL) is then a word for
 * programs: "empty", "path_too_long", "absolute", "component_too_long",
 * "traversal", "hidden", "nul_byte", "control_char", "colon", "reserved_name",
 * "invalid_utf8". A static string. Needs no store. */
quire_status quire_artifact_path(quire_bytes path, char out[257],
                                 const char **reason, quire_error *err);

/* Put content under a path: a new artifact, or a new version of the one that
 * is there, which keeps its id. Content that is the same makes no version.
 * `options` may be NULL. Lasting when it returns QUIRE_OK; else nothing has
 * changed.
 *
 * QUIRE_INVALID    the path, the type or the metadata cannot be
 * QUIRE_TOO_LARGE  the content has more than quota.file, 1 MiB unless set
 * QUIRE_QUOTA      the session would have more than quota.session, 50 MiB, or
 *                  the tenant more than quota.tenant, 500 MiB; the words say
 *                  by how much, and session_used and tenant_used of *out are
 *                  what they would have
 * QUIRE_CHANGED    what is there is not the expected content
 * QUIRE_NOT_FOUND  no such session */
quire_status quire_artifact_put(quire *q, const char *session, const char *path,
                                quire_bytes content,
                                const quire_artifact_options *options,
                                quire_artifact *out, quire_error *err);

/* Which one of the tenant's artifacts, and what of it. Set `size` with
 * QUIRE_ARTIFACT_GET_OPTIONS_INIT. */
typedef struct quire_artifact_get_options {
    size_t size;
    int64_t version; /* 0: the current one                                  */
    int64_t via;     /* "#12" may be of another session if the memory entry
                        with this id links it; 0: it may not                */
    int any_session; /* "#12" may be of any session: for a coordinator      */
} quire_artifact_get_options;

#define QUIRE_ARTIFACT_GET_OPTIONS_INIT             \
    {                                               \
        sizeof(quire_artifact_get_options), 0, 0, 0 \
    }

/* What is known of an artifact, or of one of its versions. `options` may be
 * NULL. One of another session is QUIRE_NOT_FOUND, unless the options let it
 * be read. */
quire_status quire_artifact_stat(quire *q, const char *session,
                                 const char *which,
                                 const quire_artifact_get_options *options,
                                 quire_artifact *out, quire_error *err);

/* The same, and its content, in pieces, to `write`. It is counted, if the
 * handle may write and nobody is in the way. */
quire_status quire_artifact_get(quire *q, const char *session,
                                const char *which,
                                const quire_artifact_get_options *options,
                                quire_write_fn write, void *ctx,
                                quire_artifact *out, quire_error *err);

typedef struct quire_artifact_list_options {
    size_t size;
    int all_sessions; /* of every session, not of one                       */
    int deleted;      /* what was put away instead                          */
    uint64_t limit;   /* 0: all                                             */
    int64_t before_us, before_id; /* after this one in the list: its
                                     updated_us and id; 0: from the start   */
} quire_artifact_list_options;

#define QUIRE_ARTIFACT_LIST_OPTIONS_INIT                   \
    {                                                      \
        sizeof(quire_artifact_list_options), 0, 0, 0, 0, 0 \
    }

/* Artifacts, the last changed first. */
quire_status quire_artifact_list(quire *q, const char *session,
                                 const quire_artifact_list_options *options,
                                 quire_artifact_fn each, void *ctx,
                                 quire_error *err);

/* The versions of an artifact, the newest first. */
quire_status quire_artifact_versions(quire *q, const char *session,
                                     const char *which, quire_artifact_fn each,
                                     void *ctx, quire_error *err);

/* Something that was found. */
typedef struct quire_hit {
    quire_artifact artifact;
    double score;        /* more is better, within one search               */
    const char *snippet; /* some of its text, around a word where possible  */
    int part;            /* a word in it goes on where the one asked for ends */
    uint64_t reserved[4];
} quire_hit;

typedef quire_status (*quire_hit_fn)(void *ctx, const quire_hit *hit,
                                     quire_error *err);

typedef struct quire_search_options {
    size_t size;
    int all_sessions;
    int fts;          /* the query is an expression of SQLite's FTS5        */
    const char *tag;  /* NULL: any                                          */
    const char *mime; /* the type begins so, "text/"; NULL: any             */
    int64_t since_us, until_us; /* changed in this time; 0: any             */
    uint64_t limit;             /* 0: all                                   */
} quire_search_options;

#define QUIRE_SEARCH_OPTIONS_INIT                                \
    {                                                            \
        sizeof(quire_search_options), 0, 0, NULL, NULL, 0, 0, 20 \
    }

/* Artifacts by the words in their path, purpose, tags and text, the best first.
 * Any text is a query: all of its words must be there, what stands in double
 * quotes together; case and accents do not count, and words of code, and
 * Chinese, Japanese and Korean, are found by their parts. After those with the
 * word come those where it goes on; of several words, only if nothing has them
 * all as they are. Of a word that is in very many, the
 * newest few thousand are ranked; *partial (may be NULL) says so.
 *
 * QUIRE_NOT_FOUND  nothing is found
 * QUIRE_INVALID    there is no word in the query, or it cannot be read */
quire_status quire_artifact_search(quire *q, const char *session,
                                   const char *query,
                                   const quire_search_options *options,
                                   quire_hit_fn each, void *ctx, int *partial,
                                   quire_error *err);

/* Index some words of what was put since somebody searched, if nobody has written
 * for half a second and nobody is writing: for programs that have time now and
 * then. A search does what is left by itself. Whether anything was done. */
int quire_artifact_index(quire *q);

/* Put an artifact away: its path is free, it counts against no quota, and it
 * can be brought back. quire_artifact_restore() brings back what was put away
 * last under this path; QUIRE_EXISTS when that is taken. With `purge` it is
 * deleted for good, living or put away. */
quire_status quire_artifact_remove(quire *q, const char *session,
                                   const char *which, int purge,
                                   quire_error *err);

/* The same if its content has the SHA-256 `expect`, in hex; NULL: whatever it
 * has. QUIRE_CHANGED: it has another, and nothing was done. */
quire_status quire_artifact_remove_expected(quire *q, const char *session,
                                            const char *which, int purge,
                                            const char *expect,
                                            quire_error *err);
quire_status quire_artifact_restore(quire *q, const char *session,
                                    const char *path, quire_artifact *out,
                                    quire_error *err);

/* Unpack an archive (ZIP, tar, tar.gz, gz) that is an artifact: each file in it
 * becomes an artifact below the path `into` (NULL: the archive's own, without
 * its ending), all of them or none. At most `max_files` (0: 1000) with at most
 * `max_bytes` together (0: 256 MiB), and the quotas hold. `each` may be NULL.
 *
 * QUIRE_INVALID    no archive, or damaged; a name in it that no artifact may
 *                  have; a link or a device; the same name twice
 * QUIRE_TOO_LARGE, QUIRE_QUOTA  a limit
 * QUIRE_NOT_FOUND  no such artifact; or libarchive is not installed */
quire_status quire_artifact_unpack(quire *q, const char *session,
                                   const char *which, const char *into,
                                   uint64_t max_files, uint64_t max_bytes,
                                   quire_artifact_fn each, void *ctx,
                                   quire_error *err);

/* --------------------------------------------------------------- workspaces */

/*
 * A session's artifacts can lie open as files, in a directory that programs work
 * in, and beside them a scratchpad, whose files nobody keeps. Files and
 * artifacts agree: what is put becomes a file, what an editor or a shell does to
 * a file becomes a version. Only homes of Quire's own kind have workspaces.
 *
 * A workspace is bound to its session when it is opened, and nothing that is
 * asked of it reaches another one. It is used by the thread that uses its
 * handle, and closed before that.
 */
typedef struct quire_workspace quire_workspace;

/* `session` as with artifacts; NULL is the built-in "temp". Makes no directory:
 * the first write does. QUIRE_NOT_FOUND: no such session; QUIRE_INVALID: its id
 * cannot be the name of a directory. */
quire_status quire_workspace_open(quire *q, const char *session,
                                  quire_workspace **out, quire_error *err);
void quire_workspace_close(quire_workspace *w);

/* The session's own id. */
const char *quire_workspace_session(const quire_workspace *w);

/* Where its files are, or will be: those of artifacts, or of the scratchpad. */
const char *quire_workspace_dir(const quire_workspace *w, int scratchpad);

/* Make both directories, and lay out the artifacts there are. */
quire_status quire_workspace_make(quire_workspace *w, quire_error *err);

/* Answer a request of the tool `workspace`, a JSON object, with a JSON object on
 * one line, on loan until the next call: {"success":true,"data":{…}} or
 * {"success":false,"error":{"code","message","retryable","suggestion"}}. What is
 * wrong with the request is in the answer; an error here is ours. Reads are
 * counted for many at once: by a request after a second, or at the end. */
quire_status quire_workspace_call(quire_workspace *w, quire_bytes request,
                                  quire_bytes *answer, quire_error *err);

/* What a model is told of the tool: {"name","description","inputSchema"}. */
const char *quire_workspace_schema(void);

typedef struct quire_workspace_report {
    uint64_t taken;     /* files that became artifacts, or versions of one   */
    uint64_t dropped;   /* artifacts put away, their files being gone        */
    uint64_t given;     /* artifacts that became files                       */
    uint64_t withdrawn; /* files that went, their artifacts being put away   */
    uint64_t passed;    /* files that cannot be artifacts                    */
    uint64_t reserved[4];
} quire_workspace_report;

/* Each path that something was done with: "taken", "dropped", "given",
 * "withdrawn", or "passed" and why not. */
typedef void (*quire_workspace_fn)(void *ctx, const char *what,
                                   const char *path, const char *why);

/* Look at all files, and make them and the artifacts agree. New ones are from
 * `source`, "user" if NULL. `each` and `report` may be NULL. */
quire_status quire_workspace_sync(quire_workspace *w, const char *source,
                                  quire_workspace_fn each, void *ctx,
                                  quire_workspace_report *report,
                                  quire_error *err);

/* Workspaces that are kept in step by themselves: what happens to files is heard
 * of, and what happened before is looked for. Used by the thread that uses its
 * handle. */
typedef struct quire_watch quire_watch;

/* Of a session, or with NULL of all. */
quire_status quire_watch_open(quire *q, const char *session, quire_watch **out,
                              quire_error *err);
void quire_watch_close(quire_watch *w);

/* To wait for with others: readable when quire_watch_next() has something to do. It
 * may also have to be called when some time has passed. */
int quire_watch_fd(const quire_watch *w);

/* Whether the system has no more watches to give, so that everything is looked at
 * every two seconds. */
int quire_watch_blind(const quire_watch *w);

typedef void (*quire_watch_fn)(void *ctx, const char *session, const char *what,
                               const char *path, const char *why);

/* Wait at most so long (-1: for ever) until something is to be done, and do it;
 * a signal ends the waiting. `each` (may be NULL) is told as with
 * quire_workspace_sync(). */
quire_status quire_watch_next(quire_watch *w, int timeout_ms,
                              quire_watch_fn each, void *ctx, quire_error *err);

/* ----------------------------------------------------------------- commands */

/*
 * A command runs in a workspace, confined by the kernel: it can write to the
 * session's two directories and to a private /tmp, read them, the system's
 * programs and the home's `documentation` and `examples`, and reach nothing
 * else, no network, no other process. docs/decisions/025 says by what.
 *
 * Every run is recorded.
 */

/* Text is on loan until the next run in the workspace. */
typedef struct quire_run_record {
    int64_t id;
    const char *session;
    const char *command; /* a JSON array: its words                          */
    int unconfined;
    int ended;  /* 0: nobody saw its end, and what is below is empty */
    int exit;   /* -1: a signal ended it                            */
    int signal; /* 0: it ended by itself                            */
    int64_t started_us, duration_us;
    uint64_t out_bytes, err_bytes; /* that it wrote                          */
    const char *hit;      /* a JSON array: limits it met: "time", "output",
                             "processes", "memory", "disk"                   */
    const char *confined; /* a JSON array: layers that held: "user", "mount",
                             "pid", "net", "landlock", "seccomp", ...         */
    uint64_t reserved[4];
} quire_run_record;

/* What a command writes to its standard output (1) or error (2), as it comes.
 * Anything but QUIRE_OK ends it. */
typedef quire_status (*quire_run_output_fn)(void *ctx, int stream,
                                            quire_bytes bytes,
                                            quire_error *err);

/* Set `size` with QUIRE_RUN_OPTIONS_INIT; fields are only ever added. Of limits
 * 0 is the usual one. */
typedef struct quire_run_options {
    size_t size;
    const char *const *argv; /* the command, ended by NULL                   */
    const char *const *env;  /* more variables, "K=V", ended by NULL; may be
                                NULL                                         */
    const char *cwd;         /* beneath the session's directories, or from the
                                artifacts on; NULL: the artifacts            */
    int read_all;            /* other sessions' files can be read            */
    int net;                 /* the network can be used                      */
    int full_only;           /* refuse if not all layers can be had          */
    int unconfined;          /* nothing confines it, which is recorded       */
    int64_t timeout_ms;      /* then all of its processes are ended; 5 min   */
    uint64_t max_output;     /* bytes that are handed on: 1 MiB; 0: all      */
    int drain;               /* let it go on beyond; else it is ended        */
    uint64_t processes, memory, file_size, open_files;
    uint64_t disk;          /* how much its files may grow; 0: what is left of
                                the session's quota                          */
    int stdin_fd;           /* -1: there is none. A pipe: of a file it could
                                change mode and times                        */
    int stop_fd;            /* it is ended when this becomes readable; -1   */
    quire_outputs *outputs; /* where all of a long output is kept; NULL     */
    quire_run_output_fn output; /* may be NULL                               */
    void *ctx;
} quire_run_options;

#define QUIRE_RUN_OPTIONS_INIT                                           \
    {                                                                    \
        sizeof(quire_run_options), NULL, NULL, NULL, 0, 0, 0, 0, 300000, \
            1 << 20, 0, 0, 0, 0, 0, 0, -1, -1, NULL, NULL, NULL          \
    }

typedef struct quire_run_result {
    quire_run_record record;
    int timed_out;
    int truncated;     /* not all of its output was handed on                */
    int stopped;       /* stop_fd asked                                      */
    char artifact[24]; /* the number of the output that has all; "": none    */
    quire_workspace_report files; /* what became of what it did to files     */
    uint64_t reserved[4];
} quire_run_result;

/* Run a command and wait for it. That it fails is a result, no error.
 *
 * QUIRE_NOT_FOUND  no such command or directory
 * QUIRE_INVALID    what is given makes no sense
 * QUIRE_IO         files cannot be isolated on this machine: the words say what
 *                  is missing */
quire_status quire_run(quire_workspace *w, const quire_run_options *options,
                       quire_run_result *out, quire_error *err);

/* What was run, the last first: in a session, or with NULL in all. */
typedef quire_status (*quire_run_fn)(void *ctx, const quire_run_record *record,
                                     quire_error *err);
quire_status quire_run_list(quire *q, const char *session, uint64_t limit,
                            quire_run_fn each, void *ctx, quire_error *err);

/* Each layer of confinement, whether this machine has it, and why not. */
typedef quire_status (*quire_run_layer_fn)(void *ctx, const char *layer, int ok,
                                           const char *why, quire_error *err);
quire_status quire_run_probe(quire_run_layer_fn each, void *ctx,
                             quire_error *err);

/* ------------------------------------------------------------------- claims */

/*
 * For doors that may be knocked at twice: a request that must be done once is
 * claimed by a key of the client's choosing before it has any effect, and its
 * answer is kept under that for 24 hours. Both last.
 */
typedef struct quire_idempotency {
    int fresh;  /* nobody had the key: do it                                */
    int same;   /* it was claimed for the same request                      */
    int status; /* of the answer that was given; 0: none was, by somebody who is
                   at it, or died at it                                     */
    quire_bytes answer; /* on loan until the next call                      */
    uint64_t reserved[4];
} quire_idempotency;

quire_status quire_idempotency_begin(quire *q, const char *key,
                                     quire_bytes request, quire_bytes body,
                                     quire_idempotency *out, quire_error *err);

/* Keep the answer; with the status 0 give the key back: nothing was done. */
quire_status quire_idempotency_end(quire *q, const char *key, int status,
                                   quire_bytes answer, quire_error *err);

/* --------------------------------------------------------------- collection */

enum {
    QUIRE_COLLECT_DRY_RUN = 1 << 0, /* write nothing, tell the same           */
    QUIRE_COLLECT_YES = 1 << 1,     /* also if it is more than half of all    */
    QUIRE_COLLECT_FULL = 1 << 2,    /* read everything again, and believe
                                       nothing that was noted before          */
};

typedef quire_status (*quire_digest_fn)(void *ctx, const quire_digest *digest,
                                        quire_error *err);

/* Set `size` with QUIRE_COLLECT_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_collect_options {
    size_t size;
    unsigned flags;
    int64_t grace_s; /* how long ago a blob must have been put, found again or
                        referred to; -1: as the setting gc.grace says       */
    quire_digest_fn each; /* each blob that is removed, or would be; may be
                             NULL                                           */
    void *ctx;
} quire_collect_options;

#define QUIRE_COLLECT_OPTIONS_INIT                       \
    {                                                    \
        sizeof(quire_collect_options), 0, -1, NULL, NULL \
    }

typedef struct quire_collect_report {
    uint64_t sources;     /* files that may refer to blobs                   */
    uint64_t rescanned;   /* of them, those that had to be read              */
    uint64_t scanned;     /* blobs there were                                */
    uint64_t referenced;  /* of them, those that something refers to         */
    uint64_t marked;      /* found to be referred to by nothing, this time   */
    uint64_t removed;     /* blobs that went                                 */
    uint64_t waiting;     /* marked, and still within their grace time       */
    uint64_t bytes_freed; /* of the blobs that went, as they were stored     */
    uint64_t versions;    /* of artifacts, beyond those that are kept        */
    uint64_t purged;      /* artifacts that were removed long enough ago     */
    uint64_t litter;      /* temporary files of programs that died           */
    uint64_t returned;    /* bytes that quire.db gave back                   */
    int refused;          /* more than half would have gone: none did        */
} quire_collect_report;

/* Remove the blobs of a home that nothing refers to, old versions, artifacts
 * that were removed long ago, and litter. Sessions of all tenants refer to
 * blobs, archived ones too, conversations, artifacts and their versions, what is
 * pinned, and what lies below registered roots. A blob is marked first, and
 * removed by a later run when the grace time has passed; without one (0) at
 * once, which is for stores that nobody else uses. Others may read and write
 * meanwhile.
 *
 * A home of oh-my-pi or JP is collected likewise; what is remembered between
 * two runs is in its directory .quire.
 *
 * QUIRE_BUSY       another collection is running, or somebody is about to refer
 *                  to blobs for longer than one waits: an open batch, a session
 *                  with an image and no file yet
 * QUIRE_INVALID    the handle is for one tenant, or a blobs directory alone
 * QUIRE_NOT_FOUND  a root that was registered is not there
 * others           something cannot be read, or there is a link among the
 *                  sessions: then nothing is removed */
quire_status quire_collect(quire *q, const quire_collect_options *options,
                           quire_collect_report *report, quire_error *err);

/* Whether a collection should be run by whoever has just written: gc.auto is
 * on, the home is Quire's own, and none has begun within the hour. If so, others
 * who ask within the next one are told no. Never fails; 0 when in doubt. */
int quire_collect_due(quire *q);

/* A number that is another one when anybody else, of this process or of another,
 * has changed the home's database since it was asked before; what was changed is
 * not told. What lies in other files, as the entries of a session and the prompts
 * of the history, does not count. Takes microseconds. 0: there is no database, or
 * it cannot be read. */
int64_t quire_changes(quire *q);

/* Register a file or a directory outside the home: what it mentions is kept.
 * A session outside that stores an image is registered by itself. Adding one
 * that is there is fine; QUIRE_NOT_FOUND when there is no such path, or no such
 * root. A directory that is not there, or empty where there were sessions, stops
 * collections until it is back or dropped. */
quire_status quire_root_add(quire *q, const char *path, quire_error *err);
quire_status quire_root_drop(quire *q, const char *path, quire_error *err);
quire_status quire_root_list(quire *q, quire_text_fn each, void *ctx,
                             quire_error *err);

/* Keep a blob whether anything refers to it or not; or no longer.
 * QUIRE_NOT_FOUND when there is no such blob, or it was not pinned. */
quire_status quire_blob_pin(quire *q, const quire_digest *digest,
                            quire_error *err);
quire_status quire_blob_unpin(quire *q, const quire_digest *digest,
                              quire_error *err);
quire_status quire_pin_list(quire *q, quire_digest_fn each, void *ctx,
                            quire_error *err);

/* ------------------------------------------------------------------ tenants */

/*
 * A tenant is who owns sessions, artifacts and history where several share a
 * home. A handle works for one of them, see quire_options, and what is
 * another's is QUIRE_NOT_FOUND for it. Settings are the home's. Blobs are kept
 * once, whoever put them, and a tenant has those that it put, by themselves, in
 * artifacts or as images of sessions: the others are QUIRE_NOT_FOUND for it, and
 * `existed` of a put is of its own. A handle of the tenant "default" has all of
 * them, and it alone lists them. What was put before format 17 is the tenant's
 * that has it as an artifact. The tenant "default", number 1, is always there. Homes of Quire's own kind have
 * tenants.
 *
 * If a tenant is removed or disabled, the handles that work for it get
 * QUIRE_NOT_FOUND or QUIRE_INVALID from then on. A session that is open ends
 * with its file if its tenant is removed; it goes on until it is closed if that
 * is disabled.
 *
 * The functions below are for whoever runs the home: they see all tenants,
 * whomever the handle works for. `which` is a tenant's name, or its id, "12" or
 * "#12".
 */

/* Text is on loan until the next call with the same handle. */
typedef struct quire_tenant {
    int64_t id; /* no other ever has it, also when this one is gone         */
    const char *name;
    int disabled;
    int has_token;
    int64_t created_us; /* 0: with the home                                 */
    uint64_t used;      /* bytes of its living artifacts                    */
    uint64_t artifacts; /* how many                                         */
    uint64_t reserved[4];
} quire_tenant;

typedef quire_status (*quire_tenant_fn)(void *ctx, const quire_tenant *tenant,
                                        quire_error *err);

enum { QUIRE_TOKEN_SIZE = 4 + 64 + 1 }; /* "qrt_", hex, NUL                  */

/* Add a tenant. Its token, "qrt_<64 hex>", is written to `token` and is nowhere
 * else: the home keeps its SHA-256. Whoever loses it asks for another one. On
 * failure `token` is empty. `out` may be NULL. Lasting.
 *
 * QUIRE_INVALID  a name is UTF-8 of 1 to 100 bytes, has no control characters
 *                and does not look like an id, "#12"
 * QUIRE_EXISTS   the name is taken
 * QUIRE_IO       the system gives no random bytes */
quire_status quire_tenant_add(quire *q, const char *name,
                              char token[QUIRE_TOKEN_SIZE], quire_tenant *out,
                              quire_error *err);

/* One of them; all of them, by id. QUIRE_INVALID: several are called so. */
quire_status quire_tenant_get(quire *q, const char *which, quire_tenant *out,
                              quire_error *err);
quire_status quire_tenant_list(quire *q, quire_tenant_fn each, void *ctx,
                               quire_error *err);

/* Work for another tenant from now on, as if the handle had been opened for it:
 * cheaper than that, and sharing what is open for all. Sessions and workspaces of
 * the one before are to be closed. On failure nothing changes. */
quire_status quire_tenant_use(quire *q, const char *which, quire_error *err);

/* The tenant that a token is of. One that is unknown, of a tenant that is
 * disabled, or no token at all is QUIRE_NOT_FOUND, in the same words. */
quire_status quire_tenant_by_token(quire *q, const char *token,
                                   quire_tenant *out, quire_error *err);

/* A new token, and an end to the one before. The default tenant has none until
 * then. `out` may be NULL. Lasting. */
quire_status quire_tenant_rotate(quire *q, const char *which,
                                 char token[QUIRE_TOKEN_SIZE],
                                 quire_tenant *out, quire_error *err);

/* Shut a tenant out, or let it in again; what it has stays. QUIRE_INVALID: the
 * default one. `out` may be NULL. Lasting. */
quire_status quire_tenant_disable(quire *q, const char *which, int disabled,
                                  quire_tenant *out, quire_error *err);

/* Remove a tenant with all it has: its rows in one transaction, then its files.
 * If that is interrupted, whoever writes next goes on with it. Blobs stay until
 * they are collected. Lasting.
 *
 * QUIRE_EXISTS   it has something, the words say what; with `all` it goes
 *                nevertheless
 * QUIRE_INVALID  the default one
 * QUIRE_IO       it is removed, but some of its files are still there */
quire_status quire_tenant_remove(quire *q, const char *which, int all,
                                 quire_error *err);

/* A change of a tenant or of a setting. It is noted in the transaction that makes
 * it; rows are only added, and outlive whom they concern. */
typedef struct quire_audit {
    int64_t id;
    int64_t at_us;
    const char *actor;  /* who did it: `actor` of the handle's options       */
    const char *action; /* "tenant.add", "tenant.rotate", "tenant.disable",
                           "tenant.enable", "tenant.remove", "config.set"    */
    int64_t tenant;     /* 0: all                                            */
    const char *name;   /* of the tenant, or the setting                     */
    const char *before, *after; /* JSON; NULL: nothing                       */
    uint64_t reserved[4];
} quire_audit;

typedef quire_status (*quire_audit_fn)(void *ctx, const quire_audit *change,
                                       quire_error *err);

/* Changes, the last first: `limit` of them (0: all), of those with a smaller id
 * than `before_id` (0: of all). What `each` is given is good until it returns. */
quire_status quire_audit_list(quire *q, int64_t before_id, uint64_t limit,
                              quire_audit_fn each, void *ctx, quire_error *err);

/* Count that an artifact was read, for a program whose handle could not. */
quire_status quire_artifact_count_read(quire *q, int64_t id, quire_error *err);

/* What sessions and tenants have used is counted as it changes. Count it anew,
 * in all tenants: *wrong (may be NULL) is how many counters were not right and
 * have been set right. */
quire_status quire_artifact_recount(quire *q, uint64_t *wrong,
                                    quire_error *err);

/* Make all that is derived again, from what it was made of: the indexes of
 * words of artifacts and of memory, the lists and tallies of sessions, counters.
 * For all tenants, if the handle is the default one's, else for its own. Others
 * may read meanwhile, and wait to write. */
quire_status quire_reindex(quire *q, quire_error *err);

/* ----------------------------------------------------------- the whole home */

enum {
    QUIRE_CHECK_QUICK = 1, /* of blobs, only presence and size               */
    QUIRE_CHECK_FULL = 2,  /* also every index and count, against what it was
                              made of                                        */
};

/* Look at everything in the home, of all tenants: that the catalogue is sound
 * and agrees with itself; every line of every session; that every blob that is
 * referred to is there; every blob against its name. The handle is the default
 * tenant's. Writes nothing. In a large home files and blobs are read by as many
 * threads as there are processors, up to eight; hooks are called by the thread
 * that called.
 *
 * Each finding is given to hooks->problem. Besides the kinds of a blob, and of
 * a line of a session (quire_session_problem), there are: "stray" (a blob's file
 * that no row speaks for), "database", "index", "schema", "foreign_key",
 * "counter", "row", "version", "size", "sequence", "setting", "words", "tally",
 * "list", "session_gone", "missing_blob", "removal", "json",
 * "workspace_differs", "workspace_extra", "workspace_missing".
 *
 * QUIRE_OK means that everything was looked at, whatever was found. */
quire_status quire_check(quire *q, unsigned flags,
                         const quire_check_hooks *hooks, quire_error *err);

enum {
    QUIRE_REPAIR_DRY = 1, /* say what would be mended */
};

/* Mend what can be mended without losing anything: what is derived is made
 * again, a blob's file gets its row, a damaged session a mended copy in its
 * place and the original beside it. Nothing is deleted, but for what was being
 * removed already. hooks->mended is given what was mended, hooks->problem what
 * remains. A sound home is left as it is, to the byte. */
quire_status quire_repair(quire *q, unsigned flags,
                          const quire_check_hooks *hooks, quire_error *err);

/* A session or a blob, among the largest. */
typedef struct quire_stat_session {
    char id[64];     /* "": there is none                                    */
    char title[128]; /* the beginning of it                                  */
    uint64_t bytes;
    int64_t created_us; /* 0: not known                                      */
} quire_stat_session;

typedef struct quire_stat_blob {
    quire_digest digest;
    uint64_t size, stored;
} quire_stat_blob;

/* What one tenant has. */
typedef struct quire_tenant_stats {
    int64_t id;
    char name[128];
    uint64_t sessions, archived; /* files, and those of them put away        */
    uint64_t session_bytes;
    uint64_t entries, messages;
    uint64_t outputs, output_bytes;
    uint64_t artifacts, artifact_bytes; /* living                            */
    uint64_t versions;
    uint64_t memories; /* valid or not                                       */
} quire_tenant_stats;

enum { QUIRE_STATS_TOP = 5 };

typedef struct quire_stats {
    size_t size;              /* sizeof(quire_stats)                          */
    quire_tenant_stats total; /* of all tenants; id 0                         */
    uint64_t tenants;
    uint64_t blobs, blob_bytes; /* distinct content                           */
    uint64_t stored_bytes;      /* what it takes, compressed                  */
    uint64_t references, referenced_bytes; /* each as often as it occurs      */
    uint64_t unreferenced;
    uint64_t database_bytes, free_bytes; /* of quire.db; within it            */
    quire_stat_session largest[QUIRE_STATS_TOP], oldest, newest;
    quire_stat_blob largest_blobs[QUIRE_STATS_TOP]; /* size 0: none           */
} quire_stats;

typedef quire_status (*quire_tenant_stats_fn)(void *ctx,
                                              const quire_tenant_stats *t,
                                              quire_error *err);

/* How much there is. Session files are read, for what they refer to; blobs are
 * not. `each` (may be NULL) is given every tenant. */
quire_status quire_stats_read(quire *q, quire_stats *out,
                              quire_tenant_stats_fn each, void *ctx,
                              quire_error *err);

/* ------------------------------------------------------------------- memory */

/*
 * A memory entry is a typed fact that outlives the session it was learnt in.
 * It belongs to the tenant; it may be pinned to a session, and may link one
 * artifact. An entry is true from valid_from on until it is invalidated; then
 * it is kept, for questions about the past, and is quote_text no more. Homes of
 * Quire's own kind have memory; one without a catalogue has none yet, and that
 * is no error.
 *
 * `session` below names a session as with artifacts, but NULL is no session:
 * the tenant itself.
 */

typedef enum quire_memory_type {
    QUIRE_MEMORY_USER,      /* who somebody is, what they like              */
    QUIRE_MEMORY_FEEDBACK,  /* what somebody said of the work               */
    QUIRE_MEMORY_PROJECT,   /* what is being made, and what was decided     */
    QUIRE_MEMORY_REFERENCE, /* where something is                           */
    QUIRE_MEMORY_LEARNING,  /* what was found out                           */
    QUIRE_MEMORY_CONTEXT    /* how things stand                             */
} quire_memory_type;

/* "user", "feedback", "project", "reference", "learning", "context", and back.
 * A static string; NULL for what is no type. QUIRE_INVALID names all of
 * them. */
const char *quire_memory_type_name(quire_memory_type type);
quire_status quire_memory_type_of(quire_bytes name, quire_memory_type *out,
                                  quire_error *err);

/* Text is on loan until the next call with the same handle. It may hold any
 * character, U+0000 too: hence bytes. */
typedef struct quire_memory {
    int64_t id;
    quire_memory_type type;
    quire_bytes title;   /* UTF-8, 1 to 200 bytes                           */
    quire_bytes content; /* UTF-8, up to 64 KiB                             */
    quire_bytes source;  /* UTF-8, up to 200 bytes                          */
    const char *tags;    /* a JSON array of strings                         */
    int64_t artifact;    /* the id of a living artifact; 0: none. One that was
                            put away comes back here when it is restored    */
    int64_t session_id;  /* of the session's row; 0: none                   */
    const char *session; /* the session's own id; "": none                  */
    int64_t created_us, updated_us;
    int64_t valid_from_us, valid_to_us; /* valid_to_us 0: it is valid       */
    double score;                       /* search: more is better           */
    uint64_t reserved[4];
} quire_memory;

typedef quire_status (*quire_memory_fn)(void *ctx, const quire_memory *entry,
                                        quire_error *err);

/* What an entry is to be. Set `size` with QUIRE_MEMORY_OPTIONS_INIT; fields are
 * only ever added. */
typedef struct quire_memory_options {
    size_t size;
    quire_memory_type type;
    quire_bytes title, content,
        source;              /* edit: .data NULL leaves it as it is */
    const quire_bytes *tags; /* up to 32 of 1 to 64 bytes; duplicates are kept;
                                edit: NULL leaves them                      */
    size_t n_tags;
    int64_t artifact;   /* 0: none; edit: 0 leaves it, -1 takes the link away */
    int set_type;       /* edit: the type changes too                       */
    int64_t created_us; /* add: when it became true, and was last changed;
                           0: now                                           */
    const int64_t *supersedes; /* add: entries that this one makes invalid, all
                                  of which must be valid                    */
    size_t n_supersedes;
} quire_memory_options;

#define QUIRE_MEMORY_OPTIONS_INIT                                              \
    {                                                                          \
        sizeof(quire_memory_options), QUIRE_MEMORY_USER, {NULL, 0}, {NULL, 0}, \
            {NULL, 0}, NULL, 0, 0, 0, 0, NULL, 0                               \
    }

/* Add an entry, pinned to `session`, with its relations and its words for the
 * search. From inside a session only what that session may read can be linked:
 * an artifact of its own, or one that a valid entry of the tenant links, which
 * it could cite; the tenant itself (session NULL) may link any of its artifacts.
 * Each superseded entry becomes invalid when this one becomes valid, and gets
 * a relation QUIRE_SUPERSEDES from it. *out may be NULL. All or nothing, and
 * lasting when it returns QUIRE_OK.
 *
 * QUIRE_INVALID    something is too long, empty, or not UTF-8
 * QUIRE_NOT_FOUND  no such session, artifact, or valid entry to supersede */
quire_status quire_memory_add(quire *q, const char *session,
                              const quire_memory_options *options,
                              quire_memory *out, quire_error *err);

/* Change a valid entry, which keeps its id, its session and its relations. */
quire_status quire_memory_edit(quire *q, const char *session, int64_t id,
                               const quire_memory_options *options,
                               quire_memory *out, quire_error *err);

/* A valid entry by id; with as_of_us one that was valid then: from
 * valid_from_us on, and not at valid_to_us any more. QUIRE_NOT_FOUND for all
 * others. */
quire_status quire_memory_get(quire *q, int64_t id, int64_t as_of_us,
                              quire_memory *out, quire_error *err);

/* Which ones. Set `size` with QUIRE_MEMORY_LIST_OPTIONS_INIT. */
typedef struct quire_memory_list_options {
    size_t size;
    unsigned types;      /* 1u << type, or'ed; 0: all                       */
    const char *tag;     /* a whole tag, A to Z in any case; NULL: all. '%' and
                            '_' are themselves                              */
    const char *session; /* pinned to this session, or to none; NULL: all   */
    int64_t since_us;    /* changed then or later                           */
    int64_t as_of_us;    /* those that were valid then; 0: now              */
    int64_t before_us, before_id; /* after this one in the list: its updated_us
                                     and id; 0: from the start              */
    uint64_t limit;               /* 0: 50; never more than 1000            */
} quire_memory_list_options;

#define QUIRE_MEMORY_LIST_OPTIONS_INIT                                   \
    {                                                                    \
        sizeof(quire_memory_list_options), 0u, NULL, NULL, 0, 0, 0, 0, 0 \
    }

/* Entries, the last changed first, of those changed at once the one with the
 * higher id. QUIRE_NOT_FOUND: no such session. */
quire_status quire_memory_list(quire *q,
                               const quire_memory_list_options *options,
                               quire_memory_fn each, void *ctx,
                               quire_error *err);

/* How to look. Set `size` with QUIRE_RECALL_OPTIONS_INIT. */
typedef struct quire_recall_options {
    size_t size;
    unsigned types;      /* these rank higher (x 1.3); 0: cue words in the
                            question choose them                            */
    const char *tag;     /* with it they rank higher (x 1.2)                */
    const char *session; /* who asks: its own entries are a list of their own,
                            and come first; NULL: the tenant                */
    int no_intent;       /* cue words choose nothing                        */
    int no_decay;        /* age does not count                              */
    int64_t half_life_days; /* 0: 90                                        */
    int64_t as_of_us;       /* those that were valid then; 0: now           */
    uint64_t limit;         /* 0: 20; never more than 200                   */
} quire_recall_options;

#define QUIRE_RECALL_OPTIONS_INIT                                   \
    {                                                               \
        sizeof(quire_recall_options), 0u, NULL, NULL, 0, 0, 0, 0, 0 \
    }

/* Entries by the words of a question, the best first. Any text is a question:
 * one word of it must be there, all of them together or near each other rank
 * higher; in the title more than in tags, text and source. Case and accents do
 * not count, words like "the" neither, and words of code, and Chinese, Japanese
 * and Korean, are found by their parts. Of words that are in very many the
 * newest are ranked; *partial (may be NULL) says so.
 *
 * QUIRE_NOT_FOUND  nothing is found, or no such session
 * QUIRE_INVALID    there is no word in the question */
quire_status quire_memory_search(quire *q, quire_bytes query,
                                 const quire_recall_options *options,
                                 quire_memory_fn each, void *ctx, int *partial,
                                 quire_error *err);

/* It is true no longer, from when_us on (0: now). From now on it cannot be read
 * by id, edited, related or invalidated again: QUIRE_NOT_FOUND. Its relations
 * stay. */
quire_status quire_memory_invalidate(quire *q, int64_t id, int64_t when_us,
                                     quire_error *err);

/* Delete for good, valid or not, with its relations. */
quire_status quire_memory_remove(quire *q, int64_t id, quire_error *err);

typedef enum quire_relation_kind {
    QUIRE_RELATES_TO,
    QUIRE_REFINES,
    QUIRE_CONTRADICTS,
    QUIRE_SUPERSEDES,
    QUIRE_SUPPORTS
} quire_relation_kind;

/* "relates_to", "refines", "contradicts", "supersedes", "supports", and back,
 * as quire_memory_type_name() has it. */
const char *quire_relation_name(quire_relation_kind kind);
quire_status quire_relation_of(quire_bytes name, quire_relation_kind *out,
                               quire_error *err);

typedef struct quire_relation {
    int64_t id, source, target;
    quire_relation_kind kind;
    int64_t created_us;
    uint64_t reserved[4];
} quire_relation;

typedef quire_status (*quire_relation_fn)(void *ctx,
                                          const quire_relation *relation,
                                          quire_error *err);

/* Relate two valid entries. *out may be NULL. Lasting.
 *
 * QUIRE_EXISTS     there already, and out->id is its id
 * QUIRE_INVALID    with itself
 * QUIRE_NOT_FOUND  an end is missing or not valid */
quire_status quire_relation_add(quire *q, int64_t source,
                                quire_relation_kind kind, int64_t target,
                                quire_relation *out, quire_error *err);
quire_status quire_relation_remove(quire *q, int64_t id, quire_error *err);

/* Set `size` with QUIRE_RELATION_LIST_OPTIONS_INIT. */
typedef struct quire_relation_list_options {
    size_t size;
    int64_t source, target, either; /* the entry at that end; 0: any        */
    int kind;                       /* -1: any                              */
    int64_t before_id;              /* below this one; 0: from the start    */
    uint64_t limit;                 /* 0: 200; never more than 1000         */
} quire_relation_list_options;

#define QUIRE_RELATION_LIST_OPTIONS_INIT                       \
    {                                                          \
        sizeof(quire_relation_list_options), 0, 0, 0, -1, 0, 0 \
    }

/* Relations, the newest id first; those of invalid entries too. */
quire_status quire_relation_list(quire *q,
                                 const quire_relation_list_options *options,
                                 quire_relation_fn each, void *ctx,
                                 quire_error *err);

/* Set `size` with QUIRE_GRAPH_OPTIONS_INIT. */
typedef struct quire_graph_options {
    size_t size;
    unsigned types;     /* 1u << type, or'ed; 0: all                        */
    int64_t around;     /* what is near this entry; 0: everything           */
    unsigned depth;     /* so many steps from it                            */
    uint64_t max_nodes; /* 0: all                                           */
} quire_graph_options;

#define QUIRE_GRAPH_OPTIONS_INIT                 \
    {                                            \
        sizeof(quire_graph_options), 0u, 0, 1, 0 \
    }

/* Valid entries, as they are listed, and then the relations whose both ends are
 * among them, by id. With `around` that entry, whatever its type, and those
 * within `depth` steps of it along relations, the nearest first. Of one moment,
 * and all there are unless max_nodes says otherwise.
 *
 * QUIRE_NOT_FOUND  `around` is no valid entry */
quire_status quire_memory_graph(quire *q, const quire_graph_options *options,
                                quire_memory_fn each_entry,
                                quire_relation_fn each_relation, void *ctx,
                                quire_error *err);

/* ------------------------------------------------------------------ history */

/*
 * The prompts a person typed, in history.db of the home. oh-my-pi keeps its own
 * in a file of that name: one that is there is used as it is, beside that
 * program if it is running, and what either adds the other finds.
 */

typedef struct quire_prompt {
    int64_t id;
    quire_bytes prompt;   /* UTF-8                                          */
    int64_t created_at_s; /* when it was last typed, Unix seconds           */
    const char *cwd;      /* where; NULL: not known                         */
    const char *session;  /* in which session, its id; NULL: not known      */
    uint64_t reserved[4];
} quire_prompt;

/* Takes a prompt, which is on loan until it returns. */
typedef quire_status (*quire_prompt_fn)(void *ctx, const quire_prompt *prompt,
                                        quire_error *err);

/* Add a prompt that was typed in the directory `cwd` (NULL: the working
 * directory) and the session with the id `session` (NULL: none), now. CRLF and
 * CR become a newline, blanks at the end of lines and around the whole are
 * dropped, what is not UTF-8 becomes U+FFFD. *id (may be NULL) is its row.
 *
 * A prompt that is there already keeps its row and its id, and is as new as if
 * it had just been typed. In a file of oh-my-pi 13, where a prompt may have
 * several rows, it gets another one, unless the last row says the same. One of
 * nothing but blanks is not kept: *id is 0.
 *
 * After QUIRE_OK it survives the end of the process; after a power cut within
 * the next moments it may be missing.
 *
 * QUIRE_INVALID  longer than 16 MiB; or the handle is read only, or has no home
 * QUIRE_BUSY     another writer does not let go
 * QUIRE_DAMAGED  history.db is no prompt history: it is left as it is */
quire_status quire_history_add(quire *q, quire_bytes text, const char *cwd,
                               const char *session, int64_t *id,
                               quire_error *err);

/* Set `size` with QUIRE_HISTORY_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_history_options {
    size_t size;
    const char *cwd; /* only those typed there last; NULL: anywhere         */
    uint64_t limit;  /* no more than so many; 0: 100. Never more than 1000  */
} quire_history_options;

#define QUIRE_HISTORY_OPTIONS_INIT             \
    {                                          \
        sizeof(quire_history_options), NULL, 0 \
    }

/* Each prompt, the newest first. `options` may be NULL. Stops when `each`
 * returns anything but QUIRE_OK, and returns that. No history is an empty one.
 *
 * QUIRE_DAMAGED  history.db is no prompt history */
quire_status quire_history_list(quire *q, const quire_history_options *options,
                                quire_prompt_fn each, void *ctx,
                                quire_error *err);

/* The same for those that have every word of `query`: as the beginning of a
 * word, whatever its case and accents, or anywhere in the text, whatever the
 * case of A to Z. Words are letters and digits, all else separates them; a
 * query without any is looked for as it is. Any text is a query but blanks,
 * which are QUIRE_INVALID. To find nothing is QUIRE_OK. */
quire_status quire_history_search(quire *q, quire_bytes query,
                                  const quire_history_options *options,
                                  quire_prompt_fn each, void *ctx,
                                  quire_error *err);

/* -------------------------------------------------------------- scratchpads */

/*
 * A scratchpad is text that only grows: the notes an agent makes for itself,
 * under its name, or those that all agents of the tenant share, under "". A
 * name is UTF-8 of at most 200 bytes. Homes of Quire's own kind have them.
 */

/* Add text, UTF-8, at the end: a comment with the local time on a line of its
 * own, the text, and an empty line. *size (may be NULL) is what the pad has
 * then, in bytes. Lasting when it returns QUIRE_OK; else nothing has changed.
 *
 * QUIRE_INVALID  there is no text, or it is not UTF-8; the name cannot be
 * QUIRE_QUOTA    the pad would have more than 4 MiB */
quire_status quire_pad_append(quire *q, const char *name, quire_bytes text,
                              uint64_t *size, quire_error *err);

/* All of it, in pieces, from the beginning. QUIRE_NOT_FOUND: nothing was ever
 * added, or it was cleared. */
quire_status quire_pad_read(quire *q, const char *name, quire_write_fn write,
                            void *ctx, quire_error *err);

typedef struct quire_pad {
    const char *name;   /* "": the one that all share     */
    uint64_t size;      /* bytes                          */
    int64_t updated_us; /* when something was last added  */
} quire_pad;

typedef quire_status (*quire_pad_fn)(void *ctx, const quire_pad *pad,
                                     quire_error *err);

/* Each scratchpad of the tenant that has something in it, by name. What `each`
 * is given is good until it returns. */
quire_status quire_pad_list(quire *q, quire_pad_fn each, void *ctx,
                            quire_error *err);

/* Delete all of it, for good. One that is not there is as good. */
quire_status quire_pad_clear(quire *q, const char *name, quire_error *err);

/* -------------------------------------------------------------------- slash */

/*
 * Slash commands: the way of agents that have no tools but their text. A line
 * that begins with /write, /read, /list or /mem is a command; each gets one
 * reply, a block of text to be given back to the agent:
 *
 *     [/read notes/a.md]
 *     what is in it
 *     [END READ]
 *
 * and an empty line. What the agent wrote in a ``` or ~~~ fence is no command.
 * Two commands that say the same both act, in the order of the text.
 *
 * A block ends at the first line that begins with "[END ". A line of content
 * that begins so, behind any number of blanks, is given one blank more in the
 * block, so that nothing that was stored can end it. Whether a command did what
 * it was to do is in the reply's status, not in its words: a file may well
 * begin with "ERR:".
 */

/* A file that an agent wrote, kept or not. On loan until the callback returns.
 * The path is the agent's own, any bytes at all: never a name to open. */
typedef struct quire_slash_file {
    quire_bytes path;
    quire_bytes content;
    int64_t id; /* the artifact it was kept as; 0: it was not              */
    uint64_t reserved[4];
} quire_slash_file;

typedef quire_status (*quire_slash_file_fn)(void *ctx,
                                            const quire_slash_file *file,
                                            quire_error *err);

/* Set `size` with QUIRE_SLASH_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_slash_options {
    size_t size;
    const char *session;        /* whose artifacts; NULL: none, and there are no
                            artifacts to be written or read                 */
    const char *agent;          /* who speaks: its scratchpad, the agent of its
                            artifacts; NULL: "agent"                        */
    const char *const *allowed; /* the commands it may use, ended by NULL:
                                   "read", "mem search"; "mem" is all that
                                   begin so. NULL: every one. The others are
                                   refused before they do anything          */
    uint64_t read_limit;        /* bytes of content a reply has; 0: 16,384  */
    uint64_t budget;            /* bytes all replies have, frames and notes
                                   not counted, but each as 32 at least; 0:
                                   32,768. When they are used up the commands
                                   that follow are skipped                  */
    quire_slash_file_fn file;   /* told of every file written; NULL: nobody  */
    void *file_ctx;
} quire_slash_options;

#define QUIRE_SLASH_OPTIONS_INIT                                        \
    {                                                                   \
        sizeof(quire_slash_options), NULL, NULL, NULL, 0, 0, NULL, NULL \
    }

/* What became of one command. On loan until the callback returns. */
typedef struct quire_slash_reply {
    const char *command; /* "write", "mem add entry"                         */
    quire_bytes args;    /* the rest of its line                             */
    quire_bytes body;    /* what stands in the block, as it is stored        */
    quire_bytes block;   /* all of it, for the agent                         */
    quire_status status; /* how it went                                      */
    const char *kind;    /* the same in a word, finer: "ok", "warning" (done,
                            but not all that was asked); "denied", "usage",
                            "unclosed", "unavailable", "path", "elsewhere",
                            "uncited", "skipped"; else the name of the status */
    int64_t id;          /* of the artifact, the entry or the relation that it
                            made or read; 0: none                            */
    uint64_t line;       /* where it stands in the text, from 1              */
    int truncated;       /* there was more than the body has                 */
    uint64_t skipped;    /* it did nothing, for lack of budget; of so many
                            commands this is the reply. 0: it was run        */
    const char *mime;    /* it read an image, of this type, to be handed on
                            beside the text; NULL: it did not                */
    quire_bytes part;    /* that image                                       */
    uint64_t reserved[4];
} quire_slash_reply;

typedef quire_status (*quire_slash_fn)(void *ctx,
                                       const quire_slash_reply *reply,
                                       quire_error *err);

/* Run the commands in an agent's text, in its order, and give each reply to
 * `each` before the next command is run. A text without commands has none.
 * `options` may be NULL. Unlike other callbacks `each` and `file` may use the
 * handle.
 *
 * What a command cannot do is in its reply. What was done before the function
 * failed stays done, and has been replied to, unless it was the reply or its
 * file that the callback did not take. It fails for these:
 *
 * QUIRE_NOT_FOUND  no such session
 * QUIRE_INVALID    a session of a home that has no artifacts
 * QUIRE_NO_MEMORY, whatever a callback returns, and if there is a session but
 * its artifacts cannot be looked at, what that says */
quire_status quire_slash(quire *q, quire_bytes text,
                         const quire_slash_options *options,
                         quire_slash_fn each, void *ctx, quire_error *err);

/* ------------------------------------------------------------ conversations */

/* JP's conversations: directories with an events.json, which these functions
 * read and write in place. Content lies in a blob store of its own beside each
 * `conversations/`, so the handle is opened on that directory alone:
 *
 *     quire_conversation_store(dir, path, sizeof path, &err);
 *     options.blobs = path;
 *     options.layout = QUIRE_LAYOUT_LOOSE;
 *     quire_open(&options, &q, &err);
 *
 * `dir` is the directory of a conversation, or a file in it. */

typedef enum quire_conversation_state {
    QUIRE_CONVERSATION_ACTIVE = 0,
    QUIRE_CONVERSATION_ARCHIVED, /* in .archive/ */
    QUIRE_CONVERSATION_TRASHED,  /* in .trash/   */
} quire_conversation_state;

/* One conversation. Text is on loan until the callback returns. */
typedef struct quire_conversation {
    const char *path; /* of its directory, absolute, without links           */
    const char *id;   /* "jp-c17780000011"                                   */
    const char *file; /* where its events are: "events.json"; "messages.json"
                         before December 2025; "": it has none               */
    quire_conversation_state state;
    const char *title;   /* "": none                                         */
    uint64_t events;     /* without those that are configuration             */
    int64_t last_us;     /* when the last one was, since 1970; 0: not known  */
    const char *problem; /* why it cannot be read; NULL: it can              */
    uint64_t reserved[4];
} quire_conversation;

typedef quire_status (*quire_conversation_fn)(void *ctx,
                                              const quire_conversation *one,
                                              quire_error *err);

enum {
    /* Fill title, events, last_us and problem too, which reads the files of
     * each. No blob is opened. */
    QUIRE_CONVERSATION_DETAILS = 1 << 0,
};

/* Each conversation in `dir`: a `.jp`, what holds one, a `conversations`
 * directory, one conversation or a file of it. Active ones come first, then
 * archived and trashed ones, each by name. Needs no store.
 *
 * QUIRE_NOT_FOUND  `dir` is not there, or is nothing of these */
quire_status quire_conversation_list(const char *dir, unsigned flags,
                                     quire_conversation_fn each, void *ctx,
                                     quire_error *err);

/* The blobs directory that belongs to what is in `dir`, as a path into `out`.
 * It need not be there.
 *
 * QUIRE_NOT_FOUND  `dir` does not lie in a directory called `conversations` */
quire_status quire_conversation_store(const char *dir, char *out, size_t cap,
                                      quire_error *err);

/* What became of a conversation. */
typedef struct quire_moved {
    uint64_t payloads; /* that were moved                                    */
    uint64_t blobs;    /* of those, that the store did not have              */
    uint64_t bytes;    /* of their content                                   */
    uint64_t problems; /* told to the hooks                                  */
    int changed;       /* the file was written                               */
    uint64_t reserved[4];
} quire_moved;

/* Move every payload of a conversation into the store and leave references:
 * {"$blob": "<64 hex>", "size": n}. All else in the file stays, byte for byte;
 * a file with nothing to move is not written. What is no reference and no
 * payload either (two forms at once, digits that are none, a size that is
 * wrong) stays and is told to `hooks`, which may be NULL; their progress is
 * not called. `moved` may be NULL.
 *
 * After QUIRE_OK all of it survives a power cut; after anything else the file
 * is as it was, or, if only the last wait for the disk failed, complete. Blobs
 * may be there that nothing refers to.
 *
 * QUIRE_DAMAGED    it is not JSON; the words say where
 * QUIRE_INVALID    not an array of events, a link, an older form than
 *                  events.json
 * QUIRE_BUSY       JP is working on it
 * QUIRE_CHANGED    somebody wrote to it meanwhile: try again
 * QUIRE_TOO_LARGE  more than 1 GiB */
quire_status quire_conversation_externalize(quire *q, const char *dir,
                                            const quire_check_hooks *hooks,
                                            quire_moved *moved,
                                            quire_error *err);

/* The way back, to the form that JP reads today. With `write` the text goes
 * there, whole, and the file stays; else the file is replaced as above.
 *
 * QUIRE_DAMAGED  blobs are missing or damaged, and have been told to `hooks`;
 *                nothing was written */
quire_status quire_conversation_hydrate(quire *q, const char *dir,
                                        quire_write_fn write, void *ctx,
                                        const quire_check_hooks *hooks,
                                        quire_moved *moved, quire_error *err);

typedef enum quire_print_style {
    QUIRE_PRINT_FULL = 0, /* all of it                                       */
    QUIRE_PRINT_BRIEF,    /* tools by name and size, without content         */
    QUIRE_PRINT_CHAT,     /* what people and models said                     */
    QUIRE_PRINT_USER,     /* what people said                                */
} quire_print_style;

/* Set `size` with QUIRE_PRINT_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_print_options {
    size_t size;
    quire_print_style style;
    uint64_t first; /* the turns from this one, which count from 1           */
    uint64_t last;  /* to this one; 0: to the end                            */
    uint64_t tail;  /* not 0: the last so many turns instead                 */
} quire_print_options;

#define QUIRE_PRINT_OPTIONS_INIT                               \
    {                                                          \
        sizeof(quire_print_options), QUIRE_PRINT_FULL, 1, 0, 0 \
    }

/* A part of a conversation. On loan until the callback returns. */
typedef struct quire_part {
    const char *kind;  /* "user", "assistant", "reasoning", "data", "call",
                         "result", "error", "resource", "question", "answer",
                         "compaction"                                        */
    quire_bytes label; /* of a tool, its name; of a resource, its URI; who
                          asks; may be empty                                 */
    quire_bytes text;  /* what it says; any bytes                            */
    uint64_t
        bytes;     /* of its content, also where that is not quote_text       */
    uint64_t turn; /* from 1                                             */
    int64_t at_us; /* since 1970; 0: not known                           */
    int missing;   /* its blob is missing or damaged: `text` says so     */
    uint64_t reserved[4];
} quire_part;

typedef quire_status (*quire_part_fn)(void *ctx, const quire_part *part,
                                      quire_error *err);

/* Read a conversation, with its real content, part by part. What is missing is
 * told to `hooks` (may be NULL) and in the part. Files of before December 2025
 * are read too. `options` may be NULL. */
quire_status quire_conversation_print(quire *q, const char *dir,
                                      const quire_print_options *options,
                                      const quire_check_hooks *hooks,
                                      quire_part_fn each, void *ctx,
                                      quire_error *err);

/* A file that belongs to a conversation. On loan until the callback returns. */
typedef struct quire_conversation_file {
    const char *path; /* absolute, or below the path the store was opened by */
    int blob;         /* a blob, not one of its own files                    */
    int missing;      /* the blob is referred to and is not there            */
    uint64_t reserved[4];
} quire_conversation_file;

typedef quire_status (*quire_conversation_file_fn)(
    void *ctx, const quire_conversation_file *file, quire_error *err);

/* What version control has to add for a conversation: its own JSON files, then
 * each blob it refers to, once. Nothing is unpacked. */
quire_status quire_conversation_files(quire *q, const char *dir,
                                      quire_conversation_file_fn each,
                                      void *ctx, quire_error *err);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
