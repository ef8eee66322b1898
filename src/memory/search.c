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
 * A word that is everywhere has as many hits as there are entries, and ranking
 * them all would take too long. Then the newest RANKED_MAX are ranked, by id,
 * those of the session separately; and the result says so.
 *
 * The index returns ids and scores of words. The rows behind them are read in
 * lots. If only the best hits are wanted, only rows are read that can belong to
 * them: type, tag and age raise a score by a factor that is known, so a hit
 * whose words score too little stays behind whatever its row says.
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
};

struct recall {
    struct memories *m;
    const struct memory_query *q;
    unsigned types; /* that rank higher       */
    int64_t now_us;
    bool eager;       /* the rows of all hits are needed */
    struct arena tmp; /* for one row */
    struct hit *hits; /* owned                */
    size_t n;
    size_t first; /* hits before it are ranked already */
    /* Hits of the current index above the floor that were valid at the time in
     * question, the newest first: their rows were read to find the floor. */
    struct hit *valid; /* room for RANKED_MAX */
    size_t n_valid;
    bool partial;
};

/* Of an index those above the floor, and as many of the session below it. */
#define SESSION_CACHE_MAX (2 * RANKED_MAX)

enum { HITS_MAX = N_FULLTEXT * SESSION_CACHE_MAX };

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

