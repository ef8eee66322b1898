/* engine_merge.c - merge segments, and drop what is dead in them */
#include "base/err.h"
#include "search/engine_priv.h"

/* So many segments of about one size are merged into one, and a segment in which
 * this part of the texts is dead is written again. */
enum { MERGE_WIDTH = 8, DEAD_PERCENT = 25 };

/* What is hidden stays. */
static bool is_kept(const struct engine *e, uint32_t source)
{
    return source != 0 && !engine_has_number(&e->dead, source);
}

static bool is_live_source(void *ctx, uint32_t source)
{
    return is_kept(ctx, source);
}

static bool has_live_extra(void *ctx, uint64_t text)
{
    struct engine *e = ctx;
    size_t i, from, to;

    for (i = 0; i < e->n_open; i++) {
        segment_extra_of(e->list[i], text, &from, &to);
        for (; from < to; from++)
            if (is_kept(e, e->list[i]->extra[from].source))
                return true;
    }
    return false;
}

/* Places that a merge would remove. */
static uint64_t count_dead(struct engine *e, const struct segment *s)
{
    uint64_t n = 0;
    uint32_t i;

    if (e->dead.n == 0)
        return 0;
    for (i = 0; i < s->n_texts; i++)
        n += s->lengths[i] > 0 && engine_has_number(&e->dead, s->sources[i]);
    for (i = 0; i < s->n_extra; i++)
        n += engine_has_number(&e->dead, s->extra[i].source);
    return n;
}

/* Sizes are of one level if they are within a factor of eight. */
static int level_of(uint64_t bytes)
{
    int level = 0;

    for (bytes >>= 16; bytes > 0; bytes >>= 3)
        level++;
    return level;
}

/* The adjacent segments to merge next; *n 0: none. */
static void choose_segments(struct engine *e, bool all, size_t *from, size_t *n)
{
    size_t i, run = 0;
    int level = -1;

    *from = *n = 0;
    if (all) {
        bool useful = e->n_open > 1;

        for (i = 0; i < e->n_open && !useful; i++)
            useful = count_dead(e, e->list[i]) > 0;
        *n = useful ? e->n_open : 0;
        return;
    }
    for (i = 0; i < e->n_open; i++) {
        uint64_t dead = count_dead(e, e->list[i]);

        uint64_t places = e->list[i]->stats.n_texts + e->list[i]->n_extra;

        if (dead * 100 > places * DEAD_PERCENT) {
            *from = i;
            *n = 1;
            return;
        }
    }
    /* A run has segments of one level and smaller ones between them. Those behind it
     * come along but do not count: a few small ones are no reason to write a large
     * one again. */
    for (i = e->n_open; i-- > 0;) {
        int one = level_of(e->list[i]->bytes);

        if (one > level) {
            if (*n > 0)
                return;
            level = one;
            run = 0;
        }
        run++;
        if (run >= MERGE_WIDTH) {
            *from = i;
            *n = e->n_open - i;
        }
    }
}

static quire_status merge_range(struct engine *e, size_t from, size_t n,
                                quire_error *err)
{
    struct merge_filter filter = {is_live_source, has_live_extra, e};
    uint64_t number = (uint64_t)e->now.segment++, bytes = 0;
    struct stmt *s = NULL;
    quire_status st = segment_merge(e->c.store, e->list + from, n, number,
                                    &filter, &bytes, err);
    size_t i;

    for (i = 0; i < n && !st; i++)
        st = engine_run_number(e, SQL_DROP_SEGMENT,
                               (int64_t)e->list[from + i]->number, 0, false,
                               err);
    if (!st)
        st = sql_use(&e->sql, SQL_ADD_SEGMENT, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, (int64_t)number);
    stmt_bind_int(s, 2, (int64_t)e->list[from]->first_text);
    stmt_bind_int(s, 3, (int64_t)bytes);
    stmt_bind_int(s, 4, e->now.stamp);
    st = stmt_post(s, err);
    return st;
}

/* Dead sources that have left every segment are forgotten. */
static quire_status forget_dead(struct engine *e, size_t from, size_t n,
                                quire_error *err)
{
    int64_t least = e->now.stamp;
    size_t i;

    for (i = 0; i < e->n_open; i++)
        if ((i < from || i >= from + n) && e->open[i].stamp < least)
            least = e->open[i].stamp;
    return engine_run_number(e, SQL_DROP_DEAD, least, 0, false, err);
}

/* Updates need not survive a power cut, but the list that survives has its segments:
 * before any is removed, the list without it is durable. */
static quire_status make_durable(struct engine *e, quire_error *err)
{
    quire_status st = db_begin(e->c.db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (!st)
        st = sql_end(e->c.db,
                     db_exec(e->c.db,
                             "UPDATE counter SET value = value"
                             " WHERE name = 'epoch'",
                             err),
                     err);
    return st;
}

quire_status engine_merge(struct engine *e, bool all, bool *more,
                          quire_error *err)
{
    size_t from, n;
    quire_status st = engine_begin(e, err);

    *more = false;
    if (st)
        return st;
    choose_segments(e, all, &from, &n);
    if (n == 0) {
        db_rollback(e->c.db);
        e->updating = false;
        return QUIRE_OK;
    }
    st = merge_range(e, from, n, err);
    if (!st)
        st = forget_dead(e, from, n, err);
    st = engine_end(e, st, err);
    /* If this fails, the next merge removes them. The next number is not taken yet,
     * or by another process now. */
    if (!st && !make_durable(e, NULL))
        engine_remove_unlisted(e, (uint64_t)e->now.segment, NULL);
    *more = !st && !all;
    return st;
}
