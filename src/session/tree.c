/*
 * tree.c - the tree of entries
 *
 * An entry names its parent; nothing names its children. Going back to try
 * again erases nothing: it starts a sibling, and the leaf marks the current
 * position.
 *
 *      a -- b -- c -- d         first try
 *            \
 *             e -- f            second try   <- leaf
 *
 * For a walk downwards the children are chained once, two numbers an entry. An
 * entry with a missing parent, or that is its own parent, begins a tree of its
 * own, and so does the first entry of a cycle: each entry appears exactly once.
 *
 * These calls parse everything in full first: what they return is JSON.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/timestamp.h"
#include "session/persist.h"
#include "session/priv.h"

/* ---- locking ------------------------------------------------------------ */

quire_status session_enter(quire_session *s, quire_error *err)
{
    if (pthread_mutex_lock(&s->lock) == EDEADLK)
        return err_set(err, QUIRE_INVALID,
                       "a callback may not call its own session");
    return QUIRE_OK;
}

void session_leave(quire_session *s)
{
    pthread_mutex_unlock(&s->lock);
}

quire_status tree_begin(quire_session *s, quire_error *err)
{
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    st = load_refresh(s, err);
    if (!st)
        st = load_full(s, err);
    arena_reset(&s->tmp);
    if (st)
        session_leave(s);
    return st;
}

/* ---- labels ------------------------------------------------------------- */

static int by_target(const void *a, const void *b)
{
    const struct label *x = a, *y = b;

    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Read one label entry. *target is NONE when it sets nothing. */
static quire_status read_label(quire_session *s, uint32_t i, struct arena *keep,
                               uint32_t *target, quire_bytes *text,
                               quire_error *err)
{
    quire_bytes line, id, label;
    quire_status st = load_line(s, i, &line, err);

    *target = NONE;
    *text = bytes_of(NULL, 0);
    if (st)
        return st;
    id = json_get(line, "targetId");
    label = json_get(line, "label");
    if (json_kind(id) != JSON_STRING)
        return QUIRE_OK;
    id = json_text(id, keep);
    if (!id.data)
        return err_memory(err);
    *target = index_find(&s->index, id);
    if (json_kind(label) == JSON_STRING && label.len > 2) {
        *text = arena_dup(keep, json_text(label, keep));
        if (!text->data)
            return err_memory(err);
    }
    return QUIRE_OK;
}

quire_status tree_labels(quire_session *s, struct arena *keep,
                         struct labels *out, quire_error *err)
{
    uint32_t i, n = 0, kept = 0;

    for (i = 0; i < s->index.n; i++)
        n += s->index.list[i].type == ENTRY_LABEL;
    *out = (struct labels){arena_array(keep, n + (size_t)1, sizeof *out->list),
                           0};
    if (!out->list)
        return err_memory(err);
    for (i = 0; i < s->index.n && n; i++) {
        struct label *l = &out->list[out->n];
        quire_status st;

        if (s->index.list[i].type != ENTRY_LABEL)
            continue;
        st = read_label(s, i, keep, &l->of, &l->text, err);
        if (st)
            return st;
        l->order = i;
        out->n += l->of != NONE;
    }
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, by_target);
    /* Of several for one entry the last counts. */
    for (i = 0; i < out->n; i++) {
        if (kept && out->list[kept - 1].of == out->list[i].of)
            kept--;
        out->list[kept++] = out->list[i];
    }
    out->n = kept;
    return QUIRE_OK;
}

quire_bytes labels_get(const struct labels *l, uint32_t of)
{
    uint32_t from = 0, to = l->n;

    while (from < to) {
        uint32_t mid = from + (to - from) / 2;

        if (l->list[mid].of < of)
            from = mid + 1;
        else
            to = mid;
    }
    return from < l->n && l->list[from].of == of ? l->list[from].text
                                                 : bytes_of(NULL, 0);
}

/* ---- one entry in its output form --------------------------------------- */

/* State shared by the calls here: labels, and a bit for each entry of the path.
 */
struct view {
    struct labels labels;
    uint8_t *on_path;
    unsigned flags;
};

