/* run.c - see run.h */
#include "search/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"

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

/* A hit before its place is read. */
struct candidate {
    float score;
    uint32_t time;
    uint64_t text;
    uint64_t offset; /* of a further place, plus one; else 0 */
    uint32_t group;
    uint32_t source;
    uint16_t segment; /* in the list of all */
    uint16_t meta;
    uint32_t extra; /* 0: the place of its own; else number + 1 */
    uint16_t part;  /* of a further place */
    uint16_t tool, model;
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
    uint64_t total;
    int64_t now_us;       /* of the first page */
    struct run_key after; /* where the page before ended */
    bool locating;        /* `after` is looked for */
    size_t room; /* candidates that are kept before the worst are dropped */
    bool cut;    /* candidates were dropped */
    bool exact;
    struct run_result *out;
};

/* ---- order ---------------------------------------------------------------------- */

/* The better first. */
static int compare_keys(enum run_sort sort, const struct run_key *a,
                        const struct run_key *b)
{
    int sign = sort == RUN_OLDEST ? -1 : 1;

    if (sort == RUN_RANK && a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->time != b->time)
        return a->time > b->time ? -sign : sign;
    if (a->text != b->text)
        return a->text > b->text ? -sign : sign;
    if (a->source != b->source)
        return a->source > b->source ? -sign : sign;
    if (a->offset != b->offset)
        return a->offset > b->offset ? -sign : sign;
    return a->part == b->part ? 0 : a->part > b->part ? -sign : sign;
}

static struct run_key key_of(const struct candidate *c)
{
    /* Places of one text differ in their source, or in where they are in it. The
     * place of its own comes first: its offset is not in memory. None of this
     * changes when segments are merged. */
    return (struct run_key){.score = (double)c->score,
                            .time = c->time,
                            .text = c->text,
                            .source = c->source,
                            .offset = c->offset,
                            .part = c->part,
                            .group = c->group};
}

static int by_rank(const void *a, const void *b)
{
    struct run_key x = key_of(a), y = key_of(b);

    return compare_keys(RUN_RANK, &x, &y);
}

static int by_newest(const void *a, const void *b)
{
    struct run_key x = key_of(a), y = key_of(b);

    return compare_keys(RUN_NEWEST, &x, &y);
}

static int by_oldest(const void *a, const void *b)
{
    struct run_key x = key_of(a), y = key_of(b);

    return compare_keys(RUN_OLDEST, &x, &y);
}

typedef int (*compare_fn)(const void *, const void *);

static compare_fn order_of(enum run_sort sort)
{
    return sort == RUN_RANK     ? by_rank
           : sort == RUN_NEWEST ? by_newest
                                : by_oldest;
}

static struct candidate *found_list(struct run *k)
{
    return (struct candidate *)(void *)k->found.data;
}

static size_t n_found(const struct run *k)
{
    return k->found.len / sizeof(struct candidate);
}

/* Restore the heap below `at`: every element is at least as bad as its children. */
static void sift_down(struct candidate *heap, size_t n, size_t at,
                      compare_fn compare)
{
    struct candidate moved = heap[at];
    size_t kid;

    while ((kid = 2 * at + 1) < n) {
        if (kid + 1 < n && compare(&heap[kid + 1], &heap[kid]) > 0)
            kid++;
        if (compare(&heap[kid], &moved) <= 0)
            break;
        heap[at] = heap[kid];
        at = kid;
    }
    heap[at] = moved;
}

/* Move the best `n` of `count` to the front, in any order: a heap of the best so far,
 * with the worst of them at its root. */
static void select_best(struct candidate *list, size_t count, size_t n,
                        compare_fn compare)
{
    struct candidate swap;
    size_t i;

    if (n >= count || n == 0)
        return;
    for (i = n / 2; i-- > 0;)
        sift_down(list, n, i, compare);
    for (i = n; i < count; i++) {
        if (compare(&list[i], &list[0]) >= 0)
            continue;
        swap = list[0];
        list[0] = list[i];
        list[i] = swap;
        sift_down(list, n, 0, compare);
    }
}

