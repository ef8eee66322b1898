/*
 * object.h - object interface: immutable bytes under a name
 *
 * Where loose blobs and outputs are stored. An object is written as a draft,
 * complete and invisible, and then published under its name. It is never
 * changed: a name can only be given to another object, or be removed.
 *
 * A name is one or more components joined by '/', none of them empty, "." or
 * "..", none beginning with ".tmp-"; the caller has checked that. One object's
 * name is never a prefix of another's ("a" and "a/b").
 *
 * Durability: publish and remove have reached the disk when they return
 * QUIRE_OK, except inside a batch, where commit is that moment. A crash before
 * that leaves the old state or the new one, never a mixture, and no litter
 * under a name of its own.
 *
 * This is all that a backend in a bucket has to offer. Bytes that grow are
 * store/log.h, locks store/lease.h, directories store/directory.h. store/s3.h
 * says which of the promises below it keeps in another way: callers that may
 * meet a bucket use each name once, and keep times in rows.
 *
 * The conformance suite is tests/conform/object_test.c. memory.c is the
 * executable specification, files.c the backend of homes on a disk.
 */
#ifndef STORE_OBJECT_H
#define STORE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"
#include "store/info.h"

/* A store, one open object, one object being written. Backends put these in
 * structs of their own. */
struct object_store {
    const struct object_ops *ops;
};
struct object {
    const struct object_ops *ops;
};
struct draft {
    const struct object_ops *ops;
};

typedef quire_status (*object_each_fn)(void *ctx, const char *name,
                                       const struct object_info *info,
                                       quire_error *err);

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

    /* Other handles of the object are not affected. */
    void (*close)(struct object *o);

    /* A new object without a name, invisible to others. */
    quire_status (*create)(struct object_store *s, struct draft **out,
                           quire_error *err);

    /* Add at the end. After a failure the draft can only be discarded. */
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

    /* The draft is gone and leaves nothing. */
    void (*discard)(struct draft *d);

    /* Renew the time of an open object. Not durable at once; it need not be.
     * QUIRE_NOT_FOUND: its name is gone since. QUIRE_INVALID: a bucket keeps no
     * such time. */
    quire_status (*touch)(struct object *o, int64_t now_s, quire_error *err);

    /* Make an open object durable, whichever process wrote it: its bytes and
     * its name. In a batch, by the commit. */
    quire_status (*sync)(struct object *o, quire_error *err);

    /* QUIRE_NOT_FOUND when absent. In a batch it is gone at once, durably by
     * the commit; rollback does not restore it. */
    quire_status (*remove)(struct object_store *s, const char *name,
                           quire_error *err);

    /* Every object with a name that begins with `prefix` (whole components, ""
     * for all), in ascending order of names. A directory that cannot be read
     * stops the list with an error; it is never skipped. */
    quire_status (*list)(struct object_store *s, const char *prefix,
                         object_each_fn each, void *ctx, quire_error *err);

    /* Remove every object below `prefix`. Absent is success. */
    quire_status (*clear)(struct object_store *s, const char *prefix,
                          quire_error *err);

    /* Between begin and commit, publish does not wait for the disk. After
     * rollback what was published in the batch is gone, or, where the backend
     * had to settle early, harmlessly there. If anything published in the batch
     * was lost meanwhile, commit fails. */
    quire_status (*begin)(struct object_store *s, quire_error *err);
    quire_status (*commit)(struct object_store *s, quire_error *err);
    void (*rollback)(struct object_store *s);

    /* The path of the store, for messages. */
    const char *(*place)(const struct object_store *s);

    /* Objects and drafts are closed before. An open batch is rolled back. */
    void (*free)(struct object_store *s);
};

/* Add all bytes of an open object to a draft. */
quire_status object_copy(struct object *from, struct draft *d,
                         quire_error *err);

/* ---- calls -------------------------------------------------------------- */

static inline quire_status object_stat(struct object_store *s, const char *name,
                                       struct object_info *info,
                                       quire_error *err)
{
    return s->ops->stat(s, name, info, err);
}

static inline quire_status object_open(struct object_store *s, const char *name,
                                       struct object **out,
                                       struct object_info *info,
                                       quire_error *err)
{
    return s->ops->open(s, name, out, info, err);
}

static inline quire_status object_read(struct object *o, uint64_t offset,
                                       void *buf, size_t cap, size_t *n,
                                       quire_error *err)
{
    return o->ops->read(o, offset, buf, cap, n, err);
}

static inline void object_close(struct object *o)
{
    o->ops->close(o);
}

static inline quire_status object_create(struct object_store *s,
                                         struct draft **out, quire_error *err)
{
    return s->ops->create(s, out, err);
}

static inline quire_status object_write(struct draft *d, quire_bytes bytes,
                                        quire_error *err)
{
    return d->ops->write(d, bytes, err);
}

static inline quire_status object_settle(struct draft *d, quire_error *err)
{
    return d->ops->settle(d, err);
}

static inline quire_status object_publish(struct draft *d, const char *name,
                                          bool replace, quire_error *err)
{
    return d->ops->publish(d, name, replace, err);
}

static inline void object_discard(struct draft *d)
{
    d->ops->discard(d);
}

static inline quire_status object_touch(struct object *o, int64_t now_s,
                                        quire_error *err)
{
    return o->ops->touch(o, now_s, err);
}

static inline quire_status object_sync(struct object *o, quire_error *err)
{
    return o->ops->sync(o, err);
}

static inline quire_status object_remove(struct object_store *s,
                                         const char *name, quire_error *err)
{
    return s->ops->remove(s, name, err);
}

static inline quire_status object_list(struct object_store *s,
                                       const char *prefix, object_each_fn each,
                                       void *ctx, quire_error *err)
{
    return s->ops->list(s, prefix, each, ctx, err);
}

static inline quire_status object_clear(struct object_store *s,
                                        const char *prefix, quire_error *err)
{
    return s->ops->clear(s, prefix, err);
}

static inline quire_status object_begin(struct object_store *s,
                                        quire_error *err)
{
    return s->ops->begin(s, err);
}

static inline quire_status object_commit(struct object_store *s,
                                         quire_error *err)
{
    return s->ops->commit(s, err);
}

static inline void object_rollback(struct object_store *s)
{
    s->ops->rollback(s);
}

static inline const char *object_place(const struct object_store *s)
{
    return s->ops->place(s);
}

/* NULL is fine. */
static inline void object_store_free(struct object_store *s)
{
    if (s)
        s->ops->free(s);
}

#endif
