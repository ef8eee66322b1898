/* rows_object.c - objects in rows */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/rows_priv.h"

struct rows_object {
    struct object base;
    struct rows *store;
    int64_t content;
};

struct rows_object_draft {
    struct draft base;
    struct rows *store;
    struct rows_draft bytes;
};

static void lock(struct rows *r)
{
    pthread_mutex_lock(&r->turn);
}

static quire_status unlock(struct rows *r, quire_status st)
{
    pthread_mutex_unlock(&r->turn);
    return st;
}

static quire_status rows_object_stat(struct object_store *s, const char *name,
                                     struct object_info *info, quire_error *err)
{
    struct rows *r = rows_of_objects(s);
    struct rows_entry e;
    quire_status st;

    lock(r);
    st = rows_find(r, name, &e, err);
    *info = e.info;
    return unlock(r, st);
}

static quire_status rows_object_open(struct object_store *s, const char *name,
                                     struct object **out,
                                     struct object_info *info, quire_error *err)
{
    struct rows *r = rows_of_objects(s);
    struct rows_object *o;
    struct rows_entry e;
    quire_status st;

    lock(r);
    st = rows_find(r, name, &e, err);
    unlock(r, st);
    if (st)
        return st;
    o = malloc(sizeof *o);
    if (!o)
        return err_memory(err);
    *o = (struct rows_object){{&rows_object_ops}, r, e.content};
    *info = e.info;
    *out = &o->base;
    return QUIRE_OK;
}

static quire_status rows_object_read(struct object *base, uint64_t offset,
                                     void *buf, size_t cap, size_t *n,
                                     quire_error *err)
{
    struct rows_object *o = (struct rows_object *)base;

    lock(o->store);
    return unlock(o->store,
                  rows_read(o->store, o->content, offset, buf, cap, n, err));
}

static void rows_object_close(struct object *base)
{
    free(base);
}

static quire_status rows_object_create(struct object_store *s,
                                       struct draft **out, quire_error *err)
{
    struct rows *r = rows_of_objects(s);
    struct rows_object_draft *d;
    quire_status st = rows_writable(r, err);

    if (st)
        return st;
    d = malloc(sizeof *d);
    if (!d)
        return err_memory(err);
    *d = (struct rows_object_draft){{&rows_object_ops},
                                    r,
                                    {BUF_INIT(ROWS_PIECE), 0, 0}};
    *out = &d->base;
    return QUIRE_OK;
}

static quire_status rows_object_write(struct draft *base, quire_bytes bytes,
                                      quire_error *err)
{
    struct rows_object_draft *d = (struct rows_object_draft *)base;

    lock(d->store);
    return unlock(d->store, rows_draft_write(d->store, &d->bytes, bytes, err));
}

static quire_status rows_object_settle(struct draft *base, quire_error *err)
{
    (void)base; /* publishing is one commit */
    (void)err;
    return QUIRE_OK;
}

static void rows_object_discard(struct draft *base)
{
    struct rows_object_draft *d = (struct rows_object_draft *)base;

    rows_draft_release(&d->bytes);
    free(d);
}

static quire_status rows_object_publish(struct draft *base, const char *name,
                                        bool replace, quire_error *err)
{
    struct rows_object_draft *d = (struct rows_object_draft *)base;
    quire_status st;

    lock(d->store);
    st = rows_draft_publish(d->store, &d->bytes, name, replace, err);
    unlock(d->store, st);
    if (st != QUIRE_EXISTS)
        rows_object_discard(base);
    return st;
}

static quire_status rows_object_touch(struct object *base, int64_t now_s,
                                      quire_error *err)
{
    struct rows_object *o = (struct rows_object *)base;
    struct stmt *s = NULL;
    int64_t got;
    quire_status st;

    lock(o->store);
    st = rows_use(o->store, ROWS_TOUCH_NAMED, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, o->content);
        stmt_bind_int(s, 2, now_s * 1000000);
        st = sql_take_number(s, &got, err);
    }
    return unlock(o->store, st);
}

static quire_status rows_object_sync(struct object *base, quire_error *err)
{
    (void)base; /* what can be found was committed */
    (void)err;
    return QUIRE_OK;
}

static quire_status rows_object_remove(struct object_store *s, const char *name,
                                       quire_error *err)
{
    struct rows *r = rows_of_objects(s);
    struct arena tmp = ARENA_INIT;
    struct rows_name n;
    quire_status st = rows_writable(r, err);

    lock(r);
    if (!st)
        st = rows_split(r, name, &tmp, &n, err);
    if (!st)
        st = rows_begin(r, err);
    if (!st)
        st = rows_end(r, rows_unname(r, &n, err), err);
    arena_release(&tmp);
    return unlock(r, st);
}