static void sort_best(struct run *k, size_t n)
{
    compare_fn compare = order_of(k->r->sort);
    struct candidate *list = found_list(k);
    size_t count = n_found(k);

    if (n < count / 4) {
        select_best(list, count, n, compare);
        count = n;
    }
    if (count > 1)
        qsort(list, count, sizeof *list, compare);
}

/* ---- filters --------------------------------------------------------------------- */

static bool is_tool(quire_bytes name, quire_bytes wanted)
{
    return name.len == wanted.len &&
           !strncasecmp(name.data, wanted.data, name.len);
}

/* Models are named with a provider in front, or a date behind. */
static bool is_model(quire_bytes name, quire_bytes wanted)
{
    return memmem(name.data, name.len, wanted.data, wanted.len);
}

typedef bool (*is_name_fn)(quire_bytes name, quire_bytes wanted);

static bool name_wanted(quire_bytes name, const struct run_names *wanted,
                        is_name_fn is)
{
    size_t i;

    for (i = 0; i < wanted->n_not; i++)
        if (is(name, wanted->not [i]))
            return false;
    for (i = 0; i < wanted->n; i++)
        if (is(name, wanted->any[i]))
            return true;
    return wanted->n == 0;
}

/* Which names of a segment the filter lets pass, by their numbers: 0 is a place
 * without one. *ok is NULL if all do. */
static quire_status select_names(struct run *k, const struct segment *s,
                                 const struct run_names *wanted, is_name_fn is,
                                 bool **ok, quire_error *err)
{
    uint32_t i;

    if (wanted->n + wanted->n_not == 0)
        return QUIRE_OK;
    *ok = arena_array(k->keep, (size_t)s->n_names + 1, sizeof **ok);
    if (!*ok)
        return err_memory(err);
    (*ok)[0] = wanted->n == 0;
    for (i = 0; i < s->n_names; i++)
        (*ok)[i + 1] = name_wanted(s->names[i], wanted, is);
    return QUIRE_OK;
}

static quire_status prepare_names(struct run *k, const struct segment *s,
                                  struct names *names, quire_error *err)
{
    size_t n = (size_t)s->n_names + 1;
    quire_status st;

    names->tool_counts = arena_array(k->keep, n, sizeof(uint64_t));
    names->model_counts = arena_array(k->keep, n, sizeof(uint64_t));
    if (!names->tool_counts || !names->model_counts)
        return err_memory(err);
    st = select_names(k, s, &k->r->tools, is_tool, &names->tool_ok, err);
    return st ? st
              : select_names(k, s, &k->r->models, is_model, &names->model_ok,
                             err);
}

static bool name_passes(const bool *ok, const struct segment *s, uint16_t name)
{
    return !ok || (name <= s->n_names && ok[name]);
}

static bool passes(const struct run *k, size_t segment,
                   const struct candidate *c)
{
    const struct run_request *r = k->r;
    const struct segment *s = k->segments[segment];
    size_t engine = k->owner[segment];
    unsigned meta = c->meta;
    int64_t us = (int64_t)c->time * 1000000;

    if (r->kinds && !(r->kinds & 1u << PLACE_KIND(meta)))
        return false;
    if (r->one_group && c->group != r->group)
        return false;
    if (r->roles && !(r->roles & 1u << PLACE_ROLE(meta)))
        return false;
    if ((meta & r->flags) != r->flags || (meta & r->not_flags) != 0 ||
        (!r->versions && meta & PLACE_OLDER))
        return false;
    if ((r->after_us && us + 999999 < r->after_us) ||
        (r->before_us && us >= r->before_us))
        return false;
    if (!name_passes(k->names[segment].tool_ok, s, c->tool) ||
        !name_passes(k->names[segment].model_ok, s, c->model))
        return false;
    if (r->sources[engine] && !source_set_has(r->sources[engine], c->source))
        return false;
    return engine_is_live(r->engines[engine], c->source);
}

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

static bool is_behind_cursor(const struct run *k, const struct candidate *c)
{
    struct run_key key = key_of(c);

    return !k->r->cursor.set || compare_keys(k->r->sort, &key, &k->after) > 0;
}

