/* preloaded.c - see preloaded.h */
#include "store/preloaded.h"

#include <string.h>

#include "base/bytes.h"

static struct whole *of_store(struct object_store *s)
{
    return (struct whole *)(void *)((char *)s - offsetof(struct whole, store));
}

static struct whole *of_object(struct object *o)
{
    return (struct whole *)(void *)((char *)o - offsetof(struct whole, object));
}

static quire_status whole_open(struct object_store *s, const char *name,
                               struct object **out, struct object_info *info,
                               quire_error *err)
{
    struct whole *w = of_store(s);

    (void)name, (void)err;
    *out = &w->object;
    *info = w->info;
    return QUIRE_OK;
}

static quire_status whole_give(struct object *o, uint64_t offset, void *buf,
                               size_t cap, size_t *n, quire_error *err)
{
    const struct whole *w = of_object(o);
    size_t at = offset < w->bytes.len ? (size_t)offset : w->bytes.len;

    (void)err;
    *n = w->bytes.len - at < cap ? w->bytes.len - at : cap;
    if (*n)
        memcpy(buf, w->bytes.data + at, *n);
    return QUIRE_OK;
}

static void whole_close(struct object *o)
{
    (void)o;
}

static const char *whole_place(const struct object_store *s)
{
    const struct object_store *from =
        ((const struct whole *)(const void *)((const char *)s -
                                              offsetof(struct whole, store)))
            ->from;

    return from->ops->place(from);
}

/* What a reader asks for, and nothing else. */
static const struct object_ops ops = {
    .open = whole_open,
    .read = whole_give,
    .close = whole_close,
    .place = whole_place,
};

void whole_init(struct whole *w)
{
    *w = (struct whole){.store.ops = &ops,
                        .object.ops = &ops,
                        .bytes = BUF_INIT(WHOLE_MAX + 1)};
}

void whole_release(struct whole *w)
{
    buf_release(&w->bytes);
}

quire_status whole_read(struct whole *w, struct object_store *from,
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
    if (!st)
        buf_grow(&w->bytes, n);
    w->info.size = n;
    return st;
}
