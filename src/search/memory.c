/*
 * memory.c - full-text index in memory: the specification, as a program
 *
 * A query looks at every document. What FTS5 does fast is here in the order of
 * its definition.
 */
#include "search/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

struct memory {
    struct fulltext base;
    const struct fulltext_kind *kind;
    bool exists;
    struct fts_splitter *splitter;
    struct buf documents; /* of pointers to them, by id */
    struct buf hits;      /* of the current query, of struct fulltext_hit */
    size_t next;          /* of them */
};

static struct memory *of(struct fulltext *x)
{
    return (struct memory *)x;
}

static struct document **documents(const struct memory *m, size_t *n)
{
    *n = m->documents.len / sizeof(struct document *);
    return (struct document **)(void *)m->documents.data;
}

/* ---- documents ---------------------------------------------------------- */

struct adding {
    struct document *d;
    size_t column;
};

static quire_status add_word(void *ctx, quire_bytes text, bool beside,
                             quire_error *err)
{
    struct adding *k = ctx;
    uint64_t *length = &k->d->lengths[k->column];
    struct word w = {arena_dup(&k->d->keep, text), (int64_t)k->column << 32};

    *length += !beside || *length == 0;
    w.at |= (int64_t)(*length - 1);
    buf_add(&k->d->words, &w, sizeof w);
    return w.text.data ? buf_status(&k->d->words, "a document", err)
                       : err_memory(err);
}

static void free_document(struct document *d)
{
    if (d) {
        arena_release(&d->keep);
        buf_release(&d->words);
    }
    free(d);
}

static quire_status new_document(struct memory *m,
                                 const struct fulltext_document *from,
                                 struct document **out, quire_error *err)
{
    struct document *d = malloc(sizeof *d);
    struct adding k = {d, 0};
    quire_status st = QUIRE_OK;

    if (!d)
        return err_memory(err);
    *d = (struct document){.id = from->id,
                           .scope = from->scope,
                           .words = BUF_INIT(SIZE_MAX)};
    for (; k.column < m->kind->n_columns && !st; k.column++) {
        st = fts_split(m->splitter, from->texts[k.column], false, add_word, &k,
                       err);
        d->length += d->lengths[k.column];
    }
    if (st)
        free_document(d);
    else
        *out = d;
    return st;
}

/* Where the document with this id is, or belongs. */
static size_t position_of(const struct memory *m, int64_t id)
{
    size_t n, i = 0;
    struct document **d = documents(m, &n);

    while (i < n && d[i]->id < id)
        i++;
    return i;
}

static quire_status memory_add(struct fulltext *x,
                               const struct fulltext_document *from,
                               quire_error *err)
{
    struct memory *m = of(x);
    size_t at = position_of(m, from->id), n;
    struct document *one, **d;
    quire_status st = new_document(m, from, &one, err);

    if (st)
        return st;
    buf_add(&m->documents, &one, sizeof(struct document *));
    st = buf_status(&m->documents, "the index", err);
    d = documents(m, &n);
    if (st) {
        free_document(one);
        return st;
    }
    memmove(d + at + 1, d + at, (n - 1 - at) * sizeof(struct document *));
    d[at] = one;
    return QUIRE_OK;
}

static quire_status memory_remove(struct fulltext *x,
                                  const struct fulltext_document *gone,
                                  quire_error *err)
{
    struct memory *m = of(x);
    size_t at = position_of(m, gone->id), n;
    struct document **d = documents(m, &n);

    (void)err;
    if (at == n || d[at]->id != gone->id)
        return QUIRE_OK;
    free_document(d[at]);
    memmove(d + at, d + at + 1, (n - 1 - at) * sizeof(struct document *));
    m->documents.len -= sizeof(struct document *);
    return QUIRE_OK;
}

/* ---- scores ------------------------------------------------------------- */

static double score_by_place(const struct memory *m,
                             const struct matcher *matcher)
{
    static const int worth[] = {0,    1000, 1500, 1790, 2000,
                                2160, 2290, 2400, 2500};
    double sum = 0;
    size_t i, k;

    for (i = 0; i < matcher->n; i++) {
        const struct phrase *p = &matcher->phrases[i];
        unsigned times[FULLTEXT_COLUMNS_MAX] = {0};

        for (k = 0; k < n_places(p); k++)
            times[places(p)[k] >> 32]++;
        for (k = 0; k < m->kind->n_columns; k++)
            sum += m->kind->columns[k].weight *
                   worth[times[k] < 8 ? times[k] : 8];
    }
    return sum;
}

