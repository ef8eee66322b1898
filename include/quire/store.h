/*
 * quire/store.h - open a store
 *
 * A store is a home: a directory with sessions, blobs and a catalogue,
 * quire.db. Homes of oh-my-pi and JP are opened in place, in their own layout.
 */
#ifndef QUIRE_STORE_H
#define QUIRE_STORE_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* Which program a home belongs to. Each keeps its blobs in its own layout. */
typedef enum quire_kind {
    QUIRE_KIND_AUTO = 0, /* detect from the directory                     */
    QUIRE_KIND_NATIVE,   /* Quire's own: packed blobs, quire.db           */
    QUIRE_KIND_OMP,      /* an oh-my-pi home (~/.omp/agent): flat blobs   */
    QUIRE_KIND_JP,       /* the .jp of a JP workspace: loose blobs        */
} quire_kind;

/* How blobs lie on the disk; docs/format.md has every byte. */
typedef enum quire_layout {
    QUIRE_LAYOUT_AUTO = 0, /* the layout of the home's kind               */
    QUIRE_LAYOUT_PACKED,   /* small blobs in quire.db, larger ones loose  */
    QUIRE_LAYOUT_LOOSE,    /* aa/bb/<60 hex>.blob.gz, the same bytes on
                              every machine                               */
    QUIRE_LAYOUT_FLAT,     /* <64 hex>, raw                               */
} quire_layout;

/* Return the name of a kind or a layout: "native", "packed", …
 *
 * Owns: static strings.
 * Fails: never; "unknown" for other numbers.
 * Durable: reads only. */
const char *quire_kind_name(quire_kind kind);
const char *quire_layout_name(quire_layout layout);

/* Return the agent whose own directory `home` is, such as "claude-code" for ~/.claude:
 * by its name, the variable of that agent, or its content. NULL: it is not one, or its
 * format is ours (pi, oh-my-pi, JP). Such a home is read by `quire import` alone.
 *
 * Owns: a static string.
 * Fails: never.
 * Durable: reads only. */
const char *quire_home_agent(const char *home);

enum {
    QUIRE_READ_ONLY = 1 << 0, /* refuse writes; an absent store is empty. What
                                 a crashed writer left half done may still be
                                 completed                                  */
};

/* Begin with QUIRE_OPTIONS_INIT, which sets `size`; later versions only add
 * fields. */
typedef struct quire_options {
    size_t size;
    const char *home;    /* NULL: $QUIRE_HOME, else the XDG directory      */
    quire_kind kind;     /* AUTO: detect                                   */
    const char *blobs;   /* NULL: those of the home. Else a blobs directory
                            alone: no home is touched, and only the blob
                            functions work                                 */
    quire_layout layout; /* with `blobs`; AUTO: detect, loose if it is new */
    unsigned flags;
    int busy_ms; /* how long to wait for another writer; default 5000      */

    /* Called for every operation on files and database, one line each, from
     * within the call: shows what a program does. NULL: off. */
    void (*trace)(void *ctx, const char *line);
    void *trace_ctx;

    /* The time in microseconds since 1970. NULL: the system's. */
    int64_t (*now_us)(void *ctx);
    void *now_ctx;

    /* The tenant the handle works for: a name, or an id such as "#12". NULL:
     * $QUIRE_TENANT, else "default". Ignored with `blobs`. */
    const char *tenant;

    /* The actor that the audit log names for changes of tenants and settings;
     * at most 63 bytes. NULL: the user's number, "uid:1000". */
    const char *actor;

    /* Page cache of the catalogue in KiB. 0: 16 MiB, right for one handle;
     * where many handles read the same home, the system's cache serves all. */
    int cache_kib;

    /* Another open handle on the same home, used by another thread. The two
     * share a commit queue: artifacts that both put at the same time are
     * committed together, with one wait for the disk. It is looked at during
     * quire_open() only. NULL: a queue of its own. */
    struct quire *peer;

    /* Notices changes of session files, so that a search need not look at each of
     * them: quire_search_watch_new() in quire/search.h. NULL: none. */
    struct quire_search_watch *search_watch;

    /* postgres://user@host1,host2/database: the home that several machines share. The
     * home named above then keeps only what is derived and working copies. A peer has
     * the same. NULL: the home is on the disk. */
    const char *database;

    /* s3://bucket/prefix: where blobs above 64 KiB are. With `database` only; NULL:
     * they are in the database, too. */
    const char *objects;
} quire_options;

