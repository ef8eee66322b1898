/* outline.c - see outline.h */
#include "view/outline.h"

#include "base/err.h"
#include "view/entry.h"

struct outline {
    struct view_graph *g;
    struct json_writer *w;
    size_t *positions, *ordinals;
    size_t n, written;
};

/* NULL: the entry is not in the outline. */
static const char *item_kind(const struct view_graph *g, size_t ordinal)
{
    const quire_head *h = &g->list[ordinal];

    if (h->flags & QUIRE_HEAD_LABEL)
        return "label";
    if (view_is_prompt(h))
        return "prompt";
    if (!strcmp(h->type, "compaction"))
        return "compaction";
    if (h->flags & QUIRE_HEAD_ERROR)
        return "error";
    if (h->flags & QUIRE_HEAD_SUBAGENT)
        return "subagent";
    return g->children[ordinal] > 1 ? "branch" : NULL;
}

static quire_status write_item(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct outline *o = ctx;
    size_t i = o->written++;
    const quire_head *h = &o->g->list[o->ordinals[i]];

    (void)err;
    json_object(o->w);
    json_put_uint(o->w, "position", o->positions[i]);
    json_put_uint(o->w, "ordinal", o->ordinals[i]);
    json_put_bytes(o->w, "id", e->id.data ? e->id : bytes_str(""));
    json_put_str(o->w, "kind", item_kind(o->g, o->ordinals[i]));
    if (e->label.data)
        json_put_bytes(o->w, "label", e->label);
    view_put_preview(o->w, e);
    if (*h->tool)
        json_put_str(o->w, "tool", h->tool);
    json_put_int(o->w, "time_ms", h->time_ms);
    json_put_uint(o->w, "branches", o->g->children[o->ordinals[i]]);
    json_object_end(o->w);
    return QUIRE_OK;
}

quire_status view_outline(struct view_graph *g, struct json_writer *w,
                          quire_error *err)
{
    struct outline o = {.g = g, .w = w};
    quire_status st;
    size_t i;

    o.positions = arena_array(&g->keep, g->n_path + 1, sizeof *o.positions);
    o.ordinals = arena_array(&g->keep, g->n_path + 1, sizeof *o.ordinals);
    if (!o.positions || !o.ordinals)
        return err_memory(err);
    for (i = 0; i < g->n_path; i++) {
        if (!item_kind(g, g->path[i]))
            continue;
        o.positions[o.n] = i;
        o.ordinals[o.n++] = g->path[i];
    }
    json_key(w, "items");
    json_array(w);
    st = quire_session_entries_at(g->session, o.ordinals, o.n, write_item, &o,
                                  err);
    json_array_end(w);
    return st;
}

/* ---- images ------------------------------------------------------------- */

struct image_list {
    quire *q;
    struct json_writer *w;
};

static quire_status write_images(void *ctx, const quire_entry *e,
                                 quire_error *err)
{
    struct image_list *l = ctx;
    struct view_image image;
    size_t i;

    for (i = 1; !view_image_at(l->q, e->json, i, &image, err); i++) {
        json_object(l->w);
        json_put_bytes(l->w, "entry", e->id.data ? e->id : bytes_str(""));
        json_put_uint(l->w, "ordinal", e->ordinal);
        json_put_uint(l->w, "image", i);
        json_put_str(l->w, "mime", image.mime ? image.mime : "");
        json_put_uint(l->w, "bytes", image.bytes);
        json_put_uint(l->w, "width", image.width);
        json_put_uint(l->w, "height", image.height);
        json_object_end(l->w);
    }
    return QUIRE_OK;
}

quire_status view_image_list(struct view_graph *g, quire *q,
                             struct json_writer *w, quire_error *err)
{
    struct image_list l = {q, w};
    size_t *ordinals = arena_array(&g->keep, g->n + 1, sizeof *ordinals);
    size_t i, n = 0;
    quire_status st;

    if (!ordinals)
        return err_memory(err);
    for (i = 0; i < g->n; i++)
        if (g->list[i].flags & QUIRE_HEAD_IMAGES)
            ordinals[n++] = i;
    json_key(w, "images");
    json_array(w);
    st = quire_session_entries_at(g->session, ordinals, n, write_images, &l,
                                  err);
    json_array_end(w);
    return st;
}
