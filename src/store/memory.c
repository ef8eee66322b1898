/*
 * memory.c - objects in memory: the executable specification
 *
 * The simplest backend that keeps every promise of object.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/memory_priv.h"

struct memory_object {
    struct object base;
    struct memory *store;
    struct content *content;
};

struct memory_draft {
    struct draft base;
    struct memory *store;
    struct content *content;
};

static quire_status memory_stat(struct object_store *s, const char *name,
                                struct object_info *info, quire_error *err)
{
    struct entry *e = memory_entry(memory_of_objects(s), name);

    (void)err;
    if (!e)
        return QUIRE_NOT_FOUND;
    memory_fill_info(e, info);
    return QUIRE_OK;
}

static quire_status memory_open(struct object_store *s, const char *name,
                                struct object **out, struct object_info *info,
                                quire_error *err)
{
    struct entry *e = memory_entry(memory_of_objects(s), name);
    struct memory_object *o;

    if (!e)
        return QUIRE_NOT_FOUND;
    o = malloc(sizeof *o);
    if (!o)
        return err_memory(err);
    *o = (struct memory_object){{&memory_object_ops},
                                memory_of_objects(s),
                                e->content};
    o->content->holders++;
    memory_fill_info(e, info);
    *out = &o->base;
    return QUIRE_OK;
}

static quire_status memory_read(struct object *base, uint64_t offset, void *buf,
                                size_t cap, size_t *n, quire_error *err)
{
    (void)err;
    return memory_read_content(((struct memory_object *)base)->content, offset,
                               buf, cap, n);
}

static void memory_close(struct object *base)
{
    struct memory_object *o = (struct memory_object *)base;

    content_drop(o->content);
    free(o);
}

static quire_status memory_create(struct object_store *s, struct draft **out,
                                  quire_error *err)
{
    struct memory_draft *d = malloc(sizeof *d);

    if (!d)
        return err_memory(err);
    d->base.ops = &memory_object_ops;
    d->store = memory_of_objects(s);
    d->content = content_new();
    if (!d->content) {
        free(d);
        return err_memory(err);
    }
    *out = &d->base;
    return QUIRE_OK;
}

static quire_status memory_write(struct draft *base, quire_bytes bytes,
                                 quire_error *err)
{
    struct buf *b = &((struct memory_draft *)base)->content->bytes;

    buf_add(b, bytes.data, bytes.len);
    return buf_status(b, "an object", err);
}

static quire_status memory_settle(struct draft *base, quire_error *err)
{
    (void)base;
    (void)err;
    return QUIRE_OK;
}

static void memory_discard(struct draft *base)
{
    struct memory_draft *d = (struct memory_draft *)base;

    content_drop(d->content);
    free(d);
}

static quire_status memory_publish(struct draft *base, const char *name,
                                   bool replace, quire_error *err)
{
    struct memory_draft *d = (struct memory_draft *)base;
    quire_status st = memory_give_name(d->store, d->content, name, replace,
                                       err);

    if (st != QUIRE_EXISTS)
        memory_discard(base);
    return st;
}

/* The time belongs to the name; if another object has that now, leave it alone.
 */
static quire_status memory_touch(struct object *base, int64_t now_s,
                                 quire_error *err)
{
    struct memory_object *o = (struct memory_object *)base;
    quire_status st = QUIRE_NOT_FOUND;
    struct entry *e;

    (void)err;
    for (e = o->store->entries; e; e = e->next) {
        if (e->content == o->content) {
            e->modified_s = now_s;
            st = QUIRE_OK;
        }
    }
    return st;
}

static quire_status memory_sync(struct object *base, quire_error *err)
{
    (void)base; /* memory has nothing to sync */
    (void)err;
    return QUIRE_OK;
}

static quire_status memory_remove(struct object_store *s, const char *name,
                                  quire_error *err)
{
    (void)err;
    return memory_remove_entry(memory_of_objects(s), name);
}

static quire_status memory_list(struct object_store *s, const char *prefix,
                                object_each_fn each, void *ctx,
                                quire_error *err)
{
    struct entry *e;
    quire_status st = QUIRE_OK;

    for (e = memory_of_objects(s)->entries; e && !st; e = e->next) {
        struct object_info info;

        if (!memory_is_below(e->name, prefix))
            continue;
        memory_fill_info(e, &info);
        st = each(ctx, e->name, &info, err);
    }
    return st;
}

static quire_status memory_clear(struct object_store *s, const char *prefix,
                                 quire_error *err)
{
    struct memory *m = memory_of_objects(s);
    struct entry *e;

    (void)err;
    while ((e = memory_first_below(m, prefix)) != NULL)
        memory_drop_entry(memory_place_of(m, e->name));
    return QUIRE_OK;
}

static quire_status memory_begin(struct object_store *s, quire_error *err)
{
    (void)err;
    memory_of_objects(s)->batch = true;
    return QUIRE_OK;
}

static quire_status memory_commit(struct object_store *s, quire_error *err)
{
    struct memory *m = memory_of_objects(s);
    struct entry *e;

    (void)err;
    for (e = m->entries; e; e = e->next)
        e->in_batch = false;
    m->batch = false;
    return QUIRE_OK;
}

static void memory_rollback(struct object_store *s)
{
    struct memory *m = memory_of_objects(s);
    struct entry **at = &m->entries;

    while (*at) {
        if ((*at)->in_batch)
            memory_drop_entry(at);
        else
            at = &(*at)->next;
    }
    m->batch = false;
}

static const char *memory_place(const struct object_store *s)
{
    (void)s;
    return "memory";
}

static void memory_free(struct object_store *s)
{
    memory_drop_part(memory_of_objects(s));
}

const struct object_ops memory_object_ops = {
    .stat = memory_stat,
    .open = memory_open,
    .read = memory_read,
    .close = memory_close,
    .create = memory_create,
    .write = memory_write,
    .settle = memory_settle,
    .publish = memory_publish,
    .discard = memory_discard,
    .touch = memory_touch,
    .sync = memory_sync,
    .remove = memory_remove,
    .list = memory_list,
    .clear = memory_clear,
    .begin = memory_begin,
    .commit = memory_commit,
    .rollback = memory_rollback,
    .place = memory_place,
    .free = memory_free,
};