static quire_status view_init(quire_session *s, struct view *v, unsigned flags,
                              quire_error *err)
{
    uint32_t *path, n = 0, i;
    quire_status st = tree_labels(s, &s->tmp, &v->labels, err);

    if (st)
        return st;
    v->flags = flags;
    v->on_path = arena_array(&s->tmp, s->index.n + (size_t)1, 1);
    path = v->on_path ? index_path(&s->index, s->leaf, &s->tmp, &n) : NULL;
    if (!path)
        return err_memory(err);
    for (i = 0; i < n; i++)
        v->on_path[path[i]] = 1;
    return QUIRE_OK;
}

static void count_missing(void *ctx, const quire_digest *digest)
{
    (void)digest;
    ++*(size_t *)ctx;
}

quire_status tree_text(quire_session *s, uint32_t i, bool hydrate,
                       quire_bytes *text, quire_error *err)
{
    const struct entry *e = &s->index.list[i];
    struct arena scratch = ARENA_INIT;
    struct blob_view blobs = {NULL, 0};
    quire_status st = load_line(s, i, text, err);

    if (st)
        return st;
    hydrate = hydrate && (e->flags & ENTRY_REFS) && s->env.blobs;
    buf_clear(&s->out);
    if (hydrate) {
        st = s->env.blobs(s->env.ctx, NULL, &blobs, err);
        if (!st)
            st = persist_hydrate(*text, blobs, &scratch, &s->out, count_missing,
                                 &s->n_missing, err);
        s->env.release(s->env.ctx);
    } else if (e->flags & ENTRY_BAD_UTF8) {
        utf8_add_mended(&s->out, *text);
    } else if (e->flags & ENTRY_SPREAD) {
        buf_add(&s->out, text->data, text->len);
    } else {
        return QUIRE_OK; /* unchanged */
    }
    arena_release(&scratch);
    if (!st)
        st = buf_status(&s->out, "an entry", err);
    if (st)
        return st;
    *text = buf_bytes(&s->out);
    if (e->flags & ENTRY_SPREAD) {
        size_t k;

        for (k = 0; k < s->out.len; k++) {
            if (s->out.data[k] == '\n' || s->out.data[k] == '\r')
                s->out.data[k] = ' ';
        }
    }
    return QUIRE_OK;
}

/* Type and parent of an entry, from its text. */
static quire_status describe_entry(quire_session *s, uint32_t i,
                                   quire_entry *out, quire_error *err)
{
    const struct entry *e = &s->index.list[i];
    const char *type = entry_type_name((enum entry_type)e->type);
    quire_bytes value;

    if (e->id_len)
        out->id = entry_id(e);
    if (e->parent != NONE)
        out->parent = entry_id(&s->index.list[e->parent]);
    if (type) {
        out->type = bytes_str(type);
    } else {
        value = json_get(out->json, "type");
        out->type = json_kind(value) == JSON_STRING ? json_text(value, &s->tmp)
                                                    : bytes_str("");
        if (!out->type.data)
            return err_memory(err);
    }
    if (e->flags & ENTRY_ORPHAN) {
        out->is_orphan = 1;
        value = json_get(out->json, "parentId");
        out->parent = json_text(value, &s->tmp);
        if (!out->parent.data)
            return err_memory(err);
    }
    return QUIRE_OK;
}

static quire_status fill_info(quire_session *s, const struct view *v,
                              uint32_t i, quire_entry *out, quire_error *err)
{
    quire_status st;

    memset(out, 0, sizeof *out);
    out->ordinal = i;
    s->n_missing = 0;
    st = tree_text(s, i, v->flags & QUIRE_HYDRATE, &out->json, err);
    if (!st)
        st = describe_entry(s, i, out, err);
    out->missing = s->n_missing;
    out->label = labels_get(&v->labels, i);
    out->is_leaf = i == s->leaf;
    out->on_path = v->on_path[i];
    return st;
}

/* ---- walks -------------------------------------------------------------- */

quire_status quire_session_entries(quire_session *s, unsigned flags,
                                   quire_entry_fn each, void *ctx,
                                   quire_error *err)
{
    quire_status st = tree_begin(s, err);
    struct view v;
    uint32_t i;

    if (st)
        return st;
    st = view_init(s, &v, flags, err);
    for (i = 0; !st && i < s->index.n; i++) {
        quire_entry e;

        st = fill_info(s, &v, i, &e, err);
        if (!st)
            st = each(ctx, &e, err);
    }
    session_leave(s);
    return st;
}

