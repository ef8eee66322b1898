/* intercept_object.c - the wrapper of an object store: see intercept.h */
#include <stdlib.h>

#include "base/err.h"
#include "store/intercept_priv.h"

struct intercepted {
    struct object_store base;
    struct object_store *inner;
    struct intercept intercept;
};

struct intercepted_open {
    struct object base;
    struct object *inner;
    const struct intercept *intercept;
};

struct intercepted_draft {
    struct draft base;
    struct draft *inner;
    const struct intercept *intercept;
};

static const struct object_ops intercepted_ops;

static struct intercepted *of_store(struct object_store *s)
{
    return (struct intercepted *)s;
}

static struct intercepted_open *of_open(struct object *o)
{
    return (struct intercepted_open *)o;
}

static struct intercepted_draft *of_draft(struct draft *d)
{
    return (struct intercepted_draft *)d;
}

/* ---- what is opened and created is wrapped too --------------------------- */

static quire_status open_inner(struct intercepted *t, const char *name,
                               struct object **out, struct object_info *info,
                               quire_error *err)
{
    struct intercepted_open *o = malloc(sizeof *o);
    quire_status st;

    if (!o)
        return err_memory(err);
    o->base.ops = &intercepted_ops;
    o->intercept = &t->intercept;
    st = object_open(t->inner, name, &o->inner, info, err);
    if (st)
        free(o);
    else
        *out = &o->base;
    return st;
}

static quire_status intercepted_open(struct object_store *s, const char *name,
                                     struct object **out,
                                     struct object_info *info, quire_error *err)
{
    PASS(&of_store(s)->intercept, "object open", name,
         open_inner(of_store(s), name, out, info, err));
}

static void intercepted_close(struct object *o)
{
    object_close(of_open(o)->inner);
    free(o);
}

static quire_status create_inner(struct intercepted *t, struct draft **out,
                                 quire_error *err)
{
    struct intercepted_draft *d = malloc(sizeof *d);
    quire_status st;

    if (!d)
        return err_memory(err);
    d->base.ops = &intercepted_ops;
    d->intercept = &t->intercept;
    st = object_create(t->inner, &d->inner, err);
    if (st)
        free(d);
    else
        *out = &d->base;
    return st;
}

static quire_status intercepted_create(struct object_store *s,
                                       struct draft **out, quire_error *err)
{
    PASS(&of_store(s)->intercept, "object create", "",
         create_inner(of_store(s), out, err));
}

static void intercepted_discard(struct draft *d)
{
    object_discard(of_draft(d)->inner);
    free(d);
}

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

static void intercepted_free(struct object_store *s)
{
    object_store_free(of_store(s)->inner);
    free(s);
}

/* ---- every slot ---------------------------------------------------------- */

#define OBJECT_SLOTS(X)                                                       \
    X(STORE, stat, "object stat", name,                                       \
      (struct object_store * s, const char *name, struct object_info *info,   \
       quire_error *err),                                                     \
      (name, info, err))                                                      \
    X(OWN, open, "object open", name, (), ())                                 \
    X(OPEN, read, "object read", "",                                          \
      (struct object * o, uint64_t offset, void *buf, size_t cap, size_t *n,  \
       quire_error *err),                                                     \
      (offset, buf, cap, n, err))                                             \
    X(OWN, close, "", "", (), ())                                             \
    X(OWN, create, "object create", "", (), ())                               \
    X(DRAFT, write, "object write", "",                                       \
      (struct draft * d, quire_bytes bytes, quire_error * err), (bytes, err)) \
    X(DRAFT, settle, "object settle", "",                                     \
      (struct draft * d, quire_error * err), (err))                           \
    X(OWN, publish, "object publish", name, (), ())                           \
    X(OWN, discard, "", "", (), ())                                           \
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
    X(OWN, free, "", "", (), ())

INTERCEPT_TABLE(struct object_ops, OBJECT_SLOTS);

quire_status object_intercept(struct object_store *inner,
                              struct intercept intercept,
                              struct object_store **out, quire_error *err)
{
    struct intercepted *t = malloc(sizeof *t);

    if (!t)
        return err_memory(err);
    *t = (struct intercepted){{&intercepted_ops}, inner, intercept};
    *out = &t->base;
    return QUIRE_OK;
}
