/* tool_names.c - names of tools by the id of a call; see priv.h */
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "jp/priv.h"

quire_status tool_names_init(struct tool_names *t, quire_error *err)
{
    uint64_t seed[2] = {0, 0};
    quire_status st = rand_bytes(&rand_system, seed, sizeof seed, err);

    *t = (struct tool_names){.n = 0};
    map_init(&t->by_id, seed[0], seed[1]);
    return st;
}

void tool_names_release(struct tool_names *t)
{
    map_release(&t->by_id);
    arena_release(&t->keep);
}

static bool reserve_name(struct tool_names *t)
{
    size_t cap = t->cap ? t->cap * 2 : 64;
    quire_bytes *more;

    if (t->n < t->cap)
        return true;
    more = arena_array(&t->keep, cap, sizeof *more);
    if (!more)
        return false;
    if (t->n)
        memcpy(more, t->names, t->n * sizeof *more);
    t->names = more;
    t->cap = cap;
    return true;
}

quire_status tool_names_add(struct tool_names *t, quire_bytes id,
                            quire_bytes name, quire_error *err)
{
    if (json_kind(id) != JSON_STRING || json_kind(name) != JSON_STRING)
        return QUIRE_OK;
    if (!reserve_name(t))
        return err_memory(err);
    t->names[t->n] = json_text(name, &t->keep);
    if (!t->names[t->n].data || !map_put(&t->by_id, id, t->n, NULL))
        return err_memory(err);
    t->n++;
    return QUIRE_OK;
}

quire_bytes tool_names_get(const struct tool_names *t, quire_bytes id)
{
    const uint64_t *place = id.data ? map_get(&t->by_id, id) : NULL;

    return place ? t->names[*place] : bytes_of("", 0);
}
