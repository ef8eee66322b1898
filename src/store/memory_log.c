/*
 * memory_log.c - logs in memory: the executable specification
 *
 * The simplest backend that keeps every promise of log.h. A generation is a
 * content: replacing it gives the name another.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/memory_priv.h"

struct memory_log {
    struct log base;
    struct memory *store;
    struct content *content;
    bool holds;
    char name[];
};

struct memory_log_draft {
    struct log_draft base;
    struct memory *store;
    struct content *content;
};

static quire_status memory_log_stat(struct log_store *s, const char *name,
                                    struct object_info *info, quire_error *err)
{
    struct entry *e = memory_entry(memory_of_logs(s), name);

    (void)err;
    if (!e)
        return QUIRE_NOT_FOUND;
    memory_fill_info(e, info);
    return QUIRE_OK;
}

static quire_status memory_log_open(struct log_store *s, const char *name,
                                    enum log_mode mode, struct log **out,
                                    struct object_info *info, quire_error *err)
{
    struct entry *e = memory_entry(memory_of_logs(s), name);
    struct memory_log *l;

    (void)mode;
    if (!e)
        return QUIRE_NOT_FOUND;
    l = malloc(sizeof *l + strlen(name) + 1);
    if (!l)
        return err_memory(err);
    *l = (struct memory_log){.base.ops = &memory_log_ops,
                             .store = memory_of_logs(s),
                             .content = e->content};
    strcpy(l->name, name);
    l->content->holders++;
    memory_fill_info(e, info);
    *out = &l->base;
    return QUIRE_OK;
}

static quire_status memory_log_read(struct log *base, uint64_t offset,
                                    void *buf, size_t cap, size_t *n,
                                    quire_error *err)
{
    (void)err;
    return memory_read_content(((struct memory_log *)base)->content, offset,
                               buf, cap, n);
}

static void memory_log_release(struct log *base)
{
    struct memory_log *l = (struct memory_log *)base;

    if (l->holds)
        l->content->held = false;
    l->holds = false;
}

static void memory_log_close(struct log *base)
{
    struct memory_log *l = (struct memory_log *)base;

    memory_log_release(base);
    content_drop(l->content);
    free(l);
}

static struct entry *entry_of(const struct memory_log *l)
{
    struct entry *e = l->store->entries;

    while (e && (e->content != l->content || strcmp(e->name, l->name) != 0))
        e = e->next;
    return e;
}

static quire_status memory_log_hold(struct log *base, int wait_ms,
                                    quire_error *err)
{
    struct memory_log *l = (struct memory_log *)base;

    (void)wait_ms; /* the holder is this thread: waiting cannot help */
    if (l->content->held && !l->holds)
        return err_set(err, QUIRE_BUSY, "another handle is writing to it");
    l->content->held = l->holds = true;
    return QUIRE_OK;
}

static quire_status memory_log_status(struct log *base, uint64_t *size,
                                      bool *named, quire_error *err)
{
    struct memory_log *l = (struct memory_log *)base;

    (void)err;
    *named = entry_of(l) != NULL;
    *size = l->content->bytes.len;
    return QUIRE_OK;
}

static quire_status memory_log_append(struct log *base, uint64_t epoch,
                                      uint64_t size, quire_bytes bytes,
                                      quire_error *err)
{
    struct memory_log *l = (struct memory_log *)base;
    struct buf *b = &l->content->bytes;
    struct entry *e = entry_of(l);

    (void)size; /* a buffer adds all or nothing */
    if (epoch < l->content->epoch)
        return log_lost_lease(&l->store->logs, l->name, err);
    l->content->epoch = epoch;
    buf_add(b, bytes.data, bytes.len);
    if (b->failed) {
        b->failed = false;
        return err_memory(err);
    }
    if (e)
        e->modified_s = clock_s(l->store->clock);
    return QUIRE_OK;
}

static uint64_t memory_log_unfinished(struct log *base)
{
    (void)base;
    return UINT64_MAX; /* it ends with the process */
}

static quire_status memory_log_cut(struct log *base, uint64_t size,
                                   quire_error *err)
{
    struct buf *b = &((struct memory_log *)base)->content->bytes;

    (void)err;
    if (size < b->len)
        b->len = (size_t)size;
    return QUIRE_OK;
}

static quire_status memory_log_patch(struct log *base, uint64_t offset,
                                     quire_bytes bytes, quire_error *err)
{
    struct buf *b = &((struct memory_log *)base)->content->bytes;

    if (offset + bytes.len > b->len)
        return err_set(err, QUIRE_CHANGED, "the log was truncated");
    memcpy(b->data + offset, bytes.data, bytes.len);
    return QUIRE_OK;
}

static quire_status memory_log_sync(struct log *base, quire_error *err)
{
    struct memory_log *l = (struct memory_log *)base;

    return l->holds && !entry_of(l)
               ? log_lost_name(&l->store->logs, l->name, err)
               : QUIRE_OK; /* memory has nothing to sync */
}

