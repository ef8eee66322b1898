/*
 * Hits, order, totals, facets, groups and pages of a search equal those of a list
 * of places that is filtered and sorted here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "search/language.h"
#include "search/run.h"
#include "store/store.h"
#include "support/catalog.h"
#include "support/test.h"

enum {
    PLACES_MAX = 2000,
    SOURCES = 15,
    N_ENGINES = 2,
    NOW_S = 1800000000,
    ALL = 100000,
};

static const char *const tools[] = {"", "bash", "Read", "edit"};
static const char *const models[] = {"", "claude-opus-4", "gpt-5", "x/claude"};

static uint64_t dice;

static uint32_t roll(uint32_t below)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice >> 33) % below;
}

/* ---- the model ---------------------------------------------------------- */

struct spot {
    size_t engine;
    struct place place; /* .source is a number of the engine */
    quire_bytes body;
    const char *tool, *model;
    bool late; /* added while pages were read */
};

static struct world {
    struct engine *engines[N_ENGINES];
    uint32_t sources[N_ENGINES][SOURCES];
    struct spot spots[PLACES_MAX];
    size_t n;
    bool dead[N_ENGINES][SOURCES];
} world;

static struct engine *open_engine(size_t which)
{
    struct engine_config c = {.memory_max = SIZE_MAX,
                              .first_source = which ? 1u << 31 : 0,
                              .first_text = which ? (uint64_t)1 << 40 : 0};
    struct db_config config = {.access = DB_WRITE};
    struct store *store;
    struct engine *e;

    OK(db_sqlite_open(&config, &c.db, &test_err));
    OK(store_memory_open(&clock_system, &store, &test_err));
    c.store = store->objects;
    store->objects = NULL;
    store_free(store);
    OK(engine_open(&c, &e, &test_err));
    return e;
}

static quire_bytes random_body(void)
{
    static const char *const words[] = {"common", "rare",    "getUser", "alpha",
                                        "beta",   "commons", "C++",     "42"};
    char *text = test_alloc(128), *at = text;
    uint32_t n = 1 + roll(3), i;

    for (i = 0; i < n; i++)
        at += sprintf(at, "%s ", words[roll(8) % (1 + roll(8))]);
    if (roll(3) == 0)
        at += sprintf(at, "unique%u", roll(100));
    return bytes_of(text, (size_t)(at - text));
}

/* One more place, of a new or a known text, in the update of an engine. */
static void add_spot(size_t engine, bool late)
{
    struct spot *s = &world.spots[world.n];
    struct segment_text t = {.fields = {{NULL, 0}}};
    uint32_t which = roll(SOURCES);

    if (world.n == PLACES_MAX)
        return;
    *s = (struct spot){
        .engine = engine,
        .body = world.n > 0 && roll(3) == 0
                    ? world.spots[roll((uint32_t)world.n)].body
                    : random_body(),
        .tool = tools[roll(4)],
        .model = models[roll(4)],
        .late = late,
        .place = {
            .source = world.sources[engine][which],
            /* Groups are of sources; two sources share one. */
            .group = 1 + which / 2,
            .offset = world.n / 2,
            .part = (uint16_t)(world.n % 2),
            .length = 7,
            .meta = (uint16_t)(roll(N_TEXT_KINDS) |
                               roll(N_TEXT_ROLES) << PLACE_KIND_BITS |
                               (roll(4) == 0 ? PLACE_ERROR : 0) |
                               (roll(9) == 0 ? PLACE_OLDER : 0)),
            .time_us = late ? (int64_t)(NOW_S + roll(3)) * 1000000
                       : roll(10) == 0
                           ? 0
                           : (int64_t)(NOW_S - 1 - roll(40) * 86400 * roll(3)) *
                                 1000000,
        }};
    world.n++;
    t.fields[FIELD_BODY] = s->body;
    OK(engine_add(world.engines[engine], &t, &s->place, bytes_str(s->tool),
                  bytes_str(s->model), &test_err));
}

static void update(size_t engine, uint32_t n, bool late)
{
    OK(engine_begin(world.engines[engine], &test_err));
    while (n-- > 0)
        add_spot(engine, late);
    OK(engine_end(world.engines[engine], QUIRE_OK, &test_err));
    if (engine == 1)
        OK(engine_hide_source(world.engines[1], world.sources[1][4],
                              &test_err));
}

