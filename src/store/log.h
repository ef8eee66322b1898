/*
 * log.h - log interface: bytes that are appended to
 *
 * A log is a name with bytes that grow at the end: a session's lines. What has
 * been appended stays as it is, except for one slot of fixed length (patch).
 * To change more, a new *generation* is written beside the log and takes its
 * name at once (replace); readers that have the old generation open keep it.
 *
 *     log_create() -> draft -> log_write() ... -> log_publish()   a new log
 *                                              -> log_replace()   a generation
 *     log_open()   -> log   -> log_hold(), log_status(), log_append(), log_sync()
 *
 * One writer at a time: log_hold() locks a log until it is closed or
 * log_release() is called. A writer on
 * another machine holds a lease (store/lease.h) instead and passes its epoch
 * with each append.
 *
 * A log whose name ends in ".jsonl.gz" is kept compressed (store/gzip_blocks.h); its
 * offsets and sizes are those of its content. Only its first write can be patched, up to a KiB; each
 * append takes a block of its own, and writers have to hold it: it is for what
 * is written by the megabyte and read, as imported sessions are. The memory backend compresses nothing.
 *
 * Names are those of store/object.h. In the backends of one machine (files,
 * memory) logs and objects share their names: code of local homes reads a log
 * as an object, for instance to find references to blobs. A remote backend need not
 * offer that.
 *
 * Durability: publish, replace, rename and remove have reached the disk when
 * they return QUIRE_OK; append and patch after the next sync. A crash leaves
 * the old state or the new one. A part of an append that was not acknowledged
 * may remain at the end.
 *
 * The conformance suite is tests/conform/log_test.c. memory_log.c is the
 * executable specification, files_log.c the backend in use.
 */
#ifndef STORE_LOG_H
#define STORE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"
#include "store/info.h"

/* A store of logs, an open log, a log or generation being written. Backends put
 * these in structs of their own. */
struct log_store {
    const struct log_ops *ops;
};
struct log {
    const struct log_ops *ops;
};
struct log_draft {
    const struct log_ops *ops;
};

enum log_mode { LOG_READ, LOG_APPEND };

/* How long status() may rely on the last check of the name. */
#define LOG_NAME_MS 20

/* The epoch of a writer that has no lease: hold() keeps others out. */
#define LOG_NO_EPOCH 0

/* Appends from this size on are recorded for unfinished(). */
#define LOG_LARGE_APPEND ((size_t)64 << 10)

typedef quire_status (*log_each_fn)(void *ctx, const char *dir,
                                    const char *name,
                                    const struct object_info *info,
                                    quire_error *err);

struct log_ops {
    /* Size and times. QUIRE_NOT_FOUND is an answer and leaves `err` alone. */
    quire_status (*stat)(struct log_store *s, const char *name,
                         struct object_info *info, quire_error *err);

    /* Open the present generation. LOG_READ: for read, status, unfinished and
     * close. LOG_APPEND: for everything; QUIRE_INVALID if the store is
     * read-only. QUIRE_NOT_FOUND as above. */
    quire_status (*open)(struct log_store *s, const char *name,
                         enum log_mode mode, struct log **out,
                         struct object_info *info, quire_error *err);

    /* Up to `cap` bytes from `offset`, fewer only at the end. What others have
     * appended is read too. */
    quire_status (*read)(struct log *l, uint64_t offset, void *buf, size_t cap,
                         size_t *n, quire_error *err);

    /* Releases its lock, too. */
    void (*close)(struct log *l);

    /* Lock this log until it is closed. QUIRE_BUSY after `wait_ms`, with the
     * holder's name. The lock is advisory: it prevents neither reading nor
     * writing without it. */
    quire_status (*hold)(struct log *l, int wait_ms, quire_error *err);

    /* Unlock a log that is held: others may write to it until it is held again. A
     * log that is not held stays as it is. Appends that were not synced can still
     * be. */
    void (*release)(struct log *l);

    /* The current size of the open generation. *named is false when its name
     * has gone altogether or to another generation; a recent move may go
     * unnoticed for LOG_NAME_MS. Cheap: it runs before every append. */
    quire_status (*status)(struct log *l, uint64_t *size, bool *named,
                           quire_error *err);

