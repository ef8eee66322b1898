/* intercept_lease.c - the wrapper of locks and leases: see intercept.h */
#include "store/intercept_priv.h"

INTERCEPT_STORE_TYPE(struct lease_store, struct lease_ops)

/* ---- calls that cannot fail ----------------------------------------------- */

/* Unlocking cannot fail, so the hook is not called. */
static quire_status intercepted_lock(struct lease_store *s,
                                     enum lease_mode mode, int wait_ms,
                                     quire_error *err)
{
    struct lease_store *in = of_store(s)->inner;

    if (mode == LEASE_UNLOCK)
        return lease_lock(in, mode, wait_ms, err);
    PASS(&of_store(s)->intercept, "lease lock",
         mode == LEASE_SHARED ? "shared" : "exclusive",
         lease_lock(in, mode, wait_ms, err));
}

static void intercepted_touch_gen(struct lease_store *s)
{
    lease_touch_gen(of_store(s)->inner);
}

static void intercepted_unlock_dir(struct lease_store *s)
{
    lease_unlock_dir(of_store(s)->inner);
}

/* ---- every slot ---------------------------------------------------------- */

#define LEASE_SLOTS(X)                                               \
    X(OWN, lock, "lease lock", mode, (), ())                         \
    X(OWN, touch_gen, "", "", (), ())                                \
    X(STORE, gen, "lease generation", "",                            \
      (struct lease_store * s, int64_t * mark, quire_error * err),   \
      (mark, err))                                                   \
    X(STORE, lock_dir, "lease lock directory", dir,                  \
      (struct lease_store * s, const char *dir, int wait_ms,         \
       quire_error *err),                                            \
      (dir, wait_ms, err))                                           \
    X(OWN, unlock_dir, "", "", (), ())                               \
    X(STORE, take, "lease take", name,                               \
      (struct lease_store * s, const char *name, const char *holder, \
       int64_t duration_ms, uint64_t *epoch, quire_error *err),      \
      (name, holder, duration_ms, epoch, err))                       \
    X(STORE, renew, "lease renew", name,                             \
      (struct lease_store * s, const char *name, uint64_t epoch,     \
       int64_t duration_ms, quire_error *err),                       \
      (name, epoch, duration_ms, err))                               \
    X(STORE, release, "lease release", name,                         \
      (struct lease_store * s, const char *name, uint64_t epoch,     \
       quire_error *err),                                            \
      (name, epoch, err))                                            \
    X(END_STORE, free, "", "", (struct lease_store * s), ())

INTERCEPT_TABLE(struct lease_ops, LEASE_SLOTS);

INTERCEPT_WRAP(lease_intercept, struct lease_store)