static void begin_world(uint64_t seed)
{
    size_t e, i;
    bool more;

    memset(&world, 0, sizeof world);
    dice = seed;
    for (e = 0; e < N_ENGINES; e++) {
        world.engines[e] = open_engine(e);
        OK(engine_begin(world.engines[e], &test_err));
        for (i = 0; i < SOURCES; i++) {
            char key[16];
            struct source s = {.kind = SOURCE_SESSION,
                               .key = key,
                               .session = key,
                               .title = "",
                               .project = "",
                               .agent = ""};

            snprintf(key, sizeof key, "%zu", i);
            OK(engine_put_source(world.engines[e], &s, &test_err));
            world.sources[e][i] = s.number;
        }
        OK(engine_end(world.engines[e], QUIRE_OK, &test_err));
        for (i = 0; i < 4; i++)
            update(e, 5 + roll(e ? 20 : 60), false);
    }
    if (seed % 2)
        OK(engine_merge(world.engines[0], true, &more, &test_err));
    OK(engine_begin(world.engines[0], &test_err));
    OK(engine_kill_source(world.engines[0], world.sources[0][3], &test_err));
    OK(engine_end(world.engines[0], QUIRE_OK, &test_err));
    world.dead[0][3] = world.dead[1][4] = true;
}

static void end_world(void)
{
    size_t e;

    for (e = 0; e < N_ENGINES; e++)
        engine_close(world.engines[e]);
}

static quire_status read_text(void *ctx, size_t engine,
                              const struct place *place,
                              struct segment_text *out, quire_error *err)
{
    size_t i;

    (void)ctx;
    (void)err;
    for (i = 0; i < world.n; i++) {
        const struct place *p = &world.spots[i].place;

        if (world.spots[i].engine == engine && p->source == place->source &&
            p->offset == place->offset && p->part == place->part) {
            *out = (struct segment_text){.fields = {world.spots[i].body}};
            return QUIRE_OK;
        }
    }
    return QUIRE_NOT_FOUND;
}

/* ---- requests ------------------------------------------------------------ */

/* A plan of a query; "": none. Memory of the test. */
static struct plan *plan_of(const char *query, struct arena *keep)
{
    struct search_language l;
    struct plan *p = NULL;

    OK(search_language_parse(bytes_str(query), 1, false, keep, &l, &test_err));
    if (l.tree)
        OK(search_plan_new(l.tree, RELAX_NONE, keep, &p, &test_err));
    return p;
}

static struct run_request request_of(const struct plan *p)
{
    return (struct run_request){
        .engines = {world.engines[0], world.engines[1]},
        .n_engines = N_ENGINES,
        .plan = p,
        .versions = true,
        .sort = RUN_NEWEST,
        .flat = true,
        .limit = ALL,
        .now_us = (int64_t)NOW_S * 1000000,
        .facets = true,
        .read = read_text,
    };
}

static bool spot_is_live(const struct spot *s)
{
    size_t i;

    for (i = 0; i < SOURCES; i++)
        if (world.sources[s->engine][i] == s->place.source)
            return !world.dead[s->engine][i];
    return false;
}

/* Whether a place is a hit; `m` NULL: every text matches. */
static bool is_hit(const struct spot *s, const struct run_request *r,
                   struct text_matcher *m)
{
    const struct place *p = &s->place;
    struct segment_text t = {.fields = {s->body}};
    bool yes = true;
    size_t i;

    if (m)
        OK(text_matches(m, t.fields, N_FIELDS, &yes, NULL, 0, NULL, &test_err));
    if (!yes || s->late || !spot_is_live(s) ||
        (r->kinds && !(r->kinds >> (p->meta & 15) & 1)) ||
        (r->roles && !(r->roles >> (p->meta >> 4 & 7) & 1)) ||
        (p->meta & r->flags) != r->flags || (p->meta & r->not_flags) != 0 ||
        (!r->versions && p->meta & PLACE_OLDER) ||
        (r->after_us && p->time_us < r->after_us) ||
        (r->before_us && p->time_us >= r->before_us))
        return false;
    for (yes = r->tools.n == 0, i = 0; i < r->tools.n; i++)
        yes |= !strcasecmp(s->tool, r->tools.any[i].data);
    if (!yes)
        return false;
    for (yes = r->models.n == 0, i = 0; i < r->models.n; i++)
        yes |= strstr(s->model, r->models.any[i].data) != NULL;
    return yes;
}

