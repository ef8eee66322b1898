/* session_around.c - see session_around.h */
#include "cli/cmd/session_around.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"

struct link {
    quire_bytes id, parent;
    bool on_path;
};

struct links {
    struct around *a;
    struct buf list; /* struct link, in file order */
};

static quire_status add_link(void *ctx, const quire_entry *e, quire_error *err)
{
    struct links *l = ctx;
    struct link one = {.on_path = e->on_path};

    if (!e->id.data)
        return QUIRE_OK;
    one.id = arena_dup(&l->a->arena, e->id);
    if (e->parent.data)
        one.parent = arena_dup(&l->a->arena, e->parent);
    buf_add(&l->list, &one, sizeof one);
    return one.id.data && !l->list.failed ? QUIRE_OK : err_memory(err);
}

static const struct link *find_link(const struct links *l, quire_bytes id)
{
    const struct link *list = (const void *)l->list.data;
    size_t i = l->list.len / sizeof *list;

    while (i-- > 0)
        if (id.data && bytes_equal(list[i].id, id))
            return &list[i];
    return NULL;
}

/* The entry below `at`: on the current branch if there is one, else the last. */
static const struct link *next_link(const struct links *l,
                                    const struct link *at)
{
    const struct link *list = (const void *)l->list.data, *found = NULL;
    size_t n = l->list.len / sizeof *list, i;

    for (i = 0; i < n; i++) {
        if (list[i].parent.data && bytes_equal(list[i].parent, at->id) &&
            (!found || !found->on_path))
            found = &list[i];
    }
    return found;
}

static bool choose_link(struct around *a, const struct link *l)
{
    return map_put(&a->chosen, l->id, 1, NULL);
}

quire_status around_choose(struct around *a, quire_session *s, const char *at,
                           uint64_t context, quire_error *err)
{
    struct links l = {a, BUF_INIT((size_t)1 << 30)};
    const struct link *entry, *one;
    quire_status st = quire_session_entries(s, 0, add_link, &l, err);
    bool whole = true;
    uint64_t i;

    if (!a->active)
        map_init(&a->chosen, (uint64_t)clock_us(&clock_system), 1);
    a->active = true;
    entry = st ? NULL : find_link(&l, bytes_str(at));
    if (!st && !entry)
        st = err_fail(err, QUIRE_NOT_FOUND,
                      "`quire session tree` lists the entries",
                      "no entry %s in this session", at);
    for (one = entry, i = 0; one && i <= context; i++) {
        whole &= choose_link(a, one);
        one = find_link(&l, one->parent);
    }
    for (one = entry, i = 0; one && i <= context; i++) {
        whole &= choose_link(a, one);
        one = next_link(&l, one);
    }
    buf_release(&l.list);
    return !st && !whole ? err_memory(err) : st;
}

bool around_has(const struct around *a, const quire_entry *e)
{
    return !a->active || (e->id.data && map_get(&a->chosen, e->id));
}

void around_release(struct around *a)
{
    if (a->active)
        map_release(&a->chosen);
    arena_release(&a->arena);
    *a = (struct around)AROUND_INIT;
}
