/*
 * object.h - object store interface: named bytes
 *
 * Where sessions, outputs and loose blobs are stored. A backend is a struct of
 * functions, and is done when the conformance suite in tests/conform/ passes
 * over it. memory.c is the executable specification, files.c the backend in
 * use.
 *
 * A name is one or more components joined by '/', none of them empty, "." or
 * "..", none beginning with ".tmp-"; the caller has checked that. One object's
 * name is never a prefix of another's ("a" and "a/b").
 *
 * Durability: publish, append, rename and remove have reached the disk when
 * they return QUIRE_OK, except for publish inside a batch, where commit is that
 * moment. A crash before that leaves the old state or the new one, never a
 * mixture, and no litter under a name of its own.
 */
#ifndef STORE_OBJECT_H
#define STORE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "quire.h"

struct object_info {
    uint64_t size;
    int64_t modified_s;     /* Unix seconds; touch and every write renew it   */
    int64_t modified_ns;    /* the same, at the backend's resolution */
    int64_t changed_ns;     /* when it was last changed in any way, where the
                          * system keeps that; cannot be set */
    uint64_t device, inode; /* together: the object's identity, whatever its
                             * name; zero while it has no name */
};

/* A store, one open object, one object being written. Backends put these first
 * in structs of their own. */
struct object_store {
    const struct object_ops *ops;
};
struct object {
    const struct object_ops *ops;
};
struct draft {
    const struct object_ops *ops;
};

/* How long status() may rely on the last check of the name. */
#define NAME_MS 20

enum object_lock { OBJECT_UNLOCK, OBJECT_SHARED, OBJECT_EXCLUSIVE };

typedef quire_status (*object_each_fn)(void *ctx, const char *name,
                                       const struct object_info *info,
                                       quire_error *err);

/* `info` is NULL for a directory: `name` is then the next component. */
typedef quire_status (*object_scan_fn)(void *ctx, const char *name,
                                       const struct object_info *info,
                                       quire_error *err);

typedef quire_status (*object_depth2_fn)(void *ctx, const char *dir,
                                         const char *name,
                                         const struct object_info *info,
                                         quire_error *err);

typedef bool (*object_want_fn)(void *ctx, const char *name);

struct object_ops {
    /* Size and time. QUIRE_NOT_FOUND is an answer and leaves `err` alone. */
    quire_status (*stat)(struct object_store *s, const char *name,
                         struct object_info *info, quire_error *err);

    /* Open for reading. The object keeps its present content, even if it is
     * replaced or removed meanwhile. QUIRE_NOT_FOUND as above. */
    quire_status (*open)(struct object_store *s, const char *name,
                         struct object **out, struct object_info *info,
                         quire_error *err);

    /* Up to `cap` bytes from `offset`, fewer only at the end. */
    quire_status (*read)(struct object *o, uint64_t offset, void *buf,
                         size_t cap, size_t *n, quire_error *err);
    void (*close)(struct object *o);

    /* A new object without a name, invisible to others. */
    quire_status (*create)(struct object_store *s, struct draft **out,
                           quire_error *err);
    quire_status (*write)(struct draft *d, quire_bytes bytes, quire_error *err);

    /* Wait until the written bytes are on the disk. Publishing waits for it
     * anyway: this is for callers that want to do so before they take a lock.
     */
    quire_status (*settle)(struct draft *d, quire_error *err);

    /* Give the draft its name. If that is taken: replace the other object, or
     * keep it and return QUIRE_EXISTS; then the draft remains, to be given
     * another name or discarded. After any other status it is gone. In a batch
     * it is visible through this store at once, to others after the commit. */
    quire_status (*publish)(struct draft *d, const char *name, bool replace,
                            quire_error *err);
    void (*discard)(struct draft *d);

    /* Append to the object, creating it if absent; all of `bytes` or, on
     * failure, none of them. *size is its size afterwards. */
    quire_status (*append)(struct object_store *s, const char *name,
                           quire_bytes bytes, uint64_t *size, quire_error *err);

