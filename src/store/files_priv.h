/* files_priv.h - shared by the files of the files backend */
#ifndef STORE_FILES_PRIV_H
#define STORE_FILES_PRIV_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/map.h"
#include "store/object.h"

#define STAGED_MAX 128

struct staged {
    struct fs_temp temp;
    char *name; /* owned */
    uint64_t size;
    bool replace;
};

struct files {
    struct object_store base;
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

struct file_object {
    struct object base;
    struct files *store;
    int fd;
    bool staged;        /* it has no name yet                            */
    bool editing;       /* open for changes in place: see files_edit.c */
    bool name_synced;   /* editing: the directories are synced           */
    uint64_t size;      /* editing: the last known size */
    int64_t named_ms;   /* editing: when its name was last checked */
    bool held;          /* editing: we have its lock                     */
    uint64_t change_ns; /* when the kernel last saw it change            */
    char name[];
};

struct file_draft {
    struct draft base;
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
 * change. */
uint64_t files_change_time(const struct stat *st);
void files_describe(const struct stat *st, struct object_info *info);

/* An open object for the file at `fd`. Takes `fd`, also on failure. */
quire_status files_object(struct files *f, const char *name, int fd,
                          struct file_object **out, quire_error *err);

/* ---- files_batch.c ------------------------------------------------------ */

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

/* ---- files_edit.c ------------------------------------------------------- */

quire_status files_edit(struct object_store *s, const char *name,
                        struct object **out, struct object_info *info,
                        quire_error *err);
quire_status files_hold(struct object *o, int wait_ms, quire_error *err);
quire_status files_status(struct object *o, uint64_t *size, bool *named,
                          quire_error *err);
uint64_t files_unfinished(struct object *o);
quire_status files_cut(struct object *o, uint64_t size, quire_error *err);
quire_status files_append_at(struct object *o, uint64_t size, quire_bytes bytes,
                             quire_error *err);
quire_status files_patch(struct object *o, uint64_t offset, quire_bytes bytes,
                         quire_error *err);
quire_status files_publish_open(struct draft *d, const char *name,
                                struct object **out, quire_error *err);
quire_status files_swap(struct object *o, struct draft *d, quire_error *err);
quire_status files_sync_edited(struct file_object *o, quire_error *err);
quire_status files_clear(struct object_store *s, const char *prefix,
                         quire_error *err);

/* ---- files_names.c ------------------------------------------------------ */

quire_status files_rename(struct object_store *s, const char *from,
                          const char *to, quire_error *err);
quire_status files_remove(struct object_store *s, const char *name,
                          quire_error *err);

/* ---- files_lock.c ------------------------------------------------------- */

quire_status files_lock(struct object_store *s, enum object_lock mode,
                        int wait_ms, quire_error *err);
void files_touch_gen(struct object_store *s);
quire_status files_gen(struct object_store *s, int64_t *mark, quire_error *err);
quire_status files_lock_dir(struct object_store *s, const char *dir,
                            int wait_ms, quire_error *err);
void files_unlock_dir(struct object_store *s);

/* ---- files_list.c ------------------------------------------------------- */

quire_status files_scan(struct object_store *s, const char *dir,
                        object_scan_fn each, void *ctx, quire_error *err);
quire_status files_list_depth2(struct object_store *s, const char *root,
                               object_depth2_fn each, void *ctx,
                               quire_error *err);
quire_status files_find(struct object_store *s, const char *root,
                        object_want_fn wants, object_depth2_fn each, void *ctx,
                        quire_error *err);

#endif