#define QUIRE_OPTIONS_INIT                                                     \
    {                                                                          \
        sizeof(quire_options), NULL, QUIRE_KIND_AUTO, NULL, QUIRE_LAYOUT_AUTO, \
            0, 5000, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL,  \
            NULL                                                               \
    }

/* Open a store. The home need not exist: the first write creates it with mode
 * 0700, reads find it empty. Files and database are opened by the first call
 * that needs them. `options` may be NULL for all defaults.
 *
 * Owns: *out is the caller's until quire_close(); NULL on failure.
 * Fails: common
 *   QUIRE_INVALID    neither options nor environment name a home; an option is
 *                    out of range; the database is no address of one; the tenant is disabled or its name is
 *                    ambiguous; this kind of home has no tenants; it is one of
 *                    another agent, as quire_home_agent() says
 *   QUIRE_NOT_FOUND  no such tenant
 *   QUIRE_IO         the path is not a directory, or cannot be reached
 * Durable: reads only. */
quire_status quire_open(const quire_options *options, quire **out,
                        quire_error *err);

/* Close a handle; NULL does nothing. An open transaction is rolled back.
 *
 * Owns: frees `q`; close its sessions, workspaces, outputs and watches before.
 * Fails: never.
 * Durable: under durability=flush, not waited for: call quire_sync() first. */
void quire_close(quire *q);

/* Release the space that a native home reserves for deletions, if the disk is
 * full. Functions that delete do so themselves; call this first if something is
 * looked up before. A later write reserves it again when there is room.
 *
 * Owns: nothing.
 * Fails: never.
 * Durable: no change. */
void quire_make_room(quire *q);

/* Return the address of the home's database without user and password, as paths of
 * sessions begin; NULL: the home is on the disk.
 *
 * Owns: the text is lent until quire_close().
 * Fails: never.
 * Durable: reads only. */
const char *quire_database(const quire *q);

/* Return the directory the handle works on, its kind and its blob layout.
 *
 * Owns: the path is lent until quire_close().
 * Fails: never.
 * Durable: reads only. */
const char *quire_home(const quire *q);
quire_kind quire_home_kind(const quire *q);
quire_layout quire_blob_layout(const quire *q);

/* Return a number that differs from the previous call's when another handle, of
 * this process or another, has committed to quire.db in between. It covers the
 * catalogue alone: not session entries, not prompts. Takes microseconds.
 *
 * Owns: nothing.
 * Fails: returns 0 without a database, or when it cannot be read.
 * Durable: reads only. */
int64_t quire_changes(quire *q);

/* Return a number that is the same as that of an earlier call only if no session file
 * of the tenant has changed since, by any process of this machine. Takes microseconds:
 * it asks the directory watches of `search_watch` (quire_options).
 *
 * Owns: nothing.
 * Fails: returns 0 without watches, or when they cannot tell.
 * Durable: reads only. */
uint64_t quire_session_changes(quire *q);

/* List the ids of the sessions whose files, or outputs, have changed since the last such
 * call with `q`. `each` must not call the library.
 *
 * Owns: an id is lent until `each` returns.
 * Fails: returns 0 if others may have changed, too: at the first call, without watches,
 *   after many changes at once.
 * Durable: reads only. */
int quire_session_changed(quire *q, void (*each)(void *ctx, const char *id),
                          void *ctx);

QUIRE_DECLS_END

#endif
