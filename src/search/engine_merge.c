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

/* Whether a merge would remove a text, or the place of its own. Without a source it is
 * there for its further places. */
static bool is_dead_text(struct engine *e, const struct segment *s, uint32_t i)
{
    if (s->lengths[i] == 0)
        return false;
    return s->sources[i] ? engine_has_number(&e->dead, s->sources[i])
                         : !has_live_extra(e, s->first_text + i);
}

/* Places that a merge would remove. */
static uint64_t count_dead(struct engine *e, const struct segment *s)
{
    uint64_t n = 0;
    uint32_t i;

    if (e->dead.n == 0)
        return 0;
    for (i = 0; i < s->n_texts; i++)
        n += is_dead_text(e, s, i);
    for (i = 0; i < s->n_extra; i++)
        n += engine_has_number(&e->dead, s->extra[i].source);
    return n;
}

/* What count_dead() reads. */
static quire_status load_columns(struct engine *e, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < e->n_open && e->dead.n > 0 && !st; i++)
        st = segment_load_columns(e->list[i], err);
    return st;
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

/* Merge segments and end the update. */
static quire_status merge_and_end(struct engine *e, size_t from, size_t n,
                                  quire_error *err)
{
    quire_status st = merge_range(e, from, n, err);

    if (!st)
        st = forget_dead(e, from, n, err);
    st = engine_end(e, st, err);
    /* If this fails, the next merge removes them. The next number is not taken yet,
     * or by another process now. */
    if (!st && !make_durable(e, NULL))
        engine_remove_unlisted(e, (uint64_t)e->now.segment, NULL);
    return st;
}

static void cancel_update(struct engine *e)
{
    db_rollback(e->c.db);
    e->updating = false;
    segment_builder_free(e->builder);
    e->builder = NULL;
}

quire_status engine_merge(struct engine *e, bool all, bool *more,
                          quire_error *err)
{
    size_t from, n;
    quire_status st = engine_begin(e, err);

    *more = false;
    if (st)
        return st;
    st = load_columns(e, err);
    if (st)
        return engine_end(e, st, err);
    choose_segments(e, all, &from, &n);
    if (n == 0) {
        cancel_update(e);
        return QUIRE_OK;
    }
    st = merge_and_end(e, from, n, err);
    *more = !st && !all;
    return st;
}

/* No segment has anything of a dead source any more. */
static quire_status forget_all_dead(struct engine *e, quire_error *err)
{
    quire_status st = engine_run_number(e, SQL_STAMP_SEGMENTS, e->now.stamp, 0,
                                        false, err);

    if (!st)
        st = engine_run_number(e, SQL_DROP_DEAD, e->now.stamp, 0, false, err);
    return engine_end(e, st, err);
}

/* Objects that no list names may have what was removed since: those of an update that
 * failed, too, whose number is not taken yet. */
static quire_status remove_leftovers(struct engine *e, quire_error *err)
{
    quire_status st = make_durable(e, err);
    int64_t epoch = e->now.epoch;

    if (!st)
        st = engine_begin(e, err);
    if (st)
        return st;
    if (e->now.epoch == epoch)
        st = engine_remove_unlisted(e, UINT64_MAX, err);
    cancel_update(e);
    return st;
}

quire_status engine_purge(struct engine *e, bool *more, quire_error *err)
{
    quire_status st = engine_begin(e, err);
    bool had_dead = false;
    size_t i;

    *more = false;
    if (st)
        return st;
    st = load_columns(e, err);
    if (st)
        return engine_end(e, st, err);
    had_dead = e->dead.n > 0;
    for (i = 0; i < e->n_open; i++) {
        if (count_dead(e, e->list[i]) == 0)
            continue;
        st = merge_and_end(e, i, 1, err);
        *more = !st;
        return st;
    }
    if (had_dead)
        st = forget_all_dead(e, err);
    else
        cancel_update(e);
    if (!st)
        st = remove_leftovers(e, err);
    return st ? st : db_scrub(e->c.db, err);
}
