/*
 * fs.h - files relative to a directory descriptor
 *
 * A store holds a descriptor of its directory and names everything relative to
 * it. Every such name is opened *beneath* the directory without following
 * symbolic links (openat2; where the kernel lacks it, one component at a time),
 * so neither content nor another process can lead outside.
 *
 * The directory itself is named by the user and may be reached by links: that
 * is the user's own decision.
 *
 * Calls that return int return -1 and set errno; the rest return quire_status.
 */
#ifndef BASE_FS_H
#define BASE_FS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "quire.h"

/* ---- opening ------------------------------------------------------------ */

/* A number that tells a file from another one that had the same name before: of its inode
 * and of when it was created, where the file system records that. 0: there is none. */
int64_t fs_identity(const char *path);

/* Open the directory `path`. With `make`, create it and its parents first,
 * mode 0700, each made durable. QUIRE_NOT_FOUND, QUIRE_INVALID when it is
 * something else, QUIRE_IO. */
quire_status fs_open_dir(const char *path, bool make, int *fd,
                         quire_error *err);

/* Open `name` beneath `dir`. Errors are the kernel's: ELOOP for a link, EXDEV
 * for a way out. O_CLOEXEC is added. */
int fs_open_beneath(int dir, const char *name, int flags, mode_t mode);

/* Open the directory of `name` beneath `dir` ("a/b" of "a/b/c", `dir` itself of
 * "c"), and point *base at the last component. With `make`, missing directories
 * are created, mode 0700; *made (may be NULL) reports whether any was: they are
 * durable only after fs_sync_parents(). */
int fs_open_parent(int dir, const char *name, bool make, bool *made,
                   const char **base);

/* Sync every directory from `dir` down to the one that holds `name`. */
int fs_sync_parents(int dir, const char *name);

/* ---- moving bytes ------------------------------------------------------- */

/* Write all of the bytes despite signals and short writes; -1 and errno. */
int fs_write_all(int fd, quire_bytes bytes);

/* Up to `cap` bytes from `offset`, fewer only at the end of the file. */
ssize_t fs_read_at(int fd, void *buf, size_t cap, off_t offset);

/* The next `cap` bytes, fewer only at the end of the stream. */
ssize_t fs_read_full(int fd, void *buf, size_t cap);

/* Append whole lines. Either all of `bytes` are appended or, if the disk fills
 * up half way, none: the file is cut back to where it was. *size is its length
 * afterwards. `fd` is open for writing; the caller holds its lock. */
int fs_append(int fd, quire_bytes bytes, off_t *size);

/* ---- temporary files ---------------------------------------------------- */

/*
 * A file without a name (O_TMPFILE), which gets one when it is complete: a
 * crash leaves nothing behind. Where the file system does not support that, the
 * file is named ".tmp-<16 hex>" and locked while it is open, so that a
 * collector can distinguish litter from work under way.
 */
struct fs_temp {
    int dir; /* borrowed: where it was created */
    int fd;  /* owned                                    */
    char name[32];
};

/* clang-format off */
#define FS_TEMP_INIT {.dir = -1, .fd = -1}
/* clang-format on */

int fs_temp_open(struct fs_temp *t, int dir);

/* Sync the bytes of the file. Always call it before publishing: the name can
 * reach the disk before the bytes it names. */
int fs_temp_sync(struct fs_temp *t);

/* Start writing back in the background; only the sync guarantees durability. */
void fs_temp_start_sync(struct fs_temp *t);

/* Give the file the name `base` in `dir`. An existing file is replaced, or
 * kept with EEXIST. The directory is not synced. The file stays open. */
int fs_temp_publish(struct fs_temp *t, int dir, const char *base, bool replace);

/* Close it, and remove it if it was not published. */
void fs_temp_release(struct fs_temp *t);

/* Remove a named temporary file left by a dead process: it is not locked, and
 * it has not changed for an hour, longer than such a name is ever left
 * unlocked. With `dry` only check. False: it is in use, or does not exist. */
bool fs_temp_is_name(const char *name);
bool fs_temp_reap(int dir, const char *path, bool dry);

/* Atomically replace the content of `name` beneath `dir` by `bytes`: temporary
 * file, sync, rename, sync directory. Until then the old content is complete.
 */
quire_status fs_replace(int dir, const char *name, quire_bytes bytes,
                        quire_error *err);

/* ---- locks, removal ----------------------------------------------------- */

enum fs_lock { FS_UNLOCK, FS_SHARED, FS_EXCLUSIVE };

/* Lock what is open at `fd`, waiting at most `wait_ms`; QUIRE_BUSY after
 * that. The lock belongs to the open file description, not to the process:
 * closing another descriptor of the same file does not drop it. Files use
 * fcntl's OFD locks, directories flock(), since fcntl asks for a descriptor
 * open for writing, which a directory cannot have. */
quire_status fs_lock(int fd, enum fs_lock mode, int wait_ms, quire_error *err);

/* Describe the holder of the lock of the file open at `fd`: "process 4121
 * (quire)", or "another process" when the system does not reveal it. */
void fs_lock_holder(int fd, char *out, size_t cap);

/* Remove `name` beneath `dir` and all below it. Follows no link, and does not
 * cross into a directory moved in meanwhile. Absent is success. -1 and errno
 * when something could not be removed. */
int fs_remove_tree(int dir, const char *name);

#endif
