/*
 * lease.h - lease interface: locks and leases across handles and processes
 *
 * Three kinds, from the cheapest to the one that also works between machines:
 *
 *   lock of the store    shared or exclusive, until it is released; writers of
 *                        blobs share it, a collection takes it alone. Beside
 *                        it a generation: readers that cache the store's
 *                        content compare it to see whether it changed.
 *   lock of a directory  exclusive, until it is released: numbers of outputs,
 *                        moving and removing a session.
 *   lease                a name, taken for a time, with a fencing *epoch* that
 *                        rises with every take. It ends by itself when its
 *                        holder dies or is cut off. The time only
 *                        keeps others from trying; the epoch fences writes: a
 *                        holder passes it with each one (log_append()), and a
 *                        lower one is refused.
 *
 * Leases are for a backend that several machines share: of background jobs one
 * server at a time runs each. A session is held there by a fence of its own
 * (rows_log.c), not by a lease of this interface.
 *
 * The conformance suite is tests/conform/lease_test.c. memory_lease.c is the
 * executable specification, files_lease.c the backend in use. A remote backend
 * takes leases by one conditional update of a row; locks are leases there that
 * the backend renews by itself.
 */
#ifndef STORE_LEASE_H
#define STORE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"

/* Backends put it in structs of their own. */
struct lease_store {
    const struct lease_ops *ops;
};

enum lease_mode { LEASE_UNLOCK, LEASE_SHARED, LEASE_EXCLUSIVE };

/* The longest name of a lease and of its holder, with the final NUL. */
#define LEASE_NAME_SIZE 128

struct lease_ops {
    /* One lock for the whole store, across processes, shared or exclusive.
     * QUIRE_BUSY after `wait_ms`. Taking it twice through one handle changes
     * its mode. LEASE_UNLOCK cannot fail. */
    quire_status (*lock)(struct lease_store *s, enum lease_mode mode,
                         int wait_ms, quire_error *err);

    /* Change the store's generation, for readers that cache its content: a
     * different generation means something may have happened since. Publishing
     * and removing may change it, too. It fails only for processes that may not
     * write to the store; they cannot add anything to it either. */
    void (*touch_gen)(struct lease_store *s);

    /* The present generation; 0 for a store that does not exist yet. */
    quire_status (*gen)(struct lease_store *s, int64_t *mark, quire_error *err);

    /* Lock the contents of `dir` (whole components, "" for all) against others
     * that use this lock, until unlock_dir. It is the same lock through
     * whichever store the directory is reached. One at a time for a handle.
     * QUIRE_BUSY after `wait_ms`; QUIRE_NOT_FOUND: the directory does not
     * exist, where the backend has directories. */
    quire_status (*lock_dir)(struct lease_store *s, const char *dir,
                             int wait_ms, quire_error *err);

    /* Release the directory that this handle has locked. */
    void (*unlock_dir)(struct lease_store *s);

    /* Take the lease `name` (one component) for `duration_ms`, as `holder`,
     * which is a line of text that no other process uses. *epoch is higher than
     * at any take before, by any holder, also after a crash: it is durable.
     * A holder that takes its own lease again gets a new epoch.
     * QUIRE_BUSY: another holds it; the message has its name. It does not
     * wait. QUIRE_INVALID: the name or the holder cannot be one. */
    quire_status (*take)(struct lease_store *s, const char *name,
                         const char *holder, int64_t duration_ms,
                         uint64_t *epoch, quire_error *err);

    /* Hold it for `duration_ms` from now on. QUIRE_CHANGED: the lease was taken
     * since, with a higher epoch, or released: it is lost. One that has ended
     * and was not taken since can be renewed. */
    quire_status (*renew)(struct lease_store *s, const char *name,
                          uint64_t epoch, int64_t duration_ms,
                          quire_error *err);

    /* Others may take it at once. QUIRE_CHANGED as above. */
    quire_status (*release)(struct lease_store *s, const char *name,
                            uint64_t epoch, quire_error *err);

    /* Directories are unlocked before. The lock of the store is released; leases
     * stay until they end. */
    void (*free)(struct lease_store *s);
};

/* For backends. What is stored of a lease; epoch 0: it was never taken. */
struct lease_record {
    uint64_t epoch;
    int64_t until_ms; /* Unix milliseconds; 0: released */
    char holder[LEASE_NAME_SIZE];
};

/* The rules of take, renew and release: check the request against `r` at the
 * time `now_ms`, and change `r` if it is granted. */
quire_status lease_record_take(struct lease_record *r, const char *name,
                               const char *holder, int64_t now_ms,
                               int64_t duration_ms, quire_error *err);
quire_status lease_record_renew(struct lease_record *r, const char *name,
                                uint64_t epoch, int64_t now_ms,
                                int64_t duration_ms, quire_error *err);
quire_status lease_record_release(struct lease_record *r, const char *name,
                                  uint64_t epoch, quire_error *err);

/* ---- calls -------------------------------------------------------------- */

static inline quire_status lease_lock(struct lease_store *s,
                                      enum lease_mode mode, int wait_ms,
                                      quire_error *err)
{
    return s->ops->lock(s, mode, wait_ms, err);
}

static inline void lease_touch_gen(struct lease_store *s)
{
    s->ops->touch_gen(s);
}

static inline quire_status lease_gen(struct lease_store *s, int64_t *mark,
                                     quire_error *err)
{
    return s->ops->gen(s, mark, err);
}

static inline quire_status lease_lock_dir(struct lease_store *s,
                                          const char *dir, int wait_ms,
                                          quire_error *err)
{
    return s->ops->lock_dir(s, dir, wait_ms, err);
}

static inline void lease_unlock_dir(struct lease_store *s)
{
    s->ops->unlock_dir(s);
}

static inline quire_status lease_take(struct lease_store *s, const char *name,
                                      const char *holder, int64_t duration_ms,
                                      uint64_t *epoch, quire_error *err)
{
    return s->ops->take(s, name, holder, duration_ms, epoch, err);
}

static inline quire_status lease_renew(struct lease_store *s, const char *name,
                                       uint64_t epoch, int64_t duration_ms,
                                       quire_error *err)
{
    return s->ops->renew(s, name, epoch, duration_ms, err);
}

static inline quire_status lease_release(struct lease_store *s,
                                         const char *name, uint64_t epoch,
                                         quire_error *err)
{
    return s->ops->release(s, name, epoch, err);
}

/* NULL is fine. */
static inline void lease_store_free(struct lease_store *s)
{
    if (s)
        s->ops->free(s);
}

#endif
