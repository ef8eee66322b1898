/* run.c - see run.h */
#include "search/run_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

/* Hits kept before the best of them are selected. */
enum { CANDIDATES_MAX = 1 << 19 };

enum { DAY_S = 86400, AGE_DAYS = 3650 };

/* How much a kind weighs: what a person wrote is more often meant than the output of
 * a tool. */
static const float kind_weights[N_TEXT_KINDS] = {
    [TEXT_MESSAGE] = 1.0f,     [TEXT_THINKING] = 0.8f, [TEXT_TOOL_INPUT] = 1.0f,
    [TEXT_TOOL_RESULT] = 0.7f, [TEXT_SUMMARY] = 1.0f,  [TEXT_TITLE] = 1.6f,
    [TEXT_LABEL] = 1.5f,       [TEXT_OUTPUT] = 0.6f,   [TEXT_ARTIFACT] = 1.0f,
    [TEXT_MEMORY] = 1.3f,      [TEXT_HISTORY] = 1.1f,
};

#define USER_WEIGHT 1.3f

/* ---- scores ------------------------------------------------------------------------ */

/* What a score is multiplied by: a week ago 0.87, a month 0.74, a year 0.54. The
 * logarithm is straight between the powers of two: it is computed for each hit. */
static float age_factor(int64_t days)
{
    float x = 1 + (float)days / 7, part;
    int whole = 0;

    for (part = x; part >= 2; part /= 2)
        whole++;
    return 1 / (1 + 0.15f * ((float)whole + part - 1));
}

static float weigh(const struct run *k, float score, unsigned meta,
                   uint32_t time)
{
    int64_t days = time ? (k->now_us / 1000000 - time) / DAY_S : AGE_DAYS;
    unsigned kind = PLACE_KIND(meta);

    if (kind < N_TEXT_KINDS)
        score *= kind_weights[kind];
    if (PLACE_ROLE(meta) == TEXT_ROLE_USER)
        score *= USER_WEIGHT;
    return score * age_factor(days < 0 ? 0 : days);
}

/* ---- hits -------------------------------------------------------------------------- */

static quire_status add_candidate(struct run *k, const struct candidate *c,
                                  quire_error *err)
{
    if (k->found.len >= k->room * sizeof *c) {
        size_t kept = k->room == CANDIDATES_MAX ? k->room / 2 : k->r->limit + 1;

        run_select_best(k, kept);
        k->found.len = kept * sizeof *c;
        k->cut = true;
    }
    buf_add(&k->found, c, sizeof *c);
    return k->found.failed ? err_memory(err) : QUIRE_OK;
}

/* Whether it is the hit that the page before ended with: then its key is the one to
 * go on from. */
static quire_status locate_after(struct run *k, const struct candidate *c,
                                 quire_error *err)
{
    const struct run_key *wanted = &k->r->cursor.after;
    struct place place;
    quire_status st;

    if (c->time != wanted->time || c->group != wanted->group)
        return QUIRE_OK;
    st = run_read_place(k, c, &place, err);
    if (!st && place.offset == wanted->place_offset &&
        place.part == wanted->place_part) {
        k->after = run_key_of(k, c);
        k->after.score = wanted->score;
    }
    return st;
}

static bool is_branched(const struct run *k, size_t segment,
                        const struct candidate *c)
{
    const struct source_set *set = k->r->branched[k->owner[segment]];

    return set && source_set_has(set, c->source);
}

static quire_status add_place(struct run *k, size_t segment, float score,
                              struct candidate c, quire_error *err)
{
    c.segment = (uint16_t)segment;
    if (!run_passes(k, &c))
        return QUIRE_OK;
    if (k->locating)
        return locate_after(k, &c, err);
    k->total++;
    k->out->has_branched |= is_branched(k, segment, &c);
    if (k->r->facets)
        run_count_facets(k, &c);
    if (k->r->sort == RUN_RANK)
        c.score = k->r->words_score ? score : weigh(k, score, c.meta, c.time);
    /* Groups are formed of all hits; the cursor then skips groups. */
    if (k->r->flat && !run_is_behind_cursor(k, &c))
        return QUIRE_OK;
    return add_candidate(k, &c, err);
}

static uint32_t seconds_of(int64_t us)
{
    int64_t s = us / 1000000;

    return s < 0 ? 0 : s > UINT32_MAX ? UINT32_MAX : (uint32_t)s;
}

/* Whether what is new to its engine is older than the first page: then it was in the
 * other one. */
static bool is_moved(const struct run *k, int64_t time_us)
{
    return k->r->cursor.set && time_us != 0 && time_us < k->r->cursor.now_us;
}

