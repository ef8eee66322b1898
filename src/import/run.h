/*
 * run.h - an import: find files, convert them, keep their bytes
 *
 * Each file is compared with the ledger (quire/import.h):
 *
 *     new         it was not imported
 *     grown       what was imported is still its beginning: continue
 *     unchanged   nothing to do
 *     rewritten   its content is another: convert it anew
 *     damaged     new or rewritten, and no entry could be made of it
 *
 * Whether the beginning is the same is decided by the inode, the size, and a hash
 * of the first 4 KiB and of the 16 KiB before the old end. That is enough for files
 * that agents append to: a program that rewrites its file either makes another one,
 * with another inode, or writes it again from the start, and then other records,
 * with their ids and timestamps, stand before the old end. Reading all of the old
 * bytes would find one more case, an edit in place of the same length; the
 * original is kept as it was then.
 */
#ifndef IMPORT_RUN_H
#define IMPORT_RUN_H

#include <stdbool.h>

#include "import/places.h"
#include "quire.h"

enum import_state {
    IMPORT_NEW,
    IMPORT_GROWN,
    IMPORT_UNCHANGED,
    IMPORT_REWRITTEN,
    IMPORT_DAMAGED,
};

const char *import_state_name(enum import_state state);

/* A session that was found. Text is lent until the callback returns. */
struct import_line {
    const char *agent, *source, *session;
    enum import_state state;
    uint64_t entries;
    uint64_t bytes; /* of its file, and the files that belong to it */
    uint64_t problems;
};

struct import_summary {
    uint64_t found, imported, unchanged, problems; /* sessions; problems */
    uint64_t bytes;                                /* read and kept */
};

struct import_run {
    quire *q; /* NULL: a dry run without a home */
    bool dry_run;
    const char *project; /* absolute; sessions there and below; NULL: all */
    int64_t since_us;    /* files that were changed since; 0: all         */

    quire_status (*line)(void *ctx, const struct import_line *line,
                         quire_error *err);
    /* Something in a file cannot be read; import goes on. `line` 0: the file. */
    void (*problem)(void *ctx, const char *path, uint64_t line, uint64_t byte,
                    const char *message);
    void (*progress)(void *ctx, uint64_t done, uint64_t total);

    /* Whether to end, with QUIRE_STOPPED; what was committed stays. NULL: never.
     * Called by any thread. */
    bool (*is_stopped)(void *ctx);

    /* Open another handle on the home of `q`, which import_run() closes: much is
     * imported by a thread a processor, each with its own. NULL: by the caller
     * alone. Called by those threads. */
    quire_status (*open)(void *ctx, quire **out, quire_error *err);
    void *ctx;
};

/* Import the files that were found. A file that fails alone (it is gone, cannot be
 * read, or its session is in use) is reported as a problem. */
quire_status import_run(const struct import_run *run,
                        const struct import_places *places,
                        struct import_summary *out, quire_error *err);

#endif
