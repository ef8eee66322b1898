/*
 * workspace.h - the door of the workspace room
 *
 * A session has two directories that programs can work in:
 *
 *     artifacts/sessions/<id>/agent/        its artifacts, as files
 *     artifacts/sessions/<id>/scratchpad/   files that nobody keeps
 *
 * The built-in sessions have theirs in artifacts/user, artifacts/temp and
 * artifacts/scratchpad/. All are made when something is first written, mode
 * 0750, files 0600.
 *
 * agent/ is a working copy. What lasts is the artifact: its row, its blob, its
 * versions. The file is what editors, compilers and shells see and change. A
 * table, `copy`, has what each file was when file and artifact last agreed, so
 * that of two that differ it can be told which one has changed:
 *
 *     file changed        it becomes a version of the artifact, or a new one
 *     artifact changed    it becomes the file
 *     both                the file becomes a version after the other one
 *     file gone           the artifact is put away
 *     artifact put away   the file goes
 *
 * Nothing is lost by any of it: what is replaced is a version, what is put away
 * can be brought back. A file that cannot become a version, being too large or
 * over the quota, is neither replaced nor deleted. That a file was touched says
 * nothing yet: its content does. And a file that changes between a look at it and
 * what is done about it stays, for the next look.
 *
 * A directory that is not there says nothing of its files: what was noted of them
 * is forgotten before it is made again.
 *
 * A write is: temporary file, row, publish; the file is synced while the row is
 * written, and before it gets its name. When it dies before the row, nothing
 * has happened. When it dies after, the artifact has changed and the
 * file has not, and the next look publishes it. `copy` is brought up to date
 * last, and after the directory was synced: were it lost, a file and a row that
 * agree would be compared once more. Only that a file went is written at once:
 * else who brings its artifact back would find it gone again.
 *
 * Whoever changes files or rows of a workspace holds the lock of the directory
 * around agent/, which a confined program cannot reach unless it was given other
 * sessions to read; then it can make others wait, and nothing else. Names are opened beneath
 * their directory, and no link is followed: a program inside can put one
 * anywhere at any time.
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

/* A part of the list of artifacts: before (before_us, before_id) if before_us is
 * not 0. */
struct workspace_range {
    uint64_t limit; /* 0: all */
    int64_t before_us, before_id;
};

/* Reads of an artifact that are to be counted. */
enum { WORKSPACE_READS_MAX = 64 };

struct workspace_read {
    char *path;
    uint64_t n;
    int64_t last_us;
};

/* One of several that are put together. */
struct workspace_put {
    const char *path;
    quire_bytes content;
    quire_artifact_options options;
};

/* What the callbacks does for a workspace: it knows artifacts, and whose they are.
 * `find` and `search` answer QUIRE_NOT_FOUND without words. Paths are clean. */
struct workspace_callbacks {
    void *ctx;

    /* The number of the session's row; 0: it has none yet. */
    quire_status (*session)(void *ctx, int64_t *id, quire_error *err);

    quire_status (*find)(void *ctx, const char *path, struct arena *keep,
                         quire_artifact *out, quire_error *err);
    quire_status (*list)(void *ctx, const struct workspace_range *r,
                         quire_artifact_fn each, void *each_ctx,
                         quire_error *err);
    quire_status (*versions)(void *ctx, int64_t id, quire_artifact_fn each,
                             void *each_ctx, quire_error *err);
    quire_status (*search)(void *ctx, const char *query, uint64_t limit,
                           quire_hit_fn each, void *each_ctx, quire_error *err);

    /* Lasting. */
    quire_status (*put)(void *ctx, const char *path, quire_bytes content,
                        const quire_artifact_options *options,
                        struct arena *keep, quire_artifact *out,
                        quire_error *err);
    quire_status (*put_all)(void *ctx, const struct workspace_put *list,
                            size_t n, struct arena *keep, quire_error *err);
    quire_status (*remove)(void *ctx, int64_t id, quire_error *err);

    /* Content, from `from` to before `to`. */
    quire_status (*read)(void *ctx, const quire_digest *digest, uint64_t from,
                         uint64_t to, quire_write_fn write, void *write_ctx,
                         quire_error *err);

    /* At most WORKSPACE_READS_MAX at once. QUIRE_BUSY: somebody is in the way. */
    quire_status (*count_reads)(void *ctx, const struct workspace_read *list,
                                size_t n, quire_error *err);

    /* How large an artifact may be. */
    quire_status (*largest)(void *ctx, uint64_t *bytes, quire_error *err);

