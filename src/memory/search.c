/*
 * search.c - rank entries for a question
 *
 * The index scores the words of each hit, by BM25. Type, tag and age of an
 * entry move it up or down:
 *
 *     score = words  x 1.3 if it is of a type that is asked for
 *                    x 1.2 if it has the tag that is asked for
 *                    x age
 *
 *     age     1.0 up to 30 days, 0.9 up to the half-life, 0.75 up to twice,
 *             0.6 up to four times that, else 0.5: an old fact is seldom wrong,
 *             but of two that fit, the newer one is more often right
 *
 * If a session asks, the hits form two lists: all of them, and those pinned to
 * the session, which weigh half as much again. An entry gets weight / (60 +
 * place) of each list that it is in, and those sums decide (reciprocal rank
 * fusion). So the session's own entries come first unless they fit badly.
 *
 * If that is fewer than asked for, entries follow whose words only begin like
 * those of the question, or like their stems (query.c). They are ranked among
 * themselves in the same way, and all their scores are below those of the
 * others.
 *
 * A word that is everywhere has as many hits as there are entries. Then the
 * RANKED_MAX whose words score best are ranked (of the past: of those that were
 * valid then), and as many of the session; and the result says so.
 *
 * The index (struct memory_finder) returns ids and scores of words. The rows
 * behind them are read in lots. If only the best hits are wanted, only rows are
 * read that can belong to them: type, tag and age raise a score by a factor that
 * is known, so a hit whose words score too little stays behind whatever its row
 * says.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "memory/priv.h"
#include "search/lot.h"

#define RANKED_MAX 1000

#define TYPE_BOOST 1.3
#define TAG_BOOST  1.2

#define FUSION_K       60.0
#define SESSION_WEIGHT 1.5
#define TENANT_WEIGHT  1.0
#define POOL_MIN       50

#define DAY_US ((int64_t)24 * 60 * 60 * 1000000)

/* Rows that were read to rank them are kept up to this size, to be returned. */
#define KEPT_BYTES ((size_t)4 << 20)

struct hit {
    int64_t id;
    double words; /* score of the words alone */
    double score; /* by which it is ranked */
    /* of the row */
    bool exists; /* there is one, valid at the time in question */
    bool typed;  /* of a type that ranks higher */
    bool tagged;
    bool pinned; /* to the session that asks */
    int64_t updated_us;
    quire_memory *row; /* NULL: not kept */
};

struct recall {
    struct memories *m;
    const struct memory_query *q;
    const struct memory_finder *finder;
    unsigned types; /* that rank higher       */
    int64_t now_us;
    bool eager;        /* the rows of all hits are needed */
    struct arena tmp;  /* for one row */
    struct arena keep; /* queries and rows */
    size_t kept;       /* bytes of rows */
    struct hit *hits;  /* owned                */
    size_t n;
    size_t first; /* hits before it are ranked already */
    bool partial;
};

/* ---- scores ------------------------------------------------------------- */

static double by_age(const struct recall *r, int64_t updated_us)
{
    int64_t half = r->q->half_life_days;
    int64_t days = (r->now_us - updated_us) / DAY_US;

    if (!r->q->decay || days <= 30)
        return 1.0;
    return days <= half       ? 0.9
           : days <= 2 * half ? 0.75
           : days <= 4 * half ? 0.6
                              : 0.5;
}

static double score_of(const struct recall *r, const struct hit *h)
{
    double score = h->words;

    if (h->typed)
        score *= TYPE_BOOST;
    if (h->tagged)
        score *= TAG_BOOST;
    return score * by_age(r, h->updated_us);
}

/* The most that score_of() can return. */
static double bound_of(const struct recall *r, double words)
{
    double score = words;

    if (r->types)
        score *= TYPE_BOOST;
    if (r->q->tag)
        score *= TAG_BOOST;
    return score;
}

/* The better first; of equals the newer. */
static int by_score(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->updated_us != y->updated_us)
        return x->updated_us > y->updated_us ? -1 : 1;
    return x->id > y->id ? -1 : x->id < y->id;
}

static int by_words(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    return (x->words < y->words) - (x->words > y->words);
}

