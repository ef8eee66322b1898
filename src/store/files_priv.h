/* files_priv.h - shared by the files of the files backend */
#ifndef STORE_FILES_PRIV_H
#define STORE_FILES_PRIV_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/map.h"
#include "store/store.h"

#define STAGED_MAX 128

struct staged {
    struct fs_temp temp;
    char *name; /* owned */
    uint64_t size;
    bool replace;
};

struct files {
    struct store store;
    struct object_store objects;
    struct log_store logs;
    struct lease_store leases;
    struct directory_store dirs;
    int n_parts; /* of these that are in use; the last one frees all */
    char *path;  /* owned, for messages */
    int dir;     /* -1 until it exists  */
    int claimed; /* owned; -1: none */
    bool read_only;
    bool batch;
    bool lost;          /* something staged in this batch was lost */
    bool sync_all;      /* the commit must sync what others wrote */
    struct map synced;  /* known to be synced: directories, and files with the
                         * time of their last change */
    struct arena names; /* holds the names */
    size_t n_staged;
    struct staged staged[STAGED_MAX];
};

static inline struct files *files_of_store(struct store *s)
{
    return (struct files *)(void *)((char *)s - offsetof(struct files, store));
}

static inline struct files *files_of_objects(struct object_store *s)
{
    return (struct files *)(void *)((char *)s -
                                    offsetof(struct files, objects));
}

static inline struct files *files_of_logs(struct log_store *s)
{
    return (struct files *)(void *)((char *)s - offsetof(struct files, logs));
}

static inline struct files *files_of_leases(struct lease_store *s)
{
    return (struct files *)(void *)((char *)s - offsetof(struct files, leases));
}

static inline struct files *files_of_dirs(struct directory_store *s)
{
    return (struct files *)(void *)((char *)s - offsetof(struct files, dirs));
}

/* A file without a name that is being written. */
struct file_draft {
    struct files *store;
    struct fs_temp temp;
    uint64_t size;
    uint64_t begun; /* bytes for which write-back was started */
};

/* ---- files_open.c ------------------------------------------------------- */

/* "cannot <verb> <store>/<name>: <errno text>". */
quire_status files_fail(const struct files *f, const char *verb,
                        const char *name, quire_error *err);

/* Open the directory; create it if `make`. QUIRE_NOT_FOUND means an empty store
 * and sets no message. */
quire_status files_reach(struct files *f, bool make, quire_error *err);

/* Open a regular file; QUIRE_NOT_FOUND sets no message. */
quire_status files_open_file(struct files *f, const char *name, int flags,
                             int *fd, struct stat *st, quire_error *err);

/* The kernel's change time, which cannot be set: a different value means a
 * change. The size of a compressed log is that of its file here. */
uint64_t files_change_time(const struct stat *st);
void files_describe(const struct stat *st, struct object_info *info);

/* A compressed log is damaged: QUIRE_DAMAGED. */
quire_status files_gzip_damaged(const struct files *f, const char *name,
                                quire_error *err);

quire_status files_stat_file(struct files *f, const char *name,
                             struct object_info *info, quire_error *err);
quire_status files_read_file(struct files *f, const char *name, int fd,
                             uint64_t offset, void *buf, size_t cap, size_t *n,
                             quire_error *err);

/* ---- files_draft.c ------------------------------------------------------ */

quire_status file_draft_open(struct file_draft *d, struct files *f,
                             quire_error *err);
quire_status file_draft_write(struct file_draft *d, quire_bytes bytes,
                              quire_error *err);
quire_status file_draft_sync(struct file_draft *d, quire_error *err);

/* ---- files_batch.c ------------------------------------------------------ */

/* Stage a finished draft, which is given up unless the status is QUIRE_EXISTS. */
quire_status files_stage(struct file_draft *d, const char *name, bool replace,
                         quire_error *err);

/* Link all staged drafts to their names, durably. */
quire_status files_settle(struct files *f, quire_error *err);
void files_drop_staged(struct files *f);

/* The staged draft that will have this name, or NULL. */
const struct staged *files_find_staged(const struct files *f, const char *name);

/* Link a finished file to its name, durably if `sync`. QUIRE_EXISTS. */
quire_status files_give_name(struct files *f, struct fs_temp *t,
                             const char *name, bool replace, bool sync,
                             quire_error *err);

/* Make a name durable: sync its directory and, unless recorded as synced, the
 * directories above. */
int files_sync_name(struct files *f, int parent, const char *name);

/* Record that `name` is synced in its present state. Losing the record, for
 * want of memory or space, only costs a sync. */
void files_record_synced(struct files *f, quire_bytes name, uint64_t value);
void files_forget_synced(struct files *f);

quire_status files_begin(struct object_store *s, quire_error *err);
quire_status files_commit(struct object_store *s, quire_error *err);
void files_rollback(struct object_store *s);

/* ---- files_names.c ------------------------------------------------------ */

quire_status files_rename_file(struct files *f, const char *from,
                               const char *to, quire_error *err);
quire_status files_remove_file(struct files *f, const char *name,
                               quire_error *err);
quire_status files_clear_dir(struct files *f, const char *prefix,
                             quire_error *err);

/* ---- files_list.c ------------------------------------------------------- */

quire_status files_list_depth2(struct files *f, const char *root,
                               log_each_fn each, void *ctx, quire_error *err);
quire_status files_find_all(struct files *f, const char *root,
                            directory_want_fn wants, directory_find_fn each,
                            void *ctx, quire_error *err);

/* ---- files.c, files_log.c, files_lease.c, files_directory.c -------------- */

extern const struct object_ops files_object_ops;
extern const struct log_ops files_log_ops;
extern const struct lease_ops files_lease_ops;
extern const struct directory_ops files_directory_ops;

/* One part less in use. */
void files_drop_part(struct files *f);

#endif