    /* The rules: for names (as quire_artifact_path()), types and digests. */
    quire_status (*clean)(quire_bytes path, char out[257], const char **reason,
                          quire_error *err);
    const char *(*type)(quire_bytes path, quire_bytes content);
    void (*digest)(quire_bytes content, quire_digest *out);
};

/* All is borrowed, and outlives the workspace, but for text, which is copied. */
struct workspace_config {
    struct workspace_callbacks callbacks;
    struct db *db; /* for `copy` */
    const struct clock *clock;
    const char *root; /* the directory that artifacts/ is in */
    const char *key;  /* the session                         */
    int busy_ms;
};

/* Makes nothing. QUIRE_INVALID: the session's id cannot be a directory. */
quire_status workspace_open(const struct workspace_config *config,
                            struct workspace **out, quire_error *err);
void workspace_close(struct workspace *s);

/* Whether a session of this id can have one. */
bool workspace_is_id(const char *key);

/* Whether one is laid out: a look at one name. */
bool workspace_is_there(const char *root, const char *key);

const char *workspace_key(const struct workspace *s);

/* Where the directory is, or will be: an absolute path. */
const char *workspace_dir(const struct workspace *s,
                          enum workspace_scope scope);

/* Make both, and lay out the artifacts there are. */
quire_status workspace_make(struct workspace *s, quire_error *err);

/* ---- sync.c: files and artifacts, made to agree ------------------------- */

struct workspace_report {
    uint64_t taken;     /* files that became artifacts, or versions of one   */
    uint64_t dropped;   /* artifacts put away, their files being gone        */
    uint64_t given;     /* artifacts that became files                       */
    uint64_t withdrawn; /* files that went, their artifacts being put away   */
    uint64_t passed;    /* files that cannot be artifacts                    */
};

/* What is found: a path, and what was done with it, a word: "taken", "dropped",
 * "given", "withdrawn", or "passed" and why. */
typedef void (*workspace_tell_fn)(void *ctx, const char *what, const char *path,
                                  const char *why);

struct workspace_sync {
    const char *source;     /* who a new file is from: "user", "agent"      */
    bool put;               /* the artifact has just been put: that its file
                           is not there does not say that it is to go    */
    bool noted;             /* of one path: that both agree is on record before
                           it is done; else a while later                */
    bool files_stay;        /* whether the artifacts will be kept is not known
                           yet: no file is written or removed for them   */
    bool whole;             /* the file is to be replaced: one that cannot be
                           kept is not passed, but refused, with words   */
    workspace_tell_fn tell; /* may be NULL                                   */
    void *ctx;
};

/* All of it. A workspace without a directory has nothing to compare. */
quire_status workspace_sync_all(struct workspace *s,
                                const struct workspace_sync *how,
                                struct workspace_report *report,
                                quire_error *err);

/* One path, which is clean; of a file or of none. */
quire_status workspace_sync_path(struct workspace *s, const char *path,
                                 const struct workspace_sync *how,
                                 struct workspace_report *report,
                                 quire_error *err);

/* ---- files.c ------------------------------------------------------------ */

/* Put content into a file and, but for the scratchpad, into the artifact it is.
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

/* Up to `max` bytes from `from` on are added to `out`; *size is that of the
 * whole. What the file has; of an artifact without one, what that has.
 * QUIRE_NOT_FOUND without words. */
quire_status workspace_read(struct workspace *s, enum workspace_scope scope,
                            const char *path, uint64_t from, uint64_t max,
                            struct buf *out, uint64_t *size, quire_error *err);

/* Put the artifact away, with its file; *artifact as it was. Of the scratchpad
 * the file goes for good. QUIRE_NOT_FOUND without words. */
quire_status workspace_delete(struct workspace *s, enum workspace_scope scope,
                              const char *path, struct arena *keep,
                              quire_artifact *artifact, quire_error *err);

/* Each file of the scratchpad, by name. */
typedef quire_status (*workspace_file_fn)(void *ctx, const char *name,
                                          uint64_t size, int64_t modified_ns,
                                          quire_error *err);
quire_status workspace_files(struct workspace *s, workspace_file_fn each,
                             void *ctx, quire_error *err);

/* ---- tool.c: the tool `workspace`, as models call it ---------------------- */

/* Answer a request, a JSON object, with one line of JSON, added to `answer`.
 * What is wrong with the request is in the answer; an error is ours. */
quire_status tool_answer(struct workspace *s, quire_bytes request,
                         struct buf *answer, quire_error *err);

/* What a model is told of the tool: a JSON object with name, description and
 * the schema of its input. */
extern const char tool_description[];

#endif
