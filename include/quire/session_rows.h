/* quire/session_rows.h - sessions as rows: numbers and totals */
#ifndef QUIRE_SESSION_ROWS_H
#define QUIRE_SESSION_ROWS_H

#include "quire/session.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

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

QUIRE_DECLS_END

#endif