static const struct spot *spot_of(const struct run_hit *h)
{
    size_t i;

    for (i = 0; i < world.n; i++) {
        const struct spot *s = &world.spots[i];

        if (s->engine == h->engine && s->place.source == h->place.source &&
            s->place.offset == h->place.offset &&
            s->place.part == h->place.part)
            return s;
    }
    SAME_TEXT("a place of the model", "none");
    return NULL;
}

static void check_order(const struct run_request *r, const struct run_result *x)
{
    size_t i;

    for (i = 1; i < x->n; i++) {
        const struct run_hit *a = &x->hits[i - 1], *b = &x->hits[i];

        if (r->sort == RUN_NEWEST)
            YES(a->place.time_us >= b->place.time_us);
        else if (r->sort == RUN_OLDEST)
            YES(a->place.time_us <= b->place.time_us);
        else
            YES(a->score >= b->score);
    }
}

static void check_names(const struct run_count *list, size_t n,
                        const char *const *names, bool tool, const bool *hits)
{
    uint64_t want, got;
    size_t i, k;

    for (k = 1; k < 4; k++) {
        for (want = got = i = 0; i < world.n; i++)
            want += hits[i] &&
                    !strcmp(tool ? world.spots[i].tool : world.spots[i].model,
                            names[k]);
        for (i = 0; i < n; i++)
            if (bytes_is(list[i].name, names[k]))
                got += list[i].n;
        EQ(want, got);
    }
    for (i = 1; i < n; i++)
        YES(list[i - 1].n >= list[i].n);
}

static void check_sources(const struct run_facets *f, const bool *hits)
{
    uint64_t want, sum = 0, all = 0;
    size_t i, k;

    for (i = 0; i < world.n; i++)
        all += hits[i];
    for (k = 0; k < f->n_sources; k++) {
        const struct run_source_count *c = &f->sources[k];

        for (want = i = 0; i < world.n; i++)
            want += hits[i] && world.spots[i].engine == c->engine &&
                    world.spots[i].place.source == c->source;
        EQ(want, c->n);
        YES(c->n > 0);
        YES(k == 0 || f->sources[k - 1].n >= c->n);
        sum += c->n;
    }
    EQ(all, sum); /* each source once */
}

static void check_facets(const struct run_facets *f, const bool *hits)
{
    uint64_t kinds[16] = {0}, roles[8] = {0};
    size_t i;

    for (i = 0; i < world.n; i++) {
        if (!hits[i])
            continue;
        kinds[world.spots[i].place.meta & 15]++;
        roles[world.spots[i].place.meta >> 4 & 7]++;
    }
    for (i = 0; i < N_TEXT_KINDS; i++)
        EQ(kinds[i], f->kinds[i]);
    for (i = 0; i < 8; i++)
        EQ(roles[i], f->roles[i]);
    check_names(f->tools, f->n_tools, tools, true, hits);
    check_names(f->models, f->n_models, models, false, hits);
    check_sources(f, hits);
}

/* All hits on one page are those of the model. */
static void check_all(const struct run_request *r)
{
    struct arena keep = ARENA_INIT;
    struct run_result x;
    struct text_matcher *m = NULL;
    static bool hits[PLACES_MAX];
    size_t i, n = 0;

    if (r->plan)
        OK(text_matcher_new(r->plan, &m, &test_err));
    for (i = 0; i < world.n; i++)
        n += hits[i] = is_hit(&world.spots[i], r, m);
    OK(search_run(r, &keep, &x, &test_err));
    EQ(n, x.n);
    EQ(n, x.total);
    YES(x.total_is_exact && !x.more && !x.stopped);
    check_order(r, &x);
    check_facets(&x.facets, hits);
    for (i = 0; i < x.n; i++) {
        const struct spot *s = spot_of(&x.hits[i]);

        YES(hits[s - world.spots]);
        hits[s - world.spots] = false; /* each once */
        EQ(s->place.time_us, x.hits[i].place.time_us);
        EQ(s->place.meta, x.hits[i].place.meta);
        SAME(bytes_str(s->tool), x.hits[i].tool);
        SAME(bytes_str(s->model), x.hits[i].model);
    }
    text_matcher_free(m);
    arena_release(&keep);
}

