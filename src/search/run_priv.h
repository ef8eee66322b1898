/* run_priv.h - shared by the files that run a query */
#ifndef SEARCH_RUN_PRIV_H
#define SEARCH_RUN_PRIV_H

#include "base/buf.h"
#include "search/run.h"

/* A hit before its place is read: there may be half a million of them. */
struct candidate {
    float score;
    uint32_t time;
    uint64_t text;
    uint32_t group;
    uint32_t source;
    uint16_t segment; /* in the list of all */
    uint16_t meta;
    uint32_t extra; /* 0: the place of its own; else number + 1 */
};

/* The names of a segment: whether the filters let them pass, and how many hits have
 * them. */
struct names {
    bool *tool_ok, *model_ok; /* NULL: all do */
    uint64_t *tool_counts, *model_counts;
};

struct run {
    const struct run_request *r;
    struct arena *keep;
    struct segment **segments; /* of all engines */
    uint8_t *owner;            /* engine of a segment */
    size_t n_segments;
    uint64_t texts[RUN_ENGINES_MAX];
    struct names *names; /* by segment */
    struct buf found;    /* struct candidate */
    struct buf
        sources; /* struct run_source_count; one may be there repeatedly */
    uint64_t total;
    int64_t now_us;       /* of the first page */
    struct run_key after; /* where the page before ended */
    bool locating;        /* `after` is looked for */
    size_t room; /* candidates that are kept before the worst are dropped */
    bool cut;    /* candidates were dropped */
    bool exact;
    struct run_result *out;
};

static inline struct candidate *run_found(struct run *k)
{
    return (struct candidate *)(void *)k->found.data;
}

static inline size_t run_n_found(const struct run *k)
{
    return k->found.len / sizeof(struct candidate);
}

/* The place of a candidate, read from its segment. */
static inline quire_status run_read_place(struct run *k,
                                          const struct candidate *c,
                                          struct place *out, quire_error *err)
{
    struct segment *s = k->segments[c->segment];

    if (c->extra) {
        *out = s->extra[c->extra - 1];
        return QUIRE_OK;
    }
    return segment_place(s, (uint32_t)(c->text - s->first_text), out, err);
}

/* ---- run_order.c ----------------------------------------------------------- */

struct run_key run_key_of(const struct run *k, const struct candidate *c);

/* Below 0: `a` is the better. */
int run_compare(const struct run *k, const struct candidate *a,
                const struct candidate *b);
bool run_is_behind_cursor(const struct run *k, const struct candidate *c);

/* Move the best `n` of those found to the front, in any order; the same, sorted. */
void run_select_best(struct run *k, size_t n);
quire_status run_sort_best(struct run *k, size_t n, quire_error *err);

/* ---- run_filter.c ---------------------------------------------------------- */

/* Numbers of names in the segment of the candidate; 0: none. */
struct run_place_names {
    uint16_t tool, model;
};
struct run_place_names run_names_of(const struct run *k,
                                    const struct candidate *c);

quire_status run_prepare_names(struct run *k, const struct segment *s,
                               struct names *names, quire_error *err);
bool run_passes(const struct run *k, const struct candidate *c);

/* ---- run_facets.c ---------------------------------------------------------- */

void run_count_facets(struct run *k, const struct candidate *c);
void run_forget_facets(struct run *k);
quire_status run_sum_facets(struct run *k, quire_error *err);

/* ---- run_page.c ------------------------------------------------------------ */

/* Keep the candidates whose texts match, where words do not decide. */
quire_status run_check_candidates(struct run *k, quire_error *err);
quire_status run_emit_flat(struct run *k, quire_error *err);
quire_status run_emit_groups(struct run *k, quire_error *err);
void run_set_cursor(struct run *k);

#endif
