/* priv.h - shared by the files of the workspace module */
#ifndef WORKSPACE_PRIV_H
#define WORKSPACE_PRIV_H

#include <string.h>
#include <sys/stat.h>

#include "store/sql.h"
#include "workspace/workspace.h"

/* State of a file when it and its artifact last agreed. */
struct baseline {
    uint64_t inode, size;
    int64_t modified_ns, changed_ns;
    quire_digest digest;
};

/* A change of table `copy` that is not written yet: see baseline_flush(). */
struct baseline_change {
    char *path; /* owned */
    bool drop;
    struct baseline now;
};

struct workspace {
    struct workspace_config c; /* its text is owned */
    int root;
    char *around;   /* owned; directory that is locked, below the root */
    char *names[2]; /* owned; directory of each scope, below the root  */
    char *paths[2]; /* owned; the same, absolute                       */
    struct sql sql;
    struct baseline_change *changes; /* owned */
    size_t n_changes, cap_changes;
    int64_t queued_us; /* time of the first queued change */
    bool urgent;       /* one of them records the removal of a file */
    bool lost;         /* a change could not be queued: no memory */
    struct workspace_read
        reads[WORKSPACE_READS_MAX]; /* their paths are owned */
    size_t n_reads;
    int64_t reads_us; /* time of the first queued read */
};

/* ---- access.c ----------------------------------------------------------- */

/* Open directories of a workspace during one operation. */
struct workspace_access {
    int around; /* locked while it is open; -1 */
    int dir;    /* directory of the scope */
    bool fresh; /* this access created the directory */
};

enum {
    ACCESS_MAKE = 1 << 0, /* create what is missing */
    ACCESS_LOCK = 1 << 1, /* exclude other writers */
};

/* QUIRE_NOT_FOUND: the directory does not exist, without a message; or, with
 * ACCESS_MAKE and a message, the session no longer does. */
quire_status workspace_access_begin(struct workspace *s,
                                    enum workspace_scope scope, unsigned flags,
                                    struct workspace_access *v,
                                    quire_error *err);
void workspace_access_end(struct workspace_access *v);

/* ---- dirs.c ------------------------------------------------------------- */

/* Open a directory by its name below the root; with `make`, create it, and
 * *made is whether this call did. -1 and errno. */
int workspace_open_dir(struct workspace *s, const char *name, bool make,
                       bool *made);

/* The directory of `path` in `dir`, its last name in *base; with `make`,
 * missing directories are created. -1 and errno. */
int workspace_parent(int dir, const char *path, bool make, const char **base);

/* Whether the name belongs to something other than a plain file; errno is its
 * kind. It is left alone. */
bool workspace_is_taken(int parent, const char *base);

/* Open a file to read: beneath `dir`, without following links, plain files
 * only. -1 and errno. */
int workspace_open_file(int dir, const char *path, struct stat *st);

/* Write a whole temporary file; with `durable`, sync it. */
struct fs_temp;
quire_status workspace_draft(struct workspace *s, int parent,
                             quire_bytes content, bool durable,
                             struct fs_temp *t, quire_error *err);

/* Publish a draft under its name, replacing the file that was `seen` (NULL:
 * there was none). -1 and errno: EBUSY if the file has been changed or created
 * since; the next sync handles it. */
int workspace_publish(struct fs_temp *t, int parent, const char *base,
                      const struct stat *seen);

/* Whether the file is unchanged since it was seen. */
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

/* ---- baseline.c --------------------------------------------------------- */

quire_status baseline_init(struct workspace *s, quire_error *err);

/* The baseline of a path. QUIRE_NOT_FOUND without a message. */
quire_status baseline_get(struct workspace *s, int64_t session,
                          const char *path, struct baseline *out,
                          quire_error *err);

typedef quire_status (*baseline_fn)(void *ctx, const char *path,
                                    const struct baseline *copy,
                                    quire_error *err);
quire_status baseline_each(struct workspace *s, int64_t session,
                           baseline_fn each, void *ctx, quire_error *err);

/* Queue the new state of a file, or its removal. baseline_flush() syncs its
 * directory and then writes the rows. Without memory the change is dropped: the
 * file is compared again. */
void baseline_put(struct workspace *s, const char *path, const struct stat *st,
                  const quire_digest *digest);
void baseline_remove(struct workspace *s, const char *path);
quire_status baseline_flush(struct workspace *s, quire_error *err);

/* Whether enough is queued, or has been for long enough. */
bool baseline_is_due(const struct workspace *s);

/* Drop all rows and queued changes of the session. */
quire_status baseline_clear(struct workspace *s, int64_t session,
                            quire_error *err);

/* ---- sync.c ------------------------------------------------------------- */

/* workspace_sync_path() and workspace_sync_all() for callers that hold the
 * lock. */
quire_status sync_path(struct workspace *s, const struct workspace_access *v,
                       const char *path, const struct workspace_sync *how,
                       struct workspace_report *report, quire_error *err);
quire_status sync_all(struct workspace *s, const struct workspace_access *v,
                      const struct workspace_sync *how,
                      struct workspace_report *report, quire_error *err);

/* Remove a plain file and the directories that it leaves empty, and sync the
 * directory it was in. -1 and errno. */
int workspace_unlink(int dir, const char *path);

/* ---- read_counts.c ------------------------------------------------------ */

/* Count a read of an artifact. */
void read_counts_add(struct workspace *s, const char *path);

/* Write the queued counts if they are due; with `last` in any case, and drop
 * counts that cannot be written. */
void read_counts_flush(struct workspace *s, bool last);

#endif