/* The same for the text of a segment. Its time in memory is in seconds. */
static bool is_moved_text(const struct run *k, struct segment *s, uint32_t doc,
                          uint32_t time)
{
    struct place place;

    if (!k->r->cursor.set || time != seconds_of(k->r->cursor.now_us))
        return is_moved(k, (int64_t)time * 1000000);
    return !segment_place(s, doc, &place, NULL) && is_moved(k, place.time_us);
}

/* The further places of a text, in any segment of its engine. at[i] is where those of
 * the last text began: texts ascend. */
static quire_status add_extra(struct run *k, size_t segment, uint64_t text,
                              float score, size_t *at, quire_error *err)
{
    uint32_t until = (uint32_t)k->texts[k->owner[segment]];
    quire_status st = QUIRE_OK;
    size_t i, from;

    for (i = 0; i < k->n_segments && !st; i++) {
        const struct segment *s = k->segments[i];

        if (k->owner[i] != k->owner[segment] || at[i] == s->n_extra)
            continue;
        while (at[i] < s->n_extra && s->extra[at[i]].text < text)
            at[i]++;
        for (from = at[i];
             from < s->n_extra && s->extra[from].text == text && !st; from++) {
            const struct place *p = &s->extra[from];
            struct candidate c = {
                .time = seconds_of(p->time_us),
                .text = text,
                .group = p->group,
                .source = p->source,
                .meta = p->meta,
                .extra = (uint32_t)from + 1,
            };

            /* Lowest bits only: they are at most 2^31 apart. */
            if ((int32_t)(p->added - until) < 0 || is_moved(k, p->time_us))
                st = add_place(k, i, score, c, err);
        }
    }
    return st;
}

static quire_status add_matches(struct run *k, size_t segment,
                                const struct matches *m, quire_error *err)
{
    const struct segment *s = k->segments[segment];
    uint64_t until = k->texts[k->owner[segment]];
    size_t *at = calloc(k->n_segments, sizeof *at), i;
    quire_status st = at ? QUIRE_OK : err_memory(err);

    for (i = 0; i < m->n && !st; i++) {
        uint32_t doc = m->docs[i];
        struct candidate c = {
            .time = s->times[doc],
            .text = s->first_text + doc,
            .group = s->groups[doc],
            .source = s->sources[doc],
            .meta = s->metas[doc],
        };

        if (c.text >= until &&
            !is_moved_text(k, k->segments[segment], doc, c.time))
            continue;
        st = add_place(k, segment, m->scores[i], c, err);
        if (!st)
            st = add_extra(k, segment, c.text, m->scores[i], at, err);
    }
    free(at);
    return st;
}

/* ---- segments ------------------------------------------------------------------------- */

static quire_status match_all(struct segment *s, struct arena *tmp,
                              struct matches *out, quire_error *err)
{
    uint32_t i;

    out->n = 0;
    out->docs = arena_alloc(tmp, ((size_t)s->n_texts + 1) * sizeof *out->docs);
    out->scores = arena_array(tmp, (size_t)s->n_texts + 1, sizeof *out->scores);
    if (!out->docs || !out->scores)
        return err_memory(err);
    for (i = 0; i < s->n_texts; i++)
        if (s->lengths[i] > 0)
            out->docs[out->n++] = i;
    return QUIRE_OK;
}

static quire_status run_segment(struct run *k, size_t i,
                                const struct plan_stats *stats,
                                quire_error *err)
{
    struct segment *s = k->segments[i];
    struct arena tmp = ARENA_INIT;
    struct matches m = {.n = 0};
    bool exact = true;
    quire_status st = segment_load_columns(s, err);

    if (st)
        return st;
    st = k->r->plan ? plan_match(k->r->plan, stats, s, &tmp, &m, &exact, err)
                    : match_all(s, &tmp, &m, err);
    k->exact &= exact;
    if (!st)
        st = add_matches(k, i, &m, err);
    arena_release(&tmp);
    return st;
}

