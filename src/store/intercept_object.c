/* intercept_object.c - the wrapper of an object store: see intercept.h */
#include <stdlib.h>

#include "base/err.h"
#include "store/intercept_priv.h"

#define STORE_CALL(fn, slot, call, on, params, ...)                          \
    PASS_ON(fn, slot, of_store(s)->inner, &of_store(s)->intercept, call, on, \
            params, __VA_ARGS__)
#define OBJECT_CALL(fn, slot, call, on, params, ...)                      \
    PASS_ON(fn, slot, of_object(base)->inner, of_object(base)->intercept, \
            call, on, params, __VA_ARGS__)
#define DRAFT_CALL(fn, slot, call, on, params, ...)                           \
    PASS_ON(fn, slot, of_draft(base)->inner, of_draft(base)->intercept, call, \
            on, params, __VA_ARGS__)

struct intercepted {
    struct object_store base;
    struct object_store *inner;
    struct intercept intercept;
};

struct intercepted_object {
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

static struct intercepted_object *of_object(struct object *o)
{
    return (struct intercepted_object *)o;
}

static struct intercepted_draft *of_draft(struct draft *d)
{
    return (struct intercepted_draft *)d;
}

STORE_CALL(stat, stat, "object stat", name,
           (struct object_store * s, const char *name, struct object_info *info,
            quire_error *err),
           name, info, err)

typedef quire_status (*open_fn)(struct object_store *s, const char *name,
                                struct object **out, struct object_info *info,
                                quire_error *err);

static quire_status open_inner(struct intercepted *t, open_fn open,
                               const char *name, struct object **out,
                               struct object_info *info, quire_error *err)
{
    struct intercepted_object *o = malloc(sizeof *o);
    quire_status st;

    if (!o)
        return err_memory(err);
    o->base.ops = &intercepted_ops;
    o->intercept = &t->intercept;
    st = open(t->inner, name, &o->inner, info, err);
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
         open_inner(of_store(s), of_store(s)->inner->ops->open, name, out, info,
                    err));
}

OBJECT_CALL(read, read, "object read", "",
            (struct object * base, uint64_t offset, void *buf, size_t cap,
             size_t *n, quire_error *err),
            offset, buf, cap, n, err)

