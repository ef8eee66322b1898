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
 * child neither uses nor closes it. There is no global state and nothing to
 * initialise.
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
} quire_options;

#define QUIRE_OPTIONS_INIT                                                     \
    {                                                                          \
        sizeof(quire_options), NULL, QUIRE_KIND_AUTO, NULL, QUIRE_LAYOUT_AUTO, \
            0, 5000, NULL, NULL, NULL, NULL                                    \
    }

/* Open a store and give its handle in *out, NULL on failure. The home need
 * not exist: the
 * first write makes it, mode 0700; reading from it finds it empty. `options`
 * may be NULL for all defaults.
 *
 * QUIRE_INVALID  no place is named, and the environment names none either; or
 *                the options make no sense
 * QUIRE_IO       it is not a directory, or cannot be reached
 *
 * What is inside is looked at by the first call that needs it, which may then
 * answer QUIRE_DAMAGED (quire.db is no database of ours) or QUIRE_INVALID (a
 * newer Quire wrote it). */
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

/* Something wrong in a blob store. */
typedef struct quire_problem {
    const char *kind;  /* "cut", "not_gzip", "broken", "checksum", "trailing",
                          "too_long", "too_short", "content", "missing",
                          "row", "unreadable"                               */
    const char *where; /* the blob's reference, or "quire.db"               */
    char what[256];
} quire_problem;

/* Set `size` with QUIRE_CHECK_HOOKS_INIT; fields are only ever added. */
typedef struct quire_check_hooks {
    size_t size;
    /* Each problem found, in the order of the blobs. */
    quire_status (*problem)(void *ctx, const quire_problem *problem,
                            quire_error *err);
    /* After each blob: how many of how many are done. May be NULL. */
    quire_status (*progress)(void *ctx, uint64_t done, uint64_t total,
                             quire_error *err);
    void *ctx;
} quire_check_hooks;

#define QUIRE_CHECK_HOOKS_INIT                      \
    {                                               \
        sizeof(quire_check_hooks), NULL, NULL, NULL \
    }

/* Read every blob (`only` NULL) or one, and compare it with its name.
 * QUIRE_OK means the check ran, whatever it found: the problems, and only
 * they, say what is wrong. Writes nothing. */
quire_status quire_blob_check(quire *q, const quire_digest *only,
                              const quire_check_hooks *hooks, quire_error *err);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
