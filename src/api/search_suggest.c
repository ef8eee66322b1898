/*
 * search_suggest.c - words of the index that begin with some letters
 *
 * Only what occurs in a place that exists is suggested: a word of a removed text stays
 * in its segment until a merge.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/search.h"
#include "base/bytes.h"
#include "base/err.h"
#include "search/tokenizer.h"

struct suggestion {
    char word[SEGMENT_TERM_MAX + 1];
    uint64_t n;
};

struct suggesting {
    quire_bytes prefix;
    struct suggestion *list;
    size_t n, cap;
};

static quire_status add_suggestion(struct suggesting *k, quire_bytes name,
                                   uint64_t n, quire_error *err)
{
    struct suggestion *more;
    size_t i;

    for (i = 0; i < k->n; i++) {
        if (bytes_is(name, k->list[i].word)) {
            k->list[i].n += n;
            return QUIRE_OK;
        }
    }
    if (k->n == k->cap) {
        more = realloc(k->list, (2 * k->cap + 16) * sizeof *more);
        if (!more)
            return err_memory(err);
        k->list = more;
        k->cap = 2 * k->cap + 16;
    }
    snprintf(k->list[k->n].word, sizeof k->list[0].word, "%.*s", (int)name.len,
             (const char *)name.data);
    k->list[k->n++].n = n;
    return QUIRE_OK;
}

/* Only what occurs in a place that exists is suggested. */
struct suggesting_in {
    struct suggesting *all;
    struct engine *e;
    struct segment *s;
};

static quire_status count_live(struct suggesting_in *k, const struct term *t,
                               uint64_t *n, quire_error *err)
{
    uint32_t *docs = malloc((t->n_docs + (size_t)1) * sizeof *docs), i;
    quire_status st = docs ? segment_load_columns(k->s, err) : err_memory(err);

    *n = 0;
    if (!st)
        st = segment_read_docs(k->s, t, docs, NULL, err);
    for (i = 0; i < t->n_docs && !st; i++)
        *n += engine_is_live(k->e, k->s->sources[docs[i]]);
    free(docs);
    return st;
}

enum { SUGGEST_TERMS = 2000 };

static quire_status suggest_term(void *ctx, quire_bytes name,
                                 const struct term *t, bool *more,
                                 quire_error *err)
{
    struct suggesting_in *k = ctx;
    uint64_t n = 0;
    quire_status st;

    *more = bytes_starts(name, k->all->prefix) && k->all->n < SUGGEST_TERMS;
    if (!*more)
        return QUIRE_OK;
    st = count_live(k, t, &n, err);
    return st || n == 0 ? st : add_suggestion(k->all, name, n, err);
}

static int by_frequency(const void *a, const void *b)
{
    const struct suggestion *x = a, *y = b;

    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return strcmp(x->word, y->word);
}

static quire_status suggest_of(struct suggesting *k, struct engine *e,
                               quire_error *err)
{
    struct segment *const *segments;
    size_t n = e ? engine_segments(e, &segments) : 0, i;
    quire_status st = QUIRE_OK;

    for (i = 0; i < n && !st; i++)
        st = segment_terms(segments[i], k->prefix, suggest_term,
                           &(struct suggesting_in){k, e, segments[i]}, err);
    return st;
}

quire_status quire_search_suggest(quire *q, quire_bytes prefix, uint64_t limit,
                                  quire_text_fn each, void *ctx,
                                  quire_error *err)
{
    struct engine *engines[RUN_ENGINES_MAX] = {NULL};
    struct buf folded = BUF_INIT(4096);
    struct suggesting k = {.n = 0};
    struct search_index *x;
    quire_status st = QUIRE_OK;
    size_t i;
    int part;

    fold_text(prefix, &folded, NULL);
    k.prefix = buf_bytes(&folded);
    for (part = 0; part < N_SEARCH_PARTS && !st; part++) {
        st = need_search(q, (enum search_part)part, &x, err);
        if (!st)
            st = search_update(x, false, NULL, err);
        if (!st)
            search_engines(x, engines);
    }
    for (i = 0; i < RUN_ENGINES_MAX && !st && k.prefix.len > 0; i++)
        st = suggest_of(&k, engines[i], err);
    if (k.n > 1)
        qsort(k.list, k.n, sizeof *k.list, by_frequency);
    for (i = 0; i < k.n && i < (limit ? limit : 10) && !st; i++)
        st = each(ctx, k.list[i].word, err);
    free(k.list);
    buf_release(&folded);
    return st;
}
