/* view.c - sessions for the viewer: heads, windows, entries, images, outline, tree */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/open_session.h"
#include "server/routes/handlers.h"
#include "view/edits.h"
#include "view/entry.h"
#include "view/heads.h"
#include "view/outline.h"
#include "view/parts.h"
#include "view/rails.h"
#include "base/json_strings.h"
#include "view/turns.h"

/* A window ends with the entry that makes it larger than this. */
#define WINDOW_BYTES ((size_t)1 << 20)

/* ---- heads -------------------------------------------------------------- */

static void put_session(struct request *c, quire_session *s)
{
    quire_session_info info;

    quire_session_describe(s, &info);
    json_key(&c->w, "session");
    json_object(&c->w);
    put_text(c, "id", info.id);
    put_text(c, "title", info.title);
    put_text(c, "cwd", info.cwd);
    put_text(c, "parent", *info.parent ? info.parent : NULL);
    put_text(c, "created", info.created);
    put_number(c, "bytes", (int64_t)info.bytes);
    put_number(c, "version", info.version);
    put_flag(c, "archived", info.archived);
    put_text(c, "leaf", info.leaf);
    put_number(c, "problems", (int64_t)info.problems);
    json_object_end(&c->w);
}

void route_heads(struct request *c)
{
    uint64_t from = request_number(c, "from", 0);
    quire_session *s = request_open_session(c, QUIRE_SESSION_READ);
    quire_error err;
    quire_status st;

    if (!s)
        return;
    json_object(&c->w);
    put_session(c, s);
    st = view_heads(s, from, &c->w, &err);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
    request_close_session(c, s);
}

/* ---- windows ------------------------------------------------------------ */

struct window {
    struct request *c;
    size_t cut;
    bool more; /* it ended before its last entry */
};

static quire_status put_entry(void *ctx, const quire_entry *e, quire_error *err)
{
    struct window *w = ctx;
    struct request *c = w->c;
    quire_status st;

    if (c->answer.body.len > WINDOW_BYTES) {
        w->more = true;
        return QUIRE_CHANGED;
    }
    json_object(&c->w);
    put_number(c, "position", (int64_t)e->depth);
    put_number(c, "ordinal", (int64_t)e->ordinal);
    if (e->label.data)
        json_put_bytes(&c->w, "label", e->label);
    st = view_entry(c->q, e->json, w->cut, &c->w, err);
    json_object_end(&c->w);
    return st;
}

void route_window(struct request *c)
{
    quire_window_options o = QUIRE_WINDOW_OPTIONS_INIT;
    struct window w = {.c = c, .cut = request_number(c, "cut", 4000)};
    quire_session *s = request_open_session(c, QUIRE_SESSION_READ);
    quire_session_info info;
    quire_window window;
    quire_error err;
    quire_status st;

    if (!s)
        return;
    o.leaf = request_text(c, "leaf");
    o.at = request_text(c, "at");
    o.from = request_number(c, "from", 0);
    o.before = request_number(c, "before", 20);
    o.limit = request_limit(c);
    json_object(&c->w);
    json_key(&c->w, "entries");
    json_array(&c->w);
    st = quire_session_window(s, &o, &window, put_entry, &w, &err);
    json_array_end(&c->w);
    quire_session_describe(s, &info);
    put_text(c, "leaf", o.leaf ? o.leaf : info.leaf);
    put_number(c, "n", (int64_t)window.n);
    put_number(c, "from", (int64_t)window.from);
    put_flag(c, "more", w.more);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
    request_close_session(c, s);
}

/* ---- one entry ---------------------------------------------------------- */