static quire_status list_segments(struct run *k, quire_error *err)
{
    struct segment *const *list;
    size_t n = 0, i, e;

    for (e = 0; e < k->r->n_engines; e++)
        if (k->r->engines[e])
            n += engine_segments(k->r->engines[e], &list);
    k->segments = arena_array(k->keep, n + 1, sizeof *k->segments);
    k->owner = arena_array(k->keep, n + 1, sizeof *k->owner);
    k->names = arena_array(k->keep, n + 1, sizeof *k->names);
    if (!k->segments || !k->owner || !k->names)
        return err_memory(err);
    for (e = 0; e < k->r->n_engines; e++) {
        k->texts[e] = k->r->cursor.set ? k->r->cursor.texts[e] : 0;
        if (!k->r->engines[e])
            continue;
        n = engine_segments(k->r->engines[e], &list);
        for (i = 0; i < n; i++) {
            k->owner[k->n_segments] = (uint8_t)e;
            k->segments[k->n_segments++] = list[i];
        }
        if (!k->r->cursor.set)
            k->texts[e] = engine_next_text(k->r->engines[e]);
    }
    return QUIRE_OK;
}

/* The same numbers for every page. */
static void keep_stats(struct run *k, struct plan_stats *stats)
{
    const struct run_cursor *from = &k->r->cursor;
    struct run_cursor *to = &k->out->cursor;
    size_t n = k->r->plan ? k->r->plan->n_leaves : 0;

    n = n < RUN_WEIGHTS_MAX ? n : RUN_WEIGHTS_MAX;
    if (from->set && from->n_weights == n) {
        stats->n_texts = from->n_texts;
        stats->mean_words = from->mean_words;
        if (n)
            memcpy(stats->weights, from->weights, n * sizeof *from->weights);
    }
    to->n_texts = stats->n_texts;
    to->mean_words = stats->mean_words;
    to->n_weights = (uint32_t)n;
    if (n)
        memcpy(to->weights, stats->weights, n * sizeof *to->weights);
}

/* Whether the last hit of the page before has the number that it had then. */
static bool is_numbered(const struct run *k)
{
    const struct run_cursor *from = &k->r->cursor;
    size_t e;

    for (e = 0; e < k->r->n_engines; e++) {
        const struct engine *one = k->r->engines[e];

        if (one && !engine_is_temporary(one) &&
            from->after.text >= engine_first_text(one) &&
            from->after.text < from->texts[e])
            return true;
    }
    return false;
}

/* The numbers of texts and sources change when what was in memory is written to the
 * home's index between two pages. Find the last hit of the page before by its place. */
static quire_status locate(struct run *k, struct plan_stats *stats,
                           quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    k->after = k->r->cursor.after;
    if (!k->r->cursor.set || is_numbered(k))
        return QUIRE_OK;
    k->locating = true;
    for (i = 0; i < k->n_segments && !st; i++)
        st = run_segment(k, i, stats, err);
    k->locating = false;
    return st;
}

static quire_status run_segments(struct run *k, quire_error *err)
{
    struct plan_stats stats = {.n_texts = 0};
    quire_status st = list_segments(k, err);
    size_t i;

    if (!st && k->r->plan)
        st = plan_stats_read(k->r->plan, k->segments, k->n_segments, k->keep,
                             &stats, err);
    if (!st)
        keep_stats(k, &stats);
    for (i = 0; i < k->n_segments && !st; i++)
        st = run_prepare_names(k, k->segments[i], &k->names[i], err);
    if (!st)
        st = locate(k, &stats, err);
    for (i = 0; i < k->n_segments && !st; i++) {
        k->out->stopped = k->r->stop && k->r->stop(k->r->ctx);
        if (k->out->stopped)
            break;
        st = run_segment(k, i, &stats, err);
    }
    return st;
}

/* Where words decide, a page of hits needs only the best of them. */
static size_t room_for(const struct run_request *r)
{
    size_t page = 8 * (r->limit + 1);

    if (!r->flat || (r->plan && !r->plan->exact) || page > CANDIDATES_MAX)
        return CANDIDATES_MAX;
    return page < 8192 ? 8192 : page;
}

quire_status search_run(const struct run_request *r, struct arena *keep,
                        struct run_result *out, quire_error *err)
{
    struct run k = {.r = r,
                    .keep = keep,
                    .found = BUF_INIT(SIZE_MAX),
                    .sources = BUF_INIT(SIZE_MAX),
                    .exact = true,
                    .now_us = r->cursor.set ? r->cursor.now_us : r->now_us,
                    .out = out};
    quire_status st;

    *out = (struct run_result){.total_is_exact = true};
    k.room = room_for(r);
    st = run_segments(&k, err);
    if (!st && !k.exact)
        st = run_check_candidates(&k, err);
    out->total_is_exact &= !out->stopped;
    if (!st)
        st = run_sum_facets(&k, err);
    if (!st)
        st = r->flat ? run_emit_flat(&k, err) : run_emit_groups(&k, err);
    out->total = k.total;
    if (!st)
        run_set_cursor(&k);
    buf_release(&k.found);
    buf_release(&k.sources);
    return st;
}