/* The whole names of a list below the root, in their order. */
static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct named_info {
    const char *name;
    struct object_info info;
};

static quire_status list_names(struct rows *r, const char *prefix,
                               struct arena *keep, struct named_info **out,
                               size_t *n, quire_error *err)
{
    struct rows_entry *all, self;
    size_t i, len;
    quire_status st = rows_list(r, prefix, true, keep, &all, &len, err);

    *n = 0;
    *out = st ? NULL : arena_array(keep, len + 1, sizeof **out);
    if (!*out)
        return st ? st : err_memory(err);
    /* The prefix can be a name itself. */
    if (*prefix && !(st = rows_find(r, prefix, &self, err)))
        (*out)[(*n)++] = (struct named_info){prefix, self.info};
    st = st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    for (i = 0; i < len && !st; i++) {
        struct named_info *e = &(*out)[(*n)++];

        e->name = arena_printf(keep, "%s%s%s", all[i].dir,
                               *all[i].dir ? "/" : "", all[i].base);
        e->info = all[i].info;
        st = e->name ? QUIRE_OK : err_memory(err);
    }
    if (!st)
        qsort(*out, *n, sizeof **out, by_name);
    return st;
}

static quire_status rows_object_list(struct object_store *s, const char *prefix,
                                     object_each_fn each, void *ctx,
                                     quire_error *err)
{
    struct rows *r = rows_of_objects(s);
    struct arena tmp = ARENA_INIT;
    struct named_info *all = NULL;
    size_t i, n = 0;
    quire_status st;

    lock(r);
    st = list_names(r, prefix, &tmp, &all, &n, err);
    unlock(r, st);
    for (i = 0; i < n && !st; i++)
        st = each(ctx, all[i].name, &all[i].info, err);
    arena_release(&tmp);
    return st;
}

static quire_status rows_object_clear(struct object_store *s,
                                      const char *prefix, quire_error *err)
{
    struct rows *r = rows_of_objects(s);
    struct arena tmp = ARENA_INIT;
    struct named_info *all = NULL;
    struct rows_name name;
    size_t i, n = 0;
    quire_status st = rows_writable(r, err);

    if (st)
        return st;
    lock(r);
    st = rows_begin(r, err);
    if (!st) {
        st = list_names(r, prefix, &tmp, &all, &n, err);
        for (i = 0; i < n && !st; i++) {
            st = rows_split(r, all[i].name, &tmp, &name, err);
            if (!st)
                st = rows_unname(r, &name, err);
            st = st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
        }
        st = rows_end(r, st, err);
    }
    arena_release(&tmp);
    return unlock(r, st);
}

static quire_status rows_object_begin(struct object_store *s, quire_error *err)
{
    struct rows *r = rows_of_objects(s);
    quire_status st;

    lock(r);
    st = db_begin(r->db, DB_DURABLE, DB_NO_TENANT, err);
    r->batch = !st;
    return unlock(r, st);
}

static quire_status rows_object_commit(struct object_store *s, quire_error *err)
{
    struct rows *r = rows_of_objects(s);
    quire_status st;

    lock(r);
    st = r->batch ? db_commit(r->db, err) : QUIRE_OK;
    r->batch = false;
    if (st)
        r->ids_left = 0;
    return unlock(r, st);
}

static void rows_object_rollback(struct object_store *s)
{
    struct rows *r = rows_of_objects(s);

    lock(r);
    if (r->batch)
        db_rollback(r->db);
    r->batch = false;
    r->ids_left = 0;
    unlock(r, QUIRE_OK);
}

static const char *rows_object_place(const struct object_store *s)
{
    return rows_of_objects(s)->place;
}

static void rows_object_free(struct object_store *s)
{
    rows_drop_part(rows_of_objects(s));
}

const struct object_ops rows_object_ops = {
    .stat = rows_object_stat,
    .open = rows_object_open,
    .read = rows_object_read,
    .close = rows_object_close,
    .create = rows_object_create,
    .write = rows_object_write,
    .settle = rows_object_settle,
    .publish = rows_object_publish,
    .discard = rows_object_discard,
    .touch = rows_object_touch,
    .sync = rows_object_sync,
    .remove = rows_object_remove,
    .list = rows_object_list,
    .clear = rows_object_clear,
    .begin = rows_object_begin,
    .commit = rows_object_commit,
    .rollback = rows_object_rollback,
    .place = rows_object_place,
    .free = rows_object_free,
};