static quire_status add_candidate(struct run *k, const struct candidate *c,
                                  quire_error *err)
{
    if (k->found.len >= k->room * sizeof *c) {
        size_t kept = k->room == CANDIDATES_MAX ? k->room / 2 : k->r->limit + 1;

        select_best(found_list(k), n_found(k), kept, order_of(k->r->sort));
        k->found.len = kept * sizeof *c;
        k->cut = true;
    }
    buf_add(&k->found, c, sizeof *c);
    return k->found.failed ? err_memory(err) : QUIRE_OK;
}

static void count_facets(struct run *k, const struct candidate *c)
{
    const struct segment *s = k->segments[c->segment];
    struct run_facets *f = &k->out->facets;

    if (PLACE_KIND(c->meta) < N_TEXT_KINDS)
        f->kinds[PLACE_KIND(c->meta)]++;
    f->roles[PLACE_ROLE(c->meta)]++;
    if (c->tool && c->tool <= s->n_names)
        k->names[c->segment].tool_counts[c->tool]++;
    if (c->model && c->model <= s->n_names)
        k->names[c->segment].model_counts[c->model]++;
}

/* Where texts are read to be sure, what was counted before is not. */
static void forget_facets(struct run *k)
{
    struct run_facets *f = &k->out->facets;
    size_t i;

    memset(f->kinds, 0, sizeof f->kinds);
    memset(f->roles, 0, sizeof f->roles);
    for (i = 0; i < k->n_segments; i++) {
        size_t size = ((size_t)k->segments[i]->n_names + 1) * sizeof(uint64_t);

        memset(k->names[i].tool_counts, 0, size);
        memset(k->names[i].model_counts, 0, size);
    }
}

static quire_status read_place(struct run *k, const struct candidate *c,
                               struct place *out, quire_error *err)
{
    struct segment *s = k->segments[c->segment];

    if (c->extra) {
        *out = s->extra[c->extra - 1];
        return QUIRE_OK;
    }
    return segment_place(s, (uint32_t)(c->text - s->first_text), out, err);
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
    st = read_place(k, c, &place, err);
    if (!st && place.offset == wanted->place_offset &&
        place.part == wanted->place_part) {
        k->after = key_of(c);
        k->after.score = wanted->score;
    }
    return st;
}