    /* Add at the end, which the caller expects at `size`; visible to all
     * readers at once, durable after sync. After a failure the log is cut back
     * to `size`.
     *
     * `epoch` is the fencing epoch of the writer's lease (store/lease.h), or
     * LOG_NO_EPOCH. QUIRE_CHANGED: a higher epoch has appended before; the
     * caller has lost its lease.
     *
     * files appends at the real end, which O_APPEND keeps safe, and compares
     * epochs of one handle only: its fence is hold(). A remote backend compares
     * size and epoch in the same step in which it appends, across all writers,
     * and returns QUIRE_CHANGED for either. */
    quire_status (*append)(struct log *l, uint64_t epoch, uint64_t size,
                           quire_bytes bytes, quire_error *err);

    /* Where an append of a process that died began and did not end: what
     * follows was not acknowledged. UINT64_MAX: there is none, or the backend
     * did not record it; it records appends of LOG_LARGE_APPEND bytes and more,
     * which a signal can interrupt. A remote backend appends all or nothing:
     * always UINT64_MAX. */
    uint64_t (*unfinished)(struct log *l);

    /* Cut the end off: an unfinished append, or a section. */
    quire_status (*cut)(struct log *l, uint64_t size, quire_error *err);

    /* Overwrite bytes, all within the log: the title slot of a session. Not
     * atomic: for what a reader can do without. Durable after sync.
     * QUIRE_CHANGED: the log was replaced or truncated. */
    quire_status (*patch)(struct log *l, uint64_t offset, quire_bytes bytes,
                          quire_error *err);

    /* Make the log durable, whichever process wrote it: its bytes and its name.
     * May run in a thread of its own beside the other calls, and it alone.
     * QUIRE_CHANGED: the log is or was held, and its name is gone or another's;
     * the bytes are durable, but not under it. */
    quire_status (*sync)(struct log *l, quire_error *err);

    /* A new log or generation, invisible to others until it is given this name
     * or another of the same ending. */
    quire_status (*create)(struct log_store *s, const char *name,
                           struct log_draft **out, quire_error *err);

    /* Add at the end. After a failure the draft can only be discarded. */
    quire_status (*write)(struct log_draft *d, quire_bytes bytes,
                          quire_error *err);

    /* What follows is a section of its own: cutting it off later (cut) leaves the
     * bytes before as they are on the disk, also in a compressed log. */
    quire_status (*section)(struct log_draft *d, quire_error *err);

    /* Wait until the written bytes are on the disk. publish and replace wait
     * for it anyway: this is for callers that want to do so before they take a
     * lock. */
    quire_status (*settle)(struct log_draft *d, quire_error *err);

    /* Give the draft its name, durably. If that is taken: replace the other
     * log, or keep it and return QUIRE_EXISTS; then the draft remains, to be
     * given another name or discarded. After any other status it is gone.
     *
     * With `out` (and without `replace`) the log stays open for appending, and
     * is held from before it has its name. Without it, in a batch of the objects
     * beside it (store/object.h), the commit of the batch makes it durable, and
     * visible to other handles. */
    quire_status (*publish)(struct log_draft *d, const char *name, bool replace,
                            struct log **out, quire_error *err);

    /* The draft is gone and leaves nothing. */
    void (*discard)(struct log_draft *d);

    /* Make the draft the next generation of `l`, atomically and durably: `l`
     * and its name are the draft then, held if `l` was. The draft is gone
     * afterwards, whatever the status. After a failure `l` is what it was, or
     * the draft, if only the last sync of its name failed. QUIRE_CHANGED: `l`
     * has been moved away. */
    quire_status (*replace)(struct log *l, struct log_draft *d,
                            quire_error *err);

    /* At any time exactly one of both names exists. A taken `to` is
     * QUIRE_EXISTS. QUIRE_NOT_FOUND when `from` is absent. */
    quire_status (*rename)(struct log_store *s, const char *from,
                           const char *to, quire_error *err);

    /* QUIRE_NOT_FOUND when absent. */
    quire_status (*remove)(struct log_store *s, const char *name,
                           quire_error *err);

    /* Every log exactly two levels below `root` ("sessions/<dir>/<name>"),
     * those of one directory together, otherwise unordered, with its size and
     * times. For very many: several threads may stat them, but `each` is called
     * from this one. Logs that vanish meanwhile are left out. An absent `root`
     * is empty. */
    quire_status (*list)(struct log_store *s, const char *root,
                         log_each_fn each, void *ctx, quire_error *err);