/* A part of the string at a JSON pointer, from a UTF-16 unit on. */
static void put_text_at(struct request *c, quire_bytes json,
                        const char *pointer)
{
    uint64_t from = request_number(c, "offset", 0), limit = request_limit(c);
    quire_bytes value = json_at_pointer(json, bytes_str(pointer));
    size_t units, begin, end;
    struct buf text = BUF_INIT((size_t)1 << 30);

    if (!value.data) {
        request_refuse(c, 404, "not_found",
                       "`cuts` of a window has the pointers",
                       "the entry has no string at %.200s", pointer);
        return;
    }
    units = json_count_utf16(value);
    if (from > units)
        from = units;
    begin = from ? json_cut_utf16(value, from) : 1;
    end = limit < units - from ? json_cut_utf16(value, from + limit)
                               : value.len - 1;
    /* A slice with quotes is a string again. */
    buf_add_char(&text, '"');
    buf_add(&text, (const char *)value.data + begin, end - begin);
    buf_add_char(&text, '"');
    json_object(&c->w);
    json_put_uint(&c->w, "offset", from);
    json_put_uint(&c->w, "length", units);
    put_id(c, "next", limit < units - from ? (int64_t)(from + limit) : 0);
    json_put_raw(&c->w, "text", buf_bytes(&text));
    json_object_end(&c->w);
    if (text.failed)
        request_refuse(c, 507, "no_memory", "send a smaller limit",
                       "the text is too long");
    buf_release(&text);
}

/* Find the entry of the path and answer by `put`. */
static void with_entry(struct request *c,
                       void (*put)(struct request *c, const quire_entry *e))
{
    quire_session *s = request_open_session(c, QUIRE_SESSION_READ);
    quire_entry e;
    quire_error err;
    quire_status st;

    if (!s)
        return;
    st = quire_session_entry(s, request_param(c, 1), &e, &err);
    if (st)
        request_fail(c, st, &err);
    else
        put(c, &e);
    request_close_session(c, s);
}

static void answer_entry(struct request *c, const quire_entry *e)
{
    const char *pointer = request_text(c, "pointer");

    if (pointer)
        put_text_at(c, e->json, pointer);
    else
        json_raw(&c->w, e->json);
}

void route_entry(struct request *c)
{
    with_entry(c, answer_entry);
}

/* Shown only as an image, whatever it is. */
static void answer_image(struct request *c, const quire_entry *e)
{
    struct view_image image;
    quire_error err;
    quire_status st = view_image_at(c->q, e->json, (size_t)request_id(c, 2),
                                    &image, &err);

    if (st == QUIRE_NOT_FOUND) {
        request_refuse(c, 404, "not_found", "`image` of a window has numbers",
                       "the entry has no such image");
        return;
    }
    if (!st)
        st = view_image_read(c->q, &image, &c->answer.body, &err);
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    response_header(&c->answer, "Content-Type", "%s",
                    image.mime ? image.mime : "application/octet-stream");
    response_header(&c->answer, "Content-Security-Policy",
                    "default-src 'none'; sandbox");
    response_header(&c->answer, "Content-Disposition", "attachment");
}

void route_entry_image(struct request *c)
{
    with_entry(c, answer_image);
}

static void answer_edits(struct request *c, const quire_entry *e)
{
    quire_error err;
    quire_status st;

    json_object(&c->w);
    st = view_edits(e->json, &c->w, &err);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
}

void route_entry_diff(struct request *c)
{
    with_entry(c, answer_edits);
}

/* ---- the whole session -------------------------------------------------- */

typedef quire_status (*graph_fn)(struct request *c, struct view_graph *g,
                                 quire_error *err);

/* Answer by an object whose members `put` writes. */
static void with_graph(struct request *c, graph_fn put)
{
    quire_session *s = request_open_session(c, QUIRE_SESSION_READ);
    struct view_graph g;
    quire_error err;
    quire_status st;

    if (!s)
        return;
    st = view_graph_load(&g, s, request_text(c, "leaf"), &err);
    json_object(&c->w);
    if (!st)
        st = put(c, &g, &err);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
    view_graph_release(&g);
    request_close_session(c, s);
}

static quire_status put_rails(struct request *c, struct view_graph *g,
                              quire_error *err)
{
    const char *filter = request_text(c, "filter");

    return view_rails(g,
                      !filter || !strcmp(filter, "user") ? VIEW_RAILS_USER
                      : !strcmp(filter, "all")           ? VIEW_RAILS_ALL
                                                         : VIEW_RAILS_LABELLED,
                      &c->w, err);
}

static quire_status put_outline(struct request *c, struct view_graph *g,
                                quire_error *err)
{
    return view_outline(g, &c->w, err);
}

