/* graph.c - see graph.h */
#include "view/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

/* ---- heads -------------------------------------------------------------- */

struct loading {
    struct view_graph *g;
    size_t cap;
};

static quire_status add_head(void *ctx, const quire_head *head,
                             quire_error *err)
{
    struct loading *l = ctx;
    struct view_graph *g = l->g;

    if (g->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 256;
        quire_head *grown = realloc(g->list, cap * sizeof *grown);

        if (!grown)
            return err_memory(err);
        g->list = grown;
        l->cap = cap;
    }
    g->list[g->n] = *head;
    if (head->id.data) {
        quire_bytes id = arena_dup(&g->keep, head->id);

        if (!id.data)
            return err_memory(err);
        g->list[g->n].id = id;
    }
    g->n++;
    return QUIRE_OK;
}

static size_t find_entry(const struct view_graph *g, const char *id)
{
    size_t i;

    for (i = g->n; i-- > 0;)
        if (bytes_is(g->list[i].id, id))
            return i;
    return VIEW_NONE;
}

/* From the leaf to a root, then turned round. In a cycle it ends after n entries. */
static quire_status find_path(struct view_graph *g, quire_error *err)
{
    size_t at, i;

    g->path = arena_array(&g->keep, g->n + 1, sizeof *g->path);
    g->children = arena_array(&g->keep, g->n + 1, sizeof *g->children);
    if (!g->path || !g->children)
        return err_memory(err);
    for (at = g->leaf; at != VIEW_NONE && g->n_path < g->n;
         at = g->list[at].parent)
        g->path[g->n_path++] = at;
    for (i = 0; i < g->n_path / 2; i++) {
        size_t other = g->path[g->n_path - 1 - i];

        g->path[g->n_path - 1 - i] = g->path[i];
        g->path[i] = other;
    }
    for (i = 0; i < g->n; i++)
        if (g->list[i].parent != VIEW_NONE)
            g->children[g->list[i].parent]++;
    return QUIRE_OK;
}

quire_status view_graph_load(struct view_graph *g, quire_session *s,
                             const char *leaf, quire_error *err)
{
    struct loading l = {.g = g};
    quire_heads_info info;
    quire_status st;

    *g = (struct view_graph){.session = s, .keep = ARENA_INIT};
    st = quire_session_heads(s, 0, &info, add_head, &l, err);
    if (st)
        return st;
    g->leaf = leaf ? find_entry(g, leaf) : info.leaf;
    if (leaf && g->leaf == VIEW_NONE)
        return err_fail(err, QUIRE_NOT_FOUND, "heads of the session list ids",
                        "the session has no entry %.64s", leaf);
    return find_path(g, err);
}

void view_graph_release(struct view_graph *g)
{
    free(g->list);
    arena_release(&g->keep);
}

const char *view_kind(const quire_head *h)
{
    if (view_is_role(h, "toolResult") || view_is_role(h, "bashExecution") ||
        view_is_role(h, "pythonExecution"))
        return "tool";
    if (view_is_role(h, "user") || view_is_role(h, "assistant"))
        return h->role;
    return !strcmp(h->type, "compaction")       ? "compaction"
           : !strcmp(h->type, "branch_summary") ? "summary"
                                                : "other";
}

/* ---- previews ----------------------------------------------------------- */

enum { PREVIEW_BYTES = 160 };

/* The first text of the content: a string, or that of a block. */
static quire_bytes first_text(quire_bytes content)
{
    struct json_scan it;
    quire_bytes text;

    if (json_kind(content) == JSON_STRING)
        return content;
    if (json_kind(content) != JSON_ARRAY)
        return json_get(content, "text");
    json_iter_init(&it, content);
    while (json_next(&it)) {
        text = json_get(it.value, "text");
        if (json_kind(text) == JSON_STRING && text.len > 2)
            return text;
    }
    return bytes_of(NULL, 0);
}

static quire_bytes text_of(const quire_entry *e)
{
    quire_bytes message = json_get(e->json, "message");
    quire_bytes text = first_text(json_get(message, "content"));
    static const char *const others[] = {"command", "code", NULL};
    static const char *const outside[] = {"summary", "label", "title", "name",
                                          NULL};
    int i;

    for (i = 0; json_kind(text) != JSON_STRING && others[i]; i++)
        text = json_get(message, others[i]);
    if (json_kind(text) != JSON_STRING)
        text = first_text(json_get(e->json, "content"));
    for (i = 0; json_kind(text) != JSON_STRING && outside[i]; i++)
        text = json_get(e->json, outside[i]);
    return text;
}

/* Runs of white space and control characters become one blank. */
static void add_one_line(struct buf *out, quire_bytes text)
{
    bool blank = true;

    while (text.len > 0 && out->len < PREVIEW_BYTES) {
        uint32_t cp;
        size_t n = utf8_decode(text, &cp, NULL);

        if (cp <= 0x20 || cp == 0x7f) {
            if (!blank)
                buf_add_char(out, ' ');
            blank = true;
        } else {
            buf_add(out, text.data, n);
            blank = false;
        }
        text = bytes_sub(text, n, text.len);
    }
}

void view_put_preview(struct json_writer *w, const quire_entry *e)
{
    quire_bytes value = text_of(e);
    struct buf whole = BUF_INIT(4 * PREVIEW_BYTES * 6),
               line = BUF_INIT(PREVIEW_BYTES * 4);

    if (json_kind(value) == JSON_STRING) {
        struct buf cut = BUF_INIT(16 * PREVIEW_BYTES);
        size_t end = json_cut_utf16(value, 2 * PREVIEW_BYTES);

        /* A slice with quotes is a string again. */
        buf_add(&cut, value.data, end);
        buf_add_char(&cut, '"');
        json_decode(buf_bytes(&cut), &whole);
        buf_release(&cut);
        add_one_line(&line, buf_bytes(&whole));
    }
    json_put_bytes(w, "text", buf_bytes(&line));
    buf_release(&whole);
    buf_release(&line);
}
