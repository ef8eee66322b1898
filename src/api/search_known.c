/* search_known.c - what the indexes know of a file: see search_files.h */
#include "api/search_files.h"

/* The state that the index has of a source, of the engine in memory first. *of is the
 * engine. QUIRE_NOT_FOUND. */
quire_status search_find_known(struct file_update *u, enum source_kind kind,
                               const char *key, struct arena *keep,
                               struct source *out, struct engine **of,
                               quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {u->x->pending, u->x->home};
    quire_status st = QUIRE_NOT_FOUND;
    int i;

    for (i = 0; i < SEARCH_ENGINES && st == QUIRE_NOT_FOUND; i++) {
        if (!list[i])
            continue;
        st = engine_find_source(list[i], kind, key, keep, out, err);
        if (!st && !engine_is_live(list[i], out->number))
            st = QUIRE_NOT_FOUND;
        *of = list[i];
    }
    return st;
}

/* The content of a source is not valid any more. */
quire_status search_drop_source(struct file_update *u, struct engine *of,
                                uint32_t number, quire_error *err)
{
    return of == u->to ? engine_kill_source(of, number, err)
                       : engine_hide_source(of, number, err);
}

/* Both engines may have a part of a session: drop them all. */
quire_status search_drop_known(struct file_update *u, enum source_kind kind,
                               const char *key, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct source known;
    struct engine *of;
    quire_status st;

    do {
        arena_reset(&tmp);
        st = search_find_known(u, kind, key, &tmp, &known, &of, err);
        if (!st)
            st = search_drop_source(u, of, known.number, err);
    } while (!st);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

void search_mark_seen(struct file_update *u, uint32_t number)
{
    int i;

    for (i = 0; i < SEARCH_ENGINES; i++)
        if (u->seen[i] && number >= u->first[i] && number < u->end[i])
            u->seen[i][number - u->first[i]] = 1;
}

quire_status search_step_progress(struct file_update *u, uint64_t bytes)
{
    struct search_progress *p = u->p;

    if (!p)
        return QUIRE_OK;
    p->done += bytes;
    return p->each ? p->each(p->ctx, p->done, p->total) : QUIRE_OK;
}
