/*
 * search_facets.c - counts of hits by name: kinds, roles, tools, models, and the
 * projects and agents of their sources
 *
 * Projects and agents are those of the sources with most hits, up to SOURCES_MAX: each
 * is looked up, and a list of counts must not cost more than the search.
 */
#include <stdlib.h>
#include <string.h>

#include "api/search.h"
#include "api/search_query.h"
#include "base/bytes.h"
#include "base/err.h"
#include "search/engine.h"

enum { SOURCES_MAX = 4000, NAMES_MAX = 200 };

/* Counts of one facet. Names and counts are in `keep` of the query. */
struct tally {
    struct search_query *k;
    struct map known; /* number in `list` */
    quire_search_count *list;
    size_t n;
};

static quire_status add_name(struct tally *t, const char *facet,
                             const char *name, uint64_t n, quire_error *err)
{
    uint64_t *at;

    if (!*name)
        return QUIRE_OK;
    at = map_get(&t->known, bytes_str(name));
    if (at) {
        t->list[*at].n += n;
        return QUIRE_OK;
    }
    name = arena_text(t->k->keep, bytes_str(name));
    if (!name || !map_put(&t->known, bytes_str(name), t->n, NULL))
        return err_memory(err);
    t->list[t->n++] = (quire_search_count){facet, name, n};
    return QUIRE_OK;
}

static int by_count(const void *a, const void *b)
{
    const quire_search_count *x = a, *y = b;

    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->name, y->name);
}

/* The most frequent names go to `out`. */
static void take_names(struct tally *t, quire_search_result *out,
                       quire_search_count *list)
{
    size_t i;

    if (t->n > 1)
        qsort(t->list, t->n, sizeof *t->list, by_count);
    for (i = 0; i < t->n && i < NAMES_MAX; i++)
        list[out->n_counts++] = t->list[i];
}

static quire_status tally_source(struct search_query *k,
                                 const struct run_source_count *c,
                                 struct tally *projects, struct tally *agents,
                                 quire_error *err)
{
    struct source s;
    quire_status st;

    arena_reset(&k->tmp);
    st = engine_source(k->request.engines[c->engine], c->source, &k->tmp, &s,
                       err);
    if (st == QUIRE_NOT_FOUND) /* removed meanwhile */
        return QUIRE_OK;
    if (!st)
        st = add_name(projects, "project", s.project, c->n, err);
    return st ? st : add_name(agents, "agent", s.agent, c->n, err);
}

static quire_status list_sources(struct search_query *k,
                                 const struct run_facets *f,
                                 quire_search_result *out,
                                 quire_search_count *list, quire_error *err)
{
    size_t n = f->n_sources < SOURCES_MAX ? f->n_sources : SOURCES_MAX, i;
    struct tally tallies[2] = {{.k = k}, {.k = k}};
    quire_status st = QUIRE_OK;

    for (i = 0; i < 2; i++) {
        map_init(&tallies[i].known, (uint64_t)(uintptr_t)k, i);
        tallies[i].list = arena_array(k->keep, n + 1, sizeof *list);
        if (!tallies[i].list)
            st = err_memory(err);
    }
    for (i = 0; i < n && !st; i++)
        st = tally_source(k, &f->sources[i], &tallies[0], &tallies[1], err);
    for (i = 0; i < 2; i++) {
        if (!st)
            take_names(&tallies[i], out, list);
        map_release(&tallies[i].known);
    }
    return st;
}

static quire_status add_count(struct search_query *k, quire_search_count *list,
                              size_t *n, const char *facet, quire_bytes name,
                              uint64_t count, quire_error *err)
{
    if (count == 0)
        return QUIRE_OK;
    list[*n] = (quire_search_count){facet, arena_text(k->keep, name), count};
    return list[(*n)++].name ? QUIRE_OK : err_memory(err);
}

quire_status search_list_counts(struct search_query *k,
                                const struct run_facets *f,
                                quire_search_result *out, quire_error *err)
{
    size_t max = N_TEXT_KINDS + N_TEXT_ROLES + f->n_tools + f->n_models +
                 2 * NAMES_MAX,
           i;
    quire_search_count *list = arena_array(k->keep, max + 1, sizeof *list);
    quire_status st = list ? QUIRE_OK : err_memory(err);

    for (i = 0; i < N_TEXT_KINDS && !st; i++)
        st = add_count(k, list, &out->n_counts, "kind",
                       bytes_str(text_kind_name((enum text_kind)i)),
                       f->kinds[i], err);
    for (i = 1; i < N_TEXT_ROLES && !st; i++)
        st = add_count(k, list, &out->n_counts, "role",
                       bytes_str(text_role_name((enum text_role)i)),
                       f->roles[i], err);
    for (i = 0; i < f->n_tools && !st; i++)
        st = add_count(k, list, &out->n_counts, "tool", f->tools[i].name,
                       f->tools[i].n, err);
    for (i = 0; i < f->n_models && !st; i++)
        st = add_count(k, list, &out->n_counts, "model", f->models[i].name,
                       f->models[i].n, err);
    if (!st)
        st = list_sources(k, f, out, list, err);
    out->counts = list;
    return st;
}