static quire_status put_turns(struct request *c, struct view_graph *g,
                              quire_error *err)
{
    return view_turns(g, &c->w, err);
}

static quire_status put_images(struct request *c, struct view_graph *g,
                               quire_error *err)
{
    return view_image_list(g, c->q, &c->w, err);
}

void route_rails(struct request *c)
{
    if (!request_is_choice(c, "filter", request_json(c, "filter")) &&
        request_text(c, "filter"))
        request_refuse(c, 400, "invalid", "user, labelled or all",
                       "unknown filter");
    else
        with_graph(c, put_rails);
}

void route_outline(struct request *c)
{
    with_graph(c, put_outline);
}

void route_turns(struct request *c)
{
    with_graph(c, put_turns);
}

void route_images(struct request *c)
{
    with_graph(c, put_images);
}

void route_parts(struct request *c)
{
    const char *leaf = request_text(c, "leaf");
    quire_session *s = request_open_session(c, QUIRE_SESSION_READ);
    quire_status st = QUIRE_OK;
    quire_entry entry;
    quire_error err;

    if (!s)
        return;
    if (leaf)
        st = quire_session_entry(s, leaf, &entry, &err);
    json_object(&c->w);
    put_text(c, "leaf", leaf);
    if (!st)
        st = view_parts(s, leaf, &c->w, &err);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
    request_close_session(c, s);
}

/* ---- all changes of files ------------------------------------------------ */

struct changes {
    struct request *c;
    struct view_graph *g;
    const size_t *positions;
    size_t n, next;
};

static quire_status put_change(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct changes *x = ctx;
    struct request *c = x->c;
    quire_status st;

    if (c->answer.body.len > WINDOW_BYTES) {
        x->next = x->positions[x->n];
        return QUIRE_CHANGED;
    }
    json_object(&c->w);
    json_put_bytes(&c->w, "entry", x->g->list[e->ordinal].id);
    put_number(c, "ordinal", (int64_t)e->ordinal);
    put_number(c, "position", (int64_t)x->positions[x->n++]);
    put_number(c, "time_ms", x->g->list[e->ordinal].time_ms);
    st = view_edits(e->json, &c->w, err);
    json_object_end(&c->w);
    return st;
}

static quire_status put_changes(struct request *c, struct view_graph *g,
                                quire_error *err)
{
    size_t *ordinals = arena_array(&g->keep, g->n_path + 1, sizeof *ordinals);
    size_t *positions = arena_array(&g->keep, g->n_path + 1, sizeof *positions);
    struct changes x = {.c = c, .g = g, .positions = positions};
    size_t i, n = 0;
    quire_status st;

    if (!ordinals || !positions)
        return err_memory(err);
    for (i = request_number(c, "from", 0); i < g->n_path; i++) {
        if (!(g->list[g->path[i]].flags & QUIRE_HEAD_EDIT))
            continue;
        positions[n] = i;
        ordinals[n++] = g->path[i];
    }
    json_key(&c->w, "changes");
    json_array(&c->w);
    st = quire_session_entries_at(g->session, ordinals, n, put_change, &x, err);
    json_array_end(&c->w);
    put_id(c, "next", (int64_t)x.next);
    return st;
}

void route_changes(struct request *c)
{
    with_graph(c, put_changes);
}

/* ---- changes of the tree ------------------------------------------------ */

void route_label(struct request *c)
{
    quire_session *s = request_open_session(c, 0);
    quire_appended done;
    quire_error err;
    quire_status st;

    if (!s)
        return;
    st = quire_session_label(s, request_param(c, 1), request_text(c, "label"),
                             &done, &err);
    request_answer_appended(c, s, st, &done, &err);
}

void route_leaf(struct request *c)
{
    const char *to = request_text(c, "to");
    quire_session *s = request_open_session(c, 0);
    quire_appended done;
    quire_error err;
    quire_status st;

    if (!s)
        return;
    st = quire_session_branch(s, strcmp(to, "root") != 0 ? to : NULL, 1, &done,
                              &err);
    request_answer_appended(c, s, st, &done, &err);
}
