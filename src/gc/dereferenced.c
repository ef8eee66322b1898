/*
 * dereferenced.c - keys that lost their last reference
 *
 * The reference index records them in the transaction in which their count
 * became 0, until they have been judged. So a run that ends in between, or
 * notices late, leaves them to the next one, with the time from which their
 * grace time runs.
 */
#include <stdlib.h>

#include "base/err.h"
#include "gc/priv.h"

static int compare_keys(const void *a, const void *b)
{
    const struct dereferenced_key *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->since_s < y->since_s ? -1 : x->since_s > y->since_s;
}

quire_status gc_dereferenced_add(void *ctx, const struct dereferenced_key *one,
                                 quire_error *err)
{
    struct gc_dereferenced *l = ctx;
    struct dereferenced_key *more;

    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        more = realloc(l->list, l->cap * sizeof *more);
        if (!more)
            return err_memory(err);
        l->list = more;
    }
    l->list[l->n++] = *one;
    return QUIRE_OK;
}

/* Sort and deduplicate; of several times the last counts. */
void gc_dereferenced_sort(struct gc_dereferenced *l)
{
    size_t i, n = 0;

    if (l->n == 0)
        return;
    qsort(l->list, l->n, sizeof *l->list, compare_keys);
    for (i = 0; i < l->n; i++)
        if (i + 1 == l->n || l->list[i].key != l->list[i + 1].key)
            l->list[n++] = l->list[i];
    l->n = n;
}

bool gc_dereferenced_since(const struct gc_dereferenced *l, uint64_t key,
                           int64_t *since_s)
{
    size_t from = 0, to = l->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (l->list[middle].key == key) {
            *since_s = l->list[middle].since_s;
            return true;
        }
        if (l->list[middle].key < key)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

void gc_dereferenced_release(struct gc_dereferenced *l)
{
    free(l->list);
    *l = (struct gc_dereferenced){NULL, 0, 0};
}