quire_status session_path(quire_session *s, const char *leaf, unsigned flags,
                          quire_entry_fn each, void *ctx, quire_error *err)
{
    uint32_t *path = NULL, n = 0, i, from;
    struct view v;
    quire_status st = tree_begin(s, err);

    if (st)
        return st;
    from = leaf ? session_find(s, leaf) : s->leaf;
    st = view_init(s, &v, flags, err);
    if (!st && leaf && from == NONE)
        st = QUIRE_NOT_FOUND;
    if (!st && from != NONE) {
        path = index_path(&s->index, from, &s->tmp, &n);
        if (!path)
            st = err_memory(err);
    }
    for (i = 0; !st && i < n; i++) {
        quire_entry e;

        st = fill_info(s, &v, path[i], &e, err);
        e.depth = i;
        if (!st)
            st = each(ctx, &e, err);
    }
    session_leave(s);
    return st;
}

/* Where the window begins, on a path of `n`. */
static quire_status place_window(quire_session *s, const uint32_t *path,
                                 uint32_t n, const quire_window_options *o,
                                 size_t *from)
{
    uint32_t at = o->at ? session_find(s, o->at) : NONE, i;

    *from = o->from < n ? o->from : n;
    if (!o->at)
        return QUIRE_OK;
    for (i = n; i > 0 && path[i - 1] != at;)
        i--;
    if (at == NONE || i == 0)
        return QUIRE_NOT_FOUND;
    *from = i - 1 > o->before ? i - 1 - o->before : 0;
    return QUIRE_OK;
}

/* Entries to list: numbers, and the position of the first. */
struct selection {
    const uint32_t *list;
    size_t n, from;
};

/* Read the lines once before the first entry is returned: a wrong quick scan shows
 * here. */
static quire_status check_selection(quire_session *s, const struct selection *x,
                                    quire_error *err)
{
    quire_status st = QUIRE_OK;
    quire_bytes line;
    size_t i;

    for (i = 0; !st && i < x->n; i++)
        st = load_line(s, x->list[i], &line, err);
    return st;
}

static quire_status walk_selection(quire_session *s, const struct view *v,
                                   const struct selection *x,
                                   quire_entry_fn each, void *ctx,
                                   quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; !st && i < x->n; i++) {
        quire_entry e;

        st = fill_info(s, v, x->list[i], &e, err);
        if (st)
            return st;
        e.depth = x->from + i;
        st = each(ctx, &e, err);
    }
    return st == QUIRE_CHANGED ? QUIRE_OK : st;
}

static quire_status select_window(quire_session *s,
                                  const quire_window_options *o, struct view *v,
                                  struct selection *x, quire_window *out,
                                  quire_error *err)
{
    uint32_t leaf = o->leaf ? session_find(s, o->leaf) : s->leaf, n = 0;
    uint32_t *path = NULL;
    quire_status st;

    arena_reset(&s->tmp);
    if (o->leaf && leaf == NONE)
        return QUIRE_NOT_FOUND;
    st = view_init(s, v, 0, err);
    if (!st && leaf != NONE) {
        path = index_path(&s->index, leaf, &s->tmp, &n);
        st = path ? QUIRE_OK : err_memory(err);
    }
    if (!st)
        st = place_window(s, path, n, o, &out->from);
    if (st)
        return st;
    out->n = n;
    *x = (struct selection){.n = n - out->from, .from = out->from};
    if (x->n > o->limit)
        x->n = o->limit;
    if (x->n)
        x->list = path + out->from;
    return check_selection(s, x, err);
}

quire_status session_window(quire_session *s, const quire_window_options *o,
                            quire_window *out, quire_entry_fn each, void *ctx,
                            quire_error *err)
{
    quire_status st = session_enter(s, err);
    struct selection x = {.n = 0};
    struct view v;

    *out = (quire_window){.n = 0};
    if (st)
        return st;
    st = load_refresh(s, err);
    if (!st) {
        do
            st = select_window(s, o, &v, &x, out, err);
        while (load_again(s, &st, err));
    }
    if (!st)
        st = walk_selection(s, &v, &x, each, ctx, err);
    session_leave(s);
    return st;
}

