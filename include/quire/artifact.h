/*
 * quire/artifact.h - artifacts: named files of a session, with versions
 *
 * Every artifact belongs to a session; without one to the built-in session
 * "user". Its content is a blob. Each put that changes it makes a version; the
 * last versions.kept (20) are kept. Only homes of Quire's own kind have
 * artifacts.
 *
 * `session` names a session as for quire_session_open(), or is "user" or
 * "temp"; NULL is "user". `which` is a path in that session, or "#12", an
 * artifact's id.
 */
#ifndef QUIRE_ARTIFACT_H
#define QUIRE_ARTIFACT_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_artifact {
    int64_t id;
    int64_t session_id;  /* of the session's row; negative: a built-in one  */
    const char *session; /* the session's own id                            */
    const char *path;
    int64_t version; /* from 1                                              */
    uint64_t size;
    quire_digest digest;
    const char *mime;
    const char *purpose, *source, *agent; /* "" where not set               */
    const char *tags; /* a JSON array of strings                            */
    const char *meta; /* a JSON object                                      */
    int64_t created_us, updated_us;
    int64_t deleted_us;    /* 0: not soft-deleted                           */
    int created;           /* put: it did not exist before                  */
    uint64_t reads;        /* stat: how often it was read                   */
    int64_t read_us;       /* stat: when last; 0: never                     */
    uint64_t session_used; /* put: bytes of the session's artifacts now     */
    uint64_t tenant_used;  /* put: the same of all sessions                 */
    int unchanged;         /* put: nothing changed but updated_us           */
    uint64_t secrets;      /* put: found in the content: quire/secrets.h    */
    uint64_t reserved[2];
} quire_artifact;

typedef quire_status (*quire_artifact_fn)(void *ctx,
                                          const quire_artifact *artifact,
                                          quire_error *err);

/* Write the canonical form of an artifact's path into `out`. Needs no store.
 *
 * Owns: `out` is the caller's; *reason (may be NULL) is a static string.
 * Fails:
 *   QUIRE_INVALID  not a valid path; *reason is one of "empty",
 *                  "path_too_long", "absolute", "component_too_long",
 *                  "traversal", "hidden", "nul_byte", "control_char", "colon",
 *                  "reserved_name", "invalid_utf8"
 * Durable: reads only. */
quire_status quire_artifact_path(quire_bytes path, char out[257],
                                 const char **reason, quire_error *err);

/* Begin with QUIRE_ARTIFACT_OPTIONS_INIT; later versions only add fields. In an
 * update NULL keeps what the artifact has. */
typedef struct quire_artifact_options {
    size_t size;
    const char *mime;    /* NULL: derived from the name, else the content   */
    const char *purpose; /* UTF-8, at most 1,000 bytes; so are the next two */
    const char *source, *agent;
    const char *const *tags; /* ended by NULL; at most 32 of 64 bytes       */
    const char *meta;        /* a JSON object, at most 64 KiB               */
    const char *expect; /* the current content must have this SHA-256, in hex;
                           "none": the artifact must not exist. NULL: any   */
} quire_artifact_options;

#define QUIRE_ARTIFACT_OPTIONS_INIT                                         \
    {                                                                       \
        sizeof(quire_artifact_options), NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL                                                            \
    }

/* Store content under a path: a new artifact, or a new version of the existing
 * one, which keeps its id. The same content makes no version. `options` and
 * `out` may be NULL.
 *
 * Owns: content is copied; the text of *out is lent until the next call with
 *   `q`.
 * Fails: common
 *   QUIRE_INVALID    the path, media type, tags or metadata are not valid
 *   QUIRE_TOO_LARGE  the content exceeds quota.file: 16 MiB by default, 1 MiB
 *                    for tenants but the default one
 *   QUIRE_QUOTA      the session would exceed quota.session (1 GiB; 50 MiB), or
 *                    the tenant quota.tenant (10 GiB; 500 MiB); session_used and
 *                    tenant_used of *out are what they would hold
 *   QUIRE_CHANGED    the current content is not the expected one
 *   QUIRE_NOT_FOUND  no such session
 * Durable: on return. */