    /* The path of the store, for messages. */
    const char *(*place)(const struct log_store *s);

    /* Logs and drafts are closed before. */
    void (*free)(struct log_store *s);
};

/* Add bytes [at, to) of a log to a draft; `to` UINT64_MAX: to its end, where it
 * ends in any case. */
quire_status log_copy(struct log *from, uint64_t at, uint64_t to,
                      struct log_draft *d, quire_error *err);

/* For backends: QUIRE_CHANGED of sync(), and of append() with an old epoch. */
quire_status log_lost_name(struct log_store *s, const char *name,
                           quire_error *err);
quire_status log_lost_lease(struct log_store *s, const char *name,
                            quire_error *err);

/* ---- calls -------------------------------------------------------------- */

static inline quire_status log_stat(struct log_store *s, const char *name,
                                    struct object_info *info, quire_error *err)
{
    return s->ops->stat(s, name, info, err);
}

static inline quire_status log_open(struct log_store *s, const char *name,
                                    enum log_mode mode, struct log **out,
                                    struct object_info *info, quire_error *err)
{
    return s->ops->open(s, name, mode, out, info, err);
}

static inline quire_status log_read(struct log *l, uint64_t offset, void *buf,
                                    size_t cap, size_t *n, quire_error *err)
{
    return l->ops->read(l, offset, buf, cap, n, err);
}

static inline void log_close(struct log *l)
{
    l->ops->close(l);
}

static inline quire_status log_hold(struct log *l, int wait_ms,
                                    quire_error *err)
{
    return l->ops->hold(l, wait_ms, err);
}

static inline void log_release(struct log *l)
{
    l->ops->release(l);
}

static inline quire_status log_status(struct log *l, uint64_t *size,
                                      bool *named, quire_error *err)
{
    return l->ops->status(l, size, named, err);
}

static inline quire_status log_append(struct log *l, uint64_t epoch,
                                      uint64_t size, quire_bytes bytes,
                                      quire_error *err)
{
    return l->ops->append(l, epoch, size, bytes, err);
}

static inline uint64_t log_unfinished(struct log *l)
{
    return l->ops->unfinished(l);
}

static inline quire_status log_cut(struct log *l, uint64_t size,
                                   quire_error *err)
{
    return l->ops->cut(l, size, err);
}

static inline quire_status log_patch(struct log *l, uint64_t offset,
                                     quire_bytes bytes, quire_error *err)
{
    return l->ops->patch(l, offset, bytes, err);
}

static inline quire_status log_sync(struct log *l, quire_error *err)
{
    return l->ops->sync(l, err);
}

static inline quire_status log_create(struct log_store *s, const char *name,
                                      struct log_draft **out, quire_error *err)
{
    return s->ops->create(s, name, out, err);
}

static inline quire_status log_write(struct log_draft *d, quire_bytes bytes,
                                     quire_error *err)
{
    return d->ops->write(d, bytes, err);
}

static inline quire_status log_section(struct log_draft *d, quire_error *err)
{
    return d->ops->section(d, err);
}

static inline quire_status log_settle(struct log_draft *d, quire_error *err)
{
    return d->ops->settle(d, err);
}

static inline quire_status log_publish(struct log_draft *d, const char *name,
                                       bool replace, struct log **out,
                                       quire_error *err)
{
    return d->ops->publish(d, name, replace, out, err);
}

static inline void log_discard(struct log_draft *d)
{
    d->ops->discard(d);
}

static inline quire_status log_replace(struct log *l, struct log_draft *d,
                                       quire_error *err)
{
    return l->ops->replace(l, d, err);
}

static inline quire_status log_rename(struct log_store *s, const char *from,
                                      const char *to, quire_error *err)
{
    return s->ops->rename(s, from, to, err);
}

static inline quire_status log_remove(struct log_store *s, const char *name,
                                      quire_error *err)
{
    return s->ops->remove(s, name, err);
}

static inline quire_status log_list(struct log_store *s, const char *root,
                                    log_each_fn each, void *ctx,
                                    quire_error *err)
{
    return s->ops->list(s, root, each, ctx, err);
}

static inline const char *log_place(const struct log_store *s)
{
    return s->ops->place(s);
}

/* NULL is fine. */
static inline void log_store_free(struct log_store *s)
{
    if (s)
        s->ops->free(s);
}

#endif
