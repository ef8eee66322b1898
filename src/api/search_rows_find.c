/*
 * search_rows_find.c - rows whose words match, for modules that rank them themselves
 *
 * In two steps: search_rows_update() may take memory of q->loan, search_rows_find() only
 * reads the index.
 */
#include "api/search.h"
#include "base/err.h"

quire_status search_rows_update(struct quire *q, quire_error *err)
{
    struct search_index *x;
    quire_status st = need_search(q, SEARCH_ROWS, &x, err);

    if (!st)
        st = search_update(x, false, NULL, err);
    /* A damaged index is built anew, once. */
    if (st == QUIRE_DAMAGED && !search_rows_are_damaged(q) &&
        q->search[SEARCH_ROWS] && !x->fixed &&
        !search_index_remove(q->search[SEARCH_ROWS], NULL)) {
        st = need_search(q, SEARCH_ROWS, &x, err);
        if (!st)
            st = search_update(x, false, NULL, err);
    }
    return st;
}

/* Texts need not be read: a row that has changed since is not a hit any more. */
static quire_status read_row_text(void *ctx, size_t engine,
                                  const struct place *place,
                                  struct segment_text *out, quire_error *err)
{
    struct search_index *x = ctx;
    struct engine *engines[RUN_ENGINES_MAX] = {NULL};
    struct arena tmp = ARENA_INIT;
    struct source source;
    quire_status st;

    search_engines(x, engines);
    st = search_read_text(x, engines[engine], place, &source, out, NULL, &tmp,
                          err);
    arena_release(&tmp);
    return st;
}

static quire_status take_hits(const struct run_result *from, struct arena *keep,
                              struct search_row_hit **out, size_t *n,
                              quire_error *err)
{
    size_t i;

    *out = arena_array(keep, from->n + 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (i = 0; i < from->n; i++)
        (*out)[i] = (struct search_row_hit){(int64_t)from->hits[i].place.offset,
                                            from->hits[i].score};
    *n = from->n;
    return QUIRE_OK;
}

quire_status search_rows_find(struct quire *q,
                              const struct search_rows_query *want,
                              struct arena *keep, struct search_row_hit **out,
                              size_t *n, quire_error *err)
{
    struct search_index *x = q->search[SEARCH_ROWS];
    struct run_result result = {.n = 0};
    struct plan *plan = NULL;
    struct run_request r = {.n_engines = RUN_ENGINES_MAX,
                            .kinds = 1u << want->kind,
                            .versions = want->older,
                            .words_score = true,
                            .flat = true,
                            .limit = want->max,
                            .now_us = clock_us(&q->clock),
                            .read = read_row_text,
                            .ctx = x};
    quire_status st = search_plan_new(want->tree, RELAX_NONE, keep, &plan, err);

    *n = 0;
    r.plan = plan;
    search_engines(x, r.engines);
    r.one_group = want->key != NULL;
    r.group = want->key ? search_group(want->key) : 0;
    if (!st && plan)
        st = search_run(&r, keep, &result, err);
    search_plan_release(plan);
    return st ? st : take_hits(&result, keep, out, n, err);
}