static int newest_first(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    return (x->id < y->id) - (x->id > y->id);
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

static void read_row(struct recall *r, struct stmt *s, struct hit *h)
{
    int64_t session = stmt_column_int(s, HIT_SESSION), then = r->q->as_of_us;
    int64_t valid_to = stmt_column_int(s, HIT_VALID_TO);
    int type = memory_type_of(stmt_column_bytes(s, HIT_TYPE));

    arena_reset(&r->tmp);
    h->exists = then == 0 || (stmt_column_int(s, HIT_VALID_FROM) <= then &&
                              (valid_to == 0 || valid_to > then));
    h->typed = type >= 0 && (r->types & 1u << type);
    h->tagged = r->q->tag && entry_has_tag(stmt_column_bytes(s, HIT_TAGS),
                                           r->q->tag, &r->tmp);
    h->pinned = session && session == r->q->session;
    h->updated_us = stmt_column_int(s, HIT_UPDATED);
    h->score = score_of(r, h);
}

/* Sort a lot, which usually is sorted already. */
static void sort_lot(struct hit *hits, size_t n)
{
    size_t i;

    for (i = 1; i < n && hits[i - 1].id > hits[i].id;)
        i++;
    if (i < n)
        qsort(hits, n, sizeof *hits, newest_first);
}

/* Read the rows of a lot. It is left in the order of ids, the newest first,
 * without the hits that have no row. */
static quire_status read_lot(struct recall *r, struct hit *hits, size_t *n,
                             quire_error *err)
{
    int64_t ids[LOT_MAX];
    size_t left = 0, i;
    struct stmt *s;
    quire_status st;

    if (*n == 0)
        return QUIRE_OK;
    st = sql_use(&r->m->words.rows, *n <= LOT_FEW ? HIT_ROWS_FEW : HIT_ROWS, &s,
                 err);
    if (st)
        return st;
    sort_lot(hits, *n);
    for (i = 0; i < *n; i++) {
        ids[i] = hits[i].id;
        hits[i].exists = false;
    }
    lot_bind(s, ids, *n);
    while (!(st = sql_row(s, err))) {
        struct hit key = {.id = stmt_column_int(s, HIT_ID)}, *h;

        h = bsearch(&key, hits, *n, sizeof key, newest_first);
        if (h)
            read_row(r, s, h);
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

/* The next hits of an index, at most LOT_MAX. *more: there may be others. */
static quire_status fetch_lot(struct fulltext *index, struct hit *out,
                              size_t *n, bool *more, quire_error *err)
{
    struct fulltext_hit hits[LOT_MAX];
    quire_status st = fulltext_fetch(index, hits, LOT_MAX, n, err);
    size_t i;

    *more = !st && *n == LOT_MAX;
    for (i = 0; !st && i < *n; i++)
        out[i] = (struct hit){.id = hits[i].id, .words = hits[i].score};
    return st;
}

/* Read the hits that were valid at the time in question, up to RANKED_MAX; the
 * id of the next is the floor. */
static quire_status read_valid(struct recall *r, struct fulltext *index,
                               int64_t *floor, quire_error *err)
{
    struct hit lot[LOT_MAX];
    bool more = true;
    size_t n, i;
    quire_status st = QUIRE_OK;

    r->n_valid = 0;
    while (!st && more && *floor == 0) {
        st = fetch_lot(index, lot, &n, &more, err);
        if (!st)
            st = read_lot(r, lot, &n, err);
        for (i = 0; !st && i < n && *floor == 0; i++) {
            if (r->n_valid == RANKED_MAX)
                *floor = lot[i].id;
            else
                r->valid[r->n_valid++] = lot[i];
        }
    }
    return st;
}

/* Complete hits above the floor from those that read_valid() has read, and drop
 * the others. */
static size_t copy_valid(struct recall *r, struct hit *lot, size_t n)
{
    size_t left = 0, i;

    for (i = 0; i < n; i++) {
        const struct hit *known = bsearch(&lot[i], r->valid, r->n_valid,
                                          sizeof *lot, newest_first);
        double words = lot[i].words;

        if (!known)
            continue;
        lot[left] = *known;
        lot[left].words = words;
        lot[left].score = score_of(r, &lot[left]);
        left++;
    }
    return left;
}

/* Complete a lot, the newest first, with the rows, and drop hits without one. */
static quire_status add_rows(struct recall *r, int64_t floor, struct hit *lot,
                             size_t *n, quire_error *err)
{
    size_t above = 0, kept, rest;
    quire_status st;

    while (r->q->as_of_us && above < *n && lot[above].id > floor)
        above++;
    kept = copy_valid(r, lot, above);
    rest = *n - above;
    memmove(lot + kept, lot + above, rest * sizeof *lot);
    st = read_lot(r, lot + kept, &rest, err);
    *n = kept + rest;
    return st;
}

/* The newest id that is not ranked; 0: all are. The plain query has the same
 * hits as the other, and costs less. */
static quire_status find_floor(struct recall *r, struct fulltext *index,
                               const struct query *plain, int64_t *floor,
                               quire_error *err)
{
    bool then = r->q->as_of_us != 0;
    struct fulltext_find f = {.query = plain,
                              .newest_first = true,
                              .skip = then ? 0 : RANKED_MAX,
                              .limit = then ? 0 : 1};
    struct fulltext_hit hit;
    size_t n;
    quire_status st = fulltext_find(index, &f, err);

    *floor = 0;
    if (!st && then) {
        st = read_valid(r, index, floor, err);
    } else if (!st) {
        st = fulltext_fetch(index, &hit, 1, &n, err);
        if (!st && n > 0)
            *floor = hit.id;
    }
    fulltext_end(index);
    return st;
}

/* The ids of the session up to the floor. */
static quire_status read_session_ids(struct recall *r, int64_t floor,
                                     struct buf *ids, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&r->m->words.rows, HIT_SESSION_IDS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, r->q->session);
    stmt_bind_int(s, 2, floor);
    while (!(st = sql_row(s, err))) {
        int64_t id = stmt_column_int(s, 0);

        buf_add(ids, &id, sizeof id);
    }
    stmt_reset(s);
    return st != QUIRE_NOT_FOUND ? st
                                 : buf_status(ids, "the list of entries", err);
}

/* Append the hits of a query, the newest, up to `max`. */
static quire_status read_hits(struct recall *r, struct fulltext *index,
                              const struct fulltext_find *f, size_t max,
                              quire_error *err)
{
    size_t end = r->n + max, n;
    bool more = true;
    struct hit lot[LOT_MAX];
    quire_status st = fulltext_find(index, f, err);

    while (!st && more && r->n < end) {
        st = fetch_lot(index, lot, &n, &more, err);
        if (!st && r->eager)
            st = add_rows(r, f->above, lot, &n, err);
        if (st)
            break;
        n = n < end - r->n ? n : end - r->n;
        memcpy(r->hits + r->n, lot, n * sizeof *lot);
        r->n += n;
    }
    fulltext_end(index);
    return st;
}

static quire_status find_in(struct recall *r, int which,
                            const struct query *query,
                            const struct query *plain, quire_error *err)
{
    struct fulltext *index = r->m->words.index[which];
    struct fulltext_find f = {.query = query,
                              .newest_first = true,
                              .scored = true};
    struct buf ids = BUF_INIT(SIZE_MAX);
    quire_status st = find_floor(r, index, plain, &f.above, err);

    r->partial |= !st && f.above;
    if (!st && f.above && r->q->session)
        st = read_session_ids(r, f.above, &ids, err);
    f.also = (const int64_t *)(const void *)ids.data;
    f.n_also = ids.len / sizeof(int64_t);
    if (!st)
        st = read_hits(r, index, &f, SESSION_CACHE_MAX, err);
    buf_release(&ids);
    return st;
}

static quire_status find_in_all(struct recall *r, const struct query *query,
                                const struct query *plain, quire_error *err)
{
    quire_status st = find_in(r, FULLTEXT_NOW, query, plain, err);

    if (!st && r->q->as_of_us)
        st = find_in(r, FULLTEXT_PAST, query, plain, err);
    return st;
}

/* ---- ranking ------------------------------------------------------------ */

/* Of hits that have no rows yet, order those that can be among the results, and
 * drop the others. Reads the rows of the best, then of twice as many, until the
 * rest cannot catch up. */
static quire_status rank_best(struct recall *r, quire_error *err)
{
    struct hit *hits = r->hits + r->first;
    size_t wanted = r->q->limit - r->first, total = r->n - r->first;
    size_t read = 0, n = 0, until = LOT_MAX;
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
        if (n >= wanted && wanted > 0 && read < total &&
            bound_of(r, hits[read].words) < hits[wanted - 1].score)
            break;
        until *= 2;
    }
    return st;
}

static quire_status rank_hits(struct recall *r, quire_error *err)
{
    if (!r->eager)
        return rank_best(r, err);
    sort_hits(r);
    if (r->q->fused)
        fuse_lists(r);
    return QUIRE_OK;
}

static quire_status find_words(struct recall *r, struct arena *keep,
                               quire_error *err)
{
    struct query *query, *plain = NULL;
    quire_status st = memory_words_query(r->q->text, false, keep, &query, err);

    if (!st && !query)
        st = err_fail(err, QUIRE_INVALID, "use one or more words of the entry",
                      "the query has no search term");
    if (!st)
        st = memory_words_query(r->q->text, true, keep, &plain, err);
    if (!st)
        st = memory_fulltext_open(r->m, r->q->tenant, false, err);
    if (!st)
        st = find_in_all(r, query, plain, err);
    return st ? st : rank_hits(r, err);
}

/* After find_words(), if the caller wants more. */
static quire_status find_beginnings(struct recall *r, struct arena *keep,
                                    quire_error *err)
{
    struct query *query = NULL;
    quire_status st = QUIRE_OK;

    r->first = r->n;
    if (r->n < r->q->limit)
        st = memory_stem_query(r->q->text, keep, &query, err);
    if (st || !query)
        return st;
    st = find_in_all(r, query, query, err);
    if (!st)
        st = rank_hits(r, err);
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
        st = memory_any(r->m, r->q->tenant, r->hits[i].id, &r->tmp, &one, err);
        if (!st) {
            one.score = r->hits[i].score;
            st = each(ctx, &one, err);
        }
    }
    return st;
}

quire_status memory_search(struct memories *m, const struct memory_query *q,
                           quire_memory_fn each, void *ctx, bool *partial,
                           quire_error *err)
{
    struct recall r = {
        .m = m,
        .q = q,
        .types = q->types    ? q->types
                 : q->intent ? memory_intent(q->text)
                             : 0,
        .now_us = q->as_of_us ? q->as_of_us : clock_us(m->clock),
        .eager = q->fused || q->as_of_us,
        .hits = malloc((2 * HITS_MAX + RANKED_MAX) * sizeof(struct hit)),
    };
    struct arena keep = ARENA_INIT; /* queries */
    quire_status st = r.hits ? db_begin(m->db, DB_LOOK, q->tenant, err)
                             : err_memory(err);

    *partial = false;
    r.valid = r.hits ? r.hits + 2 * (size_t)HITS_MAX : NULL;
    if (!st) {
        st = find_words(&r, &keep, err);
        if (!st)
            st = find_beginnings(&r, &keep, err);
        if (!st)
            st = emit_hits(&r, each, ctx, err);
        db_rollback(m->db);
        *partial = r.partial;
    }
    arena_release(&keep);
    arena_release(&r.tmp);
    free(r.hits);
    return st;
}
