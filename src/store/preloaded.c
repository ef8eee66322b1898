/* preloaded.c - see preloaded.h */
#include "store/preloaded.h"

#include <string.h>

#include "base/bytes.h"

static struct preloaded *of_store(struct object_store *s)
{
    return (struct preloaded *)(void *)((char *)s -
                                        offsetof(struct preloaded, store));
}

static struct preloaded *of_object(struct object *o)
{
    return (struct preloaded *)(void *)((char *)o -
                                        offsetof(struct preloaded, object));
}

static quire_status preloaded_open(struct object_store *s, const char *name,
                                   struct object **out,
                                   struct object_info *info, quire_error *err)
{
    struct preloaded *w = of_store(s);

    (void)name, (void)err;
    *out = &w->object;
    *info = w->info;
    return QUIRE_OK;
}

static quire_status preloaded_read_at(struct object *o, uint64_t offset,
                                      void *buf, size_t cap, size_t *n,
                                      quire_error *err)
{
    const struct preloaded *w = of_object(o);
    size_t at = offset < w->bytes.len ? (size_t)offset : w->bytes.len;

    (void)err;
    *n = w->bytes.len - at < cap ? w->bytes.len - at : cap;
    if (*n)
        memcpy(buf, w->bytes.data + at, *n);
    return QUIRE_OK;
}

static uint64_t preloaded_unfinished(struct object *o)
{
    return of_object(o)->unfinished;
}

static void preloaded_close(struct object *o)
{
    (void)o;
}

static const char *preloaded_place(const struct object_store *s)
{
    const struct object_store *from =
        ((const struct preloaded *)(const void *)((const char *)s -
                                                  offsetof(struct preloaded,
                                                           store)))
            ->from;

    return from->ops->place(from);
}

/* The operations a reader uses, and nothing else. */
static const struct object_ops ops = {
    .open = preloaded_open,
    .read = preloaded_read_at,
    .unfinished = preloaded_unfinished,
    .close = preloaded_close,
    .place = preloaded_place,
};

void preloaded_init(struct preloaded *w)
{
    *w = (struct preloaded){.store.ops = &ops,
                            .object.ops = &ops,
                            .bytes = BUF_INIT(WHOLE_MAX + 1)};
}

void preloaded_release(struct preloaded *w)
{
    buf_release(&w->bytes);
}

quire_status preloaded_read(struct preloaded *w, struct object_store *from,
                            struct object *file, const struct object_info *info,
                            quire_error *err)
{
    size_t size = (size_t)info->size, n = 0;
    quire_status st = QUIRE_OK;
    char *room;

    w->from = from;
    w->info = *info;
    buf_clear(&w->bytes);
    room = buf_room(&w->bytes, size + 1);
    if (!room)
        return buf_status(&w->bytes, from->ops->place(from), err);
    st = file->ops->read(file, 0, room, size, &n, err);
    if (st)
        return st;
    buf_grow(&w->bytes, n);
    w->info.size = n;
    w->unfinished = n > 0 && w->bytes.data[n - 1] != '\n'
                        ? file->ops->unfinished(file)
                        : UINT64_MAX;
    return QUIRE_OK;
}
