/*
 * graph.c - the graph of entries and relations
 *
 * The nodes come first, as a list of ids and a set for membership. The whole
 * graph has them from one walk over the list; the neighbourhood of an entry
 * grows in rings, by a breadth-first search:
 *
 *     nodes   [ centre | ring 1 . . . | ring 2 . . . . . ]
 *                        ^ expanded     ^ found by it
 *
 * Then each entry is emitted, and each relation that begins at a node and ends
 * at one. All in one read transaction: the relations are those of the entries
 * that were emitted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "memory/priv.h"

struct graph {
    struct memories *m;
    int64_t tenant;
    const quire_graph_options *o;
    struct arena keep; /* the keys of `known`, and the list */
    struct map known;
    int64_t *ids;
    size_t n, cap;
    int64_t from; /* the node being expanded */
    quire_relation *relations;
    size_t n_relations, cap_relations;
};

static bool is_full(const struct graph *g)
{
    return g->o->max_nodes && g->n >= g->o->max_nodes;
}

static bool is_known(const struct graph *g, int64_t id)
{
    return map_get(&g->known, bytes_of(&id, sizeof id)) != NULL;
}

/* Grow a list by one element of `size` bytes. */
static bool grow_list(void **list, size_t n, size_t *cap, size_t size,
                      struct arena *keep)
{
    void *more;

    if (n < *cap)
        return true;
    more = arena_array(keep, 2 * *cap + 64, size);
    if (!more)
        return false;
    if (n)
        memcpy(more, *list, n * size);
    *list = more;
    *cap = 2 * *cap + 64;
    return true;
}

static quire_status add_node(struct graph *g, int64_t id, quire_error *err)
{
    quire_bytes key;

    if (is_known(g, id) || is_full(g))
        return QUIRE_OK;
    key = arena_dup(&g->keep, bytes_of(&id, sizeof id));
    if (!key.data ||
        !grow_list((void **)&g->ids, g->n, &g->cap, sizeof *g->ids, &g->keep) ||
        !map_put(&g->known, key, g->n, NULL))
        return err_memory(err);
    g->ids[g->n++] = id;
    return QUIRE_OK;
}

/* ---- nodes -------------------------------------------------------------- */

static quire_status add_listed(void *ctx, const quire_memory *entry,
                               quire_error *err)
{
    return add_node(ctx, entry->id, err);
}

static quire_status find_all(struct graph *g, quire_error *err)
{
    struct memory_range all = {
        .tenant = g->tenant,
        .types = g->o->types,
        .limit = g->o->max_nodes,
    };

    return memory_list(g->m, &all, add_listed, g, err);
}

/* The other end of a relation, if it is valid and of the types asked for. */
static quire_status add_neighbour(void *ctx, const quire_relation *r,
                                  quire_error *err)
{
    struct graph *g = ctx;
    int64_t id = r->source == g->from ? r->target : r->source;
    struct arena tmp = ARENA_INIT;
    quire_memory one;
    quire_status st;

    if (is_full(g))
        return QUIRE_STOPPED;
    if (is_known(g, id))
        return QUIRE_OK;
    st = memory_get(g->m, g->tenant, id, 0, &tmp, &one, err);
    if (!st && (!g->o->types || (g->o->types & 1u << one.type)))
        st = add_node(g, id, err);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status find_around(struct graph *g, quire_error *err)
{
    quire_memory centre;
    quire_status st = memory_get(g->m, g->tenant, g->o->around, 0, &g->keep,
                                 &centre, err);
    size_t asked = 0, ring_end;
    unsigned depth;

    if (!st)
        st = add_node(g, centre.id, err);
    for (depth = 0; !st && depth < g->o->depth && asked < g->n; depth++) {
        for (ring_end = g->n; !st && asked < ring_end; asked++) {
            struct relation_range at = {
                .tenant = g->tenant,
                .either = g->ids[asked],
                .kind = -1,
            };

            g->from = g->ids[asked];
            st = relation_list(g->m, &at, add_neighbour, g, err);
        }
    }
    return st == QUIRE_STOPPED ? QUIRE_OK : st;
}

/* ---- relations ---------------------------------------------------------- */

static quire_status add_relation(void *ctx, const quire_relation *r,
                                 quire_error *err)
{
    struct graph *g = ctx;

    if (!is_known(g, r->source) || !is_known(g, r->target))
        return QUIRE_OK;
    if (!grow_list((void **)&g->relations, g->n_relations, &g->cap_relations,
                   sizeof *g->relations, &g->keep))
        return err_memory(err);
    g->relations[g->n_relations++] = *r;
    return QUIRE_OK;
}

static int by_id(const void *a, const void *b)
{
    const quire_relation *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* One walk over all relations, or one query for each of a few nodes. */
static quire_status find_relations(struct graph *g, quire_error *err)
{
    struct relation_range range = {.tenant = g->tenant, .kind = -1};
    quire_status st = QUIRE_OK;
    size_t i;

    if (!g->o->around)
        st = relation_list(g->m, &range, add_relation, g, err);
    for (i = 0; g->o->around && i < g->n && !st; i++) {
        range.source = g->ids[i];
        st = relation_list(g->m, &range, add_relation, g, err);
    }
    if (!st && g->n_relations)
        qsort(g->relations, g->n_relations, sizeof *g->relations, by_id);
    return st;
}

/* ---- output ------------------------------------------------------------- */

static quire_status emit_graph(struct graph *g, quire_memory_fn each_entry,
                               quire_relation_fn each_relation, void *ctx,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;
    quire_memory one;
    size_t i;

    for (i = 0; i < g->n && !st; i++) {
        arena_reset(&tmp);
        st = memory_get(g->m, g->tenant, g->ids[i], 0, &tmp, &one, err);
        if (!st)
            st = each_entry(ctx, &one, err);
    }
    for (i = 0; i < g->n_relations && !st && each_relation; i++)
        st = each_relation(ctx, &g->relations[i], err);
    arena_release(&tmp);
    return st;
}

quire_status memory_graph(struct memories *m, int64_t tenant,
                          const quire_graph_options *o,
                          quire_memory_fn each_entry,
                          quire_relation_fn each_relation, void *ctx,
                          quire_error *err)
{
    struct graph g = {.m = m, .tenant = tenant, .o = o, .keep = ARENA_INIT};
    quire_status st = db_begin(m->db, DB_LOOK, tenant, err);

    if (st)
        return st;
    /* Ids are our own numbers: they cannot be chosen to collide. */
    map_init(&g.known, 0, 0);
    st = o->around ? find_around(&g, err) : find_all(&g, err);
    if (!st)
        st = find_relations(&g, err);
    if (!st)
        st = emit_graph(&g, each_entry, each_relation, ctx, err);
    db_rollback(m->db);
    map_release(&g.known);
    arena_release(&g.keep);
    return st;
}
