/* intercept_log.c - the wrapper of a store of logs: see intercept.h */
#include "store/intercept_priv.h"

INTERCEPT_STORE_TYPE(struct log_store, struct log_ops)
INTERCEPT_PART_TYPE(open, struct log)
INTERCEPT_PART_TYPE(draft, struct log_draft)

static quire_status publish_inner(struct intercepted_draft *d, const char *name,
                                  bool replace, struct log **out,
                                  quire_error *err)
{
    struct intercepted_open *o = out ? malloc(sizeof *o) : NULL;
    quire_status st;

    if (out && !o) {
        log_discard(d->inner);
        return err_memory(err);
    }
    st = log_publish(d->inner, name, replace, o ? &o->inner : NULL, err);
    if (st || !o) {
        free(o);
        return st;
    }
    o->base.ops = &intercepted_ops;
    o->intercept = d->intercept;
    *out = &o->base;
    return st;
}

/* The draft is gone afterwards, also when the hook failed the call; unless the
 * name is taken. */
static quire_status intercepted_publish(struct log_draft *d, const char *name,
                                        bool replace, struct log **out,
                                        quire_error *err)
{
    const struct intercept *intercept = of_draft(d)->intercept;
    quire_status st = call_before(intercept, "log publish", name, err);
    bool taken = false;

    if (st) {
        log_discard(of_draft(d)->inner);
    } else {
        st = publish_inner(of_draft(d), name, replace, out, err);
        taken = st == QUIRE_EXISTS;
    }
    if (!taken)
        free(d);
    return call_after(intercept, "log publish", name, st);
}

/* The draft is gone afterwards in any case. */
static quire_status intercepted_replace(struct log *o, struct log_draft *d,
                                        quire_error *err)
{
    const struct intercept *intercept = of_open(o)->intercept;
    quire_status st = call_before(intercept, "log replace", "", err);

    if (st)
        log_discard(of_draft(d)->inner);
    else
        st = log_replace(of_open(o)->inner, of_draft(d)->inner, err);
    free(d);
    return call_after(intercept, "log replace", "", st);
}

/* ---- calls that cannot fail ----------------------------------------------- */

static void intercepted_release(struct log *o)
{
    log_release(of_open(o)->inner);
}

static uint64_t intercepted_unfinished(struct log *o)
{
    return log_unfinished(of_open(o)->inner);
}

static const char *intercepted_place(const struct log_store *s)
{
    return log_place(((const struct intercepted *)s)->inner);
}

/* ---- every slot ---------------------------------------------------------- */

#define LOG_SLOTS(X)                                                           \
    X(STORE, stat, "log stat", name,                                           \
      (struct log_store * s, const char *name, struct object_info *info,       \
       quire_error *err),                                                      \
      (name, info, err))                                                       \
    X(NEW_OPEN, open, "log open", name,                                        \
      (struct log_store * s, const char *name, enum log_mode mode,             \
       struct log **out, struct object_info *info, quire_error *err),          \
      (name, mode, &w->inner, info, err))                                      \
    X(OPEN, read, "log read", "",                                              \
      (struct log * o, uint64_t offset, void *buf, size_t cap, size_t *n,      \
       quire_error *err),                                                      \
      (offset, buf, cap, n, err))                                              \
    X(END_OPEN, close, "", "", (struct log * o), ())                           \
    X(OPEN, hold, "log hold", "",                                              \
      (struct log * o, int wait_ms, quire_error *err), (wait_ms, err))         \
    X(OWN, release, "", "", (), ())                                            \
    X(OPEN, status, "log status", "",                                          \
      (struct log * o, uint64_t * size, bool *named, quire_error *err),        \
      (size, named, err))                                                      \
    X(OPEN, append, "log append", "",                                          \
      (struct log * o, uint64_t epoch, uint64_t size, quire_bytes bytes,       \
       quire_error * err),                                                     \
      (epoch, size, bytes, err))                                               \
    X(OWN, unfinished, "", "", (), ())                                         \
    X(OPEN, cut, "log cut", "",                                                \
      (struct log * o, uint64_t size, quire_error * err), (size, err))         \
    X(OPEN, patch, "log patch", "",                                            \
      (struct log * o, uint64_t offset, quire_bytes bytes, quire_error * err), \
      (offset, bytes, err))                                                    \
    X(OPEN, sync, "log sync", "", (struct log * o, quire_error * err), (err))  \
    X(NEW_DRAFT, create, "log create", "",                                     \
      (struct log_store * s, const char *name, struct log_draft **out,         \
       quire_error *err),                                                      \
      (name, &w->inner, err))                                                  \
    X(DRAFT, write, "log write", "",                                           \
      (struct log_draft * d, quire_bytes bytes, quire_error * err),            \
      (bytes, err))                                                            \
    X(DRAFT, section, "log section", "",                                       \
      (struct log_draft * d, quire_error * err), (err))                        \
    X(DRAFT, settle, "log settle", "",                                         \
      (struct log_draft * d, quire_error * err), (err))                        \
    X(OWN, publish, "log publish", name, (), ())                               \
    X(END_DRAFT, discard, "", "", (struct log_draft * d), ())                  \
    X(OWN, replace, "log replace", "", (), ())                                 \
    X(STORE, rename, "log rename", from,                                       \
      (struct log_store * s, const char *from, const char *to,                 \
       quire_error *err),                                                      \
      (from, to, err))                                                         \
    X(STORE, remove, "log remove", name,                                       \
      (struct log_store * s, const char *name, quire_error *err), (name, err)) \
    X(STORE, list, "log list", root,                                           \
      (struct log_store * s, const char *root, log_each_fn each, void *ctx,    \
       quire_error *err),                                                      \
      (root, each, ctx, err))                                                  \
    X(OWN, place, "", "", (), ())                                              \
    X(END_STORE, free, "", "", (struct log_store * s), ())

INTERCEPT_TABLE(struct log_ops, LOG_SLOTS);

INTERCEPT_WRAP(log_intercept, struct log_store)