/* The natural logarithm: x is brought near 1, then by the series of atanh. */
static double logarithm(double x)
{
    double sum = 0, z, power;
    int k, twos = 0;

    while (x > 1.5) {
        x /= 2;
        twos++;
    }
    while (x < 0.75) {
        x *= 2;
        twos--;
    }
    power = z = (x - 1) / (x + 1);
    for (k = 1; k < 50; k += 2) {
        sum += power / k;
        power *= z * z;
    }
    return 2 * sum + twos * 0.693147180559945309417;
}

static double score_bm25(const struct memory *m, const struct matcher *matcher,
                         const struct document *d)
{
    const struct fulltext_kind *kind = m->kind;
    double all = 0, score = 0;
    size_t n, i, k;
    struct document **each = documents(m, &n);

    for (i = 0; i < n; i++)
        all += (double)each[i]->length;
    for (i = 0; i < matcher->n; i++) {
        const struct phrase *p = &matcher->phrases[i];
        double having = (double)p->n_documents, often = 0;
        double rarity = logarithm(((double)n - having + 0.5) / (having + 0.5));
        double length = (double)d->length / (all / (double)n);

        for (k = 0; k < n_places(p); k++)
            often += kind->columns[places(p)[k] >> 32].weight;
        score += (rarity > 0 ? rarity : 1e-6) * often * (1.2 + 1) /
                 (often + 1.2 * (1 - 0.75 + 0.75 * length));
    }
    return (double)(int64_t)(score * 1e12) / 1e12;
}

static uint64_t phrases_of(const struct matcher *matcher)
{
    uint64_t mask = 0;
    size_t i, bit = 0;

    for (i = 0; i < matcher->n; i++) {
        if (n_places(&matcher->phrases[i]) && bit < FULLTEXT_PHRASES_MAX)
            mask |= (uint64_t)1 << bit;
        bit += matcher->phrases[i].words.len > 0;
    }
    return mask;
}

/* ---- queries ------------------------------------------------------------ */

static quire_status count_documents(struct memory *m, struct matcher *matcher,
                                    quire_error *err)
{
    size_t n, i, k;
    struct document **d = documents(m, &n);
    quire_status st = QUIRE_OK;

    for (i = 0; i < n && !st; i++) {
        st = matcher_list(matcher, d[i], err);
        for (k = 0; k < matcher->n; k++)
            matcher->phrases[k].n_documents += n_places(&matcher->phrases[k]) >
                                               0;
    }
    return st;
}

static bool is_wanted(const struct fulltext_find *f, const struct document *d)
{
    size_t i;

    if (f->scope && f->scope != d->scope)
        return false;
    for (i = 0; i < f->n_also; i++) {
        if (f->also[i] == d->id)
            return true;
    }
    return d->id > f->above;
}

static void add_hit(struct memory *m, const struct fulltext_find *f,
                    const struct matcher *matcher, const struct document *d)
{
    struct fulltext_hit hit = {.id = d->id};

    if (f->scored)
        hit.score = m->kind->ranking == FULLTEXT_BY_PLACE
                        ? score_by_place(m, matcher)
                        : score_bm25(m, matcher, d);
    if (f->phrases)
        hit.phrases = phrases_of(matcher);
    buf_add(&m->hits, &hit, sizeof hit);
}

/* All hits, the newest first. */
static quire_status collect_hits(struct memory *m,
                                 const struct fulltext_find *f,
                                 struct matcher *matcher, quire_error *err)
{
    uint64_t seen = 0, end = f->limit ? f->skip + f->limit : UINT64_MAX;
    quire_status st = QUIRE_OK;
    size_t i;
    struct document **d = documents(m, &i);

    while (i-- > 0 && !st && seen < end) {
        st = matcher_list(matcher, d[i], err);
        if (!st && matcher_match(matcher, f->query) && is_wanted(f, d[i]) &&
            seen++ >= f->skip)
            add_hit(m, f, matcher, d[i]);
    }
    return st ? st : buf_status(&m->hits, "the hits", err);
}

static void memory_end(struct fulltext *x)
{
    buf_clear(&of(x)->hits);
    of(x)->next = 0;
}

static quire_status memory_find(struct fulltext *x,
                                const struct fulltext_find *f, quire_error *err)
{
    struct matcher matcher;
    quire_status st;

    memory_end(x);
    if (!f->query)
        return QUIRE_OK;
    st = matcher_init(&matcher, f->query, of(x)->splitter, err);
    if (!st && f->scored)
        st = count_documents(of(x), &matcher, err);
    if (!st)
        st = collect_hits(of(x), f, &matcher, err);
    matcher_release(&matcher);
    return st;
}

