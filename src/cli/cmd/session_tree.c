/*
 * session_tree.c - draw the branches of a session
 *
 * Where a session branches, the newest branch continues straight down, and the
 * earlier ones are drawn beside it:
 *
 *     a1  user       hello
 *     a2  assistant  hi
 *     ├─ a3  user       first try
 *     │  a4  assistant  no
 *     a5  user       second try
 *     a6  assistant  yes  ← leaf
 *
 * The indentation is the depth of branches off branches. Entries come depth
 * first; for each entry on the path it is enough to know how many children are
 * still to come.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define PLAIN "\033[0m"

enum {
    KIND_COLUMNS = 10,
    ID_COLUMNS_MAX = 36,
    SNIPPET_COLUMNS_MIN = 20,
};

/* An entry on the path from a root to the current one. */
struct step {
    size_t left;  /* children still to come */
    size_t level; /* of indentation         */
};

struct drawing {
    struct cli *cli;
    const struct marks *marks;
    size_t width;
    struct step *steps; /* owned; by depth */
    size_t cap;
    bool any;
    struct buf line, part, seen;
};

/* ---- JSON --------------------------------------------------------------- */

static void json_bytes_or_null(struct json_writer *w, const char *key,
                               quire_bytes text)
{
    json_key(w, key);
    if (text.data)
        json_bytes(w, text);
    else
        json_null(w);
}

static quire_status print_json(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct drawing *d = ctx;
    struct json_writer w;

    json_begin(&w, &d->line);
    json_object(&w);
    json_bytes_or_null(&w, "id", e->id);
    json_bytes_or_null(&w, "parentId", e->parent);
    json_bytes_or_null(&w, "type", e->type);
    json_put_uint(&w, "depth", e->depth);
    json_put_bool(&w, "leaf", e->is_leaf);
    json_bytes_or_null(&w, "label", e->label);
    json_put_uint(&w, "children", e->children);
    json_put_bool(&w, "on_path", e->on_path);
    json_put_bool(&w, "orphan", e->is_orphan);
    json_object_end(&w);
    out_line(d->cli, &d->line);
    return out_status(d->cli, err);
}

/* ---- a picture ---------------------------------------------------------- */

static bool make_room(struct drawing *d, size_t depth)
{
    size_t cap = d->cap ? 2 * d->cap : 256;
    struct step *steps;

    if (depth < d->cap)
        return true;
    while (cap <= depth)
        cap *= 2;
    steps = realloc(d->steps, cap * sizeof *steps);
    if (!steps)
        return false;
    d->steps = steps;
    d->cap = cap;
    return true;
}

/* Set the level of an entry; true if a branch begins here. */
static bool place_entry(struct drawing *d, const quire_entry *e)
{
    struct step *at = &d->steps[e->depth];
    struct step *above = e->depth ? at - 1 : NULL;
    bool side = false;

    at->left = e->children;
    at->level = above ? above->level : 0;
    if (above && above->left) {
        above->left--;
        side = above->left > 0;
        at->level += side;
    }
    return side;
}

static void add_rails(struct drawing *d, size_t level, bool side)
{
    for (; level > 1; level--)
        buf_add_str(&d->line, d->marks->rail);
    if (level)
        buf_add_str(&d->line, side ? d->marks->side : d->marks->rail);
}

/* After the snippet: label, a missing parent, the leaf. */
static void add_tail(struct drawing *d, const quire_entry *e)
{
    if (e->label.data) {
        buf_add_str(&d->part, "  [");
        buf_clear(&d->seen);
        term_add(&d->seen, e->label, true);
        term_add_cut(&d->part, buf_bytes(&d->seen), SNIPPET_COLUMNS_MIN);
        buf_add_char(&d->part, ']');
    }
    if (e->is_orphan)
        buf_add_str(&d->part, "  (its parent is missing)");
    if (e->is_leaf)
        buf_addf(&d->part, "  %s", d->marks->here);
}

static void add_id(struct drawing *d, const quire_entry *e)
{
    buf_clear(&d->seen);
    if (e->id.data)
        term_add(&d->seen, e->id, true);
    else
        buf_add_char(&d->seen, '-');
    term_add_cut(&d->line, buf_bytes(&d->seen), ID_COLUMNS_MAX);
    buf_add_str(&d->line, "  ");
}

static void add_text(struct drawing *d, const quire_entry *e, size_t room)
{
    size_t start = d->line.len, used;

    buf_clear(&d->seen);
    entry_add_kind(&d->seen, e);
    term_add_cell(&d->line, buf_bytes(&d->seen), KIND_COLUMNS);
    buf_clear(&d->seen);
    entry_add_snippet(&d->seen, e);
    used = KIND_COLUMNS + 2;
    room = room > used + SNIPPET_COLUMNS_MIN ? room - used
                                             : SNIPPET_COLUMNS_MIN;
    if (d->seen.len) {
        buf_add_str(&d->line, "  ");
        term_add_cut(&d->line, buf_bytes(&d->seen), room);
    }
    while (d->line.len > start && d->line.data[d->line.len - 1] == ' ')
        d->line.len--;
}

static quire_status draw_entry(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct drawing *d = ctx;
    bool color = d->cli->out.color, side;
    size_t used, tail;

    if (!make_room(d, e->depth))
        return err_memory(err);
    if (!e->depth && d->any)
        out_str(d->cli, "\n");
    d->any = true;
    side = place_entry(d, e);
    add_rails(d, d->steps[e->depth].level, side);
    add_id(d, e);
    used = term_columns(buf_bytes(&d->line));
    if (color)
        buf_add_str(&d->line, e->is_leaf ? BOLD : e->on_path ? "" : DIM);
    buf_clear(&d->part);
    add_tail(d, e);
    tail = term_columns(buf_bytes(&d->part));
    add_text(d, e, d->width > used + tail ? d->width - used - tail : 0);
    if (color)
        buf_add_str(&d->line, PLAIN);
    buf_add(&d->line, d->part.data, d->part.len);
    out_line(d->cli, &d->line);
    return out_status(d->cli, err);
}

/* ---- the verb ----------------------------------------------------------- */

static int session_tree(struct cli *cli, const struct args *args)
{
    struct drawing d = {.cli = cli,
                        .marks = term_marks(),
                        .width = term_width(),
                        .line = BUF_INIT(16 * 1024 * 1024),
                        .part = BUF_INIT(1024 * 1024),
                        .seen = BUF_INIT(16 * 1024 * 1024)};
    quire_session *s = NULL;
    quire_error err = {0};
    int code = open_session(cli, args, QUIRE_SESSION_READ, &s);

    if (code)
        return code;
    if (quire_session_tree(s, cli->json ? print_json : draw_entry, &d, &err) &&
        !cli->out.error)
        code = cli_fail(cli, &err);
    quire_session_close(s);
    free(d.steps);
    buf_release(&d.line);
    buf_release(&d.part);
    buf_release(&d.seen);
    return code;
}

const struct cmd cmd_session_tree = {
    .name = "session tree",
    .args = "[S]",
    .summary = "draw the entries of a session with their branches",
    .about = "A line an entry: id, kind, beginning, label in brackets. The "
             "newest branch continues straight down, earlier ones are drawn "
             "beside it. The current leaf is marked.\n\n"
             "With `--json`: id, parentId, type, depth, leaf, label, "
             "children, on_path, orphan; parents before children.",
    .examples = "quire session tree last",
    .store = STORE_READ,
    .paged = true,
    .run = session_tree,
};
