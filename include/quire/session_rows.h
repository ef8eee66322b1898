/*
 * quire/session_rows.h - sessions as rows of the catalogue: numbers and totals
 *
 * A session of a home has a row: a number, for interfaces with numeric ids,
 * and the totals of its messages. The file is the truth. The row is created
 * when the file is first seen and updated by every look: a file that has grown
 * is read from where the last look ended, an unchanged one is not read at all.
 *
 * Numbers begin with 1 and are never reused. A session keeps its number until
 * it is deleted, wherever it is moved. The built-in sessions `user` and `temp`
 * have no file and no row here. `which` names a session as for
 * quire_session_open(), or by its number, "#12".
 */
#ifndef QUIRE_SESSION_ROWS_H
#define QUIRE_SESSION_ROWS_H

#include "quire/session.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_session_row {
    int64_t number;     /* 0: none: it lies outside the home, it is damaged, or
                           the handle is read-only and the row does not exist */
    const char *id;     /* its own                                            */
    const char *title;  /* "" when it has none                                */
    const char *state;  /* "active", "archived"                               */
    const char *parent; /* of the header, an id or a path; "": none           */
    const char *path;
    uint64_t entries;  /* whole lines without the header                      */
    uint64_t messages; /* of any role                                         */
    /* Sums of the `usage` of assistant messages. */
    uint64_t input_tokens, output_tokens;
    uint64_t cache_read_tokens, cache_write_tokens;
    uint64_t total_tokens;
    int64_t cost_nano_usd; /* billionths of a dollar, exact                   */
    uint64_t artifacts, artifact_bytes; /* without soft-deleted ones          */
    int64_t created_us; /* of the header, else when the row was created       */
    int64_t updated_us; /* when the file was last changed                     */
    const quire_session_info *info; /* as quire_session_list() has it         */
    int64_t folder;                 /* 0: in none                             */
    const char *agent;     /* as quire_session_set_agent() has stored */
    const char *agent_def; /* it, and its definition; NULL: none     */
    uint64_t reserved[1];
} quire_session_row;

/* Return the row of a session, created or updated first.
 *
 * Owns: text and `info` are lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not a file
 *   QUIRE_DAMAGED    its header cannot be read
 * Durable: a new number, on return. New totals may be lost in a power cut; the
 *   next look derives them again. */
quire_status quire_session_row_of(quire *q, const char *which,
                                  quire_session_row *out, quire_error *err);

/* Store the agent of a session and its definition, JSON (NULL: none), which are
 * returned with its row and not used otherwise.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    the session does not lie in this home; `agent` is not 1 to 64
 *                    letters, digits, _ and -; `definition` is not JSON in UTF-8
 * Durable: on return. */
quire_status quire_session_set_agent(quire *q, const char *which,
                                     const char *agent, const char *definition,
                                     quire_error *err);

/* Return a session's own id without reading its file where possible.
 *
 * Owns: *id is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not a file
 * Durable: reads only. */
quire_status quire_session_id(quire *q, const char *which, const char **id,
                              quire_error *err);

/* Begin with QUIRE_ROW_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_row_options {
    size_t size;
    const char *cwd;  /* one project; NULL: all                              */
    int archived;     /* 1: archived ones instead; 2: both                   */
    uint64_t limit;   /* 0: all                                              */
    int64_t after_us; /* cursor: updated_us and id of the last row of the page
                         before; 0 and NULL: from the start                  */
    const char *after_id;
    int64_t folder; /* those in this folder; -1: in none; 0: all             */
    int pinned;     /* pinned ones only                                      */
} quire_row_options;

#define QUIRE_ROW_OPTIONS_INIT                               \
    {                                                        \
        sizeof(quire_row_options), NULL, 0, 0, 0, NULL, 0, 0 \
    }

typedef quire_status (*quire_row_fn)(void *ctx, const quire_session_row *row,
                                     quire_error *err);

/* List the rows of sessions, the last modified first; all listed rows are
 * created or updated before the first is reported. A session whose file cannot
 * be read has the status "damaged".
 *
 * Owns: *row is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such folder
 * Durable: as quire_session_row_of(). */
quire_status quire_session_rows(quire *q, const quire_row_options *options,
                                quire_row_fn each, void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
