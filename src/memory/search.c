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
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "memory/priv.h"

#define RANKED_MAX 1000

#define TYPE_BOOST 1.3
#define TAG_BOOST  1.2

#define FUSION_K       60.0
#define SESSION_WEIGHT 1.5
#define TENANT_WEIGHT  1.0
#define POOL_MIN       50

#define DAY_US ((int64_t)24 * 60 * 60 * 1000000)

struct hit {
    int64_t id, updated_us;
    bool pinned; /* to the session that asks */
    double score;
};

struct recall {
    struct memories *m;
    const struct memory_query *q;
    unsigned types; /* that rank higher       */
    int64_t now_us;
    struct arena tmp; /* for one row          */
    struct hit *hits; /* owned                */
    size_t n;
    size_t first; /* hits before it are ranked already */
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

static double score_of(struct recall *r, struct stmt *s)
{
    double score = (double)stmt_column_int(s, HIT_SCORE) / HIT_SCALE;
    int type = memory_type_of(stmt_column_bytes(s, HIT_TYPE));

    if (type >= 0 && (r->types & 1u << type))
        score *= TYPE_BOOST;
    if (r->q->tag &&
        entry_has_tag(stmt_column_bytes(s, HIT_TAGS), r->q->tag, &r->tmp))
        score *= TAG_BOOST;
    return score * by_age(r, stmt_column_int(s, HIT_UPDATED));
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

static void rank_hits(struct recall *r)
{
    sort_hits(r);
    if (r->q->fused)
        fuse_lists(r);
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

/* ---- hits --------------------------------------------------------------- */

static quire_status read_hits(struct recall *r, struct stmt *s,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (r->n - r->first < HITS_MAX && !(st = sql_row(s, err))) {
        int64_t session = stmt_column_int(s, HIT_SESSION);

        arena_reset(&r->tmp);
        r->hits[r->n++] = (struct hit){
            .id = stmt_column_int(s, HIT_ID),
            .updated_us = stmt_column_int(s, HIT_UPDATED),
            .pinned = session && session == r->q->session,
            .score = score_of(r, s),
        };
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* The newest id that is not ranked; 0: all are. The plain expression has the
 * same hits as the other, and costs less. */
static quire_status find_floor(struct recall *r, struct sql *sql,
                               quire_bytes plain, int64_t *floor,
                               quire_error *err)
{
    bool then = r->q->as_of_us != 0;
    struct stmt *s;
    quire_status st = sql_use(sql, then ? FULLTEXT_FLOOR_THEN : FULLTEXT_FLOOR,
                              &s, err);

    *floor = 0;
    if (st)
        return st;
    stmt_bind_text(s, 1, plain);
    stmt_bind_int(s, 2, RANKED_MAX);
    if (then)
        stmt_bind_int(s, 3, r->q->as_of_us);
    st = sql_row(s, err);
    if (!st)
        *floor = stmt_column_int(s, 0);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status find_in(struct recall *r, int index, quire_bytes expression,
                            quire_bytes plain, quire_error *err)
{
    struct sql *sql = &r->m->words.sql[index];
    int64_t floor;
    quire_status st = find_floor(r, sql, plain, &floor, err);
    bool fused = floor && r->q->session;
    struct stmt *s;

    if (!st)
        st = sql_use(sql, fused ? FULLTEXT_FIND_FUSED : FULLTEXT_FIND, &s, err);
    if (st)
        return st;
    r->partial |= floor != 0;
    stmt_bind_text(s, 1, expression);
    stmt_bind_int(s, 2, floor);
    stmt_bind_int(s, 3, r->q->as_of_us);
    if (fused) {
        stmt_bind_int(s, 4, r->q->session);
        stmt_bind_int(s, 5, SESSION_CACHE_MAX);
    }
    return read_hits(r, s, err);
}

static quire_status find_in_all(struct recall *r, const struct buf *expression,
                                const struct buf *plain, quire_error *err)
{
    quire_status st = find_in(r, FULLTEXT_NOW, buf_bytes(expression),
                              buf_bytes(plain), err);

    if (!st && r->q->as_of_us)
        st = find_in(r, FULLTEXT_PAST, buf_bytes(expression), buf_bytes(plain),
                     err);
    return st;
}

static quire_status find_words(struct recall *r, quire_error *err)
{
    struct buf expression = BUF_INIT(256 * 1024), plain = BUF_INIT(64 * 1024);
    quire_status st = QUIRE_OK;

    if (!memory_expression(r->q->text, false, &expression)) {
        st = err_fail(err, QUIRE_INVALID, "use one or more words of the entry",
                      "the query has no search term");
    }
    memory_expression(r->q->text, true, &plain);
    if (!st)
        st = buf_status(&expression, "the question", err);
    if (!st)
        st = buf_status(&plain, "the question", err);
    if (!st)
        st = memory_fulltext_open(r->m, r->q->tenant, false, err);
    if (!st)
        st = find_in_all(r, &expression, &plain, err);
    if (!st)
        rank_hits(r);
    buf_release(&expression);
    buf_release(&plain);
    return st;
}

/* After find_words(), if the caller wants more. */
static quire_status find_beginnings(struct recall *r, quire_error *err)
{
    struct buf expression = BUF_INIT(256 * 1024);
    quire_status st = QUIRE_OK;

    r->first = r->n;
    if (r->n < r->q->limit && memory_stem_expression(r->q->text, &expression)) {
        st = buf_status(&expression, "the question", err);
        if (!st)
            st = find_in_all(r, &expression, &expression, err);
        if (!st) {
            rank_hits(r);
            lower_scores(r);
        }
    }
    buf_release(&expression);
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
        st = entry_any(r->m, r->q->tenant, r->hits[i].id, &r->tmp, &one, err);
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
        .hits = malloc(2 * HITS_MAX * sizeof(struct hit)),
    };
    quire_status st = r.hits ? db_begin(m->db, DB_LOOK, DB_ALL_TENANTS, err)
                             : err_memory(err);

    *partial = false;
    if (!st) {
        st = find_words(&r, err);
        if (!st)
            st = find_beginnings(&r, err);
        if (!st)
            st = emit_hits(&r, each, ctx, err);
        db_rollback(m->db);
        *partial = r.partial;
    }
    arena_release(&r.tmp);
    free(r.hits);
    return st;
}
