/* rails.c - see rails.h */
#include "view/rails.h"

#include <string.h>

#include "base/err.h"

struct row {
    size_t ordinal;
    size_t parent; /* its row; VIEW_NONE: none                              */
    size_t main;   /* row that continues its rail; VIEW_NONE: none          */
    size_t end;    /* the last row of the rail that begins here             */
    size_t folded; /* entries below it, up to the next rows                 */
    uint32_t children; /* rows                                                */
    uint32_t rail;
    bool on_path, begins; /* `begins` a rail                                  */
};

struct rails {
    struct view_graph *g;
    struct row *rows;
    size_t n;
    size_t *row_of; /* by ordinal: the row it is folded into, or is           */
    bool *on_path;  /* by ordinal                                             */
    uint32_t n_rails;
    struct json_writer *w;
    size_t written;
};

/* ---- rows --------------------------------------------------------------- */

/* A parent that comes after its child is cut off: each row is drawn below its
 * parent. */
static size_t parent_of(const struct view_graph *g, size_t i)
{
    size_t parent = g->list[i].parent;

    return parent < i ? parent : VIEW_NONE;
}

static bool is_row(const struct rails *r, size_t i,
                   enum view_rails_filter filter)
{
    const struct view_graph *g = r->g;
    const quire_head *h = &g->list[i];
    size_t parent = parent_of(g, i);
    bool shape = parent == VIEW_NONE || g->children[i] != 1 ||
                 g->children[parent] > 1 || i == g->leaf;

    if (shape || h->flags & QUIRE_HEAD_LABEL)
        return true;
    if (filter == VIEW_RAILS_ALL)
        return !(h->flags & QUIRE_HEAD_HIDDEN);
    return filter == VIEW_RAILS_USER &&
           (view_is_prompt(h) || !strcmp(h->type, "compaction"));
}

static void add_row(struct rails *r, size_t ordinal, size_t above)
{
    struct row *row = &r->rows[r->n];

    *row = (struct row){.ordinal = ordinal,
                        .parent = above,
                        .main = VIEW_NONE,
                        .on_path = r->on_path[ordinal]};
    if (above != VIEW_NONE) {
        struct row *parent = &r->rows[above];

        parent->children++;
        /* The newest, unless the path goes on elsewhere. */
        if (parent->main == VIEW_NONE || !r->rows[parent->main].on_path)
            parent->main = r->n;
    }
    r->row_of[ordinal] = r->n++;
}

static void find_rows(struct rails *r, enum view_rails_filter filter)
{
    size_t i;

    for (i = 0; i < r->g->n_path; i++)
        r->on_path[r->g->path[i]] = true;
    for (i = 0; i < r->g->n; i++) {
        size_t parent = parent_of(r->g, i);
        size_t above = parent == VIEW_NONE ? VIEW_NONE : r->row_of[parent];

        if (is_row(r, i, filter)) {
            add_row(r, i, above);
        } else {
            r->row_of[i] = above;
            r->rows[above].folded++;
        }
    }
}

/* ---- rails -------------------------------------------------------------- */

/* Where each rail that begins somewhere ends: its chain of main children. */
static void find_ends(struct rails *r)
{
    size_t i;

    for (i = r->n; i-- > 0;) {
        struct row *row = &r->rows[i];

        row->end = row->main == VIEW_NONE ? i : r->rows[row->main].end;
        row->begins = row->parent == VIEW_NONE ||
                      r->rows[row->parent].main != i;
    }
}

/* A rail is taken from the parent's row on. `until` has the last row of each. */
static void place_rails(struct rails *r, size_t *until)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        struct row *row = &r->rows[i];
        size_t from = row->parent == VIEW_NONE ? i : row->parent;

        if (!row->begins) {
            row->rail = r->rows[row->parent].rail;
            continue;
        }
        while (row->rail < r->n_rails && until[row->rail] >= from + 1)
            row->rail++;
        if (row->rail == r->n_rails)
            r->n_rails++;
        until[row->rail] = row->end + 1;
    }
}

/* ---- answer ------------------------------------------------------------- */

static quire_status write_row(void *ctx, const quire_entry *e, quire_error *err)
{
    struct rails *r = ctx;
    const struct row *row = &r->rows[r->written++];
    const quire_head *h = &r->g->list[row->ordinal];
    struct json_writer *w = r->w;

    (void)err;
    json_object(w);
    json_put_uint(w, "ordinal", row->ordinal);
    json_put_bytes(w, "id", e->id.data ? e->id : bytes_str(""));
    json_put_uint(w, "rail", row->rail);
    json_put_int(w, "parent",
                 row->parent == VIEW_NONE ? -1 : (int64_t)row->parent);
    json_put_str(w, "kind", view_kind(h));
    view_put_preview(w, e);
    if (e->label.data)
        json_put_bytes(w, "label", e->label);
    json_put_int(w, "time_ms", h->time_ms);
    json_put_uint(w, "children", row->children);
    json_put_uint(w, "folded", row->folded);
    json_put_bool(w, "on_path", row->on_path);
    json_put_bool(w, "is_leaf", row->ordinal == r->g->leaf);
    json_object_end(w);
    return QUIRE_OK;
}

static quire_status write_rows(struct rails *r, quire_error *err)
{
    struct json_writer *w = r->w;
    size_t *ordinals = arena_array(&r->g->keep, r->n + 1, sizeof *ordinals), i;
    quire_status st;

    if (!ordinals)
        return err_memory(err);
    for (i = 0; i < r->n; i++)
        ordinals[i] = r->rows[i].ordinal;
    json_put_uint(w, "n", r->g->n);
    json_put_int(w, "leaf", r->g->leaf == VIEW_NONE ? -1 : (int64_t)r->g->leaf);
    json_put_uint(w, "rails", r->n_rails);
    json_key(w, "rows");
    json_array(w);
    st = quire_session_entries_at(r->g->session, ordinals, r->n, write_row, r,
                                  err);
    json_array_end(w);
    return st;
}

quire_status view_rails(struct view_graph *g, enum view_rails_filter filter,
                        struct json_writer *w, quire_error *err)
{
    struct rails r = {.g = g, .w = w};
    size_t n = g->n + 1;
    size_t *until = arena_array(&g->keep, n, sizeof *until);

    r.rows = arena_array(&g->keep, n, sizeof *r.rows);
    r.row_of = arena_array(&g->keep, n, sizeof *r.row_of);
    r.on_path = arena_array(&g->keep, n, sizeof *r.on_path);
    if (!until || !r.rows || !r.row_of || !r.on_path)
        return err_memory(err);
    find_rows(&r, filter);
    find_ends(&r);
    place_rails(&r, until);
    return write_rows(&r, err);
}