static int by_id(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void sort_hits(struct recall *r)
{
    qsort(r->hits + r->first, r->n - r->first, sizeof *r->hits, by_score);
}

/* The hits are sorted; sort them again by their places in both lists. */
static void fuse_lists(struct recall *r)
{
    uint64_t pool = 3 * r->q->limit, place = 0;
    size_t i, n = r->first;

    if (pool < POOL_MIN)
        pool = POOL_MIN;
    for (i = 0; r->first + i < r->n; i++) {
        struct hit *h = &r->hits[r->first + i];

        h->score = i < pool ? TENANT_WEIGHT / (FUSION_K + (double)i + 1) : 0;
        if (h->pinned && place++ < pool)
            h->score += SESSION_WEIGHT / (FUSION_K + (double)place);
        if (h->score > 0)
            r->hits[n++] = *h;
    }
    r->n = n;
    sort_hits(r);
}

/* Lower the scores of the hits from `first` on below those of the others. */
static void lower_scores(struct recall *r)
{
    double least, factor;
    size_t i;

    if (r->first == 0 || r->n == r->first)
        return;
    least = r->hits[r->first - 1].score;
    if (r->hits[r->first].score < least)
        return;
    factor = least > 0 ? least / r->hits[r->first].score / 2 : 0;
    for (i = r->first; i < r->n; i++)
        r->hits[i].score *= factor;
}

/* ---- rows --------------------------------------------------------------- */

/* Keep a row that was read, if there is room. */
static quire_status keep_row(struct recall *r, struct stmt *s, struct hit *h,
                             quire_error *err)
{
    if (r->kept >= KEPT_BYTES)
        return QUIRE_OK;
    h->row = arena_array(&r->keep, 1, sizeof *h->row);
    if (!h->row)
        return err_memory(err);
    r->kept += sizeof *h->row + stmt_column_bytes(s, ENTRY_CONTENT).len;
    return entry_read(s, &r->keep, h->row, err);
}

static quire_status read_row(struct recall *r, struct stmt *s, struct hit *h,
                             quire_error *err)
{
    int64_t session = stmt_column_int(s, ENTRY_SESSION), then = r->q->as_of_us;
    int64_t valid_to = stmt_column_int(s, ENTRY_VALID_TO);
    int type = memory_type_of(stmt_column_bytes(s, ENTRY_TYPE));

    arena_reset(&r->tmp);
    h->exists = then ? stmt_column_int(s, ENTRY_VALID_FROM) <= then &&
                           (valid_to == 0 || valid_to > then)
                     : valid_to == 0;
    h->typed = type >= 0 && (r->types & 1u << type);
    h->tagged = r->q->tag && entry_has_tag(stmt_column_bytes(s, ENTRY_TAGS),
                                           r->q->tag, &r->tmp);
    h->pinned = session && session == r->q->session;
    h->updated_us = stmt_column_int(s, ENTRY_UPDATED);
    h->score = score_of(r, h);
    return h->exists ? keep_row(r, s, h, err) : QUIRE_OK;
}

/* Read the rows of a lot, at most LOT_MAX. It is left in the order of ids, without
 * the hits that have no row. */
static quire_status read_lot(struct recall *r, struct hit *hits, size_t *n,
                             quire_error *err)
{
    bool few = *n <= LOT_FEW;
    int64_t ids[LOT_MAX];
    size_t left = 0, i;
    struct stmt *s;
    quire_status st = *n ? sql_use(&r->m->sql, few ? SQL_LOT_FEW : SQL_LOT, &s,
                                   err)
                         : QUIRE_OK;

    if (st || *n == 0)
        return st;
    qsort(hits, *n, sizeof *hits, by_id);
    for (i = 0; i < *n; i++) {
        ids[i] = hits[i].id;
        hits[i].exists = false;
    }
    lot_bind(s, ids, *n);
    stmt_bind_int(s, few ? LOT_FEW + 1 : LOT_MAX + 1, r->q->tenant);
    while (!st && !(st = sql_row(s, err))) {
        struct hit key = {.id = stmt_column_int(s, ENTRY_ID)}, *h;

        h = bsearch(&key, hits, *n, sizeof key, by_id);
        if (h)
            st = read_row(r, s, h, err);
    }
    stmt_reset(s);
    for (i = 0; i < *n; i++) {
        if (hits[i].exists)
            hits[left++] = hits[i];
    }
    *n = left;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- hits --------------------------------------------------------------- */

/* Append what the index finds: the best RANKED_MAX, or all hits if only their rows show
 * which of them were valid at the time in question. */
static quire_status find_hits(struct recall *r, const struct query *query,
                              bool pinned, quire_error *err)
{
    bool past = r->q->as_of_us != 0;
    struct memory_word_hit *found;
    struct hit *more;
    size_t n = 0, i;
    quire_status st = r->finder->find(r->finder->ctx, query, past, pinned,
                                      past ? SIZE_MAX / 2 : RANKED_MAX + 1,
                                      &r->keep, &found, &n, err);

    if (st)
        return st;
    if (!past && n > RANKED_MAX) {
        n = RANKED_MAX;
        r->partial = true;
    }
    more = realloc(r->hits, (r->n + n + 1) * sizeof *more);
    if (!more)
        return err_memory(err);
    r->hits = more;
    for (i = 0; i < n; i++)
        r->hits[r->n++] = (struct hit){.id = found[i].id,
                                       .words = found[i].score};
    return QUIRE_OK;
}

/* Two lists may have the same entry. */
static void drop_repeated(struct recall *r)
{
    struct hit *hits = r->hits + r->first;
    size_t n = r->n - r->first, left = 0, i;

    qsort(hits, n, sizeof *hits, by_id);
    for (i = 0; i < n; i++)
        if (left == 0 || hits[left - 1].id != hits[i].id)
            hits[left++] = hits[i];
    r->n = r->first + left;
}

static quire_status find_all(struct recall *r, const struct query *query,
                             quire_error *err)
{
    quire_status st = find_hits(r, query, false, err);

    if (!st && r->partial && r->q->session) {
        st = find_hits(r, query, true, err);
        drop_repeated(r);
    }
    return st;
}

/* ---- ranking ------------------------------------------------------------ */

/* Order the hits that can be among the results, and drop the others. Reads the rows
 * of the best, then of twice as many, until the rest cannot catch up. */
static quire_status rank_best(struct recall *r, quire_error *err)
{
    struct hit *hits = r->hits + r->first;
    size_t wanted = r->q->limit - r->first, total = r->n - r->first;
    size_t read = 0, n = 0,
           until = r->q->as_of_us ? RANKED_MAX
                   : r->eager     ? SIZE_MAX
                                  : LOT_MAX;
    quire_status st = QUIRE_OK;

    qsort(hits, total, sizeof *hits, by_words);
    while (!st && read < total) {
        while (!st && read < total && read < until) {
            size_t lot = total - read < LOT_MAX ? total - read : LOT_MAX;

            memmove(hits + n, hits + read, lot * sizeof *hits);
            read += lot;
            st = read_lot(r, hits + n, &lot, err);
            n += lot;
        }
        r->n = r->first + n;
        sort_hits(r);
        if (!r->eager && n >= wanted && wanted > 0 && read < total &&
            bound_of(r, hits[read].words) < hits[wanted - 1].score)
            break;
        if (r->q->as_of_us && n >= RANKED_MAX && read < total) {
            r->partial = true;
            break;
        }
        until = until > total ? until : 2 * until;
    }
    if (!st && r->q->fused)
        fuse_lists(r);
    return st;
}

static quire_status find_words(struct recall *r, quire_error *err)
{
    struct query *query;
    quire_status st = memory_words_query(r->q->text, &r->keep, &query, err);

    if (!st && !query)
        st = err_fail(err, QUIRE_INVALID, "use one or more words of the entry",
                      "the query has no search term");
    if (!st)
        st = find_all(r, query, err);
    return st ? st : rank_best(r, err);
}

/* After find_words(), if the caller wants more. */
static quire_status find_beginnings(struct recall *r, quire_error *err)
{
    struct query *query = NULL;
    quire_status st = QUIRE_OK;

    r->first = r->n;
    if (r->n < r->q->limit)
        st = memory_stem_query(r->q->text, &r->keep, &query, err);
    if (st || !query)
        return st;
    st = find_all(r, query, err);
    if (!st)
        st = rank_best(r, err);
    if (!st)
        lower_scores(r);
    return st;
}

/* ---- results ------------------------------------------------------------ */

static quire_status emit_hits(struct recall *r, quire_memory_fn each, void *ctx,
                              quire_error *err)
{
    quire_status st = r->n ? QUIRE_OK : QUIRE_NOT_FOUND;
    size_t i;

    for (i = 0; i < r->n && i < r->q->limit && !st; i++) {
        quire_memory one;

        arena_reset(&r->tmp);
        if (r->hits[i].row)
            one = *r->hits[i].row;
        else
            st = memory_any(r->m, r->q->tenant, r->hits[i].id, &r->tmp, &one,
                            err);
        if (!st) {
            one.score = r->hits[i].score;
            st = each(ctx, &one, err);
        }
    }
    return st;
}

quire_status memory_search(struct memories *m, const struct memory_query *q,
                           const struct memory_finder *finder,
                           quire_memory_fn each, void *ctx, bool *partial,
                           quire_error *err)
{
    struct recall r = {
        .m = m,
        .q = q,
        .finder = finder,
        .types = q->types    ? q->types
                 : q->intent ? memory_intent(q->text)
                             : 0,
        .now_us = q->as_of_us ? q->as_of_us : clock_us(m->clock),
        .eager = q->fused || q->as_of_us,
    };
    quire_status st = find_words(&r, err);

    if (!st)
        st = find_beginnings(&r, err);
    if (!st)
        st = emit_hits(&r, each, ctx, err);
    *partial = r.partial;
    arena_release(&r.keep);
    arena_release(&r.tmp);
    free(r.hits);
    return st;
}