static quire_status select_ordinals(quire_session *s, const size_t *ordinals,
                                    size_t n, struct view *v,
                                    struct selection *x, quire_error *err)
{
    uint32_t *list;
    quire_status st;
    size_t i;

    arena_reset(&s->tmp);
    st = view_init(s, v, 0, err);
    if (st)
        return st;
    list = arena_array(&s->tmp, n + 1, sizeof *list);
    if (!list)
        return err_memory(err);
    for (i = 0; i < n; i++) {
        if (ordinals[i] >= s->index.n)
            return err_set(err, QUIRE_NOT_FOUND, "the session has no entry %zu",
                           ordinals[i]);
        list[i] = (uint32_t)ordinals[i];
    }
    *x = (struct selection){list, n, 0};
    return check_selection(s, x, err);
}

quire_status quire_session_entries_at(quire_session *s, const size_t *ordinals,
                                      size_t n, quire_entry_fn each, void *ctx,
                                      quire_error *err)
{
    quire_status st = session_enter(s, err);
    struct selection x = {.n = 0};
    struct view v;

    if (st)
        return st;
    st = load_refresh(s, err);
    if (!st) {
        do
            st = select_ordinals(s, ordinals, n, &v, &x, err);
        while (load_again(s, &st, err));
    }
    if (!st)
        st = walk_selection(s, &v, &x, each, ctx, err);
    session_leave(s);
    return st;
}

/* ---- downwards ---------------------------------------------------------- */

struct chain {
    uint32_t *first, *next; /* child of an entry, sibling of a child       */
    uint32_t *count;        /* of children                                 */
    uint32_t root;          /* first of the roots                          */
};

struct dated {
    uint32_t i;
    int64_t ms;
};

