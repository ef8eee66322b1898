/* run_facets.c - count hits by kind, role, tool, model and source */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "search/run_priv.h"

/* Most hits of a source come one after the other; run_sum_facets() adds up the
 * rest. */
static void count_source(struct run *k, const struct candidate *c)
{
    struct run_source_count *list = (void *)k->sources.data, *last;
    struct run_source_count one = {k->owner[c->segment], c->source, 1};

    last = k->sources.len ? &list[k->sources.len / sizeof *list - 1] : NULL;
    if (last && last->engine == one.engine && last->source == one.source)
        last->n++;
    else
        buf_add(&k->sources, &one, sizeof one);
}

void run_count_facets(struct run *k, const struct candidate *c)
{
    const struct segment *s = k->segments[c->segment];
    struct run_place_names n = run_names_of(k, c);
    struct run_facets *f = &k->out->facets;

    if (PLACE_KIND(c->meta) < N_TEXT_KINDS)
        f->kinds[PLACE_KIND(c->meta)]++;
    f->roles[PLACE_ROLE(c->meta)]++;
    if (n.tool && n.tool <= s->n_names)
        k->names[c->segment].tool_counts[n.tool]++;
    if (n.model && n.model <= s->n_names)
        k->names[c->segment].model_counts[n.model]++;
    count_source(k, c);
}

/* Where texts are read to be sure, what was counted before is not. */
void run_forget_facets(struct run *k)
{
    struct run_facets *f = &k->out->facets;
    size_t i;

    memset(f->kinds, 0, sizeof f->kinds);
    memset(f->roles, 0, sizeof f->roles);
    buf_clear(&k->sources);
    for (i = 0; i < k->n_segments; i++) {
        size_t size = ((size_t)k->segments[i]->n_names + 1) * sizeof(uint64_t);

        memset(k->names[i].tool_counts, 0, size);
        memset(k->names[i].model_counts, 0, size);
    }
}

/* The most frequent first, then by name. */
static int by_count(const void *a, const void *b)
{
    const struct run_count *x = a, *y = b;
    size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    order = memcmp(x->name.data, y->name.data, len);
    return order ? order
                 : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

/* What the segments have counted, by name. `models`: those of models. */
struct summing {
    struct run *k;
    struct map known; /* number in the list */
    struct run_count *list;
    size_t n, cap;
};

static quire_status add_count(struct summing *t, quire_bytes name, uint64_t n,
                              quire_error *err)
{
    uint64_t *at = map_get(&t->known, name);
    struct run_count *more;

    if (at) {
        t->list[*at].n += n;
        return QUIRE_OK;
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 16;
        more = arena_array(t->k->keep, t->cap, sizeof *more);
        if (!more)
            return err_memory(err);
        if (t->n)
            memcpy(more, t->list, t->n * sizeof *more);
        t->list = more;
    }
    name = arena_dup(t->k->keep, name);
    if (!name.data || !map_put(&t->known, name, t->n, NULL))
        return err_memory(err);
    t->list[t->n++] = (struct run_count){name, n};
    return QUIRE_OK;
}

static quire_status sum_names(struct run *k, bool models,
                              struct run_count **list, size_t *n,
                              quire_error *err)
{
    struct summing t = {.k = k};
    quire_status st = QUIRE_OK;
    size_t i;
    uint32_t name;

    map_init(&t.known, (uint64_t)(uintptr_t)k, (uint64_t)(uintptr_t)k->keep);
    for (i = 0; i < k->n_segments; i++) {
        const struct segment *s = k->segments[i];
        const uint64_t *counts = models ? k->names[i].model_counts
                                        : k->names[i].tool_counts;

        for (name = 1; name <= s->n_names && !st; name++)
            if (counts[name])
                st = add_count(&t, s->names[name - 1], counts[name], err);
    }
    if (t.n > 1)
        qsort(t.list, t.n, sizeof *t.list, by_count);
    map_release(&t.known);
    *list = t.list;
    *n = t.n;
    return st;
}

static int by_source(const void *a, const void *b)
{
    const struct run_source_count *x = a, *y = b;

    if (x->engine != y->engine)
        return x->engine < y->engine ? -1 : 1;
    return (x->source > y->source) - (x->source < y->source);
}

static int by_hits(const void *a, const void *b)
{
    const struct run_source_count *x = a, *y = b;

    return x->n != y->n ? (x->n > y->n ? -1 : 1) : by_source(a, b);
}

static quire_status sum_sources(struct run *k, struct run_facets *f,
                                quire_error *err)
{
    struct run_source_count *from = (void *)k->sources.data, *to;
    size_t n = k->sources.len / sizeof *from, i;

    if (k->sources.failed)
        return err_memory(err);
    f->sources = to = arena_array(k->keep, n + 1, sizeof *to);
    if (!to)
        return err_memory(err);
    if (n > 1)
        qsort(from, n, sizeof *from, by_source);
    for (i = 0; i < n; i++) {
        if (f->n_sources && !by_source(&to[f->n_sources - 1], &from[i]))
            to[f->n_sources - 1].n += from[i].n;
        else
            to[f->n_sources++] = from[i];
    }
    if (f->n_sources > 1)
        qsort(to, f->n_sources, sizeof *to, by_hits);
    return QUIRE_OK;
}

/* Add up what each segment has counted. */
quire_status run_sum_facets(struct run *k, quire_error *err)
{
    struct run_facets *f = &k->out->facets;
    quire_status st;

    if (!k->r->facets)
        return QUIRE_OK;
    st = sum_names(k, false, &f->tools, &f->n_tools, err);
    if (!st)
        st = sum_names(k, true, &f->models, &f->n_models, err);
    return st ? st : sum_sources(k, f, err);
}
