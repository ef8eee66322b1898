/*
 * quire/export.h - sessions for other agents and formats
 *
 * A target is an agent that can continue a session ("claude-code", "codex"), or a
 * format for people and programs ("markdown", "otlp"). A session is exported as
 * the path down to one entry. Ids there are derived from the session's id and the
 * entries' ids, so that a second export has the same bytes.
 *
 * What a target cannot hold is left out and counted: thinking that another
 * provider has signed, entries of a kind it does not know, images that are not in
 * the store.
 */
#ifndef QUIRE_EXPORT_H
#define QUIRE_EXPORT_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_export_target {
    const char *name;      /* "claude-code"                                  */
    const char *title;     /* "Claude Code"                                  */
    const char *suffix;    /* of its files: ".jsonl"                         */
    const char *mime_type; /* "application/jsonl"                            */
    int is_lines;          /* files of several sessions can be concatenated  */
    int can_install;       /* quire_export_install() knows its place         */
    int can_resume;        /* quire_export_resume() knows its command        */
    uint64_t reserved[4];
} quire_export_target;

/* Describe the target with this index, counting from 0.
 *
 * Owns: text is static; *out is the caller's.
 * Fails: 0 past the last target, else 1.
 * Durable: reads only. */
int quire_export_target_at(unsigned index, quire_export_target *out);

/* Begin with QUIRE_EXPORT_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_export_options {
    size_t size;
    const char *leaf; /* the path down to this entry; NULL: the current leaf */
    const char *from; /* of it, from this entry on; NULL: from the root      */
    int redact;       /* replace secrets, and the home directory by ~        */
    const char *home; /* the home directory; NULL: HOME of the environment   */

    /* Called at the end for each kind of thing that was left out or replaced,
     * with how often. May be NULL. */
    void (*dropped)(void *ctx, const char *kind, uint64_t n);
    void *dropped_ctx;
} quire_export_options;

#define QUIRE_EXPORT_OPTIONS_INIT                                     \
    {                                                                 \
        sizeof(quire_export_options), NULL, NULL, 0, NULL, NULL, NULL \
    }

typedef struct quire_exported {
    char id[128];    /* of the session, as the target has it                 */
    char name[256];  /* how its file is called there                         */
    char path[4096]; /* install: where the file is                           */
    uint64_t messages;
    uint64_t reserved[4];
} quire_exported;

/* Write a session in the format of the target `to`, in pieces. `which` names it as
 * for quire_session_open(). Id and name in *out are set before the first call of
 * `write`. `options` and `out` may be NULL.
 *
 * Owns: bytes are lent until `write` returns; *out is the caller's.
 * Fails: common. What was written before is to be discarded.
 *   QUIRE_NOT_FOUND  no such session, no such entry
 *   QUIRE_INVALID    no such target; ambiguous prefix; `from` is not on the path
 * Durable: reads only. */
quire_status quire_export_write(quire *q, const char *which, const char *to,
                                const quire_export_options *options,
                                quire_write_fn write, void *ctx,
                                quire_exported *out, quire_error *err);

/* Place the file where the agent `to` looks for it, by the session's directory and
 * the environment (HOME, CLAUDE_CONFIG_DIR, CODEX_HOME and the like). A file that
 * is there already is never changed. A home that can be written to records it, so
 * that an import knows the file (quire/import.h).
 *
 * Owns: *out is the caller's.
 * Fails: common. No partial file remains.
 *   QUIRE_EXISTS     the file is there already; *out has its path
 *   QUIRE_NOT_FOUND  no such session, no such entry
 *   QUIRE_INVALID    no such target, or one without a place
 * Durable: on return. */
quire_status quire_export_install(quire *q, const char *which, const char *to,
                                  const quire_export_options *options,
                                  quire_exported *out, quire_error *err);

/* How an agent continues a session. */
typedef struct quire_resume {
    const char *agent;       /* name of the target                          */
    const char *const *argv; /* the command, ended by NULL                  */
    const char *cwd;         /* where to run it; "": unknown                */
    const char *path;        /* of the agent's file; "": unknown            */
    int installed;           /* it was placed by this call                  */
    uint64_t reserved[4];
} quire_resume;

typedef quire_status (*quire_resume_fn)(void *ctx, const quire_resume *resume,
                                        quire_error *err);

/* Pass the command that continues a session in `agent` (NULL: the one it was
 * imported from) to `each`, once. If the agent does not have the session, it is
 * installed first, as quire_export_install() does.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common, as quire_export_install()
 *   QUIRE_INVALID  `agent` is NULL, and the session was not imported; the agent
 *                  cannot continue a session
 * Durable: on return. */
quire_status quire_export_resume(quire *q, const char *which, const char *agent,
                                 const quire_export_options *options,
                                 quire_resume_fn each, void *ctx,
                                 quire_error *err);

QUIRE_DECLS_END

#endif
