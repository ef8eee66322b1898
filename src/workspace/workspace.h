/*
 * workspace.h - interface of the workspace module
 *
 * A session has two directories that programs can work in:
 *
 *     artifacts/sessions/<id>/agent/        its artifacts, as files
 *     artifacts/sessions/<id>/scratchpad/   files that are not stored
 *
 * The built-in sessions have theirs in artifacts/user, artifacts/temp and
 * artifacts/scratchpad/. All are created on the first write, mode 0750, files
 * 0600.
 *
 * agent/ is a working copy. The artifact is what is stored: its row, its blob,
 * its versions. Editors, compilers and shells see and change the file. The
 * table `copy` records the baseline: what each file was when file and artifact
 * last agreed. It shows which side has changed:
 *
 *     file changed        it becomes a version of the artifact, or a new one
 *     artifact changed    it becomes the file
 *     both                the file becomes a version after the other one
 *     file removed        the artifact is soft-deleted
 *     artifact deleted    the file is removed
 *
 * No content is lost: replaced content remains a version, and a deleted
 * artifact can be restored. A file that cannot become a version, because it is
 * too large or over the quota, is neither replaced nor deleted. A changed time
 * is not a change; changed content is. A file that changes during a sync is
 * left for the next one.
 *
 * A missing directory does not mean that its files were deleted: their baseline
 * is cleared before the directory is created again.
 *
 * A write is: temporary file, row, publish. The file is synced while the row is
 * written, and before it gets its name. After a crash before the row, nothing
 * has changed. After a crash behind the row, the artifact is newer than the
 * file, and the next sync publishes it. `copy` is updated last, after the
 * directory was synced: if the update is lost, a file and a row that agree are
 * compared once more. Only the removal of a file is recorded at once: otherwise
 * its artifact, once restored, would count as removed again.
 *
 * A writer holds the lock of the directory around agent/. A confined program
 * can reach that directory only if it may read other sessions; then it can
 * delay writers, and no more. Names are opened beneath their directory, and no
 * link is followed: a program inside can create links anywhere at any time.
 *
 * A workspace is used by one thread at a time.
 */
#ifndef WORKSPACE_WORKSPACE_H
#define WORKSPACE_WORKSPACE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "quire.h"
#include "store/db.h"

struct workspace;

enum workspace_scope { WORKSPACE_ARTIFACT, WORKSPACE_SCRATCH };

/* The table, for the schema of quire.db. */

/* A page of the list of artifacts: before (before_us, before_id) if before_us
 * is not 0. */
struct workspace_range {
    uint64_t limit; /* 0: all */
    int64_t before_us, before_id;
};

/* Reads of one artifact, to be counted. */
enum { WORKSPACE_READS_MAX = 64 };

struct workspace_read {
    char *path;
    uint64_t n;
    int64_t last_us;
};

/* One of several artifacts stored in one transaction. */
struct workspace_put {
    const char *path;
    quire_bytes content;
    quire_artifact_options options;
    quire_digest
        digest; /* set by the put: of what was stored, which may be masked */
};

/* What a workspace needs from its caller: access to the artifacts of its
 * session. `find` and `search` return QUIRE_NOT_FOUND without a message. Paths
 * are clean. */
struct workspace_callbacks {
    void *ctx;

    /* The number of the session's row; 0: it has none yet. */
    quire_status (*session)(void *ctx, int64_t *id, quire_error *err);

    /* QUIRE_NOT_FOUND with a message: the session was removed. */
    quire_status (*exists)(void *ctx, quire_error *err);

    quire_status (*find)(void *ctx, const char *path, struct arena *keep,
                         quire_artifact *out, quire_error *err);
    /* By its id. QUIRE_NOT_FOUND also for one of another session, unless those
     * may be read. */
    quire_status (*find_id)(void *ctx, int64_t id, struct arena *keep,
                            quire_artifact *out, quire_error *err);
    quire_status (*list)(void *ctx, const struct workspace_range *r,
                         quire_artifact_fn each, void *each_ctx,
                         quire_error *err);
    quire_status (*versions)(void *ctx, int64_t id, quire_artifact_fn each,
                             void *each_ctx, quire_error *err);
    quire_status (*search)(void *ctx, const char *query, uint64_t limit,
                           quire_hit_fn each, void *each_ctx, quire_error *err);

    /* Durable on return. */
    quire_status (*put)(void *ctx, const char *path, quire_bytes content,
                        const quire_artifact_options *options,
                        struct arena *keep, quire_artifact *out,
                        quire_error *err);
    quire_status (*put_all)(void *ctx, struct workspace_put *list, size_t n,
                            struct arena *keep, quire_error *err);
    quire_status (*remove)(void *ctx, int64_t id, quire_error *err);

    /* Emit the content from `from` to before `to`. */
    quire_status (*read)(void *ctx, const quire_digest *digest, uint64_t from,
                         uint64_t to, quire_write_fn write, void *write_ctx,
                         quire_error *err);

    /* At most WORKSPACE_READS_MAX at once. QUIRE_BUSY: another writer holds the
     * database. */
    quire_status (*count_reads)(void *ctx, const struct workspace_read *list,
                                size_t n, quire_error *err);

    /* Maximum size of an artifact. */
    quire_status (*largest)(void *ctx, uint64_t *bytes, quire_error *err);