static quire_status add_place(struct run *k, size_t segment, float score,
                              struct candidate c, quire_error *err)
{
    if (!passes(k, segment, &c))
        return QUIRE_OK;
    c.segment = (uint16_t)segment;
    if (k->locating)
        return locate_after(k, &c, err);
    k->total++;
    if (k->r->facets)
        count_facets(k, &c);
    if (k->r->sort == RUN_RANK)
        c.score = k->r->words_score ? score : weigh(k, score, c.meta, c.time);
    /* Groups are formed of all hits; the cursor then skips groups. */
    if (k->r->flat && !is_behind_cursor(k, &c))
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
                .offset = p->offset + 1,
                .part = p->part,
                .group = p->group,
                .source = p->source,
                .meta = p->meta,
                .extra = (uint32_t)from + 1,
                .tool = p->tool,
                .model = p->model,
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
            .tool = s->tools[doc],
            .model = s->models[doc],
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

/* ---- facets -------------------------------------------------------------------------- */

/* The most frequent first, then by name. */
static int by_count(const void *a, const void *b)
{
    const struct run_count *x = a, *y = b;
    size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    order = memcmp(x->name.data, y->name.data, len);
    return order ? order
                 : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

/* What the segments have counted, by name. `models`: those of models. */
struct summing {
    struct run *k;
    struct map known; /* number in the list */
    struct run_count *list;
    size_t n, cap;
};

static quire_status add_count(struct summing *t, quire_bytes name, uint64_t n,
                              quire_error *err)
{
    uint64_t *at = map_get(&t->known, name);
    struct run_count *more;

    if (at) {
        t->list[*at].n += n;
        return QUIRE_OK;
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 16;
        more = arena_array(t->k->keep, t->cap, sizeof *more);
        if (!more)
            return err_memory(err);
        if (t->n)
            memcpy(more, t->list, t->n * sizeof *more);
        t->list = more;
    }
    name = arena_dup(t->k->keep, name);
    if (!name.data || !map_put(&t->known, name, t->n, NULL))
        return err_memory(err);
    t->list[t->n++] = (struct run_count){name, n};
    return QUIRE_OK;
}

static quire_status sum_names(struct run *k, bool models,
                              struct run_count **list, size_t *n,
                              quire_error *err)
{
    struct summing t = {.k = k};
    quire_status st = QUIRE_OK;
    size_t i;
    uint32_t name;

    map_init(&t.known, (uint64_t)(uintptr_t)k, (uint64_t)(uintptr_t)k->keep);
    for (i = 0; i < k->n_segments; i++) {
        const struct segment *s = k->segments[i];
        const uint64_t *counts = models ? k->names[i].model_counts
                                        : k->names[i].tool_counts;

        for (name = 1; name <= s->n_names && !st; name++)
            if (counts[name])
                st = add_count(&t, s->names[name - 1], counts[name], err);
    }
    if (t.n > 1)
        qsort(t.list, t.n, sizeof *t.list, by_count);
    map_release(&t.known);
    *list = t.list;
    *n = t.n;
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
    quire_status st;

    st = k->r->plan ? plan_match(k->r->plan, stats, s, &tmp, &m, &exact, err)
                    : match_all(s, &tmp, &m, err);
    k->exact &= exact;
    if (!st)
        st = add_matches(k, i, &m, err);
    arena_release(&tmp);
    return st;
}

/* Add up what each segment has counted. */
static quire_status sum_facets(struct run *k, quire_error *err)
{
    struct run_facets *f = &k->out->facets;
    quire_status st;

    if (!k->r->facets)
        return QUIRE_OK;
    st = sum_names(k, false, &f->tools, &f->n_tools, err);
    return st ? st : sum_names(k, true, &f->models, &f->n_models, err);
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
        st = prepare_names(k, k->segments[i], &k->names[i], err);
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

/* ---- the page --------------------------------------------------------------------------- */

static quire_status fill_hit(struct run *k, const struct candidate *c,
                             struct run_hit *hit, quire_error *err)
{
    struct segment *s = k->segments[c->segment];
    quire_status st = read_place(k, c, &hit->place, err);

    hit->engine = k->owner[c->segment];
    hit->score = (double)c->score;
    hit->tool = arena_dup(k->keep, segment_name(s, hit->place.tool));
    hit->model = arena_dup(k->keep, segment_name(s, hit->place.model));
    hit->key = key_of(c);
    hit->key.place_offset = hit->place.offset;
    hit->key.place_part = hit->place.part;
    if (!st && (!hit->tool.data || !hit->model.data))
        st = err_memory(err);
    return st;
}

/* Whether the text at the place matches: where words do not decide. */
static quire_status check_text(struct run *k, struct text_matcher *m,
                               const struct candidate *c, bool *yes,
                               quire_error *err)
{
    struct segment_text text;
    struct place place;
    quire_status st = read_place(k, c, &place, err);

    *yes = false;
    if (!st)
        st = k->r->read(k->r->ctx, k->owner[c->segment], &place, &text, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    return st ? st
              : text_matches(m, text.fields, N_FIELDS, yes, NULL, 0, NULL, err);
}

/* The groups of hits that match, while they are checked in order. */
struct checking {
    struct run *k;
    struct text_matcher *m;
    struct map groups;   /* number: how many hits, and ON_PAGE */
    struct arena memory; /* of their keys */
    size_t page;         /* hits or groups behind the cursor */
};

#define ON_PAGE ((uint64_t)1 << 63)

/* Whether it need not be checked any more: the page is full, and the hit neither of
 * a group on it nor among the best of one. */
static bool is_beyond(const struct checking *t, const struct candidate *c)
{
    const uint64_t *n;

    if (t->page <= t->k->r->limit)
        return false;
    if (t->k->r->flat)
        return true;
    n = map_get(&t->groups, bytes_of(&c->group, sizeof c->group));
    return !n || !(*n & ON_PAGE) || (*n & ~ON_PAGE) >= RUN_GROUP_HITS;
}

/* Count a hit that matches. */
static quire_status count_hit(struct checking *t, const struct candidate *c,
                              quire_error *err)
{
    quire_bytes key = bytes_of(&c->group, sizeof c->group);
    uint64_t *n, first = 1;

    if (t->k->r->flat) {
        t->page++;
        return QUIRE_OK;
    }
    n = map_get(&t->groups, key);
    if (n) {
        ++*n;
        return QUIRE_OK;
    }
    if (is_behind_cursor(t->k, c)) {
        t->page++;
        first |= ON_PAGE;
    }
    key = arena_dup(&t->memory, key);
    return key.data && map_put(&t->groups, key, first, NULL) ? QUIRE_OK
                                                             : err_memory(err);
}

static quire_status check_each(struct checking *t, size_t *kept, bool *all,
                               quire_error *err)
{
    struct run *k = t->k;
    struct candidate *list = found_list(k);
    size_t n = n_found(k), i;
    quire_status st = QUIRE_OK;
    bool yes;

    *all = true;
    for (i = 0; i < n && !st; i++) {
        if (is_beyond(t, &list[i])) {
            *all = false;
            if (k->r->flat)
                break;
            continue;
        }
        k->out->stopped = k->r->stop && k->r->stop(k->r->ctx);
        if (k->out->stopped)
            break;
        st = check_text(k, t->m, &list[i], &yes, err);
        if (st || !yes)
            continue;
        count_facets(k, &list[i]);
        st = count_hit(t, &list[i], err);
        list[(*kept)++] = list[i];
    }
    return st;
}

/* Keep the candidates that match, in order, until there are enough hits or groups
 * for a page and one more, and the best hits of these groups. Sets the total. */
static quire_status check_candidates(struct run *k, quire_error *err)
{
    struct checking t = {.k = k};
    size_t kept = 0;
    bool all = false;
    quire_status st = text_matcher_new(k->r->plan, &t.m, err);

    map_init(&t.groups, (uint64_t)(uintptr_t)k, (uint64_t)(uintptr_t)&t);
    forget_facets(k);
    if (n_found(k) > 1)
        qsort(found_list(k), n_found(k), sizeof(struct candidate),
              order_of(k->r->sort));
    if (!st)
        st = check_each(&t, &kept, &all, err);
    text_matcher_free(t.m);
    map_release(&t.groups);
    arena_release(&t.memory);
    k->found.len = kept * sizeof(struct candidate);
    k->total = kept;
    /* A page of hits that continues another has not seen those before it. */
    k->out->total_is_exact = all && !k->cut && !k->out->stopped &&
                             !(k->r->flat && k->r->cursor.set);
    return st;
}

static quire_status emit_flat(struct run *k, quire_error *err)
{
    struct candidate *list = found_list(k);
    size_t n, i;
    quire_status st = QUIRE_OK;

    if (k->exact)
        sort_best(k, k->r->limit < SIZE_MAX ? k->r->limit + 1 : SIZE_MAX);
    n = n_found(k);
    k->out->more = n > k->r->limit;
    n = n < k->r->limit ? n : k->r->limit;
    k->out->hits = arena_array(k->keep, n + 1, sizeof *k->out->hits);
    if (!k->out->hits)
        return err_memory(err);
    for (i = 0; i < n && !st; i++)
        st = fill_hit(k, &list[i], &k->out->hits[i], err);
    k->out->n = n;
    return st;
}

/* ---- groups ------------------------------------------------------------------------------ */

/* The hits of one group: its best ones, as indexes of candidates. */
struct group {
    uint32_t number;
    uint32_t n;
    uint32_t best[RUN_GROUP_HITS];
};

static size_t group_slot(const struct group *groups, size_t size,
                         uint32_t number)
{
    size_t at = (number * 2654435761u) & (size - 1);

    while (groups[at].n > 0 && groups[at].number != number)
        at = (at + 1) & (size - 1);
    return at;
}

static void add_to_group(struct run *k, struct group *g, uint32_t i)
{
    compare_fn compare = order_of(k->r->sort);
    struct candidate *list = found_list(k);
    uint32_t at = g->n < RUN_GROUP_HITS ? g->n : RUN_GROUP_HITS, last;

    g->n++;
    while (at > 0 && compare(&list[i], &list[g->best[at - 1]]) < 0)
        at--;
    if (at == RUN_GROUP_HITS)
        return;
    last = g->n < RUN_GROUP_HITS ? g->n : RUN_GROUP_HITS;
    memmove(&g->best[at + 1], &g->best[at],
            (last - 1 - at) * sizeof g->best[0]);
    g->best[at] = i;
}

struct group_order {
    struct run *k;
    struct group *group;
};

static int by_best(const void *a, const void *b)
{
    const struct group_order *x = a, *y = b;
    struct candidate *list = found_list(x->k);

    return order_of(x->k->r->sort)(&list[x->group->best[0]],
                                   &list[y->group->best[0]]);
}

static quire_status emit_group(struct run *k, const struct group *g,
                               quire_error *err)
{
    struct candidate *list = found_list(k);
    uint32_t n = g->n < RUN_GROUP_HITS ? g->n : RUN_GROUP_HITS, i;
    quire_status st = QUIRE_OK;

    for (i = 0; i < n && !st; i++) {
        struct run_hit *hit = &k->out->hits[k->out->n++];

        st = fill_hit(k, &list[g->best[i]], hit, err);
        hit->in_group = i == 0 ? g->n : 0;
    }
    return st;
}

static quire_status emit_groups(struct run *k, quire_error *err)
{
    struct candidate *list = found_list(k);
    size_t n = n_found(k), size = 16, n_groups = 0, i, emitted = 0;
    struct group *groups;
    struct group_order *order;
    quire_status st = QUIRE_OK;

    while (size < 2 * n + 2)
        size *= 2;
    groups = calloc(size, sizeof *groups);
    order = calloc(n + 1, sizeof *order);
    if (!groups || !order)
        st = err_memory(err);
    for (i = 0; i < n && !st; i++) {
        struct group *g = &groups[group_slot(groups, size, list[i].group)];

        if (g->n == 0)
            order[n_groups++] = (struct group_order){k, g};
        g->number = list[i].group;
        add_to_group(k, g, (uint32_t)i);
    }
    if (!st && n_groups > 1)
        qsort(order, n_groups, sizeof *order, by_best);
    i = n_groups < k->r->limit ? n_groups : k->r->limit;
    k->out->hits = arena_array(k->keep, i * RUN_GROUP_HITS + 1,
                               sizeof *k->out->hits);
    if (!st && !k->out->hits)
        st = err_memory(err);
    for (i = 0; i < n_groups && !st; i++) {
        if (!is_behind_cursor(k, &list[order[i].group->best[0]]))
            continue;
        k->out->more = emitted == k->r->limit;
        if (k->out->more)
            break;
        st = emit_group(k, order[i].group, err);
        emitted++;
    }
    free(order);
    free(groups);
    return st;
}

/* The cursor behind the last hit, or behind the last group. */
static void set_cursor(struct run *k)
{
    struct run_result *out = k->out;
    size_t i = out->n, e;

    while (i > 0 && !k->r->flat && out->hits[i - 1].in_group == 0)
        i--;
    out->cursor.set = i > 0;
    if (i > 0)
        out->cursor.after = out->hits[i - 1].key;
    out->cursor.now_us = k->now_us;
    for (e = 0; e < k->r->n_engines; e++)
        out->cursor.texts[e] = k->texts[e];
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
                    .exact = true,
                    .now_us = r->cursor.set ? r->cursor.now_us : r->now_us,
                    .out = out};
    quire_status st;

    *out = (struct run_result){.total_is_exact = true};
    k.room = room_for(r);
    st = run_segments(&k, err);
    if (!st && !k.exact)
        st = check_candidates(&k, err);
    out->total_is_exact &= !out->stopped;
    if (!st)
        st = sum_facets(&k, err);
    if (!st)
        st = r->flat ? emit_flat(&k, err) : emit_groups(&k, err);
    out->total = k.total;
    if (!st)
        set_cursor(&k);
    buf_release(&k.found);
    return st;
}
