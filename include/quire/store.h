/* quire/store.h - open a store and ask what it is */
#ifndef QUIRE_STORE_H
#define QUIRE_STORE_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

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

/* A number that is another one when anybody else, of this process or of another,
 * has changed the home's database since it was asked before; what was changed is
 * not told. What lies in other files, as the entries of a session and the prompts
 * of the history, does not count. Takes microseconds. 0: there is no database, or
 * it cannot be read. */
int64_t quire_changes(quire *q);

QUIRE_DECLS_END

#endif
