/* finder.c - see finder.h */
#include "support/finder.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "search/run.h"
#include "store/store.h"
#include "support/test.h"

static struct engine *open_engine(void)
{
    struct db_config config = {.path = NULL, .access = DB_WRITE};
    struct engine_config c = {.memory_max = SIZE_MAX};
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

struct adding {
    struct engine *e;
    int64_t session; /* 0: any */
};

static quire_status add_entry(void *ctx, const quire_memory *m,
                              quire_error *err)
{
    struct adding *k = ctx;
    struct source s = {.kind = SOURCE_MEMORY,
                       .session = "",
                       .title = "",
                       .project = "",
                       .agent = ""};
    struct segment_text text = {.fields = {[FIELD_BODY] = m->content,
                                           [FIELD_TITLE] = m->title,
                                           [FIELD_TAGS] = bytes_str(m->tags),
                                           [FIELD_SOURCE] = m->source}};
    struct place place = {.offset = (uint64_t)m->id, .time_us = 1000000};
    char key[32];
    quire_status st;

    if (k->session && m->session_id != k->session)
        return QUIRE_OK;
    snprintf(key, sizeof key, "%lld", (long long)m->id);
    s.key = key;
    st = engine_put_source(k->e, &s, err);
    place.source = s.number;
    place.meta = (uint16_t)(TEXT_MEMORY | (m->valid_to_us ? PLACE_OLDER : 0));
    return st ? st
              : engine_add(k->e, &text, &place, bytes_of("", 0),
                           bytes_of("", 0), err);
}

static quire_status read_nothing(void *ctx, size_t engine,
                                 const struct place *place,
                                 struct segment_text *out, quire_error *err)
{
    (void)ctx, (void)engine, (void)place, (void)out, (void)err;
    return QUIRE_NOT_FOUND;
}

static quire_status find(void *ctx, const struct query *query, bool past,
                         bool pinned, size_t max, struct arena *out,
                         struct memory_word_hit **hits, size_t *n,
                         quire_error *err)
{
    struct test_finder *f = ctx;
    struct adding k = {open_engine(), pinned ? f->session : 0};
    struct run_request r = {.engines = {k.e},
                            .n_engines = 1,
                            .versions = past,
                            .words_score = true,
                            .flat = true,
                            .limit = max,
                            .now_us = 2000000,
                            .read = read_nothing};
    struct arena keep = ARENA_INIT;
    struct run_result result = {.n = 0};
    struct plan *plan;
    size_t i;

    OK(engine_begin(k.e, err));
    OK(memory_each(f->m, f->tenant, add_entry, &k, err));
    OK(engine_end(k.e, QUIRE_OK, err));
    OK(search_plan_new(query, RELAX_NONE, &keep, &plan, err));
    r.plan = plan;
    if (plan)
        OK(search_run(&r, &keep, &result, err));
    *hits = arena_array(out, result.n + 1, sizeof **hits);
    for (i = 0; i < result.n; i++)
        (*hits)[i] =
            (struct memory_word_hit){(int64_t)result.hits[i].place.offset,
                                     result.hits[i].score};
    *n = result.n;
    search_plan_release(plan);
    engine_close(k.e);
    arena_release(&keep);
    return QUIRE_OK;
}

void test_finder_init(struct test_finder *f, struct memories *m, int64_t tenant,
                      int64_t session)
{
    *f = (struct test_finder){{find, f}, m, tenant, session};
}