static quire_status memory_fetch(struct fulltext *x, struct fulltext_hit *hits,
                                 size_t max, size_t *n, quire_error *err)
{
    struct memory *m = of(x);
    size_t left = m->hits.len / sizeof *hits - m->next;

    (void)err;
    *n = left < max ? left : max;
    if (*n)
        memcpy(hits, m->hits.data + m->next * sizeof *hits, *n * sizeof *hits);
    m->next += *n;
    return QUIRE_OK;
}

/* ---- statistics and comparison ------------------------------------------ */

static quire_status memory_stats(struct fulltext *x, struct fulltext_stats *out,
                                 quire_error *err)
{
    size_t n, i, k;
    struct document **d = documents(of(x), &n);

    (void)err;
    *out = (struct fulltext_stats){.n_documents = n};
    for (i = 0; i < n; i++) {
        for (k = 0; k < FULLTEXT_COLUMNS_MAX; k++)
            out->n_words[k] += d[i]->lengths[k];
    }
    return QUIRE_OK;
}

static quire_status memory_frequency(struct fulltext *x,
                                     const struct query *words, uint64_t *n,
                                     quire_error *err)
{
    struct matcher matcher;
    quire_status st = matcher_init(&matcher, words, of(x)->splitter, err);

    if (!st)
        st = count_documents(of(x), &matcher, err);
    *n = st ? 0 : matcher.phrases[0].n_documents;
    matcher_release(&matcher);
    return st;
}

static quire_status memory_each_id(struct fulltext *x, fulltext_id_fn each,
                                   void *ctx, quire_error *err)
{
    size_t n, i;
    struct document **d = documents(of(x), &n);
    quire_status st = QUIRE_OK;

    for (i = 0; i < n && !st; i++)
        st = each(ctx, d[i]->id, err);
    return st;
}

/* The same text is split in the same order. */
static bool equal_documents(const struct document *a, const struct document *b)
{
    const struct word *x = (const struct word *)(const void *)a->words.data;
    const struct word *y = (const struct word *)(const void *)b->words.data;
    size_t i, n = a->words.len / sizeof *x;

    if (a->id != b->id || a->scope != b->scope || a->words.len != b->words.len)
        return false;
    for (i = 0; i < n; i++) {
        if (x[i].at != y[i].at || !bytes_equal(x[i].text, y[i].text))
            return false;
    }
    return true;
}

static quire_status memory_includes(struct fulltext *x, struct fulltext *other,
                                    bool *same, quire_error *err)
{
    size_t n, n_other, i;
    struct document **d = documents(of(x), &n);
    struct document **o = documents(of(other), &n_other);

    (void)err;
    *same = true;
    for (i = 0; i < n_other; i++) {
        size_t at = position_of(of(x), o[i]->id);

        *same &= at < n && equal_documents(d[at], o[i]);
    }
    return QUIRE_OK;
}

/* ---- the index ---------------------------------------------------------- */

static quire_status memory_exists(struct fulltext *x, bool *exists,
                                  quire_error *err)
{
    (void)err;
    *exists = of(x)->exists;
    return QUIRE_OK;
}

static quire_status memory_create(struct fulltext *x, quire_error *err)
{
    (void)err;
    of(x)->exists = true;
    return QUIRE_OK;
}

static quire_status memory_drop(struct fulltext *x, quire_error *err)
{
    size_t n, i;
    struct document **d = documents(of(x), &n);

    (void)err;
    memory_end(x);
    for (i = 0; i < n; i++)
        free_document(d[i]);
    buf_clear(&of(x)->documents);
    of(x)->exists = false;
    return QUIRE_OK;
}

static void memory_close(struct fulltext *x)
{
    memory_drop(x, NULL);
    fts_splitter_free(of(x)->splitter);
    buf_release(&of(x)->documents);
    buf_release(&of(x)->hits);
    free(x);
}

static const struct fulltext_ops memory_ops = {
    .exists = memory_exists,
    .create = memory_create,
    .drop = memory_drop,
    .add = memory_add,
    .remove = memory_remove,
    .find = memory_find,
    .fetch = memory_fetch,
    .end = memory_end,
    .stats = memory_stats,
    .frequency = memory_frequency,
    .each_id = memory_each_id,
    .includes = memory_includes,
    .close = memory_close,
};

quire_status fulltext_memory_open(const struct fulltext_kind *kind,
                                  struct fulltext **out, quire_error *err)
{
    struct memory *m = malloc(sizeof *m);
    quire_status st;

    if (!m)
        return err_memory(err);
    *m = (struct memory){.base = {&memory_ops},
                         .kind = kind,
                         .documents = BUF_INIT(SIZE_MAX),
                         .hits = BUF_INIT(SIZE_MAX)};
    st = fts_splitter_new(&m->splitter, err);
    if (st)
        free(m);
    else
        *out = &m->base;
    return st;
}