static const char *const queries[] = {
    "",    "common",  "common OR rare",  "*omm*",   "alpha -beta", "/comm\\w+/",
    "C++", "getuser", "\"common rare\"", "nothing", "-common",     "user",
    "*e*",
};

enum { N_QUERIES = sizeof queries / sizeof *queries };

TEST(hits_totals_and_facets_equal_a_filtered_list)
{
    int seed, q, i;

    for (seed = 1; seed < (catalogue_long() ? 40 : 4); seed++) {
        begin_world((uint64_t)seed);
        for (q = 0; q < N_QUERIES; q++) {
            struct arena keep = ARENA_INIT;
            struct plan *p = plan_of(queries[q], &keep);

            for (i = 0; i < 8; i++) {
                struct run_request r = request_of(p);

                r.sort = (enum run_sort)roll(3);
                r.versions = roll(2);
                if (roll(3) == 0)
                    r.kinds = roll(1 << N_TEXT_KINDS);
                if (roll(3) == 0)
                    r.roles = roll(1 << N_TEXT_ROLES);
                if (roll(5) == 0)
                    *(roll(2) ? &r.flags : &r.not_flags) = PLACE_ERROR;
                if (roll(3) == 0)
                    r.after_us = (int64_t)(NOW_S - roll(40) * 86400) * 1000000;
                if (roll(3) == 0)
                    r.before_us = (int64_t)(NOW_S - roll(40) * 86400) * 1000000;
                if (roll(3) == 0) {
                    r.tools.any[r.tools.n++] = bytes_str("BASH");
                    if (roll(2))
                        r.tools.any[r.tools.n++] = bytes_str("edit");
                }
                if (roll(4) == 0)
                    r.models.any[r.models.n++] = bytes_str("claude");
                check_all(&r);
            }
            search_plan_release(p);
            arena_release(&keep);
        }
        end_world();
    }
}

TEST(sources_are_a_filter)
{
    struct arena keep = ARENA_INIT;
    struct run_request r;
    struct source_condition c = {SOURCE_BY_SESSION, 0, "5", false};
    struct source_filter f = {.list = &c, .n = 1, .archived = -1};
    struct source_set sets[N_ENGINES];
    struct run_result x;
    size_t e, i, want = 0;

    begin_world(9);
    r = request_of(NULL);
    for (e = 0; e < N_ENGINES; e++) {
        OK(engine_select(world.engines[e], &f, &keep, &sets[e], &test_err));
        r.sources[e] = &sets[e];
    }
    for (i = 0; i < world.n; i++)
        want += world.spots[i].place.source ==
                world.sources[world.spots[i].engine][5];
    OK(search_run(&r, &keep, &x, &test_err));
    EQ(want, x.total);
    YES(want > 0);
    for (i = 0; i < x.n; i++)
        EQ(world.sources[x.hits[i].engine][5], x.hits[i].place.source);
    arena_release(&keep);
    end_world();
}

/* ---- pages ---------------------------------------------------------------- */

static bool same_hit(const struct run_hit *a, const struct run_hit *b)
{
    return a->engine == b->engine && a->place.source == b->place.source &&
           a->place.offset == b->place.offset &&
           a->place.part == b->place.part && a->in_group == b->in_group;
}

/* Something happens between two pages. */
static void disturb(void)
{
    bool more;

    switch (roll(6)) {
    case 0: update(0, 1 + roll(5), true); break;
    case 1: update(1, 1 + roll(3), true); break;
    case 2:
        OK(engine_merge(world.engines[0], roll(2), &more, &test_err));
        break;
    default: break;
    }
}

