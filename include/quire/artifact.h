/* quire/artifact.h - named files of a session, with versions */
#ifndef QUIRE_ARTIFACT_H
#define QUIRE_ARTIFACT_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * An artifact is a named file of a session, with a past. Every artifact has a
 * session; what a person puts without one belongs to the built-in session
 * "user". Its content is a blob; each put that changes it makes a version, and
 * the last versions.kept of them, twenty, are kept. Artifacts are in homes of Quire's own kind.
 *
 * `session` below names a session as quire_session_open() has it, or is "user"
 * or "temp"; NULL is "user". `which` is a path in that session, or "#12", the
 * id of an artifact.
 */

/* Text is on loan until the next call with the same handle. */
typedef struct quire_artifact {
    int64_t id;
    int64_t session_id;  /* of the session's row; negative: a built-in one  */
    const char *session; /* the session's own id                            */
    const char *path;
    int64_t version; /* from 1                                              */
    uint64_t size;
    quire_digest digest;
    const char *mime;
    const char *purpose, *source, *agent; /* "" where not given             */
    const char *tags; /* a JSON array of strings                            */
    const char *meta; /* a JSON object                                      */
    int64_t created_us, updated_us;
    int64_t deleted_us;    /* 0: it is living                              */
    int created;           /* put: it was not there before                 */
    uint64_t reads;        /* stat: how often it was read                  */
    int64_t read_us;       /* stat: when last; 0: never                    */
    uint64_t session_used; /* put: bytes of the session's artifacts now    */
    uint64_t tenant_used;  /* put: the same of all sessions                */
    int unchanged;         /* put: all was so before, but for updated_us   */
    uint64_t reserved[3];
} quire_artifact;

typedef quire_status (*quire_artifact_fn)(void *ctx,
                                          const quire_artifact *artifact,
                                          quire_error *err);

/* Set `size` with QUIRE_ARTIFACT_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_artifact_options {
    size_t size;
    const char *mime;    /* NULL: by the name, else by the content          */
    const char *purpose; /* NULL: none; of an artifact that is there: as it
                            was. So with those below                        */
    const char *source, *agent;
    const char *const *tags; /* ended by NULL                               */
    const char *meta;        /* a JSON object                               */
    const char *expect; /* the content there must have this SHA-256, in hex, or
                           "none": nothing may be there. NULL: whatever it is */
} quire_artifact_options;

#define QUIRE_ARTIFACT_OPTIONS_INIT                                         \
    {                                                                       \
        sizeof(quire_artifact_options), NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL                                                            \
    }

/* The canonical form of an artifact's path into `out`, which has room for 257
 * bytes. QUIRE_INVALID with words; *reason (may be NULL) is then a word for
 * programs: "empty", "path_too_long", "absolute", "component_too_long",
 * "traversal", "hidden", "nul_byte", "control_char", "colon", "reserved_name",
 * "invalid_utf8". A static string. Needs no store. */
quire_status quire_artifact_path(quire_bytes path, char out[257],
                                 const char **reason, quire_error *err);

/* Put content under a path: a new artifact, or a new version of the one that
 * is there, which keeps its id. Content that is the same makes no version.
 * `options` may be NULL. Lasting when it returns QUIRE_OK; else nothing has
 * changed.
 *
 * QUIRE_INVALID    the path, the type or the metadata cannot be
 * QUIRE_TOO_LARGE  the content has more than quota.file, 1 MiB unless set
 * QUIRE_QUOTA      the session would have more than quota.session, 50 MiB, or
 *                  the tenant more than quota.tenant, 500 MiB; the words say
 *                  by how much, and session_used and tenant_used of *out are
 *                  what they would have
 * QUIRE_CHANGED    what is there is not the expected content
 * QUIRE_NOT_FOUND  no such session */
quire_status quire_artifact_put(quire *q, const char *session, const char *path,
                                quire_bytes content,
                                const quire_artifact_options *options,
                                quire_artifact *out, quire_error *err);

/* Which one of the tenant's artifacts, and what of it. Set `size` with
 * QUIRE_ARTIFACT_GET_OPTIONS_INIT. */
typedef struct quire_artifact_get_options {
    size_t size;
    int64_t version; /* 0: the current one                                  */
    int64_t via;     /* "#12" may be of another session if the memory entry
                        with this id links it; 0: it may not                */
    int any_session; /* "#12" may be of any session: for a coordinator      */
} quire_artifact_get_options;

#define QUIRE_ARTIFACT_GET_OPTIONS_INIT             \
    {                                               \
        sizeof(quire_artifact_get_options), 0, 0, 0 \
    }

/* What is known of an artifact, or of one of its versions. `options` may be
 * NULL. One of another session is QUIRE_NOT_FOUND, unless the options let it
 * be read. */
quire_status quire_artifact_stat(quire *q, const char *session,
                                 const char *which,
                                 const quire_artifact_get_options *options,
                                 quire_artifact *out, quire_error *err);

/* The same, and its content, in pieces, to `write`. It is counted, if the
 * handle may write and nobody is in the way. */
quire_status quire_artifact_get(quire *q, const char *session,
                                const char *which,
                                const quire_artifact_get_options *options,
                                quire_write_fn write, void *ctx,
                                quire_artifact *out, quire_error *err);