    /* Rules for names (as quire_artifact_path()) and digests. */
    quire_status (*clean)(quire_bytes path, char out[257], const char **reason,
                          quire_error *err);
    void (*digest)(quire_bytes content, quire_digest *out);
};

/* All is borrowed and must outlive the workspace, except text, which is copied.
 */
struct workspace_config {
    struct workspace_callbacks callbacks;
    struct db *db; /* for `copy` */
    const struct clock *clock;
    const char *root; /* the parent directory of artifacts/ */
    const char *key;  /* the session                         */
    int busy_ms;
};

/* Creates nothing on disk. QUIRE_INVALID: the session's id cannot be a
 * directory. */
quire_status workspace_open(const struct workspace_config *config,
                            struct workspace **out, quire_error *err);
void workspace_close(struct workspace *s);

/* Whether a session with this id can have a workspace. */
bool workspace_is_id(const char *key);

/* Whether the session is "user" or "temp", which always exist. */
bool workspace_is_built_in(const char *key);

/* Whether its directory exists; one system call. */
bool workspace_is_there(const char *root, const char *key);

/* Whether a file is in a directory that a program can regenerate: one filled by
 * a package manager, or marked as a cache. Such a file becomes no artifact. The
 * first `skip` bytes of `path`, below `dir`, name the workspace. */
bool workspace_is_generated(int dir, const char *path, size_t skip);

const char *workspace_key(const struct workspace *s);

/* Absolute path of the directory, whether or not it exists. */
const char *workspace_dir(const struct workspace *s,
                          enum workspace_scope scope);

/* Create both directories, and write the artifacts as files. */
quire_status workspace_make(struct workspace *s, quire_error *err);

/* ---- sync.c: synchronise files and artifacts ---------------------------- */

struct workspace_report {
    uint64_t taken;     /* files that became artifacts, or versions of one   */
    uint64_t dropped;   /* artifacts soft-deleted after their files */
    uint64_t given;     /* artifacts that became files                       */
    uint64_t withdrawn; /* files removed after their artifacts */
    uint64_t passed;    /* files that cannot be artifacts                    */
};

/* Called for each path with the action taken: "taken", "dropped", "given",
 * "withdrawn", or "passed" and the reason. */
typedef void (*workspace_sync_fn)(void *ctx, const char *what, const char *path,
                                  const char *why);

struct workspace_sync {
    const char *source; /* source of new files: "user", "agent" */
    bool put;           /* the artifact has just been stored: a missing file
                             * does not mean deletion */
    bool noted;         /* one path: write the baseline before returning,
                             * not a while later */
    bool files_stay;    /* the artifacts may still be rolled back: write and
                             * remove no files */
    bool whole;         /* the file will be replaced: one that cannot be
                             * stored is an error, not passed over */
    workspace_sync_fn
        report; /* may be NULL                                   */
    void *ctx;
};

/* Sync all paths. A workspace without a directory has nothing to compare. */
quire_status workspace_sync_all(struct workspace *s,
                                const struct workspace_sync *how,
                                struct workspace_report *report,
                                quire_error *err);

/* Sync one clean path, whether or not its file exists. */
quire_status workspace_sync_path(struct workspace *s, const char *path,
                                 const struct workspace_sync *how,
                                 struct workspace_report *report,
                                 quire_error *err);

/* ---- files.c ------------------------------------------------------------ */

/* Write content to a file and, except in the scratchpad, to its artifact.
 * `path` is clean. *artifact, in `keep`, is set for an artifact.
 *
 * QUIRE_TOO_LARGE, QUIRE_QUOTA, QUIRE_NOT_FOUND  as quire_artifact_put()
 * QUIRE_EXISTS  a directory has this name, or a file the name of a directory
 *               in it */
quire_status workspace_write(struct workspace *s, enum workspace_scope scope,
                             const char *path, quire_bytes content,
                             const quire_artifact_options *options,
                             struct arena *keep, quire_artifact *artifact,
                             quire_error *err);

/* Append up to `max` bytes from `from` on to `out`; *size is the size of the
 * whole. Reads the file; without one, the artifact. QUIRE_NOT_FOUND without a
 * message. */
quire_status workspace_read(struct workspace *s, enum workspace_scope scope,
                            const char *path, uint64_t from, uint64_t max,
                            struct buf *out, uint64_t *size, quire_error *err);

/* Soft-delete the artifact and remove its file; *artifact as it was. A file of
 * the scratchpad is removed for good. QUIRE_NOT_FOUND without a message. */
quire_status workspace_delete(struct workspace *s, enum workspace_scope scope,
                              const char *path, struct arena *keep,
                              quire_artifact *artifact, quire_error *err);

/* Called for each file of the scratchpad, by name. */
typedef quire_status (*workspace_file_fn)(void *ctx, const char *name,
                                          uint64_t size, int64_t modified_ns,
                                          quire_error *err);
quire_status workspace_files(struct workspace *s, workspace_file_fn each,
                             void *ctx, quire_error *err);

/* ---- tool.c: the tool `workspace`, as models call it ---------------------- */

/* Answer a request, a JSON object, with one line of JSON appended to `answer`.
 * A fault of the request is reported in the answer; an error is an internal
 * one. */
quire_status tool_answer(struct workspace *s, quire_bytes request,
                         struct buf *answer, quire_error *err);

/* Description of the tool for models: a JSON object with name, description and
 * input schema. */
extern const char tool_description[];

#endif