/* Page by page, the hits are those of one large page. */
static void check_pages(struct run_request r, size_t limit)
{
    struct arena keep = ARENA_INIT, page = ARENA_INIT;
    struct run_result all, x;
    size_t at = 0, i;
    bool more = true;

    r.limit = ALL;
    r.facets = false;
    OK(search_run(&r, &keep, &all, &test_err));
    r.limit = limit;
    while (more) {
        arena_reset(&page);
        OK(search_run(&r, &page, &x, &test_err));
        YES(at + x.n <= all.n);
        for (i = 0; i < x.n; i++, at++) {
            struct run_hit want = all.hits[at];

            /* Of an inexact query a page knows only a part of the group. */
            if (!x.total_is_exact && want.in_group > x.hits[i].in_group &&
                x.hits[i].in_group > 0)
                want.in_group = x.hits[i].in_group;
            YES(same_hit(&want, &x.hits[i]));
            EQ((int64_t)(1e9 * want.score), (int64_t)(1e9 * x.hits[i].score));
        }
        YES(!x.total_is_exact || x.total == all.total);
        YES(x.total <= all.total);
        EQ(at < all.n, x.more);
        more = x.more;
        r.cursor = x.cursor;
        r.now_us += 1000000;
        disturb();
    }
    EQ(all.n, at);
    arena_release(&page);
    arena_release(&keep);
}

static void check_all_pages(bool flat)
{
    static const size_t limits[] = {1, 3, 7};
    int seed, q, sort;
    size_t l;

    for (seed = 1; seed < (catalogue_long() ? 30 : 2); seed++) {
        for (q = 0; q < N_QUERIES; q++) {
            begin_world((uint64_t)(seed * 100 + q));
            for (sort = 0; sort < 3; sort++) {
                struct arena keep = ARENA_INIT;
                struct plan *p = plan_of(queries[q], &keep);
                struct run_request r = request_of(p);

                r.sort = (enum run_sort)sort;
                r.flat = flat;
                /* Late texts of the last walk are not older than this one. */
                r.now_us = (int64_t)NOW_S * 1000000;
                l = (size_t)(q + sort) % 3;
                check_pages(r, limits[l]);
                search_plan_release(p);
                arena_release(&keep);
            }
            end_world();
        }
    }
}

TEST(pages_of_hits_neither_repeat_nor_skip)
{
    check_all_pages(true);
}

TEST(pages_of_groups_neither_repeat_nor_skip)
{
    check_all_pages(false);
}

TEST(a_group_has_its_best_three_hits_and_their_number)
{
    int q, sort;

    begin_world(77);
    for (q = 0; q < N_QUERIES; q++) {
        for (sort = 0; sort < 3; sort++) {
            struct arena keep = ARENA_INIT;
            struct plan *p = plan_of(queries[q], &keep);
            struct run_request r = request_of(p);
            struct run_result flat, groups;
            size_t i, k = 0, n_groups = 0, sum = 0;

            r.sort = (enum run_sort)sort;
            OK(search_run(&r, &keep, &flat, &test_err));
            r.flat = false;
            OK(search_run(&r, &keep, &groups, &test_err));
            EQ(flat.total, groups.total);
            while (k < groups.n) {
                uint32_t group = groups.hits[k].place.group;
                size_t n = 0, in = groups.hits[k].in_group, from = k;

                YES(in > 0);
                sum += in;
                for (i = 0; i < flat.n; i++) {
                    if (flat.hits[i].place.group != group)
                        continue;
                    if (n++ < RUN_GROUP_HITS) {
                        struct run_hit want = flat.hits[i];

                        want.in_group = k == from ? in : 0;
                        YES(k < groups.n && same_hit(&want, &groups.hits[k]));
                        k++;
                    }
                }
                EQ(n, in);
                n_groups++;
            }
            EQ(flat.total, sum);
            YES(n_groups <= SOURCES);
            search_plan_release(p);
            arena_release(&keep);
        }
    }
    end_world();
}

/* ---- stopping ------------------------------------------------------------- */

static int calls_left;

static bool stop_soon(void *ctx)
{
    (void)ctx;
    return --calls_left <= 0;
}

TEST(a_search_that_is_stopped_says_so)
{
    int n;
    bool stopped = true;

    begin_world(5);
    for (n = 1; stopped; n += 3) {
        struct arena keep = ARENA_INIT;
        struct plan *p = plan_of("*omm*", &keep);
        struct run_request r = request_of(p);
        struct run_result x;

        r.stop = stop_soon;
        calls_left = n;
        OK(search_run(&r, &keep, &x, &test_err));
        stopped = x.stopped;
        EQ(!stopped, x.total_is_exact);
        search_plan_release(p);
        arena_release(&keep);
    }
    YES(n > 10);
    end_world();
}