quire_status quire_artifact_put(quire *q, const char *session, const char *path,
                                quire_bytes content,
                                const quire_artifact_options *options,
                                quire_artifact *out, quire_error *err);

/* Begin with QUIRE_ARTIFACT_GET_OPTIONS_INIT; later versions only add fields.
 */
typedef struct quire_artifact_get_options {
    size_t size;
    int64_t version; /* 0: the current one                                  */
    int64_t via;     /* "#12" may belong to another session if the memory entry
                        with this id links it; 0: it may not                */
    int any_session; /* "#12" may belong to any session: for a coordinator  */
} quire_artifact_get_options;

#define QUIRE_ARTIFACT_GET_OPTIONS_INIT             \
    {                                               \
        sizeof(quire_artifact_get_options), 0, 0, 0 \
    }

/* Describe an artifact or one of its versions; quire_artifact_get() also
 * streams the content to `write`, and counts the read if the handle can write
 * and no other writer is active. `options` may be NULL, and `out` of get.
 *
 * Owns: text is lent until the next call with `q`, bytes until `write`
 *   returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such artifact, version or session; or it belongs to
 *                    another session and the options do not permit it
 *   QUIRE_INVALID    `which` is not a valid path
 *   QUIRE_DAMAGED    get: the content does not match its digest
 * Durable: reads only; the read count may be lost in a power cut. */
quire_status quire_artifact_stat(quire *q, const char *session,
                                 const char *which,
                                 const quire_artifact_get_options *options,
                                 quire_artifact *out, quire_error *err);
quire_status quire_artifact_get(quire *q, const char *session,
                                const char *which,
                                const quire_artifact_get_options *options,
                                quire_write_fn write, void *ctx,
                                quire_artifact *out, quire_error *err);

/* Count a read of an artifact, on behalf of a read-only handle.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_BUSY  another writer is active; it does not wait
 * Durable: survives a crash; may be lost in a power cut. */
quire_status quire_artifact_count_read(quire *q, int64_t id, quire_error *err);

/* Begin with QUIRE_ARTIFACT_LIST_OPTIONS_INIT; later versions only add fields.
 */
typedef struct quire_artifact_list_options {
    size_t size;
    int all_sessions; /* of every session, not of one                       */
    int deleted;      /* soft-deleted ones instead                          */
    uint64_t limit;   /* 0: all                                             */
    int64_t before_us, before_id; /* cursor: updated_us and id of the last one
                                     of the page before; 0: from the start  */
} quire_artifact_list_options;

#define QUIRE_ARTIFACT_LIST_OPTIONS_INIT                   \
    {                                                      \
        sizeof(quire_artifact_list_options), 0, 0, 0, 0, 0 \
    }

/* List artifacts, the last changed first; or the versions of one, newest first.
 *
 * Owns: *artifact is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session; versions: no such artifact
 * Durable: reads only. */
quire_status quire_artifact_list(quire *q, const char *session,
                                 const quire_artifact_list_options *options,
                                 quire_artifact_fn each, void *ctx,
                                 quire_error *err);
quire_status quire_artifact_versions(quire *q, const char *session,
                                     const char *which, quire_artifact_fn each,
                                     void *ctx, quire_error *err);

typedef struct quire_hit {
    quire_artifact artifact;
    double score;        /* higher is better, within one search             */
    const char *snippet; /* some of its text, around a match if possible    */
    int part;            /* matched by prefix: a word continues the query's */
    uint64_t reserved[4];
} quire_hit;

typedef quire_status (*quire_hit_fn)(void *ctx, const quire_hit *hit,
                                     quire_error *err);

/* Begin with QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_artifact_search_options {
    size_t size;
    int all_sessions;
    int fts;          /* without effect: a query has the whole language     */
    const char *tag;  /* NULL: any                                          */
    const char *mime; /* a prefix of the media type, "text/"; NULL: any     */
    int64_t since_us, until_us; /* changed in this interval; 0: open        */
    uint64_t limit;             /* 0: all                                   */
} quire_artifact_search_options;

