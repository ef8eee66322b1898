/*
 * engine_verify.c - see engine_verify.h
 *
 *   1. A segment is sound by itself.
 *   2. Segments are in the order of their texts, and share none.
 *   3. The source of a place is listed, or dead.
 *   4. The text of a live place is in a segment.
 *
 * Sources and segments are of one commit: see read_state().
 */
#include "search/engine_verify.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "search/segment_verify.h"

enum { STATE_TRIES = 10 };

struct verifying {
    struct engine *e;
    struct segment *const *segments;
    size_t n_segments;
    struct buf sources; /* uint32_t, ascending */
    bool settled;       /* they are of the same commit as the segments */
    uint32_t last;      /* a source that was found */
};

/* ---- sources -------------------------------------------------------------- */

static quire_status add_source(void *ctx, const struct source *s,
                               quire_error *err)
{
    struct verifying *v = ctx;

    buf_add(&v->sources, &s->number, sizeof s->number);
    return buf_status(&v->sources, "the list of sources", err);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static quire_status read_sources(struct verifying *v, quire_error *err)
{
    quire_status st = QUIRE_OK;
    int kind;

    buf_clear(&v->sources);
    for (kind = 0; kind < N_SOURCE_KINDS && !st; kind++)
        st = engine_sources(v->e, (enum source_kind)kind, add_source, v, err);
    if (v->sources.len > 0)
        qsort(v->sources.data, v->sources.len / sizeof(uint32_t),
              sizeof(uint32_t), by_number);
    return st;
}

/* Sources that were read between two reloads that found the same commit are of that
 * commit. Where updates do not pause, sources are not checked. */
static quire_status read_state(struct verifying *v, quire_error *err)
{
    bool changed = true;
    int tries;
    quire_status st = engine_reload(v->e, NULL, err);

    for (tries = 0; tries < STATE_TRIES && changed && !st; tries++) {
        st = read_sources(v, err);
        if (!st)
            st = engine_reload(v->e, &changed, err);
    }
    v->settled = !changed;
    v->n_segments = engine_segments(v->e, &v->segments);
    return st;
}

/* Source 0: the place is dead, the text has others. */
static bool is_known(struct verifying *v, uint32_t source)
{
    if (source == v->last || source == 0)
        return true;
    if (engine_is_live(v->e, source) &&
        (v->sources.len == 0 ||
         !bsearch(&source, v->sources.data, v->sources.len / sizeof source,
                  sizeof source, by_number)))
        return false;
    v->last = source;
    return true;
}

/* ---- one segment ----------------------------------------------------------- */

/* `what` is followed by a number. */
static quire_status fail_segment(const struct segment *s, quire_error *err,
                                 const char *what, uint64_t number)
{
    return err_fail(err, QUIRE_DAMAGED, HINT_SHELL "run quire reindex",
                    "the search index is damaged: segment %llx: %s %llu",
                    (unsigned long long)s->number, what,
                    (unsigned long long)number);
}

static quire_status verify_order(const struct verifying *v, size_t i,
                                 quire_error *err)
{
    const struct segment *s = v->segments[i];
    const struct segment *before = i > 0 ? v->segments[i - 1] : NULL;
    uint64_t end = s->first_text + s->n_texts;

    if (before && s->first_text < before->first_text + before->n_texts)
        return fail_segment(s, err, "it shares with another segment text",
                            s->first_text);
    if (end > engine_next_text(v->e))
        return fail_segment(s, err, "numbers are given only later to text",
                            end - 1);
    return QUIRE_OK;
}

static bool has_text(const struct verifying *v, uint64_t text)
{
    size_t from = 0, to = v->n_segments;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct segment *s = v->segments[middle];

        if (text < s->first_text)
            to = middle;
        else if (text - s->first_text >= s->n_texts)
            from = middle + 1;
        else
            return !segment_load_columns(v->segments[middle], NULL) &&
                   s->lengths[text - s->first_text] > 0;
    }
    return false;
}

static quire_status verify_places(struct verifying *v, const struct segment *s,
                                  quire_error *err)
{
    uint32_t i;

    for (i = 0; i < s->n_texts; i++)
        if (!is_known(v, s->sources[i]))
            return fail_segment(s, err, "a text has unknown source",
                                s->sources[i]);
    for (i = 0; i < s->n_extra; i++) {
        const struct place *p = &s->extra[i];

        if (!is_known(v, p->source))
            return fail_segment(s, err, "a place has unknown source",
                                p->source);
        if (engine_is_live(v->e, p->source) && !has_text(v, p->text))
            return fail_segment(s, err, "a place has missing text", p->text);
    }
    return QUIRE_OK;
}

quire_status engine_verify(struct engine *e, engine_problem_fn each, void *ctx,
                           quire_error *err)
{
    struct verifying v = {.e = e, .sources = BUF_INIT(SIZE_MAX)};
    quire_error why = {.what = ""};
    quire_status st = read_state(&v, err);
    size_t i;

    for (i = 0; i < v.n_segments && !st; i++) {
        st = segment_verify(v.segments[i], &why);
        if (!st)
            st = verify_order(&v, i, &why);
        if (!st && v.settled)
            st = verify_places(&v, v.segments[i], &why);
        if (st == QUIRE_DAMAGED)
            st = each(ctx, why.what, err);
        else if (st && err)
            *err = why;
    }
    buf_release(&v.sources);
    return st;
}
