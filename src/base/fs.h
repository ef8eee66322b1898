/*
 * fs.h - files, from a directory descriptor downwards
 *
 * A store holds a descriptor of its directory and names everything relative
 * to it. Every such name is opened *beneath* the directory, with no symbolic
 * link followed on the way (openat2; where the kernel lacks it, one component
 * at a time), so no content and no neighbour can lead us outside.
 *
 * The directory itself is named by the user and may be reached by links: that
 * is the user's own decision.
 *
 * Calls that return int give -1 and errno; the rest speak in quire_status.
 */
#ifndef BASE_FS_H
#define BASE_FS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "quire.h"

/* ---- opening ------------------------------------------------------------ */

/* Open the directory `path`. With `make`, create it and its parents first,
 * mode 0700, each made durable. QUIRE_NOT_FOUND, QUIRE_INVALID when it is
 * something else, QUIRE_IO. */
quire_status fs_open_dir(const char *path, bool make, int *fd,
                         quire_error *err);

/* Open `name` beneath `dir`. Errors are the kernel's: ELOOP for a link, EXDEV
 * for a way out. O_CLOEXEC is added. */
int fs_open_beneath(int dir, const char *name, int flags, mode_t mode);

/* Open the directory of `name` beneath `dir` ("a/b" of "a/b/c", `dir` itself
 * of "c"), and point *base at the last component. With `make`, directories
 * that are missing are created, mode 0700; *made (may be NULL) tells whether
 * any was: they last only after fs_sync_parents(). */
int fs_open_parent(int dir, const char *name, bool make, bool *made,
                   const char **base);

/* Sync every directory from `dir` down to the one that holds `name`. */
int fs_sync_parents(int dir, const char *name);

/* ---- moving bytes ------------------------------------------------------- */

/* All of the bytes, whatever signals and short writes do; -1 and errno. */
int fs_write_all(int fd, quire_bytes bytes);

/* Up to `cap` bytes from `offset`, fewer only at the end of the file. */
ssize_t fs_read_at(int fd, void *buf, size_t cap, off_t offset);

/* The next `cap` bytes, fewer only at the end of the stream. */
ssize_t fs_read_full(int fd, void *buf, size_t cap);

/* Append whole lines. `bytes` arrive completely or, if the disk fills up half
 * way, not at all: the file is cut back to where it was. *size is its length
 * afterwards. `fd` is open for writing; the caller holds its lock. */
int fs_append(int fd, quire_bytes bytes, off_t *size);

/* ---- temporary files ---------------------------------------------------- */

/*
 * A file without a name (O_TMPFILE), which gets one when it is complete: a
 * crash leaves nothing behind. Where the file system cannot do that the file
 * has a name of its own, ".tmp-<16 hex>", and is locked while it is open, so
 * that a collector can tell litter from work under way.
 */
struct fs_temp {
    int dir; /* borrowed: where it was made              */
    int fd;  /* owned                                    */
    char name[32];
};

/* clang-format off */
#define FS_TEMP_INIT {.dir = -1, .fd = -1}
/* clang-format on */

int fs_temp_open(struct fs_temp *t, int dir);

/* Sync the bytes of the file. Before publishing, always: the name can reach
 * the disk before the bytes it names. */
int fs_temp_sync(struct fs_temp *t);

/* Let the disk begin with it meanwhile: it is the sync that counts. */
void fs_temp_start_sync(struct fs_temp *t);

/* Give the file the name `base` in `dir`. An existing file is replaced, or
 * kept with EEXIST. The directory is not synced. The file stays open. */
int fs_temp_publish(struct fs_temp *t, int dir, const char *base, bool replace);

/* Close it, and remove it if it was not published. */
void fs_temp_release(struct fs_temp *t);

/* Remove a named temporary file whose maker is dead: nobody has it locked, and it
 * has not changed for an hour, which is longer than a name of that kind is ever
 * left unlocked. With `dry` only look. False: it is somebody's, or no such file. */
bool fs_temp_is_name(const char *name);
bool fs_temp_reap(int dir, const char *path, bool dry);

/* Atomically make `name` beneath `dir` contain `bytes`: temporary file, sync,
 * rename, sync directory. Whatever was there is there whole until then. */
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

/* Who holds the lock of the file open at `fd`: "process 4121 (quire)", or
 * "another process" when the system does not say. */
void fs_lock_holder(int fd, char *out, size_t cap);

/* Remove `name` beneath `dir` and all below it, never following a link and
 * never crossing to what was moved in meanwhile from elsewhere. Absent is
 * fine. -1 and errno when something would not go. */
int fs_remove_tree(int dir, const char *name);

#endif
