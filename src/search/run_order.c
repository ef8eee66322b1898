/* run_order.c - the order of hits */
#include <stdlib.h>

#include "base/err.h"
#include "search/run_priv.h"

enum { FEW = 64 };

/* The better first. */
static int compare_keys(enum run_sort sort, const struct run_key *a,
                        const struct run_key *b)
{
    int sign = sort == RUN_OLDEST ? -1 : 1;

    if (sort == RUN_RANK && a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->time != b->time)
        return a->time > b->time ? -sign : sign;
    if (a->text != b->text)
        return a->text > b->text ? -sign : sign;
    if (a->source != b->source)
        return a->source > b->source ? -sign : sign;
    if (a->offset != b->offset)
        return a->offset > b->offset ? -sign : sign;
    return a->part == b->part ? 0 : a->part > b->part ? -sign : sign;
}

/* Places of one text differ in their source, or in where they are in it. The place of
 * its own comes first: its offset is not in memory. None of this changes when segments
 * are merged. */
struct run_key run_key_of(const struct run *k, const struct candidate *c)
{
    const struct place *extra =
        c->extra ? &k->segments[c->segment]->extra[c->extra - 1] : NULL;

    return (struct run_key){.score = (double)c->score,
                            .time = c->time,
                            .text = c->text,
                            .source = c->source,
                            .offset = extra ? extra->offset + 1 : 0,
                            .part = extra ? extra->part : 0,
                            .group = c->group};
}

/* The better first. */
int run_compare(const struct run *k, const struct candidate *a,
                const struct candidate *b)
{
    enum run_sort sort = k->r->sort;
    int sign = sort == RUN_OLDEST ? -1 : 1;
    struct run_key x, y;

    if (sort == RUN_RANK && a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->time != b->time)
        return a->time > b->time ? -sign : sign;
    if (a->text != b->text)
        return a->text > b->text ? -sign : sign;
    /* Places of one text. */
    x = run_key_of(k, a);
    y = run_key_of(k, b);
    return compare_keys(sort, &x, &y);
}

static int by_order(const void *a, const void *b, void *k)
{
    return run_compare(k, a, b);
}

bool run_is_behind_cursor(const struct run *k, const struct candidate *c)
{
    struct run_key key = run_key_of(k, c);

    return !k->r->cursor.set || compare_keys(k->r->sort, &key, &k->after) > 0;
}

/* Restore the heap below `at`: every element is at least as bad as its children. */
static void sift_down(const struct run *k, struct candidate *heap, size_t n,
                      size_t at)
{
    struct candidate moved = heap[at];
    size_t kid;

    while ((kid = 2 * at + 1) < n) {
        if (kid + 1 < n && run_compare(k, &heap[kid + 1], &heap[kid]) > 0)
            kid++;
        if (run_compare(k, &heap[kid], &moved) <= 0)
            break;
        heap[at] = heap[kid];
        at = kid;
    }
    heap[at] = moved;
}

/* A heap of the best so far, with the worst of them at its root. */
void run_select_best(struct run *k, size_t n)
{
    struct candidate *list = run_found(k), swap;
    size_t count = run_n_found(k), i;

    if (n >= count || n == 0)
        return;
    /* Those that were added last are often the newest: then each of the others is
     * compared once. */
    for (i = 0; k->r->sort == RUN_NEWEST && i < n && 2 * n <= count; i++) {
        swap = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = swap;
    }
    for (i = n / 2; i-- > 0;)
        sift_down(k, list, n, i);
    for (i = n; i < count; i++) {
        if (run_compare(k, &list[i], &list[0]) >= 0)
            continue;
        swap = list[0];
        list[0] = list[i];
        list[i] = swap;
        sift_down(k, list, n, 0);
    }
}

static int by_number(const void *a, const void *b, void *k)
{
    const struct candidate *list = run_found(k);

    return run_compare(k, &list[*(const uint32_t *)a],
                       &list[*(const uint32_t *)b]);
}

/* Put list[order[i]] at i; consumes `order`. */
static void rearrange(struct candidate *list, uint32_t *order, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        struct candidate first = list[i];
        size_t at = i, from;

        while ((from = order[at]) != i) {
            list[at] = list[from];
            order[at] = (uint32_t)at;
            at = from;
        }
        list[at] = first;
        order[at] = (uint32_t)at;
    }
}

/* qsort() takes a copy of what it sorts: numbers, where there are many. */
static quire_status sort_found(struct run *k, size_t n, quire_error *err)
{
    uint32_t *order;
    size_t i;

    if (n <= FEW) {
        if (n > 1)
            qsort_r(run_found(k), n, sizeof(struct candidate), by_order, k);
        return QUIRE_OK;
    }
    order = malloc(n * sizeof *order);
    if (!order)
        return err_memory(err);
    for (i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, n, sizeof *order, by_number, k);
    rearrange(run_found(k), order, n);
    free(order);
    return QUIRE_OK;
}

quire_status run_sort_best(struct run *k, size_t n, quire_error *err)
{
    size_t count = run_n_found(k);

    if (n < count / 4) {
        run_select_best(k, n);
        count = n;
    }
    return sort_found(k, count, err);
}