static quire_status memory_log_create(struct log_store *s, const char *name,
                                      struct log_draft **out, quire_error *err)
{
    struct memory_log_draft *d = malloc(sizeof *d);

    (void)name;
    if (!d)
        return err_memory(err);
    *d = (struct memory_log_draft){{&memory_log_ops},
                                   memory_of_logs(s),
                                   content_new()};
    if (!d->content) {
        free(d);
        return err_memory(err);
    }
    *out = &d->base;
    return QUIRE_OK;
}

static quire_status memory_log_write(struct log_draft *base, quire_bytes bytes,
                                     quire_error *err)
{
    struct buf *b = &((struct memory_log_draft *)base)->content->bytes;

    buf_add(b, bytes.data, bytes.len);
    return buf_status(b, "a log", err);
}

static quire_status memory_log_section(struct log_draft *base, quire_error *err)
{
    (void)base;
    (void)err;
    return QUIRE_OK;
}

static quire_status memory_log_settle(struct log_draft *base, quire_error *err)
{
    (void)base;
    (void)err;
    return QUIRE_OK;
}

static void memory_log_discard(struct log_draft *base)
{
    struct memory_log_draft *d = (struct memory_log_draft *)base;

    content_drop(d->content);
    free(d);
}

static quire_status memory_log_publish(struct log_draft *base, const char *name,
                                       bool replace, struct log **out,
                                       quire_error *err)
{
    struct memory_log_draft *d = (struct memory_log_draft *)base;
    struct memory *m = d->store;
    struct object_info info;
    quire_status st = memory_give_name(m, d->content, name, replace, err);

    assert(!out || !replace);
    if (st == QUIRE_EXISTS)
        return st;
    memory_log_discard(base);
    if (!st && out)
        st = memory_log_open(&m->logs, name, LOG_APPEND, out, &info, err);
    return st || !out ? st : memory_log_hold(*out, 0, err);
}

static quire_status
memory_log_replace(struct log *base, struct log_draft *draft, quire_error *err)
{
    struct memory_log *l = (struct memory_log *)base;
    struct memory_log_draft *d = (struct memory_log_draft *)draft;
    struct entry *e = entry_of(l);
    quire_status st = QUIRE_OK;

    if (!e) {
        st = err_set(err, QUIRE_CHANGED, "the log was moved or removed");
    } else {
        d->content->held = l->holds;
        d->content->epoch = l->content->epoch;
        content_drop(e->content);
        content_drop(l->content);
        e->content = l->content = d->content;
        d->content->holders += 2;
        e->modified_s = clock_s(l->store->clock);
    }
    memory_log_discard(draft);
    return st;
}

static quire_status memory_log_rename(struct log_store *s, const char *from,
                                      const char *to, quire_error *err)
{
    return memory_rename_entries(memory_of_logs(s), from, to, err);
}

static quire_status memory_log_remove(struct log_store *s, const char *name,
                                      quire_error *err)
{
    (void)err;
    return memory_remove_entry(memory_of_logs(s), name);
}

static quire_status memory_log_list(struct log_store *s, const char *root,
                                    log_each_fn each, void *ctx,
                                    quire_error *err)
{
    size_t skip = *root ? strlen(root) + 1 : 0, len;
    quire_status st = QUIRE_OK;
    char dir[256];
    struct entry *e;

    for (e = memory_of_logs(s)->entries; e && !st; e = e->next) {
        const char *rest = e->name + skip;
        struct object_info info;

        if (!memory_is_below(e->name, root))
            continue;
        len = strcspn(rest, "/");
        if (!rest[len] || strchr(rest + len + 1, '/') || len >= sizeof dir)
            continue;
        memcpy(dir, rest, len);
        dir[len] = '\0';
        memory_fill_info(e, &info);
        st = each(ctx, dir, rest + len + 1, &info, err);
    }
    return st;
}

static const char *memory_log_place(const struct log_store *s)
{
    (void)s;
    return "memory";
}

static void memory_log_free(struct log_store *s)
{
    memory_drop_part(memory_of_logs(s));
}

const struct log_ops memory_log_ops = {
    .stat = memory_log_stat,
    .open = memory_log_open,
    .read = memory_log_read,
    .close = memory_log_close,
    .hold = memory_log_hold,
    .release = memory_log_release,
    .status = memory_log_status,
    .append = memory_log_append,
    .unfinished = memory_log_unfinished,
    .cut = memory_log_cut,
    .patch = memory_log_patch,
    .sync = memory_log_sync,
    .create = memory_log_create,
    .write = memory_log_write,
    .section = memory_log_section,
    .settle = memory_log_settle,
    .publish = memory_log_publish,
    .discard = memory_log_discard,
    .replace = memory_log_replace,
    .rename = memory_log_rename,
    .remove = memory_log_remove,
    .list = memory_log_list,
    .place = memory_log_place,
    .free = memory_log_free,
};