static void intercepted_close(struct object *base)
{
    struct intercepted_object *o = of_object(base);

    o->inner->ops->close(o->inner);
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
    st = t->inner->ops->create(t->inner, &d->inner, err);
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

DRAFT_CALL(write, write, "object write", "",
           (struct draft * base, quire_bytes bytes, quire_error *err), bytes,
           err)

static void intercepted_discard(struct draft *base)
{
    struct intercepted_draft *d = of_draft(base);

    d->inner->ops->discard(d->inner);
    free(d);
}

DRAFT_CALL(settle, settle, "object settle", "",
           (struct draft * base, quire_error *err), err)

/* The draft is gone afterwards, also when the hook failed the call; unless the
 * name is taken. */
static quire_status intercepted_publish(struct draft *base, const char *name,
                                        bool replace, quire_error *err)
{
    struct intercepted_draft *d = of_draft(base);
    const struct intercept *intercept = d->intercept;
    quire_status st = call_before(intercept, "object publish", name, err);
    bool taken = false;

    if (st) {
        d->inner->ops->discard(d->inner);
    } else {
        st = d->inner->ops->publish(d->inner, name, replace, err);
        taken = st == QUIRE_EXISTS;
    }
    if (!taken)
        free(d);
    return call_after(intercept, "object publish", name, st);
}

STORE_CALL(append, append, "object append", name,
           (struct object_store * s, const char *name, quire_bytes bytes,
            uint64_t *size, quire_error *err),
           name, bytes, size, err)

OBJECT_CALL(touch, touch, "object touch", "",
            (struct object * base, int64_t now_s, quire_error *err), now_s, err)

OBJECT_CALL(sync, sync, "object sync", "",
            (struct object * base, quire_error *err), err)

STORE_CALL(rename, rename, "object rename", from,
           (struct object_store * s, const char *from, const char *to,
            quire_error *err),
           from, to, err)

STORE_CALL(remove, remove, "object remove", name,
           (struct object_store * s, const char *name, quire_error *err), name,
           err)

STORE_CALL(list, list, "object list", prefix,
           (struct object_store * s, const char *prefix, object_each_fn each,
            void *ctx, quire_error *err),
           prefix, each, ctx, err)

STORE_CALL(scan, scan, "object scan", dir,
           (struct object_store * s, const char *dir, object_scan_fn each,
            void *ctx, quire_error *err),
           dir, each, ctx, err)

STORE_CALL(list_depth2, list_depth2, "object survey", root,
           (struct object_store * s, const char *root, object_depth2_fn each,
            void *ctx, quire_error *err),
           root, each, ctx, err)

STORE_CALL(find, find, "object comb", root,
           (struct object_store * s, const char *root, object_want_fn wants,
            object_depth2_fn each, void *ctx, quire_error *err),
           root, wants, each, ctx, err)

STORE_CALL(clear, clear, "object clear", prefix,
           (struct object_store * s, const char *prefix, quire_error *err),
           prefix, err)

static quire_status intercepted_edit(struct object_store *s, const char *name,
                                     struct object **out,
                                     struct object_info *info, quire_error *err)
{
    PASS(&of_store(s)->intercept, "object edit", name,
         open_inner(of_store(s), of_store(s)->inner->ops->edit, name, out, info,
                    err));
}

OBJECT_CALL(hold, hold, "object hold", "",
            (struct object * base, int wait_ms, quire_error *err), wait_ms, err)

OBJECT_CALL(status, status, "object look", "",
            (struct object * base, uint64_t *size, bool *named,
             quire_error *err),
            size, named, err)

OBJECT_CALL(append_at, append_at, "object extend", "",
            (struct object * base, uint64_t size, quire_bytes bytes,
             quire_error *err),
            size, bytes, err)

static uint64_t intercepted_unfinished(struct object *base)
{
    struct intercepted_object *o = of_object(base);

    return o->inner->ops->unfinished(o->inner);
}

OBJECT_CALL(cut, cut, "object cut", "",
            (struct object * base, uint64_t size, quire_error *err), size, err)

OBJECT_CALL(patch, patch, "object patch", "",
            (struct object * base, uint64_t offset, quire_bytes bytes,
             quire_error *err),
            offset, bytes, err)

static quire_status found_inner(struct intercepted_draft *d, const char *name,
                                struct object **out, quire_error *err)
{
    struct intercepted_object *o = malloc(sizeof *o);
    quire_status st;

    if (!o) {
        d->inner->ops->discard(d->inner);
        return err_memory(err);
    }
    o->base.ops = &intercepted_ops;
    o->intercept = d->intercept;
    st = d->inner->ops->publish_open(d->inner, name, &o->inner, err);
    if (st)
        free(o);
    else
        *out = &o->base;
    return st;
}

static quire_status intercepted_publish_open(struct draft *draft,
                                             const char *name,
                                             struct object **out,
                                             quire_error *err)
{
    struct intercepted_draft *d = of_draft(draft);
    const struct intercept *intercept = d->intercept;
    quire_status st = call_before(intercept, "object found", name, err);

    if (st)
        d->inner->ops->discard(d->inner);
    else
        st = found_inner(d, name, out, err);
    free(d);
    return call_after(intercept, "object found", name, st);
}

/* The draft is gone afterwards, as after publish. */
static quire_status intercepted_swap(struct object *base, struct draft *draft,
                                     quire_error *err)
{
    struct intercepted_object *o = of_object(base);
    struct intercepted_draft *d = of_draft(draft);
    quire_status st = call_before(o->intercept, "object swap", "", err);

    if (st)
        d->inner->ops->discard(d->inner);
    else
        st = o->inner->ops->swap(o->inner, d->inner, err);
    free(d);
    return call_after(o->intercept, "object swap", "", st);
}

STORE_CALL(begin, begin, "object begin", "",
           (struct object_store * s, quire_error *err), err)

STORE_CALL(commit, commit, "object commit", "",
           (struct object_store * s, quire_error *err), err)

static void intercepted_rollback(struct object_store *s)
{
    of_store(s)->inner->ops->rollback(of_store(s)->inner);
}

/* Unlocking cannot fail, so the hook is not called. */
static quire_status intercepted_lock(struct object_store *s,
                                     enum object_lock mode, int wait_ms,
                                     quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    if (mode == OBJECT_UNLOCK)
        return in->ops->lock(in, mode, wait_ms, err);
    PASS(&of_store(s)->intercept, "object lock",
         mode == OBJECT_SHARED ? "shared" : "exclusive",
         in->ops->lock(in, mode, wait_ms, err));
}

static void intercepted_touch_gen(struct object_store *s)
{
    struct object_store *in = of_store(s)->inner;

    in->ops->touch_gen(in);
}

STORE_CALL(gen, gen, "object marked", "",
           (struct object_store * s, int64_t *mark, quire_error *err), mark,
           err)

STORE_CALL(lock_dir, lock_dir, "object claim", dir,
           (struct object_store * s, const char *dir, int wait_ms,
            quire_error *err),
           dir, wait_ms, err)

static void intercepted_unlock_dir(struct object_store *s)
{
    struct object_store *in = of_store(s)->inner;

    in->ops->unlock_dir(in);
}

static const char *intercepted_place(const struct object_store *s)
{
    const struct object_store *in = ((const struct intercepted *)s)->inner;

    return in->ops->place(in);
}

static void intercepted_free(struct object_store *s)
{
    of_store(s)->inner->ops->free(of_store(s)->inner);
    free(s);
}

static const struct object_ops intercepted_ops = {
    .stat = intercepted_stat,
    .open = intercepted_open,
    .read = intercepted_read,
    .close = intercepted_close,
    .create = intercepted_create,
    .write = intercepted_write,
    .settle = intercepted_settle,
    .publish = intercepted_publish,
    .discard = intercepted_discard,
    .append = intercepted_append,
    .touch = intercepted_touch,
    .sync = intercepted_sync,
    .rename = intercepted_rename,
    .remove = intercepted_remove,
    .list = intercepted_list,
    .scan = intercepted_scan,
    .list_depth2 = intercepted_list_depth2,
    .find = intercepted_find,
    .clear = intercepted_clear,
    .edit = intercepted_edit,
    .hold = intercepted_hold,
    .status = intercepted_status,
    .append_at = intercepted_append_at,
    .unfinished = intercepted_unfinished,
    .cut = intercepted_cut,
    .patch = intercepted_patch,
    .publish_open = intercepted_publish_open,
    .swap = intercepted_swap,
    .begin = intercepted_begin,
    .commit = intercepted_commit,
    .rollback = intercepted_rollback,
    .lock = intercepted_lock,
    .touch_gen = intercepted_touch_gen,
    .gen = intercepted_gen,
    .lock_dir = intercepted_lock_dir,
    .unlock_dir = intercepted_unlock_dir,
    .place = intercepted_place,
    .free = intercepted_free,
};

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