static int by_date(const void *a, const void *b)
{
    const struct dated *x = a, *y = b;

    if (x->ms != y->ms)
        return x->ms < y->ms ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

/* Sort a chain of siblings by their timestamps. */
static quire_status sort_siblings(quire_session *s, struct chain *c,
                                  uint32_t *head, uint32_t n, quire_error *err)
{
    struct dated *list = arena_array(&s->tmp, n, sizeof *list);
    uint32_t i = *head, k;

    if (!list)
        return err_memory(err);
    for (k = 0; k < n; k++, i = c->next[i]) {
        quire_bytes line;
        quire_status st = load_line(s, i, &line, err);

        if (st)
            return st;
        list[k].i = i;
        /* An entry without a time stays with the one before it. */
        if (!load_time(s, line, &list[k].ms))
            list[k].ms = k ? list[k - 1].ms : INT64_MIN;
    }
    qsort(list, n, sizeof *list, by_date);
    *head = list[0].i;
    for (k = 0; k < n; k++)
        c->next[list[k].i] = k + 1 < n ? list[k + 1].i : NONE;
    return QUIRE_OK;
}

static quire_status chain_build(quire_session *s, struct chain *c,
                                quire_error *err)
{
    const struct index *x = &s->index;
    size_t n = x->n + (size_t)1;
    uint8_t *cycles = index_cycles(x, &s->tmp);
    uint32_t i, n_roots = 0;
    quire_status st = QUIRE_OK;

    c->first = arena_array(&s->tmp, n, sizeof *c->first);
    c->next = arena_array(&s->tmp, n, sizeof *c->next);
    c->count = arena_array(&s->tmp, n, sizeof *c->count);
    if (!cycles || !c->first || !c->next || !c->count)
        return err_memory(err);
    memset(c->first, 0xff, n * sizeof *c->first);
    c->root = NONE;
    /* From the last to the first, so that each chain is in order. In a cycle
     * the first entry in the file has a parent behind it, and is cut off. */
    for (i = x->n; i-- > 0;) {
        uint32_t parent = x->list[i].parent;
        uint32_t *head;

        if (parent != NONE && cycles[i] && parent >= i)
            parent = NONE;
        head = parent == NONE ? &c->root : &c->first[parent];
        c->next[i] = *head;
        *head = i;
        if (parent == NONE)
            n_roots++;
        else
            c->count[parent]++;
    }
    if (n_roots > 1)
        st = sort_siblings(s, c, &c->root, n_roots, err);
    for (i = 0; !st && i < x->n; i++) {
        if (c->count[i] > 1)
            st = sort_siblings(s, c, &c->first[i], c->count[i], err);
    }
    return st;
}

/* Down first, then sideways; no recursion, since a session is a chain of tens
 * of thousands. */
static quire_status walk_down(quire_session *s, const struct view *v,
                              const struct chain *c, quire_entry_fn each,
                              void *ctx, quire_error *err)
{
    uint32_t *stack = arena_array(&s->tmp, s->index.n + (size_t)1,
                                  sizeof *stack);
    uint32_t i = c->root;
    size_t depth = 0;
    quire_status st = stack ? QUIRE_OK : err_memory(err);

    while (!st && i != NONE) {
        quire_entry e;

        st = fill_info(s, v, i, &e, err);
        e.depth = depth;
        e.children = c->count[i];
        if (!st)
            st = each(ctx, &e, err);
        if (c->first[i] != NONE) {
            stack[depth++] = i;
            i = c->first[i];
            continue;
        }
        while ((i = c->next[i]) == NONE && depth > 0)
            i = stack[--depth];
    }
    return st;
}

/* Lock and build the view; on success the caller unlocks. */
static quire_status chain_begin(quire_session *s, struct view *v,
                                struct chain *c, quire_error *err)
{
    quire_status st = tree_begin(s, err);

    if (st)
        return st;
    st = view_init(s, v, 0, err);
    if (!st)
        st = chain_build(s, c, err);
    if (st)
        session_leave(s);
    return st;
}

quire_status quire_session_tree(quire_session *s, quire_entry_fn each,
                                void *ctx, quire_error *err)
{
    struct chain c;
    struct view v;
    quire_status st = chain_begin(s, &v, &c, err);

    if (st)
        return st;
    st = walk_down(s, &v, &c, each, ctx, err);
    session_leave(s);
    return st;
}

quire_status session_children(quire_session *s, const char *parent,
                              quire_entry_fn each, void *ctx, quire_error *err)
{
    uint32_t i = NONE, at = NONE;
    struct chain c;
    struct view v;
    quire_status st = chain_begin(s, &v, &c, err);

    if (st)
        return st;
    if (parent && (at = session_find(s, parent)) == NONE)
        st = QUIRE_NOT_FOUND;
    if (!st)
        i = parent ? c.first[at] : c.root;
    for (; !st && i != NONE; i = c.next[i]) {
        quire_entry e;

        st = fill_info(s, &v, i, &e, err);
        e.children = c.count[i];
        if (!st)
            st = each(ctx, &e, err);
    }
    session_leave(s);
    return st;
}

static quire_status find_entry(quire_session *s, const char *id,
                               quire_entry *out, quire_error *err)
{
    uint32_t at = session_find(s, id);
    struct view v;
    quire_status st;

    arena_reset(&s->tmp);
    if (at == NONE)
        return QUIRE_NOT_FOUND;
    st = view_init(s, &v, 0, err);
    return st ? st : fill_info(s, &v, at, out, err);
}

quire_status session_entry(quire_session *s, const char *id, quire_entry *out,
                           quire_error *err)
{
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    st = load_refresh(s, err);
    if (!st) {
        /* Reading one entry does not justify a full parse of all. */
        do
            st = find_entry(s, id, out, err);
        while (load_again(s, &st, err));
    }
    session_leave(s);
    return st;
}

/* ---- references --------------------------------------------------------- */

struct ref_walk {
    quire_text_fn each;
    void *ctx;
};

static quire_status emit_ref(void *ctx, const quire_digest *digest,
                             quire_error *err)
{
    struct ref_walk *w = ctx;
    char ref[QUIRE_REF_SIZE];

    quire_ref_format(digest, ref);
    return w->each(w->ctx, ref, err);
}

quire_status quire_session_refs(quire_session *s, quire_text_fn each, void *ctx,
                                quire_error *err)
{
    struct ref_walk w = {each, ctx};
    quire_status st = tree_begin(s, err);
    uint32_t i;

    if (st)
        return st;
    for (i = 0; !st && i < s->index.n; i++) {
        quire_bytes line;

        /* All of them: a collection deletes what is unreferenced, and a
         * reference may be spelled with escapes. */
        st = load_line(s, i, &line, err);
        if (!st)
            st = persist_refs(line, emit_ref, &w, err);
    }
    session_leave(s);
    return st;
}
