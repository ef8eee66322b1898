/*
 * memory_match.c - whether a document matches a query, and where
 *
 * For each leaf of the tree the places of its phrase are listed; operators
 * decide which of them count.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "search/memory.h"

/* ---- leaves ------------------------------------------------------------- */

static size_t count_leaves(const struct query *q)
{
    size_t n = q->op == QUERY_WORDS;

    for (q = q->first; q; q = q->next)
        n += count_leaves(q);
    return n;
}

static void add_leaves(struct matcher *p, const struct query *q)
{
    if (q->op == QUERY_WORDS)
        p->phrases[p->n++] = (struct phrase){.leaf = q,
                                             .words = BUF_INIT(SIZE_MAX),
                                             .at = BUF_INIT(SIZE_MAX)};
    for (q = q->first; q; q = q->next)
        add_leaves(p, q);
}

struct splitting {
    struct matcher *matcher;
    struct phrase *phrase;
};

/* In a query the tokenizer has one word a place. */
static quire_status add_word(void *ctx, quire_bytes text, bool beside,
                             quire_error *err)
{
    struct splitting *k = ctx;
    struct word w = {arena_dup(&k->matcher->keep, text), 0};

    (void)beside;
    buf_add(&k->phrase->words, &w, sizeof w);
    return w.text.data ? buf_status(&k->phrase->words, "a query", err)
                       : err_memory(err);
}

quire_status matcher_init(struct matcher *p, const struct query *q,
                          struct fts_splitter *splitter, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    *p = (struct matcher){.n = 0};
    p->phrases = arena_array(&p->keep, count_leaves(q), sizeof *p->phrases);
    if (!p->phrases)
        return err_memory(err);
    add_leaves(p, q);
    for (i = 0; i < p->n && !st; i++)
        st = fts_split(splitter, p->phrases[i].leaf->text, true, add_word,
                       &(struct splitting){p, &p->phrases[i]}, err);
    return st;
}

void matcher_release(struct matcher *p)
{
    size_t i;

    for (i = 0; i < p->n; i++) {
        buf_release(&p->phrases[i].words);
        buf_release(&p->phrases[i].at);
    }
    arena_release(&p->keep);
}

static struct phrase *phrase_of(const struct matcher *p,
                                const struct query *leaf)
{
    size_t i = 0;

    while (p->phrases[i].leaf != leaf)
        i++;
    return &p->phrases[i];
}

static size_t n_words(const struct phrase *p)
{
    return p->words.len / sizeof(struct word);
}

/* ---- places ------------------------------------------------------------- */

/* Whether a word of the document is the i-th of a phrase. */
static bool is_word(const struct word *w, const struct phrase *p, size_t i)
{
    const struct word *words = (const struct word *)(const void *)p->words.data;

    return p->leaf->prefix && i + 1 == n_words(p)
               ? bytes_starts(w->text, words[i].text)
               : bytes_equal(w->text, words[i].text);
}

/* Whether the words of a phrase from the i-th on stand at `at` and behind. */
static bool stand_at(const struct document *d, const struct phrase *p, size_t i,
                     int64_t at)
{
    const struct word *w = (const struct word *)(const void *)d->words.data;
    size_t k, n = d->words.len / sizeof *w;

    if (i == n_words(p))
        return true;
    for (k = 0; k < n; k++) {
        if (w[k].at == at && is_word(&w[k], p, i))
            return stand_at(d, p, i + 1, at + 1);
    }
    return false;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void list_places(const struct document *d, struct phrase *p)
{
    const struct word *w = (const struct word *)(const void *)d->words.data;
    size_t k, n = d->words.len / sizeof *w, kept = 0;

    buf_clear(&p->at);
    for (k = 0; k < n && n_words(p) > 0; k++) {
        if (is_word(&w[k], p, 0) && stand_at(d, p, 1, w[k].at + 1))
            buf_add(&p->at, &w[k].at, sizeof w[k].at);
    }
    n = n_places(p);
    if (n)
        qsort(places(p), n, sizeof(int64_t), by_number);
    for (k = 0; k < n; k++) { /* each once */
        if (kept == 0 || places(p)[k] != places(p)[kept - 1])
            places(p)[kept++] = places(p)[k];
    }
    p->at.len = kept * sizeof(int64_t);
}

quire_status matcher_list(struct matcher *p, const struct document *d,
                          quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < p->n && !st; i++) {
        list_places(d, &p->phrases[i]);
        st = buf_status(&p->phrases[i].at, "a query", err);
    }
    return st;
}

