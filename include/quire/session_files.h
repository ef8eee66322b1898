/* quire/session_files.h - sessions as files: list, check, repair, fork, move, remove */
#ifndef QUIRE_SESSION_FILES_H
#define QUIRE_SESSION_FILES_H

#include "quire/session.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* Something wrong in a session file. */
typedef struct quire_session_problem {
    uint64_t line; /* from 1                                                */
    uint64_t byte; /* from 0, in the file                                   */
    const char *kind; /* "garbage", "torn", "no_newline", "trailing",
                         "not_object", "no_id", "no_type", "duplicate_id",
                         "missing_parent", "cycle", "second_header",
                         "header", "utf8", "too_long", "missing_blob",
                         "damaged_blob", "nul"                              */
    const char *message;
} quire_session_problem;

typedef quire_status (*quire_problem_fn)(void *ctx,
                                         const quire_session_problem *problem,
                                         quire_error *err);

/* Look at every byte of a session file and tell what is wrong, in the order
 * of the file. QUIRE_OK means the check ran. Writes nothing. */
quire_status quire_session_check(quire *q, const char *which,
                                 quire_problem_fn each, void *ctx,
                                 quire_error *err);

/* Write a mended file in the place of a damaged one and keep the original
 * beside it; `kept` (owned by the store until its next call) is its path, NULL
 * if nothing had to be mended. */
quire_status quire_session_repair(quire *q, const char *which,
                                  const char **kept, quire_error *err);

/* Bring a file of version 1 or 2 up to date. *from is the version it had. */
quire_status quire_session_migrate(quire *q, const char *which, int *from,
                                   quire_error *err);

/* A new session with the same entries and outputs, in the project `cwd` (NULL:
 * the same one). The source is only read. */
quire_status quire_session_fork(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err);

/* A new session with the path down to `entry` alone. */
quire_status quire_session_extract(quire *q, const char *which,
                                   const char *entry, quire_session **out,
                                   quire_error *err);

/* Move a session, with its outputs, to the project `cwd`: both or neither. */
quire_status quire_session_move(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err);

/* Put a session away, with its outputs, and bring it back. */
quire_status quire_session_archive(quire *q, const char *which,
                                   const char **path, quire_error *err);
quire_status quire_session_unarchive(quire *q, const char *which,
                                     const char **path, quire_error *err);

/* Delete a session, its outputs and its artifacts, for good. Its blobs stay
 * until they are collected. */
quire_status quire_session_remove(quire *q, const char *which,
                                  quire_error *err);

/* The path of the session that `which` names, on loan. */
quire_status quire_session_find(quire *q, const char *which, const char **path,
                                quire_error *err);

typedef struct quire_list_options {
    size_t size;
    const char *cwd; /* one project; NULL: all                              */
    int archived;    /* what was put away instead                           */
    uint64_t limit;  /* 0: all                                              */
} quire_list_options;

#define QUIRE_LIST_OPTIONS_INIT                \
    {                                          \
        sizeof(quire_list_options), NULL, 0, 0 \
    }

/* Sessions, the last changed first. Of each file only a beginning and an end
 * are read, and not even these when it has not changed since it was listed
 * last. */
typedef quire_status (*quire_session_fn)(void *ctx,
                                         const quire_session_info *info,
                                         quire_error *err);
quire_status quire_session_list(quire *q, const quire_list_options *options,
                                quire_session_fn each, void *ctx,
                                quire_error *err);

QUIRE_DECLS_END

#endif
