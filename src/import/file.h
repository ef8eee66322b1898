/*
 * file.h - one file under way: see file.c
 */
#ifndef IMPORT_FILE_H
#define IMPORT_FILE_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "import/batch.h"
#include "import/convert.h"

/* One file under way. */
struct importing {
    const struct import_run *run;
    struct import_batch *batch;
    const struct import_found *found;
    struct arena keep;
    int fd;
    struct stat st;
    char *buf; /* BATCH_BUF, of the run */

    bool known; /* `row` is what the ledger has */
    quire_import_file row;
    quire_bytes state;

    const char *id;     /* of the session  */
    const char *parent; /* the session that it continues, or repeats; NULL */
    int64_t
        placed_us;    /* the file was placed by an export then; 0: it was not */
    quire_import *im; /* NULL: a dry run */
    struct import_converter *c;
    uint64_t entries, settled;
    uint64_t problems, n_reported;
    bool grown;
    bool lazy;   /* the state in the ledger stays */
    bool ending; /* problems of the end may be gone when it has grown */
    bool waits;  /* it is committed with others                       */
    uint64_t end_problems;
    quire_status usage_status; /* of on_usage() */
    struct buf text;           /* decoded payloads */
    struct map copied; /* digests of the agent's blobs that were copied */
};

/* Something in the file cannot be read. After some problems the others are counted,
 * and their number is reported at the end. */
void file_report(struct importing *i, uint64_t line, uint64_t byte,
                 const char *message);
void file_report_rest(struct importing *i);

/* Where the converter's entries, blobs, usage and problems go. */
struct import_sink file_sink(struct importing *i);

#endif
