/* priv.h - what the files of the workspace room share */
#ifndef WORKSPACE_PRIV_H
#define WORKSPACE_PRIV_H

#include <string.h>
#include <sys/stat.h>

#include "store/sql.h"
#include "workspace/workspace.h"

/* ---- space.c ------------------------------------------------------------ */

/* What a file was when it and the artifact agreed. */
struct baseline {
    uint64_t inode, size;
    int64_t modified_ns, changed_ns;
    quire_digest digest;
};

/* A change of `copy` that is to be written: see baseline_flush(). */
struct baseline_change {
    char *path; /* owned */
    bool drop;
    struct baseline now;
};

struct workspace {
    struct workspace_config c; /* its text is owned */
    int root;
    char *around;   /* owned; the directory that is locked, from the root on */
    char *names[2]; /* owned; of each scope's directory, from the root on    */
    char *paths[2]; /* owned; the same, absolute                             */
    struct sql sql;
    struct baseline_change *notes; /* owned */
    size_t n_notes, cap_notes;
    int64_t noted_us; /* when the first of them was             */
    bool urgent;      /* one says that a file is not any more   */
    bool lost;        /* one could not be made                  */
    struct workspace_read
        reads[WORKSPACE_READS_MAX]; /* their paths are owned */
    size_t n_reads;
    int64_t reads_us; /* when the first of them was */
};

/* A stay in a workspace. */
struct visit {
    int around; /* locked while it is open; -1 */
    int dir;    /* of the scope                */
    bool fresh; /* the directory was made by this visit */
};

enum {
    VISIT_MAKE = 1 << 0, /* make what is missing                   */
    VISIT_LOCK = 1 << 1, /* nobody else who changes anything       */
};

/* QUIRE_NOT_FOUND without words: there is no such directory. */
quire_status visit_begin(struct workspace *s, enum workspace_scope scope,
                         unsigned flags, struct visit *v, quire_error *err);
void visit_end(struct visit *v);

/* The directory of `path` in `dir`, its last name in *base; with `make`
 * directories are made. -1 and errno. */
int workspace_parent(int dir, const char *path, bool make, const char **base);

/* Whether something that is no plain file has the name: errno says what. It is
 * somebody's, and left alone. */
bool workspace_is_taken(int parent, const char *base);

/* A file to read: beneath, no link, nothing but a plain file. -1 and errno. */
int workspace_open_file(int dir, const char *path, struct stat *st);

/* Write a file whole: a temporary one, synced if `lasting`. */
struct fs_temp;
quire_status workspace_draft(struct workspace *s, int parent,
                             quire_bytes content, bool lasting,
                             struct fs_temp *t, quire_error *err);

/* Give a draft its name, in the place of the file that was `seen`; NULL: there
 * was none. -1 and errno: EBUSY if somebody has changed it since, or made one;
 * then it is left to whoever looks next. */
int workspace_publish(struct fs_temp *t, int parent, const char *base,
                      const struct stat *seen);

/* Whether it is the file that was seen, and nobody has changed it. */
bool workspace_is_still(const struct stat *now, const struct stat *seen);

/* The number of the session's row; 0: it has none. */
quire_status workspace_session(struct workspace *s, int64_t *id,
                               quire_error *err);

static inline int64_t ns_of(struct timespec t)
{
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static inline bool is_same(const quire_digest *a, const quire_digest *b)
{
    return !memcmp(a->byte, b->byte, sizeof a->byte);
}

/* ---- copy.c ------------------------------------------------------------- */

quire_status baseline_init(struct workspace *s, quire_error *err);

/* What `copy` has of a path. QUIRE_NOT_FOUND, bare. */
quire_status baseline_get(struct workspace *s, int64_t session,
                          const char *path, struct baseline *out,
                          quire_error *err);

typedef quire_status (*baseline_fn)(void *ctx, const char *path,
                                    const struct baseline *copy,
                                    quire_error *err);
quire_status baseline_each(struct workspace *s, int64_t session,
                           baseline_fn each, void *ctx, quire_error *err);

/* Note what a file is now, or that it is not any more; baseline_flush() writes
 * that, after it has synced the directory `dir` of the workspace, or everything
 * below it. Lack of memory is no harm: a file is compared once more. */
void baseline_put(struct workspace *s, const char *path, const struct stat *st,
                  const quire_digest *digest);
void baseline_remove(struct workspace *s, const char *path);
quire_status baseline_flush(struct workspace *s, quire_error *err);

/* Whether it is time to. */
bool baseline_is_due(const struct workspace *s);

/* Nothing of the session is laid out, whatever was noted. */
quire_status baseline_clear(struct workspace *s, int64_t session,
                            quire_error *err);

/* ---- sync.c ------------------------------------------------------------- */

/* workspace_sync_path() and _all() for who is inside, with the lock. */
quire_status sync_path(struct workspace *s, const struct visit *v,
                       const char *path, const struct workspace_sync *how,
                       struct workspace_report *report, quire_error *err);
quire_status sync_all(struct workspace *s, const struct visit *v,
                      const struct workspace_sync *how,
                      struct workspace_report *report, quire_error *err);

/* Remove a plain file, and the directories that it leaves empty. The directory
 * it was in is synced. -1 and errno. */
int workspace_unlink(int dir, const char *path);

/* ---- reads.c ------------------------------------------------------------ */

/* Note that an artifact was read. */
void read_counts_add(struct workspace *s, const char *path);

/* Write what was noted, if it is time to; with `last` in any case, and what
 * cannot be written then is forgotten. */
void read_counts_flush(struct workspace *s, bool last);

/* ---- analyse.c ---------------------------------------------------------- */

/* What can be told of a file by looking at it. */

/* Tags for a file of this type and name that are not among `given` (may be
 * NULL), after those; ended by NULL, in `keep`. NULL: no memory. */
const char *const *analyse_tags(const char *mime, const char *path,
                                const char *const *given, struct arena *keep);

/* Metadata of the content, as a JSON object in `keep`: what `old` says of other
 * things stays. NULL: no memory. */
const char *analyse_meta(const char *old, const char *mime, quire_bytes content,
                         struct arena *keep);

#endif