typedef struct quire_artifact_list_options {
    size_t size;
    int all_sessions; /* of every session, not of one                       */
    int deleted;      /* what was put away instead                          */
    uint64_t limit;   /* 0: all                                             */
    int64_t before_us, before_id; /* after this one in the list: its
                                     updated_us and id; 0: from the start   */
} quire_artifact_list_options;

#define QUIRE_ARTIFACT_LIST_OPTIONS_INIT                   \
    {                                                      \
        sizeof(quire_artifact_list_options), 0, 0, 0, 0, 0 \
    }

/* Artifacts, the last changed first. */
quire_status quire_artifact_list(quire *q, const char *session,
                                 const quire_artifact_list_options *options,
                                 quire_artifact_fn each, void *ctx,
                                 quire_error *err);

/* The versions of an artifact, the newest first. */
quire_status quire_artifact_versions(quire *q, const char *session,
                                     const char *which, quire_artifact_fn each,
                                     void *ctx, quire_error *err);

/* Something that was found. */
typedef struct quire_hit {
    quire_artifact artifact;
    double score;        /* more is better, within one search               */
    const char *snippet; /* some of its text, around a word where possible  */
    int part;            /* a word in it goes on where the one asked for ends */
    uint64_t reserved[4];
} quire_hit;

typedef quire_status (*quire_hit_fn)(void *ctx, const quire_hit *hit,
                                     quire_error *err);

typedef struct quire_search_options {
    size_t size;
    int all_sessions;
    int fts;          /* the query is an expression of SQLite's FTS5        */
    const char *tag;  /* NULL: any                                          */
    const char *mime; /* the type begins so, "text/"; NULL: any             */
    int64_t since_us, until_us; /* changed in this time; 0: any             */
    uint64_t limit;             /* 0: all                                   */
} quire_search_options;

#define QUIRE_SEARCH_OPTIONS_INIT                                \
    {                                                            \
        sizeof(quire_search_options), 0, 0, NULL, NULL, 0, 0, 20 \
    }

/* Artifacts by the words in their path, purpose, tags and text, the best first.
 * Any text is a query: all of its words must be there, what stands in double
 * quotes together; case and accents do not count, and words of code, and
 * Chinese, Japanese and Korean, are found by their parts. After those with the
 * word come those where it goes on; of several words, only if nothing has them
 * all as they are. Of a word that is in very many, the
 * newest few thousand are ranked; *partial (may be NULL) says so.
 *
 * QUIRE_NOT_FOUND  nothing is found
 * QUIRE_INVALID    there is no word in the query, or it cannot be read */
quire_status quire_artifact_search(quire *q, const char *session,
                                   const char *query,
                                   const quire_search_options *options,
                                   quire_hit_fn each, void *ctx, int *partial,
                                   quire_error *err);

/* Index some words of what was put since somebody searched, if nobody has written
 * for half a second and nobody is writing: for programs that have time now and
 * then. A search does what is left by itself. Whether anything was done. */
int quire_artifact_index(quire *q);

/* Put an artifact away: its path is free, it counts against no quota, and it
 * can be brought back. quire_artifact_restore() brings back what was put away
 * last under this path; QUIRE_EXISTS when that is taken. With `purge` it is
 * deleted for good, living or put away. */
quire_status quire_artifact_remove(quire *q, const char *session,
                                   const char *which, int purge,
                                   quire_error *err);

/* The same if its content has the SHA-256 `expect`, in hex; NULL: whatever it
 * has. QUIRE_CHANGED: it has another, and nothing was done. */
quire_status quire_artifact_remove_expected(quire *q, const char *session,
                                            const char *which, int purge,
                                            const char *expect,
                                            quire_error *err);
quire_status quire_artifact_restore(quire *q, const char *session,
                                    const char *path, quire_artifact *out,
                                    quire_error *err);

/* Unpack an archive (ZIP, tar, tar.gz, gz) that is an artifact: each file in it
 * becomes an artifact below the path `into` (NULL: the archive's own, without
 * its ending), all of them or none. At most `max_files` (0: 1000) with at most
 * `max_bytes` together (0: 256 MiB), and the quotas hold. `each` may be NULL.
 *
 * QUIRE_INVALID    no archive, or damaged; a name in it that no artifact may
 *                  have; a link or a device; the same name twice
 * QUIRE_TOO_LARGE, QUIRE_QUOTA  a limit
 * QUIRE_NOT_FOUND  no such artifact; or libarchive is not installed */
quire_status quire_artifact_unpack(quire *q, const char *session,
                                   const char *which, const char *into,
                                   uint64_t max_files, uint64_t max_bytes,
                                   quire_artifact_fn each, void *ctx,
                                   quire_error *err);

/* Count that an artifact was read, for a program whose handle could not. */
quire_status quire_artifact_count_read(quire *q, int64_t id, quire_error *err);

/* What sessions and tenants have used is counted as it changes. Count it anew,
 * in all tenants: *wrong (may be NULL) is how many counters were not right and
 * have been set right. */
quire_status quire_artifact_recount(quire *q, uint64_t *wrong,
                                    quire_error *err);

QUIRE_DECLS_END

#endif
