/* session_keeps.c - see session_keeps.h */
#include "api/session_keeps.h"

#include "base/bytes.h"
#include "base/err.h"

static quire_status add_keep(void *ctx, const char *key,
                             const struct session_keep *k, quire_error *err)
{
    struct session_keeps *all = ctx;
    struct session_keep *kept = arena_array(&all->arena, 1, sizeof *kept);

    if (!kept)
        return err_memory(err);
    *kept = *k;
    if (!map_put(&all->by_id, bytes_str(key), (uint64_t)(uintptr_t)kept,
                 NULL) ||
        (k->pinned_us && !map_put(&all->pinned, bytes_str(key), 1, NULL)))
        return err_memory(err);
    return QUIRE_OK;
}

quire_status session_keeps_load(struct quire *q, struct session_keeps *out,
                                quire_error *err)
{
    quire_status st;

    *out = (struct session_keeps){.arena = ARENA_INIT};
    map_init(&out->by_id, (uint64_t)clock_us(&q->clock), (uintptr_t)out);
    map_init(&out->pinned, (uintptr_t)out, (uint64_t)clock_us(&q->clock));
    if (q->kind != QUIRE_KIND_NATIVE || !q->db_path)
        return QUIRE_OK;
    st = need_catalog(q, false, err);
    if (st || !catalog_has(&q->catalog, SCHEMA_KEEPING))
        return st;
    return session_keeps(&q->catalog, q->tenant, &out->arena, add_keep, out,
                         err);
}

void session_keeps_release(struct session_keeps *k)
{
    map_release(&k->by_id);
    map_release(&k->pinned);
    arena_release(&k->arena);
}

const struct session_keep *session_keeps_find(const struct session_keeps *k,
                                              const char *id)
{
    const uint64_t *found = id ? map_get(&k->by_id, bytes_str(id)) : NULL;

    return found ? (const struct session_keep *)(uintptr_t)*found : NULL;
}

void session_keep_describe(const struct session_keep *k,
                           quire_session_info *info)
{
    if (!k)
        return;
    info->pinned = k->pinned_us != 0;
    info->held = k->held_us != 0;
    info->hold_reason = k->held_us ? k->reason : NULL;
}