    /* Renew the time of an open object. Not durable at once; it need not be.
     * QUIRE_NOT_FOUND: its name is gone since. */
    quire_status (*touch)(struct object *o, int64_t now_s, quire_error *err);

    /* Make an open object durable, whichever process wrote it: its bytes and
     * its name. In a batch, by the commit. QUIRE_CHANGED: the object is held, and
     * its name is gone or another's; the bytes are durable, but not under it. */
    quire_status (*sync)(struct object *o, quire_error *err);

    /* At any time exactly one of both names exists. A taken `to` is
     * QUIRE_EXISTS. `from` may also be a prefix (whole components): then all
     * that is below it moves. */
    quire_status (*rename)(struct object_store *s, const char *from,
                           const char *to, quire_error *err);

    /* QUIRE_NOT_FOUND when absent. In a batch it is gone at once, durably by
     * the commit; rollback does not restore it. */
    quire_status (*remove)(struct object_store *s, const char *name,
                           quire_error *err);

    /* Every object with a name that begins with `prefix` (whole components, ""
     * for all), in ascending order of names. A directory that cannot be read
     * stops the list with an error; it is never skipped. */
    quire_status (*list)(struct object_store *s, const char *prefix,
                         object_each_fn each, void *ctx, quire_error *err);

    /* The direct contents of `dir`, unordered: objects, and once each the names
     * that have objects below them. For large stores: nothing is sorted and
     * nothing below is visited. An absent `dir` is empty. */
    quire_status (*scan)(struct object_store *s, const char *dir,
                         object_scan_fn each, void *ctx, quire_error *err);

    /* Every object exactly two levels below `root`, those of one directory
     * together, otherwise unordered. For very many: several threads may stat
     * them, but `each` is called from this one. Objects that vanish meanwhile
     * are left out. An absent `root` is empty. */
    quire_status (*list_depth2)(struct object_store *s, const char *root,
                                object_depth2_fn each, void *ctx,
                                quire_error *err);

    /* Every object below `root`, at any depth and also if hidden, for which
     * `wants` accepts the last component; `dir` is "" for the contents of
     * `root` itself. Otherwise as list_depth2. `info` is NULL for anything that
     * is neither an object nor a directory: a link, a socket. Nothing is
     * skipped silently. */
    quire_status (*find)(struct object_store *s, const char *root,
                         object_want_fn wants, object_depth2_fn each, void *ctx,
                         quire_error *err);

    /* Remove every object below `prefix`. Absent is success. */
    quire_status (*clear)(struct object_store *s, const char *prefix,
                          quire_error *err);

    /* ---- logs: objects changed in place ----
     *
     * Open for reading and for changes in place, which are visible to all
     * readers at once. read, close and sync work as on any open object; sync,
     * and it alone, may run beside the others in a thread of its own. Not in a
     * batch. QUIRE_NOT_FOUND as above. */
    quire_status (*edit)(struct object_store *s, const char *name,
                         struct object **out, struct object_info *info,
                         quire_error *err);

    /* Lock this object until it is closed. QUIRE_BUSY after `wait_ms`, with the
     * holder's name. The lock is advisory: it prevents neither reading nor
     * writing without it. */
    quire_status (*hold)(struct object *o, int wait_ms, quire_error *err);

    /* The current size of the open object. *named is false when its name has
     * gone altogether or to another object; a recent move may go unnoticed for
     * NAME_MS. Cheap: it runs before every append. */
    quire_status (*status)(struct object *o, uint64_t *size, bool *named,
                           quire_error *err);

    /* Add at the end. `size` is where that was: after a failure the object is
     * cut back to it. Durable after sync. */
    quire_status (*append_at)(struct object *o, uint64_t size,
                              quire_bytes bytes, quire_error *err);

