/*
 * graph.h - the heads of a session as a tree in memory
 *
 * For one request. Ids lend from the arena; names of types, roles, tools and models
 * from the session.
 */
#ifndef VIEW_GRAPH_H
#define VIEW_GRAPH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/json.h"
#include "quire.h"

#define VIEW_NONE SIZE_MAX

struct view_graph {
    quire_session *session;
    quire_head *list;   /* by ordinal */
    uint32_t *children; /* how many, by ordinal */
    size_t n;
    size_t leaf; /* the one asked for, or the current one; VIEW_NONE: none    */
    size_t *path;
    size_t n_path;
    struct arena keep;
};

/* Load the heads, and the path down to `leaf` (NULL: the current leaf).
 * QUIRE_NOT_FOUND: no such entry. Release it in any case. */
quire_status view_graph_load(struct view_graph *g, quire_session *s,
                             const char *leaf, quire_error *err);
void view_graph_release(struct view_graph *g);

static inline bool view_is_role(const quire_head *h, const char *role)
{
    return !strcmp(h->role, role);
}

/* What a person typed. */
static inline bool view_is_prompt(const quire_head *h)
{
    return view_is_role(h, "user") && !(h->flags & QUIRE_HEAD_HIDDEN);
}

/* "user", "assistant", "tool", "compaction", "summary", or "other". */
const char *view_kind(const quire_head *h);

/* Write the member `text`: the beginning of an entry's text, in one line. */
void view_put_preview(struct json_writer *w, const quire_entry *e);

#endif
