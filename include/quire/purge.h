/*
 * quire/purge.h - remove a value from everything that a home holds
 */
#ifndef QUIRE_PURGE_H
#define QUIRE_PURGE_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A place that has the value, or that refers to a blob that has it. */
typedef struct quire_purge_place {
    const char
        *kind; /* "session", "output", "workspace", "trash", "backup" (the
                           original of a repair), "file"; "blob"; of rows "artifact",
                           "memory", "scratchpad", "history", "run", "audit",
                           "idempotency", "import", "setting", "tenant", "folder",
                           "cache" and "row"                                       */
    const char *where; /* a path below the home, the address of a blob, or
                           "memory #12"; the value in it is masked                 */
    const char
        *session; /* whose it is; "": none, or not known                    */
    uint64_t
        count; /* how often                                               */
    int held;  /* the session is held: it stays                           */
    uint64_t reserved[4];
} quire_purge_place;

typedef quire_status (*quire_purge_fn)(void *ctx,
                                       const quire_purge_place *place,
                                       quire_error *err);

typedef struct quire_purge_report {
    uint64_t places, count; /* found, and to be changed                      */
    uint64_t held_places;   /* of held sessions: they stay                   */
    uint64_t blobs;         /* that get new content                          */
    uint64_t busy;          /* files that another process writes to          */
    uint64_t unreadable;    /* damaged blobs and files: not looked into      */
    uint64_t left;          /* places found by the search afterwards         */
    uint64_t reserved[4];
} quire_purge_report;

/* Begin with QUIRE_PURGE_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_purge_options {
    size_t size;
    const quire_bytes
        *values; /* 4 characters to 64 KiB each; may be none         */
    size_t n_values;
    const char
        *pattern;   /* a regular expression (PCRE2): what it matches in a line
                            is a value, too; NULL: none                            */
    int own_tenant; /* only what belongs to the handle's tenant; else to any  */
    int dry_run;    /* change nothing                                         */
    quire_purge_fn
        each; /* each place, before anything is changed; may be NULL    */
    /* After the last place: whether to go on; NULL: yes. */
    int (*confirm)(void *ctx, const quire_purge_report *found);
    void *ctx;
} quire_purge_options;

#define QUIRE_PURGE_OPTIONS_INIT                                           \
    {                                                                      \
        sizeof(quire_purge_options), NULL, 0, NULL, 0, 0, NULL, NULL, NULL \
    }

/* Find values in a native home, and mask them: in sessions (entries keep id, parent and
 * order), outputs, workspaces, artifacts and all their versions, memory, scratchpads,
 * prompts, logs, settings, originals of imports, the trash and whatever else is a file of
 * the home. Found are the bytes, their spellings in JSON, those in base64 on one line, and
 * what gzip and zstd have compressed (that is replaced as a whole). A match keeps its
 * length: it becomes "[purged]" and asterisks; line breaks, quotes and backslashes stay.
 *
 * A blob with a value gets new content, and so a new digest, which references follow. The
 * search index is emptied; the next search builds it. quire.db is rewritten, so that no
 * page keeps what rows had before. Each changed session has a row `purge` in the audit
 * log, with the ids of the entries.
 *
 * It may run beside other processes, and after a crash again: what is found is changed,
 * what has been changed is not found. At the end it searches what was written meanwhile.
 * *out (may be NULL) is what it did.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID  no value; one is too short or too long; the pattern has a fault, or
 *                  matches too much; not a native home; a transaction is open
 *   QUIRE_BUSY     report->busy files are in use, or a reader keeps quire.db from being
 *                  rewritten: all else is done; run it again
 *   QUIRE_EXISTS   held sessions have the value: all else is done
 *   QUIRE_DAMAGED  blobs or files could not be read: all else is done
 * Durable: on return. */
quire_status quire_purge(quire *q, const quire_purge_options *options,
                         quire_purge_report *out, quire_error *err);

QUIRE_DECLS_END

#endif
