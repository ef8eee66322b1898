/*
 * batch.h - files that are imported one after the other, and committed together
 *
 * For a small file the syncs cost more than the bytes, so imports of small files
 * wait for one another. A file is reported when it is durable, in the order of the
 * files.
 */
#ifndef IMPORT_BATCH_H
#define IMPORT_BATCH_H

#include "base/arena.h"
#include "import/answers.h"
#include "import/run.h"

struct parallel_chunk;

enum {
    BATCH_FILE_MAX = 2 << 20, /* a larger file is committed by itself        */
    BATCH_BUF = 256 << 10,
};

/* What is to be reported of a file. */
struct batch_line {
    struct import_line line; /* .agent NULL: nothing, but for `bytes`       */
    const char *path;
    bool commits;   /* it is one of those that are committed together        */
    uint64_t bytes; /* read and kept                                        */
    struct batch_line *next;
};

struct import_batch {
    const struct import_run *run;
    const struct import_places *places;
    quire *q;
    struct import_answers *answers; /* of the run */
    char *buf;                   /* BATCH_BUF bytes, for reading            */
    struct parallel_chunk *turn; /* where results go                        */
    struct arena keep;           /* of the lines that wait                  */
    struct batch_line *first, **end, *next; /* next: the next to be reported */
    size_t n;                               /* that are committed together  */
};

/* Import a file. A failure that concerns it alone is reported as a problem. (file.c) */
quire_status import_file(struct import_batch *b,
                         const struct import_found *found, quire_error *err);

/* Whether a failure is one of a file alone. */
bool import_is_local(quire_status st);

/* Whether the run is to end. */
bool import_is_stopped(const struct import_run *run);

/* Whether the run wants sessions of this directory. */
bool import_is_in_project(const struct import_run *run, const char *cwd);

/* Report a file, after those that wait. */
quire_status batch_emit(struct import_batch *b, const struct batch_line *line,
                        quire_error *err);

/* Something cannot be read: reported at once. `failed`: it counts as a problem here;
 * others are counted with the line of their file. */
quire_status batch_problem(struct import_batch *b, const char *path,
                           uint64_t line, uint64_t byte, const char *message,
                           bool failed, quire_error *err);

/* Whether a session of this id waits. */
bool batch_has(const struct import_batch *b, const char *id);

/* Commit those that wait, and report all. */
quire_status batch_flush(struct import_batch *b, quire_error *err);

/* ---- results ---------------------------------------------------------------- */

/* What a worker sends to the thread of the caller: a line, or a problem. */
struct import_result;

quire_status batch_deliver(const struct import_run *run,
                           struct import_summary *sum,
                           const struct import_result *result,
                           quire_error *err);

#endif