/* ---- operators ---------------------------------------------------------- */

static bool has_words(const struct matcher *p, const struct query *q)
{
    const struct query *one;

    if (q->op == QUERY_WORDS)
        return n_words(phrase_of(p, q)) > 0;
    for (one = q->first; one; one = one->next) {
        if (has_words(p, one))
            return true;
        if (q->op == QUERY_NOT)
            break;
    }
    return false;
}

static void clear_places(const struct matcher *p, const struct query *q)
{
    if (q->op == QUERY_WORDS)
        phrase_of(p, q)->at.len = 0;
    for (q = q->first; q; q = q->next)
        clear_places(p, q);
}

/* A phrase of NEAR: the place it is at, and how many before that count. */
struct near {
    struct phrase *p;
    size_t at, kept;
};

/* Move phrases on until each is within reach of the one that is farthest. False:
 * one of them has no further place. */
static bool gather(struct near *c, size_t n, int reach)
{
    int64_t last = places(c[0].p)[c[0].at];
    bool moved = true;
    size_t i;

    while (moved) {
        moved = false;
        for (i = 0; i < n; i++) {
            int64_t least = last - (int64_t)n_words(c[i].p) - reach;

            while (places(c[i].p)[c[i].at] < least) {
                moved = true;
                if (++c[i].at == n_places(c[i].p))
                    return false;
            }
            if (places(c[i].p)[c[i].at] > last) {
                moved = true;
                last = places(c[i].p)[c[i].at];
            }
        }
    }
    return true;
}

static int64_t next_place(const struct near *c)
{
    return c->at + 1 < n_places(c->p) ? places(c->p)[c->at + 1] : INT64_MAX;
}

/* Keep the places that are near each other. After each match the phrase moves
 * whose next place comes first. */
static bool match_near(const struct matcher *p, const struct query *q)
{
    struct near c[64];
    const struct query *one;
    size_t n = 0, i, next;
    bool more = true;

    for (one = q->first; one && n < 64; one = one->next) {
        struct phrase *phrase = phrase_of(p, one);

        if (n_words(phrase))
            c[n++] = (struct near){phrase, 0, 0};
        more &= !n_words(phrase) || n_places(phrase) > 0;
    }
    while (n > 0 && more && gather(c, n, q->reach)) {
        for (i = next = 0; i < n; i++) {
            int64_t *at = places(c[i].p);

            if (c[i].kept == 0 || at[c[i].kept - 1] != at[c[i].at])
                at[c[i].kept++] = at[c[i].at];
            if (next_place(&c[i]) < next_place(&c[next]))
                next = i;
        }
        more = ++c[next].at < n_places(c[next].p);
    }
    for (i = 0; i < n; i++)
        c[i].p->at.len = c[i].kept * sizeof(int64_t);
    return n > 0 && c[0].kept > 0;
}

static bool match_and(const struct matcher *p, const struct query *q)
{
    const struct query *one;
    bool leaves = true;

    for (one = q->first; one; one = one->next)
        leaves &= one->op == QUERY_WORDS;
    for (one = q->first; one; one = one->next) {
        if ((!leaves || has_words(p, one)) && !matcher_match(p, one))
            return false;
    }
    return has_words(p, q);
}

static bool match_or(const struct matcher *p, const struct query *q)
{
    const struct query *one;
    bool any = false;

    for (one = q->first; one; one = one->next)
        any |= matcher_match(p, one);
    return any;
}

bool matcher_match(const struct matcher *p, const struct query *q)
{
    bool yes = false;

    switch (q->op) {
    case QUERY_WORDS: yes = n_places(phrase_of(p, q)) > 0; break;
    case QUERY_NEAR: yes = match_near(p, q); break;
    case QUERY_AND: yes = match_and(p, q); break;
    case QUERY_OR: yes = match_or(p, q); break;
    case QUERY_NOT:
        yes = matcher_match(p, q->first) && !matcher_match(p, q->first->next);
        clear_places(p, q->first->next);
        break;
    case QUERY_SUBSTRING:
    case QUERY_REGEX:
    case QUERY_EVERY: break; /* not for an index of words */
    }
    if (!yes)
        clear_places(p, q);
    return yes;
}
