/* intercept_object.c - the wrapper of an object store: see intercept.h */
#include "store/intercept_priv.h"

INTERCEPT_STORE_TYPE(struct object_store, struct object_ops)
INTERCEPT_PART_TYPE(open, struct object)
INTERCEPT_PART_TYPE(draft, struct draft)

/* The draft is gone afterwards, also when the hook failed the call; unless the
 * name is taken. */
static quire_status intercepted_publish(struct draft *d, const char *name,
                                        bool replace, quire_error *err)
{
    struct draft *inner = of_draft(d)->inner;
    const struct intercept *intercept = of_draft(d)->intercept;
    quire_status st = call_before(intercept, "object publish", name, err);
    bool taken = false;

    if (st) {
        object_discard(inner);
    } else {
        st = object_publish(inner, name, replace, err);
        taken = st == QUIRE_EXISTS;
    }
    if (!taken)
        free(d);
    return call_after(intercept, "object publish", name, st);
}

/* ---- calls that cannot fail ----------------------------------------------- */

static void intercepted_rollback(struct object_store *s)
{
    object_rollback(of_store(s)->inner);
}

static const char *intercepted_place(const struct object_store *s)
{
    return object_place(((const struct intercepted *)s)->inner);
}

/* ---- every slot ---------------------------------------------------------- */

#define OBJECT_SLOTS(X)                                                       \
    X(STORE, stat, "object stat", name,                                       \
      (struct object_store * s, const char *name, struct object_info *info,   \
       quire_error *err),                                                     \
      (name, info, err))                                                      \
    X(NEW_OPEN, open, "object open", name,                                    \
      (struct object_store * s, const char *name, struct object **out,        \
       struct object_info *info, quire_error *err),                           \
      (name, &w->inner, info, err))                                           \
    X(OPEN, read, "object read", "",                                          \
      (struct object * o, uint64_t offset, void *buf, size_t cap, size_t *n,  \
       quire_error *err),                                                     \
      (offset, buf, cap, n, err))                                             \
    X(END_OPEN, close, "", "", (struct object * o), ())                       \
    X(NEW_DRAFT, create, "object create", "",                                 \
      (struct object_store * s, struct draft * *out, quire_error * err),      \
      (&w->inner, err))                                                       \
    X(DRAFT, write, "object write", "",                                       \
      (struct draft * d, quire_bytes bytes, quire_error * err), (bytes, err)) \
    X(DRAFT, settle, "object settle", "",                                     \
      (struct draft * d, quire_error * err), (err))                           \
    X(OWN, publish, "object publish", name, (), ())                           \
    X(END_DRAFT, discard, "", "", (struct draft * d), ())                     \
    X(OPEN, touch, "object touch", "",                                        \
      (struct object * o, int64_t now_s, quire_error * err), (now_s, err))    \
    X(OPEN, sync, "object sync", "", (struct object * o, quire_error * err),  \
      (err))                                                                  \
    X(STORE, remove, "object remove", name,                                   \
      (struct object_store * s, const char *name, quire_error *err),          \
      (name, err))                                                            \
    X(STORE, list, "object list", prefix,                                     \
      (struct object_store * s, const char *prefix, object_each_fn each,      \
       void *ctx, quire_error *err),                                          \
      (prefix, each, ctx, err))                                               \
    X(STORE, clear, "object clear", prefix,                                   \
      (struct object_store * s, const char *prefix, quire_error *err),        \
      (prefix, err))                                                          \
    X(STORE, begin, "object begin", "",                                       \
      (struct object_store * s, quire_error * err), (err))                    \
    X(STORE, commit, "object commit", "",                                     \
      (struct object_store * s, quire_error * err), (err))                    \
    X(OWN, rollback, "", "", (), ())                                          \
    X(OWN, place, "", "", (), ())                                             \
    X(END_STORE, free, "", "", (struct object_store * s), ())

INTERCEPT_TABLE(struct object_ops, OBJECT_SLOTS);

INTERCEPT_WRAP(object_intercept, struct object_store)
