/* preloaded.c - see preloaded.h */
#include "store/preloaded.h"

#include <string.h>

#include "base/bytes.h"

#define PRELOADED_OF(part, member)                                          \
    ((struct preloaded *)(void *)((char *)(part)-offsetof(struct preloaded, \
                                                          member)))

static quire_status read_at(const struct preloaded *w, uint64_t offset,
                            void *buf, size_t cap, size_t *n)
{
    size_t at = offset < w->bytes.len ? (size_t)offset : w->bytes.len;

    *n = w->bytes.len - at < cap ? w->bytes.len - at : cap;
    if (*n)
        memcpy(buf, w->bytes.data + at, *n);
    return QUIRE_OK;
}

/* ---- as a log ----------------------------------------------------------- */

static quire_status preloaded_log_open(struct log_store *s, const char *name,
                                       enum log_mode mode, struct log **out,
                                       struct object_info *info,
                                       quire_error *err)
{
    struct preloaded *w = PRELOADED_OF(s, logs);

    (void)name, (void)mode, (void)err;
    *out = &w->log;
    *info = w->info;
    return QUIRE_OK;
}

static quire_status preloaded_log_read(struct log *l, uint64_t offset,
                                       void *buf, size_t cap, size_t *n,
                                       quire_error *err)
{
    (void)err;
    return read_at(PRELOADED_OF(l, log), offset, buf, cap, n);
}

static uint64_t preloaded_log_unfinished(struct log *l)
{
    return PRELOADED_OF(l, log)->unfinished;
}

static void preloaded_log_close(struct log *l)
{
    (void)l;
}

/* The operations a reader uses, and nothing else. */
static const struct log_ops log_ops = {
    .open = preloaded_log_open,
    .read = preloaded_log_read,
    .unfinished = preloaded_log_unfinished,
    .close = preloaded_log_close,
};

/* ---- as an object ------------------------------------------------------- */

static quire_status preloaded_object_read(struct object *o, uint64_t offset,
                                          void *buf, size_t cap, size_t *n,
                                          quire_error *err)
{
    (void)err;
    return read_at(PRELOADED_OF(o, object), offset, buf, cap, n);
}

static void preloaded_object_close(struct object *o)
{
    (void)o;
}

static const char *preloaded_place(const struct object_store *s)
{
    const struct preloaded *w =
        (const void *)((const char *)s - offsetof(struct preloaded, objects));

    return store_place(w->from);
}

static const struct object_ops object_ops = {
    .read = preloaded_object_read,
    .close = preloaded_object_close,
    .place = preloaded_place,
};

/* ---- life --------------------------------------------------------------- */

void preloaded_init(struct preloaded *w)
{
    *w = (struct preloaded){.store = {.objects = &w->objects, .logs = &w->logs},
                            .objects.ops = &object_ops,
                            .logs.ops = &log_ops,
                            .object.ops = &object_ops,
                            .log.ops = &log_ops,
                            .bytes = BUF_INIT(WHOLE_MAX + 1)};
}

void preloaded_release(struct preloaded *w)
{
    buf_release(&w->bytes);
}

quire_status preloaded_read(struct preloaded *w, struct store *from,
                            struct log *file, const struct object_info *info,
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
        return buf_status(&w->bytes, store_place(from), err);
    st = log_read(file, 0, room, size, &n, err);
    if (st)
        return st;
    buf_grow(&w->bytes, n);
    w->info.size = n;
    w->unfinished = n > 0 && w->bytes.data[n - 1] != '\n' ? log_unfinished(file)
                                                          : UINT64_MAX;
    return QUIRE_OK;
}
