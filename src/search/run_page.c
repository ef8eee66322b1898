/* run_page.c - the hits of a page: checked, grouped, and where it ends */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "search/run_priv.h"

static quire_status fill_hit(struct run *k, const struct candidate *c,
                             struct run_hit *hit, quire_error *err)
{
    struct segment *s = k->segments[c->segment];
    quire_status st = run_read_place(k, c, &hit->place, err);

    hit->engine = k->owner[c->segment];
    hit->score = (double)c->score;
    hit->tool = arena_dup(k->keep, segment_name(s, hit->place.tool));
    hit->model = arena_dup(k->keep, segment_name(s, hit->place.model));
    hit->key = run_key_of(k, c);
    hit->key.place_offset = hit->place.offset;
    hit->key.place_part = hit->place.part;
    if (!st && (!hit->tool.data || !hit->model.data))
        st = err_memory(err);
    return st;
}

/* Whether the text at the place matches: where words do not decide. */
static quire_status check_text(struct run *k, struct text_matcher *m,
                               const struct candidate *c, bool *yes,
                               quire_error *err)
{
    struct segment_text text;
    struct place place;
    quire_status st = run_read_place(k, c, &place, err);

    *yes = false;
    if (!st)
        st = k->r->read(k->r->ctx, k->owner[c->segment], &place, &text, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    return st ? st
              : text_matches(m, text.fields, N_FIELDS, yes, NULL, 0, NULL, err);
}

/* The groups of hits that match, while they are checked in order. */
struct checking {
    struct run *k;
    struct text_matcher *m;
    struct map groups;   /* number: how many hits, and ON_PAGE */
    struct arena memory; /* of their keys */
    size_t page;         /* hits or groups behind the cursor */
};

#define ON_PAGE ((uint64_t)1 << 63)

/* Whether it need not be checked any more: the page is full, and the hit neither of
 * a group on it nor among the best of one. */
static bool is_beyond(const struct checking *t, const struct candidate *c)
{
    const uint64_t *n;

    if (t->page <= t->k->r->limit)
        return false;
    if (t->k->r->flat)
        return true;
    n = map_get(&t->groups, bytes_of(&c->group, sizeof c->group));
    return !n || !(*n & ON_PAGE) || (*n & ~ON_PAGE) >= RUN_GROUP_HITS;
}

/* Count a hit that matches. */
static quire_status count_hit(struct checking *t, const struct candidate *c,
                              quire_error *err)
{
    quire_bytes key = bytes_of(&c->group, sizeof c->group);
    uint64_t *n, first = 1;

    if (t->k->r->flat) {
        t->page++;
        return QUIRE_OK;
    }
    n = map_get(&t->groups, key);
    if (n) {
        ++*n;
        return QUIRE_OK;
    }
    if (run_is_behind_cursor(t->k, c)) {
        t->page++;
        first |= ON_PAGE;
    }
    key = arena_dup(&t->memory, key);
    return key.data && map_put(&t->groups, key, first, NULL) ? QUIRE_OK
                                                             : err_memory(err);
}

static quire_status check_each(struct checking *t, size_t *kept, bool *all,
                               quire_error *err)
{
    struct run *k = t->k;
    struct candidate *list = run_found(k);
    size_t n = run_n_found(k), i;
    quire_status st = QUIRE_OK;
    bool yes;

    *all = true;
    for (i = 0; i < n && !st; i++) {
        if (is_beyond(t, &list[i])) {
            *all = false;
            if (k->r->flat)
                break;
            continue;
        }
        k->out->stopped = k->r->stop && k->r->stop(k->r->ctx);
        if (k->out->stopped)
            break;
        st = check_text(k, t->m, &list[i], &yes, err);
        if (st || !yes)
            continue;
        run_count_facets(k, &list[i]);
        st = count_hit(t, &list[i], err);
        list[(*kept)++] = list[i];
    }
    return st;
}

/* Keep the candidates that match, in order, until there are enough hits or groups
 * for a page and one more, and the best hits of these groups. Sets the total. */
quire_status run_check_candidates(struct run *k, quire_error *err)
{
    struct checking t = {.k = k};
    size_t kept = 0;
    bool all = false;
    quire_status st = text_matcher_new(k->r->plan, &t.m, err);

    map_init(&t.groups, (uint64_t)(uintptr_t)k, (uint64_t)(uintptr_t)&t);
    run_forget_facets(k);
    if (!st)
        st = run_sort_best(k, SIZE_MAX, err);
    if (!st)
        st = check_each(&t, &kept, &all, err);
    text_matcher_free(t.m);
    map_release(&t.groups);
    arena_release(&t.memory);
    k->found.len = kept * sizeof(struct candidate);
    k->total = kept;
    /* A page of hits that continues another has not seen those before it. */
    k->out->total_is_exact = all && !k->cut && !k->out->stopped &&
                             !(k->r->flat && k->r->cursor.set);
    return st;
}

quire_status run_emit_flat(struct run *k, quire_error *err)
{
    struct candidate *list = run_found(k);
    size_t n, i;
    quire_status st = QUIRE_OK;

    if (k->exact)
        st = run_sort_best(k,
                           k->r->limit < SIZE_MAX ? k->r->limit + 1 : SIZE_MAX,
                           err);
    if (st)
        return st;
    n = run_n_found(k);
    k->out->more = n > k->r->limit;
    n = n < k->r->limit ? n : k->r->limit;
    k->out->hits = arena_array(k->keep, n + 1, sizeof *k->out->hits);
    if (!k->out->hits)
        return err_memory(err);
    for (i = 0; i < n && !st; i++)
        st = fill_hit(k, &list[i], &k->out->hits[i], err);
    k->out->n = n;
    return st;
}

/* ---- groups ------------------------------------------------------------------------------ */

/* The hits of one group: its best ones, as indexes of candidates. */
struct group {
    uint32_t number;
    uint32_t n;
    uint32_t best[RUN_GROUP_HITS];
};

static size_t group_slot(const struct group *groups, size_t size,
                         uint32_t number)
{
    size_t at = (number * 2654435761u) & (size - 1);

    while (groups[at].n > 0 && groups[at].number != number)
        at = (at + 1) & (size - 1);
    return at;
}

static void add_to_group(struct run *k, struct group *g, uint32_t i)
{
    struct candidate *list = run_found(k);
    uint32_t at = g->n < RUN_GROUP_HITS ? g->n : RUN_GROUP_HITS, last;

    g->n++;
    while (at > 0 && run_compare(k, &list[i], &list[g->best[at - 1]]) < 0)
        at--;
    if (at == RUN_GROUP_HITS)
        return;
    last = g->n < RUN_GROUP_HITS ? g->n : RUN_GROUP_HITS;
    memmove(&g->best[at + 1], &g->best[at],
            (last - 1 - at) * sizeof g->best[0]);
    g->best[at] = i;
}

struct group_order {
    struct run *k;
    struct group *group;
};

static int by_best(const void *a, const void *b)
{
    const struct group_order *x = a, *y = b;
    struct candidate *list = run_found(x->k);

    return run_compare(x->k, &list[x->group->best[0]],
                       &list[y->group->best[0]]);
}

static quire_status emit_group(struct run *k, const struct group *g,
                               quire_error *err)
{
    struct candidate *list = run_found(k);
    uint32_t n = g->n < RUN_GROUP_HITS ? g->n : RUN_GROUP_HITS, i;
    quire_status st = QUIRE_OK;

    for (i = 0; i < n && !st; i++) {
        struct run_hit *hit = &k->out->hits[k->out->n++];

        st = fill_hit(k, &list[g->best[i]], hit, err);
        hit->in_group = i == 0 ? g->n : 0;
    }
    return st;
}

quire_status run_emit_groups(struct run *k, quire_error *err)
{
    struct candidate *list = run_found(k);
    size_t n = run_n_found(k), size = 16, n_groups = 0, i, emitted = 0;
    struct group *groups;
    struct group_order *order;
    quire_status st = QUIRE_OK;

    while (size < 2 * n + 2)
        size *= 2;
    groups = calloc(size, sizeof *groups);
    order = calloc(n + 1, sizeof *order);
    if (!groups || !order)
        st = err_memory(err);
    for (i = 0; i < n && !st; i++) {
        struct group *g = &groups[group_slot(groups, size, list[i].group)];

        if (g->n == 0)
            order[n_groups++] = (struct group_order){k, g};
        g->number = list[i].group;
        add_to_group(k, g, (uint32_t)i);
    }
    if (!st && n_groups > 1)
        qsort(order, n_groups, sizeof *order, by_best);
    i = n_groups < k->r->limit ? n_groups : k->r->limit;
    k->out->hits = arena_array(k->keep, i * RUN_GROUP_HITS + 1,
                               sizeof *k->out->hits);
    if (!st && !k->out->hits)
        st = err_memory(err);
    for (i = 0; i < n_groups && !st; i++) {
        if (!run_is_behind_cursor(k, &list[order[i].group->best[0]]))
            continue;
        k->out->more = emitted == k->r->limit;
        if (k->out->more)
            break;
        st = emit_group(k, order[i].group, err);
        emitted++;
    }
    free(order);
    free(groups);
    return st;
}

/* The cursor behind the last hit, or behind the last group. */
void run_set_cursor(struct run *k)
{
    struct run_result *out = k->out;
    size_t i = out->n, e;

    while (i > 0 && !k->r->flat && out->hits[i - 1].in_group == 0)
        i--;
    out->cursor.set = i > 0;
    if (i > 0)
        out->cursor.after = out->hits[i - 1].key;
    out->cursor.now_us = k->now_us;
    for (e = 0; e < k->r->n_engines; e++)
        out->cursor.texts[e] = k->texts[e];
}
