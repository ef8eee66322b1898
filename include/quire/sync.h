/*
 * quire/sync.h - exchange what two homes have
 *
 * Two homes exchange what the other lacks: sessions with their outputs, artifacts with
 * their versions, memory entries with their relations, and the blobs that these refer
 * to. Nothing is removed in either. Repeating a sync changes nothing; an interrupted
 * one is continued by the next.
 *
 * A session is known by its id, wherever it lies. Entries are a set under one tree:
 * where both homes have appended, each gets the other's entries, both leaves are there
 * as branches, and each home keeps its own leaf; the leaf moves on only where the
 * other's continues it. Two entries with one id and different content are both kept,
 * the one that arrives under "<id>~<16 hex>". Of an artifact both contents are kept as
 * versions, and the later is the current one. A memory entry has the text of its later
 * change and the earlier of its ends.
 *
 * Prompts, settings, pins, the trash and the run log stay in each home, and so does what
 * is marked with quire_sync_set_local(). A session in the trash is not taken back.
 */
#ifndef QUIRE_SYNC_H
#define QUIRE_SYNC_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_sync_result {
    uint64_t sent; /* records: sessions, outputs, artifacts, entries of memory;
                          a session of which only new entries are sent is one   */
    uint64_t
        received; /* of the other side's, those that changed this home     */
    uint64_t bytes_sent,
        bytes_received; /* of the stream, compressed           */
    uint64_t
        merged; /* of `received`: both homes had changed them             */
    uint64_t skipped; /* left for later or for good: in use, local only, in the
                         trash, of an old format                                */
    uint64_t trips; /* how often this side waited for the other               */
    uint64_t reserved[5];
} quire_sync_result;

/* Begin with QUIRE_SYNC_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_sync_options {
    size_t size;
    quire_read_fn read; /* what the other side writes; zero bytes: its end    */
    quire_write_fn
        write; /* to the other side; everything, or an error         */
    void *ctx; /* of both                                            */
} quire_sync_options;

#define QUIRE_SYNC_OPTIONS_INIT                      \
    {                                                \
        sizeof(quire_sync_options), NULL, NULL, NULL \
    }

/* Sync the home with the one at the other end of a stream, where
 * quire_sync_serve() runs. Both work for the tenant of their handle. *out (may be
 * NULL) is set also on failure.
 *
 * Owns: nothing.
 * Fails: common. What arrived before a failure stays.
 *   QUIRE_INVALID  it is another program's home; a transaction is open; the other
 *                  side is no Quire, or of another version
 *   QUIRE_DAMAGED  what arrived does not have its digest
 *   QUIRE_IO       the stream ended too early
 *   any status     what read or write returned, or the other side met
 * Durable: each record, before the next one is taken. */
quire_status quire_sync_home(quire *q, const quire_sync_options *options,
                             quire_sync_result *out, quire_error *err);
quire_status quire_sync_serve(quire *q, const quire_sync_options *options,
                              quire_sync_result *out, quire_error *err);

/* What stays in this home. */
typedef enum quire_sync_local {
    QUIRE_LOCAL_SESSION, /* a session, with what belongs to it                  */
    QUIRE_LOCAL_PROJECT, /* the sessions of a directory and of those below it   */
    QUIRE_LOCAL_FOLDER, /* the sessions in a folder                            */
} quire_sync_local;

typedef quire_status (*quire_sync_local_fn)(void *ctx, quire_sync_local kind,
                                            const char *value,
                                            quire_error *err);

/* Mark what is neither sent nor received, or with `on` 0 remove the mark. `value` names
 * a session as for quire_session_open(), a directory, or a folder by its name. What
 * was sent before stays where it is. quire_sync_locals() lists the marks.
 *
 * Owns: text is copied; what is listed is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    it is another program's home
 * Durable: on return. */
quire_status quire_sync_set_local(quire *q, quire_sync_local kind,
                                  const char *value, int on, quire_error *err);
quire_status quire_sync_locals(quire *q, quire_sync_local_fn each, void *ctx,
                               quire_error *err);

QUIRE_DECLS_END

#endif
