/*
 * memory.c - objects in memory: the executable specification
 *
 * The simplest backend that keeps every promise of object.h: a sorted list of
 * names with their bytes. Bytes are reference-counted, because an open object
 * keeps its content while its name goes to another.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "store/object.h"

/* A ceiling far above what tests need. */
#define CONTENT_MAX ((size_t)1 << 30)

struct content {
    struct buf bytes;
    int holders;
    bool held; /* locked by an object open for changes */
};

struct entry {
    struct entry *next; /* ascending by name */
    struct content *content;
    int64_t modified_s;
    bool in_batch; /* published by the open batch */
    char name[];
};

struct memory {
    struct object_store base;
    const struct clock *clock;
    struct entry *entries;
    bool batch;
    int64_t marks;
};

struct memory_object {
    struct object base;
    struct memory *store;
    struct content *content;
    bool holds;
    char name[];
};

struct memory_draft {
    struct draft base;
    struct memory *store;
    struct content *content;
};

static const struct object_ops memory_ops;

static struct content *content_new(void)
{
    struct content *c = calloc(1, sizeof *c);

    if (c) {
        c->bytes = (struct buf)BUF_INIT(CONTENT_MAX);
        c->holders = 1;
    }
    return c;
}

static void content_drop(struct content *c)
{
    if (--c->holders > 0)
        return;
    buf_release(&c->bytes);
    free(c);
}

/* The place of `name`, or where it would go. */
static struct entry **find_place(struct memory *m, const char *name)
{
    struct entry **at = &m->entries;

    while (*at && strcmp((*at)->name, name) < 0)
        at = &(*at)->next;
    return at;
}

static struct entry *find_entry(struct memory *m, const char *name)
{
    struct entry *e = *find_place(m, name);

    return e && !strcmp(e->name, name) ? e : NULL;
}

static struct entry *add_entry(struct memory *m, const char *name)
{
    struct entry **at = find_place(m, name);
    struct entry *e = malloc(sizeof *e + strlen(name) + 1);

    if (!e)
        return NULL;
    *e = (struct entry){.next = *at};
    strcpy(e->name, name);
    *at = e;
    return e;
}

static void drop_entry(struct entry **at)
{
    struct entry *e = *at;

    assert(e);
    *at = e->next;
    content_drop(e->content);
    free(e);
}

static void fill_info(const struct entry *e, struct object_info *info)
{
    info->size = e->content->bytes.len;
    info->modified_s = e->modified_s;
    info->modified_ns = e->modified_s * INT64_C(1000000000);
    info->changed_ns = info->modified_ns;
    info->device = 1;
    info->inode = (uintptr_t)e->content;
}

static quire_status memory_stat(struct object_store *s, const char *name,
                                struct object_info *info, quire_error *err)
{
    struct entry *e = find_entry((struct memory *)s, name);

    (void)err;
    if (!e)
        return QUIRE_NOT_FOUND;
    fill_info(e, info);
    return QUIRE_OK;
}

static quire_status memory_open(struct object_store *s, const char *name,
                                struct object **out, struct object_info *info,
                                quire_error *err)
{
    struct entry *e = find_entry((struct memory *)s, name);
    struct memory_object *o;

    if (!e)
        return QUIRE_NOT_FOUND;
    o = malloc(sizeof *o + strlen(name) + 1);
    if (!o)
        return err_memory(err);
    strcpy(o->name, name);
    o->base.ops = &memory_ops;
    o->store = (struct memory *)s;
    o->content = e->content;
    o->content->holders++;
    o->holds = false;
    fill_info(e, info);
    *out = &o->base;
    return QUIRE_OK;
}

static quire_status memory_read(struct object *base, uint64_t offset, void *buf,
                                size_t cap, size_t *n, quire_error *err)
{
    const struct buf *b = &((struct memory_object *)base)->content->bytes;

    (void)err;
    *n = offset < b->len ? b->len - (size_t)offset : 0;
    if (*n > cap)
        *n = cap;
    if (*n)
        memcpy(buf, b->data + offset, *n);
    return QUIRE_OK;
}

static void memory_close(struct object *base)
{
    struct memory_object *o = (struct memory_object *)base;

    if (o->holds)
        o->content->held = false;
    content_drop(o->content);
    free(o);
}

static quire_status memory_create(struct object_store *s, struct draft **out,
                                  quire_error *err)
{
    struct memory_draft *d = malloc(sizeof *d);

    if (!d)
        return err_memory(err);
    d->base.ops = &memory_ops;
    d->store = (struct memory *)s;
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
    struct memory *m = d->store;
    struct entry *e = find_entry(m, name);
    quire_status st = QUIRE_OK;

    if (e && !replace)
        return QUIRE_EXISTS;
    if (e) {
        content_drop(e->content);
    } else {
        e = add_entry(m, name);
        if (!e) {
            st = err_memory(err);
            goto out;
        }
        e->in_batch = m->batch;
    }
    e->content = d->content;
    e->content->holders++;
    assert(e->content->holders > 1); /* the draft's reference is not the last */
    e->modified_s = clock_s(m->clock);
out:
    memory_discard(base);
    return st;
}