#define QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT                                \
    {                                                                     \
        sizeof(quire_artifact_search_options), 0, 0, NULL, NULL, 0, 0, 20 \
    }

/* Search artifacts by the words in path, purpose, tags and text, best first. Any text is
 * a query, in the language of quire_search() (docs/search.md): all words must match, text
 * in double quotes as a phrase; case and accents are ignored; identifiers in code and
 * Chinese, Japanese and Korean text match by their parts. The signs of words such as C++,
 * C# and $HOME must match, too. A single word is followed by other forms of it and by
 * words that begin with it (`part`); several words are relaxed like this if fewer than
 * three artifacts have all of them. *partial (may be NULL) is 0. Content that is not
 * indexed yet is indexed first.
 *
 * Owns: *hit is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  nothing matches, or no such session
 *   QUIRE_INVALID    the query is empty; or a pattern or filter in it is not valid
 * Durable: reads only. */
quire_status quire_artifact_search(quire *q, const char *session,
                                   const char *query,
                                   const quire_artifact_search_options *options,
                                   quire_hit_fn each, void *ctx, int *partial,
                                   quire_error *err);

/* Soft-delete an artifact: its path is free, it counts against no quota, and it
 * can be restored. With `purge` delete it for good, soft-deleted or not. With
 * `expect` only if its content has this SHA-256, in hex; NULL: any.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such artifact or session
 *   QUIRE_CHANGED    the content is not the expected one
 *   QUIRE_EXISTS     purge: its session is held (quire/keep.h)
 *   QUIRE_BUSY       in a transaction: its workspace is in use
 * Durable: on return. */
quire_status quire_artifact_remove(quire *q, const char *session,
                                   const char *which, int purge,
                                   quire_error *err);
quire_status quire_artifact_remove_expected(quire *q, const char *session,
                                            const char *which, int purge,
                                            const char *expect,
                                            quire_error *err);

/* Restore the artifact that was soft-deleted last under this path. `out` may be
 * NULL.
 *
 * Owns: text is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no soft-deleted artifact has the path, or no such session
 *   QUIRE_EXISTS     an artifact has the path now
 *   QUIRE_INVALID    not a valid path
 *   QUIRE_QUOTA, QUIRE_TOO_LARGE  as quire_artifact_put()
 * Durable: on return. */
quire_status quire_artifact_restore(quire *q, const char *session,
                                    const char *path, quire_artifact *out,
                                    quire_error *err);

/* Unpack an archive (ZIP, tar, tar.gz, gz) that is an artifact: each file in
 * it becomes an artifact below the path `into` (NULL: the archive's own
 * without its extension), all of them or none. At most `max_files` (0: 1000)
 * with `max_bytes` in total (0: 256 MiB), within the quotas. `each` may be
 * NULL.
 *
 * Owns: *artifact is lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID    not an archive, or damaged; a name that is not a valid
 *                    path; a link or device; a duplicate name; no files
 *   QUIRE_TOO_LARGE  a file exceeds quota.file, or all exceed the limits
 *   QUIRE_QUOTA      as quire_artifact_put()
 *   QUIRE_NOT_FOUND  no such artifact; or libarchive is not installed
 *   any status       what `each` returned; all artifacts are stored then
 * Durable: on return. */
quire_status quire_artifact_unpack(quire *q, const char *session,
                                   const char *which, const char *into,
                                   uint64_t max_files, uint64_t max_bytes,
                                   quire_artifact_fn each, void *ctx,
                                   quire_error *err);

/* Recompute the counters of sessions and tenants, for all tenants. *wrong (may
 * be NULL) is how many were wrong and have been corrected.
 *
 * Owns: nothing.
 * Fails: common
 * Durable: on return. */
quire_status quire_artifact_recount(quire *q, uint64_t *wrong,
                                    quire_error *err);

QUIRE_DECLS_END

#endif