    /* Where an append of a process that died began and did not end: what
     * follows was not acknowledged. UINT64_MAX: there is none, or the backend
     * did not record it; it records appends of OBJECT_LARGE_APPEND bytes and
     * more, which a signal can interrupt. */
    uint64_t (*unfinished)(struct object *o);

    /* Cut an unfinished append off. */
    quire_status (*cut)(struct object *o, uint64_t size, quire_error *err);

    /* Overwrite bytes, all within the object. Not atomic: for slots that a
     * reader can do without. Durable after sync. */
    quire_status (*patch)(struct object *o, uint64_t offset, quire_bytes bytes,
                          quire_error *err);

    /* Give the draft a name that must be free (else QUIRE_EXISTS), and keep it
     * open for changes and locked throughout. Durable. The draft is gone
     * afterwards, whatever the status. */
    quire_status (*publish_open)(struct draft *d, const char *name,
                                 struct object **out, quire_error *err);

    /* Replace the open object by the draft, atomically and durably: `o` and its
     * name are the draft then, locked if `o` was. The draft is gone afterwards,
     * whatever the status. After a failure `o` is what it was, or the draft, if
     * only the last sync of its name failed. QUIRE_CHANGED: `o` has been moved
     * away. */
    quire_status (*swap)(struct object *o, struct draft *d, quire_error *err);

    /* Between begin and commit, publish does not wait for the disk. After
     * rollback what was published in the batch is gone, or, where the backend
     * had to settle early, harmlessly there. If anything published in the batch
     * was lost meanwhile, commit fails. */
    quire_status (*begin)(struct object_store *s, quire_error *err);
    quire_status (*commit)(struct object_store *s, quire_error *err);
    void (*rollback)(struct object_store *s);

    /* One lock for the whole store, across processes, shared or exclusive.
     * QUIRE_BUSY after `wait_ms`. Taking it twice through one handle changes
     * its mode. */
    quire_status (*lock)(struct object_store *s, enum object_lock mode,
                         int wait_ms, quire_error *err);

    /* Change the store's generation, for readers that cache its content: a
     * different generation means something may have happened since. Publishing
     * and removing may change it, too. It fails only for processes that may not
     * write to the store; they cannot add anything to it either. */
    void (*touch_gen)(struct object_store *s);
    quire_status (*gen)(struct object_store *s, int64_t *mark,
                        quire_error *err);

    /* Lock the contents of `dir` (whole components, "" for all) against others
     * that use this lock, until unlock_dir. It is the same lock through
     * whichever store the directory is reached. One at a time for a handle.
     * QUIRE_BUSY after `wait_ms`; QUIRE_NOT_FOUND: the directory does not
     * exist, where the backend has directories. */
    quire_status (*lock_dir)(struct object_store *s, const char *dir,
                             int wait_ms, quire_error *err);
    void (*unlock_dir)(struct object_store *s);

    /* The path of the store, for messages. */
    const char *(*place)(const struct object_store *s);

    void (*free)(struct object_store *s);
};

#define OBJECT_LARGE_APPEND ((size_t)64 << 10)

/* Add bytes [at, to) of an open object to a draft; `to` UINT64_MAX: to its
 * end, where it ends in any case. */
quire_status object_copy(struct object *from, uint64_t at, uint64_t to,
                         struct draft *d, quire_error *err);

/* QUIRE_CHANGED of sync(). */
quire_status object_lost_name(struct object_store *s, const char *name,
                              quire_error *err);

/* The backends. files: everything beneath the directory `path`, which is
 * created with the first write (not at all if `read_only`). */
quire_status object_files_open(const char *path, bool read_only,
                               struct object_store **out, quire_error *err);

/* The same for a directory that is open at `fd`, which the store takes, also on
 * failure; `path` is its name in messages. */
quire_status object_files_adopt(int fd, const char *path, bool read_only,
                                struct object_store **out, quire_error *err);

quire_status object_memory_open(const struct clock *clock,
                                struct object_store **out, quire_error *err);

#endif