static quire_status memory_append(struct object_store *s, const char *name,
                                  quire_bytes bytes, uint64_t *size,
                                  quire_error *err)
{
    struct memory *m = (struct memory *)s;
    struct entry *e = find_entry(m, name);
    struct content *c = content_new();

    /* A copy, because open readers keep the old content. */
    if (!c)
        return err_memory(err);
    if (e)
        buf_add(&c->bytes, e->content->bytes.data, e->content->bytes.len);
    buf_add(&c->bytes, bytes.data, bytes.len);
    if (!c->bytes.failed && !e) {
        e = add_entry(m, name);
        if (e)
            e->content = content_new();
        if (e && !e->content) {
            *find_place(m, name) = e->next;
            free(e);
            e = NULL;
        }
    }
    if (c->bytes.failed || !e) {
        content_drop(c);
        return err_memory(err);
    }
    content_drop(e->content);
    e->content = c;
    e->modified_s = clock_s(m->clock);
    *size = c->bytes.len;
    return QUIRE_OK;
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

static struct entry *entry_of(const struct memory_object *o)
{
    struct entry *e = o->store->entries;

    while (e && (e->content != o->content || strcmp(e->name, o->name) != 0))
        e = e->next;
    return e;
}

static quire_status memory_sync(struct object *base, quire_error *err)
{
    struct memory_object *o = (struct memory_object *)base;

    return o->holds && !entry_of(o)
               ? object_lost_name(&o->store->base, o->name, err)
               : QUIRE_OK; /* memory has nothing to sync */
}

/* Move one entry; its new name is `to` followed by what it has behind `from`.
 */
static quire_status rename_one(struct memory *m, struct entry *old,
                               const char *from, const char *to,
                               quire_error *err)
{
    struct buf name = BUF_INIT(CONTENT_MAX);
    struct entry *e = NULL;

    buf_add_str(&name, to);
    buf_add_str(&name, old->name + strlen(from));
    if (buf_text(&name))
        e = add_entry(m, buf_text(&name));
    buf_release(&name);
    if (!e)
        return err_memory(err);
    e->content = old->content;
    e->content->holders++;
    e->modified_s = old->modified_s;
    drop_entry(find_place(m, old->name));
    return QUIRE_OK;
}

static bool is_below(const char *name, const char *prefix)
{
    size_t len = strlen(prefix);

    return len == 0 || (!strncmp(name, prefix, len) && name[len] == '/');
}

static struct entry *find_first_below(struct memory *m, const char *prefix)
{
    struct entry *e = m->entries;

    while (e && !is_below(e->name, prefix))
        e = e->next;
    return e;
}

static quire_status memory_rename(struct object_store *s, const char *from,
                                  const char *to, quire_error *err)
{
    struct memory *m = (struct memory *)s;
    struct entry *old = find_entry(m, from);
    quire_status st = QUIRE_OK;

    if (!old && !find_first_below(m, from))
        return QUIRE_NOT_FOUND;
    if (find_entry(m, to) || find_first_below(m, to))
        return QUIRE_EXISTS;
    if (old)
        st = rename_one(m, old, from, to, err);
    while (!st && (old = find_first_below(m, from)) != NULL)
        st = rename_one(m, old, from, to, err);
    return st;
}

static quire_status memory_remove(struct object_store *s, const char *name,
                                  quire_error *err)
{
    struct memory *m = (struct memory *)s;

    (void)err;
    if (!find_entry(m, name))
        return QUIRE_NOT_FOUND;
    drop_entry(find_place(m, name));
    return QUIRE_OK;
}

static quire_status memory_list(struct object_store *s, const char *prefix,
                                object_each_fn each, void *ctx,
                                quire_error *err)
{
    struct entry *e;
    quire_status st = QUIRE_OK;

    for (e = ((struct memory *)s)->entries; e && !st; e = e->next) {
        struct object_info info;

        if (!is_below(e->name, prefix))
            continue;
        fill_info(e, &info);
        st = each(ctx, e->name, &info, err);
    }
    return st;
}

static quire_status memory_scan(struct object_store *s, const char *dir,
                                object_scan_fn each, void *ctx,
                                quire_error *err)
{
    size_t skip = *dir ? strlen(dir) + 1 : 0, seen = 0;
    char part[256], last[256] = "";
    quire_status st = QUIRE_OK;
    struct entry *e;

    for (e = ((struct memory *)s)->entries; e && !st; e = e->next) {
        struct object_info info;
        const char *rest;

        if (!is_below(e->name, dir))
            continue;
        rest = e->name + skip;
        seen = strcspn(rest, "/");
        if (!rest[seen]) {
            fill_info(e, &info);
            st = each(ctx, rest, &info, err);
        } else if (seen < sizeof part) {
            /* Names are sorted, so those of one directory are adjacent. */
            memcpy(part, rest, seen);
            part[seen] = '\0';
            if (strcmp(part, last) != 0)
                st = each(ctx, part, NULL, err);
            strcpy(last, part);
        }
    }
    return st;
}

static quire_status memory_list_depth2(struct object_store *s, const char *root,
                                       object_depth2_fn each, void *ctx,
                                       quire_error *err)
{
    size_t skip = *root ? strlen(root) + 1 : 0, len;
    quire_status st = QUIRE_OK;
    char dir[256];
    struct entry *e;

    for (e = ((struct memory *)s)->entries; e && !st; e = e->next) {
        const char *rest = e->name + skip;
        struct object_info info;

        if (!is_below(e->name, root))
            continue;
        len = strcspn(rest, "/");
        if (!rest[len] || strchr(rest + len + 1, '/') || len >= sizeof dir)
            continue;
        memcpy(dir, rest, len);
        dir[len] = '\0';
        fill_info(e, &info);
        st = each(ctx, dir, rest + len + 1, &info, err);
    }
    return st;
}

static quire_status memory_find(struct object_store *s, const char *root,
                                object_want_fn wants, object_depth2_fn each,
                                void *ctx, quire_error *err)
{
    size_t skip = *root ? strlen(root) + 1 : 0;
    quire_status st = QUIRE_OK;
    struct entry *e;

    for (e = ((struct memory *)s)->entries; e && !st; e = e->next) {
        const char *slash = strrchr(e->name, '/');
        const char *name = slash ? slash + 1 : e->name;
        struct object_info info;
        char *dir;

        if (!is_below(e->name, root) || !wants(ctx, name))
            continue;
        dir = strndup(e->name + skip, name > e->name + skip
                                          ? (size_t)(name - e->name) - skip - 1
                                          : 0);
        if (!dir)
            return err_memory(err);
        fill_info(e, &info);
        st = each(ctx, dir, name, &info, err);
        free(dir);
    }
    return st;
}

static quire_status memory_clear(struct object_store *s, const char *prefix,
                                 quire_error *err)
{
    struct memory *m = (struct memory *)s;
    struct entry *e;

    (void)err;
    while ((e = find_first_below(m, prefix)) != NULL)
        drop_entry(find_place(m, e->name));
    return QUIRE_OK;
}

/* ---- changed in place --------------------------------------------------- */

static quire_status memory_hold(struct object *base, int wait_ms,
                                quire_error *err)
{
    struct memory_object *o = (struct memory_object *)base;

    (void)wait_ms; /* the holder is this thread: waiting cannot help */
    if (o->content->held && !o->holds)
        return err_set(err, QUIRE_BUSY, "another handle is writing to it");
    o->content->held = o->holds = true;
    return QUIRE_OK;
}

static quire_status memory_status(struct object *base, uint64_t *size,
                                  bool *named, quire_error *err)
{
    struct memory_object *o = (struct memory_object *)base;

    (void)err;
    *named = entry_of(o) != NULL;
    *size = o->content->bytes.len;
    return QUIRE_OK;
}

static quire_status memory_append_at(struct object *base, uint64_t size,
                                     quire_bytes bytes, quire_error *err)
{
    struct memory_object *o = (struct memory_object *)base;
    struct buf *b = &o->content->bytes;
    struct entry *e = entry_of(o);

    (void)size; /* a buffer adds all or nothing */
    buf_add(b, bytes.data, bytes.len);
    if (b->failed) {
        b->failed = false;
        return err_memory(err);
    }
    if (e)
        e->modified_s = clock_s(o->store->clock);
    return QUIRE_OK;
}

static uint64_t memory_unfinished(struct object *base)
{
    (void)base;
    return UINT64_MAX; /* it ends with the process */
}

static quire_status memory_cut(struct object *base, uint64_t size,
                               quire_error *err)
{
    struct buf *b = &((struct memory_object *)base)->content->bytes;

    (void)err;
    if (size < b->len)
        b->len = (size_t)size;
    return QUIRE_OK;
}

static quire_status memory_patch(struct object *base, uint64_t offset,
                                 quire_bytes bytes, quire_error *err)
{
    struct buf *b = &((struct memory_object *)base)->content->bytes;

    if (offset + bytes.len > b->len)
        return err_set(err, QUIRE_CHANGED, "the object was truncated");
    memcpy(b->data + offset, bytes.data, bytes.len);
    return QUIRE_OK;
}

static quire_status memory_publish_open(struct draft *draft, const char *name,
                                        struct object **out, quire_error *err)
{
    struct memory_draft *d = (struct memory_draft *)draft;
    struct memory *m = d->store;
    struct object_info info;
    quire_status st;

    /* Publishing frees the draft, but not its content. */
    assert(d->content->holders > 0);
    st = memory_publish(draft, name, false, err);
    if (st == QUIRE_EXISTS)
        memory_discard(draft);
    if (!st)
        st = memory_open(&m->base, name, out, &info, err);
    return st ? st : memory_hold(*out, 0, err);
}

static quire_status memory_swap(struct object *base, struct draft *draft,
                                quire_error *err)
{
    struct memory_object *o = (struct memory_object *)base;
    struct memory_draft *d = (struct memory_draft *)draft;
    struct entry *e = entry_of(o);
    quire_status st = QUIRE_OK;

    if (!e) {
        st = err_set(err, QUIRE_IO, "the object was moved or removed");
    } else {
        d->content->held = o->holds;
        content_drop(e->content);
        content_drop(o->content);
        e->content = o->content = d->content;
        d->content->holders += 2;
        e->modified_s = clock_s(o->store->clock);
    }
    memory_discard(draft);
    return st;
}

static quire_status memory_begin(struct object_store *s, quire_error *err)
{
    (void)err;
    ((struct memory *)s)->batch = true;
    return QUIRE_OK;
}

static quire_status memory_commit(struct object_store *s, quire_error *err)
{
    struct memory *m = (struct memory *)s;
    struct entry *e;

    (void)err;
    for (e = m->entries; e; e = e->next)
        e->in_batch = false;
    m->batch = false;
    return QUIRE_OK;
}

static void memory_rollback(struct object_store *s)
{
    struct memory *m = (struct memory *)s;
    struct entry **at = &m->entries;

    while (*at) {
        if ((*at)->in_batch)
            drop_entry(at);
        else
            at = &(*at)->next;
    }
    m->batch = false;
}

static quire_status memory_lock(struct object_store *s, enum object_lock mode,
                                int wait_ms, quire_error *err)
{
    (void)s;
    (void)mode;
    (void)wait_ms;
    (void)err;
    return QUIRE_OK; /* no other handle can reach it */
}

static void memory_touch_gen(struct object_store *s)
{
    ((struct memory *)s)->marks++;
}

static quire_status memory_gen(struct object_store *s, int64_t *mark,
                               quire_error *err)
{
    (void)err;
    *mark = ((struct memory *)s)->marks;
    return QUIRE_OK;
}

static quire_status memory_lock_dir(struct object_store *s, const char *dir,
                                    int wait_ms, quire_error *err)
{
    (void)s; /* only one handle exists */
    (void)dir;
    (void)wait_ms;
    (void)err;
    return QUIRE_OK;
}

static void memory_unlock_dir(struct object_store *s)
{
    (void)s;
}

static const char *memory_place(const struct object_store *s)
{
    (void)s;
    return "memory";
}

static void memory_free(struct object_store *s)
{
    struct memory *m = (struct memory *)s;

    while (m->entries)
        drop_entry(&m->entries);
    free(m);
}

static const struct object_ops memory_ops = {
    .stat = memory_stat,
    .open = memory_open,
    .read = memory_read,
    .close = memory_close,
    .create = memory_create,
    .write = memory_write,
    .settle = memory_settle,
    .publish = memory_publish,
    .discard = memory_discard,
    .append = memory_append,
    .touch = memory_touch,
    .sync = memory_sync,
    .rename = memory_rename,
    .remove = memory_remove,
    .list = memory_list,
    .scan = memory_scan,
    .list_depth2 = memory_list_depth2,
    .find = memory_find,
    .clear = memory_clear,
    .edit = memory_open,
    .hold = memory_hold,
    .status = memory_status,
    .append_at = memory_append_at,
    .unfinished = memory_unfinished,
    .cut = memory_cut,
    .patch = memory_patch,
    .publish_open = memory_publish_open,
    .swap = memory_swap,
    .begin = memory_begin,
    .commit = memory_commit,
    .rollback = memory_rollback,
    .lock = memory_lock,
    .touch_gen = memory_touch_gen,
    .gen = memory_gen,
    .lock_dir = memory_lock_dir,
    .unlock_dir = memory_unlock_dir,
    .place = memory_place,
    .free = memory_free,
};

quire_status object_memory_open(const struct clock *clock,
                                struct object_store **out, quire_error *err)
{
    struct memory *m = calloc(1, sizeof *m);

    if (!m)
        return err_memory(err);
    m->base.ops = &memory_ops;
    m->clock = clock;
    *out = &m->base;
    return QUIRE_OK;
}
