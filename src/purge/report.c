/* report.c - what a purge has found */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "purge/purge.h"

/* A copy without values. */
static const char *mask_name(struct purge *p, const char *name,
                             struct arena *tmp)
{
    struct spans spans = {.n = 0};
    char *copy = arena_text(tmp, bytes_str(name));
    size_t i;

    if (!copy)
        return NULL;
    values_find(p->values, bytes_str(copy), &spans);
    for (i = 0; i < spans.n; i++)
        if (spans.list[i].kind != SPAN_DIGEST)
            values_mask(p->values, copy, strlen(copy), &spans.list[i]);
    copy = spans.failed ? NULL : copy;
    spans_release(&spans);
    return copy;
}

quire_status purge_found(struct purge *p, const char *kind, const char *where,
                         const char *session, uint64_t count, bool held,
                         quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_purge_place place = {.kind = kind, .count = count, .held = held};
    quire_status st = QUIRE_OK;

    if (p->quiet) {
        p->report.left += !held;
        return QUIRE_OK;
    }
    if (held) {
        p->report.held_places++;
    } else {
        p->report.places++;
        p->report.count += count;
    }
    if (!p->options->each)
        return QUIRE_OK;
    place.where = mask_name(p, where, &tmp);
    place.session = mask_name(p, session ? session : "", &tmp);
    if (!place.where || !place.session)
        st = err_memory(err);
    p->q->in_callback = true;
    if (!st)
        st = p->options->each(p->options->ctx, &place, err);
    p->q->in_callback = false;
    arena_release(&tmp);
    return st;
}

void purge_note_blobs(struct purge *p, bool stays)
{
    size_t i;

    for (i = 0; i < p->n_blobs; i++) {
        if (!p->seen[i])
            continue;
        p->seen[i] = false;
        if (stays)
            p->blobs[i].kept = true;
        else
            p->blobs[i].wanted = true;
    }
}
